"""Programs in the page: one run under one schedule, and the outcomes that a program may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from modelcontext.ground.schedule.choose import ScheduleError
from modelcontext.judging.litmus.language import OutcomeKind, kinds_in
from modelcontext.people.playground.frames import run_of
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.outcome import Outcome, describe_entry
from modelcontext.programs.program.reading import loads_json, loads_toml
from modelcontext.programs.tracing import trace
from modelcontext.programs.tracing.story import story_of_trace

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
    shown = _outcome(outcome, kinds_in(text))
    return run_of(traced, _Lines(text).of, program.title, program.revision, shown, outcome.canonical)


def outcomes_of_program(text: str) -> dict[str, Any]:
    """Return all outcomes that the specification allows a program, each with a schedule that shows it."""
    try:
        program = _read(text)
        found = allowed_outcomes(program, bound=BOUND)
    except (ProgramError, RunawayError, SpecAssertionError) as error:
        return {"error": str(error)}
    kinds = kinds_in(text)
    listed = [
        {"outcome": _outcome(outcome, kinds), "schedule": list(found.schedule_to(text)), "key": outcome.canonical}
        for text, outcome in sorted(found.outcomes.items())
    ]
    return {"outcomes": listed, "complete": found.complete}


def story_of_program(text: str, key: str) -> dict[str, Any]:
    """Return how a program comes to an outcome, as `litmus explain` tells it: a schedule, and who does what under it."""
    program = _read(text)
    found = allowed_outcomes(program, bound=BOUND)
    if key not in found.outcomes:
        return {"error": "The search has not found this outcome: the program has too many runs."}
    decisive = found.decisive_choice(key)
    traced = trace(program, found.schedule_to(key), most_frames=MOST_FRAMES)
    moments = [asdict(moment) for moment in story_of_trace(traced, decisive)]
    return {"key": key, "schedule": traced.schedule, "moments": moments, "instead": traced.others_at(decisive)}


def _read(text: str) -> Program:
    loads = loads_json if text.lstrip().startswith("{") else loads_toml
    return loads(text, _NAME_OF_THE_TEXT)


def _outcome(outcome: Outcome, kinds: Sequence[OutcomeKind]) -> dict[str, Any]:
    """Return an outcome in words: its kinds, the entries of each log, and the unsettled promises."""
    logs = {
        name: [{"document": entry["in"], "words": describe_entry(entry)} for entry in log]
        for name, log in outcome.logs.items()
    }
    words = [kind.words for kind in kinds if kind.has(outcome)]
    return {"kinds": words, "logs": logs, "pending": list(outcome.pending), "notes": []}


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
