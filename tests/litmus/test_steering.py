"""Steered runs bring about the outcome that is meant, and say what is missing where it does not come."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.litmus import steered
from modelcontext.judging.litmus.conditions import parse
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.judging.litmus.steered import missing, steer
from modelcontext.people.cli.litmus import command
from modelcontext.people.cli.litmus_lines import steered_total
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.steering import ways
from modelcontext.running.products import make_product
from modelcontext.running.products.base import Ending, Observation
from modelcontext.running.products.browser_product import BrowserProduct

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.timetable import Timetable

FOLDER = Path(__file__).resolve().parents[2] / CATALOGUE


def test_missing_names_an_order_that_no_run_has_shown() -> None:
    [litmus] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    outcomes = list(allowed_outcomes(litmus.program).outcomes.values())
    for outcome in outcomes:
        others = [other for other in outcomes if other != outcome]
        text = missing(outcome, others)
        assert text is not None
        assert parse(text).holds(outcome)
        assert not any(parse(text).holds(other) for other in others)


@pytest.mark.usefixtures("starts_a_browser")
def test_chromium_shows_a_timer_between_a_callback_and_its_result() -> None:
    [litmus] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    found = allowed_outcomes(litmus.program)
    condition = parse('callback "t" before timer: timer')
    aborted = parse("call: rejected with AbortError")
    [wanted] = [one for one in found.outcomes.values() if condition.holds(one) and aborted.holds(one)]
    try:
        with make_product("chromium") as product:
            assert isinstance(product, BrowserProduct)
            [runs] = steer(litmus, product, found, [wanted], 4)
    except UnavailableError as error:
        pytest.fail(f"this test needs Chromium: {error}")
    assert runs.hits


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        # A timer comes before a result that is queued already.
        ("nested-execution/inner-aborted-by-the-outer", ["timer: timer before outer: rejected", "inner: fulfilled"]),
        # A timer leaves the event loop to the navigation that it waits for.
        (
            "observation-registration/accessor-of-a-frame-that-navigates",
            ["old or new: false before afterwards: false"],
        ),
        # A script is held between two calls until the first one is under way elsewhere.
        (
            "nested-execution/there-and-back",
            ['callback "inner" called with {from: "frame"} before callback "inner" called with {from: "top"}'],
        ),
    ],
)
def test_chromium_shows_what_no_run_without_steering_is_sure_to_show(name: str, conditions: list[str]) -> None:
    assert _steered_to(name, lambda outcome: all(parse(text).holds(outcome) for text in conditions))


@pytest.mark.usefixtures("starts_a_browser")
def test_chromium_gives_each_of_two_timers_of_one_name_its_turn() -> None:
    def ends_with_both(outcome: Outcome) -> bool:
        kinds = [next(key for key in entry if key != "in") for entry in outcome.logs["top"]]
        return kinds[-3:] == ["timer", "timer", "promise"]

    assert _steered_to("many-callers-one-tool/one-of-them-aborts", ends_with_both)


def _steered_to(name: str, is_meant: Callable[[Outcome], bool]) -> bool:
    """Return whether thirty runs at most for each outcome that is meant show one of them in Chromium, ten at a time.

    Ten are enough on a machine with time to spare. The runs to an outcome end with the first that shows it.
    """
    [litmus] = read_catalogue(FOLDER, [name])
    found = allowed_outcomes(litmus.program)
    aims = [outcome for outcome in found.outcomes.values() if is_meant(outcome)]
    assert aims
    try:
        with make_product("chromium") as product:
            assert isinstance(product, BrowserProduct)
            return any(
                runs.hits for _ in range(3) for runs in steer(litmus, product, found, aims, 10, until_shown=True)
            )
    except UnavailableError as error:
        pytest.fail(f"this test needs Chromium: {error}")


@pytest.mark.usefixtures("starts_a_browser")
def test_chromium_keeps_the_entries_of_a_frame_that_is_removed_while_it_is_held() -> None:
    [litmus] = read_catalogue(FOLDER, ["detach-execute/frame-removed-during-its-callback"])
    found = allowed_outcomes(litmus.program)
    conditions = [parse('callback "t" called'), parse("call: rejected")]
    [wanted] = [one for one in found.outcomes.values() if all(condition.holds(one) for condition in conditions)]
    try:
        with make_product("chromium") as product:
            assert isinstance(product, BrowserProduct)
            [runs] = steer(litmus, product, found, [wanted], 4)
    except UnavailableError as error:
        pytest.fail(f"this test needs Chromium: {error}")
    assert runs.hits
    assert all(run.outcome is None or run.outcome.canonical in found.outcomes for run in runs.observations)


@pytest.fixture
def few_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find few ways of a program, for products that follow none."""
    monkeypatch.setattr(steered, "ways", partial(ways, tries=20))


class _Cutting(BrowserProduct):
    """A product that shows nothing of a program, whose document ``frame`` may have gone in the middle of a task."""

    def __init__(self, cut: tuple[str, ...]) -> None:
        self._cut = cut

    def run(self, program: Program, timetable: Timetable | None = None) -> Observation:
        return Observation(Ending.OUTCOME, Outcome(), cut=self._cut)


@pytest.mark.usefixtures("few_ways")
@pytest.mark.parametrize(("cut", "ending"), [((), Ending.OUTCOME), (("frame",), Ending.ERROR)])
def test_outcome_from_which_entries_may_be_missing_is_none(cut: tuple[str, ...], ending: Ending) -> None:
    [litmus] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    found = allowed_outcomes(litmus.program)
    [wanted, *_] = found.outcomes.values()
    [runs] = steer(litmus, _Cutting(cut), found, [wanted], 1)
    [seen] = runs.observations
    assert seen.ending is ending
    assert (seen.outcome is None) == bool(cut)


class _ShowingLate(BrowserProduct):
    """A product whose first run shows nothing, and each later run a given outcome."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcomes = chain([Outcome()], repeat(outcome))

    def run(self, program: Program, timetable: Timetable | None = None) -> Observation:
        return Observation(Ending.OUTCOME, next(self._outcomes))


@pytest.mark.usefixtures("few_ways")
@pytest.mark.parametrize(("until_shown", "hits", "count"), [(False, [2, 3, 4, 5], 5), (True, [2], 2)])
def test_runs_to_an_outcome_end_when_it_was_shown_if_asked(until_shown: bool, hits: list[int], count: int) -> None:
    [litmus] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    found = allowed_outcomes(litmus.program)
    [wanted, *_] = found.outcomes.values()
    [runs] = steer(litmus, _ShowingLate(wanted), found, [wanted], 5, until_shown=until_shown)
    assert (runs.hits, len(runs.observations)) == (hits, count)


@pytest.mark.usefixtures("few_ways")
def test_runs_to_an_outcome_that_never_comes_are_all_made() -> None:
    [litmus] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    found = allowed_outcomes(litmus.program)
    [wanted, other, *_] = found.outcomes.values()
    [runs] = steer(litmus, _ShowingLate(other), found, [wanted], 5, until_shown=True)
    assert (runs.hits, len(runs.observations)) == ([], 5)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("register-notify/event-and-promise", "--outcome", "1"), "--outcome needs one test"),
        (("--product", "model"), "steer a browser"),
    ],
)
def test_wrong_usage_of_steering_is_told(arguments: tuple[str, ...], problem: str) -> None:
    result = CliRunner().invoke(command, ["steer", "abort-resolve/in-flight", *arguments])
    assert result.exit_code == 2
    assert problem in " ".join(result.output.split())


def test_total_of_steered_tests_counts_outcomes_that_came_and_those_that_came_at_once() -> None:
    tests = [
        {"steered": [{"hits": [1, 2], "runs": 2}, {"hits": [], "runs": 10}]},
        {"steered": [{"hits": [3], "runs": 3}]},
    ]
    assert steered_total(tests) == "steering has shown 2 of 3 outcomes, 1 in the first run; 15 runs"
