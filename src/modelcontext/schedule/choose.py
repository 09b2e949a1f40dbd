"""Choosers: every free choice of a run goes through one of them.

A choice has a label (what is being decided, for people) and a number of options. Options are listed oldest first, so that
option 0 everywhere is the first-in-first-out schedule. The list of answers is a *schedule*: it replays the run.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import ClassVar, Protocol


class Process(Protocol):
    """What acts: a strand or a task. ``can_be_seen`` tells whether scripts can observe that it does."""

    can_be_seen: ClassVar[bool]

    @property
    def place(self) -> Hashable:
        """Where it is, for telling similar ones."""


class Chooser(Protocol):
    """Makes the free choices of a run."""

    def pick(self, options: Sequence[Process]) -> int:
        """Return the index of the process that acts next; to a subclass it is a choice like any other.

        Args:
            options: at least one. Where the running task has given way, going on with it is the first.
        """
        return self.choose("what happens next", len(options)) if len(options) > 1 else 0

    def choose(self, label: str, count: int) -> int:
        """Return which of ``count`` options is taken in the middle of an action; there are at least 2."""


class GiveUp(BaseException):
    """Raised by a chooser to unwind a run that leads nowhere new, through whatever it is in the middle of."""


class FirstInFirstOut(Chooser):
    """Always the oldest option: the default, and the fastest."""

    def choose(self, label: str, count: int) -> int:
        return 0


class Seeded(Chooser):
    """Pseudo-random answers; the same seed gives the same run. ``schedule`` holds the answers given so far."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.schedule: list[int] = []

    def choose(self, label: str, count: int) -> int:
        answer = self._random.randrange(count)
        self.schedule.append(answer)
        return answer


class ScheduleError(ValueError):
    """A schedule that does not fit the run: an answer that was no option, at a position counted from 0."""


class Replay(Chooser):
    """The answers of a schedule, then always the oldest option. ``schedule`` holds the answers given so far.

    Raises:
        ScheduleError: when an answer of the schedule is no option at its place.
    """

    def __init__(self, answers: Sequence[int] = ()) -> None:
        self._answers = answers
        self.schedule: list[int] = []

    def choose(self, label: str, count: int) -> int:
        position = len(self.schedule)
        answer = self._answers[position] if position < len(self._answers) else 0
        if not 0 <= answer < count:
            raise ScheduleError(f"choice {position} ({label}) has {count} options, and the schedule says {answer}")
        self.schedule.append(answer)
        return answer
