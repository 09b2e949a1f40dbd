"""Timetables: the order of a run in the model, as waits for the documents of a program in a browser.

A run in the model is one total order: scripts reach *points* (they perform a step, or record an entry), and between them steps
in parallel act, which in a browser happen in other processes. A browser cannot be told that order, but its documents can be
kept from doing something too early. A timetable says for each point of each document

* which points of documents in other event loops have to be passed before (``after``): the document is kept busy until then;
* how many units of time must go by, because steps in parallel act in between (``units``): the document is kept busy;
* whether it is the first of a task that the document gives itself, by a timer or by waiting for a message (``begins``). Then
  the task comes when the points of its own event loop that stand before it are passed (``needs``), and not before. While the
  document waits in it for others, what arrives from the browser queues up behind, as for a renderer process that is stopped.

Nothing here adds an order that the specification does not have: tasks of a document only take longer, and timers and messages
come later, in their order. Where the browser does something else, the document leaves its timetable and waits no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from modelcontext.html.event_loop import POSTED_MESSAGE_TASK_SOURCE, TIMER_TASK_SOURCE, Task
from modelcontext.html.parallel import Strand
from modelcontext.program.interpreter import Run
from modelcontext.schedule.choose import Process, Replay

if TYPE_CHECKING:
    from modelcontext.program.language import Program, ProgramStep

#: The sources of the tasks that documents give themselves.
OWN_SOURCES: Final = (TIMER_TASK_SOURCE, POSTED_MESSAGE_TASK_SOURCE)
#: The first units of time, in milliseconds, that a step in parallel gets.
UNIT: Final = 12


@dataclass(frozen=True, slots=True)
class Point:
    """A step or an entry of a document; the names of others are ``document number``.

    Attributes:
        what: the place of the step in the program, or the kind of the entry with its label.
        after: the points of other event loops that have to be passed before.
        units: the units of time that must go by before.
        begins: ``timer LABEL`` or ``message NAME``, if this is the first point of such a task.
        needs: the point of its own event loop after which that task comes.
        tells: whether others wait for this point.
    """

    what: str
    after: tuple[str, ...] = ()
    units: int = 0
    begins: str | None = None
    needs: str | None = None
    tells: bool = False


@dataclass(frozen=True, slots=True)
class Timetable:
    """The points of each document, in order. A unit of time is ``unit`` milliseconds."""

    points: Mapping[str, Sequence[Point]]
    unit: float = UNIT

    def of(self, document: str) -> dict[str, Any]:
        """Return the timetable of one document for the page side's configuration."""
        return {"unit": self.unit, "points": [asdict(point) for point in self.points.get(document, ())]}

    def waits(self) -> Iterator[str]:
        """Yield in words what each document waits for."""
        for document, points in self.points.items():
            for point in points:
                others = [f"{one} {self.points[one][int(number)].what}" for one, number in map(str.split, point.after)]
                facts = [*(f"after {other}" for other in others), *([f"{self.unit:g} ms later"] if point.units else [])]
                if facts:
                    yield f"{document} {point.what}: {', '.join(facts)}"


@dataclass(slots=True)
class _Reached:
    """A point while a run is watched. ``turn`` counts the turns; ``acted`` the actions of strands so far."""

    document: str
    number: int
    what: str
    turn: int
    acted: int
    begins: str | None
    is_first: bool
    is_own: bool
    after: list[str] = field(default_factory=list)
    units: int = 0
    needs: str | None = None
    tells: bool = False

    @property
    def name(self) -> str:
        return f"{self.document} {self.number}"


class _Watching(Replay):
    """A chooser that follows a schedule, and notes who acts."""

    def __init__(self, schedule: Sequence[int]) -> None:
        super().__init__(schedule)
        self.turn = 0
        self.acted = 0
        self.task: Task | None = None

    def pick(self, options: Sequence[Process]) -> int:
        index = super().pick(options)
        process = options[index]
        if isinstance(process, Strand):
            # The strand of a timer only queues its task.
            self.acted += not process.name.endswith("run_steps_after_a_timeout")
        elif isinstance(process, Task) and process is not self.task:
            self.turn += 1
            self.task = process
        return index


class _NotingRun(Run):
    """A run that writes down the points that its scripts reach."""

    def __init__(self, program: Program, chooser: _Watching) -> None:
        super().__init__(program, chooser)
        self._chooser = chooser
        self.reached: list[_Reached] = []
        self._numbers: dict[str, int] = {}
        self._awaited: dict[str, str] = {}

    def performs(self, id_: str, step: ProgramStep) -> None:
        self._reach(id_, step.place)
        if step.do == "waitFor" and "message" in step.arguments:
            self._awaited[id_] = step.arguments["message"]

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        self._reach(id_, entry_key(entry))
        super().record(id_, entry, source)

    def _reach(self, id_: str, what: str) -> None:
        chooser = self._chooser
        task = self.user_agent.running[-1] if self.user_agent.running else None
        is_first = not self.reached or self.reached[-1].turn != chooser.turn
        begins = None
        if is_first and task is not None and task.source is TIMER_TASK_SOURCE:
            begins = what
        elif is_first and task is not None and task.source is POSTED_MESSAGE_TASK_SOURCE and id_ in self._awaited:
            begins = f"message {self._awaited.pop(id_)}"
        is_own = task is not None and task.source in OWN_SOURCES
        number = self._numbers[id_] = self._numbers.get(id_, -1) + 1
        self.reached.append(
            _Reached(id_, number, what, chooser.turn, chooser.acted, begins, is_first=is_first, is_own=is_own)
        )


def entry_key(entry: Mapping[str, Any]) -> str:
    """Return the kind of an entry with its label, as the page side words it."""
    kind = next(iter(entry))
    return f"{kind} {entry[kind]}" if isinstance(entry[kind], str) else str(kind)


class Pace(StrEnum):
    """The places at which time goes by for steps in parallel that act there in the schedule."""

    #: In tasks that documents give themselves.
    STEADY = "steady"
    #: Nowhere: documents only wait for each other.
    HASTY = "hasty"
    #: Also in tasks that the browser has queued. What has queued them has acted before, but others may have, too.
    PATIENT = "patient"


def timetable(program: Program, schedule: Sequence[int], pace: Pace = Pace.STEADY) -> Timetable:
    """Return the timetable of the run of a program under a schedule.

    Raises:
        ScheduleError: if the schedule does not fit the program.
    """
    run = _NotingRun(program, _Watching(schedule))
    run.run()
    last: dict[str, _Reached] = {}
    previous: _Reached | None = None
    for point in run.reached:
        loop = program.log_of(point.document)
        if previous is not None:
            if program.log_of(previous.document) != loop:
                previous.tells = True
                point.after.append(previous.name)
            is_queued = point.is_first and not point.is_own
            takes_time = pace is not Pace.HASTY and (pace is Pace.PATIENT or not is_queued)
            point.units = int(takes_time and point.acted > previous.acted)
            before = last.get(loop)
            if point.begins is not None and before is not None:
                point.needs = before.name
        last[loop] = previous = point
    points: dict[str, list[Point]] = {}
    for one in run.reached:
        points.setdefault(one.document, []).append(
            Point(one.what, tuple(one.after), one.units, one.begins, one.needs, one.tells)
        )
    return Timetable(points)
