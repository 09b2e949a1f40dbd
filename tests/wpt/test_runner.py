"""The runner: every way in which a test can end, and the isolation of tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import foreign_tree
from modelcontext.running.products import make_target

if TYPE_CHECKING:
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.results import Result

OK = {
    "01-passes.https.html": "passes",
    "09-reloads.html": "after the reload",
    "10-frame-reports.html": "mine",
    "11-isolated.html": "alone",
    "12-isolated.html": "alone",
    "13-popup-closes.html": "a popup may close",
    "14-dialog.html": "a dialog does not hang",
    "15-any.any.html": "wrapped",
    "16-slow.html": "a slow server",
    "20-after.html": "after all that",
}

# The statuses of a smaller selection of tests, which still has every effect on a browser.
FEW = {
    "01-passes.https.html": "OK",
    "03-loops.html": "TIMEOUT",
    "04-closes-itself.html": "ERROR",
    "05-navigates-away.html": "ERROR",
    "12-isolated.html": "OK",
    "19-kills.html": "CRASH",
    "20-after.html": "OK",
    "21-cannot-be-served.sub.html": "ERROR",
}


def give_up_soon(test: Test) -> Test:
    """Shorten the patience with the test that keeps a processor busy until it is given up."""
    return replace(test, patience=1.0) if test.path.endswith("/03-loops.html") else test


@pytest.fixture(scope="module")
def results(foreign: Path, starts_a_browser: None) -> Mapping[str, Result]:
    # Long tests are given up as early as the others, before testharness.js does it.
    tests = [give_up_soon(replace(test, long=False)) for test in find_tests(foreign, ["nasty"])]
    heard: list[Result] = []
    with TestServer(foreign_tree(foreign)) as server:
        results = run_tests(tests, server, make_target("chromium"), workers=4, finished=heard.append)
    assert heard == results
    assert [result.test for result in results] == [test.path for test in tests]
    return {result.test.removeprefix("/nasty/"): result for result in results}


# A Firefox on a busy machine needs some seconds for a page.
@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize(("product", "workers", "patience"), [("chromium", 1, 10.0), ("firefox", 2, 30.0)])
def test_statuses_with_other_workers_and_products(foreign: Path, product: str, workers: int, patience: float) -> None:
    found = find_tests(foreign, [f"nasty/{name}" for name in FEW])
    tests = [give_up_soon(replace(test, patience=patience)) for test in found]
    with TestServer(foreign_tree(foreign)) as server:
        try:
            results = run_tests(tests, server, make_target(product), workers=workers)
        except UnavailableError as error:
            pytest.skip(f"NOTRUN: {error}")
    assert {result.test.removeprefix("/nasty/"): result.status for result in results} == FEW


@pytest.mark.parametrize("name", OK)
def test_passing_test_is_isolated_from_earlier_tests(results: Mapping[str, Result], name: str) -> None:
    assert results[name].statuses() == {None: "OK", OK[name]: "PASS"}


def test_crash_is_a_result(results: Mapping[str, Result]) -> None:
    assert results["02-crashes.https.html"].statuses() == {None: "CRASH"}


def test_test_that_kills_the_browser_is_found(results: Mapping[str, Result]) -> None:
    assert {name for name, result in results.items() if "browser crashed" in str(result.message)} == {"19-kills.html"}
    assert results["19-kills.html"].statuses() == {None: "CRASH"}


@pytest.mark.parametrize("name", ["17-waits-for-ever.html", "18-never-comes.html?pipe=trickle(d3600)"])
def test_test_without_an_answer_of_the_server_is_a_timeout(results: Mapping[str, Result], name: str) -> None:
    assert results[name].statuses() == {None: "TIMEOUT"}


def test_endless_loop_is_a_timeout(results: Mapping[str, Result]) -> None:
    assert results["03-loops.html"].statuses() == {None: "TIMEOUT"}
    assert results["03-loops.html"].message == "no result within 6 seconds"


def test_page_that_closes_itself_is_an_error(results: Mapping[str, Result]) -> None:
    assert results["04-closes-itself.html"].statuses() == {None: "ERROR"}
    assert results["04-closes-itself.html"].message == "the test closed its own page"


def test_page_that_navigates_away_is_an_error(results: Mapping[str, Result]) -> None:
    assert results["05-navigates-away.html"].statuses() == {None: "ERROR"}
    assert str(results["05-navigates-away.html"].message).startswith("the test navigated away, to http://")


def test_error_of_the_server_is_reported(results: Mapping[str, Result]) -> None:
    result = results["21-cannot-be-served.sub.html"]
    assert result.statuses() == {None: "ERROR"}
    path = "/nasty/21-cannot-be-served.sub.html"
    assert result.message == f"the server answered 500: {path}: {{{{fruit}}}} is not known"


def test_error_of_the_harness_keeps_its_subtests(results: Mapping[str, Result]) -> None:
    assert results["06-harness-error.html"].statuses() == {None: "ERROR", "fine": "PASS"}


def test_statuses_of_subtests_are_distinguished(results: Mapping[str, Result]) -> None:
    assert results["07-subtests.html"].statuses() == {
        None: "TIMEOUT",
        "passes": "PASS",
        "fails": "FAIL",
        "is optional": "PRECONDITION_FAILED",
        "times out": "TIMEOUT",
    }


def test_unmet_precondition_is_not_a_failure(results: Mapping[str, Result]) -> None:
    assert results["08-precondition.html"].statuses()[None] == "PRECONDITION_FAILED"


def test_screenshot_is_taken_of_unsound_pages(results: Mapping[str, Result]) -> None:
    pictured = {name: result.screenshot for name, result in results.items() if result.screenshot is not None}
    assert {picture[:3] for picture in pictured.values()} == {b"\xff\xd8\xff"}
    assert "07-subtests.html" in pictured
    # The page is gone, or does not draw.
    assert not set(pictured) & {*OK, "02-crashes.https.html", "03-loops.html", "04-closes-itself.html"}


@pytest.mark.usefixtures("starts_a_browser")
def test_injected_script_runs_before_those_of_the_page(foreign: Path, tmp_path: Path) -> None:
    script = tmp_path / "inject.js"
    script.write_text("localStorage.seen = 1;", encoding="utf-8")
    with TestServer(foreign_tree(foreign)) as server:
        tests = find_tests(foreign, ["nasty/12-isolated.html"])
        (result,) = run_tests(tests, server, make_target("chromium", inject=[script]))
    assert result.statuses() == {None: "OK", "alone": "FAIL"}
