"""The language of each revision of the specification."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.run import command
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.reading import from_data, of_revision


def data(*steps: dict[str, object], revision: str = "2026-03") -> dict[str, object]:
    return {"title": "made", "revision": revision, "script": {"top": list(steps)}}


TOOL = {"name": "t", "description": "d"}


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ({"do": "getTools"}, 'unknown operation "getTools"'),
        ({"do": "executeTool", "tool": TOOL}, 'unknown operation "executeTool"'),
        ({"do": "listen", "type": "toolchange"}, 'unknown operation "listen"'),
        ({"do": "registerTool", "tool": TOOL, "options": {}}, 'unknown key "options"'),
        ({"do": "registerTool", "tool": TOOL, "wait": False}, 'unknown key "wait"'),
        ({"do": "unregisterTool"}, 'unregisterTool needs the key "name" (or "arguments")'),
        ({"do": "unregisterTool", "name": "t", "arguments": ["t"]}, 'leave out "name"'),
        ({"do": "waitFor", "result": "registerTool"}, 'no result with the label "registerTool"'),
    ],
)
def test_revision_2026_03_refuses_what_its_idl_lacks(step: dict[str, object], problem: str) -> None:
    with pytest.raises(ProgramError) as error:
        from_data(data(step))
    assert problem in str(error.value)


def test_current_revision_has_no_unregister_tool() -> None:
    with pytest.raises(ProgramError) as error:
        from_data(data({"do": "unregisterTool", "name": "t"}, revision="current"))
    assert 'unknown operation "unregisterTool"' in str(error.value)


def test_unknown_revision_is_refused_with_a_hint() -> None:
    with pytest.raises(ProgramError) as error:
        from_data(data({"do": "log", "value": 1}, revision="2026-3"))
    assert 'unknown revision "2026-3" (did you mean "2026-03"?)' in str(error.value)


@pytest.mark.parametrize("revision", ["current", "2026-03"])
def test_accessor_returns_the_same_object_when_read_again(revision: str) -> None:
    anew = {"$modelContext": "top"}
    program = from_data(data({"do": "same", "values": [anew, anew]}, {"do": "log", "value": anew}, revision=revision))
    assert list(Run(program).run().logs["top"]) == [
        {"in": "top", "step": "same", "value": True},
        {"in": "top", "log": {"$platform": "ModelContext"}},
    ]


def test_accessor_of_another_origin_is_out_of_reach() -> None:
    program = data({"do": "log", "value": {"$modelContext": "other"}})
    program["documents"] = {"other": {"parent": "top", "origin": "B"}}
    with pytest.raises(ProgramError) as error:
        from_data(program)
    assert 'script.top[0].value.$modelContext: "other" has another origin' in str(error.value)


def test_program_can_be_read_for_another_revision() -> None:
    register: dict[str, object] = {"do": "registerTool", "tool": TOOL}
    program = from_data(data(register, register, revision="current"))
    earlier = of_revision(program, "2026-03")
    assert earlier == from_data(data(register, register))
    assert not any(step.wait for step in earlier.steps("top"))
    with pytest.raises(ProgramError, match="unknown operation"):
        of_revision(from_data(data({"do": "getTools"}, revision="current")), "2026-03")


def test_run_verb_takes_a_revision(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    register: dict[str, object] = {"do": "registerTool", "tool": TOOL}
    path.write_text(json.dumps(data(register, register, revision="current")), encoding="utf-8")
    arguments = [str(path), "--product", "model", "--json"]
    for revision, entry in (
        ([], {"promise": "registerTool 2", "rejected": {"$error": "InvalidStateError"}}),
        (["--revision", "2026-03"], {"step": "registerTool 2", "threw": {"$error": "InvalidStateError"}}),
    ):
        result = CliRunner().invoke(command, [*arguments, *revision])
        assert result.exit_code == 0, result.output
        (program,) = json.loads(result.stdout)["programs"]
        assert program["allowed"][0]["logs"]["top"][-1] == {"in": "top", **entry}
