"""A collector of reached steps, without their order and without states: the cheapest kind of trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.tracing.probes import with_probes

if TYPE_CHECKING:
    from modelcontext.revisions.revision import Revision
    from modelcontext.tracing.instrumentation import Condition, StepOf


class Collector:
    """Collects the steps and sides that runs of its ``revision``, a copy of the given one, reach."""

    def __init__(self, revision: Revision) -> None:
        self._steps: set[StepOf] = set()
        self._sides: set[tuple[Condition, bool]] = set()
        self.revision = with_probes(revision, self._steps.add, lambda *side: self._sides.add(side))

    @property
    def keys(self) -> frozenset[str]:
        """The reached steps as ``algorithm number``, and the taken sides of conditions as ``algorithm number place yes``."""
        return frozenset({*map(str, self._steps), *(condition.side(side) for condition, side in self._sides)})
