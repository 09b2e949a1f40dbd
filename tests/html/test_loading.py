"""Navigation, the back/forward cache, closing, secure contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.html.event_loop import TIMER_TASK_SOURCE
from modelcontext.platform.html.loading import (
    Response,
    close,
    create_a_new_top_level_traversable,
    insert_an_iframe,
    navigate,
    remove_an_iframe,
    replace_the_initial_document,
    traverse_back,
)
from modelcontext.platform.html.navigable import Navigable, inclusive_descendant_navigables
from modelcontext.platform.html.origin import is_opaque, same_origin

if TYPE_CHECKING:
    from modelcontext.hosts.world import World
    from modelcontext.platform.html.document import Document


def navigable_of(document: Document) -> Navigable:
    assert document.node_navigable is not None
    return document.node_navigable


def frame(parent: Document, url: str, sandbox: str | None = None) -> Document:
    container = insert_an_iframe(parent, sandbox=sandbox)
    assert container.content_navigable is not None
    return replace_the_initial_document(container.content_navigable, Response(url))


def test_navigation_replaces_and_destroys_the_old_documents(world: World, page: Document) -> None:
    navigable = navigable_of(page)
    child = frame(page, "https://b.test/")
    loaded: list[Document] = []
    navigate(navigable, Response("https://c.test/"), loaded=loaded.append)
    assert page.is_fully_active
    world.run_until_idle()
    new = navigable.active_document
    assert loaded == [new]
    assert new is not None
    assert navigable.window_proxy.window is new.window
    assert [document.is_fully_active for document in (page, child, new)] == [False, False, True]
    assert [document.is_destroyed for document in (page, child, new)] == [True, True, False]
    assert navigable.session_history == [new]


def test_document_in_the_back_forward_cache_comes_back(world: World, page: Document) -> None:
    navigable = navigable_of(page)
    navigate(navigable, Response("https://c.test/"), keep=True)
    world.run_until_idle()
    new = navigable.active_document
    assert new is not None
    assert (page.is_fully_active, page.is_destroyed) == (False, False)
    traverse_back(navigable)
    world.run_until_idle()
    assert navigable.active_document is page
    assert page.is_fully_active
    assert new.is_destroyed
    assert navigable.window_proxy.window is page.window


def test_document_in_the_back_forward_cache_gets_pagehide_and_pageshow(world: World, page: Document) -> None:
    heard: list[str] = []
    for type_, listeners in page.window.page_transition_listeners.items():
        listeners.append(lambda type_=type_: heard.append(f"{type_}, active: {page.is_fully_active}"))  # type: ignore[misc]
    navigate(navigable_of(page), Response("https://c.test/"), keep=True)
    world.run_until_idle()
    page.event_loop.queue_a_task(TIMER_TASK_SOURCE, page, lambda: heard.append("waiting task"))
    world.run_until_idle()
    assert heard == ["pagehide, active: True"]
    navigable = next(navigable for navigable in world.user_agent.traversables)
    traverse_back(navigable)
    world.run_until_idle()
    assert heard == ["pagehide, active: True", "waiting task", "pageshow, active: True"]


def test_traversing_back_without_a_cached_document_is_a_lookup_error(page: Document) -> None:
    with pytest.raises(LookupError, match="no earlier document"):
        traverse_back(navigable_of(page))


def test_navigation_of_a_frame_that_is_then_removed_does_nothing(world: World, page: Document) -> None:
    child = frame(page, "https://b.test/")
    loaded: list[Document] = []
    navigate(navigable_of(child), Response("https://c.test/"), loaded=loaded.append)
    remove_an_iframe(page.navigable_containers[0])
    world.run_until_idle()
    assert loaded == []
    assert page.navigable_containers == []


def test_removing_a_removed_iframe_does_nothing(world: World, page: Document) -> None:
    frame(page, "https://b.test/")
    [container] = page.navigable_containers
    remove_an_iframe(container)
    remove_an_iframe(container)
    world.run_until_idle()
    assert container.content_navigable is None


def test_closing_a_closed_traversable_does_nothing(world: World, page: Document) -> None:
    navigable = navigable_of(page)
    child = frame(page, "https://b.test/")
    close(navigable)
    close(navigable)
    world.run_until_idle()
    close(navigable)
    assert world.user_agent.traversables == []
    assert navigable.active_document is None
    assert (page.is_destroyed, child.is_destroyed) == (True, True)


def test_descendant_navigables_come_depth_first(page: Document) -> None:
    first = frame(page, "https://a.test/1")
    second = frame(page, "https://b.test/2")
    inner = frame(first, "https://c.test/1/1")
    documents = [navigable.active_document for navigable in inclusive_descendant_navigables(page)]
    assert documents == [page, first, inner, second]


def test_new_frame_has_an_initial_document_of_its_parents_origin(page: Document) -> None:
    container = insert_an_iframe(page)
    assert container.content_navigable is not None
    initial = container.content_navigable.active_document
    assert initial is not None
    assert initial.url == "about:blank"
    assert same_origin(initial.origin, page.origin)


@pytest.mark.parametrize(
    ("sandbox", "opaque"),
    [(None, False), ("", True), ("allow-scripts", True), ("allow-scripts Allow-Same-Origin", False)],
)
def test_sandbox_without_allow_same_origin_makes_origins_opaque(
    sandbox: str | None, opaque: bool, page: Document
) -> None:
    child = frame(page, "https://a.test/child", sandbox)
    assert is_opaque(child.origin) is opaque
    assert is_opaque(frame(child, "https://a.test/grandchild").origin) is opaque


@pytest.mark.parametrize(
    ("urls", "secure"),
    [
        (["https://a.test/"], True),
        (["http://a.test/"], False),
        (["http://localhost/"], True),
        (["https://a.test/", "http://b.test/"], False),
        (["http://a.test/", "https://b.test/"], False),
        (["https://a.test/", "https://b.test/", "https://c.test/"], True),
        (["https://a.test/", "http://b.test/", "https://c.test/"], False),
        (["https://a.test/", "about:blank"], True),
        (["http://a.test/", "about:blank"], False),
    ],
)
def test_document_is_a_secure_context_if_all_ancestors_are_trustworthy(
    urls: list[str], secure: bool, world: World
) -> None:
    document = create_a_new_top_level_traversable(world.user_agent, Response(urls[0]))
    for url in urls[1:]:
        document = frame(document, url)
    assert document.is_secure_context is secure
    context = world.boundary.get(document, "modelContext")
    assert bool(context) is secure


def test_document_of_the_same_origin_takes_over_the_window_of_the_initial_about_blank(
    world: World, page: Document
) -> None:
    navigable = insert_an_iframe(page).content_navigable
    assert navigable is not None
    initial = navigable.active_document
    assert initial is not None
    navigate(navigable, Response("https://a.test/frame"))
    world.run_until_idle()
    loaded = navigable.active_document
    assert loaded is not None
    assert loaded is not initial
    assert loaded.window is initial.window
    assert loaded.realm is initial.realm
    assert loaded.window.associated_document is loaded
    assert (initial.is_destroyed, initial.is_fully_active, loaded.is_fully_active) == (True, False, True)


@pytest.mark.parametrize(
    ("url", "sandbox"),
    [("https://b.test/", None), ("https://a.test/", "allow-scripts")],
    ids=["another origin", "opaque origins"],
)
def test_document_of_another_origin_has_a_window_of_its_own(
    url: str, sandbox: str | None, world: World, page: Document
) -> None:
    navigable = insert_an_iframe(page, sandbox=sandbox).content_navigable
    assert navigable is not None
    initial = navigable.active_document
    assert initial is not None
    navigate(navigable, Response(url))
    world.run_until_idle()
    loaded = navigable.active_document
    assert loaded is not None
    assert loaded.window is not initial.window
    assert loaded.realm is not initial.realm
    assert initial.window.associated_document is initial


def test_window_is_taken_over_once_and_by_no_later_navigation(world: World, page: Document) -> None:
    first = frame(page, "https://a.test/first")
    navigable = navigable_of(first)
    navigate(navigable, Response("https://a.test/second"))
    world.run_until_idle()
    second = navigable.active_document
    assert second is not None
    assert second.window is not first.window


def test_initial_about_blank_hears_no_pagehide(world: World, page: Document) -> None:
    navigable = insert_an_iframe(page).content_navigable
    assert navigable is not None
    initial = navigable.active_document
    assert initial is not None
    heard: list[str] = []
    initial.window.page_transition_listeners["pagehide"].append(lambda: heard.append("pagehide"))
    navigate(navigable, Response("https://b.test/"))
    world.run_until_idle()
    assert initial.is_destroyed
    assert heard == []
