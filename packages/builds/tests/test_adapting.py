"""Programs for the texts of earlier times."""

from __future__ import annotations

from typing import Any

from modelcontext.programs.program.reading import from_data
from modelcontext_builds.adapting import under_revision, with_inputs_as_text

REGISTER = {"do": "registerTool", "tool": {"name": "t", "description": "d"}, "wait": True}


def program(*steps: dict[str, Any]) -> Any:
    return from_data(
        {"title": "a program", "algorithms": ["dom-modelcontext-registertool"], "script": {"top": list(steps)}}
    )


def call(**keys: Any) -> dict[str, Any]:
    return {"do": "executeTool", "tool": {"$tool": "t"}, **keys}


def steps_with_text(*steps: dict[str, Any]) -> list[dict[str, Any]]:
    steps_of_top: list[dict[str, Any]] = with_inputs_as_text(program(*steps)).to_data()["script"]["top"]
    return steps_of_top


def test_input_becomes_text() -> None:
    assert steps_with_text(call(input={"n": [1]}))[0]["input"] == '{"n":[1]}'


def test_absent_input_becomes_the_text_of_an_empty_object() -> None:
    assert steps_with_text(call())[0]["input"] == "{}"


def test_input_that_is_no_json_stays() -> None:
    made = {"n": {"$bigint": "1"}}
    assert steps_with_text(call(input=made))[0]["input"] == made


def test_program_of_the_revision_stays() -> None:
    one = program(call(input={"n": 1}))
    assert under_revision(one, "current") is one


def test_script_does_not_wait_where_an_operation_returns_no_promise() -> None:
    found = under_revision(program(REGISTER), "2026-03")
    assert found is not None
    assert found.revision == "2026-03"
    assert "wait" not in found.to_data()["script"]["top"][0]


def test_program_that_needs_what_a_text_lacks_is_not_adapted() -> None:
    assert under_revision(program({"do": "getTools"}), "2026-03") is None
