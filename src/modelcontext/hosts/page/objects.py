"""Python's objects for those of a page: numbers, under the types that algorithms know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.ecmascript.promise import PromiseObject
from modelcontext.platform.ecmascript.realm import AgentHooks, Realm
from modelcontext.platform.ecmascript.values import JSObject
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.navigable import Navigable
from modelcontext.platform.html.navigator import Navigator
from modelcontext.platform.html.window import Window

if TYPE_CHECKING:
    from modelcontext.hosts.page.verbs import PageVerbs
    from modelcontext.platform.html.origin import Origin


class Held(JSObject):
    """A value that stays in the page; the page may forget it when this object is deleted."""

    __slots__ = ("_verbs", "handle")

    def __init__(self, verbs: PageVerbs, handle: int) -> None:
        self._verbs = verbs
        self.handle = handle

    def __del__(self) -> None:
        self._verbs.free(self.handle)


class HeldPromise(Held, PromiseObject):
    """A promise of a realm of the page."""

    __slots__ = ("realm_id",)

    def __init__(self, verbs: PageVerbs, handle: int, realm_id: int) -> None:
        super().__init__(verbs, handle)
        self.realm_id = realm_id


class HeldResponse(HeldPromise):
    """A promise whose strings matter: the response to a ``submit`` event."""

    __slots__ = ()


class PageRealm(Realm):
    """A realm of the page."""

    __slots__ = ("id",)

    def __init__(self, id: int, agent: AgentHooks) -> None:
        super().__init__(agent)
        self.id = id
        self.global_object = PageWindow(self)


class PageWindow(Window):
    """A Window of the page, identified by its realm."""

    __slots__ = ()

    def __init__(self, realm: PageRealm) -> None:
        self.realm = realm
        self.navigator = Navigator(realm)


class PageNavigable(Navigable):
    """A navigable of the page."""

    __slots__ = ("id",)

    def __init__(self, id: int) -> None:
        self.id = id
        self.extensions = {}


class PageDocument(Document):
    """A document of the page."""

    __slots__ = ("id",)

    def __init__(self, id: int, realm: PageRealm, origin: Origin) -> None:
        window = realm.global_object
        assert isinstance(window, PageWindow)
        self.id = self.unique_id = id
        self.realm = realm
        self.window = window
        self.origin = origin
        self.extensions = {}
