"""Programs for the texts of earlier times.

A program says what happens, and much of it makes sense under several texts. Only its calls need other words. Where a text
takes the input of a tool as JSON text, an input that the program writes as an object becomes that text. Where an operation
returns no promise, a script does not wait for it.
"""

from __future__ import annotations

import json
from collections.abc import Container
from typing import TYPE_CHECKING, Any

from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.notation import NOTATIONS, dialect
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program


def under_revision(program: Program, revision: str) -> Program | None:
    """Return a program as it reads under a revision, or ``None`` if it uses what that revision lacks."""
    if program.revision == revision:
        return program
    # The algorithms that a program is about are those of its own text.
    data = {key: value for key, value in program.to_data().items() if key != "algorithms"}
    try:
        return from_data(
            _without_waiting(data | {"revision": revision}, dialect(revision).promises),
            program.source,
        )
    except ProgramError:
        return None


def with_inputs_as_text(program: Program) -> Program:
    """Return a program whose calls pass JSON text."""
    return from_data(_with_text(program.to_data()), program.source)


def _without_waiting(data: Any, promises: Container[str]) -> Any:
    """Return the data of a program that waits for the operations with promises only."""
    if isinstance(data, list):
        return [_without_waiting(item, promises) for item in data]
    if not isinstance(data, dict):
        return data
    is_sync = "do" in data and data["do"] not in promises
    return {key: _without_waiting(value, promises) for key, value in data.items() if not (is_sync and key == "wait")}


def _with_text(data: Any) -> Any:
    """Return the data of a program whose calls pass JSON text."""
    if isinstance(data, list):
        return [_with_text(item) for item in data]
    if not isinstance(data, dict):
        return data
    changed = {key: _with_text(value) for key, value in data.items()}
    if data.get("do") == "executeTool" and "arguments" not in data:
        value = data.get("input", {})
        if isinstance(value, dict | list) and _is_plain(value):
            changed["input"] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return changed


def _is_plain(value: Any) -> bool:
    """Return whether a value is JSON, without a notation of the program language in it."""
    if isinstance(value, dict):
        return not value.keys() & NOTATIONS.keys() and all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if isinstance(value, list) else True
