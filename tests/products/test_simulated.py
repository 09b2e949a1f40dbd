"""Product ``simulated``: the pages of programs, in V8, against the outcomes that the specification allows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelcontext.ground.checkout import project_root
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.reading import load
from modelcontext.running.products import Product, ProductOptions, make_product, make_runner
from modelcontext_fuzz.generators import numbered_program

PROGRAMS = project_root() / "wpt_tests/programs"


@pytest.fixture(scope="module")
def product(starts_a_browser: None) -> Iterator[Product]:
    with make_product("simulated") as launched:
        yield launched


@pytest.mark.parametrize(
    "name",
    [
        "declarative/page-goes-and-comes-back",
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


@pytest.mark.usefixtures("starts_a_browser")
def test_schedules_of_a_seed_show_several_outcomes_all_of_them_allowed() -> None:
    program = load(project_root() / "wpt_tests/litmus/detach-execute/frame-removed-during-the-call.toml")
    with make_product("simulated", ProductOptions(seed=1)) as product:
        shown = {one.outcome.canonical for one in (product.run(program) for _ in range(12)) if one.outcome is not None}
    assert len(shown) > 1
    assert shown <= set(allowed_outcomes(program).outcomes)


@pytest.mark.usefixtures("starts_a_browser")
def test_generated_programs_show_outcomes_that_the_specification_allows() -> None:
    with make_runner("simulated") as runner:
        for number in range(8):
            program = numbered_program(3, number, runner.revision)
            observation = runner.run_many([program])[0]
            assert observation.outcome is not None, observation.detail
            assert judge(program, observation.outcome).kind == "allowed"
