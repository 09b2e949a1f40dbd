"""``modelcontext spec try``: the outcomes that come and go with another text, and the steps that are not clear in it."""

from __future__ import annotations

import json
import subprocess
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.people.cli.spec import command
from modelcontext.programs.program.outcome import Outcome
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext_prose.explained import ExplainingIssue, outdated, read_explanations
from modelcontext_prose.trial import ChangedOutcome, Trial
from tests.small_programs import LISTS, REGISTERS

if TYPE_CHECKING:
    from modelcontext.programs.program.exploration import Exploration
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / CURRENT.text).read_text(encoding="utf-8")
STEP = "1. If |name|'s [=string/length=] is greater than 128, then return false."
LINE = TEXT[: TEXT.index(STEP)].count("\n") + 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, takes_long: None) -> Path:
    """Make a folder of programs and patches the working directory."""
    (tmp_path / "registers.toml").write_text(REGISTERS, encoding="utf-8")
    (tmp_path / "lists.toml").write_text(LISTS, encoding="utf-8")
    for name, step in (
        ("shorter", STEP.replace("128", "3")),
        ("none", STEP.replace("128", "0")),
        ("unknown", "1. Frobnicate |name|."),
        ("same", STEP + " "),
    ):
        lines = unified_diff(TEXT.splitlines(), TEXT.replace(STEP, step).splitlines(), lineterm="")
        (tmp_path / f"{name}.patch").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tried(*arguments: str) -> Result:
    result = CliRunner().invoke(command, ["try", *arguments, "--workers", "1"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert REVISIONS.stand_ins == {}
    return result


def test_patch_shows_the_outcomes_that_come_and_go_with_the_steps_and_a_command(folder: Path) -> None:
    del folder
    result = tried("shorter.patch", "registers.toml", "lists.toml")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "with gloss shorter.patch: 1 line" in lines[0]
    assert lines[1] == ("changed: valid-tool-name 2 reworded: If name's length is greater than 3, then return false.")
    assert lines[2:5] == [
        "2 programs: 1 with other outcomes, 1 with the same, 0 without a result",
        "chromium deviates now in 1 program",
        "polyfill deviates now in 1 program",
    ]
    assert lines[5:8] == [
        "registers.toml: A page registers a tool.",
        "  ~ 1 outcome:",
        "      registerTool: rejected with InvalidStateError, instead of: registerTool: fulfilled with undefined",
    ]
    assert lines[8] == "    + its run takes valid-tool-name 2. If name's length is greater than 3, then return false."
    assert lines[9] == "    + modelcontext trace registers.toml --text shorter.patch"
    assert (
        lines[10] == "    - its run takes valid-tool-name 2. If name's length is greater than 128, then return false."
    )
    assert lines[11].startswith("    - modelcontext trace registers.toml")
    assert lines[12:] == ["  chromium deviates now", "  polyfill deviates now"]


def test_copy_of_a_step_at_another_place_is_named_as_new(folder: Path) -> None:
    (folder / "again.patch").write_text(
        "  dom-modelcontext-registertool\n  21. Let title be …\n"
        "+ 22. If |tool owner| is not [=Document/fully active=], then return [=a promise rejected with=] an\n"
        '      "{{InvalidStateError}}" {{DOMException}}.\n',
        encoding="utf-8",
    )
    result = tried("again.patch", "registration/removed-by-its-schema")
    assert (
        "    + its run takes dom-modelcontext-registertool 22. If tool owner is not fully active, then return"
        in result.stdout
    )
    assert "by dom-modelcontext-registertool 3." not in result.stdout


def test_step_that_moves_is_named_with_both_numbers_and_its_words(folder: Path) -> None:
    before, name = STEP, "1. If |name| is the empty string, then return false.\n"
    assert name + before in TEXT
    (folder / "moved.bs").write_text(TEXT.replace(name + before, f"{before}\n{name.rstrip()}"), encoding="utf-8")
    result = tried("moved.bs", "lists.toml")
    assert result.stdout.splitlines()[1] == (
        "changed: valid-tool-name 1 moved to 2: If name is the empty string, then return false."
    )


def test_text_that_only_looks_different_changes_nothing(folder: Path) -> None:
    del folder
    result = tried("same.patch", "registers.toml", "lists.toml")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (
        0,
        ["2 programs: 0 with other outcomes, 2 with the same, 0 without a result"],
    )


def test_step_without_a_meaning_is_listed_and_told_for_the_programs_that_reach_it(folder: Path) -> None:
    del folder
    result = tried("unknown.patch", "registers.toml", "lists.toml", "--json")
    assert result.exit_code == 2
    data = json.loads(result.stdout)
    [unclear] = data["unclear"]
    assert f"index.bs:{LINE}:4: valid-tool-name 2 has no meaning" in unclear
    [program] = data["programs"].values()
    assert (program["come"], program["gone"], program["lost"], program["issue"]) == ([], [], unclear, None)
    assert data["tried"] == 2


def test_defect_of_the_compiler_loses_one_program_and_not_the_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del folder

    def explore(program: Program, *, bound: int, revision: Revision) -> Exploration:
        raise TypeError("no argument is given")

    monkeypatch.setattr("modelcontext_prose.trial.allowed_outcomes", explore)
    result = tried("shorter.patch", "registers.toml", "lists.toml")
    assert result.exit_code == 2
    assert "  nothing is known: TypeError: no argument is given" in result.stdout
    assert "2 programs: 0 with other outcomes, 1 with the same, 1 without a result" in result.stdout.splitlines()


def test_family_stands_for_its_programs_and_litmus_tests(folder: Path) -> None:
    del folder
    data = json.loads(tried("same.patch", "abort-resolve", "results/undefined", "--json").stdout)
    assert data["tried"] == 1 + len(list((ROOT / "wpt_tests/litmus/abort-resolve").glob("*.toml")))


@pytest.mark.parametrize(
    ("name", "hint"),
    [("cancelation", '(did you mean "cancellation"?)'), ("zzz", "the families are abort-complete, abort-resolve, ")],
)
def test_unknown_family_names_the_nearest_one_or_all(folder: Path, name: str, hint: str) -> None:
    del folder
    result = tried("same.patch", name)
    assert result.exit_code == 2
    assert f'there is no program and no family "{name}"' in result.stderr
    assert hint in result.stderr


def test_text_that_cannot_be_read_is_one_line(folder: Path) -> None:
    (folder / "own.bs").write_text("words", encoding="utf-8")
    result = tried("own.bs", "lists.toml")
    assert (result.exit_code, result.stderr) == (
        3,
        "modelcontext: own.bs: this is not Bikeshed source: it has no <pre class=metadata>; nor is it a page of HTML\n",
    )


def known(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_differences_that_issues_explain_are_known(folder: Path) -> None:
    table = known(folder / "known.toml", '[[issue]]\nnumber = 50\nprograms = ["regi*.toml"]\n')
    result = tried("shorter.patch", "registers.toml", "lists.toml", "--known", table)
    assert result.exit_code == 0
    assert "registers.toml: known, Issue 50" in result.stdout
    table = known(folder / "known.toml", '[[issue]]\nnumber = 60\nsteps = ["valid-tool-name 2"]\n')
    assert tried("unknown.patch", "registers.toml", "--known", table).exit_code == 0
    table = known(folder / "known.toml", '[[issue]]\nnumber = 60\nsteps = ["valid-tool-name 2.1", "valid-tool-name"]\n')
    assert tried("unknown.patch", "registers.toml", "--known", table).exit_code == 0
    table = known(folder / "known.toml", '[[issue]]\nnumber = 60\nsteps = ["tool-name 2", "valid-tool-name 20"]\n')
    assert tried("unknown.patch", "registers.toml", "--known", table).exit_code == 2


def test_row_that_explains_nothing_is_outdated() -> None:
    explanations = [
        ExplainingIssue(50, (), ("listing/sorted", "listing/members")),
        ExplainingIssue(60, ("a-step 1",), ()),
    ]
    changed = {"listing/sorted": Trial(come=(ChangedOutcome(Outcome(), (), ()),)), "listing/members": Trial(lost="b 1")}
    assert list(outdated(changed, explanations)) == [
        "Issue 50: listing/members has no other outcomes any more",
        "Issue 60: no program ends at a-step 1 any more",
    ]


def test_wrong_table_of_issues_is_one_line(folder: Path) -> None:
    result = tried("same.patch", "lists.toml", "--known", known(folder / "known.toml", "[[issue]]\nnumber = 0\n"))
    assert (result.exit_code, result.stderr) == (
        2,
        f"modelcontext: {folder / 'known.toml'}: issue[0].number: a whole number from 1 to 10000 is needed here, not 0\n",
    )


def test_table_about_the_published_text_names_issues_of_the_text() -> None:
    numbers = {one.number for one in read_explanations(ROOT / "spec" / "published.toml")}
    assert {number for number in numbers if f"id=issue-{number}>" not in TEXT} == set()


def committed(folder: Path, *texts: str) -> Path:
    """Return a bare repository in which each commit has one of the texts."""
    work = folder / "work"
    work.mkdir()
    identity = ["-c", "user.name=a", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false"]

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(work), *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    for number, text in enumerate(texts):
        (work / "index.bs").write_text(text, encoding="utf-8")
        git("add", ".")
        git("commit", "-qm", f"Change {number}", "--date", f"2026-0{number + 1}-01T12:00:00")
    git("clone", "-q", "--bare", str(work), str(folder / "bare.git"))
    return folder / "bare.git"


def test_history_of_a_bare_repository_is_a_table_by_outcomes(folder: Path) -> None:
    bare = committed(
        folder,
        "no text",
        TEXT,
        TEXT.replace(STEP, STEP + "\n"),
        TEXT.replace(STEP, STEP.replace("128", "3")),
        TEXT.replace(STEP, "1. Frobnicate |name|."),
        TEXT,
    )
    result = tried("--commits", str(bare), "index.bs", "registers.toml", "lists.toml")
    assert result.exit_code == 1
    header, *rows = result.stdout.splitlines()
    assert header.split() == ["commit", "date", "steps", "algorithms", "changed", "first", "without", "title"]
    cells = [row.split()[1:7] for row in rows if "Change" in row]
    every = cells[0][1]
    assert len(set(every.split("/"))) == 1
    assert cells == [
        ["2026-06-01", every, cells[0][2], "0", "1", "0"],
        ["2026-05-01", f"{int(every.split('/')[0]) - 1}/{every.split('/')[1]}", cells[1][2], "0", "0", "1"],
        ["2026-04-01", every, cells[0][2], "1", "0", "0"],
        ["2026-03-01", every, cells[0][2], "0", "0", "0"],
        ["2026-02-01", every, cells[0][2], "-", "-", "0"],
        ["2026-01-01", "-", "-", "-", "-", "-"],
    ]
    assert "changed: registers.toml" in result.stdout
    assert "not Bikeshed source" in result.stdout
    data = json.loads(tried("--commits", str(bare), "--last", "3", "index.bs", "registers.toml", "--json").stdout)
    newest, lost, changed = data["commits"]
    data = json.loads(
        tried("--commits", str(bare), "--range", "HEAD~3..HEAD~2", "index.bs", "registers.toml", "--json").stdout
    )
    assert [one["title"] for one in data["commits"]] == ["Change 3"]
    refused = tried("--commits", str(bare), "--range", "none..HEAD", "index.bs", "registers.toml")
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
    assert (newest["found"], lost["lost"], changed["changed"]) == (["registers.toml"],) * 3


def test_history_of_a_folder_of_dated_texts_ends_with_the_own_text(folder: Path) -> None:
    texts = folder / "texts"
    texts.mkdir()
    (texts / "2026-02-01-abcdef0.bs").write_text(TEXT, encoding="utf-8")
    (texts / "2026-01-01.bs").write_text(TEXT.replace(STEP, STEP.replace("128", "3")), encoding="utf-8")
    (texts / "notes.bs").write_text("no text", encoding="utf-8")
    found = json.loads(tried("--commits", str(texts), "index.bs", "registers.toml", "--json").stdout)["commits"]
    assert [(one["commit"], one["date"], one["title"]) for one in found] == [
        ("own", "", "index.bs"),
        ("abcdef0", "2026-02-01", "2026-02-01-abcdef0.bs"),
        ("", "2026-01-01", "2026-01-01.bs"),
    ]
    assert [one["changed"] for one in found] == [[], ["registers.toml"], None]
    [newest] = json.loads(tried("--commits", str(texts), "--last", "1", "index.bs", "registers.toml", "--json").stdout)[
        "commits"
    ]
    assert (newest["commit"], newest["changed"]) == ("own", [])
    refused = tried("--commits", str(texts), "--range", "a..b", "index.bs", "registers.toml")
    assert (refused.exit_code, refused.stderr) == (
        2,
        f"modelcontext: {texts} has texts and no commits: leave --range out\n",
    )


def test_history_of_a_folder_without_one_is_one_line(folder: Path) -> None:
    result = tried("--commits", str(folder))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"modelcontext: {folder}: not a git repository")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name the other text, or a repository with --commits"),
        (["index.bs", "--last", "3"], "--last and --range go with --commits"),
        (["index.bs", "--range", "a..b"], "--last and --range go with --commits"),
        (["--commits", ".", "--properties"], "need one text"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: list[str], message: str) -> None:
    result = tried(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_text_that_the_editor_has_just_changed_is_compared_with_the_last_commit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del folder
    monkeypatch.setattr("modelcontext_prose.trying.committed", lambda path: TEXT.replace("128", "127"))
    lines = tried(str(ROOT / CURRENT.text), "lists.toml").stdout.splitlines()
    assert lines[1].startswith("changed: valid-tool-name 2 reworded: If name's length is greater than 128")


def test_text_with_many_changes_ends_their_list_with_a_number(folder: Path) -> None:
    (folder / "other.bs").write_text(TEXT.replace("then return", "then, return"), encoding="utf-8")
    lines = [line for line in tried("other.bs", "lists.toml").stdout.splitlines() if line.startswith("changed: ")]
    assert len(lines) == 31
    assert lines[-1].startswith("changed: and ")


def test_properties_of_clients_that_change_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del folder
    name, client = next(iter(CLIENTS.items()))
    adversary = next(iter(adversaries().items()))
    monkeypatch.setattr("modelcontext.judging.clients.catalogue.CLIENTS", {name: client})
    monkeypatch.setattr("modelcontext.judging.clients.adversaries.adversaries", lambda: dict([adversary]))
    result = tried("none.patch", "lists.toml", "--properties")
    assert result.exit_code == 1
    assert f"property: {name}: " in result.stdout
    same = tried("same.patch", "lists.toml", "--properties", "--json")
    assert (same.exit_code, json.loads(same.stdout)["properties"]) == (0, [])
