"""Files of all shapes that the public WebMCP evals have: each is read, and its verdicts are those of the documented rules.

The folder ``public`` has a file for each shape. The calls that a model makes, and the verdicts, are here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modelcontext_agent.cli.agent_eval import command

FOLDER = Path(__file__).with_name("public")


@dataclass(frozen=True)
class Case:
    """The calls that a model makes for an evaluation, in steps of their own, and the verdict with words of its reason."""

    calls: Sequence[tuple[str, Mapping[str, Any]]]
    outcome: str = "pass"
    words: str = ""
    #: What the model has read.
    read: Sequence[Any] | None = None


def passes(*calls: tuple[str, Mapping[str, Any]], read: Sequence[Any] | None = None) -> Case:
    """Return a case that passes."""
    return Case(calls, read=read)


def fails(words: str, *calls: tuple[str, Mapping[str, Any]]) -> Case:
    """Return a case that fails with a reason."""
    return Case(calls, "fail", words)


def errs(words: str, *calls: tuple[str, Mapping[str, Any]]) -> Case:
    """Return a case that cannot be judged."""
    return Case(calls, "error", words)


def search(**arguments: Any) -> tuple[str, Mapping[str, Any]]:
    return "search", arguments


def book(**arguments: Any) -> tuple[str, Mapping[str, Any]]:
    return "book", arguments


LOGIN: tuple[str, Mapping[str, Any]] = ("login", {})
THERE = search(**{"from": "OSL", "to": "BER"})
BERLIN, RIGA = search(to="BER"), search(to="RIX")

SHAPES: Mapping[str, Sequence[Case]] = {
    "one-call": [
        passes(THERE),
        fails('arguments.from is "BER", and not "OSL"', search(**{"from": "BER", "to": "OSL"})),
        fails("search is", book()),
    ],
    "no-call": [passes(), fails("no more calls are", search()), passes(), fails("no more calls are", search())],
    "any-arguments": [
        passes(THERE),
        passes(search()),
        passes(THERE),
        fails("after 0 calls the model makes no more calls; missing: search"),
    ],
    "part-of-an-object": [
        passes(THERE),
        passes(book(passenger={"name": "Ada", "age": 36}, count=1)),
        fails("arguments.passenger lacks “age”", book(passenger={"name": "Ada"})),
        passes(book(passenger={"name": "Ada"})),
    ],
    "arrays": [
        passes(book(seats=["1A", "1B"])),
        fails("arguments.seats[0]", book(seats=["1B", "1A"])),
        fails("arguments.seats has 2 items, and not 1", book(seats=["1A", "1B"])),
        passes(book(seats=["1C", 7])),
    ],
    "values": [
        fails("arguments.count is true, and not 1", book(count=True)),
        fails('arguments.count is "1", and not 1', book(count="1")),
        passes(book(count=1.0)),
        passes(book(meal=None)),
        fails("arguments lacks “meal”", book()),
    ],
    "list-of-calls": [
        passes(search(), book(id=7)),
        fails("search is", book(id=7), search()),
        fails("missing: book", search()),
        fails("no more calls are", search(), search()),
    ],
    "ordered": [passes(search(), book()), fails("search is", book(), search())],
    "unordered": [passes(BERLIN, RIGA), passes(RIGA, BERLIN), fails('arguments.to is "BER"', BERLIN, BERLIN)],
    "nested-groups": [
        passes(RIGA, BERLIN, book()),
        passes(BERLIN, RIGA, book(id=2), book(id=1)),
        fails("search is", BERLIN, book(), RIGA),
    ],
    "optional": [passes(search()), passes(LOGIN, search()), fails("no more calls are", search(), LOGIN), passes()],
    "mock-output": [
        passes(BERLIN, read=[{"flights": ["LH 861"]}]),
        passes(BERLIN, RIGA, read=["one", "two"]),
        passes(search(), read=[{}]),
    ],
    "result": [passes(BERLIN, read=[{"flights": []}]), passes(search(), read=["mocked"])],
    "text-constraints": [
        passes(BERLIN),
        fails("$pattern", search(to="BERN")),
        passes(book(note="a window, please")),
        passes(book(seats=["1A", "1B"])),
        fails("$contains", book(note="an aisle")),
    ],
    "number-constraints": [
        passes(book(count=1)),
        fails("arguments.count is 5, and not $lt 5", book(count=5)),
        passes(book(price=100)),
        passes(book(price=99.5)),
        fails('arguments.count is "3", and not $gte 1', book(count="3")),
    ],
    "type-constraints": [
        passes(book(note="x", count=2.5, window=False, seats=[], passenger={}, meal=None)),
        fails('arguments.count is true, and not $type "number"', book(count=True)),
        passes(book(note=None)),
        fails("arguments lacks “note”", book()),
    ],
    "history": [passes(book(id=861)), fails("arguments.id is 862", book(id=862))],
    "unknown-operator": [
        errs("“$patern” in the arguments of search.to is unknown; did you mean “$pattern”?", search(to="BER")),
        errs("“$startsWith”", search(to="BER")),
        errs("“$oneOf”", book(seats=[["1A"]])),
        errs("“$min”", search(to="BER")),
        passes(BERLIN),
    ],
    "dollar-names": [
        passes(book(price={"$ref": "a", "value": 3})),
        fails('arguments.price.$ref is "b"', book(price={"$ref": "b", "value": 3})),
    ],
    "dotted-names": [passes(("calendar.list", {})), passes(("flight-status", {"id": 7}))],
}


def test_each_shape_has_a_file_and_each_file_a_shape() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {*SHAPES, "tools"}
    assert len(SHAPES) >= 18


@pytest.mark.parametrize("shape", SHAPES)
def test_verdicts_of_a_file_are_those_of_the_documented_rules(shape: str, tmp_path: Path) -> None:
    evals = json.loads((FOLDER / f"{shape}.json").read_text(encoding="utf-8"))
    lines = []
    for case in SHAPES[shape]:
        lines.append("[[tests]]")
        for tool, arguments in case.calls:
            # TOML has no null, so the arguments are JSON text there.
            call = f"{{ tool = {json.dumps(tool)}, raw_arguments = {json.dumps(json.dumps(arguments))} }}"
            lines += ["[[tests.answers]]", f"calls = [{call}]"]
        lines += ["[[tests.answers]]", 'text = "Done."']
    answers = tmp_path / "answers.toml"
    answers.write_text("\n".join(lines), encoding="utf-8")
    options = ["--tools", str(FOLDER / "tools.json"), "--model", f"scripted:{answers}", "--json"]
    result = CliRunner().invoke(command, [str(FOLDER / f"{shape}.json"), *options])
    assert result.exit_code == int(any(case.outcome != "pass" for case in SHAPES[shape])), result.output
    data = json.loads(result.stdout)
    assert data["testCount"] == len(evals)
    for case, found, one in zip(SHAPES[shape], data["results"], evals, strict=True):
        assert found["outcome"] == case.outcome, (one, found)
        assert case.words in (found["reason"] or ""), (one, found)
        assert case.read is None or [call["output"] for call in found["calls"]] == case.read


@pytest.mark.parametrize("shape", SHAPES)
def test_expected_calls_of_a_file_are_made_without_a_model_or_the_reason_is_told(shape: str) -> None:
    options = ["--tools", str(FOLDER / "tools.json"), "--model", "expected", "--json"]
    result = CliRunner().invoke(command, [str(FOLDER / f"{shape}.json"), *options])
    for case, found in zip(SHAPES[shape], json.loads(result.stdout)["results"], strict=True):
        if case.outcome == "error":
            assert (found["outcome"], case.words in found["reason"]) == ("error", True)
        elif found["outcome"] != "pass":
            assert "cannot invent a value" in found["reason"]
