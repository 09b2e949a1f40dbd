"""Executions whose caller or target goes away, or comes back from the back/forward cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.html.loading import Response, navigate, remove_an_iframe, traverse_back
from modelcontext.spec.revisions.current.model import WEBMCP_TASK_SOURCE, pending_executions_map
from modelcontext.spec.verbs import fire_an_event, queue_a_global_task

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import Promise
    from tests.revisions.conftest import Page

NEXT = Response("https://a.test/next")


def leave(page: Page, frame: Page, way: str) -> None:
    if way == "removed":
        page.run(lambda: remove_an_iframe(page.document.navigable_containers[0]))
    else:
        navigate(frame.navigable, NEXT, keep=way == "cached")
        page.world.run_until_idle()


@pytest.mark.parametrize("way", ["navigated", "cached", "removed"])
def test_execution_fails_if_its_target_goes_away(way: str, page: Page, state_of: Callable[[Promise], str]) -> None:
    target = page.frame("frame")
    target.register()
    call = page.execute(target)
    page.log.clear()
    assert len(pending_executions_map(page.navigable)) == 1
    leave(page, target, way)
    assert state_of(call) == "UnknownError"
    assert len(pending_executions_map(page.navigable)) == 0
    assert len(target.context.internal_context.local_pending_executions_map) == 1
    assert [signal.aborted for signal in target.signals] == [False]
    assert page.log == []


@pytest.mark.parametrize("way", ["navigated", "cached", "removed"])
def test_execution_is_canceled_if_its_caller_goes_away(
    way: str, page: Page, state_of: Callable[[Promise], str]
) -> None:
    caller = page.frame("frame")
    page.register()
    call = caller.execute(page)
    page.log.clear()
    leave(page, caller, way)
    assert state_of(call) == "pending"
    assert len(pending_executions_map(page.navigable)) == 0
    assert len(page.context.internal_context.local_pending_executions_map) == 0
    assert [signal.aborted for signal in page.signals] == [True]
    assert page.log == ["page: toolcancel"]


@pytest.mark.parametrize("way", ["navigated", "cached", "removed"])
def test_execution_stays_pending_if_caller_and_target_go_away(
    way: str, page: Page, state_of: Callable[[Promise], str]
) -> None:
    frame = page.frame("frame")
    frame.register()
    call = frame.execute(frame)
    page.log.clear()
    leave(page, frame, way)
    assert state_of(call) == "pending"
    assert len(pending_executions_map(page.navigable)) == 0
    assert [signal.aborted for signal in frame.signals] == [False]
    assert page.log == []


def test_unloading_another_document_leaves_an_execution_pending(page: Page, state_of: Callable[[Promise], str]) -> None:
    frame, other = page.frame("frame"), page.frame("other")
    result = other.register()
    call = page.execute(other)
    leave(page, frame, "removed")
    assert state_of(call) == "pending"
    page.run(lambda: result.resolve(1))
    assert call.result == "1"


def test_execution_in_a_target_that_comes_back_has_already_failed(
    page: Page, state_of: Callable[[Promise], str]
) -> None:
    target = page.frame("frame")
    result = target.register()
    call = page.execute(target)
    navigable = target.navigable
    leave(page, target, "cached")
    traverse_back(navigable)
    page.world.run_until_idle()
    assert target.document.is_fully_active
    target.run(lambda: result.resolve(1))
    assert len(target.context.internal_context.local_pending_executions_map) == 0
    assert state_of(call) == "UnknownError"


def test_tasks_of_a_cached_document_wait_for_its_return(page: Page) -> None:
    frame = page.frame("frame")
    navigable = frame.navigable
    leave(page, frame, "cached")
    queue_a_global_task(WEBMCP_TASK_SOURCE, frame.document.window, lambda: fire_an_event("toolchange", frame.context))
    page.world.run_until_idle()
    assert page.log == []
    traverse_back(navigable)
    page.world.run_until_idle()
    assert page.log == ["frame: toolchange"]


def test_tools_of_a_cached_document_can_be_executed_after_its_return(
    page: Page, state_of: Callable[[Promise], str]
) -> None:
    frame = page.frame("frame")
    frame.register()
    navigable = frame.navigable
    leave(page, frame, "cached")
    assert state_of(page.execute(frame)) == "UnknownError"
    traverse_back(navigable)
    page.world.run_until_idle()
    assert state_of(page.execute(frame)) == "pending"
