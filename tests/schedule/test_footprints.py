"""Every kind of footprint is needed: without its records, a race loses a result.

Each race has two parties on the bare platform that touch the same state: one changes it, the other reads it.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Generator, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import modelcontext
from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.footprint import Key, Kind
from modelcontext.ground.schedule.graph import EndlessError, StateGraph
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.hosts.world import World
from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.events import EventTarget
from modelcontext.platform.dom.nodes import Text
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, TIMER_TASK_SOURCE, TaskSource
from modelcontext.platform.html.loading import (
    Response,
    create_a_document,
    create_a_new_top_level_traversable,
    insert_an_iframe,
    set_src,
)
from modelcontext.platform.html.parallel import ParallelQueue, ParallelSteps
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.reading import from_data
from modelcontext.spec.revisions.current.model import associated_model_context
from modelcontext.spec.verbs import fire_an_event

if TYPE_CHECKING:
    from modelcontext.ground.schedule.fingerprint import State


#: Sets up the parties, which append their observations to the list.
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


def race_associated_document(world: World, document: Document, seen: list[object]) -> None:
    window = document.window
    other = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
    in_parallel(
        world,
        lambda: setattr(window, "associated_document", other),
        lambda: seen.append(window.associated_document is document),
    )


def race_listeners(target_of: Callable[[Document], EventTarget]) -> SetUp:
    def set_up(world: World, document: Document, seen: list[object]) -> None:
        target = target_of(document)
        listener = JSFunction(document.realm, lambda this, arguments: UNDEFINED)
        in_parallel(
            world,
            lambda: target.add_event_listener("change", listener),
            lambda: seen.append(target.has_listeners("change")),
        )

    return set_up


def race_arrivals(world: World, document: Document, seen: list[object]) -> None:
    program = from_data({"title": "one document", "script": {"top": [{"do": "log", "value": 1}]}})
    run = Run(program)
    run.world, run.user_agent = world, world.user_agent
    in_parallel(world, lambda: run.arrive("top", document), lambda: seen.append(run.context_of("top") is UNDEFINED))


def race_holding_the_event_loop(world: World, document: Document, seen: list[object]) -> None:
    """Set up a task that gives way, and so delays a task of its event loop that changes nothing there."""
    shared: OrderedMap[str, int] = OrderedMap()
    seen += [None, None]

    def look(place: int) -> None:
        seen[place] = shared.exists("key")

    def fire_and_look() -> None:
        fire_an_event("toolchange", associated_model_context(document))
        look(0)

    in_parallel(world, lambda: look(1))
    change = (TIMER_TASK_SOURCE, lambda: shared.set("key", 1))
    queue_tasks(document, change, (DOM_MANIPULATION_TASK_SOURCE, fire_and_look))


def one_task_sees_the_other(one: Document, other: Document, seen: list[object]) -> None:
    """Queue a task that reads two keys after it has given way, and one that writes both; it may see only one written."""
    begun: OrderedMap[str, int] = OrderedMap()
    changed: OrderedMap[str, int] = OrderedMap()

    def look() -> None:
        begun.set("begun", 1)
        seen.append((changed.exists("first"), changed.exists("second")))

    def change() -> None:
        changed.set("first", 1)
        changed.set("second", 1)

    queue_tasks(one, (TIMER_TASK_SOURCE, look))
    queue_tasks(other, (TIMER_TASK_SOURCE, change))


def race_giving_way(world: World, document: Document, seen: list[object]) -> None:
    other = create_a_new_top_level_traversable(world.user_agent, Response("https://b.test/"))
    one_task_sees_the_other(document, other, seen)


def race_giving_way_later(world: World, document: Document, seen: list[object]) -> None:
    def make_documents() -> None:
        urls = ("https://b.test/", "https://c.test/")
        one, other = (create_a_new_top_level_traversable(world.user_agent, Response(url)) for url in urls)
        one_task_sees_the_other(one, other, seen)

    in_parallel(world, make_documents)


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
    "associated Document": race_associated_document,
    "listeners of EventTarget": race_listeners(lambda document: EventTarget(document.realm)),
    "listeners of ModelContext": race_listeners(associated_model_context),
    "listeners of Node": race_listeners(lambda document: Text(document, "")),
    "listeners of AbortSignal": race_listeners(lambda document: AbortSignal(document.realm)),
    "arrivals": race_arrivals,
    "giving way": race_giving_way,
    "holding the event loop": race_holding_the_event_loop,
    "giving way later": race_giving_way_later,
}


class Race:
    """A run of two parties, whose observations are part of the state and the result at the end."""

    def __init__(self, chooser: Any, set_up: SetUp) -> None:
        self._world = World(chooser=chooser)
        self._set_up = set_up
        self._seen: list[object] = []
        self.observations: list[tuple[str, Any]] = []

    def run(self) -> None:
        self._world.enter()
        document = create_a_new_top_level_traversable(self._world.user_agent, Response("https://a.test/"))
        self._set_up(self._world, document, self._seen)
        self._world.run_until_idle()

    def state(self) -> State:
        return self._world.user_agent.state(self._seen)

    def running(self) -> Sequence[object]:
        return self._world.user_agent.running

    def left(self) -> Hashable:
        return tuple(self._seen)

    result = left


def every_result(set_up: SetUp) -> set[Hashable]:
    found: set[Hashable] = set()
    effort = every_schedule(lambda choices: Race(choices, set_up), lambda seen, schedule: found.add(seen), 500)
    assert effort.complete
    return found


def results(set_up: SetUp) -> set[Hashable]:
    graph = StateGraph(lambda graph: Race(graph, set_up), lambda item: item, 100)
    graph.explore()
    assert graph.is_complete
    return {left for _, _, left in graph.results()}


def declared_kinds() -> list[Kind]:
    """Return the kinds that the modules of the package declare, but for those of scripts in JavaScript and Python.

    Explorations with these are held against enumeration in tests/scripting/test_page_schedules.py, and in
    packages/explore/tests/test_explore.py.
    """
    package = Path(modelcontext.__file__).parent
    kinds: list[Kind] = []
    for path in (path for path in package.rglob("*.py") if not {"scripting", "face"} & {*path.parts}):
        declared = re.findall(r"^(\w+): Final = (?:footprint\.)?Kind\(", path.read_text(encoding="utf-8"), re.MULTILINE)
        if declared:
            name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            module = importlib.import_module(name)
            kinds += [value for value in (getattr(module, name) for name in declared) if isinstance(value, Kind)]
    return kinds


KINDS = declared_kinds()


def forget(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the recording of footprints of a kind."""
    read, write = footprint.read, footprint.write

    def forgetful(record: Callable[[*Key], None]) -> Callable[[*Key], None]:
        return lambda *key: None if key[0] is kind else record(*key)

    monkeypatch.setattr(footprint, "read", forgetful(read))
    monkeypatch.setattr(footprint, "write", forgetful(write))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_race_loses_a_result_without_its_footprint(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    race = RACES[kind.name]
    everything = every_result(race)
    assert len(everything) > 1
    assert results(race) == everything
    forget(kind, monkeypatch)
    assert results(race) < everything


def test_every_declared_kind_of_footprint_has_one_race() -> None:
    assert sorted(kind.name for kind in KINDS) == sorted(RACES)


def test_races_record_exactly_the_declared_kinds_of_footprint(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: set[Kind] = set()

    def noting(record: Callable[[*Key], None]) -> Callable[[*Key], None]:
        def note(*key: *Key) -> None:
            recorded.add(key[0])
            record(*key)

        return note

    monkeypatch.setattr(footprint, "read", noting(footprint.read))
    monkeypatch.setattr(footprint, "write", noting(footprint.write))
    for race in RACES.values():
        results(race)
    assert recorded == set(KINDS)


def set_up_tasks_that_give_way(world: World, document: Document, seen: list[object]) -> None:
    """Set up tasks on two event loops that read each other's writes, and a strand that reads both."""
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


def test_tasks_that_give_way_to_each_other_lose_no_result() -> None:
    assert results(set_up_tasks_that_give_way) == every_result(set_up_tasks_that_give_way)


def set_up_task_that_undoes_its_change(world: World, document: Document, seen: list[object]) -> None:
    shared: OrderedMap[str, int] = OrderedMap()

    def steps() -> None:
        shared.set("key", 1)
        shared.remove("key")
        shared.set("key", 1)

    in_parallel(world, lambda: seen.append(shared.exists("key")))
    queue_tasks(document, (TIMER_TASK_SOURCE, steps))


def test_position_of_a_task_that_gave_way_belongs_to_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    assert results(set_up_task_that_undoes_its_change) == {(False,), (True,)}
    monkeypatch.setattr("modelcontext.platform.html.user_agent.frames_under_way", lambda inner, outer: [])
    with pytest.raises(EndlessError):
        results(set_up_task_that_undoes_its_change)
