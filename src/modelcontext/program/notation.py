"""The tables of the program language: operations, their keys, and the notations for values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from modelcontext.revisions.registry import REVISIONS

#: What a function does, besides running ``steps`` and (for tool callbacks) watching the signal.
BEHAVIOURS = ("resolves", "rejects", "returns", "throws", "pending")

#: Keys of a function in the language.
FUNCTION_KEYS = (*BEHAVIOURS, "steps")

#: Notations for values: the key that marks them, and the further keys that may stand beside it.
NOTATIONS: Mapping[str, tuple[str, ...]] = {
    "$js": (),
    "$bigint": (),
    "$symbol": (),
    "$string": (),
    "$repeat": ("times",),
    "$object": (),
    "$getter": ("returns", "throws", "steps"),
    "$function": FUNCTION_KEYS,
    "$toJSON": (),
    "$cycle": (),
    "$error": (),
    "$signal": (),
    "$abortedSignal": (),
    "$anySignal": (),
    "$promise": (),
    "$thenable": (),
    "$window": (),
    "$origin": (),
    "$modelContext": (),
    "$tool": ("in",),
    "$listed": ("from",),
    "$let": ("be",),
    "$the": ("path",),
}

#: Keys of JSON Schema, which programs write in input schemas: ordinary keys in spite of their ``$``.
ORDINARY_DOLLAR_KEYS = frozenset(
    {"$schema", "$id", "$ref", "$defs", "$comment", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary"}
)

JS_CONSTANTS = ("undefined", "null", "NaN", "Infinity", "-Infinity", "-0")

ECMASCRIPT_ERRORS = ("Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError")

#: The names in Web IDL's table of DOMException names (the legacy ones included).
DOM_EXCEPTIONS = (
    "IndexSizeError",
    "HierarchyRequestError",
    "WrongDocumentError",
    "InvalidCharacterError",
    "NoModificationAllowedError",
    "NotFoundError",
    "NotSupportedError",
    "InUseAttributeError",
    "InvalidStateError",
    "InvalidModificationError",
    "NamespaceError",
    "InvalidAccessError",
    "SecurityError",
    "NetworkError",
    "AbortError",
    "URLMismatchError",
    "TimeoutError",
    "InvalidNodeTypeError",
    "DataCloneError",
    "EncodingError",
    "NotReadableError",
    "UnknownError",
    "ConstraintError",
    "DataError",
    "TransactionInactiveError",
    "ReadOnlyError",
    "VersionError",
    "OperationError",
    "NotAllowedError",
    "OptOutError",
)


@dataclass(frozen=True)
class Operation:
    """What keys a step of this operation has, and the kind of each (see :mod:`modelcontext.program.reading`)."""

    required: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)
    #: Whether ``on`` may stand beside them.
    on: bool = False


OPERATIONS: Mapping[str, Operation] = {
    "registerTool": Operation(
        {}, {"tool": "value", "options": "value", "callback": "function", "arguments": "values"}, on=True
    ),
    "unregisterTool": Operation({}, {"name": "value", "arguments": "values"}, on=True),
    "getTools": Operation({}, {"options": "value", "arguments": "values"}, on=True),
    "executeTool": Operation(
        {}, {"tool": "value", "input": "value", "options": "value", "arguments": "values"}, on=True
    ),
    "abort": Operation({"controller": "name"}, {"reason": "value"}),
    "resolve": Operation({"pending": "name"}, {"value": "value"}),
    "reject": Operation({"pending": "name"}, {"value": "value"}),
    "listen": Operation({"type": "name"}, {"steps": "steps"}, on=True),
    "handler": Operation({"type": "name"}, {"steps": "steps", "value": "value"}, on=True),
    "timer": Operation({}, {"steps": "steps"}),
    "microtask": Operation({}, {"steps": "steps"}),
    "log": Operation({"value": "value"}),
    "set": Operation({"object": "name", "path": "path", "value": "value"}),
    "same": Operation({"values": "values"}),
    "get": Operation({"path": "path"}, {"object": "name"}, on=True),
    "construct": Operation({"interface": "name"}, {"arguments": "values"}),
    "dispatch": Operation({"interface": "name"}, {"arguments": "values"}, on=True),
    "tell": Operation({"to": "document", "message": "name"}),
    "waitFor": Operation({}, {"message": "name", "result": "name"}),
    "addFrame": Operation({"document": "document"}),
    "removeFrame": Operation({"document": "document"}),
    "navigate": Operation({"document": "document", "to": "document"}),
    "open": Operation({"document": "document"}),
    "close": Operation({"document": "document"}),
    "leave": Operation({"document": "document"}),
    "goBack": Operation(),
    "pageTransition": Operation({"type": "name"}, {"steps": "steps"}),
}

#: The operations that are methods of a ModelContext: the key that a step needs if it has no ``arguments``.
METHODS: Mapping[str, str | None] = {
    "registerTool": "tool",
    "unregisterTool": "name",
    "getTools": None,
    "executeTool": "tool",
}

# What needs a ModelContext that is an event target.
_EVENTS = ("listen", "handler", "dispatch")

#: The page transition events.
PAGE_TRANSITIONS = ("pagehide", "pageshow")
#: What is about the back/forward cache; of no interest where nothing is ever under way.
_HISTORY = ("leave", "goBack", "pageTransition")


@dataclass(frozen=True)
class Dialect:
    """The language for one revision of the specification.

    ``accessor`` is the object that has the attribute ``modelContext``; ``promises`` are the operations that return a
    promise, and after which a script can wait.
    """

    operations: Mapping[str, Operation]
    promises: frozenset[str]
    accessor: Literal["document", "navigator"]


@cache
def dialect(name: str) -> Dialect:
    """Return the language for the revision of that name: what its scripts can do, by its IDL."""
    interfaces = REVISIONS[name].definitions.interfaces
    context = interfaces["ModelContext"]
    promises = frozenset(one.name for one in context.operations.values() if one.returns.name == "Promise")
    missing = {*METHODS} - {*context.operations}
    if context.inherits != "EventTarget":
        missing |= {*_EVENTS}
    if not promises:
        missing |= {*_HISTORY}
    operations = {name: operation for name, operation in OPERATIONS.items() if name not in missing}
    for method in METHODS:
        if method in operations and not any(one.name == "options" for one in context.operations[method].arguments):
            optional = {key: kind for key, kind in operations[method].optional.items() if key != "options"}
            operations[method] = replace(operations[method], optional=optional)
    is_of_document = "Document" in interfaces and "modelContext" in interfaces["Document"].attributes
    return Dialect(operations, promises, "document" if is_of_document else "navigator")
