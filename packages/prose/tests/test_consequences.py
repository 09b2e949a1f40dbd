"""The consequences of another text for products: what is known of them decides what can be said."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.programs.program.outcome import Outcome
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_prose.consequences import Effect, Products, read_products
from modelcontext_prose.trial import ChangedOutcome, Trial

ROOT = Path(__file__).resolve().parents[3]

PROGRAMS = """
[[program]]
name = "results/known"
reason = "product"
step = "imperative-execute-steps 7"
observed = 'call: fulfilled with "undefined"'
note = "undefined has no JSON text"
"""
LITMUS = """
[[litmus]]
name = "abort-resolve/known"
reason = "product"
step = "imperative-execute-steps 7"
when = ["call: rejected"]
note = "a race"
"""
KNOWN = Outcome({"top": [{"in": "top", "promise": "call", "fulfilled": "undefined"}]})
REJECTED = Outcome({"top": [{"in": "top", "promise": "call", "rejected": {"$error": "AbortError"}}]})


@pytest.fixture
def products(tmp_path: Path) -> Products:
    folder = tmp_path / CURRENT.expectations
    folder.mkdir(parents=True)
    (folder / "chromium.toml").write_text(PROGRAMS, encoding="utf-8")
    (folder / "litmus-chromium.toml").write_text(LITMUS, encoding="utf-8")
    return read_products(tmp_path)


def changed(*outcomes: Outcome) -> tuple[ChangedOutcome, ...]:
    return tuple(ChangedOutcome(one, (), ()) for one in outcomes)


@pytest.mark.parametrize(
    ("program", "trial", "effect"),
    [
        ("results/known", Trial(changed(KNOWN), changed(REJECTED)), Effect.CONFORMS),
        ("results/known", Trial(changed(REJECTED), changed(KNOWN)), None),
        ("abort-resolve/known", Trial(changed(REJECTED)), Effect.CONFORMS),
        ("abort-resolve/known", Trial(changed(KNOWN), changed(REJECTED)), None),
        ("results/other", Trial(changed(KNOWN), changed(REJECTED)), Effect.DEVIATES),
        ("results/other", Trial(changed(KNOWN), changed(REJECTED), staying=1), Effect.MAY_DEVIATE),
        ("results/other", Trial(changed(KNOWN), staying=1), None),
        ("results/other", Trial(lost="a step has no meaning"), None),
    ],
)
def test_effect_follows_from_the_outcomes_and_from_what_the_product_shows(
    products: Products, program: str, trial: Trial, effect: Effect | None
) -> None:
    assert list(products.effects(program, trial)) == ([("chromium", effect)] if effect is not None else [])


def test_products_of_the_project_implement_the_current_text() -> None:
    assert [one.name for one in read_products(ROOT).known] == ["chromium", "polyfill"]
