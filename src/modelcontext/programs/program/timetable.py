"""Timetables: the order of a run in the model, as waits for the documents of a program in a browser.

A run in the model is one total order: scripts reach *points* (they begin or end a step, or record an entry), and between them
steps in parallel act, which in a browser happen in other processes. A browser cannot be told that order, but its documents can
be kept from doing something too early. A timetable says for each point of each document

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
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule.choose import Chooser, Process, Replay
from modelcontext.platform.html.event_loop import POSTED_MESSAGE_TASK_SOURCE, TIMER_TASK_SOURCE, EventLoop, Task
from modelcontext.platform.html.parallel import Strand
from modelcontext.programs.program.interpreter import Run

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program, ProgramStep

#: The sources of the tasks that documents give themselves.
OWN_SOURCES: Final = (TIMER_TASK_SOURCE, POSTED_MESSAGE_TASK_SOURCE)
#: The first units of time, in milliseconds, that a step in parallel gets.
UNIT: Final = 12


@dataclass(frozen=True, slots=True)
class Point:
    """A step or an entry of a document; the names of others are ``document number``.

    Attributes:
        what: the place of the step in the program, after "done" at its end, or the kind of the entry with its label.
        after: the points of other event loops that have to be passed before.
        units: the units of time that must go by before.
        begins: ``timer LABEL`` or ``message NAME``, if this is the first point of such a task.
        needs: the point of its own event loop after which that task comes.
        idles: whether the event loop is free while the units go by, for tasks of the browser that have no point.
        tells: whether others wait for this point.
    """

    what: str
    after: tuple[str, ...] = ()
    units: int = 0
    begins: str | None = None
    needs: str | None = None
    idles: bool = False
    tells: bool = False


@dataclass(frozen=True, slots=True)
class Timetable:
    """The points of each document, in order. A unit of time is ``unit`` milliseconds."""

    points: Mapping[str, Sequence[Point]]
    unit: float = UNIT

    def of(self, document: str) -> dict[str, Any]:
        """Return the timetable of one document for the page side's configuration."""
        return {"unit": self.unit, "points": [asdict(point) for point in self.points.get(document, ())]}

    def without_waiting_at(self, name: str) -> Timetable:
        """Return this timetable, but a point waits for no others."""
        document, number = name.split()
        points = list(self.points[document])
        points[int(number)] = replace(points[int(number)], after=())
        return replace(self, points={**self.points, document: points})

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
    """A point while a run is watched.

    ``acted`` counts the actions of strands so far, and ``tasks`` the tasks of its event loop, its own with them.
    """

    document: str
    number: int
    what: str
    acted: int
    tasks: int
    begins: str | None
    is_first: bool
    is_own: bool
    after: list[str] = field(default_factory=list)
    units: int = 0
    needs: str | None = None
    idles: bool = False
    tells: bool = False

    @property
    def name(self) -> str:
        return f"{self.document} {self.number}"


class _Watching(Replay):
    """A chooser that follows a schedule, and notes who acts."""

    def __init__(self, schedule: Sequence[int]) -> None:
        super().__init__(schedule)
        self.acted = 0
        self.begun: dict[EventLoop, dict[Task, None]] = {}

    def pick(self, options: Sequence[Process]) -> int:
        index = super().pick(options)
        process = options[index]
        if isinstance(process, Strand):
            # The strand of a timer only queues its task.
            self.acted += not process.name.endswith("run_steps_after_a_timeout")
        elif isinstance(process, Task):
            self.begun.setdefault(process.event_loop, {})[process] = None
        return index


class HeldRun(Run):
    """A run whose documents can be held before each point while all others go on, as those of a browser can.

    In other runs a task gives way only where it changes what others read, so a schedule of this run has further answers.

    Args:
        program: the program.
        chooser: makes the free choices.
        holds: says whether documents are held; if not, this is like any run.

    Attributes:
        held: the tasks that are held now, outermost first.
    """

    def __init__(self, program: Program, chooser: Chooser, *, holds: bool = True) -> None:
        super().__init__(program, chooser)
        self.held: list[Task] = []
        self._holds = holds

    def performs(self, id_: str, step: ProgramStep) -> None:
        """Hold the document before a step."""
        self._hold()
        self.passes(id_, step.place)

    def performed(self, id_: str, step: ProgramStep) -> None:
        """Hold the document after a step."""
        self._hold()
        self.passes(id_, f"done {step.place}")

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        """Hold the document before an entry."""
        self._hold()
        self.passes(id_, entry_key(entry))
        super().record(id_, entry, source)

    def passes(self, id_: str, what: str) -> None:
        """Ignore the point that a document passes; only timetables note it."""

    def _hold(self) -> None:
        if self._holds and self.user_agent.running:
            self.held.append(self.user_agent.running[-1])
            self.user_agent.let_others_run()
            self.held.pop()


class _NotingRun(HeldRun):
    """A run that writes down the points that its scripts reach."""

    def __init__(self, program: Program, chooser: _Watching, *, holds: bool) -> None:
        super().__init__(program, chooser, holds=holds)
        self._chooser = chooser
        self.reached: list[_Reached] = []
        self._numbers: dict[str, int] = {}
        self._awaited: dict[str, str] = {}
        self._begun: set[Task | None] = set()

    def performs(self, id_: str, step: ProgramStep) -> None:
        super().performs(id_, step)
        if step.do == "waitFor" and "message" in step.arguments:
            self._awaited[id_] = step.arguments["message"]

    def passes(self, id_: str, what: str) -> None:
        task = self.user_agent.running[-1] if self.user_agent.running else None
        is_first = task not in self._begun
        self._begun.add(task)
        begins = None
        if is_first and task is not None and task.source is TIMER_TASK_SOURCE:
            begins = what
        elif is_first and task is not None and task.source is POSTED_MESSAGE_TASK_SOURCE and id_ in self._awaited:
            begins = f"message {self._awaited.pop(id_)}"
        is_own = task is not None and task.source in OWN_SOURCES
        number = self._numbers[id_] = self._numbers.get(id_, -1) + 1
        tasks = len(self._chooser.begun[task.event_loop]) if task is not None else 0
        self.reached.append(
            _Reached(id_, number, what, self._chooser.acted, tasks, begins, is_first=is_first, is_own=is_own)
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


def timetable(program: Program, schedule: Sequence[int], pace: Pace = Pace.STEADY, *, holds: bool = False) -> Timetable:
    """Return the timetable of the run of a program under a schedule, which is one of a :class:`HeldRun` if it ``holds``.

    Raises:
        ScheduleError: if the schedule does not fit the program.
    """
    run = _NotingRun(program, _Watching(schedule), holds=holds)
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
                point.idles = point.tasks > before.tasks + 1
                point.units = int(point.units or (point.idles and takes_time))
        last[loop] = previous = point
    points: dict[str, list[Point]] = {}
    for one in run.reached:
        points.setdefault(one.document, []).append(
            Point(one.what, tuple(one.after), one.units, one.begins, one.needs, one.idles, one.tells)
        )
    return Timetable(points)
