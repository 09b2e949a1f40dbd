"""Schedules made shorter: as many answers as possible are the oldest option."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from modelcontext.ground.schedule.choose import Replay


def shorter(schedule: Sequence[int], shows: Callable[[Sequence[int]], bool]) -> Sequence[int]:
    """Return a schedule that still ``shows`` something, with as many of its answers as possible being the oldest option."""
    best = list(schedule)
    for position in reversed(range(len(best))):
        for candidate in (best[:position], [*best[:position], 0, *best[position + 1 :]]):
            if candidate != best and shows(candidate):
                best = candidate
                break
    return best


def smallest(schedule: Sequence[int], shows: Callable[[Replay], bool]) -> Sequence[int]:
    """Return a schedule that takes the oldest option as often as possible: no answer of it can become 0.

    Args:
        schedule: a schedule that shows something.
        shows: makes a run with a chooser, and tells whether that shows it.
    """
    schedule = _without_zeros_at_the_end(schedule)
    length = len(schedule)
    while length:
        place = 0
        while place < len(schedule):
            part = schedule[place : place + length]
            if any(part):
                tried = _Lenient([*schedule[:place], *[0] * len(part), *schedule[place + length :]])
                if shows(tried):
                    schedule = _without_zeros_at_the_end(tried.schedule)
            place += length
        length //= 2
    return schedule


class _Lenient(Replay):
    """A chooser that follows a schedule, and takes the oldest option where the schedule's is none."""

    def choose(self, label: str, count: int) -> int:
        """Answer as the schedule says, or 0."""
        position = len(self.schedule)
        if position < len(self._answers) and self._answers[position] >= count:
            self.schedule.append(0)
            return 0
        return super().choose(label, count)


def _without_zeros_at_the_end(schedule: Sequence[int]) -> list[int]:
    length = max((index + 1 for index, answer in enumerate(schedule) if answer), default=0)
    return list(schedule[:length])
