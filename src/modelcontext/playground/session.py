"""The Python side of the page: one run of a program as plain data, and the outcomes that the program may have.

User input never raises here: a result with ``error`` says what is wrong.
"""

from __future__ import annotations

import json
import pickle
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.program.explore import allowed_outcomes
from modelcontext.program.language import Program, ProgramError
from modelcontext.program.outcome import Outcome, describe_entry
from modelcontext.program.reading import loads_json, loads_toml
from modelcontext.revisions.registry import FILES, REVISIONS
from modelcontext.schedule.choose import ScheduleError
from modelcontext.tracing import Choice, Entry, Frame, ScriptLine, ScriptStep, Shown, StepReached, Trace, Turn, trace
from modelcontext.tracing.words import changes

#: The limit of frames of a run: more than any example has, and few enough for a phone.
MOST_FRAMES: Final = 5_000
#: The limit of runs in the search for all outcomes.
BOUND: Final = 5_000

#: The file, beside this one in a page, with the parsed IDL of each revision.
DEFINITIONS: Final = "definitions.pickle"

_NAME_OF_THE_TEXT: Final = "the program"


def _prepare() -> None:
    """Load the parsed IDL and run a program, so that the snapshot of a page's memory has what every run needs."""
    definitions = pickle.loads(files("modelcontext.playground").joinpath(DEFINITIONS).read_bytes())
    for name, revision in REVISIONS.items():
        module: Any = import_module(FILES[name].module)
        module.REVISION = replace(revision, parsed_idl=definitions[name])
        run(f'title = "t"\nrevision = "{name}"\n[[script.top]]\ndo = "log"\nvalue = 1', [])


def run(text: str, schedule: Sequence[int]) -> str:
    """Run a program, in TOML or JSON, under one schedule; return JSON."""
    try:
        program = _read(text)
        traced = trace(program, list(schedule), most_frames=MOST_FRAMES)
    except (ProgramError, ScheduleError) as error:
        return json.dumps({"error": str(error)})
    return json.dumps(_run(program, traced, _Lines(text)))


def outcomes(text: str) -> str:
    """Return all outcomes that the specification allows a program as JSON, each with a schedule that shows it."""
    try:
        program = _read(text)
        found = allowed_outcomes(program, bound=BOUND)
    except (ProgramError, RunawayError, SpecAssertionError) as error:
        return json.dumps({"error": str(error)})
    listed = [
        {"outcome": _outcome(outcome), "schedule": list(found.schedule_to(text)), "key": outcome.canonical}
        for text, outcome in sorted(found.outcomes.items())
    ]
    return json.dumps({"outcomes": listed, "complete": found.complete})


def _read(text: str) -> Program:
    loads = loads_json if text.lstrip().startswith("{") else loads_toml
    return loads(text, _NAME_OF_THE_TEXT)


def _run(program: Program, traced: Trace, lines: _Lines) -> dict[str, Any]:
    frames = []
    state = traced.states[0]
    for frame in traced.frames:
        after = traced.states[frame.state]
        frames.append(_frame(frame, lines) | {"changes": changes(state, after)})
        state = after
    return {
        "title": program.title,
        "revision": program.revision,
        "frames": frames,
        "states": list(traced.states),
        "schedule": list(traced.schedule),
        "outcome": _outcome(traced.outcome),
        "key": traced.outcome.canonical,
        "problem": traced.problem,
    }


def _frame(frame: Frame, lines: _Lines) -> dict[str, Any]:
    common = {"actor": frame.actor, "state": frame.state}
    match frame.item:
        case StepReached(algorithm=algorithm, step=step, text=text):
            return common | {"kind": "step", "algorithm": algorithm, "step": step, "words": text}
        case ScriptStep(document=document, operation=operation, label=label, place=place):
            words = operation if label == operation else f"{operation} as {label}"
            return common | {"kind": "script", "document": document, "words": words, "line": lines.of(place)}
        case Turn(next=name):
            return common | {"kind": "turn", "words": name}
        case Choice(choice=label, options=options, answer=answer, position=position):
            return common | {
                "kind": "choice", "words": label, "options": options, "answer": answer, "position": position,
            }  # fmt: skip
        case Entry(log=log, entry=entry):
            return common | {"kind": "entry", "log": log, "document": entry["in"], "words": describe_entry(entry)}
        case ScriptLine(place=words) | Shown(text=words):
            return common | {"kind": "script", "words": words}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome in words: the entries of each log, and the unsettled promises."""
    logs = {
        name: [{"document": entry["in"], "words": describe_entry(entry)} for entry in log]
        for name, log in outcome.logs.items()
    }
    return {"logs": logs, "pending": list(outcome.pending)}


class _Lines:
    """The lines of a program's text on which steps of scripts begin."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, list[int]] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if found := re.match(r"\s*\[\[\s*script\s*\.\s*[\"']?([^\"'\]\s]+)[\"']?\s*\]\]", line):
                self._lines.setdefault(found[1], []).append(number)

    def of(self, place: str) -> int | None:
        """Return the line of the outermost step around a place, if the text has a line for it."""
        found = re.match(r"script\.(.+?)\[(\d+)\]", place)
        lines = self._lines.get(found[1], []) if found else []
        return lines[int(found[2])] if found and int(found[2]) < len(lines) else None


if sys.platform == "emscripten":
    _prepare()
