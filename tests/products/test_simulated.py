"""Product ``simulated``: the pages of programs, in V8, against the outcomes that the specification allows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelcontext.checkout import project_root
from modelcontext.products import Product, make_product
from modelcontext.program.explore import judge
from modelcontext.program.reading import load

PROGRAMS = project_root() / "wpt_tests/programs"


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    with make_product("simulated") as launched:
        yield launched


@pytest.mark.parametrize(
    "name",
    [
        "documents/target-navigated-while-running",
        "execution/realm-of-the-error",
        "exposure/two-origins",
        "races/target-removes-itself",
        "registration/removed-document",
        "results/undefined",
    ],
)
def test_outcome_of_program_is_one_that_the_specification_allows(product: Product, name: str) -> None:
    program = load(PROGRAMS / f"{name}.toml")
    observation = product.run(program)
    assert observation.outcome is not None, observation.detail
    assert judge(program, observation.outcome).departure is None
