"""Storage for scripts (https://html.spec.whatwg.org/#webstorage), without its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.hosts.scripting.members.member_tables import GETTERS, OPERATIONS
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html.origin import OpaqueOrigin
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.dom.events import EventTarget
    from modelcontext.platform.ecmascript.realm import Realm


class Storage(PlatformObject):
    """A Storage object; all of one storage share ``items``."""

    __slots__ = ("items",)

    interface = "Storage"

    def __init__(self, realm: Realm, items: dict[str, str]) -> None:
        super().__init__(realm)
        self.items = items


def _storage(parts: Parts, target: EventTarget, area: str) -> Storage:
    document = parts.realms.border.windows[target].associated_document
    if isinstance(document.origin, OpaqueOrigin):
        raise Throw(DOMException("SecurityError", "an opaque origin has no storage", document.realm))
    tab = parts.realms.navigable_of[document].traversable_navigable if area == "sessionStorage" else None
    storage = document.extensions.get(area)
    if not isinstance(storage, Storage):
        items = parts.storages.setdefault((tab, document.origin), {})
        storage = document.extensions[area] = Storage(document.realm, items)
    return storage


GETTERS["Window.localStorage"] = lambda parts, target: _storage(parts, target, "localStorage")
GETTERS["Window.sessionStorage"] = lambda parts, target: _storage(parts, target, "sessionStorage")
GETTERS["Storage.length"] = lambda parts, storage: len(storage.items)
OPERATIONS["Storage.getItem"] = lambda parts, storage, key: storage.items.get(key)
OPERATIONS["Storage.key"] = lambda parts, storage, index: [*storage.items, None][min(index, len(storage.items))]
OPERATIONS["Storage.setItem"] = lambda parts, storage, key, value: storage.items.update({key: value})
OPERATIONS["Storage.removeItem"] = lambda parts, storage, key: storage.items.pop(key, None)
OPERATIONS["Storage.clear"] = lambda parts, storage: storage.items.clear()
