"""Windows, locations and histories for scripts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from modelcontext.hosts.scripting.border import WindowTarget
from modelcontext.hosts.scripting.members.member_tables import (
    GETTERS,
    OPERATIONS,
    SETTERS,
    Getter,
    getter,
    operation,
    setter,
)
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue, Throw, call
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.origin import same_origin, serialization
from modelcontext.platform.html.url import url_object, url_origin, url_parser
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.dom.nodes import DocumentNode
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.window import Window


def _window(parts: Parts, target: EventTarget) -> Window:
    return parts.realms.border.windows[target]


def _document(parts: Parts, target: EventTarget) -> Document:
    return _window(parts, target).associated_document


def child_navigables(document: Document) -> list[Navigable]:
    """Return the child navigables of a document, in the order in which they were inserted."""
    found = [container.content_navigable for container in document.navigable_containers]
    return [navigable for navigable in found if navigable is not None]


def _navigable(parts: Parts, target: EventTarget) -> Navigable:
    return parts.realms.navigable_of[_document(parts, target)]


def _window_getter(name: str) -> Callable[[Getter], Getter]:
    return getter(f"Window.{name}")


GETTERS["Window.document"] = lambda parts, target: _document(parts, target)
GETTERS["Window.navigator"] = lambda parts, target: _window(parts, target).navigator


class _OfWindow(PlatformObject):
    """An object of which each Window has one; it is about ``document``, the associated Document."""

    __slots__ = ("_window",)

    def __init__(self, window: Window) -> None:
        super().__init__(window.realm)
        self._window = window

    @property
    def document(self) -> Document:
        return self._window.associated_document


class Location(_OfWindow):
    """A Location object."""

    __slots__ = ()
    interface = "Location"


class History(_OfWindow):
    """A History object."""

    __slots__ = ()
    interface = "History"


def _associated(window: Window, kind: Callable[[Window], Any]) -> Any:
    target = window.event_target
    assert isinstance(target, WindowTarget)
    if kind not in target.associated:
        target.associated[kind] = kind(window)
    return target.associated[kind]


@_window_getter("location")
def window_location(parts: Parts, target: EventTarget) -> Location | None:
    """https://html.spec.whatwg.org/#dom-location"""
    return document_location(parts, _document(parts, target))


@getter("Document.location")
def document_location(parts: Parts, document: DocumentNode) -> Location | None:
    """https://html.spec.whatwg.org/#dom-document-location"""
    return _associated(document.window, Location) if isinstance(document, Document) else None


GETTERS["Window.history"] = lambda parts, target: _associated(_window(parts, target), History)


@_window_getter("parent")
def window_parent(parts: Parts, target: EventTarget) -> JSValue:
    """https://html.spec.whatwg.org/#dom-parent"""
    navigable = _document(parts, target).node_navigable
    return (navigable.parent or navigable).window_proxy if navigable is not None else None


@_window_getter("top")
def window_top(parts: Parts, target: EventTarget) -> JSValue:
    """https://html.spec.whatwg.org/#dom-top"""
    navigable = _document(parts, target).node_navigable
    return navigable.traversable_navigable.window_proxy if navigable is not None else None


@_window_getter("opener")
def window_opener(parts: Parts, target: EventTarget) -> JSValue:
    """https://html.spec.whatwg.org/#dom-opener"""
    navigable = _document(parts, target).node_navigable
    opener = parts.loader.opener_of.get(navigable) if navigable is not None else None
    return opener.window_proxy if opener is not None else None


@_window_getter("frameElement")
def frame_element(parts: Parts, target: EventTarget) -> Any:
    """https://html.spec.whatwg.org/#dom-frameelement"""
    document = _document(parts, target)
    container = document.container
    if container is None or container.document.agent is not document.agent:
        return None
    return parts.loadings.iframes.get(container)


GETTERS["Window.length"] = lambda parts, target: len(child_navigables(_document(parts, target)))
GETTERS["Window.name"] = lambda parts, target: parts.loader.name_of(_navigable(parts, target))
SETTERS["Window.name"] = lambda parts, target, name: parts.loader.set_name(_navigable(parts, target), name)
GETTERS["Window.origin"] = lambda parts, target: serialization(_document(parts, target).origin)
GETTERS["Window.isSecureContext"] = lambda parts, target: _document(parts, target).is_secure_context
GETTERS["Window.originAgentCluster"] = lambda parts, target: parts.loadings.of(_document(parts, target)).is_origin_keyed


@_window_getter("closed")
def window_closed(parts: Parts, target: EventTarget) -> bool:
    """https://html.spec.whatwg.org/#dom-window-closed"""
    navigable = _navigable(parts, target)
    return navigable in parts.loader.closed or (
        navigable is not None
        and navigable.container is not None
        and navigable.container.content_navigable is not navigable
    )


@operation("Window.open")
def window_open(parts: Parts, target: EventTarget, url: Any, name: Any, features: Any) -> JSValue:
    """https://html.spec.whatwg.org/#dom-open"""
    words = ["" if one is UNDEFINED else one for one in (url, name, features)]
    navigable = parts.loader.open_popup(_document(parts, target), *words)
    return navigable.window_proxy if navigable is not None else None


@operation("Window.close")
def window_close(parts: Parts, target: EventTarget) -> None:
    """https://html.spec.whatwg.org/#dom-window-close"""
    navigable = _navigable(parts, target)
    if navigable is not None:
        parts.loader.close(navigable)


OPERATIONS["Window.close_other"] = lambda parts, target, navigable: parts.loader.close(
    parts.realms.border.navigable_of(navigable)
)


@operation("Window.focus", "Window.blur", "Window.stop", "Window.print", "Window.moveTo", "Window.resizeTo")
@operation("Window.scroll", "Window.scrollTo", "Window.scrollBy")
@operation("Element.scroll", "Element.scrollTo", "Element.scrollBy", "Element.scrollIntoView")
def nothing(parts: Parts, target: EventTarget, *_: object) -> None:
    """Do nothing, where nothing can be seen."""


OPERATIONS["Window.reportError"] = lambda parts, target, error: parts.realms.report_an_exception(
    _document(parts, target), error
)


@setter("Window.onerror")
def set_onerror(parts: Parts, target: EventTarget, value: JSValue) -> None:
    """https://html.spec.whatwg.org/#the-event-handler-processing-algorithm (of an ErrorEvent)"""
    parts.handlers_of_windows[target] = value
    if not isinstance(value, JSFunction):
        target.set_event_handler("error", None)
        return

    def behavior(this: JSValue, values: list[JSValue]) -> JSValue:
        [event] = values
        assert isinstance(event, Event)
        if event.event_interface != "ErrorEvent":
            return call(value, this, values)
        names = ("message", "filename", "lineno", "colno", "error")
        returned = call(value, this, [event.attributes[name] for name in names])
        return False if returned is True else UNDEFINED

    target.set_event_handler("error", JSFunction(value.realm or target.realm, behavior))


# Locations


GETTERS["Location.href"] = lambda parts, location: str(url_object(location.document.url).href)
GETTERS["Location.origin"] = lambda parts, location: serialization(location.document.origin)


def _navigate(parts: Parts, location: Location, url: str, *, replaces: bool = False) -> None:
    document = location.document
    parts.loader.location_object_navigate(parts.realms.navigable_of[document], url, document, replaces=replaces)


SETTERS["Location.href"] = _navigate
OPERATIONS["Location.assign"] = _navigate
OPERATIONS["Location.replace"] = partial(_navigate, replaces=True)


@operation("Location.reload")
def reload(parts: Parts, location: Location | History) -> None:
    """https://html.spec.whatwg.org/#dom-location-reload"""
    document = location.document
    navigable = parts.realms.navigable_of[document]
    parts.loader.navigate(navigable, document.url.partition("#")[0], document, replaces=True)


# Histories


def _active(history: History) -> tuple[Navigable, Document]:
    document = history.document
    if document.node_navigable is None or not document.is_fully_active:
        raise Throw(DOMException("SecurityError", "the document is not fully active", document.realm))
    return document.node_navigable, document


GETTERS["History.length"] = lambda parts, history: parts.loader.histories.length(_active(history)[0])
GETTERS["History.state"] = lambda parts, history: parts.loader.histories.state(_active(history)[1])


@operation("History.go")
def traverse_by_a_delta(parts: Parts, history: History, delta: Any) -> None:
    """https://html.spec.whatwg.org/#delta-traverse"""
    navigable, _ = _active(history)
    if delta in (0, UNDEFINED):
        reload(parts, history)
    else:
        parts.loader.histories.traverse_by_a_delta(navigable.traversable_navigable, delta)


OPERATIONS["History.back"] = partial(traverse_by_a_delta, delta=-1)
OPERATIONS["History.forward"] = partial(traverse_by_a_delta, delta=1)


def _can_have_its_url_rewritten(document: Document, url: str) -> bool:
    """https://html.spec.whatwg.org/#can-have-its-url-rewritten"""
    current, wanted = url_parser(document.url), url_parser(url)
    is_same = current is not None and wanted is not None and same_origin(url_origin(current), url_origin(wanted))
    return is_same or url.partition("#")[0] == document.url.partition("#")[0]


def _push(parts: Parts, history: History, state: int, url: str | None, *, replaces: bool) -> None:
    """https://html.spec.whatwg.org/#shared-history-push/replace-state-steps"""
    navigable, document = _active(history)
    parsed = document.url if url is None else parts.fetcher.parse_url(url, document)
    if parsed is None or not _can_have_its_url_rewritten(document, parsed):
        raise Throw(DOMException("SecurityError", f"{url} is not a URL of this origin", document.realm))
    entry = parts.loader.histories.push_or_replace(navigable, parsed, state, replaces=replaces)
    # https://html.spec.whatwg.org/#url-and-history-update-steps
    document.url = parsed
    parts.loader.histories.show(document, entry)


OPERATIONS["History.pushState"] = partial(_push, replaces=False)
OPERATIONS["History.replaceState"] = partial(_push, replaces=True)
