"""Navigables, their containers and browsing context groups (https://html.spec.whatwg.org/#navigables)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule import footprint
from modelcontext.platform.html.permissions_policy import Allowlist, parse_container_policy
from modelcontext.platform.html.window import WindowProxy

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.user_agent import UserAgent

_SRC: Final = footprint.Kind("src")
_CONTENT_NAVIGABLE: Final = footprint.Kind("content navigable", activity=True, structure=True)
_ACTIVE_DOCUMENT: Final = footprint.Kind("active document", activity=True, structure=True)


class BrowsingContextGroup:
    """A browsing context group: traversables that can reach each other's windows."""

    __slots__ = ()


class NavigableContainer:
    """An iframe element: its relevant attributes, its node document, and its content navigable.

    ``src_origin`` is the origin that ``'src'`` in an ``allow`` attribute stands for, or None for the content's own.
    """

    __slots__ = ("_content_navigable", "_name", "_src_origin", "allow", "document", "sandbox")

    def __init__(self, document: Document, allow: str, sandbox: str | None) -> None:
        self.document = document
        self.allow = allow
        self.sandbox = sandbox
        self._name = footprint.new_name()
        self._src_origin: Origin | None = None
        self._content_navigable: Navigable | None = None

    @property
    def sandboxes_the_origin(self) -> bool:
        """True if its own ``sandbox`` attribute makes the origin of its content opaque."""
        return self.sandbox is not None and "allow-same-origin" not in self.sandbox.lower().split()

    @property
    def src_origin(self) -> Origin | None:
        """The origin of the ``src`` attribute."""
        footprint.read(_SRC, self._name)
        return self._src_origin

    @src_origin.setter
    def src_origin(self, origin: Origin | None) -> None:
        footprint.write(_SRC, self._name)
        self._src_origin = origin

    def policy(self, origin: Origin) -> dict[str, Allowlist]:
        """Return the container policy for a document of an origin that is made now."""
        return parse_container_policy(self.allow, self.document.origin, self.src_origin or origin)

    @property
    def content_navigable(self) -> Navigable | None:
        """The content navigable; None after the removal of the element."""
        footprint.read(_CONTENT_NAVIGABLE, self._name)
        return self._content_navigable

    @content_navigable.setter
    def content_navigable(self, navigable: Navigable | None) -> None:
        footprint.write(_CONTENT_NAVIGABLE, self._name)
        self._content_navigable = navigable


class Navigable:
    """A navigable; one without a parent is a top-level traversable.

    ``extensions`` holds the objects that other specifications associate with the navigable. ``session_history`` lists the
    living documents of its session history entries, including the active one.
    """

    __slots__ = (
        "_active_document",
        "_name",
        "container",
        "extensions",
        "group",
        "parent",
        "session_history",
        "user_agent",
        "window_proxy",
    )

    def __init__(
        self, user_agent: UserAgent, group: BrowsingContextGroup, container: NavigableContainer | None = None
    ) -> None:
        self.user_agent = user_agent
        self.group = group
        self.container = container
        self.parent: Navigable | None = container.document.node_navigable if container is not None else None
        self.extensions: dict[str, object] = {}
        self.session_history: list[Document] = []
        self.window_proxy = WindowProxy()
        self._name = footprint.new_name()
        self._active_document: Document | None = None
        if container is not None:
            container.content_navigable = self
        else:
            user_agent.traversables.append(self)
            user_agent.hooks.initialize_traversable(self)

    @property
    def active_document(self) -> Document | None:
        """The active document; None only before the first and after the last."""
        if footprint.current is not None:
            footprint.read(_ACTIVE_DOCUMENT, self._name)
        return self._active_document

    def set_active_document(self, document: Document | None) -> None:
        """Make a document the active one, and point the browsing context's WindowProxy at its window."""
        footprint.write(_ACTIVE_DOCUMENT, self._name)
        self._active_document = document
        if document is not None:
            self.window_proxy.window = document.window

    @property
    def traversable_navigable(self) -> Navigable:
        """The nearest ancestor without a parent (nested traversables do not exist here)."""
        navigable = self
        while navigable.parent is not None:
            navigable = navigable.parent
        return navigable


def is_sandboxed(without: str, csp_sandbox: str | None, container: NavigableContainer | None) -> bool:
    """Return whether a sandbox lacks a keyword: that of a document's CSP, or one around its container.

    See https://html.spec.whatwg.org/#determining-the-creation-sandboxing-flags.
    """
    if csp_sandbox is not None and without not in csp_sandbox.lower().split():
        return True
    if container is None:
        return False
    if container.sandbox is not None and without not in container.sandbox.lower().split():
        return True
    return is_sandboxed(without, container.document.csp_sandbox, container.document.container)


def is_sandboxed_without(document: Document, keyword: str) -> bool:
    """Return whether a sandbox of, or around, a document lacks a keyword (https://html.spec.whatwg.org/#sandboxing)."""
    return is_sandboxed(keyword, document.csp_sandbox, document.container)


def inclusive_descendant_navigables(document: Document) -> list[Navigable]:
    """https://html.spec.whatwg.org/#inclusive-descendant-navigables"""
    navigable = document.node_navigable
    return [] if navigable is None else [navigable, *descendant_navigables(document)]


def descendant_navigables(document: Document) -> Iterator[Navigable]:
    """https://html.spec.whatwg.org/#descendant-navigables"""
    # The list needs no footprint of its own: an action that finds a container reads its content navigable, and an action
    # that inserts or removes a container writes that.
    for container in document.navigable_containers:
        navigable = container.content_navigable
        if navigable is not None:
            yield navigable
            if navigable.active_document is not None:
                yield from descendant_navigables(navigable.active_document)
