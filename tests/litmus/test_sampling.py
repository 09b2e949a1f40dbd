"""Sampling counts what a product shows, judges it by the allowed set, and disturbs nothing but the time things take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.conformance.expectations import ExpectationError, Vocabulary, vocabulary
from modelcontext.litmus.expectations import known_deviations
from modelcontext.litmus.language import CATALOGUE, Litmus, read_catalogue
from modelcontext.litmus.sample import disturbance, sample
from modelcontext.problems import UnavailableError
from modelcontext.products import Product, make_product
from modelcontext.products.base import Ending, Observation
from modelcontext.products.model import Model
from modelcontext.program.explore import allowed_outcomes
from modelcontext.program.outcome import Outcome
from modelcontext.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.program.language import Program

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
    """The model, of which every second run shows something else."""

    def __init__(self, *failures: Observation) -> None:
        super().__init__()
        self._failures = list(failures)
        self._runs = 0

    def run(self, program: Program) -> Observation:
        self._runs += 1
        return super().run(program) if self._runs % 2 else self._failures[(self._runs // 2 - 1) % len(self._failures)]


def test_what_is_not_allowed_is_outside(litmus: Litmus) -> None:
    wrong = Outcome({"top": [{"in": "top", "log": "never"}]})
    failures = (Observation(Ending.OUTCOME, wrong), Observation(Ending.CRASH, detail="the renderer process crashed"))
    allowed = allowed_outcomes(litmus.program)
    with ModelWithFailures(*failures) as product:
        found = sample(litmus, product, allowed, 8)
    assert found.runs == 8
    assert sum(found.seen.values()) == 4
    assert found.outside == {wrong.canonical: 2, "crash: the renderer process crashed": 2}
    assert not found.unsound


def test_a_run_that_fails_by_itself_says_nothing(litmus: Litmus) -> None:
    with ModelWithFailures(Observation(Ending.ERROR, detail="no page")) as product:
        found = sample(litmus, product, allowed_outcomes(litmus.program), 2)
    assert found.unsound == {"error: no page": 1}
    assert not found.outside


def test_where_not_everything_is_known_each_outcome_is_judged(litmus: Litmus) -> None:
    allowed = allowed_outcomes(litmus.program, bound=1)
    assert not allowed.complete
    wrong = Outcome({"top": [{"in": "top", "log": "never"}]})
    with ModelWithFailures(Observation(Ending.OUTCOME, wrong)) as product:
        found = sample(litmus, product, allowed, 2)
    assert sum(found.seen.values()) == 1
    assert found.outside == {wrong.canonical: 1}


def test_what_is_known_is_neither_allowed_nor_outside(litmus: Litmus, tmp_path: Path) -> None:
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
    [("", "an array of conditions"), ("when = []", "an array of conditions"), ('when = ["no "]', "says nothing")],
)
def test_wrong_deviations(when: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "litmus-model.toml"
    path.write_text(KNOWN + when, encoding="utf-8")
    with pytest.raises(ExpectationError, match=problem):
        known_deviations(path, Vocabulary({"dom-modelcontext-registertool 22"}))
    with pytest.raises(ExpectationError, match="has no step"):
        known_deviations(path, Vocabulary(set()))


@pytest.mark.parametrize("path", sorted(EXPECTATIONS.glob("litmus-*.toml")), ids=lambda path: path.stem)
def test_known_deviations_are_of_tests_that_are_there_and_explain_nothing_that_is_allowed(path: Path) -> None:
    tests = {litmus.name: litmus for litmus in read_catalogue(FOLDER)}
    for name, deviations in known_deviations(path, vocabulary(path.stem.removeprefix("litmus-"), "current")).items():
        for deviation in deviations:
            allowed = tests[name].promoted()
            assert allowed
            assert not any(deviation.explains(outcome) for outcome in allowed), f"{name}: {deviation.note}"


@pytest.fixture(scope="module")
def disturbed_chromium() -> Iterator[Product]:
    product = make_product("chromium", scripts=[disturbance(1)])
    try:
        with product as running:
            yield running
    except UnavailableError as error:
        pytest.fail(f"these tests need Chromium: {error}")


def test_delays_and_load_change_no_result(disturbed_chromium: Product) -> None:
    steps = [{"do": "microtask"}, {"do": "timer"}, {"do": "log", "value": 1}]
    program = from_data({"title": "no race", "script": {"top": steps}})
    [text] = allowed_outcomes(program).outcomes
    for _ in range(8):
        outcome = disturbed_chromium.run(program).outcome
        assert outcome is not None
        assert outcome.canonical == text


def test_chromium_stays_within_what_is_allowed(disturbed_chromium: Product, litmus: Litmus) -> None:
    found = sample(litmus, disturbed_chromium, allowed_outcomes(litmus.program), 8)
    assert sum(found.seen.values()) == 8


def test_delays_and_load_show_what_is_rare(disturbed_chromium: Product) -> None:
    """Left alone, the abort has won in each of hundreds of runs."""
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
