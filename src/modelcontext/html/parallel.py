"""Steps that run in parallel (https://html.spec.whatwg.org/#in-parallel), as strands."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import TypeAlias

#: The body of steps that run in parallel: every ``yield`` is a place where anything else may happen.
ParallelSteps: TypeAlias = Generator[None, None, None]


class Strand:
    """One run of parallel steps; it advances from one ``yield`` to the next."""

    __slots__ = ("identity", "name", "steps")

    def __init__(self, steps: ParallelSteps, name: str, identity: object) -> None:
        self.steps = steps
        self.name = name
        self.identity = identity

    def advance(self) -> bool:
        """Run up to the next scheduling point; return whether there is more."""
        for _ in self.steps:
            return True
        return False


class ParallelQueue:
    """A parallel queue (https://html.spec.whatwg.org/#parallel-queue): its strands run one after the other."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting: deque[Strand] = deque()
