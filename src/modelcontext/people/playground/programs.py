"""Programs in the page: one run under one schedule, and the outcomes that a program may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from modelcontext.ground.schedule.choose import ScheduleError
from modelcontext.people.playground.frames import run_of
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.outcome import Outcome, describe_entry
from modelcontext.programs.program.reading import loads_json, loads_toml
from modelcontext.programs.tracing import trace

#: The limit of frames of a run: more than any example has, and few enough for a phone.
MOST_FRAMES: Final = 5_000
#: The limit of runs in the search for all outcomes.
BOUND: Final = 5_000

_NAME_OF_THE_TEXT: Final = "the program"


def run_program(text: str, schedule: Sequence[int]) -> dict[str, Any]:
    """Run a program, in TOML or JSON, under one schedule; return plain data."""
    try:
        program = _read(text)
        traced = trace(program, list(schedule), most_frames=MOST_FRAMES)
    except (ProgramError, ScheduleError) as error:
        return {"error": str(error)}
    outcome = traced.outcome
    return run_of(traced, _Lines(text).of, program.title, program.revision, _outcome(outcome), outcome.canonical)


def outcomes_of_program(text: str) -> dict[str, Any]:
    """Return all outcomes that the specification allows a program, each with a schedule that shows it."""
    try:
        program = _read(text)
        found = allowed_outcomes(program, bound=BOUND)
    except (ProgramError, RunawayError, SpecAssertionError) as error:
        return {"error": str(error)}
    listed = [
        {"outcome": _outcome(outcome), "schedule": list(found.schedule_to(text)), "key": outcome.canonical}
        for text, outcome in sorted(found.outcomes.items())
    ]
    return {"outcomes": listed, "complete": found.complete}


def _read(text: str) -> Program:
    loads = loads_json if text.lstrip().startswith("{") else loads_toml
    return loads(text, _NAME_OF_THE_TEXT)


def _outcome(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome in words: the entries of each log, and the unsettled promises."""
    logs = {
        name: [{"document": entry["in"], "words": describe_entry(entry)} for entry in log]
        for name, log in outcome.logs.items()
    }
    return {"logs": logs, "pending": list(outcome.pending), "notes": []}


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
