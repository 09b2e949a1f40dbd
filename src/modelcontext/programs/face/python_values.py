"""Conversions between Python values and JavaScript values, for the Python API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    BigInt,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
)
from modelcontext.platform.infra.strings import code_units
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm


class RejectedError(Exception):
    """Raised for the value of a rejected promise.

    ``reason`` is the reason. ``name`` is its name, such as ``"UnknownError"``, or None if the reason is not an error.
    """

    def __init__(self, reason: JSValue) -> None:
        self.reason = reason
        self.name = reason.name if isinstance(reason, JSError | DOMException) else None
        super().__init__(repr(reason) if self.name is not None else repr(to_python(reason)))


def to_javascript(value: Any, realm: Realm, function: Callable[[Callable[..., Any]], JSFunction]) -> JSValue:
    """Return a Python value as a JavaScript value of a realm; JavaScript values are returned unchanged.

    Args:
        value: None (null), a boolean, a number, a string, a mapping with string keys, a list, a tuple or a callable, at any
            depth; or a JavaScript value.
        realm: the realm of the new objects.
        function: makes a function of a callable.

    Raises:
        TypeError: for other values.
    """
    if value is None or value is UNDEFINED or isinstance(value, bool | float | Symbol | BigInt | JSObject):
        return value
    if isinstance(value, int):
        return value if abs(value) <= 2**53 else float(value)
    if isinstance(value, str):
        return code_units(value).decode("utf-16-be", "surrogatepass")
    if isinstance(value, Mapping):
        members = JSObject(realm)
        for key, member in value.items():
            if not isinstance(key, str):
                raise TypeError(f"an object's keys must be strings, not {type(key).__name__}: {key!r}")
            members.properties[key] = to_javascript(member, realm, function)
        return members
    if isinstance(value, list | tuple):
        return JSArray(realm, [to_javascript(item, realm, function) for item in value])
    if callable(value):
        return function(value)
    raise TypeError(f"a page has no value for {type(value).__name__}; use dicts, lists, strings, numbers or callables")


def to_python(value: JSValue) -> Any:
    """Return a JavaScript value as a Python value: objects as dicts (their getters are read), arrays as lists.

    Functions, errors and platform objects are returned unchanged.
    """
    if isinstance(value, JSArray):
        return [to_python(item) for item in value]
    if type(value) is JSObject:
        return {key: to_python(value.get(key)) for key in value.own_keys()}
    return value
