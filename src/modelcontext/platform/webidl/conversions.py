"""Conversions between JavaScript values and IDL values (https://webidl.spec.whatwg.org/#js-type-mapping).

A converter is compiled once for every type that the IDL uses. No algorithm and no binding converts by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from modelcontext.platform.ecmascript.json import number_to_string
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    BigInt,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
    call,
    type_error,
)
from modelcontext.platform.infra.strings import convert_to_a_scalar_value_string
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.platform.webidl.types import ABSENT, CallbackFunction

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.webidl.idl import Definitions, Dictionary, IDLType

#: Takes a JavaScript value, returns an IDL value, raises Throw.
Converter: TypeAlias = Callable[[JSValue], Any]


def to_string(value: JSValue) -> str:
    """Perform ECMAScript's ToString.

    Raises:
        Throw: a TypeError for a symbol, or the exception of the object's methods.
    """
    if isinstance(value, str):
        return value
    if value is UNDEFINED:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_to_string(value)
    if isinstance(value, BigInt):
        return str(value.value)
    if isinstance(value, Symbol):
        raise type_error("a symbol cannot be converted to a string")
    assert isinstance(value, JSObject)
    return _object_to_string(value)


def _object_to_string(value: JSObject) -> str:
    for method_name in ("toString", "valueOf"):
        method = value.get(method_name)
        if isinstance(method, JSFunction):
            primitive = call(method, value, [])
            if not isinstance(primitive, JSObject):
                return to_string(primitive)
        elif method is UNDEFINED and method_name == "toString":
            return _default_to_string(value)
    raise type_error("the object cannot be converted to a primitive value")


def _default_to_string(value: JSObject) -> str:
    if isinstance(value, JSArray):
        return ",".join("" if item is UNDEFINED or item is None else to_string(item) for item in value)
    if isinstance(value, JSFunction):
        return "function () { [native code] }"
    if isinstance(value, JSError | DOMException):
        return f"{value.name}: {value.message}" if value.message else value.name
    return f"[object {value.interface if isinstance(value, PlatformObject) else 'Object'}]"


def to_boolean(value: JSValue) -> bool:
    """Perform ECMAScript's ToBoolean."""
    if isinstance(value, BigInt):
        return value.value != 0
    if isinstance(value, JSObject | Symbol):
        return True
    return bool(value) and value == value  # NaN is false.


class Conversions:
    """The compiled conversions of one set of definitions.

    Args:
        definitions: the IDL.
        dictionaries: the dataclass of each dictionary; its fields are the members' names in snake case.
        platform_types: for each interface that arguments use, a function from a JavaScript value to the IDL value (from a
            ``WindowProxy`` to its ``Window``, say), or to None if the value does not implement the interface.
    """

    def __init__(
        self,
        definitions: Definitions,
        dictionaries: Mapping[str, type],
        platform_types: Mapping[str, Callable[[JSValue], object]],
    ) -> None:
        self._definitions = definitions
        self._classes = dictionaries
        self._platform_types = platform_types
        self._to_object: dict[type, list[tuple[str, str]]] = {
            dictionaries[name]: [
                (member.name, snake_case(member.name)) for member in definitions.members_of(dictionary)
            ]
            for name, dictionary in definitions.dictionaries.items()
            if name in dictionaries
        }

    def converter(self, type_: IDLType) -> Converter:
        """Return the converter to an IDL type.

        Raises:
            NotImplementedError: for a type without a converter.
        """
        converter = self._compile(type_)
        if type_.nullable:
            return lambda value: None if value is None or value is UNDEFINED else converter(value)
        return converter

    def _compile(self, type_: IDLType) -> Converter:
        name = type_.name
        if name in _SIMPLE:
            return _SIMPLE[name]
        if name == "sequence" and type_.inner is not None:
            return _sequence(self.converter(type_.inner))
        if name in self._definitions.dictionaries:
            return self._dictionary(self._definitions.dictionaries[name])
        if name in self._definitions.callbacks:
            return _checked(
                lambda value: CallbackFunction(value, name) if isinstance(value, JSFunction) else None,
                f"a {name} must be a function",
            )
        if name in self._platform_types:
            return _checked(self._platform_types[name], f"the value must be a {name}")
        if name in self._definitions.interfaces:
            return _checked(
                lambda value: value if isinstance(value, PlatformObject) and value.interface == name else None,
                f"the value must be a {name}",
            )
        raise NotImplementedError(f"no conversion for the IDL type {name}")

    def _dictionary(self, dictionary: Dictionary) -> Converter:
        """https://webidl.spec.whatwg.org/#js-dictionary"""
        class_ = self._classes[dictionary.name]
        name = dictionary.name
        members = [
            (
                member.name,
                snake_case(member.name),
                self.converter(member.type),
                member.required,
                member.default if member.has_default else ABSENT,
            )
            for member in self._definitions.members_of(dictionary)
        ]

        def convert(value: JSValue) -> object:
            if value is UNDEFINED or value is None:
                value = _NOTHING
            elif not isinstance(value, JSObject):
                raise type_error(f"a {name} must be an object")
            converted = {}
            get = value.get
            for key, field, converter, required, default in members:
                member_value = get(key)
                if member_value is not UNDEFINED:
                    converted[field] = converter(member_value)
                elif required:
                    raise type_error(f"a {name} needs the member {key}")
                else:
                    converted[field] = [*default] if isinstance(default, list) else default
            return class_(**converted)

        return convert

    def to_javascript(self, value: object, realm: Realm) -> JSValue:
        """Convert an IDL value to a JavaScript value: dictionaries and sequences become objects made in ``realm``.

        Members of a dictionary come in the order in which they would be read. Absent members are left out.
        """
        if value is None or value is UNDEFINED or isinstance(value, str | bool):
            return value
        if isinstance(value, list):
            return JSArray(realm, [self.to_javascript(item, realm) for item in value])
        if isinstance(value, PlatformObject):
            return value.as_javascript()
        members = self._to_object.get(type(value))
        if members is not None:
            properties: dict[str, Any] = {}
            for key, field in members:
                member = getattr(value, field)
                if member is not ABSENT:
                    properties[key] = self.to_javascript(member, realm)
            return JSObject(realm, properties)
        assert isinstance(value, Symbol | BigInt | JSObject | int | float), value
        return value


_NOTHING = JSObject()


def snake_case(name: str) -> str:
    """Return an IDL identifier in Python's snake case: ``inputSchema`` gives ``input_schema``."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def _checked(convert: Callable[[JSValue], object], problem: str) -> Converter:
    """Return a converter that throws a TypeError where ``convert`` gives None."""

    def convert_or_throw(value: JSValue) -> object:
        converted = convert(value)
        if converted is None:
            raise type_error(problem)
        return converted

    return convert_or_throw


def _object_or_none(value: JSValue) -> JSObject | None:
    return value if isinstance(value, JSObject) else None


#: The converters to the types that need no definition.
_SIMPLE: Mapping[str, Converter] = {
    "DOMString": to_string,
    "USVString": lambda value: convert_to_a_scalar_value_string(to_string(value)),
    "boolean": to_boolean,
    "any": lambda value: value,
    "Promise": lambda value: value,  # The boundary makes a promise of it, since that needs a realm.
    "object": _checked(_object_or_none, "the value must be an object"),
    "EventHandler": _object_or_none,
}


def _sequence(converter: Converter) -> Converter:
    def convert(value: JSValue) -> list[object]:
        if not isinstance(value, JSArray):  # No other object of this model is iterable.
            raise type_error("the value must be iterable")
        return [converter(item) for item in value]

    return convert
