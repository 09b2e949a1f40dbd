"""Windows, locations and histories for scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from modelcontext.dom.events import Event, EventTarget
from modelcontext.ecmascript.values import UNDEFINED, JSFunction, JSValue, Throw, call
from modelcontext.html.origin import serialization
from modelcontext.html.url import url_object
from modelcontext.scripting.border import WindowTarget
from modelcontext.scripting.members.tables import GETTERS, OPERATIONS, SETTERS, Getter, getter, operation, setter
from modelcontext.webidl.dom_exception import DOMException
from modelcontext.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.html.document import Document
    from modelcontext.html.navigable import Navigable
    from modelcontext.html.window import Window
    from modelcontext.scripting.scripted_browser import ScriptedBrowser


def _window(browser: ScriptedBrowser, target: EventTarget) -> Window:
    return browser.border.windows[target]


def _document(browser: ScriptedBrowser, target: EventTarget) -> Document:
    return _window(browser, target).associated_document


def child_navigables(document: Document) -> list[Navigable]:
    """Return the child navigables of a document, in the order in which they were inserted."""
    found = [container.content_navigable for container in document.navigable_containers]
    return [navigable for navigable in found if navigable is not None]


def _navigable(browser: ScriptedBrowser, target: EventTarget) -> Navigable:
    return browser.navigable_of[_document(browser, target)]


def _window_getter(name: str) -> Callable[[Getter], Getter]:
    return getter(f"Window.{name}")


@_window_getter("document")
def window_document(browser: ScriptedBrowser, target: EventTarget) -> Document:
    """https://html.spec.whatwg.org/#dom-document-2"""
    return _document(browser, target)


@_window_getter("navigator")
def window_navigator(browser: ScriptedBrowser, target: EventTarget) -> PlatformObject:
    """https://html.spec.whatwg.org/#dom-navigator"""
    return _window(browser, target).navigator


class Location(PlatformObject):
    """A Location object."""

    __slots__ = ("_window",)

    interface = "Location"

    def __init__(self, window: Window) -> None:
        super().__init__(window.realm)
        self._window = window

    @property
    def document(self) -> Document:
        """The document whose URL it shows."""
        return self._window.associated_document


class History(PlatformObject):
    """A History object, without a session history: pages cannot go back here."""

    __slots__ = ("_window", "state")

    interface = "History"

    def __init__(self, window: Window) -> None:
        super().__init__(window.realm)
        self._window = window
        self.state: JSValue = None

    @property
    def document(self) -> Document:
        """The document whose state it shows."""
        return self._window.associated_document


class Performance(EventTarget):
    """A Performance object, whose time is virtual."""

    __slots__ = ()

    interface = "Performance"

    def __init__(self, window: Window) -> None:
        super().__init__(window.realm)


def _associated(window: Window, kind: Callable[[Window], Any]) -> Any:
    target = window.event_target
    assert isinstance(target, WindowTarget)
    if kind not in target.associated:
        target.associated[kind] = kind(window)
    return target.associated[kind]


@_window_getter("location")
def window_location(browser: ScriptedBrowser, target: EventTarget) -> Location:
    """https://html.spec.whatwg.org/#dom-location"""
    return document_location(browser, _document(browser, target))


@getter("Document.location")
def document_location(browser: ScriptedBrowser, document: Document) -> Location:
    """https://html.spec.whatwg.org/#dom-document-location"""
    location: Location = _associated(document.window, Location)
    return location


@_window_getter("history")
def window_history(browser: ScriptedBrowser, target: EventTarget) -> History:
    """https://html.spec.whatwg.org/#dom-history"""
    history: History = _associated(_window(browser, target), History)
    return history


@_window_getter("performance")
def window_performance(browser: ScriptedBrowser, target: EventTarget) -> Performance:
    """https://w3c.github.io/hr-time/#the-performance-attribute"""
    performance: Performance = _associated(_window(browser, target), Performance)
    return performance


@_window_getter("parent")
def window_parent(browser: ScriptedBrowser, target: EventTarget) -> JSValue:
    """https://html.spec.whatwg.org/#dom-parent"""
    document = _document(browser, target)
    navigable = document.node_navigable
    if navigable is None:
        return None
    return (navigable.parent or navigable).window_proxy


@_window_getter("top")
def window_top(browser: ScriptedBrowser, target: EventTarget) -> JSValue:
    """https://html.spec.whatwg.org/#dom-top"""
    navigable = _document(browser, target).node_navigable
    return navigable.traversable_navigable.window_proxy if navigable is not None else None


@_window_getter("opener")
def window_opener(browser: ScriptedBrowser, target: EventTarget) -> JSValue:
    """https://html.spec.whatwg.org/#dom-opener"""
    navigable = _document(browser, target).node_navigable
    opener = browser.loader.opener_of.get(navigable) if navigable is not None else None
    return opener.window_proxy if opener is not None else None


@_window_getter("frameElement")
def frame_element(browser: ScriptedBrowser, target: EventTarget) -> Any:
    """https://html.spec.whatwg.org/#dom-frameelement"""
    document = _document(browser, target)
    container = document.container
    if container is None or container.document.agent is not document.agent:
        return None
    return browser.loader.iframe_of(container)


GETTERS["Window.length"] = lambda browser, target: len(child_navigables(_document(browser, target)))
GETTERS["Window.name"] = lambda browser, target: browser.loader.name_of(_navigable(browser, target))
SETTERS["Window.name"] = lambda browser, target, name: browser.loader.set_name(_navigable(browser, target), name)
GETTERS["Window.origin"] = lambda browser, target: serialization(_document(browser, target).origin)
GETTERS["Window.isSecureContext"] = lambda browser, target: _document(browser, target).is_secure_context
GETTERS["Window.crossOriginIsolated"] = lambda browser, target: False
GETTERS["Window.originAgentCluster"] = lambda browser, target: (
    browser.loader.of(_document(browser, target)).is_origin_keyed
)
GETTERS["Window.event"] = lambda browser, target: UNDEFINED
GETTERS["Window.innerWidth"] = lambda browser, target: 1024
GETTERS["Window.innerHeight"] = lambda browser, target: 768


@_window_getter("closed")
def window_closed(browser: ScriptedBrowser, target: EventTarget) -> bool:
    """https://html.spec.whatwg.org/#dom-window-closed"""
    navigable = _navigable(browser, target)
    return navigable in browser.loader.closed or (
        navigable is not None
        and navigable.container is not None
        and navigable.container.content_navigable is not navigable
    )


@operation("Window.open")
def window_open(browser: ScriptedBrowser, target: EventTarget, url: Any, name: Any, features: Any) -> JSValue:
    """https://html.spec.whatwg.org/#dom-open"""
    words = ["" if one is UNDEFINED else one for one in (url, name, features)]
    navigable = browser.loader.open_popup(_document(browser, target), *words)
    return navigable.window_proxy if navigable is not None else None


@operation("Window.close")
def window_close(browser: ScriptedBrowser, target: EventTarget) -> None:
    """https://html.spec.whatwg.org/#dom-window-close"""
    navigable = _navigable(browser, target)
    if navigable is not None:
        browser.loader.close(navigable)


@operation("Window.close_other")
def window_close_other(browser: ScriptedBrowser, target: EventTarget, navigable: int) -> None:
    """Close a window of another origin."""
    browser.loader.close(browser.border.navigable_of(navigable))


@operation(
    "Window.focus", "Window.blur", "Window.stop", "Window.alert", "Window.print", "Window.moveTo", "Window.resizeTo"
)
@operation("Window.scroll", "Window.scrollTo", "Window.scrollBy")
@operation("Element.scroll", "Element.scrollTo", "Element.scrollBy", "Element.scrollIntoView")
def nothing(browser: ScriptedBrowser, target: EventTarget, *_: object) -> None:
    """Do nothing, where nothing can be seen."""


@operation("Window.reportError")
def report_error(browser: ScriptedBrowser, target: EventTarget, error: JSValue) -> None:
    """https://html.spec.whatwg.org/#dom-reporterror"""
    browser.report_an_exception(_document(browser, target), error)


@setter("Window.onerror")
def set_onerror(browser: ScriptedBrowser, target: EventTarget, value: JSValue) -> None:
    """https://html.spec.whatwg.org/#the-event-handler-processing-algorithm (of an ErrorEvent)"""
    browser.handlers_of_windows[target] = value
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


def _url(location: Location) -> Any:
    return url_object(location.document.url)


def _location_part(name: str) -> Getter:
    return lambda browser, location: getattr(_url(location), name)


for _name in ("href", "protocol", "host", "hostname", "port", "pathname", "search", "hash"):
    GETTERS[f"Location.{_name}"] = _location_part(_name)
GETTERS["Location.origin"] = lambda browser, location: serialization(location.document.origin)


def _navigate(browser: ScriptedBrowser, location: Location, url: str) -> None:
    browser.loader.navigate(browser.navigable_of[location.document], url, location.document)


SETTERS["Location.href"] = _navigate
OPERATIONS["Location.assign"] = _navigate
OPERATIONS["Location.replace"] = _navigate


def _location_setter(name: str) -> Callable[[ScriptedBrowser, Location, str], None]:
    def set_part(browser: ScriptedBrowser, location: Location, value: str) -> None:
        url = _url(location)
        setattr(url, name, value)
        _navigate(browser, location, url.href)

    return set_part


for _name in ("pathname", "search", "hash"):
    SETTERS[f"Location.{_name}"] = _location_setter(_name)


@operation("Location.reload")
def reload(browser: ScriptedBrowser, location: Location) -> None:
    """https://html.spec.whatwg.org/#dom-location-reload"""
    document = location.document
    navigable = browser.navigable_of[document]
    browser.loader.navigate(navigable, document.url.partition("#")[0], document)


GETTERS["History.length"] = lambda browser, history: 1
GETTERS["History.state"] = lambda browser, history: history.state


@operation("History.pushState", "History.replaceState")
def push_state(browser: ScriptedBrowser, history: History, state: JSValue, unused: str, url: Any) -> None:
    """https://html.spec.whatwg.org/#shared-history-push/replace-state-steps"""
    document = history.document
    if url is not UNDEFINED and url is not None:
        parsed = browser.loader.parse_url(url, document)
        if parsed is None:
            raise Throw(DOMException("SecurityError", f"{url} is not a URL of this origin", document.realm))
        document.url = parsed
    history.state = state


GETTERS["Performance.timeOrigin"] = lambda browser, performance: 0
OPERATIONS["Performance.now"] = lambda browser, performance: browser.timers.now
OPERATIONS["Performance.getEntriesByType"] = lambda browser, performance, type: []
GETTERS["Navigator.userAgent"] = lambda browser, navigator: "Mozilla/5.0 (simulated browser of modelcontext)"
GETTERS["Navigator.language"] = lambda browser, navigator: "en"
GETTERS["Navigator.onLine"] = lambda browser, navigator: True
