"""Running a program in the model and watching which lines of the revision's code it goes through."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final

from modelcontext import revisions
from modelcontext.program.interpreter import Run
from modelcontext.program.language import Program
from modelcontext.program.outcome import Outcome
from modelcontext.schedule.choose import Replay

_REVISIONS: Final = str(Path(revisions.__file__).parent)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a revision's code that was run."""

    filename: str
    lineno: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry that a document recorded in its log."""

    log: str
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """A free choice: what was being decided, among how many options, and which was taken."""

    label: str
    count: int
    answer: int


TraceItem = Line | Recorded | Choice


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that happened in one run, in order."""

    items: Sequence[TraceItem]
    outcome: Outcome
    schedule: Sequence[int]

    def lines(self) -> Iterator[Line]:
        """The lines of the revision's code that were run, in order."""
        return (item for item in self.items if isinstance(item, Line))


class _WatchedChooser(Replay):
    def __init__(self, answers: Sequence[int], items: list[TraceItem]) -> None:
        super().__init__(answers)
        self._items = items

    def choose(self, label: str, count: int) -> int:
        answer = super().choose(label, count)
        self._items.append(Choice(label, count, answer))
        return answer


class _WatchedRun(Run):
    def __init__(self, program: Program, chooser: Replay, items: list[TraceItem]) -> None:
        super().__init__(program, chooser)
        self._items = items

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        super().record(id_, entry, source)
        self._items.append(Recorded(self.program.log_of(id_), {"in": id_, **entry}))


def trace(program: Program, schedule: Sequence[int] = ()) -> Trace:
    """Run a program under one schedule (then first in, first out), and tell everything that happens.

    Raises:
        ScheduleError: for a schedule that does not fit the program.
        RunawayError: for a program that schedules itself for ever.
    """
    items: list[TraceItem] = []
    chooser = _WatchedChooser(schedule, items)
    run = _WatchedRun(program, chooser, items)

    def watch_call(frame: FrameType, event: str, argument: object) -> Any:
        return watch_line if frame.f_code.co_filename.startswith(_REVISIONS) else None

    def watch_line(frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            items.append(Line(frame.f_code.co_filename, frame.f_lineno))
        return watch_line

    outer = sys.gettrace()
    sys.settrace(watch_call)
    try:
        run.start()
        outcome = run.finish()
    finally:
        sys.settrace(outer)
    return Trace(items, outcome, chooser.schedule)
