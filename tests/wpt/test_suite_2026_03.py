"""The suite in ``wpt_tests/webmcp-2026-03``: its conventions, and that it is neither vacuous nor stricter than the text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modelcontext.judging.wpt.discovery import Test, find_tests
from modelcontext.judging.wpt.expectations import find_strays
from modelcontext.judging.wpt.results import FileStatus, Result, SubtestStatus
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.suite import SUITES, known_results
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.running.products import make_target
from modelcontext.spec.specification import load_algorithms

ROOT = Path(__file__).resolve().parents[2]
REVISION = "2026-03"
SUITE = ROOT / "wpt_tests" / SUITES[REVISION]
PAGES = sorted(SUITE.rglob("imperative/*.html"))

# Definitions of the text that are not algorithms.
OTHER_ANCHORS = {"dictdef-toolannotations", "navigator-associated-modelcontext"}

# The subtests of idlharness.js about its input, which pass in every browser.
BOOKKEEPING = re.compile(r"idl_test (setup|validation)|.*: (original interface defined|member names are unique)")


def the_suite() -> list[Test]:
    return find_tests(ROOT / "wpt_tests", [SUITES[REVISION]])


def run_with(script: str) -> list[Result]:
    """Return the results in Chromium, which lacks this revision, with a script before those of the page."""
    target = make_target("chromium", inject=[Path(__file__).parent / script])
    with TestServer(checkout_tree(ROOT, REVISION)) as server:
        return run_tests(the_suite(), server, target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_follows_the_conventions(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r'<link rel="help" href="([^"]+)">', text)
    anchors = {link.partition("#")[2] for link in links}
    assert links
    assert {(page.parent / link.partition("#")[0]).resolve() for link in links} == {ROOT / "spec/2026-03/index.bs"}
    assert anchors <= {algorithm.id for algorithm in load_algorithms(REVISION)} | OTHER_ANCHORS
    assert re.search(r"<title>[^<]+</title>", text)
    assert "setTimeout" not in text
    assert "step_timeout" not in text
    assert "navigator.userAgent" not in text
    # Firefox has these besides the revision.
    assert "getTools" not in text
    assert "invokeTool" not in text


def test_every_page_is_a_test() -> None:
    assert {test.path for test in the_suite()} >= {f"/webmcp-2026-03/imperative/{page.name}" for page in PAGES}


@pytest.mark.parametrize("product", ["firefox", "page-2026-03"])
def test_every_expectation_names_a_test(product: str) -> None:
    known = known_results(ROOT / f"wpt_tests/expectations/wpt-{product}.toml", make_target(product))
    assert known
    assert find_strays({test.path for test in the_suite()}, known) == []


@pytest.mark.usefixtures("starts_a_browser")
def test_every_subtest_passes_with_an_implementation_of_the_text() -> None:
    results = run_with("implementation-2026-03.js")
    assert [(result.test, result.message) for result in results if result.status is not FileStatus.OK] == []
    subtests = [(result.test, subtest) for result in results for subtest in result.subtests]
    assert [one for one in subtests if one[1].status is not SubtestStatus.PASS] == []
    assert len(subtests) > 300


@pytest.mark.usefixtures("starts_a_browser")
def test_every_subtest_fails_without_the_api() -> None:
    results = run_with("without-the-api.js")
    assert not [result for result in results if not result.subtests]
    vacuous = [
        (result.test, subtest)
        for result in results
        for subtest in result.subtests
        if subtest.status is not SubtestStatus.FAIL
        and not ("idlharness" in result.test and BOOKKEEPING.fullmatch(subtest.name))
    ]
    assert not vacuous
