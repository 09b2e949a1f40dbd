"""The interpreter of programs, where no product shows the same in every program of the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

FIELD = '<form><input id="f" type="{type}"></form>'


def program(type_: str, *steps: dict[str, object]) -> Program:
    """Return a program with one field."""
    documents = {"top": {"origin": "A", "html": FIELD.format(type=type_)}}
    return from_data({"title": "A field", "documents": documents, "script": {"top": list(steps)}}, "test")


@pytest.mark.parametrize(("value", "entries"), [("", []), ("a.txt", ["fill: threw InvalidStateError"])])
def test_file_field_takes_no_name_of_a_file(value: str, entries: list[str]) -> None:
    outcome = run_once(program("file", {"do": "fill", "element": "f", "value": value})).outcome
    assert [describe_entry(entry) for entry in outcome.logs.get("top", ())] == entries


def test_listener_that_brings_about_its_own_event_is_told_to_the_author() -> None:
    again: dict[str, object] = {"do": "fill", "element": "f", "value": "x"}
    endless = program("text", {"do": "listen", "element": "f", "type": "input", "steps": [again]}, again)
    with pytest.raises(RunawayError, match="look for a listener that triggers its own event"):
        run_once(endless)


def test_kept_argument_and_a_call_by_path_are_those_of_the_page() -> None:
    tool = {"name": "t", "description": "d"}
    steps: list[dict[str, object]] = [
        {"do": "registerTool", "tool": tool, "callback": {"keeps": "options", "resolves": 1}},
        {"do": "executeTool", "tool": {"$tool": "t"}},
        {"do": "get", "object": "options", "path": ["signal", "aborted"]},
        {"do": "call", "path": ["getTools"], "arguments": [{"fromOrigins": ["x"]}], "as": "list"},
        {"do": "call", "object": "options", "path": ["signal", "nothing", "go"]},
    ]
    outcome = run_once(from_data({"title": "Keeps", "script": {"top": steps}}, "test")).outcome
    assert [describe_entry(entry) for entry in outcome.logs["top"][2:]] == [
        'executeTool: fulfilled with "1"',
        "get: false",
        "list: rejected with SecurityError",
        "call: threw TypeError",
    ]


def test_script_goes_on_in_a_callback_and_each_call_has_its_own_promise() -> None:
    steps: list[dict[str, object]] = [
        {"do": "registerTool", "tool": {"name": "t", "description": "d"}, "callback": {"pending": "p", "each": True}},
        {"do": "executeTool", "tool": {"$tool": "t"}, "wait": False},
        {"do": "executeTool", "tool": {"$tool": "t"}, "wait": False},
        {"do": "waitFor", "entries": 2},
        {"do": "log", "value": "inside"},
        {"do": "resolve", "pending": "p 2", "value": 2},
    ]
    outcome = run_once(from_data({"title": "Each", "script": {"top": steps}}, "test")).outcome
    assert [describe_entry(entry) for entry in outcome.logs["top"][1:]] == [
        'callback "t" called with {}',
        'callback "t" called with {}',
        'log "inside"',
        'executeTool 2: fulfilled with "2"',
    ]
    assert outcome.pending == ("top: executeTool",)


def test_script_need_not_wait_for_a_frame() -> None:
    data = {
        "title": "A frame",
        "documents": {"child": {"parent": "top", "start": "later"}},
        "script": {
            "top": [{"do": "addFrame", "document": "child", "wait": False}, {"do": "log", "value": "goes on"}],
            "child": [{"do": "log", "value": "has loaded"}],
        },
    }
    program = from_data(data, "test")
    assert from_data(program.to_data()) == program
    assert [entry["log"] for entry in run_once(program).outcome.logs["top"]] == ["goes on", "has loaded"]


def test_call_of_a_method_that_the_text_lacks_names_it() -> None:
    lacking = from_data({"title": "Lacks", "script": {"top": [{"do": "call", "path": ["resumeTool"]}]}}, "test")
    with pytest.raises(NoMeaningError, match=r"no operation ModelContext\.resumeTool"):
        run_once(lacking)
