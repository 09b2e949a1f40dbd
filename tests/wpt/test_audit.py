"""The audit: tests on trial against the text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from modelcontext.ground.checkout import project_root
from modelcontext.judging.wpt.audit import Auditor, Evidence, Gathered, Judgment, Ruling, Seen, gather, judging
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.simulated_session import Schedule, schedules
from modelcontext.judging.wpt.tree import Tree, checkout_tree
from modelcontext.people.cli.audit import command, known_issues
from modelcontext.people.reports.audit import AuditReport, as_html
from modelcontext.running.products import make_target
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = project_root()
FIFO = Schedule()
PASS = Seen("PASS")


def _judged(evidence: Evidence) -> Judgment:
    return Auditor(checkout_tree(ROOT), REVISIONS["current"]).judgment_on(evidence)


def _failing(message: str, **products: Seen) -> Evidence:
    seen = Seen("FAIL", message, "at https://web-platform.test:8443/webmcp/imperative/toolchange.https.html:20:3")
    return Evidence("/webmcp/imperative/toolchange.https.html", "s", {FIFO: seen, Schedule(1): seen}, products)


def test_subtest_that_passes_under_some_schedules_relies_on_an_order() -> None:
    judgment = _judged(Evidence("/a.html", "s", {FIFO: PASS, Schedule(3): Seen("FAIL", "no")}))
    assert judgment.verdict is Ruling.ORDER
    assert judgment.reason == (
        "It passes first in, first out, and fails with seed 3: FAIL: no. It passes under 1 of 2 schedules."
    )


def test_subtest_that_fails_everywhere_in_the_same_way_contradicts_the_text() -> None:
    judgment = _judged(_failing("expected 1 but got 2", page=Seen("FAIL", "expected 1 but got 2")))
    assert judgment.verdict is Ruling.CONTRADICTS
    assert judgment.place == "/webmcp/imperative/toolchange.https.html:20"


def test_subtest_that_passes_on_product_page_agrees_with_the_text() -> None:
    judgment = _judged(_failing("Worker is not defined", page=PASS, chromium=PASS))
    assert judgment.verdict is Ruling.AGREES
    assert "It passes on product page" in judgment.reason


def test_subtest_that_a_browser_alone_fails_agrees_with_the_text_and_names_the_browser() -> None:
    judgment = _judged(Evidence("/a.html", "s", {FIFO: PASS}, {"page": PASS, "chromium": Seen("FAIL", "no")}))
    assert (judgment.verdict, judgment.names) == (Ruling.DIFFERS, ("chromium",))


@pytest.mark.parametrize(
    ("message", "products", "verdict", "names"),
    [
        (
            "document.modelContext.provideContext is not a function",
            {},
            Ruling.NEEDS,
            ("document.modelContext.provideContext",),
        ),
        ("document.modelContext.clear is not a function", {}, Ruling.NEEDS, ("document.modelContext.clear",)),
        ("ToolQueue is not defined", {}, Ruling.NEEDS, ("ToolQueue",)),
        ("Worker is not a constructor", {}, Ruling.UNDECIDED, ("Worker",)),
        ("x is not defined", {"page": Seen("FAIL", "x is not defined")}, Ruling.NEEDS, ("x",)),
        ("Worker is not defined", {"page": Seen("FAIL", "tool.undo is not a function")}, Ruling.NEEDS, ("tool.undo",)),
    ],
)
def test_member_that_the_text_does_not_have_is_told_from_what_the_simulated_browser_lacks(
    message: str, products: Mapping[str, Seen], verdict: Ruling, names: tuple[str, ...]
) -> None:
    judgment = _judged(_failing(message, **products))
    assert (judgment.verdict, judgment.names) == (verdict, names)


def test_precondition_that_fails_is_a_need() -> None:
    seen = Seen("PRECONDITION_FAILED", "assert_implements: no undo")
    judgment = _judged(Evidence("/a.html", "s", {FIFO: seen}, {"page": seen}))
    assert (judgment.verdict, judgment.names) == (Ruling.NEEDS, ("no undo",))


def test_subtest_that_was_never_reached_is_undecided() -> None:
    assert _judged(Evidence("/a.html", "s", {})).verdict is Ruling.UNDECIDED


@pytest.mark.usefixtures("starts_a_browser")
def test_subtest_after_one_that_never_ends_is_judged_without_it(tmp_path: Path) -> None:
    folder = tmp_path / "webmcp"
    folder.mkdir()
    (folder / "a.https.html").write_text(
        """<!DOCTYPE html>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script>
promise_test(() => new Promise(() => {}), "It never ends");
promise_test(() => document.modelContext.getTools(), "It ends");
promise_test(() => document.modelContext.undo(), "It reaches for what is not there");
promise_test(async () => { const context = navigator.modelContext;
  navigator.modelContext.getTools(); }, "It reaches for another place");
</script>
"""
    )
    own = checkout_tree(ROOT)
    tree = Tree(tmp_path, own.files, own.folders)
    gathered = gather(find_tests(tmp_path, ["webmcp"]), tree, [], schedules(1))
    auditor = Auditor(tree, REVISIONS["current"])
    verdicts = {one.subtest: auditor.judgment_on(one) for one in gathered.evidence}
    assert verdicts["It never ends"].verdict is Ruling.CONTRADICTS
    assert verdicts["It never ends"].reason.endswith("It waits for something that never happens: no work was left.")
    assert verdicts["It ends"].verdict is Ruling.AGREES
    assert verdicts["It reaches for what is not there"].names == ("document.modelContext.undo",)
    assert verdicts["It reaches for another place"].names == ("navigator.modelContext",)


#: What a script does, with the name in the message of the engine: an engine that says it in other words fails the test.
LACKING = {
    "document.modelContext.undo()": "document.modelContext.undo",
    "new document.modelContext.Undo()": "document.modelContext.Undo",
    "undo": "undo",
    "document.modelContext.undo.redo": "redo",
    "document.elementsFromPoint(0, 0)": "document.elementsFromPoint",
}


@pytest.mark.usefixtures("starts_a_browser")
def test_engines_word_what_is_not_there_as_the_audit_reads_it(tmp_path: Path) -> None:
    (tmp_path / "webmcp").mkdir()
    subtests = [f"<script>promise_test(async () => {code}, {code!r});</script>" for code in LACKING]
    head = [f'<script src="/resources/{name}.js"></script>' for name in ("testharness", "testharnessreport")]
    (tmp_path / "webmcp/a.https.html").write_text("\n".join(["<!DOCTYPE html>", "<body>", *head, *subtests]))
    own = checkout_tree(ROOT)
    tree = Tree(tmp_path, own.files, own.folders)
    gathered = gather(find_tests(tmp_path, ["webmcp"]), tree, [make_target("chromium")], [FIFO])
    named, in_chromium = {}, {}
    for one in gathered.evidence:
        if one.subtest is not None:
            named[one.subtest] = name_in(one.simulated[FIFO].message or "")
            in_chromium[one.subtest] = name_in(one.products["chromium"].message or "")
    assert named == LACKING
    # Chromium has all of the platform.
    assert in_chromium == {**LACKING, "document.elementsFromPoint(0, 0)": None}


def name_in(message: str) -> str | None:
    """Return the name that one of the patterns of the audit finds in a message."""
    found = (pattern.search(message) for pattern in (*judging._NOT_THERE, judging._READ))
    return next((one["name"] for one in found if one is not None), None)


def test_page_of_an_audit_without_a_fault_says_so() -> None:
    evidence = Evidence("/a.html", "s", {FIFO: PASS})
    report = AuditReport(Gathered([evidence], {}, {}, [FIFO]), [_judged(evidence)], Path("/wpt"))
    page = as_html(report)
    assert "Wrong tests: 0 of 1." in page
    assert "under 1 schedule. The audit misses a test that fails only under other schedules" in page
    assert report.to_data()["counts"]["agrees"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--inject", __file__], "--inject replaces the API of the text"),
        (["--product", "firefox"], "firefox implements the revision 2026-03"),
    ],
)
def test_wrong_usage_is_one_clear_line(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert words in re.sub(r"\s+", " ", result.output)


WRITTEN_AS_ONE_FILE = """<!DOCTYPE html>
<body>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<form toolname="form" tooldescription="d"></form>
<script>
const context = document.modelContext;
const tool = (name) => ({ name, description: "d", execute: async () => "x" });
promise_test(async () => {
  await context.registerTool(tool("kept"));
}, "It passes, and its tool stays");
promise_test(async (t) => {
  const frame = document.createElement("iframe");
  t.add_cleanup(() => frame.remove());
  document.body.append(frame);
  await context.registerTool(tool("gone"), { signal: t.get_signal() });
}, "It cleans up");
promise_test(async () => {
  document.body.append(document.createElement("iframe"));
}, "A frame stays");
promise_test(async () => {
  const names = (await context.getTools()).map(({ name }) => name);
  assert_array_equals(names.filter((name) => name !== "form"), []);
}, "No tool is registered");
promise_test(async () => {
  await context.registerTool(tool("bare"));
  const one = (await context.getTools()).find(({ name }) => name === "bare");
  assert_equals(await context.executeTool(one, {}), "x");
}, "A string arrives bare");
promise_test(async () => {
  await context.registerTool(tool("bare"));
}, "The name is free");
promise_test(async () => {
  assert_equals(
    document.compatMode, "another"
  );
}, "It is about something else");
</script>
"""


@pytest.fixture(scope="module")
def judged_as_one_file(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    folder = tmp_path_factory.mktemp("tests")
    (folder / "webmcp").mkdir()
    (folder / "webmcp/a.https.html").write_text(WRITTEN_AS_ONE_FILE)
    own = checkout_tree(ROOT)
    tree = Tree(folder, own.files, own.folders)
    issues = [one for one in known_issues(ROOT) if one.number in (51, 77)]
    gathered = gather(find_tests(folder, ["webmcp"]), tree, [], schedules(1), issues=issues)
    auditor = Auditor(tree, REVISIONS["current"])
    return AuditReport(gathered, [auditor.judgment_on(one) for one in gathered.evidence], None)


def _of(report: AuditReport, subtest: str) -> Judgment:
    return next(one for one in report.judgments if one.evidence.subtest == subtest)


@pytest.mark.usefixtures("starts_a_browser")
def test_audit_names_the_subtest_that_leaves_a_tool_for_the_next_one_to_fail(judged_as_one_file: AuditReport) -> None:
    culprit = _of(judged_as_one_file, "It passes, and its tool stays")
    assert (culprit.verdict, culprit.names) == (Ruling.LEAVES, ("No tool is registered",))
    assert culprit.evidence.leaves == ('the tool "kept"',)
    victim = _of(judged_as_one_file, "No tool is registered")
    assert victim.verdict is Ruling.AGREES
    assert victim.reason.endswith('After "It passes, and its tool stays" it does not pass.')


@pytest.mark.usefixtures("starts_a_browser")
def test_audit_names_the_failing_subtest_whose_tool_another_one_meets(judged_as_one_file: AuditReport) -> None:
    culprit = _of(judged_as_one_file, "A string arrives bare")
    assert culprit.verdict is Ruling.CONTRADICTS
    assert culprit.evidence.breaks == ["The name is free"]
    assert _of(judged_as_one_file, "The name is free").verdict is Ruling.AGREES


@pytest.mark.usefixtures("starts_a_browser")
def test_audit_lists_what_stays_after_the_clean_up_of_each_subtest(judged_as_one_file: AuditReport) -> None:
    assert {one.evidence.subtest: one.evidence.leaves for one in judged_as_one_file.leaving} == {
        "It passes, and its tool stays": ('the tool "kept"',),
        "A frame stays": ("a frame of https://web-platform.test:8443",),
        "A string arrives bare": ('the tool "bare"',),
    }


@pytest.mark.usefixtures("starts_a_browser")
def test_assertion_about_something_else_does_not_contradict_the_text(judged_as_one_file: AuditReport) -> None:
    judgment = _of(judged_as_one_file, "It is about something else")
    assert judgment.verdict is Ruling.UNDECIDED
    assert judgment.reason.startswith("The assertion is about something else, because the subtest reaches no step")


@pytest.mark.usefixtures("starts_a_browser")
def test_audit_names_the_issue_whose_reading_makes_a_subtest_pass(judged_as_one_file: AuditReport) -> None:
    [words] = judged_as_one_file.issues(_of(judged_as_one_file, "A string arrives bare"))
    assert re.match(r'77, [^:]+: it passes with the reading "possible: ', words)
    assert words in as_html(judged_as_one_file).replace("&#34;", '"')


def test_sections_that_only_our_text_has_are_named() -> None:
    seen = Seen("FAIL", "no")
    evidence = Evidence("/a.html", "s", {FIFO: seen}, steps=["offers-a-tool 2", "dom-modelcontext-gettools 1"])
    judgment = Judgment(evidence, Ruling.CONTRADICTS, "It fails.")
    report = AuditReport(Gathered([evidence], {}, {}, [FIFO]), [judgment], None)
    assert report.own_sections(judgment) == (
        'the published text has no steps for "Forms that offer a tool"; only the text of this project has them'
    )


def test_failures_at_different_places_leave_a_subtest_undecided() -> None:
    at = "at https://web-platform.test:8443/webmcp/imperative/toolchange.https.html:30:3"
    judgment = _judged(_failing("expected 1 but got 2", page=Seen("FAIL", "expected 3 but got 4", at)))
    assert judgment.verdict is Ruling.UNDECIDED
    assert "one of the failures is about something else" in judgment.reason
