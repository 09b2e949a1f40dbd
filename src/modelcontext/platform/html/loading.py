"""The lifecycle of documents and navigables: creation, navigation, back/forward cache, removal.

The steps follow HTML's. The session history is reduced to the parts that this specification can observe: the active document,
the documents in the back/forward cache, and the moment when unloading document cleanup steps run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule import footprint
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, NAVIGATION_AND_TRAVERSAL_TASK_SOURCE
from modelcontext.platform.html.navigable import BrowsingContextGroup, Navigable, NavigableContainer, is_sandboxed
from modelcontext.platform.html.origin import OpaqueOrigin, Origin, is_origin_potentially_trustworthy, same_origin
from modelcontext.platform.html.url import url_origin, url_parser
from modelcontext.platform.infra.errors import spec_assert

if TYPE_CHECKING:
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.user_agent import UserAgent
    from modelcontext.platform.html.window import Window

#: The URLs of documents with the origin of whoever made them.
_INHERITING: Final = frozenset({"about:blank", "about:srcdoc"})


@dataclass(frozen=True, slots=True)
class Response:
    """The response of a server.

    Attributes:
        url: the final URL.
        permissions_policy: the ``Permissions-Policy`` header, "" if it has none.
        csp_sandbox: the keywords of its CSP's ``sandbox`` directive, None if it has none.
    """

    url: str
    permissions_policy: str = ""
    csp_sandbox: str | None = None


def create_a_new_top_level_traversable(
    user_agent: UserAgent, response: Response, opener: Document | None = None
) -> Document:
    """Create a top-level traversable with a loaded document; with an opener, in the group of that."""
    opener_navigable = opener.node_navigable if opener is not None else None
    group = opener_navigable.group if opener_navigable is not None else BrowsingContextGroup()
    navigable = Navigable(user_agent, group)
    document = create_a_document(navigable, response)
    activate(navigable, document)
    return document


def insert_an_iframe(
    parent: Document, *, allow: str = "", sandbox: str | None = None, src: str | None = None
) -> NavigableContainer:
    """Insert an iframe into a document, with the initial about:blank document in its content navigable."""
    footprint.about_to_write()
    container = NavigableContainer(parent, allow, sandbox)
    if src is not None:
        set_src(container, src)
    parent.navigable_containers.append(container)
    spec_assert(parent.node_navigable is not None, "the parent document has a node navigable")
    assert parent.node_navigable is not None
    navigable = Navigable(parent.node_navigable.user_agent, parent.node_navigable.group, container)
    activate(navigable, create_a_document(navigable, Response("about:blank"), is_initial_about_blank=True))
    return container


def set_src(container: NavigableContainer, src: str) -> None:
    """Set the ``src`` attribute of an iframe, as its ``allow`` attribute sees it, without navigating."""
    url = url_parser(src)
    container.src_origin = url_origin(url) if url is not None else None


def replace_the_initial_document(navigable: Navigable, response: Response) -> Document:
    """Replace the initial about:blank document of a navigable with a loaded document, at once."""
    initial = navigable.active_document
    spec_assert(initial is not None, "the navigable has its initial about:blank document")
    assert initial is not None
    document = create_a_document(navigable, response)
    destroy_a_document(initial)
    activate(navigable, document)
    return document


def create_a_document(navigable: Navigable, response: Response, *, is_initial_about_blank: bool = False) -> Document:
    """Create the document for a response, with the origin that sandboxing and the URL give it.

    See https://html.spec.whatwg.org/#initialise-the-document-object.
    """
    origin = _determine_the_origin(navigable, response)
    return Document(
        navigable,
        response.url,
        origin,
        permissions_policy=response.permissions_policy,
        is_secure_context=_is_secure_context(navigable, response.url),
        is_initial_about_blank=is_initial_about_blank,
        window=_window_of_the_initial_document(navigable, origin),
        csp_sandbox=response.csp_sandbox,
    )


def _window_of_the_initial_document(navigable: Navigable, origin: Origin) -> Window | None:
    """Return the Window that a new document of an origin takes over from the initial about:blank, or None."""
    active = navigable.active_document
    if active is not None and active.is_initial_about_blank and same_origin(active.origin, origin):
        return active.window
    return None


def _determine_the_origin(navigable: Navigable, response: Response) -> Origin:
    """https://html.spec.whatwg.org/#determining-the-origin"""
    url = response.url
    if is_sandboxed("allow-same-origin", response.csp_sandbox, navigable.container):
        return OpaqueOrigin()
    if url in _INHERITING and navigable.container is not None:
        return navigable.container.document.origin
    record = url_parser(url)
    return url_origin(record) if record is not None else OpaqueOrigin()


def _is_secure_context(navigable: Navigable, url: str) -> bool:
    """Return whether the URLs of a document and of all its ancestors are potentially trustworthy."""
    container = navigable.container
    if container is not None and not container.document.is_secure_context:
        return False
    record = url_parser(url)
    if url in _INHERITING or record is None:
        return url in _INHERITING
    # https://w3c.github.io/webappsec-secure-contexts/#is-url-trustworthy
    return record.scheme == "data" or is_origin_potentially_trustworthy(url_origin(record))


def activate(navigable: Navigable, document: Document) -> None:
    """Make a document the active one of a navigable."""
    navigable.set_active_document(document)
    document.node_navigable = navigable


def navigate(
    navigable: Navigable,
    response: Response,
    *,
    keep: bool = False,
    loaded: Callable[[Document], None] = lambda document: None,
) -> None:
    """https://html.spec.whatwg.org/#navigate

    Args:
        navigable: the navigable.
        response: the response that the server will give.
        keep: whether the old document is salvageable and is kept in the back/forward cache.
        loaded: called in a task of the new document's event loop when it has loaded.
    """
    navigable.user_agent.in_parallel(_navigate(navigable, response, keep, loaded))


def _navigate(
    navigable: Navigable, response: Response, keep: bool, loaded: Callable[[Document], None]
) -> ParallelSteps:
    old = navigable.active_document
    if old is None:
        return

    def replace() -> None:
        if not old.is_fully_active:
            return
        new = create_a_document(navigable, response)
        unload_a_document(old, keep)
        activate(navigable, new)
        new.event_loop.queue_a_task(NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, new, lambda: loaded(new))

    def replace_after_descendants() -> None:
        old.event_loop.queue_a_task(NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, old, replace)

    _unload_descendants(old, keep, replace_after_descendants)
    yield from ()


def traverse_back(navigable: Navigable) -> None:
    """Traverse to the previous document of the session history, which is in the back/forward cache.

    The document becomes active in one task and is told so in a later one, as in HTML. So tasks that have waited for it may
    come first.

    Raises:
        LookupError: if no earlier document is kept.
    """
    active = navigable.active_document
    earlier = [document for document in navigable.session_history if document is not active]
    if active is None or not earlier:
        raise LookupError("no earlier document is kept in the back/forward cache")

    active.event_loop.queue_a_task(
        NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, active, lambda: reactivate(navigable, earlier[-1], keep=False)
    )


def reactivate(navigable: Navigable, restored: Document, *, keep: bool) -> None:
    """Replace the active document of a navigable by one out of the back/forward cache, which a later task tells."""
    active = navigable.active_document
    assert active is not None
    unload_a_document(active, keep)
    activate(navigable, restored)
    restored.event_loop.queue_a_task(
        NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, restored, lambda: _fire_a_page_transition_event(restored, "pageshow")
    )


def unload_a_document(document: Document, keep: bool) -> None:
    """https://html.spec.whatwg.org/#unload-a-document"""
    document.salvageable = keep
    if not document.is_initial_about_blank:  # Its page showing is false.
        _fire_a_page_transition_event(document, "pagehide")
    _run_cleanup_steps(document)
    if keep:
        document.node_navigable = None
    else:
        destroy_a_document(document)


def destroy_a_document(document: Document) -> None:
    """https://html.spec.whatwg.org/#destroy-a-document"""
    _run_cleanup_steps(document)
    document.is_destroyed = True
    document.event_loop.remove_tasks_of(document)
    navigable = document.node_navigable
    document.node_navigable = None
    if navigable is not None:
        navigable.session_history.remove(document)


def _fire_a_page_transition_event(document: Document, type: str) -> None:
    """https://html.spec.whatwg.org/#fire-a-page-transition-event"""
    for listener in list(document.window.page_transition_listeners[type]):
        document.event_loop.run_script(document.realm, listener)


def _run_cleanup_steps(document: Document) -> None:
    document.event_loop.user_agent.hooks.unloading_document_cleanup_steps(document)


def _unload_descendants(document: Document, keep: bool, after: Callable[[], None]) -> None:
    """Unload the documents of all child navigables, each on its own event loop, then run ``after``."""
    navigables = [container.content_navigable for container in document.navigable_containers]
    active = [navigable.active_document for navigable in navigables if navigable is not None]
    children = [child for child in active if child is not None]
    waiting = len(children)
    if waiting == 0:
        after()
        return

    def one_is_done() -> None:
        nonlocal waiting
        waiting -= 1
        if waiting == 0:
            after()

    for child in children:
        _unload_child(child, keep, one_is_done)


def _unload_child(child: Document, keep: bool, done: Callable[[], None]) -> None:
    def unload() -> None:
        # NON-SPEC: HTML keeps a cached parent's frames as they are; here they stay active documents of their navigables.
        if keep:
            _run_cleanup_steps(child)
        else:
            unload_a_document(child, keep=False)
        done()

    _unload_descendants(
        child, keep, lambda: child.event_loop.queue_a_task(NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, None, unload)
    )


def remove_an_iframe(container: NavigableContainer) -> None:
    """https://html.spec.whatwg.org/#destroy-a-child-navigable

    The document stops being fully active at once. It is destroyed in a later task. That task has no document, because a task
    of a document that is not fully active would never run.
    """
    navigable = container.content_navigable
    if navigable is None:
        return
    footprint.about_to_write()
    container.content_navigable = None
    container.document.navigable_containers.remove(container)
    for document in list(navigable.session_history):
        _destroy_a_document_and_its_descendants(document)


def close(traversable: Navigable) -> None:
    """https://html.spec.whatwg.org/#definitely-close-a-top-level-traversable"""
    document = traversable.active_document
    if document is None or traversable not in traversable.user_agent.traversables:
        return
    traversable.user_agent.traversables.remove(traversable)

    def unload() -> None:
        unload_a_document(document, keep=False)
        traversable.set_active_document(None)

    _unload_descendants(
        document, False, lambda: document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, None, unload)
    )


def _destroy_a_document_and_its_descendants(document: Document) -> None:
    for container in document.navigable_containers:
        child = container.content_navigable
        if child is not None:
            for child_document in list(child.session_history):
                _destroy_a_document_and_its_descendants(child_document)
    document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, None, lambda: destroy_a_document(document))
