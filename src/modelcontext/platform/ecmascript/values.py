"""JavaScript values as Python values.

``undefined`` is ``UNDEFINED``, ``null`` is ``None``, booleans, numbers and strings are Python's, and every other type has
a class here. A Python string stands for a JavaScript string: lone surrogates are kept, and a surrogate pair is always one
character (see :mod:`modelcontext.platform.infra.strings`).

Proxies, prototypes of page objects other than the realm they belong to, and typed arrays are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias, TypeGuard, Union

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm


class Undefined(Enum):
    """The type of ``UNDEFINED``."""

    UNDEFINED = "undefined"

    def __repr__(self) -> str:
        return "UNDEFINED"

    def __bool__(self) -> bool:
        return False


UNDEFINED: Final = Undefined.UNDEFINED


@dataclass(eq=False, slots=True)
class Symbol:
    """A JavaScript symbol; two symbols are the same only if they are the same Python object."""

    description: str = ""

    def __repr__(self) -> str:
        return f"Symbol({self.description!r})"


@dataclass(frozen=True, slots=True)
class BigInt:
    """A JavaScript bigint."""

    value: int

    def __repr__(self) -> str:
        return f"BigInt({self.value})"


@dataclass(eq=False, slots=True)
class Accessor:
    """An accessor property: ``get`` is called with the object on every read; a read can throw and have side effects."""

    get: Callable[[JSObject], JSValue]


def is_array_index(key: str) -> bool:
    """Return whether a property key is an array index, and so comes before all other keys."""
    return key.isascii() and key.isdigit() and (key == "0" or key[0] != "0") and int(key) < 2**32 - 1


class JSObject:
    """An ordinary JavaScript object that belongs to a realm.

    ``properties`` maps keys to values or accessors in order of creation; use :meth:`own_keys` for the order that
    JavaScript shows.
    """

    __slots__ = ("properties", "realm")

    def __init__(self, realm: Realm | None = None, properties: dict[str, JSValue | Accessor] | None = None) -> None:
        self.realm = realm
        self.properties: dict[str, JSValue | Accessor] = {} if properties is None else properties

    def get(self, key: str) -> JSValue:
        """Read a property, as ``object[key]`` does.

        Raises:
            Throw: the exception of an accessor.
        """
        value = self.properties.get(key, UNDEFINED)
        return value.get(self) if type(value) is Accessor else value  # type: ignore[return-value]

    def set(self, key: str, value: JSValue) -> None:
        """Write a property, as an assignment to an ordinary data property does."""
        self.properties[key] = value

    def own_keys(self) -> list[str]:
        """Return the own enumerable string keys in JavaScript's order: array indices first, ascending."""
        return sorted(self.properties, key=lambda key: int(key) if is_array_index(key) else math.inf)


class JSArray(JSObject):
    """A JavaScript array; ``items`` are its elements (it has no holes)."""

    __slots__ = ("items",)

    def __init__(self, realm: Realm | None, items: list[JSValue]) -> None:
        super().__init__(realm)
        self.items = items

    def get(self, key: str) -> JSValue:
        """Read an element or another property."""
        if is_array_index(key):
            index = int(key)
            return self.items[index] if index < len(self.items) else UNDEFINED
        if key == "length":
            return len(self.items)
        return super().get(key)

    def set(self, key: str, value: JSValue) -> None:
        """Write an element or another property; skipped elements become undefined."""
        if is_array_index(key):
            index = int(key)
            self.items.extend([UNDEFINED] * (index + 1 - len(self.items)))
            self.items[index] = value
        else:
            super().set(key, value)

    def own_keys(self) -> list[str]:
        """Return the indices, then the other own enumerable string keys."""
        return [str(index) for index in range(len(self.items))] + super().own_keys()

    def __iter__(self) -> Iterator[JSValue]:
        return iter(self.items)


class JSFunction(JSObject):
    """A callable object; ``behavior`` gets the this value and the arguments, and may raise ``Throw``."""

    __slots__ = ("behavior", "name")

    def __init__(self, realm: Realm, behavior: Callable[[JSValue, list[JSValue]], JSValue], name: str = "") -> None:
        super().__init__(realm)
        self.behavior = behavior
        self.name = name


class JSError(JSObject):
    """An ECMAScript error such as a TypeError; ``name`` is its constructor's name. Messages are for people only."""

    __slots__ = ("message", "name")

    def __init__(self, name: str, message: str = "", realm: Realm | None = None) -> None:
        super().__init__(realm)
        self.name = name
        self.message = message

    def __repr__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name


JSValue: TypeAlias = Union[Undefined, bool, int, float, str, Symbol, BigInt, JSObject, None]  # noqa: UP007


class Throw(Exception):  # noqa: N818 (it need not be an error)
    """A value thrown by script or by an algorithm, visible to script."""

    def __init__(self, value: JSValue) -> None:
        super().__init__(value)
        self.value = value


def type_error(message: str, realm: Realm | None = None) -> Throw:
    """Return a ``Throw`` of a new TypeError, to be raised."""
    return Throw(JSError("TypeError", message, realm))


def call(function: JSFunction, this: JSValue, arguments: list[JSValue]) -> JSValue:
    """Perform ECMAScript's Call on a callable value.

    Raises:
        Throw: the exception of the function.
    """
    return function.behavior(this, arguments)


def is_same_value(left: JSValue, right: JSValue) -> bool:
    """Perform ECMAScript's SameValue (``Object.is``)."""
    if _is_number(left) and _is_number(right):
        return (left == right and math.copysign(1, left) == math.copysign(1, right)) or (
            left != left and right != right
        )
    if isinstance(left, str | BigInt):
        return left == right
    return left is right


def _is_number(value: JSValue) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
