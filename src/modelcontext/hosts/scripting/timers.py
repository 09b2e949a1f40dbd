"""Timers on virtual time (https://html.spec.whatwg.org/#timers).

Time goes on when nothing else can happen; where a run says so, also while other things wait (``ScriptedBrowser``).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.platform.html.event_loop import TIMER_TASK_SOURCE

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document

_DEEP: Final = 5
_CLAMPED: Final = 4.0


@dataclass(order=True)
class Timer:
    """A timer of a window; times are in milliseconds, ``every`` is the time after which it is set again."""

    at: float
    number: int
    document: Document = field(compare=False)
    steps: Callable[[], None] = field(compare=False)
    nesting: int = field(compare=False)
    every: float | None = field(compare=False)
    cleared: bool = field(default=False, compare=False)


class Timers:
    """The timers of one browser, and the virtual time ``now`` in milliseconds since its start."""

    def __init__(self) -> None:
        self.now = 0.0
        self._waiting: list[Timer] = []
        self._by_id: dict[tuple[Document, int], Timer] = {}
        self._numbers = itertools.count(1)
        self._nesting = 0

    def set(self, document: Document, steps: Callable[[], None], timeout: float, *, repeats: bool = False) -> int:
        """https://html.spec.whatwg.org/#timer-initialisation-steps"""
        nesting = self._nesting + 1
        delay = max(_CLAMPED if nesting > _DEEP else 0.0, timeout)
        number = next(self._numbers)
        timer = Timer(self.now + delay, number, document, steps, nesting, max(delay, 1.0) if repeats else None)
        self._by_id[document, number] = timer
        self.start(timer)
        return number

    def start(self, timer: Timer) -> None:
        """Let a timer wait for its time."""
        heapq.heappush(self._waiting, timer)

    def clear(self, document: Document, id: int) -> None:
        """https://html.spec.whatwg.org/#dom-cleartimeout"""
        timer = self._by_id.pop((document, id), None)
        if timer is not None:
            timer.cleared = True

    def until_next(self) -> float | None:
        """Return the milliseconds until the next timer fires; None if there is none."""
        timer = self._next()
        return None if timer is None else max(timer.at - self.now, 0.0)

    def _next(self) -> Timer | None:
        while self._waiting and (self._waiting[0].cleared or self._waiting[0].document.is_destroyed):
            heapq.heappop(self._waiting)
        return self._waiting[0] if self._waiting else None

    def advance(self) -> bool:
        """Let time go on to the next timer, and queue the tasks of all that are due; return whether there is one."""
        timer = self._next()
        if timer is None:
            return False
        self.now = max(self.now, timer.at)
        while self._waiting and self._waiting[0].at <= self.now:
            timer = heapq.heappop(self._waiting)
            if not timer.cleared:
                timer.document.event_loop.queue_a_task(TIMER_TASK_SOURCE, timer.document, partial(self.fire, timer))
        return True

    def fire(self, timer: Timer) -> None:
        """Run the steps of a timer, unless it was cleared."""
        if timer.cleared:
            return
        self._nesting = timer.nesting
        try:
            timer.steps()
        finally:
            self._nesting = 0
        if timer.every is not None and not timer.cleared:
            timer.at, timer.number, timer.nesting = self.now + timer.every, next(self._numbers), timer.nesting + 1
            self.start(timer)
