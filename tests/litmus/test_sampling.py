"""Sampling counts and judges the outcomes of a product, and its disturbance changes only timing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.expectations import ExpectationError, Vocabulary, vocabulary
from modelcontext.judging.litmus.expectations import known_deviations
from modelcontext.judging.litmus.language import CATALOGUE, Litmus, read_catalogue
from modelcontext.judging.litmus.sample import disturbance, sample
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data
from modelcontext.running.products import Product, ProductOptions, make_product
from modelcontext.running.products.base import Ending, Observation
from modelcontext.running.products.model import Model

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

FOLDER = Path(__file__).resolve().parents[2] / CATALOGUE
EXPECTATIONS = FOLDER.parent / "expectations"
KNOWN = """
[[litmus]]
name = "register-notify/event-and-promise"
reason = "product"
step = "dom-modelcontext-registertool 22"
note = "why"
"""


@pytest.fixture(scope="module")
def litmus() -> Litmus:
    [only] = read_catalogue(FOLDER, ["register-notify/event-and-promise"])
    return only


class ModelWithFailures(Model):
    """The model, with a failure in every second run."""

    def __init__(self, *failures: Observation) -> None:
        super().__init__()
        self._failures = list(failures)
        self._runs = 0

    def run(self, program: Program) -> Observation:
        self._runs += 1
        return super().run(program) if self._runs % 2 else self._failures[(self._runs // 2 - 1) % len(self._failures)]


def test_forbidden_outcome_is_outside(litmus: Litmus) -> None:
    wrong = Outcome({"top": [{"in": "top", "log": "never"}]})
    failures = (Observation(Ending.OUTCOME, wrong), Observation(Ending.CRASH, detail="the renderer process crashed"))
    allowed = allowed_outcomes(litmus.program)
    with ModelWithFailures(*failures) as product:
        found = sample(litmus, product, allowed, 8)
    assert found.runs == 8
    assert sum(found.seen.values()) == 4
    assert found.outside == {wrong.canonical: 2, "crash: the renderer process crashed": 2}
    assert not found.unsound


def test_failed_run_is_unsound(litmus: Litmus) -> None:
    with ModelWithFailures(Observation(Ending.ERROR, detail="no page")) as product:
        found = sample(litmus, product, allowed_outcomes(litmus.program), 2)
    assert found.unsound == {"error: no page": 1}
    assert not found.outside


def test_incomplete_exploration_judges_each_outcome(litmus: Litmus) -> None:
    allowed = allowed_outcomes(litmus.program, bound=1)
    assert not allowed.complete
    wrong = Outcome({"top": [{"in": "top", "log": "never"}]})
    with ModelWithFailures(Observation(Ending.OUTCOME, wrong)) as product:
        found = sample(litmus, product, allowed, 2)
    assert sum(found.seen.values()) == 1
    assert found.outside == {wrong.canonical: 1}


def test_known_deviation_is_neither_allowed_nor_outside(litmus: Litmus, tmp_path: Path) -> None:
    wrong = Outcome({"top": [{"in": "top", "log": "never"}]})
    path = tmp_path / "litmus-model.toml"
    path.write_text(KNOWN + 'when = ["log \\"never\\""]\n', encoding="utf-8")
    deviations = known_deviations(path, Vocabulary({"dom-modelcontext-registertool 22"}))[litmus.name]
    with ModelWithFailures(Observation(Ending.OUTCOME, wrong)) as product:
        found = sample(litmus, product, allowed_outcomes(litmus.program), 4, known=deviations)
        other = sample(litmus, product, allowed_outcomes(litmus.program), 4)
    assert found.known == other.outside == {wrong.canonical: 2}
    assert not found.outside
    assert found.deviations[wrong.canonical].note == "why"


@pytest.mark.parametrize(
    ("when", "problem"),
    [
        ("", "an array of conditions"),
        ("when = []", "an array of conditions"),
        ('when = ["no "]', "does not describe an entry"),
    ],
)
def test_invalid_deviation_is_refused(when: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "litmus-model.toml"
    path.write_text(KNOWN + when, encoding="utf-8")
    with pytest.raises(ExpectationError, match=problem):
        known_deviations(path, Vocabulary({"dom-modelcontext-registertool 22"}))
    with pytest.raises(ExpectationError, match="has no step"):
        known_deviations(path, Vocabulary(set()))


@pytest.mark.parametrize("path", sorted(EXPECTATIONS.glob("litmus-*.toml")), ids=lambda path: path.stem)
def test_known_deviations_name_tests_and_explain_no_allowed_outcome(path: Path) -> None:
    tests = {litmus.name: litmus for litmus in read_catalogue(FOLDER)}
    for name, deviations in known_deviations(path, vocabulary(path.stem.removeprefix("litmus-"), "current")).items():
        for deviation in deviations:
            allowed = tests[name].promoted()
            assert allowed
            assert not any(deviation.explains(outcome) for outcome in allowed), f"{name}: {deviation.note}"


@pytest.fixture(scope="module")
def disturbed_chromium(starts_a_browser: None) -> Iterator[Product]:
    product = make_product("chromium", ProductOptions(scripts=[disturbance(1)]))
    try:
        with product as running:
            yield running
    except UnavailableError as error:
        pytest.fail(f"these tests need Chromium: {error}")


def test_disturbance_changes_no_result(disturbed_chromium: Product) -> None:
    steps = [{"do": "microtask"}, {"do": "timer"}, {"do": "log", "value": 1}]
    program = from_data({"title": "no race", "script": {"top": steps}})
    [text] = allowed_outcomes(program).outcomes
    for _ in range(8):
        outcome = disturbed_chromium.run(program).outcome
        assert outcome is not None
        assert outcome.canonical == text


def test_disturbed_chromium_shows_only_allowed_outcomes(disturbed_chromium: Product, litmus: Litmus) -> None:
    found = sample(litmus, disturbed_chromium, allowed_outcomes(litmus.program), 8)
    assert sum(found.seen.values()) == 8


def test_disturbance_shows_rare_outcomes(disturbed_chromium: Product) -> None:
    """Without disturbance the abort wins in each of hundreds of runs."""
    [in_flight] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    allowed = allowed_outcomes(in_flight.program)
    seen: set[str] = set()
    for _ in range(25):
        found = sample(in_flight, disturbed_chromium, allowed, 8)
        assert not found.outside
        seen |= found.seen.keys()
        if len(seen) >= 2:
            return
    pytest.fail(f"of {len(allowed.outcomes)} outcomes only one was seen in 200 runs")
