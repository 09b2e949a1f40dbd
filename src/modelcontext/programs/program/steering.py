"""Steering: the search for timetables under which a browser shows an outcome, learning from each run.

An outcome has many schedules, and most of what each says is of no account: which of two independent steps comes first. A
browser may be able to keep to one and not to another. So a search has *arms*: the timetables of several schedules, with
shorter and longer units of time. Each run tries one. The next run takes an arm that was not tried yet, or the best so far.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule.choose import Process, Replay, ScheduleError
from modelcontext.ground.schedule.shorter import shorter
from modelcontext.platform.html.event_loop import Task
from modelcontext.platform.html.parallel import Strand
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.outcome import Outcome, canonical_entry
from modelcontext.programs.program.timetable import OWN_SOURCES, UNIT, HeldRun, Pace, Timetable, timetable

if TYPE_CHECKING:
    from modelcontext.platform.html.event_loop import EventLoop

#: The number of random schedules of a program.
TRIES: Final = 1500
#: The number of schedules to try, and the units of time with which to try them, in this order.
MOST_SCHEDULES: Final = 4
UNITS: Final = (UNIT, 4 * UNIT)


class _LikeABrowser(Replay):
    """A random chooser for a :class:`HeldRun` that prefers what the processes of a browser do by themselves.

    Steps in parallel act as soon as they can, the oldest first, and a task of an event loop comes after older ones that the
    browser has queued. The tasks that documents give themselves, by timers and messages, can wait. A document that is held
    waits, too; it is never held in the middle of an algorithm. Each seed holds documents, and lets steps in parallel wait,
    more or less often.

    Attributes:
        haste: the number of actions that overtake older steps in parallel, which messages between processes seldom do.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self._hold = (0.0, 0.3, 0.6, 0.8)[seed % 4]
        self._wait = (0.0, 0.0, 0.1, 0.5)[seed // 4 % 4]
        self._begun: set[Process] = set()
        self.held: Sequence[Process] = ()
        self.haste = 0

    def pick(self, options: Sequence[Process]) -> int:
        is_inside = options[0] in self._begun and options[0] not in self.held
        index = 0
        if len(options) > 1:
            index = 0 if is_inside else self._preferred(options)
            self.schedule.append(index)
        process = options[index]
        if isinstance(process, Task):
            self._begun.add(process)
        older = options[:index] if isinstance(process, Strand) else options
        if not is_inside:
            self.haste += sum(1 for one in older if isinstance(one, Strand))
        return index

    def choose(self, label: str, count: int) -> int:
        answer = self._answer(range(count))
        self.schedule.append(answer)
        return answer

    def _preferred(self, options: Sequence[Process]) -> int:
        is_held = options[0] in self.held
        strands = [index for index, process in enumerate(options) if isinstance(process, Strand)]
        if strands and self._random.random() >= self._wait:
            return strands[0]
        if is_held and self._random.random() >= self._hold:
            return 0
        busy: set[EventLoop] = set()
        open_to: list[int] = []
        for index, process in enumerate(options):
            if isinstance(process, Task):
                if process.event_loop in busy or process in self._begun:
                    continue
                if process.source not in OWN_SOURCES:
                    busy.add(process.event_loop)
            open_to.append(index)
        return self._answer(open_to)

    def _answer(self, options: Sequence[int]) -> int:
        return options[0] if self._random.random() < 1 / 2 else self._random.choice(options)


@dataclass(frozen=True, slots=True)
class AimedSchedule:
    """A schedule of a :class:`HeldRun` under which a program shows an outcome, with the haste that it needs."""

    outcome: Outcome
    schedule: Sequence[int]
    haste: int


def ways(program: Program, tries: int = TRIES) -> list[AimedSchedule]:
    """Return random ways of a program that a browser could well take, those with the least haste first."""
    found: list[AimedSchedule] = []
    for seed in range(tries):
        chooser = _LikeABrowser(seed)
        run = HeldRun(program, chooser)
        chooser.held = run.held
        try:
            outcome = run.run()
        except ProgramError:
            continue
        found.append(AimedSchedule(outcome, chooser.schedule, chooser.haste))
    return sorted(found, key=lambda way: (way.haste, len(way.schedule)))


@dataclass(slots=True)
class _Arm:
    """A timetable, the runs that have tried it, and the sum of how near they came."""

    timetable: Timetable
    runs: int = 0
    sum: float = 0.0

    @property
    def value(self) -> float:
        return self.sum / self.runs if self.runs else 0.0


class TimetableSearch:
    """A search for a timetable under which a browser shows what a program shows under a schedule.

    Args:
        program: the program.
        schedule: the schedule.
        found: ways of the program, by :func:`ways`.
        shows: says which outcomes are meant; by default that of the schedule.

    Raises:
        ScheduleError: if the schedule does not fit the program.
    """

    def __init__(
        self,
        program: Program,
        schedule: Sequence[int],
        found: Sequence[AimedSchedule],
        shows: Callable[[Outcome], bool] | None = None,
    ) -> None:
        self._target = run_once(program, schedule).outcome
        self.shows: Callable[[Outcome], bool] = shows or self._target.__eq__
        usual = shorter(schedule, self._shows_under(program))
        schedules: list[tuple[Sequence[int], bool]] = []
        steady: list[Timetable] = []
        aimed = [(way.schedule, True) for way in found if self.shows(way.outcome)]
        for one, holds in [*aimed[:1], (usual, False), *aimed[1:]]:
            made = timetable(program, one, holds=holds)
            if made not in steady and len(schedules) < MOST_SCHEDULES:
                steady.append(made)
                schedules.append((one, holds))
        # First the likely schedules, paces and units, then those of which one is less likely, and so on.
        places = sorted(product(range(len(schedules)), range(len(Pace)), range(len(UNITS))), key=sum)
        timetables: list[Timetable] = []
        for number, pace, unit in places:
            one, holds = schedules[number]
            made = timetable(program, one, list(Pace)[pace], holds=holds)
            timetables.append(replace(made, unit=UNITS[unit]))
        self._arms = [_Arm(made) for made in _different(timetables)]
        self._current = self._arms[0]

    def next(self) -> Timetable:
        """Return the timetable for the next run."""
        best = max(self._arms, key=lambda arm: arm.value)
        untried = next((arm for arm in self._arms if not arm.runs), None)
        self._current = best if untried is None or best.value >= 1 / 2 else untried
        return self._current.timetable

    def suggest(self, timetable: Timetable) -> None:
        """Have a timetable tried next, unless it is known."""
        if all(arm.timetable != timetable for arm in self._arms):
            self._arms.insert(0, _Arm(timetable))

    def learn(self, observed: Outcome | None, stuck: str | None = None) -> bool:
        """Learn from the run under the timetable of :meth:`next`; return whether it has shown what is meant.

        Args:
            observed: its outcome, if it had one.
            stuck: the point at which a document has waited in vain. The same timetable without that wait comes next.
        """
        is_meant = observed is not None and self.shows(observed)
        if stuck is not None and not is_meant:
            self.suggest(self._current.timetable.without_waiting_at(stuck))
        self._current.runs += 1
        self._current.sum += 1 if is_meant else 0 if observed is None else nearness(observed, self._target)
        return is_meant

    def _shows_under(self, program: Program) -> Callable[[Sequence[int]], bool]:
        def shows(candidate: Sequence[int]) -> bool:
            try:
                return self.shows(run_once(program, candidate).outcome)
            except (ProgramError, ScheduleError):
                return False

        return shows

    @property
    def best(self) -> Timetable:
        """The timetable that has come nearest."""
        return max(self._arms, key=lambda arm: arm.value).timetable


def nearness(observed: Outcome, target: Outcome) -> float:
    """Return how near an outcome came to another one, less than a half: the share of entries up to where a log is another."""
    shared = 0
    for name, log in target.logs.items():
        for mine, wanted in zip(observed.logs.get(name, ()), log, strict=False):
            if canonical_entry(mine) != canonical_entry(wanted):
                break
            shared += 1
    return shared / (2 * sum(map(len, target.logs.values())) + 1)


def _different(timetables: Sequence[Timetable]) -> list[Timetable]:
    """Return the timetables, each once."""
    return [one for index, one in enumerate(timetables) if one not in timetables[:index]]
