"""``spec check`` on this checkout, and on copies with one change, which it must find."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.spec import command
from modelcontext.spec.revisions.registry import FILES, RevisionFiles
from modelcontext.spec.specification import SpecificationError, load_algorithms
from modelcontext.spec.specification.text.problems import Place, Problem
from modelcontext_prose.checking import check

ROOT = Path(__file__).resolve().parents[2]
R2026_03 = FILES["2026-03"]

Edit = Callable[[str, str, str], int]


EARLIER_API = "src/modelcontext/spec/revisions/r2026_03/api.py"
TOOLS = "src/modelcontext/spec/revisions/current/tools.py"
DICTIONARIES = "src/modelcontext/spec/revisions/current/dictionaries.py"
WEBIDL = "src/modelcontext/spec/revisions/current/modelcontext.webidl"
JSON = "src/modelcontext/spec/revisions/current/algorithms.json"


def line_of(root: Path, path: str, text: str) -> int:
    content = (root / path).read_text(encoding="utf-8")
    assert content.count(text) == 1
    return content[: content.index(text)].count("\n") + 1


def of_kind(problems: list[Problem], kind: str) -> list[Problem]:
    return [problem for problem in problems if problem.check == kind]


@pytest.mark.parametrize("revision", FILES.values(), ids=lambda revision: revision.name)
def test_text_and_code_of_this_checkout_agree(revision: RevisionFiles, built_texts: None) -> None:
    report = check(ROOT, revision)
    assert [str(problem) for problem in report.problems] == []
    assert report.algorithms == len(load_algorithms(revision.name))
    assert report.tags["TODO-STEP"] == 0


def test_changed_word_in_a_text_is_found_in_the_extract_and_in_the_code(checkout: Path, edit: Edit) -> None:
    edit("index.bs", "[=string/length=] is greater than 128", "[=string/length=] is greater than 127")
    problems = check(checkout).problems
    (extract,) = of_kind(problems, "extracts")
    assert extract.place == Place(Path(JSON), line_of(checkout, JSON, "length is greater than 128"))
    (code,) = of_kind(problems, "generated")
    assert code.place == Place(Path(TOOLS), line_of(checkout, TOOLS, "# 2. If name's length is greater than 128"))
    assert "    if code_unit_length(name) > 127:" in "".join(code.details)
    assert len(problems) == 2
    assert check(checkout, R2026_03).problems == []


def test_changed_word_in_an_earlier_text_is_found(checkout: Path, edit: Edit) -> None:
    edit("spec/2026-03/index.bs", "1. If |tool name| is the empty string,", '1. If |tool name| is "a",')
    problems = check(checkout, R2026_03).problems
    assert [problem.place.path for problem in problems] == [R2026_03.algorithms, Path(EARLIER_API)]
    assert all("differs from spec/2026-03/index.bs" in problem.message for problem in problems)
    assert check(checkout).problems == []


def test_code_changed_by_hand_is_found(checkout: Path, edit: Edit) -> None:
    line = edit(TOOLS, "        if url is None:\n", "        if not url:\n")
    (problem,) = check(checkout).problems
    assert (problem.check, problem.place) == ("generated", Place(Path(TOOLS), line))
    assert problem.details[1:] == ("-        if not url:", "+        if url is None:")


def test_step_that_is_not_understood_is_found_with_its_place(checkout: Path, edit: Edit) -> None:
    line = edit("index.bs", "1. Let |ids| be an empty [=list=].", "1. Frobnicate |ids|.")
    (problem,) = of_kind(check(checkout).problems, "meaning")
    assert (problem.algorithm, problem.step) == ("unloading-document-cleanup", "4.2")
    assert problem.place == Place(Path("index.bs"), line)


def test_issue_of_another_revisions_text_is_refused(checkout: Path, edit: Edit) -> None:
    edit("spec/2026-03/marks.toml", '3 = "these steps', '18 = "these steps')
    edit(EARLIER_API, "SPEC-BUG(#3)", "SPEC-BUG(#18)")
    (problem,) = check(checkout, R2026_03).problems
    assert problem.message.startswith("spec/2026-03/index.bs has no issue-18")


def test_changed_default_in_the_idl_is_found_in_both_extracts(checkout: Path, edit: Edit) -> None:
    line = edit("index.bs", "boolean consequentialHint = false;", "boolean consequentialHint = true;")
    problems = check(checkout).problems
    assert {problem.check for problem in problems} == {"extracts"}
    by_file = {problem.place.path.as_posix(): problem for problem in problems}
    idl, dictionaries = by_file[WEBIDL], by_file[DICTIONARIES]
    assert idl.place.line == line_of(checkout, WEBIDL, "consequentialHint")
    assert idl.text == Place(Path("index.bs"), line)
    assert dictionaries.place.line == line_of(checkout, DICTIONARIES, "consequential_hint")
    assert "+    consequential_hint: bool = True" in dictionaries.details


def test_extract_edited_by_hand_is_found(checkout: Path, edit: Edit) -> None:
    line = edit(DICTIONARIES, 'class ToolCancelEventInit:\n    """', 'class ToolCancelEventInit:\n    """Mine. ')
    (problem,) = check(checkout).problems
    assert (problem.check, problem.place) == ("extracts", Place(Path(DICTIONARIES), line + 1))


def test_missing_extract_is_found(checkout: Path) -> None:
    (checkout / WEBIDL).unlink()
    (problem,) = check(checkout).problems
    assert problem.place == Place(Path(WEBIDL))
    assert "run `modelcontext spec extract`" in problem.message


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# TODO: later", "the tag TODO: is unknown: use one of"),
        ("# FIXME: later", "the tag FIXME: is unknown: use one of"),
        ("# SPEC-BUG: which?", "SPEC-BUG has no number"),
        ("# SPEC-BUG(#999): no such", "index.bs has no issue-999"),
        ("# HOST(#1): numbered", "HOST takes no number"),
    ],
)
def test_invalid_tag_is_found(checkout: Path, comment: str, message: str) -> None:
    file = checkout / "src/modelcontext/platform/infra/new.py"
    file.write_text(f"x = 1\n{comment}\n", encoding="utf-8")
    problems = [problem for problem in check(checkout).problems if problem.place.path.name == "new.py"]
    assert [problem.place.line for problem in problems] == [2]
    assert message in problems[0].message


@pytest.mark.parametrize(("change", "message"), [(1, "lower the ceiling"), (-1, "resolve the new ones")])
def test_ceiling_that_differs_from_the_count_is_found(checkout: Path, change: int, message: str) -> None:
    count = check(checkout).tags["SPEC-BUG"]
    file = checkout / "spec/current/tags.toml"
    text = file.read_text(encoding="utf-8").replace(f"SPEC-BUG = {count}", f"SPEC-BUG = {count + change}")
    file.write_text(text, encoding="utf-8")
    (problem,) = check(checkout).problems
    assert message in problem.message
    assert problem.place.line == line_of(checkout, "spec/current/tags.toml", "SPEC-BUG")


def test_unresolved_autolink_is_an_error_with_its_line(checkout: Path, edit: Edit) -> None:
    line = edit("index.bs", "1. Let |ids| be an empty [=list=].", "1. Let |ids| be an empty [=lisst=].")
    with pytest.raises(SpecificationError, match="lisst") as error:
        check(checkout)
    assert (error.value.path, error.value.line) == (checkout / "index.bs", line)
    assert not error.value.environment


def test_check_command_reports_problems_as_text_and_json(checkout: Path, edit: Edit) -> None:
    runner = CliRunner()
    passed = runner.invoke(command, ["check", "--root", str(checkout)])
    assert passed.exit_code == 0, passed.output
    assert "agree with the code" in passed.stdout

    line = edit(TOOLS, "# 3. Return origins.", "# 3. Return the origins.")
    failed = runner.invoke(command, ["check", "--root", str(checkout)])
    assert failed.exit_code == 1
    assert f"{TOOLS}:{line}: the file differs from index.bs" in failed.stdout

    as_json = runner.invoke(command, ["check", "--json", "--root", str(checkout)])
    assert as_json.exit_code == 1
    (problem,) = json.loads(as_json.stdout)["problems"]
    assert (problem["check"], problem["file"], problem["line"]) == ("generated", TOOLS, line)

    of_the_earlier_one = runner.invoke(command, ["check", "--revision", "2026-03", "--json", "--root", str(checkout)])
    assert of_the_earlier_one.exit_code == 0
    assert list(json.loads(of_the_earlier_one.stdout)["revisions"]) == ["2026-03"]


def test_extract_command_restores_a_file_changed_by_hand(checkout: Path, edit: Edit) -> None:
    runner = CliRunner()
    edit(WEBIDL, "partial interface Document", "partial interface Mine")
    checked = runner.invoke(command, ["extract", "--check", "--root", str(checkout)])
    assert (checked.exit_code, checked.stdout.count("run `modelcontext spec extract`")) == (1, 1)
    written = runner.invoke(command, ["extract", "--root", str(checkout)])
    assert (written.exit_code, written.stdout) == (0, f"wrote {WEBIDL}\n")
    again = runner.invoke(command, ["extract", "--root", str(checkout)])
    assert again.stdout == "nothing has changed\n"


def test_build_command_writes_the_text(checkout: Path) -> None:
    result = CliRunner().invoke(command, ["build", "--root", str(checkout)])
    assert result.exit_code == 0, result.output
    assert "<h1" in (checkout / "build/index.html").read_text(encoding="utf-8")


def test_folder_without_a_specification_is_a_usage_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["check", "--root", str(tmp_path)])
    assert result.exit_code == 2
    assert f"{tmp_path} has no index.bs" in result.stderr


def test_missing_bikeshed_is_a_usage_error(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    result = CliRunner().invoke(command, ["build", "--root", str(checkout)])
    assert result.exit_code == 2
    assert "pip install 'modelcontext[spec]'" in result.stderr


@pytest.mark.parametrize(
    ("revision", "path", "title"),
    [([], "build/index.html", "2026-10"), (["--revision", "2026-03"], "build/2026-03/index.html", "2026-03")],
)
def test_build_command_writes_the_chosen_revision(checkout: Path, revision: list[str], path: str, title: str) -> None:
    result = CliRunner().invoke(command, ["build", "--root", str(checkout), *revision])
    assert (result.exit_code, result.stdout) == (0, f"wrote {checkout / path}\n")
    assert f"<dd>{title}" in (checkout / path).read_text(encoding="utf-8")
