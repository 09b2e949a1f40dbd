"""The bindings between a script's call and the algorithm, compiled from the IDL.

They do everything that Web IDL says about calls: the brand check, missing arguments, conversions in order, and rejection
instead of a throw for operations that return a promise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, reduce
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSObject, JSValue, Throw, type_error
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.platform.webidl.types import ABSENT

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.webidl.conversions import Conversions
    from modelcontext.platform.webidl.idl import Definitions, Operation

#: The algorithm of an operation or attribute getter, by (interface, member).
Implementations: TypeAlias = Mapping[tuple[str, str], Callable[..., Any]]
#: Calls an operation of a platform object by name, with arguments.
Call: TypeAlias = Callable[[PlatformObject, str, Sequence[JSValue]], JSValue]
#: Replaces a call; it can perform the original one with the first argument.
AroundCall: TypeAlias = Callable[[Call, PlatformObject, str, Sequence[JSValue]], JSValue]


@runtime_checkable
class HasEventHandlers(Protocol):
    """An object with event handler IDL attributes."""

    def get_event_handler(self, type_: str) -> JSObject | None:
        """Return the value of an event handler IDL attribute."""

    def set_event_handler(self, type_: str, callback: JSObject | None) -> None:
        """Set an event handler IDL attribute."""


class Boundary:
    """The bindings of one revision.

    Args:
        definitions: the IDL of the revision and of the platform.
        conversions: the compiled conversions of the same definitions.
        implementations: the algorithms.
        is_secure_context: tells whether a realm is a secure context.
        around_call: wrappers of the calls of operations, the last one outermost.
    """

    def __init__(
        self,
        definitions: Definitions,
        conversions: Conversions,
        implementations: Implementations,
        is_secure_context: Callable[[Realm], bool],
        around_call: Sequence[AroundCall] = (),
    ) -> None:
        self.definitions = definitions
        self.conversions = conversions
        self._implementations = implementations
        self._is_secure_context = is_secure_context
        self._call: Call = reduce(lambda inner, around: partial(around, inner), around_call, self._call_operation)
        self._compiled = cache(self._compile)

    def call(self, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
        """Call an operation of a platform object, as script does.

        Raises:
            Throw: the exception of the call; never for an operation that returns a promise.
            NoMeaningError: if the interface has no such operation.
        """
        return self._call(this, name, arguments)

    def _call_operation(self, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
        return self._compiled(this.interface, name)(this, arguments)

    def get(self, this: PlatformObject, name: str) -> JSValue:
        """Read an attribute of a platform object, as script does; one that is not exposed there reads as undefined.

        Raises:
            Throw: the exception of the getter.
        """
        attribute = self.definitions.interfaces[this.interface].attributes.get(name)
        realm = this.realm
        assert realm is not None
        if attribute is None or (attribute.secure_context and not self._is_secure_context(realm)):
            return UNDEFINED
        if attribute.type.name == "EventHandler":
            assert isinstance(this, HasEventHandlers)
            return this.get_event_handler(name.removeprefix("on"))
        return self.conversions.to_javascript(self._implementations[this.interface, name](this), realm)

    def set(self, this: PlatformObject, name: str, value: JSValue) -> None:
        """Assign to an event handler attribute, as script does.

        Raises:
            KeyError: if the interface has no such event handler attribute.
        """
        attribute = self.definitions.interfaces[this.interface].attributes[name]
        if attribute.type.name != "EventHandler":
            raise KeyError(name)
        assert isinstance(this, HasEventHandlers)
        this.set_event_handler(name.removeprefix("on"), self.conversions.converter(attribute.type)(value))

    def construct_arguments(self, interface: str, arguments: Sequence[JSValue], realm: Realm) -> list[Any]:
        """Convert the arguments of ``new interface(...)`` in a realm.

        Raises:
            Throw: a TypeError, also if the interface has no constructor, or the exception of a conversion.
        """
        constructor = self.definitions.interfaces[interface].constructor
        if constructor is None:
            raise type_error(f"{interface} has no constructor", realm)
        try:
            return self._argument_converter(constructor)(arguments)
        except Throw as throw:
            raise _in_realm(throw, realm) from None

    def _compile(self, interface: str, name: str) -> Callable[[PlatformObject, Sequence[JSValue]], JSValue]:
        operation = self.definitions.interfaces[interface].operations.get(name)
        if operation is None:
            raise NoMeaningError(f"the IDL of the text has no operation {interface}.{name}, which this call needs")
        convert = self._argument_converter(operation)
        method = self._implementations[interface, name]
        to_javascript = self.conversions.to_javascript
        returns_undefined = operation.returns.name == "undefined"

        def run_steps_that_return_a_promise(this: PlatformObject, arguments: Sequence[JSValue]) -> JSValue:
            try:
                promise: Promise = method(this, *convert(arguments))
            except Throw as throw:
                assert this.realm is not None
                promise = Promise(this.realm)
                promise.reject(_in_realm(throw, this.realm).value)
            return promise

        promises = [index for index, argument in enumerate(operation.arguments) if argument.type.name == "Promise"]

        def run_steps(this: PlatformObject, arguments: Sequence[JSValue]) -> JSValue:
            assert this.realm is not None
            try:
                converted = convert(arguments)
                for index in promises:
                    converted[index] = _promise_resolved_with(converted[index], this.realm)
                returned = method(this, *converted)
            except Throw as throw:
                raise _in_realm(throw, this.realm) from None
            return UNDEFINED if returns_undefined else to_javascript(returned, this.realm)

        return run_steps_that_return_a_promise if operation.returns.name == "Promise" else run_steps

    def _argument_converter(self, operation: Operation) -> Callable[[Sequence[JSValue]], list[Any]]:
        arguments = [
            (self.conversions.converter(argument.type), argument.optional and not argument.has_default)
            for argument in operation.arguments
        ]
        required = operation.required_arguments
        name = operation.name

        def convert(values: Sequence[JSValue]) -> list[Any]:
            given = len(values)
            if given < required:
                raise type_error(f"{name} needs {required} arguments, and {given} were given")
            converted = []
            for index, (converter, may_be_missing) in enumerate(arguments):
                value = values[index] if index < given else UNDEFINED
                converted.append(ABSENT if may_be_missing and value is UNDEFINED else converter(value))
            return converted

        return convert


def _promise_resolved_with(value: JSValue, realm: Realm) -> Promise:
    """https://webidl.spec.whatwg.org/#js-promise"""
    if isinstance(value, Promise):
        return value
    promise = Promise(realm)
    promise.resolve(value)
    return promise


def _in_realm(throw: Throw, realm: Realm) -> Throw:
    exception_in_realm(throw.value, realm)
    return throw


def exception_in_realm(value: JSValue, realm: Realm) -> JSValue:
    """Give an error without a realm the realm that it is thrown or rejected in, and return it."""
    if isinstance(value, JSError | DOMException) and value.realm is None:
        value.realm = realm
    return value
