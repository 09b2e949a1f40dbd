"""Product ``firefox``: its programs are those of the revision 2026-03, and what it does otherwise is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from modelcontext.conformance.corpus import read_corpus
from modelcontext.conformance.expectations import load_expectations
from modelcontext.conformance.run import run_corpus
from modelcontext.problems import UnavailableError
from modelcontext.products import Ending
from modelcontext.products.chromium import Chromium
from modelcontext.products.firefox import Firefox
from modelcontext.program.reading import from_data
from modelcontext.specification import load_algorithms

TESTS = Path(__file__).resolve().parents[2] / "wpt_tests"
CASES = read_corpus(TESTS / "programs-2026-03")
STEPS = {f"{algorithm.id} {step.number}" for algorithm in load_algorithms("2026-03") for step in algorithm.steps}
KNOWN = load_expectations(TESTS / "expectations-2026-03" / "firefox.toml", STEPS)


@pytest.fixture
def firefox() -> Iterator[Firefox]:
    try:
        with Firefox() as running:
            yield running
    except UnavailableError as error:
        # Unlike Chromium there is no Firefox with the API for every system; Debian has one.
        pytest.skip(f"NOTRUN: {error}")


def test_every_expectation_is_about_a_program() -> None:
    assert set(KNOWN) <= {case.name for case in CASES}


def test_a_browser_that_is_not_there() -> None:
    with pytest.raises(UnavailableError, match="no/firefox, which is no program that can be run"):
        Firefox("/no/firefox").launch()


def test_a_browser_runs_no_program_of_a_revision_that_it_does_not_implement(chromium: Chromium) -> None:
    observation = chromium.run(CASES[0].program)
    assert observation.ending is Ending.ERROR
    assert observation.detail == "chromium implements the revision current; the program is of 2026-03"


def test_what_it_does_otherwise_is_known() -> None:
    report = run_corpus(CASES, [Firefox()], {"firefox": KNOWN})
    if report.unavailable:
        pytest.skip(f"NOTRUN: {report.unavailable['firefox']}")
    assert report.surprises == []
    assert report.unsound == []


def test_the_log_of_two_event_loops(firefox: Firefox) -> None:
    program = from_data(
        {
            "title": "made",
            "revision": "2026-03",
            "documents": {"other": {"parent": "top", "origin": "B"}, "plain": {"parent": "top", "origin": "insecure"}},
            "script": {
                "top": [{"do": "tell", "to": "other", "message": "go"}],
                "other": [{"do": "waitFor", "message": "go"}, {"do": "log", "value": "{B}"}],
                "plain": [{"do": "log", "value": {"$origin": "plain"}}],
            },
        }
    )
    observation = firefox.run(program)
    assert observation.outcome is not None, observation.detail
    assert {name: list(log) for name, log in observation.outcome.logs.items()} == {
        "other": [{"in": "other", "log": "{B}"}],
        "plain": [{"in": "plain", "log": "{insecure}"}],
    }
