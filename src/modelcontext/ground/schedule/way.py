"""A chooser that leads a run along a way through the graph of states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.graph import Explorable

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Process
    from modelcontext.ground.schedule.node import Transition


class Led(Explorable, Protocol):
    """A run that can be led along a way."""

    def processes(self) -> Sequence[Any]:
        """Return all processes: those that run, those that can act, and those that wait."""


class Way:
    """A chooser that leads a run along transitions, and keeps its answers as a schedule.

    ``begun`` has the number of answers before each transition. Processes are followed from one transition to the next. A
    square that was completed without a run can lead to a state that lists them in another order than the run's.
    """

    def __init__(self, transitions: Sequence[Transition]) -> None:
        self._transitions = transitions
        self._position = 0
        self._answers: Iterator[int] = iter(transitions[0].answers)
        self._processes: Sequence[Any] = [None]
        self.schedule: list[int] = []
        self.begun = [0]
        self.run: Led | None = None

    def pick(self, options: Sequence[Process]) -> int:
        """Choose the process of the next transition."""
        assert self.run is not None
        footprint.stop_naming()
        self._processes = self._after(self._transitions[self._position], self.run.processes())
        self._position += 1
        self.begun.append(len(self.schedule))
        transition = self._transitions[self._position]
        self._answers = iter(transition.answers)
        acting = self._processes[transition.acting]
        index = next(index for index, option in enumerate(options) if option is acting)
        if len(options) > 1:
            self.schedule.append(index)
        return index

    def _after(self, transition: Transition, now: Sequence[Any]) -> Sequence[Any]:
        """Return the processes after a transition, in the order of its target."""
        before = self._processes
        known = set(map(id, before))
        made = sorted((process for process in now if id(process) not in known), key=lambda process: process.sequence)
        return [made[number - 1] if number else before[origin] for origin, number in transition.origins]

    def choose(self, label: str, count: int) -> int:
        """Answer as the transition does."""
        answer = next(self._answers)
        self.schedule.append(answer)
        return answer
