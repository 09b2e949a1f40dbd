"""Platform objects: objects that implement a Web IDL interface."""

from __future__ import annotations

from typing import ClassVar

from modelcontext.platform.ecmascript.values import JSObject


class PlatformObject(JSObject):
    """A platform object; ``interface`` is the name of its primary interface."""

    __slots__ = ()

    interface: ClassVar[str]

    def as_javascript(self) -> JSObject:
        """Return the object that script holds for this one."""
        return self
