"""Observations by the browser's agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.current.observations import perform_an_observation

if TYPE_CHECKING:
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.spec.revisions.current.model import ObservedDocument
    from tests.revisions.conftest import Page


def observe(page: Page) -> dict[int, ObservedDocument]:
    observed: list[dict[int, ObservedDocument]] = []

    def steps() -> ParallelSteps:
        observed.append((yield from perform_an_observation(page.navigable)))

    page.world.user_agent.in_parallel(steps())
    page.world.run_until_idle()
    return observed[0]


def test_observation_has_every_document_with_its_tools_in_tree_order(page: Page) -> None:
    first = page.frame("first", "https://b.test/", allow="tools")
    inner = first.frame("inner", "https://c.test/")
    second = page.frame("second")
    for name in ("y", "x"):
        second.register(name)
    first.register("hidden")
    observation = observe(page)
    documents = [page.document, first.document, inner.document, second.document]
    assert [key for key, _ in observation.items()] == [document.unique_id for document in documents]
    assert [observed.origin for observed in observation.values()] == [document.origin for document in documents]
    assert [[tool.name for tool in observed.tools] for observed in observation.values()] == [
        [], ["hidden"], [], ["y", "x"],
    ]  # fmt: skip


def test_observation_does_not_change_later(page: Page) -> None:
    page.register("before")
    [observed] = observe(page).values()
    page.register("after")
    assert [tool.name for tool in observed.tools] == ["before"]
