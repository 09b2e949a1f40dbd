"""Measurements in turn, so that a change of the machine's speed affects each function."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds per call, one figure for each round."""

    seconds: Sequence[float]

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.seconds)


def in_turn(functions: Sequence[Callable[[], int]], rounds: int = 7) -> list[Measured]:
    """Run the functions in turn, ``rounds`` times after one warm-up; each returns the number of calls that it made."""
    for function in functions:
        function()
    figures: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, seconds in zip(functions, figures, strict=True):
            gc.collect()  # So that no function pays for the garbage of another.
            start = time.perf_counter()
            calls = function()
            seconds.append((time.perf_counter() - start) / calls)
    return [Measured(seconds) for seconds in figures]
