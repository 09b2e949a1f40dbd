"""Product ``firefox``, with the programs of the revision 2026-03 and the expectations about its deviations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.expectations import load_expectations, vocabulary
from modelcontext.judging.conformance.run import run_corpus
from modelcontext.programs.program.reading import from_data
from modelcontext.running.products import Ending, ProductOptions, make_product, make_target
from modelcontext.running.products.browser_product import BrowserProduct

TESTS = Path(__file__).resolve().parents[2] / "wpt_tests"
CASES = read_corpus(TESTS / "programs-2026-03")
KNOWN = load_expectations(TESTS / "expectations-2026-03" / "firefox.toml", vocabulary("firefox", "2026-03"))


@pytest.fixture
def firefox() -> Iterator[BrowserProduct]:
    try:
        with BrowserProduct(make_target("firefox")) as running:
            yield running
    except UnavailableError as error:
        # Unlike Chromium, Firefox with the API is not available for every system; Debian has one.
        pytest.skip(f"NOTRUN: {error}")


def test_every_expectation_names_a_program() -> None:
    assert set(KNOWN) <= {case.name for case in CASES}


def test_missing_binary_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="no/firefox, which does not exist"):
        make_product("firefox", ProductOptions(binary="/no/firefox")).launch()


def test_program_of_another_revision_is_an_error(chromium: BrowserProduct) -> None:
    observation = chromium.run(CASES[0].program)
    assert observation.ending is Ending.ERROR
    assert observation.detail == "chromium implements the revision current; the program is for 2026-03"


@pytest.mark.usefixtures("starts_a_browser")
def test_deviations_of_firefox_are_expected() -> None:
    report = run_corpus(CASES, [make_product("firefox")], {"firefox": KNOWN})
    if report.unavailable:
        pytest.skip(f"NOTRUN: {report.unavailable['firefox']}")
    assert report.surprises == []
    assert report.unsound == []


@pytest.mark.usefixtures("starts_a_browser")
def test_each_event_loop_has_its_log(firefox: BrowserProduct) -> None:
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
