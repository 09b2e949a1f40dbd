"""Collecting what is reached, without order and without state: the cheapest way to look inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from modelcontext.tracing.probes import Condition, StepOf, probes


@contextmanager
def collecting(package: str) -> Iterator[set[str]]:
    """Collect, until the block ends, what runs of the revision in a Python package reach.

    The set has steps as ``algorithm number``, and the sides of conditions that were taken as ``algorithm number place yes``.
    """
    steps: set[StepOf] = set()
    sides: set[tuple[Condition, bool]] = set()
    keys: set[str] = set()
    with probes(package, steps.add, lambda condition, side: sides.add((condition, side))):
        yield keys
    keys.update(map(str, steps))
    keys.update(condition.side(side) for condition, side in sides)
