"""DOMException."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm


class DOMException(PlatformObject):
    """A DOMException; ``message`` is for people only. A realm of None is set by the throw or the rejection."""

    __slots__ = ("message", "name")

    interface: ClassVar[str] = "DOMException"

    def __init__(self, name: str, message: str = "", realm: Realm | None = None) -> None:
        super().__init__(realm)
        self.name = name
        self.message = message

    def __repr__(self) -> str:
        return f"{self.name} DOMException" + (f": {self.message}" if self.message else "")
