"""Leaving out equivalent schedules loses no result, for generated tasks and strands on the bare platform.

Every party records only its own observations, so that a result does not depend on the order of actions without a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from modelcontext.ground.schedule.graph import StateGraph
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.hosts.world import World
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, TIMER_TASK_SOURCE
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable, insert_an_iframe
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.spec.revisions.current.model import associated_model_context
from modelcontext.spec.verbs import fire_an_event

if TYPE_CHECKING:
    from modelcontext.ground.schedule.fingerprint import State
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.parallel import ParallelSteps

MOST_SCHEDULES = 600

SOURCES = [TIMER_TASK_SOURCE, DOM_MANIPULATION_TASK_SOURCE]

#: An operation: its name, then its arguments.
Operation = tuple[Any, ...]
Result = tuple[tuple[str, tuple[object, ...]], ...]

_KEYS = st.sampled_from(["x", "y"])
_SIMPLE = st.one_of(
    st.tuples(st.just("write"), _KEYS),
    st.tuples(st.just("read"), _KEYS),
    st.tuples(st.just("count")),
    st.tuples(st.just("choose")),
    st.tuples(st.just("cut off")),
    st.tuples(st.just("is cut off")),
)
_IN_A_TASK = st.one_of(_SIMPLE, st.tuples(st.just("fire")))
_TASKS = st.tuples(st.just("task"), st.integers(0, 1), st.integers(0, 1), st.lists(_IN_A_TASK, min_size=1, max_size=2))
_STRANDS = st.tuples(st.just("strand"), st.lists(st.one_of(_SIMPLE, _TASKS), min_size=1, max_size=3))
PARTIES = st.lists(st.one_of(_TASKS, _STRANDS), min_size=2, max_size=3)


class Race:
    """A run of parties with two documents on two event loops, and a shared map and frame."""

    def __init__(self, chooser: Any, parties: Sequence[Operation]) -> None:
        self._world = World(chooser=chooser)
        self._parties = parties
        self._shared: OrderedMap[str, str] = OrderedMap()
        self._documents: list[Document] = []
        self.observations: list[tuple[str, Any]] = []

    def run(self) -> None:
        self._world.enter()
        for url in ("https://a.test/", "https://b.test/"):
            document = create_a_new_top_level_traversable(self._world.user_agent, Response(url))
            self._documents.append(document)
        self._frame = insert_an_iframe(self._documents[0])
        for number, party in enumerate(self._parties):
            self._perform(party, f"{number}")
        self._world.run_until_idle()

    def _perform(self, operation: Operation, name: str) -> None:
        match operation:
            case "write", key:
                self._shared.set(key, name)
            case "read", key:
                self._see(name, self._shared[key] if self._shared.exists(key) else None)
            case ("count",):
                self._see(name, len(self._shared))
            case ("choose",):
                self._see(name, self._world.user_agent.choose("a free choice", 2))
            case ("cut off",):
                self._frame.content_navigable = None
            case ("is cut off",):
                self._see(name, self._frame.content_navigable is None)
            case ("fire",):
                document = next(d for d in self._documents if d.event_loop is self._world.user_agent.current_event_loop)
                fire_an_event("toolchange", associated_model_context(document))
            case "task", document, source, operations:
                self._queue(self._documents[document], source, operations, f"{name} task")
            case "strand", operations:
                self._world.user_agent.in_parallel(self._strand(operations, name))

    def _queue(self, document: Document, source: int, operations: Sequence[Operation], name: str) -> None:
        def steps() -> None:
            for operation in operations:
                self._perform(operation, name)

        document.event_loop.queue_a_task(SOURCES[source], document, steps)

    def _strand(self, operations: Sequence[Operation], name: str) -> ParallelSteps:
        for number, operation in enumerate(operations):
            if number:
                yield
            self._perform(operation, f"{name} step {number}")

    def _see(self, name: str, what: object) -> None:
        self.observations.append((name, what))

    def relevant(self) -> tuple[object, ...]:
        return self._world, self._shared, self._frame, self._documents

    def state(self) -> State:
        return self._world.user_agent.state(self)

    def running(self) -> Sequence[object]:
        return self._world.user_agent.running

    def left(self) -> None:
        return None

    def result(self) -> Result:
        seen: dict[str, list[object]] = {}
        for name, what in self.observations:
            seen.setdefault(name, []).append(what)
        return tuple(sorted((name, tuple(all_seen)) for name, all_seen in seen.items()))


def every_result(parties: Sequence[Operation]) -> set[Result] | None:
    """Return every result, or None if there are too many schedules."""
    found: set[Result] = set()
    effort = every_schedule(
        lambda choices: Race(choices, parties), lambda result, schedule: found.add(result), MOST_SCHEDULES
    )
    return found if effort.complete else None


def results_of_the_graph(parties: Sequence[Operation]) -> set[Result]:
    graph = StateGraph(lambda graph: Race(graph, parties), lambda item: item, 10_000)
    graph.explore()
    assert graph.is_complete
    return {
        tuple(sorted((name, tuple(seen)) for name, seen in streams.items() if seen))
        for _, streams, _ in graph.results()
    }


def _names(operations: Sequence[Operation]) -> Iterator[str]:
    for operation in operations:
        yield operation[0]
        if isinstance(operation[-1], list):
            yield from _names(operation[-1])


@pytest.mark.usefixtures("takes_long")
@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(PARTIES)
def test_state_graph_and_every_schedule_give_the_same_results_for_generated_races(parties: list[Operation]) -> None:
    names = list(_names(parties))
    assume("write" in names or "cut off" in names)
    naive = every_result(parties)
    assume(naive is not None)
    assert results_of_the_graph(parties) == naive
