"""The suite in ``wpt_tests/webmcp``: its conventions, that no subtest is vacuous, and that a sample runs as expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modelcontext.judging.wpt.discovery import Test, find_tests
from modelcontext.judging.wpt.expectations import find, find_strays
from modelcontext.judging.wpt.results import FileStatus, SubtestStatus
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.suite import known_results
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.running.products import make_target
from modelcontext.spec.specification import load_algorithms

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "wpt_tests/webmcp"
PAGES = sorted(page for folder in ("imperative", "declarative") for page in SUITE.glob(f"{folder}/*.html"))

# The subtests of idlharness.js about itself and its input, which pass in every browser.
BOOKKEEPING = re.compile(
    r"idl_test (setup|validation)|.*: (original (interface|dictionary) defined|member names are unique)"
)

# Sections or definitions of index.bs that are not algorithms.
OTHER_ANCHORS = {"event-handlers", "event-interfaces", "tools-feature"}

# Few files with much in them: frames of other origins, popups, headers, a crash, and known failures.
SAMPLE = (
    "accessor.https.html",
    "execute-tool-frames.https.html",
    "execute-tool-result-symbol.https.html",
    "execute-tool-failures.https.html",
    "insecure-context.html",
    "permissions-policy-header.https.html",
)


def the_suite() -> list[Test]:
    return find_tests(ROOT / "wpt_tests", ["webmcp"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_follows_the_conventions(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    anchors = re.findall(r'<link rel="help" href="https://webmachinelearning\.github\.io/webmcp/#([\w-]+)">', text)
    assert anchors
    assert set(anchors) <= {algorithm.id for algorithm in load_algorithms()} | OTHER_ANCHORS
    assert re.search(r"<title>[^<]+</title>", text)
    assert "setTimeout" not in text
    assert "step_timeout" not in text
    assert "navigator.userAgent" not in text


def test_every_page_is_a_test() -> None:
    assert {test.path for test in the_suite()} >= {f"/webmcp/{page.parent.name}/{page.name}" for page in PAGES}


def test_every_expectation_names_a_test() -> None:
    known = known_results(ROOT / "wpt_tests/expectations/wpt-chromium.toml", make_target("chromium"))
    assert find_strays({test.path for test in the_suite()}, known) == []


@pytest.mark.usefixtures("starts_a_browser")
def test_every_subtest_fails_without_the_api() -> None:
    script = Path(__file__).parent / "without-the-api.js"
    with TestServer(checkout_tree(ROOT)) as server:
        results = run_tests(the_suite(), server, make_target("chromium", inject=[script]))
    assert not [result for result in results if not result.subtests]
    vacuous = [
        (result.test, subtest)
        for result in results
        for subtest in result.subtests
        if subtest.status is not SubtestStatus.FAIL
        and not ("idlharness" in result.test and BOOKKEEPING.fullmatch(subtest.name))
    ]
    assert not vacuous


@pytest.mark.usefixtures("starts_a_browser")
def test_sample_is_as_expected() -> None:
    known = known_results(ROOT / "wpt_tests/expectations/wpt-chromium.toml", make_target("chromium"))
    sample = find_tests(ROOT / "wpt_tests", [f"webmcp/imperative/{name}" for name in SAMPLE])
    with TestServer(checkout_tree(ROOT)) as server:
        results = run_tests(sample, server, make_target("chromium"))
    assert [str(finding) for finding in find(results, known)] == []
    by_name = {result.test.rpartition("/")[2]: result for result in results}
    assert by_name["execute-tool-result-symbol.https.html"].status is FileStatus.CRASH
    subtests = by_name["execute-tool-failures.https.html"].subtests
    name = "A callback that resolves with undefined, which has no JSON text, is an UnknownError"
    assert [one.status for one in subtests if one.name == name] == [SubtestStatus.FAIL]
