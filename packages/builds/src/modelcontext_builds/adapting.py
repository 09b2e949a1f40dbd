"""Programs for the texts of earlier times.

A program says what happens, and much of it makes sense under several texts. Only its calls need other words. Where a text
takes the input of a tool as JSON text, an input that the program writes as an object becomes that text. Where an operation
returns no promise, a script does not wait for it.
"""

from __future__ import annotations

import json
from collections.abc import Container
from typing import TYPE_CHECKING, Any

from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.notation import NOTATIONS, dialect
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext_builds.build import Build


def adapted(program: Program, build: Build) -> Program | None:
    """Return a program as it reads in the text of a build's time, or ``None`` if it uses what that text lacks."""
    data = program.to_data()
    if program.revision != build.revision:
        # The algorithms that a program is about are those of its own text.
        data = {key: value for key, value in data.items() if key != "algorithms"} | {"revision": build.revision}
        data = _without_waiting(data, dialect(build.revision).promises)
    if build.takes_text:
        data = _with_text(data)
    try:
        return from_data(data, program.source)
    except ProgramError:
        return None


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
