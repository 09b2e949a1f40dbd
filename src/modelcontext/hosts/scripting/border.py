"""Values of scripts, which stay in the engine, and their data at its border."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from modelcontext.hosts.scripting.interfaces import interfaces_by_tag
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSFunction, JSObject, JSValue, Throw
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.window import Window, WindowProxy
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.platform.webidl.types import ABSENT, CallbackFunction

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.webidl.idl import Definitions


class EngineValue(JSObject):
    """A value of the engine that is no platform object: an object, a symbol, a bigint."""

    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        super().__init__(None)
        self.handle = handle


class EngineFunction(JSFunction):
    """A function of the engine."""

    __slots__ = ("handle",)

    def __init__(self, realm: Realm, handle: int, behavior: Callable[[JSValue, list[JSValue]], JSValue]) -> None:
        super().__init__(realm, behavior)
        self.handle = handle


class EnginePromise(Promise):
    """A promise of the engine."""

    __slots__ = ("handle",)

    def __init__(self, realm: Realm, handle: int) -> None:
        super().__init__(realm)
        self.handle = handle


class Border:
    """The one place where values become data, and data values.

    Args:
        call_function: calls a function of the engine by its handle, with a this value and arguments.
        realm_of: returns the realm with a number.
        members: the members of each dictionary by its class: the name in the IDL, and the field.
    """

    def __init__(
        self,
        call_function: Callable[[Realm, int, JSValue, list[JSValue]], JSValue],
        realm_of: Callable[[int], Realm],
        members: dict[type, list[tuple[str, str]]],
    ) -> None:
        self._call_function = call_function
        self._realm_of = realm_of
        self._members = members
        self._ids = itertools.count(1)
        self._id_of_object: dict[PlatformObject, int] = {}
        self._objects: dict[int, PlatformObject] = {}
        self._held: dict[int, EngineValue | EngineFunction] = {}
        self._listeners: dict[int, JSFunction] = {}
        self._navigables: dict[Navigable, int] = {}
        self._navigable_of_id: dict[int, Navigable] = {}
        self._navigable_of_proxy: dict[WindowProxy, int] = {}
        self._errors: dict[int, tuple[int, JSObject]] = {}
        #: The numbers of window event targets, which stand for their windows.
        self.windows: dict[PlatformObject, Window] = {}

    # Numbers

    def id_of(self, platform_object: PlatformObject) -> int:
        """Return the number of a platform object."""
        id = self._id_of_object.get(platform_object)
        if id is None:
            id = self._id_of_object[platform_object] = next(self._ids)
            self._objects[id] = platform_object
        return id

    def object_of(self, id: int) -> PlatformObject:
        """Return the platform object with a number."""
        return self._objects[id]

    def navigable_id(self, navigable: Navigable) -> int:
        """Return the number of a navigable."""
        id = self._navigables.get(navigable)
        if id is None:
            id = self._navigables[navigable] = next(self._ids)
            self._navigable_of_id[id] = navigable
            self._navigable_of_proxy[navigable.window_proxy] = id
        return id

    def navigable_of(self, id: int) -> Navigable:
        """Return the navigable with a number."""
        return self._navigable_of_id[id]

    @property
    def navigables(self) -> dict[Navigable, int]:
        """The navigables that scripts may hold, with their numbers."""
        return self._navigables

    def fields_of(self, class_: type) -> list[tuple[str, str]]:
        """Return the members of a dictionary, with the fields of its class."""
        return self._members[class_]

    def listener_of(self, value: EngineValue, make: Callable[[], JSFunction]) -> JSFunction:
        """Return the function that stands for an object as an event listener, the same each time."""
        if value.handle not in self._listeners:
            self._listeners[value.handle] = make()
        return self._listeners[value.handle]

    # Values to data

    def encode(self, value: object, realm: Realm | None = None) -> Any:
        """Return the data of a value; an error without a realm becomes one of ``realm``."""
        if value is None or isinstance(value, bool | str | int):
            return value
        if value is UNDEFINED:
            return ["undefined"]
        if isinstance(value, float):
            return value if math.isfinite(value) and str(value) != "-0.0" else ["number", _number(value)]
        if isinstance(value, EngineValue | EngineFunction | EnginePromise):
            return ["held", value.handle]
        if isinstance(value, CallbackFunction):
            return self.encode(value.function)
        if isinstance(value, JSError | DOMException):
            return self._error(value, realm)
        if isinstance(value, list | tuple):
            return ["list", [self.encode(item, realm) for item in value]]
        if isinstance(value, dict):
            return ["dictionary", [[key, self.encode(item, realm)] for key, item in value.items()]]
        if isinstance(value, WindowProxy):
            return ["window", self._navigable_of_proxy[value]]
        if isinstance(value, Window):
            return ["window", self._navigable_of_proxy[value.proxy]]
        if isinstance(value, PlatformObject):
            return self._object(value)
        members = self._members[type(value)]
        present = [(key, member) for key, field in members if (member := getattr(value, field)) is not ABSENT]
        return ["dictionary", [[key, self.encode(member, realm)] for key, member in present]]

    def _object(self, value: PlatformObject) -> Any:
        if value in self.windows:
            return ["window", self._navigable_of_proxy[self.windows[value].proxy]]
        realm = value.realm
        assert realm is not None
        data: list[Any] = ["object", self.id_of(value), _interface(value), realm_id(realm)]
        if isinstance(value, Event) and value.attributes:
            data.append({name: self.encode(item, realm) for name, item in value.attributes.items()})
        return data

    def _error(self, value: JSError | DOMException, realm: Realm | None) -> Any:
        if id(value) not in self._errors:
            self._errors[id(value)] = (next(self._ids), value)
        home = value.realm if value.realm is not None else realm
        kind = "DOMException" if isinstance(value, DOMException) else value.name
        number = realm_id(home) if home is not None else 0
        return ["error", self._errors[id(value)][0], kind, value.name, value.message, number]

    # Data to values

    def decode(self, data: Any) -> Any:
        """Return the value of some data."""
        if not isinstance(data, list):
            return data
        match data:
            case ["undefined"]:
                return UNDEFINED
            case ["null"]:
                return None
            case ["number", text]:
                return float(text.replace("Infinity", "inf"))
            case ["object", id]:
                return self._objects[id]
            case ["window", id]:
                return self._navigable_of_id[id].window_proxy
            case ["held", handle]:
                if handle not in self._held:
                    self._held[handle] = EngineValue(handle)
                return self._held[handle]
            case ["function", handle, realm]:
                if handle not in self._held:
                    self._held[handle] = self._function(handle, self._realm_of(realm))
                return self._held[handle]
            case ["promise", handle, realm]:
                return EnginePromise(self._realm_of(realm), handle)
            case ["list", items]:
                return [self.decode(item) for item in items]
            case ["dictionary", members]:
                return {key: self.decode(member) for key, member in members}
        raise ValueError(f"no value is written as {data}")

    def _function(self, handle: int, realm: Realm) -> EngineFunction:
        return EngineFunction(realm, handle, lambda this, values: self._call_function(realm, handle, this, values))

    def throw(self, data: Any) -> Throw:
        """Return what a script has thrown."""
        return Throw(self.decode(data))


class WindowTarget(EventTarget):
    """The event target of a Window.

    ``realm_id`` is the number of the realm: the id of the first document of the Window. ``associated`` holds the objects that
    a Window has one of, by their kind.
    """

    __slots__ = ("associated", "realm_id")

    interface = "Window"

    def __init__(self, realm: Realm, realm_id: int) -> None:
        super().__init__(realm)
        self.realm_id = realm_id
        self.associated: dict[object, PlatformObject] = {}


def realm_id(realm: Realm) -> int:
    """Return the number of a realm."""
    window = realm.global_object
    assert isinstance(window, Window)
    target = window.event_target
    assert isinstance(target, WindowTarget)
    return target.realm_id


def _interface(value: PlatformObject) -> str:
    if isinstance(value, Event):
        return value.event_interface
    if isinstance(value, HTMLElement) and value.interface == "HTMLElement":
        return interfaces_by_tag().get(value.local_name, "HTMLElement")
    return "HTMLDocument" if isinstance(value, Document) else value.interface


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "-0" if value == 0 else ("Infinity" if value > 0 else "-Infinity")


def members_of(definitions: Definitions, classes: dict[str, type]) -> dict[type, list[tuple[str, str]]]:
    """Return the members of the API's dictionaries, with the fields of their classes."""
    from modelcontext.platform.webidl.conversions import snake_case

    return {
        classes[name]: [(member.name, snake_case(member.name)) for member in definitions.members_of(dictionary)]
        for name, dictionary in definitions.dictionaries.items()
        if name in classes
    }
