"""JavaScript values in one document: made from the notation of the language, and written in that of outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from modelcontext.platform.dom.abort import AbortController, AbortSignal
from modelcontext.platform.dom.events import Event
from modelcontext.platform.ecmascript.json import number_to_string
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    Accessor,
    BigInt,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
    Throw,
    call,
)
from modelcontext.platform.html.window import WindowProxy
from modelcontext.platform.infra.random_uuid import RandomUUID
from modelcontext.platform.infra.strings import from_code_units, has_lone_surrogate, to_code_units
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.programs.program.language import Value, substituted
from modelcontext.programs.program.members import get_member
from modelcontext.programs.program.notation import ECMASCRIPT_ERRORS, NOTATIONS
from modelcontext.programs.program.stage import ORIGINS, Interpreter, Stage

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document

_CONSTANTS: Mapping[str, JSValue] = {
    "undefined": UNDEFINED,
    "null": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
    "-0": -0.0,
}


class Maker:
    """A maker of the values of one document; ``named`` holds those of ``$let``, and the results by label.

    Args:
        stage: the stage of the document.
        id_: the document's id in the program.
        document: the document.
        writer: the writer of the document.
        script: the script of the document.
    """

    def __init__(self, stage: Stage, id_: str, document: Document, writer: Writer, script: Interpreter) -> None:
        self._stage = stage
        self._id = id_
        self._realm = document.realm
        self._boundary = stage.world.boundary
        self._written = writer.written
        self._script = script
        self.named: dict[str, JSValue] = {}
        self._controllers: dict[str, AbortController] = {}
        self._pendings: dict[str, Promise] = {}
        self._calls: dict[str, int] = {}

    def controller(self, name: str) -> AbortController:
        """Return the controller of a name; create it at the first use."""
        if name not in self._controllers:
            self._controllers[name] = AbortController(self._realm)
        return self._controllers[name]

    def pending(self, name: str) -> Promise:
        """Return the pending promise of a name; create it at the first use."""
        if name not in self._pendings:
            self._pendings[name] = Promise(self._realm)
        return self._pendings[name]

    def make(self, data: Value) -> JSValue:
        """Make a value.

        Raises:
            Throw: if following a path throws.
        """
        if isinstance(data, str):
            return _substituted(data)
        if isinstance(data, list):
            return JSArray(self._realm, [self.make(item) for item in data])
        if isinstance(data, dict):
            for key in data:
                if key in NOTATIONS or key == "$callback":
                    return self._special(key, data[key], data)
            return self._object(data.items())
        assert isinstance(data, bool | int | float)
        return data

    def follow(self, value: JSValue, path: Sequence[str | int]) -> JSValue:
        """Read a member of a member, and so on.

        Raises:
            Throw: a TypeError for a member of undefined or null; the value thrown by a getter.
        """
        for key in path:
            value = get_member(self._boundary, value, str(key))
        return value

    def _object(self, members: Iterable[tuple[str, Value]]) -> JSObject:
        result = JSObject(self._realm)
        for key, data in members:
            result.properties[_substituted(key)] = self._member(data)
        return result

    def _member(self, data: Value) -> JSValue | Accessor:
        if not (isinstance(data, dict) and "$getter" in data):
            return self.make(data)

        def get(this: JSObject) -> JSValue:
            self._script.record({"get": data["$getter"]})
            self._script.run_nested(data.get("steps", ()))
            if "throws" in data:
                raise Throw(self.make(data["throws"]))
            return self.make(data["returns"])

        return Accessor(get)

    def _special(self, notation: str, subject: Value, data: Mapping[str, Value]) -> JSValue:
        realm = self._realm
        match notation:
            case "$js":
                return _CONSTANTS[subject]
            case "$bigint":
                return BigInt(int(subject))
            case "$symbol":
                return Symbol(subject)
            case "$string":
                return from_code_units(subject)
            case "$repeat":
                return _substituted(subject) * int(data["times"])
            case "$object":
                return self._object(subject)
            case "$function":
                return JSFunction(realm, lambda this, arguments: self._call_function(data, arguments), subject)
            case "$callback":
                return JSFunction(realm, lambda this, arguments: self._call_callback(data, arguments), subject)
            case "$toJSON":
                return JSObject(realm, {"toJSON": JSFunction(realm, lambda *_: self._to_json(subject), "toJSON")})
            case "$cycle":
                cycle = JSObject(realm)
                cycle.properties[subject] = cycle
                return cycle
            case "$error":
                if subject in ECMASCRIPT_ERRORS:
                    return JSError(subject, "of the program", realm)
                return DOMException(subject, "of the program", realm)
            case "$signal":
                return self.controller(subject).signal
            case "$abortedSignal":
                return AbortSignal.aborted_with(realm, self.make(subject))
            case "$anySignal":
                return AbortSignal.any(realm, [self.controller(name).signal for name in subject])
            case "$promise":
                return self.pending(subject)
            case "$thenable":
                return self._thenable(subject)
            case "$window":
                return self._stage.window_of(subject)
            case "$origin":
                return self._stage.origin_of(subject)
            case "$modelContext":
                return self._stage.model_context_of(subject)
            case "$tool":
                return self._tool(subject, data.get("in", self._id))
            case "$listed":
                return self._listed(subject, data["from"])
            case "$let":
                value = self.named[subject] = self.make(data["be"])
                return value
            case "$the":
                return self.follow(self.named.get(subject, UNDEFINED), data.get("path", ()))
        raise AssertionError(f"unknown notation: {notation}")

    def _to_json(self, subject: Value) -> JSValue:
        if isinstance(subject, Mapping) and "$throw" in subject:
            raise Throw(self.make(subject["$throw"]))
        return self.make(subject)

    def _thenable(self, subject: Value) -> JSObject:
        def then(this: JSValue, arguments: list[JSValue]) -> JSValue:
            resolve = arguments[0]
            assert isinstance(resolve, JSFunction)
            return call(resolve, UNDEFINED, [self.make(subject)])

        return JSObject(self._realm, {"then": JSFunction(self._realm, then, "then")})

    def _tool(self, name: str, document: str) -> JSObject:
        return JSObject(
            self._realm,
            {
                "name": _substituted(name),
                "description": "",
                "origin": self._stage.origin_of(document),
                "window": self._stage.window_of(document),
            },
        )

    def _listed(self, name: str, label: str) -> JSValue:
        tools = self.named.get(label, UNDEFINED)
        if isinstance(tools, JSArray):
            for tool in tools:
                if get_member(self._boundary, tool, "name") == name:
                    return tool
        return UNDEFINED

    def _call_function(self, data: Mapping[str, Value], arguments: list[JSValue]) -> JSValue:
        self._script.record({"function": data["$function"], "arguments": [self._written(value) for value in arguments]})
        return self._behave(data, arguments)

    def _call_callback(self, data: Mapping[str, Value], arguments: list[JSValue]) -> JSValue:
        name = data["$callback"]
        signal = get_member(self._boundary, arguments[1] if len(arguments) > 1 else UNDEFINED, "signal")
        assert isinstance(signal, AbortSignal)
        self._script.record({"callback": name, "input": self._written(arguments[0]), "aborted": signal.aborted})
        if data.get("watch"):

            def aborted(this: JSValue, arguments: list[JSValue]) -> JSValue:
                self._script.record({"abort": name, "reason": self._written(signal.reason)})
                return UNDEFINED

            signal.add_event_listener("abort", JSFunction(self._realm, aborted))
        return self._behave(data, arguments)

    def _behave(self, data: Mapping[str, Value], arguments: Sequence[JSValue] = ()) -> JSValue:
        if "keeps" in data:
            self.named[data["keeps"]] = arguments[1] if len(arguments) > 1 else UNDEFINED
        self._script.run_nested(data.get("steps", ()))
        if "returns" in data:
            return self.make(data["returns"])
        if "throws" in data:
            raise Throw(self.make(data["throws"]))
        if "pending" in data:
            return self.pending(self._name_for_call(data["pending"]) if data.get("each") else data["pending"])
        promise = Promise(self._realm)
        if "rejects" in data:
            promise.reject(self.make(data["rejects"]))
        else:
            promise.resolve(self.make(data["resolves"]) if "resolves" in data else True)
        return promise

    def _name_for_call(self, name: str) -> str:
        """Return the name of the promise for the next call of a function that has one for each call."""
        count = self._calls[name] = self._calls.get(name, 0) + 1
        return name if count == 1 else f"{name} {count}"


class Writer:
    """A writer of values, from the point of view of one document of a stage."""

    def __init__(self, stage: Stage, document: Document) -> None:
        self._stage = stage
        self._realm = document.realm

    def text(self, string: str) -> Any:
        """Return a string with letters for the origins; as code units if it has lone surrogates."""
        if has_lone_surrogate(string):
            return {"$string": to_code_units(string)}
        for letter, origin in ORIGINS.items():
            if origin in string:
                string = string.replace(origin, f"{{{letter}}}")
        return string

    def written(self, value: JSValue, holders: tuple[JSObject, ...] = ()) -> Any:
        """Return a value in the notation; ``holders`` are the objects around it, outermost first."""
        if value is UNDEFINED:
            return {"$js": "undefined"}
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, RandomUUID):
            return "(a random UUID)"
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
            return {"$window": next(id_ for id_, window in self._stage.windows.items() if window is value)}
        for levels, holder in enumerate(reversed(holders), 1):
            if holder is value:
                return {"$cycle": levels}
        if isinstance(value, AbortSignal):
            return {"$signal": value.aborted}
        foreign = self._foreign_realm(value.realm)
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

    def _foreign_realm(self, realm: Realm | None) -> dict[str, str]:
        id_ = None if realm is None or realm is self._realm else self._stage.realm_ids.get(realm)
        return {} if id_ is None else {"$realm": id_}


def _substituted(string: str) -> str:
    return substituted(string, ORIGINS)


def _number(value: float) -> Any:
    if value == 0 and math.copysign(1, value) < 0:
        return {"$js": "-0"}
    return value if math.isfinite(value) else {"$js": number_to_string(value)}
