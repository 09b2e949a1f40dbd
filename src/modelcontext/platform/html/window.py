"""Window objects and WindowProxy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule import footprint
from modelcontext.platform.html.navigator import Navigator
from modelcontext.platform.html.parallel import ParallelQueue
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.platform.dom.events import EventTarget
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSObject
    from modelcontext.platform.html.document import Document

_ASSOCIATED_DOCUMENT: Final = footprint.Kind("associated Document", structure=True)
_WINDOW_OF_PROXY: Final = footprint.Kind("window of WindowProxy", structure=True)


class Window(PlatformObject):
    """A global object. Script never holds it, but holds a :class:`WindowProxy` instead.

    ``event_target`` gets the events of the window, where scripts can listen for them. ``page_transition_listeners`` are the
    listeners for ``pagehide`` and ``pageshow``, by type, in order of addition.
    """

    __slots__ = (
        "_associated_document",
        "_name",
        "event_target",
        "navigator",
        "page_transition_listeners",
        "proxy",
        "timers",
    )

    interface = "Window"
    realm: Realm

    def __init__(self, realm: Realm, associated_document: Document, proxy: WindowProxy) -> None:
        super().__init__(realm)
        self.proxy = proxy
        self._name = footprint.new_name()
        self._associated_document = associated_document
        self.event_target: EventTarget | None = None
        self.navigator = Navigator(realm)
        self.timers = ParallelQueue()
        self.page_transition_listeners: dict[str, list[Callable[[], None]]] = {"pagehide": [], "pageshow": []}

    @property
    def associated_document(self) -> Document:
        """The associated Document; the one that takes the Window over from an initial about:blank changes it."""
        footprint.read(_ASSOCIATED_DOCUMENT, self._name)
        return self._associated_document

    @associated_document.setter
    def associated_document(self, document: Document) -> None:
        footprint.write(_ASSOCIATED_DOCUMENT, self._name)
        self._associated_document = document

    def as_javascript(self) -> JSObject:
        """Return the WindowProxy."""
        return self.proxy


class WindowProxy(PlatformObject):
    """The object that scripts hold for a browsing context; ``window`` changes with every navigation."""

    __slots__ = ("_name", "_window")

    interface = "Window"
    _window: Window

    def __init__(self) -> None:
        super().__init__(None)
        self._name = footprint.new_name()

    @property
    def window(self) -> Window:
        """The Window of the browsing context's active document."""
        footprint.read(_WINDOW_OF_PROXY, self._name)
        return self._window

    @window.setter
    def window(self, window: Window) -> None:
        footprint.write(_WINDOW_OF_PROXY, self._name)
        self._window = window


def document_of(realm: Realm) -> Document:
    """Return the document whose window is a realm's global object."""
    window = realm.global_object
    assert isinstance(window, Window)
    return window.associated_document
