"""Writing JavaScript values down in the notation of outcomes, from the point of view of one document."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from modelcontext.dom.abort import AbortSignal
from modelcontext.dom.events import Event
from modelcontext.ecmascript.json import number_to_string
from modelcontext.ecmascript.promise import Promise
from modelcontext.ecmascript.realm import Realm
from modelcontext.ecmascript.values import (
    UNDEFINED,
    Accessor,
    BigInt,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
)
from modelcontext.html.window import WindowProxy
from modelcontext.infra.strings import code_units
from modelcontext.webidl.dom_exception import DOMException
from modelcontext.webidl.platform_object import PlatformObject


class Writer:
    """Writes values down.

    Args:
        origins: the serialized origins by their letters.
        window_id: the document that a window is known by.
        foreign_realm: the id of the document that a realm belongs to, or None if that is the recording one.
    """

    def __init__(
        self,
        origins: Mapping[str, str],
        window_id: Callable[[WindowProxy], str],
        foreign_realm: Callable[[Realm | None], str | None],
    ) -> None:
        self._origins = origins
        self._window_id = window_id
        self._foreign_realm = foreign_realm

    def text(self, string: str) -> Any:
        """Return a string with the origins replaced by their letters; one with lone surrogates as its code units."""
        if any("\ud800" <= character <= "\udfff" for character in string):
            units = code_units(string)
            return {"$string": [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]}
        for letter, origin in self._origins.items():
            if origin in string:
                string = string.replace(origin, f"{{{letter}}}")
        return string

    def written(self, value: JSValue, holders: tuple[JSObject, ...] = ()) -> Any:
        """Return a value in the notation; ``holders`` are the objects around it, outermost first."""
        if value is UNDEFINED:
            return {"$js": "undefined"}
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float):
            return _number(value)
        if isinstance(value, BigInt):
            return {"$bigint": str(value.value)}
        if isinstance(value, Symbol):
            return {"$symbol": value.description}
        assert isinstance(value, JSObject)
        return self._object(value, holders)

    def _object(self, value: JSObject, holders: tuple[JSObject, ...]) -> Any:
        if isinstance(value, JSFunction):
            return {"$function": True}
        if isinstance(value, WindowProxy):
            return {"$window": self._window_id(value)}
        for levels, holder in enumerate(reversed(holders), 1):
            if holder is value:
                return {"$cycle": levels}
        if isinstance(value, AbortSignal):
            return {"$signal": value.aborted}
        realm = self._foreign_realm(value.realm)
        foreign = {} if realm is None else {"$realm": realm}
        if isinstance(value, DOMException | JSError):
            return {"$error": value.name, **foreign}
        if isinstance(value, Event):
            return {"$platform": value.event_interface}
        if isinstance(value, PlatformObject):
            return {"$platform": value.interface}
        if isinstance(value, Promise):
            return {"$platform": "Promise"}
        holders = (*holders, value)
        if isinstance(value, JSArray):
            items = [self.written(item, holders) for item in value.items]
            return {"$array": items, **foreign} if foreign else items
        members = [(self.text(key), self._member(value, key, holders)) for key in value.own_keys()]
        plain = all(isinstance(key, str) and not key.startswith("$") for key, _ in members)
        if foreign or not plain:
            return {"$object": [list(member) for member in members], **foreign}
        return dict(members)

    def _member(self, value: JSObject, key: str, holders: tuple[JSObject, ...]) -> Any:
        member = value.properties[key]
        return {"$accessor": True} if isinstance(member, Accessor) else self.written(member, holders)


def _number(value: float) -> Any:
    if value == 0 and math.copysign(1, value) < 0:
        return {"$js": "-0"}
    return value if math.isfinite(value) else {"$js": number_to_string(value)}
