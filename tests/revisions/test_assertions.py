"""An algorithm that touches an event loop from the wrong place is a bug of the specification, and stops the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.spec.revisions.current.executions import cancel_a_pending_execution, find_a_tool_to_execute
from modelcontext.spec.revisions.current.model import WEBMCP_TASK_SOURCE
from modelcontext.spec.revisions.current.observations import perform_an_observation
from modelcontext.spec.revisions.current.tools import collect_registered_tools, notify_documents_of_a_tool_change
from modelcontext.spec.verbs import (
    a_new_abort_controller,
    a_new_promise,
    fire_an_event,
    in_parallel,
    queue_a_global_task,
    reject,
    resolve,
    signal_abort,
)

if TYPE_CHECKING:
    from modelcontext.platform.html.parallel import ParallelSteps
    from tests.revisions.conftest import Page

WRONG: dict[str, Callable[[Page], Callable[[], None]]] = {
    "resolve": lambda page: lambda: resolve(a_new_promise(page.realm), True),
    "reject": lambda page: lambda: reject(a_new_promise(page.realm), True),
    "fire an event": lambda page: lambda: fire_an_event("toolchange", page.context),
    "signal abort": lambda page: lambda: signal_abort(a_new_abort_controller(page.realm)),
}


@pytest.mark.parametrize("verb", WRONG)
def test_event_loop_verb_in_parallel_is_an_assertion_error(verb: str, page: Page) -> None:
    steps = WRONG[verb](page)

    @in_parallel
    def wrong() -> ParallelSteps:
        yield
        steps()

    with pytest.raises(SpecAssertionError, match="never in parallel"):
        page.world.run_until_idle()


@pytest.mark.parametrize("verb", WRONG)
def test_event_loop_verb_on_another_event_loop_is_an_assertion_error(verb: str, page: Page) -> None:
    other = create_a_new_top_level_traversable(page.world.user_agent, Response("https://b.test/"))
    queue_a_global_task(WEBMCP_TASK_SOURCE, other.window, WRONG[verb](page))
    with pytest.raises(SpecAssertionError, match="on the event loop of its realm"):
        page.world.run_until_idle()


@pytest.mark.parametrize("verb", WRONG)
def test_event_loop_verb_works_in_a_task_of_its_event_loop(verb: str, page: Page) -> None:
    queue_a_global_task(WEBMCP_TASK_SOURCE, page.document.window, WRONG[verb](page))
    page.world.run_until_idle()


@pytest.mark.parametrize(
    "steps",
    [
        lambda page: notify_documents_of_a_tool_change(page.document, []),
        lambda page: collect_registered_tools(page.document.origin, page.navigable, []),
        lambda page: find_a_tool_to_execute(
            page.navigable, page.document.origin, page.document, page.document.origin, "t"
        ),
        lambda page: cancel_a_pending_execution(page.navigable, 1),
        lambda page: perform_an_observation(page.navigable),
    ],
)
def test_parallel_algorithm_in_a_task_is_an_assertion_error(steps: Callable[[Page], ParallelSteps], page: Page) -> None:
    queue_a_global_task(WEBMCP_TASK_SOURCE, page.document.window, lambda: next(steps(page)))
    with pytest.raises(SpecAssertionError, match="running in parallel"):
        page.world.run_until_idle()


def test_script_cannot_catch_an_assertion_error(page: Page) -> None:
    def script() -> None:
        try:
            WRONG["resolve"](page)()
        except Exception as error:
            raise AssertionError("the error was caught") from error

    other = create_a_new_top_level_traversable(page.world.user_agent, Response("https://b.test/"))
    queue_a_global_task(WEBMCP_TASK_SOURCE, other.window, script)
    with pytest.raises(SpecAssertionError):
        page.world.run_until_idle()


def test_observation_of_an_inactive_page_is_an_assertion_error(page: Page) -> None:
    navigable = page.navigable
    page.document.node_navigable = None

    @in_parallel
    def observe() -> ParallelSteps:
        yield from perform_an_observation(navigable)

    with pytest.raises(SpecAssertionError, match="fully active"):
        page.world.run_until_idle()
