"""Member access on any value, platform objects included, as ``value[key]`` in a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from modelcontext.platform.dom.abort import AbortController, AbortSignal
from modelcontext.platform.dom.events import Event, event_attribute
from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSObject, JSValue, type_error
from modelcontext.platform.infra.strings import code_unit_length
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.platform.webidl.boundary import Boundary
    from modelcontext.platform.webidl.idl import Attribute


def get_member(boundary: Boundary, value: JSValue, key: str) -> JSValue:
    """Read a member.

    Raises:
        Throw: a TypeError for a member of undefined or null; the value thrown by a getter.
    """
    if value is UNDEFINED or value is None:
        raise type_error(f"{value!r} has no member {key}")
    if isinstance(value, str) and key == "length":
        return code_unit_length(value)
    if isinstance(value, AbortSignal) and key in ("aborted", "reason"):
        return value.aborted if key == "aborted" else value.reason
    if isinstance(value, AbortController) and key == "signal":
        return value.signal
    if isinstance(value, Event):
        return event_attribute(value, key)
    if isinstance(value, DOMException | JSError) and key in ("name", "message"):
        return value.name if key == "name" else value.message
    if isinstance(value, PlatformObject) and key in _attributes(boundary, value):
        return boundary.get(value, key)
    return value.get(key) if isinstance(value, JSObject) else UNDEFINED


def set_member(boundary: Boundary, value: JSValue, key: str, member: JSValue) -> None:
    """Assign to a member.

    Raises:
        Throw: a TypeError for a member of undefined or null.
    """
    if value is UNDEFINED or value is None:
        raise type_error(f"{value!r} has no member {key}")
    if isinstance(value, PlatformObject):
        attribute = _attributes(boundary, value).get(key)
        if attribute is not None and attribute.type.name == "EventHandler":
            boundary.set(value, key, member)
            return
    if isinstance(value, JSObject):
        value.set(key, member)


def _attributes(boundary: Boundary, value: PlatformObject) -> Mapping[str, Attribute]:
    """Return the attributes of an object by the IDL, which does not define DOMException."""
    interface = boundary.definitions.interfaces.get(value.interface)
    return interface.attributes if interface is not None else {}
