"""Steps that run in parallel (https://html.spec.whatwg.org/#in-parallel), as strands."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from types import GeneratorType
from typing import ClassVar, Final, TypeAlias

from modelcontext.ground.schedule import footprint

#: The body of steps that run in parallel: at every ``yield`` other processes may act.
ParallelSteps: TypeAlias = Generator[None, None, None]

_PARALLEL_QUEUE: Final = footprint.Kind("parallel queue")


@dataclass(eq=False, slots=True)
class Strand:
    """One run of parallel steps; it advances from one ``yield`` to the next. ``sequence`` is as of a task."""

    can_be_seen: ClassVar[bool] = False

    steps: ParallelSteps
    name: str
    sequence: int

    @property
    def place(self) -> tuple[object, int]:
        """The code and position of the innermost generator, which group similar strands."""
        steps: object = self.steps
        frame = None
        while isinstance(steps, GeneratorType) and steps.gi_frame is not None:
            frame, steps = steps.gi_frame, steps.gi_yieldfrom
        assert frame is not None
        return frame.f_code, frame.f_lasti

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the strand continues, for fingerprints."""
        return (self.steps,)

    def advance(self) -> bool:
        """Run up to the next ``yield``; return whether there is more to run."""
        for _ in self.steps:
            return True
        return False


class ParallelQueue:
    """A parallel queue (https://html.spec.whatwg.org/#parallel-queue), whose strands run one after the other."""

    __slots__ = ("_name", "waiting")

    def __init__(self) -> None:
        self._name = footprint.new_name()
        self.waiting: deque[Strand] = deque()

    def changes(self) -> None:
        """Note that a strand enters or leaves the queue."""
        footprint.write(_PARALLEL_QUEUE, self._name)
