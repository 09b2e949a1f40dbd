"""Measuring two things in turn, so that a change of the machine's speed meets both."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds per call, one figure a round."""

    seconds: Sequence[float]

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.seconds)


def in_turn(functions: Sequence[Callable[[], int]], rounds: int = 7) -> list[Measured]:
    """Run the functions in turn, some rounds after one warm-up; each returns how many calls it has made."""
    for function in functions:
        function()
    figures: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, seconds in zip(functions, figures, strict=True):
            gc.collect()  # So that nobody pays for what another one has left.
            start = time.perf_counter()
            calls = function()
            seconds.append((time.perf_counter() - start) / calls)
    return [Measured(seconds) for seconds in figures]
