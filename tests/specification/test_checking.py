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
from modelcontext.spec.specification.code.check import check
from modelcontext.spec.specification.text.problems import Place, Problem

ROOT = Path(__file__).resolve().parents[2]
R2026_03 = FILES["2026-03"]

Edit = Callable[[str, str, str], int]

API = "src/modelcontext/spec/revisions/current/api.py"
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


def test_changed_word_in_an_earlier_text_is_found(checkout: Path, edit: Edit) -> None:
    line = edit(
        "spec/2026-03/index.bs", "1. If |tool name| is the empty string,", "1. If |tool name| is an empty string,"
    )
    problems = check(checkout, R2026_03).problems
    (step,) = of_kind(problems, "steps")
    assert (step.algorithm, step.step) == ("dom-modelcontext-registertool", "4")
    comment = line_of(checkout, EARLIER_API, "# 4. If tool name is the empty string, then")
    assert (step.place, step.text) == (Place(Path(EARLIER_API), comment), Place(R2026_03.text, line))
    (extract,) = of_kind(problems, "extracts")
    assert extract.place.path == R2026_03.algorithms
    assert "differs from spec/2026-03/index.bs" in extract.message
    assert check(checkout).problems == []


def test_changed_word_in_a_comment_of_an_earlier_revision_is_found(checkout: Path, edit: Edit) -> None:
    line = edit(EARLIER_API, "# 3. Remove tool map[name].", "# 3. Remove tool map[tool name].")
    (problem,) = check(checkout, R2026_03).problems
    assert (problem.algorithm, problem.step) == ("dom-modelcontext-unregistertool", "3")
    assert problem.place == Place(Path(EARLIER_API), line)
    assert check(checkout).problems == []


def test_issue_of_another_revisions_text_is_refused(checkout: Path, edit: Edit) -> None:
    edit(EARLIER_API, "SPEC-BUG(#3)", "SPEC-BUG(#18)")
    (problem,) = check(checkout, R2026_03).problems
    assert problem.message.startswith("spec/2026-03/index.bs has no issue-18")


def test_changed_word_in_the_text_is_found(checkout: Path, edit: Edit) -> None:
    line = edit("index.bs", "[=string/length=] is greater than 128", "[=string/length=] is greater than 127")
    problems = check(checkout).problems
    (step,) = of_kind(problems, "steps")
    assert (step.algorithm, step.step) == ("valid-tool-name", "2")
    assert step.place == Place(Path(TOOLS), line_of(checkout, TOOLS, "# 2. If name's length is greater than 128"))
    assert step.text == Place(Path("index.bs"), line)
    assert step.details == (
        "text:    2. If name's length is greater than 127, then return false.",
        "comment: 2. If name's length is greater than 128, then return false.",
    )
    (extract,) = of_kind(problems, "extracts")
    assert extract.place == Place(Path(JSON), line_of(checkout, JSON, "length is greater than 128"))
    assert len(problems) == 2


def test_changed_word_in_a_comment_is_found(checkout: Path, edit: Edit) -> None:
    old = '# 9. If tool["description"] is the empty string, then'
    line = edit(API, old, old.replace("the empty string", "an empty string"))
    (problem,) = check(checkout).problems
    assert (problem.check, problem.algorithm, problem.step) == ("steps", "dom-modelcontext-registertool", "9")
    assert problem.place == Place(Path(API), line)
    origin = line_of(checkout, "index.bs", '1. If |tool|["{{ModelContextTool/description}}"] is the empty string')
    assert problem.text == Place(Path("index.bs"), origin)


def test_changed_word_in_the_second_line_of_a_comment_is_found(checkout: Path, edit: Edit) -> None:
    edit(TOOLS, "    # input schema's serialized, in realm.", "    # input schema's serialization, in realm.")
    (problem,) = check(checkout).problems
    first = line_of(checkout, TOOLS, "# 3.1. Let schema object be")
    assert (problem.step, problem.place) == ("3.1", Place(Path(TOOLS), first))


def test_swapped_steps_in_the_text_are_one_move(checkout: Path, edit: Edit) -> None:
    first = "1. If |name| is the empty string, then return false.\n"
    second = "1. If |name|'s [=string/length=] is greater than 128, then return false.\n"
    line = edit("index.bs", first + second, second + first)
    (problem,) = of_kind(check(checkout).problems, "steps")
    assert problem.algorithm == "valid-tool-name"
    assert problem.message == "the comment is at another place than the step in the text"
    number_and_lines = {
        "1": (line, line_of(checkout, TOOLS, "# 2. If name's length")),
        "2": (line + 1, line_of(checkout, TOOLS, "# 1. If name is the empty string")),
    }
    assert problem.text is not None
    assert (problem.text.line, problem.place.line) == number_and_lines[problem.step or ""]


def test_swapped_comments_are_one_move(checkout: Path, edit: Edit) -> None:
    first, second = (
        "If name is the empty string, then return false.",
        "If name's length is greater than 128, then return",
    )
    line = edit(TOOLS, f"# 1. {first}", "# 1. PLACEHOLDER")
    edit(TOOLS, f"# 2. {second} false.", f"# 2. {first}")
    edit(TOOLS, "# 1. PLACEHOLDER", f"# 1. {second} false.")
    (problem,) = check(checkout).problems
    assert (problem.algorithm, problem.message) == (
        "valid-tool-name",
        "the comment is at another place than the step in the text",
    )
    lines = {"1": line_of(checkout, TOOLS, f"# 2. {first}"), "2": line}
    assert problem.place == Place(Path(TOOLS), lines[problem.step or ""])


def test_removed_comment_is_a_missing_step(checkout: Path, edit: Edit) -> None:
    edit(TOOLS, "        # 2.2. If url is failure, then return failure.\n", "")
    problem, decision = check(checkout).problems
    assert decision.check == "decisions"
    assert (problem.algorithm, problem.step) == ("parse-a-list-of-origins", "2.2")
    assert problem.message == "no comment quotes this step; it belongs below this line"
    assert problem.place == Place(Path(TOOLS), line_of(checkout, TOOLS, "# 2.1. Let url be the result of running"))
    assert problem.text == Place(
        Path("index.bs"), line_of(checkout, "index.bs", "1. If |url| is failure, then return failure.")
    )


def test_additional_comment_is_an_extra_step(checkout: Path, edit: Edit) -> None:
    line = edit(TOOLS, "    # 3. Return origins.\n", "    # 3. Return origins.\n    # 4. Return.\n")
    problem, empty = check(checkout).problems
    assert empty.message.startswith("this step has no code")
    assert (problem.algorithm, problem.step) == ("parse-a-list-of-origins", "4")
    assert problem.message == "the text has no such step"
    assert problem.place == Place(Path(TOOLS), line + 1)


def test_wrong_number_of_a_comment_is_found(checkout: Path, edit: Edit) -> None:
    line = edit(TOOLS, "        # 2.3. Let origin be url's origin.", "        # 2.4. Let origin be url's origin.")
    (problem,) = check(checkout).problems
    assert (problem.algorithm, problem.step, problem.place.line) == ("parse-a-list-of-origins", "2.3", line)
    assert problem.message == "the comment gives it the number 2.4"


def test_parallel_steps_without_decorator_are_found(checkout: Path, edit: Edit) -> None:
    old = """    @in_parallel
    def notify() -> ParallelSteps:
        # 6.1."""
    edit(TOOLS, old, old.replace("    @in_parallel\n", ""))
    (problem,) = check(checkout).problems
    assert (problem.check, problem.algorithm, problem.step) == ("parallel", "unregister-a-tool", "6")
    assert problem.place == Place(Path(TOOLS), line_of(checkout, TOOLS, "    # 6. In parallel:"))


def test_decision_without_a_step_is_found(checkout: Path, edit: Edit) -> None:
    old = "        document = active_document(navigable)\n"
    line = edit(TOOLS, old, f"{old}        if document is None:\n            continue\n")
    (problem,) = check(checkout).problems
    assert (problem.check, problem.algorithm, problem.step) == ("decisions", "notify-documents-of-a-tool-change", "6.1")
    assert problem.place == Place(Path(TOOLS), line + 1)
    assert problem.message.startswith("no step is directly above this branch: quote its step")
    assert problem.text is not None
    assert problem.text.path == Path("index.bs")


def test_decision_in_a_helper_is_found(checkout: Path, edit: Edit) -> None:
    old = '    spec_assert(document is not None, "the traversable has an active document")\n'
    line = edit(TOOLS, old, "    if document is None:\n        return []\n")
    (problem,) = check(checkout).problems
    assert (problem.check, problem.algorithm, problem.place) == ("decisions", None, Place(Path(TOOLS), line))


def test_decision_with_a_tag_counts_as_a_tag_only(checkout: Path, edit: Edit) -> None:
    old = "        document = active_document(navigable)\n"
    edit(
        TOOLS,
        old,
        f"{old}        # NON-SPEC: a user wanted this.\n        if document is None:\n            continue\n",
    )
    (problem,) = check(checkout).problems
    assert problem.check == "tags"
    assert "NON-SPEC occurs 2 times, but at most 1 may" in problem.message


def test_missing_yield_is_found(checkout: Path, edit: Edit) -> None:
    line = edit(TOOLS, "        yield\n        document = active", "        document = active")
    (problem,) = check(checkout).problems
    assert (problem.check, problem.algorithm, problem.step) == ("yields", "notify-documents-of-a-tool-change", "6.1")
    assert problem.place == Place(Path(TOOLS), line)
    assert problem.message.startswith("there is no yield before active_document, which is shared")


def test_yield_before_a_verb_that_is_not_shared_is_needless(checkout: Path, edit: Edit) -> None:
    edit("src/modelcontext/spec/verbs/verbs.py", "@shared\ndef is_allowed_to_use", "def is_allowed_to_use")
    problems = check(checkout).problems
    assert {problem.message.partition(",")[0] for problem in problems} == {"this yield is needless"}


def test_yield_in_an_algorithm_not_in_parallel_is_found(checkout: Path, edit: Edit) -> None:
    edit(TOOLS, "    # 3. Return origins.\n", "    # 3. Return origins.\n    yield\n")
    problem, needless = check(checkout).problems
    assert needless.check == "yields"
    assert (problem.check, problem.algorithm) == ("parallel", "parse-a-list-of-origins")
    assert "the function is a generator" in problem.message


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
    ("old", "new", "message"),
    [
        ("def valid_tool_name(name:", "def is_valid_tool_name(name:", "name it valid_tool_name, as the text does"),
        (
            "def valid_tool_name(name:",
            "def valid_tool_name(text:",
            "the function takes (text): take (name), as the text does",
        ),
        (
            '@algorithm("valid-tool-name")',
            '@algorithm("valid-name")',
            "index.bs has no algorithm with the id valid-name",
        ),
    ],
)
def test_signature_that_differs_from_the_text_is_found(
    checkout: Path, edit: Edit, old: str, new: str, message: str
) -> None:
    edit(TOOLS, old, new)
    problems = check(checkout).problems
    assert any(message in problem.message for problem in problems)
    assert {problem.check for problem in problems} == {"functions"}
    decorator = line_of(checkout, TOOLS, new if new.startswith("@") else '@algorithm("valid-tool-name")')
    assert problems[0].place == Place(Path(TOOLS), decorator)


def test_algorithm_without_a_function_is_found(checkout: Path, edit: Edit) -> None:
    edit(TOOLS, '@algorithm("valid-tool-name")\n', "")
    problem, *decisions = check(checkout).problems
    assert {decision.check for decision in decisions} == {"decisions"}
    assert problem.algorithm == "valid-tool-name"
    assert problem.place == Place(Path("index.bs"), line_of(checkout, "index.bs", "<dfn id=valid-tool-name>"))


def test_second_function_of_an_algorithm_is_found(checkout: Path) -> None:
    text = (checkout / TOOLS).read_text(encoding="utf-8")
    second = checkout / Path(TOOLS).with_name("tools_again.py")
    second.write_text(text, encoding="utf-8")
    problems = check(checkout).problems
    assert problems
    assert {problem.place.path.name for problem in of_kind(problems, "functions")} == {"tools_again.py"}


def test_functions_in_another_order_than_the_text_are_found(checkout: Path) -> None:
    file = checkout / TOOLS
    text = file.read_text(encoding="utf-8")
    begin, end = text.index('@algorithm("valid-tool-name")'), text.index('@algorithm("parse-a-list-of-origins")')
    file.write_text(text[:begin] + text[end:].rstrip("\n") + "\n\n\n" + text[begin:end].rstrip("\n") + "\n")
    (problem,) = check(checkout).problems
    assert problem.algorithm == "valid-tool-name"
    assert "keep the order of the text" in problem.message


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

    edit(TOOLS, "# 3. Return origins.", "# 3. Return the origins.")
    failed = runner.invoke(command, ["check", "--root", str(checkout)])
    assert failed.exit_code == 1
    assert "parse-a-list-of-origins step 3" in failed.stdout

    as_json = runner.invoke(command, ["check", "--json", "--root", str(checkout)])
    assert as_json.exit_code == 1
    (problem,) = json.loads(as_json.stdout)["problems"]
    assert (problem["file"], problem["algorithm"], problem["step"]) == (TOOLS, "parse-a-list-of-origins", "3")

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


def test_invalid_python_is_an_error_with_its_line(checkout: Path) -> None:
    (checkout / TOOLS).write_text("def broken(:\n", encoding="utf-8")
    with pytest.raises(SpecificationError, match="not valid Python") as error:
        check(checkout)
    assert (error.value.path, error.value.line) == (checkout / TOOLS, 1)


@pytest.mark.parametrize(
    ("revision", "path", "title"),
    [([], "build/index.html", "2026-10"), (["--revision", "2026-03"], "build/2026-03/index.html", "2026-03")],
)
def test_build_command_writes_the_chosen_revision(checkout: Path, revision: list[str], path: str, title: str) -> None:
    result = CliRunner().invoke(command, ["build", "--root", str(checkout), *revision])
    assert (result.exit_code, result.stdout) == (0, f"wrote {checkout / path}\n")
    assert f"<dd>{title}" in (checkout / path).read_text(encoding="utf-8")
