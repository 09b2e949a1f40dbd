"""Programs for the texts of earlier times."""

from __future__ import annotations

from typing import Any

from modelcontext.programs.program.reading import from_data
from modelcontext_builds.adapting import adapted
from modelcontext_builds.build import Build

TEXT = Build("chromium:153", "153.0.1.0", "document", (), takes_text=True)
OBJECTS = Build("chromium", "156.0.1.0", "document", (), takes_text=False)
NAVIGATOR = Build("chromium:147", "147.0.1.0", "navigator", (), takes_text=False)
REGISTER = {"do": "registerTool", "tool": {"name": "t", "description": "d"}, "wait": True}


def program(*steps: dict[str, Any]) -> Any:
    return from_data(
        {"title": "a program", "algorithms": ["dom-modelcontext-registertool"], "script": {"top": list(steps)}}
    )


def call(**keys: Any) -> dict[str, Any]:
    return {"do": "executeTool", "tool": {"$tool": "t"}, **keys}


def steps_for(build: Build, *steps: dict[str, Any]) -> list[dict[str, Any]]:
    found = adapted(program(*steps), build)
    assert found is not None
    steps_of_top: list[dict[str, Any]] = found.to_data()["script"]["top"]
    return steps_of_top


def test_input_becomes_text_where_a_build_takes_text() -> None:
    assert steps_for(TEXT, call(input={"n": [1]}))[0]["input"] == '{"n":[1]}'


def test_absent_input_becomes_the_text_of_an_empty_object() -> None:
    assert steps_for(TEXT, call())[0]["input"] == "{}"


def test_input_that_is_no_json_stays() -> None:
    made = {"n": {"$bigint": "1"}}
    assert steps_for(TEXT, call(input=made))[0]["input"] == made


def test_input_stays_where_a_build_takes_objects() -> None:
    assert steps_for(OBJECTS, call(input={"n": 1}))[0]["input"] == {"n": 1}


def test_script_does_not_wait_where_an_operation_returns_no_promise() -> None:
    found = adapted(program(REGISTER), NAVIGATOR)
    assert found is not None
    assert found.revision == "2026-03"
    assert "wait" not in found.to_data()["script"]["top"][0]


def test_program_that_needs_what_a_text_lacks_is_not_adapted() -> None:
    assert adapted(program({"do": "getTools"}), NAVIGATOR) is None
