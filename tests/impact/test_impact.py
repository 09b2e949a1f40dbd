"""The impact of a changed text: steps, tests, deviations, the lint, and a git history."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelcontext.judging.coverage import Reach
from modelcontext.judging.impact import (
    Deviation,
    HistoryError,
    Record,
    impact_of,
    own_algorithms,
    read_deviations,
    read_history,
)
from modelcontext.people.cli.spec import command
from modelcontext.spec.revisions.registry import FILES
from modelcontext.spec.specification import load_algorithms

ROOT = Path(__file__).resolve().parents[2]

TEXT = """<pre class=metadata>
Title: A test
</pre>

<div algorithm>
To <dfn export id=go>go</dfn> given |x|:

1. If |x| is null, then return null.
1. Let |y| be |x|'s [=node navigable=].
1. If |y| is null, then return null.
1. Return |y|'s [=navigable/top-level traversable=].

</div>

<div algorithm>
To <dfn export id=stay>stay</dfn> given |x|:

1. Return |x|.

</div>
"""
TESTS = [
    Reach("programs", "early", frozenset({"go 1", "go 1 1 yes"})),
    Reach("programs", "late", frozenset({"go 1", "go 2", "go 3", "go 4"})),
    Reach("litmus", "race", frozenset({"stay 1"})),
    Reach("wpt", "page.html", frozenset({"go 3"})),
]
DEVIATIONS = [Deviation("quirk", "chromium: odd", "go 3"), Deviation("expectation", "firefox: other", "stay 1")]


@pytest.fixture
def record() -> Record:
    return Record(own_algorithms(TEXT, Path("x.bs")), TESTS, DEVIATIONS)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(command, ["impact", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_same_text_has_no_impact(record: Record) -> None:
    found = impact_of(TEXT, TEXT, record, Path("x.bs"))
    assert (found.changes, found.deviations, found.new_findings) == ([], [], [])


def test_reworded_step_names_its_tests_and_deviations(record: Record) -> None:
    changed = TEXT.replace("If |y| is null, then return null", "If |y| is null, then return false")
    found = impact_of(TEXT, changed, record, Path("x.bs"))
    [(change, steps)] = found.changes
    assert (change.kind, change.step, change.new_step, steps) == ("reworded", "3", "3", ["go 3"])
    assert found.tests == {"programs": ["late"], "litmus": [], "wpt": ["page.html"]}
    assert found.deviations == DEVIATIONS[:1]


def test_removed_step_brings_its_finding_of_the_lint(record: Record) -> None:
    changed = TEXT.replace("1. If |y| is null, then return null.\n", "")
    found = impact_of(TEXT, changed, record, Path("x.bs"))
    assert [(change.kind, change.step) for change, _ in found.changes] == [("removed", "3")]
    assert [one.rule for one in found.new_findings] == ["untested-null"]
    back = impact_of(changed, TEXT, record, Path("x.bs"))
    assert [one.rule for one in back.gone_findings] == ["untested-null"]


def test_added_step_counts_for_tests_that_come_past_it(record: Record) -> None:
    changed = TEXT.replace("1. Return |y|'s", "1. [=Assert=]: |x| is connected.\n1. Return |y|'s")
    found = impact_of(TEXT, changed, record, Path("x.bs"))
    [(change, steps)] = found.changes
    assert (change.kind, change.new_step, steps) == ("added", "4", ["go 3"])
    assert found.tests["programs"] == ["late"]


def test_added_step_does_not_inherit_the_tests_of_a_step_with_the_same_words(record: Record) -> None:
    changed = TEXT.replace("1. Return |y|'s", "1. If |x| is null, then return null.\n1. Return |y|'s")
    [(change, steps)] = impact_of(TEXT, changed, record, Path("x.bs")).changes
    assert (change.kind, change.new_step, steps) == ("added", "4", ["go 3"])


def test_change_that_our_text_does_not_have_is_unmatched(record: Record) -> None:
    before = TEXT.replace("id=go>go<", "id=run>run<").replace("|x|", "|z|").replace("|y|", "|w|")
    found = impact_of(before, before.replace("return null", "return false", 1), record, Path("x.bs"))
    assert [steps for _, steps in found.changes] == [[]]
    assert (found.unmatched, found.is_matched) == (1, False)
    assert impact_of(TEXT, TEXT, record, Path("x.bs")).is_matched


def test_method_has_one_id_whether_the_source_or_bikeshed_writes_it() -> None:
    algorithm = """<div algorithm>
The <dfn method for=ModelContext{id}>getTools()</dfn> method steps are:

1. Return null.

</div>
"""
    written, left = (
        own_algorithms(TEXT + algorithm.format(id=given), Path("x.bs"))[-1].id
        for given in (" id=dom-modelcontext-gettools", "")
    )
    assert written == left == "dom-modelcontext-gettools"


def test_step_that_links_elsewhere_is_a_change(record: Record) -> None:
    changed = TEXT.replace("[=navigable/top-level traversable=]", "[=container/top-level traversable=]")
    [(change, _)] = impact_of(TEXT, changed, record, Path("x.bs")).changes
    assert (change.kind, change.step) == ("relinked", "4")
    assert "[=container/top-level traversable=]" in (change.after or "")


def test_prose_that_demands_something_is_listed_and_a_note_is_not(record: Record) -> None:
    before = TEXT + "\nThe [=removing steps=] of a form withdraw its tool.\n\nNote: Nothing more.\n"
    after = before.replace("removing", "moving").replace("Nothing", "Something")
    found = impact_of(before, after, record, Path("x.bs"))
    assert [(one.kind, one.text) for one in found.prose] == [
        ("removed", "The removing steps of a form withdraw its tool."),
        ("added", "The moving steps of a form withdraw its tool."),
    ]
    assert (found.changes, found.is_change) == ([], True)


def test_changed_idl_is_told_and_its_line_breaks_are_not(record: Record) -> None:
    before = TEXT + "\n<pre class=idl>\ninterface A {};\n</pre>\n"
    assert (
        impact_of(before, before.replace("interface A {}", "interface A\n{}"), record, Path("x.bs")).is_change is False
    )
    assert impact_of(before, before.replace("interface A", "interface B"), record, Path("x.bs")).is_idl_changed


def test_removed_algorithm_concerns_all_its_tests(record: Record) -> None:
    changed = TEXT[: TEXT.index("<div algorithm>\nTo <dfn export id=stay>")]
    found = impact_of(TEXT, changed, record, Path("x.bs"))
    assert found.tests["litmus"] == ["race"]
    assert found.deviations == DEVIATIONS[1:]


def test_deviations_of_this_checkout_name_steps_of_the_text() -> None:
    steps = {
        revision: {f"{one.id} {step.number}" for one in load_algorithms(revision) for step in one.steps}
        for revision in FILES
    }
    for revision, known in steps.items():
        found = read_deviations(ROOT, revision)
        assert {one.kind for one in found} == {"expectation", "quirk", "finding"}
        assert {step for one in found for step in one.step.split(" / ")} <= known


def test_deviations_of_a_quirk_are_at_each_step_that_it_changes() -> None:
    found = {one.step for one in read_deviations(ROOT, "current") if one.name == "chromium_156: api-of-one-document"}
    assert found == {f"dom-modelcontext-{name} 3" for name in ("registertool", "gettools", "executetool")}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with our texts, one program and the litmus tests of one family."""
    root = tmp_path / "checkout"
    for name in ("spec", "wpt_tests/programs-2026-03", "wpt_tests/litmus/register-notify"):
        shutil.copytree(ROOT / name, root / name)
    (root / "wpt_tests/programs").mkdir()
    shutil.copy(ROOT / "wpt_tests/programs/execution/echo.toml", root / "wpt_tests/programs")
    shutil.copy(ROOT / "index.bs", root)
    return root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    old = TEXT.replace("1. If |y| is null, then return null.\n", "")
    for title, content in (("Begin", "no text"), ("Write", old), ("Test for null", TEXT)):
        (tmp_path / "index.bs").write_text(content, encoding="utf-8")
        git("add", ".")
        git("commit", "-q", "-m", title)
    return tmp_path


def test_history_has_each_commit_with_the_text_before_it(repository: Path) -> None:
    newest, middle, oldest = read_history(repository, Path("index.bs"), 10)
    assert [one.title for one in (newest, middle, oldest)] == ["Test for null", "Write", "Begin"]
    assert newest.before == middle.after
    assert oldest.before is None


def test_text_that_no_commit_has_is_an_error(repository: Path) -> None:
    with pytest.raises(HistoryError, match="no commit of HEAD has other"):
        read_history(repository, Path("other.bs"), 10)


def test_history_is_a_table_with_the_lint(repository: Path, checkout: Path) -> None:
    result = run("--commits", repository, "--root", checkout)
    assert result.exit_code == 1
    header, newest, middle, oldest = result.stdout.splitlines()
    assert header.split() == [
        "commit",
        "steps",
        "unmatched",
        "prose",
        "programs",
        "litmus",
        "test",
        "files",
        "deviations",
        "lint",
        "title",
    ]
    assert newest.split()[1:] == ["1", "1", "0", "-", "-", "-", "-", "+0", "-1", "Test", "for", "null"]
    assert "not Bikeshed source" in middle
    assert "the text is new" in oldest


@pytest.mark.usefixtures("takes_long")
def test_changed_text_names_the_tests_and_findings(checkout: Path) -> None:
    text = (ROOT / "index.bs").read_text(encoding="utf-8")
    other = checkout / "other.bs"
    other.write_text(text.replace("1. If |owner navigable| is null, then return.\n", ""), encoding="utf-8")
    result = run(other, "--root", checkout)
    assert result.exit_code == 1
    assert "notify-documents-of-a-tool-change step 3: removed" in result.stdout
    assert "litmus tests: register-notify/" in result.stdout
    assert "[untested-null]" in result.stdout
    assert list((checkout / "build/explored").glob("*.json"))
    data = json.loads(run(other, "--root", checkout, "--json").stdout)
    assert data["tests"]["programs"] == ["echo"]
    assert data["newFindings"][0]["rule"] == "untested-null"


def test_recording_of_another_revision_counts_for_nothing_unless_it_is_named(checkout: Path) -> None:
    other = checkout / "other.bs"
    text = (ROOT / "spec/2026-03/index.bs").read_text(encoding="utf-8")
    other.write_text(text.replace("1. If |tool map|", "1. Unless |tool map|", 1), encoding="utf-8")
    recording = checkout / "build" / "reached.json"
    recording.parent.mkdir()
    recording.write_text('{"revision": "current", "tests": {}}', encoding="utf-8")
    result = run(other, "--revision", "2026-03", "--root", checkout)
    assert result.exit_code in (0, 1)
    assert "warning: no test file is counted" in result.stderr
    assert run(other, "--revision", "2026-03", "--recorded", recording, "--root", checkout).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "name the changed text"),
        (["missing.bs"], 2, "cannot be read"),
        ([ROOT / "README.md"], 3, "not Bikeshed source"),
        (["--commits", "/"], 2, "not a git repository"),
        (["other.bs", "--last", "3"], 2, "--last needs --commits"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[object], code: int, message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("takes_long")
def test_own_text_is_compared_with_the_one_of_the_last_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = checkout / "index.bs"
    for arguments in (
        ("init", "-q"),
        ("add", "index.bs"),
        ("-c", "user.name=a", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false", "commit", "-qm", "Begin"),
    ):
        subprocess.run(["git", "-C", str(checkout), *arguments], check=True)
    monkeypatch.chdir(checkout)
    same = CliRunner().invoke(command, ["impact", str(text)])
    assert (same.exit_code, same.stdout) == (0, "no step is changed\n")
    content = text.read_text(encoding="utf-8")
    step = "1. Let |pending executions| be |traversable|'s"
    assert step in content
    text.write_text(
        content.replace(step, "1. Let |pending executions| be what is |traversable|'s", 1), encoding="utf-8"
    )
    changed = CliRunner().invoke(command, ["impact", str(text)])
    assert changed.exit_code == 1, changed.output
    assert "changes: 1, 1 reworded" in changed.stdout
    assert "+ Let pending executions be what is traversable's" in changed.stdout
