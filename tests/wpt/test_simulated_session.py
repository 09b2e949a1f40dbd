"""Tests in the simulated browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.ground.checkout import project_root
from modelcontext.hosts.scripting import process as engine
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import FileStatus
from modelcontext.judging.wpt.suite import known_results, run_suite
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.running.products import make_target

ROOT = project_root()
TARGET = make_target("simulated")
FILES = [
    "webmcp/imperative/exposure.https.html",
    "webmcp/imperative/insecure-context.html",
    "webmcp/imperative/permissions-policy-header.https.html",
    "webmcp/imperative/realms.https.html",
    "webmcp/imperative/same-document.https.html",
    "webmcp/imperative/toolactivated.https.html",
]


@pytest.mark.usefixtures("starts_a_browser")
def test_files_of_the_suite_have_the_expected_results_under_several_schedules() -> None:
    tree = checkout_tree(ROOT)
    known = known_results(ROOT / "wpt_tests/expectations/wpt-simulated.toml", TARGET)
    run = run_suite(find_tests(tree.root, FILES), tree, TARGET, known=known, sampled=2)
    assert run.findings == []
    assert [len(results) for results in run.rounds] == [len(FILES)] * 3
    assert sum(result.passed() for result in run.rounds[0]) > 50


@pytest.mark.usefixtures("starts_a_browser")
def test_subtest_that_depends_on_the_schedule_is_a_finding_with_both_schedules(tmp_path: Path) -> None:
    (tmp_path / "race.https.html").write_text(
        """<!DOCTYPE html>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script>
promise_test(async () => {
  const { modelContext } = document;
  const registered = modelContext.registerTool({ name: "t", description: "d", async execute() {} }).then(() => 1);
  assert_equals(await Promise.race([registered, modelContext.getTools().then(() => 2)]), 1);
}, "Registration comes first");
</script>
"""
    )
    tree = checkout_tree(ROOT)
    tree = type(tree)(tmp_path, tree.files, tree.folders)
    run = run_suite(find_tests(tmp_path, ["race.https.html"]), tree, TARGET, sampled=8)
    texts = [finding.text for finding in run.findings if finding.text.startswith("differs")]
    assert len(texts) == 1
    assert texts[0].startswith("differs by the schedule: PASS (first in, first out), FAIL (seed ")


def test_product_without_its_engine_is_notrun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    tree = checkout_tree(ROOT)
    run = run_suite(find_tests(tree.root, FILES[:1]), tree, TARGET)
    assert [result.status for result in run.results] == [FileStatus.NOTRUN]
    assert run.unavailable is not None
    assert run.unavailable.remedy == "pip install 'modelcontext[js]'"
