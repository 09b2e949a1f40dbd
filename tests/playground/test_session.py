"""The Python side of the playground: runs, outcomes, and errors for any user input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modelcontext.judging.conformance.corpus import CORPORA
from modelcontext.judging.litmus.language import CATALOGUE
from modelcontext.people.playground import session
from modelcontext.people.playground.programs import MOST_FRAMES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "wpt_tests/litmus/cancel-complete/abort-before-the-callback.toml").read_text(encoding="utf-8")


def run(text: str, *schedule: int) -> Any:
    return json.loads(session.run(text, schedule))


def test_run_has_words_lines_and_changes() -> None:
    result = run(TEXT)
    kinds = {frame["kind"] for frame in result["frames"]}
    assert kinds == {"step", "script", "turn", "choice", "entry"}
    scripts = [frame for frame in result["frames"] if frame["kind"] == "script"]
    lines = TEXT.splitlines()
    assert all(lines[frame["line"] - 1] == "[[script.top]]" for frame in scripts)
    assert lines[scripts[-1]["line"]] == 'do = "abort"'
    stored = next(frame for frame in result["frames"] if frame.get("step") == "22")
    assert stored["changes"] == ['tool map of top: "t" set to description d']
    assert result["states"][stored["state"]]["documents"]["top"]["tool map"] == {"t": {"description": "d"}}
    entries = [frame["words"] for frame in result["frames"] if frame["kind"] == "entry"]
    assert entries == [entry["words"] for entry in result["outcome"]["logs"]["top"]]


def test_every_outcome_has_a_schedule_that_shows_it() -> None:
    found = json.loads(session.outcomes(TEXT))
    assert found["complete"]
    assert len(found["outcomes"]) > 1
    for outcome in found["outcomes"]:
        assert run(TEXT, *outcome["schedule"])["key"] == outcome["key"]


def test_session_reads_json() -> None:
    assert run('{"title": "t", "script": {"top": [{"do": "log", "value": 1}]}}')["outcome"]["logs"]["top"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a program needs a title"),
        ("title = ", "this is not TOML"),
        ("{", "this is not JSON"),
        ('title = "t"\n[[script.top]]\ndo = "registerTol"', 'did you mean "registerTool"?'),
        ("title = 1979-05-27", "a string is needed here"),
        ("a" + "[" * 10_000, "the program"),
    ],
)
def test_invalid_program_gives_an_error(text: str, message: str) -> None:
    for answer in (session.run(text, []), session.outcomes(text)):
        assert message in json.loads(answer)["error"]


def test_schedule_that_does_not_fit_gives_an_error() -> None:
    assert "the schedule names 7" in run(TEXT, 7)["error"]


def test_endless_program_is_cut_off_and_shown() -> None:
    call = '[[script.top]]\ndo = "executeTool"\ntool = { "$tool" = "t" }\n'
    register = '[[script.top]]\ndo = "registerTool"\ntool = { name = "t", description = "d" }\n'
    again = 'callback = { steps = [{ do = "executeTool", tool = { "$tool" = "t" } }] }\n'
    result = run(f'title = "t"\n{register}{again}{call}')
    assert "the run was stopped after" in result["problem"]
    assert len(result["frames"]) >= MOST_FRAMES


#: The names of all programs, without reading any.
PROGRAMS = [
    f"{folder.name}/{path.relative_to(ROOT / folder).with_suffix('').as_posix()}"
    for folder in (CATALOGUE, *CORPORA)
    for path in sorted((ROOT / folder).rglob("*.toml"))
]


@pytest.mark.usefixtures("takes_long")
def test_programs_among_the_examples_are_those_of_the_checkout(examples_by_name: Mapping[str, dict[str, Any]]) -> None:
    found = [name for name, example in examples_by_name.items() if example["language"] == session.PROGRAM]
    assert found == PROGRAMS


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_among_the_examples_runs(name: str, examples_by_name: Mapping[str, dict[str, Any]]) -> None:
    example = examples_by_name[name]
    result = run(example["text"])
    assert result["title"] == example["title"]
    assert result["problem"] is None
    assert result["frames"]
