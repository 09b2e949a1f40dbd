"""Navigator objects (https://html.spec.whatwg.org/#the-navigator-object)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm


class Navigator(PlatformObject):
    """A Navigator; ``extensions`` holds the objects that other specifications associate with it."""

    __slots__ = ("extensions",)

    interface = "Navigator"

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.extensions: dict[str, object] = {}
