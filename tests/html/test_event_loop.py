"""Tasks, microtasks and parallel queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.schedule.choose import Replay, Seeded
from modelcontext.hosts.world import World
from modelcontext.platform.html.event_loop import (
    DOM_MANIPULATION_TASK_SOURCE,
    POSTED_MESSAGE_TASK_SOURCE,
    TIMER_TASK_SOURCE,
    TaskSource,
)
from modelcontext.platform.html.loading import (
    Response,
    create_a_new_top_level_traversable,
    destroy_a_document,
    insert_an_iframe,
    remove_an_iframe,
    replace_the_initial_document,
)
from modelcontext.platform.html.parallel import ParallelQueue, ParallelSteps
from modelcontext.platform.html.user_agent import RunawayError

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document


def child_of(page: Document, url: str = "https://a.test/child") -> Document:
    container = insert_an_iframe(page)
    assert container.content_navigable is not None
    return replace_the_initial_document(container.content_navigable, Response(url))


def queue(document: Document, log: list[str], entry: str, source: TaskSource = TIMER_TASK_SOURCE) -> None:
    document.event_loop.queue_a_task(source, document, lambda: log.append(entry))


@pytest.mark.parametrize("seed", range(20))
def test_tasks_of_one_source_run_in_order_of_queueing(seed: int) -> None:
    world = World(chooser=Seeded(seed))
    page = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
    log: list[str] = []
    for number in range(4):
        queue(page, log, f"timer {number}")
        queue(page, log, f"message {number}", POSTED_MESSAGE_TASK_SOURCE)
    world.run_until_idle()
    for kind in ("timer", "message"):
        assert [entry for entry in log if entry.startswith(kind)] == [f"{kind} {number}" for number in range(4)]


def test_tasks_of_two_sources_run_in_any_order() -> None:
    def run(first: int) -> list[str]:
        world = World(chooser=Replay([first]))
        page = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
        log: list[str] = []
        queue(page, log, "timer")
        queue(page, log, "DOM", DOM_MANIPULATION_TASK_SOURCE)
        world.run_until_idle()
        return log

    assert run(0) == ["timer", "DOM"]
    assert run(1) == ["DOM", "timer"]


def test_documents_share_an_event_loop_by_origin_and_group(world: World, page: Document) -> None:
    group = page.node_navigable.group if page.node_navigable else None
    same, other = child_of(page), child_of(page, "https://b.test/")
    popup = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/popup"), page)
    stranger = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/stranger"))
    assert same.event_loop is page.event_loop
    assert popup.event_loop is page.event_loop
    assert other.event_loop is not page.event_loop
    assert stranger.event_loop is not page.event_loop
    assert group is not None


def test_each_sandboxed_document_has_its_own_event_loop(page: Document) -> None:
    children = []
    for _ in range(2):
        container = insert_an_iframe(page, sandbox="allow-scripts")
        assert container.content_navigable is not None
        children.append(
            replace_the_initial_document(container.content_navigable, Response("https://a.test/")).event_loop
        )
    assert len({id(loop) for loop in [page.event_loop, *children]}) == 3


def test_task_of_an_inactive_document_waits_and_blocks_no_other_task(world: World, page: Document) -> None:
    child = child_of(page)
    navigable = child.node_navigable
    log: list[str] = []
    queue(child, log, "child")
    queue(page, log, "page")
    child.node_navigable = None
    world.run_until_idle()
    assert log == ["page"]
    child.node_navigable = navigable
    world.run_until_idle()
    assert log == ["page", "child"]


def test_destroying_a_document_drops_its_tasks(world: World, page: Document) -> None:
    child = child_of(page)
    navigable = child.node_navigable
    log: list[str] = []
    queue(child, log, "child")
    queue(page, log, "page")
    child.event_loop.queue_a_task(TIMER_TASK_SOURCE, None, lambda: log.append("without document"))
    destroy_a_document(child)
    child.node_navigable = navigable
    world.run_until_idle()
    assert log == ["page", "without document"]


def test_removing_a_frame_makes_its_documents_inactive_at_once(world: World, page: Document) -> None:
    child = child_of(page)
    grandchild = child_of(child)
    log: list[str] = []
    queue(grandchild, log, "grandchild")
    remove_an_iframe(page.navigable_containers[0])
    assert [document.is_fully_active for document in (page, child, grandchild)] == [True, False, False]
    assert not child.is_destroyed
    world.run_until_idle()
    assert [document.is_destroyed for document in (page, child, grandchild)] == [False, True, True]
    assert log == []


def test_microtasks_run_after_every_task_and_every_outermost_script(world: World, page: Document) -> None:
    log: list[str] = []
    agent, realm = page.agent, page.realm

    def script(name: str) -> None:
        agent.enqueue_promise_job(lambda: log.append(f"{name}'s microtask"), realm)
        log.append(name)

    def task() -> None:
        agent.run_script(realm, lambda: script("first"))
        agent.run_script(realm, lambda: agent.run_script(realm, lambda: script("nested")))
        script("no script")
        log.append("end of task")

    page.event_loop.queue_a_task(TIMER_TASK_SOURCE, page, task)
    queue(page, log, "next task")
    world.run_until_idle()
    assert log == [
        "first", "first's microtask", "nested", "nested's microtask",
        "no script", "end of task", "no script's microtask", "next task",
    ]  # fmt: skip


def test_microtasks_of_an_inactive_document_do_not_run(world: World, page: Document) -> None:
    child = child_of(page)
    log: list[str] = []

    def task() -> None:
        page.agent.enqueue_promise_job(lambda: log.append("child"), child.realm)
        page.agent.enqueue_promise_job(lambda: log.append("page"), page.realm)
        page.agent.enqueue_promise_job(lambda: log.append("without document"), None)
        child.node_navigable = None

    page.event_loop.queue_a_task(TIMER_TASK_SOURCE, page, task)
    world.run_until_idle()
    assert log == ["page", "without document"]


@pytest.mark.parametrize("seed", range(10))
def test_parallel_queue_runs_one_strand_after_the_other(seed: int) -> None:
    world = World(chooser=Seeded(seed))
    log: list[str] = []
    shared = ParallelQueue()

    def steps(name: str) -> ParallelSteps:
        log.append(f"{name} begins")
        yield
        log.append(f"{name} ends")

    for name in ("first", "second"):
        world.user_agent.in_parallel(steps(name), shared)
    world.user_agent.in_parallel(steps("other"))
    world.run_until_idle()
    assert [entry for entry in log if not entry.startswith("other")] == [
        "first begins", "first ends", "second begins", "second ends",
    ]  # fmt: skip


def test_run_that_exceeds_its_bound_is_a_runaway_error(world: World, page: Document) -> None:
    def again() -> None:
        page.event_loop.queue_a_task(TIMER_TASK_SOURCE, page, again)

    again()
    with pytest.raises(RunawayError, match="the run was stopped after 100 actions"):
        world.run_until_idle(100)
