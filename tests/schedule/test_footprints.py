"""Every kind of footprint is needed: a race that loses a result as soon as nobody records that kind.

Each race has two parties that touch the same thing, on the bare platform: one changes it, one looks at it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest

import modelcontext
from modelcontext.dom.abort import AbortSignal
from modelcontext.ecmascript.values import UNDEFINED, JSFunction
from modelcontext.html.document import Document
from modelcontext.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, TIMER_TASK_SOURCE, TaskSource
from modelcontext.html.loading import (
    Response,
    create_a_document,
    create_a_new_top_level_traversable,
    insert_an_iframe,
    set_src,
)
from modelcontext.html.parallel import ParallelQueue, ParallelSteps, Strand
from modelcontext.html.user_agent import Action
from modelcontext.infra import footprint
from modelcontext.infra.footprint import Key
from modelcontext.infra.ordered_map import OrderedMap
from modelcontext.program.interpreter import Run
from modelcontext.program.language import from_data
from modelcontext.revisions.current.state import associated_model_context
from modelcontext.schedule.explore import Choices, every_schedule, every_state
from modelcontext.schedule.trace import TraceJournal
from modelcontext.world import World

#: Sets up the parties; they append what they see to the list.
SetUp = Callable[[World, Document, list[object]], None]


def in_parallel(world: World, *steps: Callable[[], object]) -> None:
    for step in steps:

        def strand(step: Callable[[], object] = step) -> ParallelSteps:
            step()
            yield from ()

        world.user_agent.in_parallel(strand())


def queue_tasks(document: Document, *tasks: tuple[TaskSource, Callable[[], None]]) -> None:
    for source, steps in tasks:
        document.event_loop.queue_a_task(source, document, steps)


def race_map_entry(world: World, document: Document, seen: list[object]) -> None:
    shared: OrderedMap[str, int] = OrderedMap()
    in_parallel(world, lambda: shared.set("key", 1), lambda: seen.append(shared.exists("key")))


def race_map(world: World, document: Document, seen: list[object]) -> None:
    shared: OrderedMap[str, int] = OrderedMap()
    in_parallel(world, lambda: shared.set("key", 1), lambda: seen.append(len(shared)))


def race_task_queue(world: World, document: Document, seen: list[object]) -> None:
    in_parallel(
        world,
        lambda: queue_tasks(document, (TIMER_TASK_SOURCE, lambda: seen.append("first"))),
        lambda: queue_tasks(document, (TIMER_TASK_SOURCE, lambda: seen.append("second"))),
    )


def race_event_loop(world: World, document: Document, seen: list[object]) -> None:
    queue_tasks(
        document,
        (TIMER_TASK_SOURCE, lambda: seen.append("timer")),
        (DOM_MANIPULATION_TASK_SOURCE, lambda: seen.append("DOM")),
    )


def race_parallel_queue(world: World, document: Document, seen: list[object]) -> None:
    queue = ParallelQueue()

    def enqueue(name: str) -> None:
        def steps() -> Generator[None, None, None]:
            seen.append(name)
            yield from ()

        world.user_agent.in_parallel(steps(), queue)

    in_parallel(world, lambda: enqueue("first"), lambda: enqueue("second"))


def race_active_document(world: World, document: Document, seen: list[object]) -> None:
    navigable = document.node_navigable
    assert navigable is not None
    in_parallel(
        world, lambda: navigable.set_active_document(None), lambda: seen.append(navigable.active_document is None)
    )


def race_node_navigable(world: World, document: Document, seen: list[object]) -> None:
    in_parallel(
        world, lambda: setattr(document, "node_navigable", None), lambda: seen.append(document.node_navigable is None)
    )


def race_content_navigable(world: World, document: Document, seen: list[object]) -> None:
    container = insert_an_iframe(document)
    in_parallel(
        world,
        lambda: setattr(container, "content_navigable", None),
        lambda: seen.append(container.content_navigable is None),
    )


def race_src(world: World, document: Document, seen: list[object]) -> None:
    container = insert_an_iframe(document)
    in_parallel(world, lambda: set_src(container, "https://b.test/"), lambda: seen.append(container.src_origin is None))


def race_window_of_window_proxy(world: World, document: Document, seen: list[object]) -> None:
    navigable = document.node_navigable
    assert navigable is not None
    other = create_a_document(navigable, Response("https://a.test/other"))
    proxy = navigable.window_proxy
    in_parallel(
        world, lambda: setattr(proxy, "window", other.window), lambda: seen.append(proxy.window is other.window)
    )


def race_listeners_of_model_context(world: World, document: Document, seen: list[object]) -> None:
    context = associated_model_context(document)
    listener = JSFunction(document.realm, lambda this, arguments: UNDEFINED)
    in_parallel(
        world,
        lambda: context.add_event_listener("toolchange", listener),
        lambda: seen.append(context.has_listeners("toolchange")),
    )


def race_listeners_of_abort_signal(world: World, document: Document, seen: list[object]) -> None:
    signal = AbortSignal(document.realm)
    listener = JSFunction(document.realm, lambda this, arguments: UNDEFINED)
    in_parallel(
        world,
        lambda: signal.add_event_listener("abort", listener),
        lambda: seen.append(signal.has_listeners("abort")),
    )


def race_arrivals(world: World, document: Document, seen: list[object]) -> None:
    program = from_data({"title": "one document", "script": {"top": [{"do": "log", "value": 1}]}})
    run = Run(program)
    run.world, run.user_agent = world, world.user_agent
    in_parallel(world, lambda: run.arrive("top", document), lambda: seen.append(run.context_of("top") is UNDEFINED))


RACES: dict[str, SetUp] = {
    "map entry": race_map_entry,
    "map": race_map,
    "task queue": race_task_queue,
    "event loop": race_event_loop,
    "parallel queue": race_parallel_queue,
    "active document": race_active_document,
    "node navigable": race_node_navigable,
    "content navigable": race_content_navigable,
    "src": race_src,
    "window of WindowProxy": race_window_of_window_proxy,
    "listeners of ModelContext": race_listeners_of_model_context,
    "listeners of AbortSignal": race_listeners_of_abort_signal,
    "arrivals": race_arrivals,
}


class Race:
    def __init__(self, choices: Choices, journal: TraceJournal | None, set_up: SetUp) -> None:
        self._world = World(chooser=choices)
        self._world.user_agent.journal = journal
        self._world.user_agent.picker = lambda actions: choices.pick([identity(action) for action in actions])
        self._set_up = set_up
        self._seen: list[object] = []

    def run(self) -> None:
        self._world.enter()
        document = create_a_new_top_level_traversable(self._world.user_agent, Response("https://a.test/"))
        self._set_up(self._world, document, self._seen)
        self._world.run_until_idle()

    def is_promising(self, schedule: Sequence[int]) -> bool:
        return True

    def result(self) -> tuple[object, ...]:
        return tuple(self._seen)


def identity(action: Action | None) -> object:
    if action is None:
        return None
    return action.identity if isinstance(action, Strand) else action[2].identity


def results(set_up: SetUp, *, naive: bool = False) -> set[tuple[object, ...]]:
    found: set[tuple[object, ...]] = set()
    explore = every_schedule if naive else every_state
    effort = explore(
        lambda choices, journal: Race(choices, journal, set_up), lambda seen, schedule: found.add(seen), 100
    )
    assert effort.complete
    return found


def forget(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody record footprints of a kind."""
    read, write = footprint.read, footprint.write

    def forgetful(record: Callable[[Key], None]) -> Callable[[Key], None]:
        return lambda key: None if key[0] == kind else record(key)

    monkeypatch.setattr(footprint, "read", forgetful(read))
    monkeypatch.setattr(footprint, "write", forgetful(write))


@pytest.mark.parametrize("kind", RACES)
def test_a_race_loses_a_result_without_its_footprint(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = results(RACES[kind], naive=True)
    assert len(everything) == 2
    assert results(RACES[kind]) == everything
    forget(kind, monkeypatch)
    assert len(results(RACES[kind])) == 1


def test_every_recorded_kind_has_a_race() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(modelcontext.__file__).parent.rglob("*.py")]
    recorded = {kind for text in sources for kind in re.findall(r'footprint\.(?:read|write)\(\(f?"([^"]+)"', text)}
    of_every_target = "listeners of {self.interface}"
    assert recorded - {of_every_target} == {kind for kind in RACES if not kind.startswith("listeners of")}
    assert of_every_target in recorded


def set_up_tasks_that_give_way(world: World, document: Document, seen: list[object]) -> None:
    """Two tasks on two event loops look at each other's work, and a strand looks at both from beside."""
    other = create_a_new_top_level_traversable(world.user_agent, Response("https://b.test/"))
    begun: OrderedMap[str, int] = OrderedMap()
    done: OrderedMap[str, int] = OrderedMap()

    def steps(mine: str, others: str) -> None:
        begun.set(mine, 1)
        seen.append((mine, done.exists(others)))
        done.set(mine, 1)

    def look_from_beside() -> None:
        seen.append(tuple(shared.exists(name) for shared in (begun, done) for name in ("first", "second")))

    in_parallel(world, look_from_beside)
    queue_tasks(document, (TIMER_TASK_SOURCE, lambda: steps("first", "second")))
    queue_tasks(other, (TIMER_TASK_SOURCE, lambda: steps("second", "first")))


def test_which_task_gave_way_last_belongs_to_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = results(set_up_tasks_that_give_way, naive=True)
    assert results(set_up_tasks_that_give_way) == everything
    monkeypatch.setattr(TraceJournal, "state", property(lambda journal: (frozenset(journal._done), ())))
    assert results(set_up_tasks_that_give_way) < everything
