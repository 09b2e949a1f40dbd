"""Choosers, which answer every free choice of a run.

A choice has a label for people and a number of options. Options are listed oldest first, so that option 0 everywhere is the
first-in-first-out schedule. The list of answers is a *schedule*: it replays the run.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import ClassVar, Protocol

from modelcontext.ground.problems import UserError


class Process(Protocol):
    """A strand or a task.

    ``can_be_seen`` tells whether scripts can observe its actions. ``sequence`` counts the processes of a run in order of
    making.
    """

    can_be_seen: ClassVar[bool]
    sequence: int

    @property
    def place(self) -> Hashable:
        """The code position of the process, which groups similar processes."""


class Barrier:
    """A process that acts only when no other can, so that no race crosses its actions."""

    can_be_seen: ClassVar[bool] = True
    sequence: int = -1

    @property
    def place(self) -> Hashable:
        """The same place for all."""
        return Barrier

    def relevant(self) -> tuple[object, ...]:
        """Return nothing: a barrier has no state."""
        return ()


class Chooser(Protocol):
    """Makes the free choices of a run."""

    def pick(self, options: Sequence[Process]) -> int:
        """Return the index of the process that acts next; by default this is an ordinary choice.

        Args:
            options: at least one. If the running task has given way, the first option continues it.
        """
        return self.choose("what happens next", len(options)) if len(options) > 1 else 0

    def choose(self, label: str, count: int) -> int:
        """Return the index of the option taken in the middle of an action, out of ``count``, at least 2."""


class GiveUp(BaseException):
    """Raised by a chooser to unwind a run that leads nowhere new, from any depth of calls."""


class FirstInFirstOut(Chooser):
    """Chooser that always takes the oldest option: the default, and the fastest."""

    def choose(self, label: str, count: int) -> int:
        """Return 0."""
        return 0


class Seeded(Chooser):
    """Pseudo-random chooser; the same seed gives the same run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, label: str, count: int) -> int:
        """Return a pseudo-random option."""
        return self._random.randrange(count)


class ScheduleError(UserError, ValueError):
    """A schedule that does not fit the run: one of its answers was not an option. Positions count from 0."""


class Replay(Chooser):
    """Chooser that follows a schedule, then always takes the oldest option. ``schedule`` holds the answers so far."""

    def __init__(self, answers: Sequence[int] = ()) -> None:
        self._answers = answers
        self.schedule: list[int] = []

    def choose(self, label: str, count: int) -> int:
        """Answer as the schedule says.

        Raises:
            ScheduleError: if the answer of the schedule is not an option.
        """
        position = len(self.schedule)
        answer = self._answers[position] if position < len(self._answers) else 0
        if not 0 <= answer < count:
            raise ScheduleError(f"choice {position} ({label}) has {count} options, but the schedule names {answer}")
        self.schedule.append(answer)
        return answer


class RecordingChooser(Chooser):
    """Chooser that answers as another one does; ``schedule`` holds the answers so far."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser
        self.schedule: list[int] = []

    def pick(self, options: Sequence[Process]) -> int:
        """Pick as the other one does; one option is no choice."""
        index = self._chooser.pick(options)
        if len(options) > 1:
            self.schedule.append(index)
        return index

    def choose(self, label: str, count: int) -> int:
        """Answer as the other one does."""
        self.schedule.append(self._chooser.choose(label, count))
        return self.schedule[-1]


class Wandering(Replay):
    """Chooser that takes the oldest option half of the time, and any otherwise; ``schedule`` holds the answers."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)

    def choose(self, label: str, count: int) -> int:
        """Return the oldest option, or a pseudo-random one."""
        answer = self._random.randrange(count) if self._random.random() < 0.5 else 0
        self.schedule.append(answer)
        return answer
