"""The tables of the program language: operations and their keys, notations for values, and entries of outcomes.

A *kind* names how :mod:`modelcontext.programs.program.reading` reads something: ``"value"``, ``"steps"``, ``"document"`` and
so on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from modelcontext.spec.revisions.registry import REVISIONS

#: The ways in which a function ends, by key, with their kinds. Before, it runs ``steps``; a tool callback watches its signal.
BEHAVIORS: Mapping[str, str] = {
    "resolves": "value",
    "rejects": "value",
    "returns": "value",
    "throws": "value",
    "pending": "name",
}

#: The keys of a function, with their kinds. It gives its second argument the name that ``keeps`` says. With ``each`` it has
#: another pending promise for each call.
FUNCTION: Mapping[str, str] = {**BEHAVIORS, "each": "flag", "steps": "steps", "keeps": "name"}


@dataclass(frozen=True)
class Notation:
    """A notation for a value: the kind of its subject, and those of its required and optional further keys."""

    subject: str
    required: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)


#: By the key that marks the notation. The value of that key is the subject.
NOTATIONS: Mapping[str, Notation] = {
    "$js": Notation("constant"),
    "$bigint": Notation("integer"),
    "$symbol": Notation("name"),
    "$string": Notation("code units"),
    "$repeat": Notation("name", {"times": "count"}),
    "$object": Notation("members"),
    "$getter": Notation("name", {}, {"returns": "value", "throws": "value", "steps": "steps"}),
    "$function": Notation("name", {}, FUNCTION),
    "$toJSON": Notation("value or throw"),
    "$cycle": Notation("name"),
    "$error": Notation("error"),
    "$signal": Notation("name"),
    "$abortedSignal": Notation("value"),
    "$anySignal": Notation("names"),
    "$promise": Notation("name"),
    "$thenable": Notation("value"),
    "$window": Notation("document"),
    "$origin": Notation("document"),
    "$modelContext": Notation("document"),
    "$tool": Notation("text", {}, {"in": "document"}),
    "$listed": Notation("name", {"from": "label"}),
    "$let": Notation("name", {"be": "value"}),
    "$the": Notation("name", {}, {"path": "path"}),
}

#: The kinds of log entries, by the key that each has, with the further keys that each may have.
ENTRIES: Mapping[str, tuple[str, ...]] = {
    "promise": ("fulfilled", "rejected"),
    "step": ("threw", "value"),
    "event": ("via", "at", "target", "interface", "toolName", "agentInvoked", "submitter", "flags"),
    "callback": ("input", "aborted"),
    "abort": ("reason",),
    "function": ("arguments",),
    "get": (),
    "timer": (),
    "microtask": (),
    "log": (),
    "pageTransition": (),
}

#: The keys of entries in the order of writing; ``in`` is the document that recorded the entry.
ENTRY_KEYS = ("in", *ENTRIES, *(key for keys in ENTRIES.values() for key in keys))

#: Keys of JSON Schema, for input schemas: ordinary keys in spite of their ``$``.
ORDINARY_DOLLAR_KEYS = frozenset(
    {"$schema", "$id", "$ref", "$defs", "$comment", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary"}
)

JS_CONSTANTS = ("undefined", "null", "NaN", "Infinity", "-Infinity", "-0")

ECMASCRIPT_ERRORS = ("Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError")

#: The names in Web IDL's table of DOMException names (the legacy ones included).
DOM_EXCEPTIONS = (
    "IndexSizeError", "HierarchyRequestError", "WrongDocumentError", "InvalidCharacterError", "NoModificationAllowedError",
    "NotFoundError", "NotSupportedError", "InUseAttributeError", "InvalidStateError", "InvalidModificationError",
    "NamespaceError", "InvalidAccessError", "SecurityError", "NetworkError", "AbortError", "URLMismatchError",
    "TimeoutError", "InvalidNodeTypeError", "DataCloneError", "EncodingError", "NotReadableError", "UnknownError",
    "ConstraintError", "DataError", "TransactionInactiveError", "ReadOnlyError", "VersionError", "OperationError",
    "NotAllowedError", "OptOutError",
)  # fmt: skip


@dataclass(frozen=True)
class Signature:
    """The required and optional keys of a step of one operation, with their kinds."""

    required: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)
    #: True if ``on`` may stand beside them.
    on: bool = False


OPERATIONS: Mapping[str, Signature] = {
    "registerTool": Signature(
        {}, {"tool": "value", "options": "value", "callback": "function", "arguments": "values"}, on=True
    ),
    "unregisterTool": Signature({}, {"name": "value", "arguments": "values"}, on=True),
    "getTools": Signature({}, {"options": "value", "arguments": "values"}, on=True),
    "executeTool": Signature(
        {}, {"tool": "value", "input": "value", "options": "value", "arguments": "values"}, on=True
    ),
    "call": Signature({"path": "path"}, {"object": "name", "arguments": "values"}, on=True),
    "abort": Signature({"controller": "name"}, {"reason": "value"}),
    "resolve": Signature({"pending": "name"}, {"value": "value"}),
    "reject": Signature({"pending": "name"}, {"value": "value"}),
    "listen": Signature({"type": "name"}, {"steps": "steps", "element": "element"}, on=True),
    "handler": Signature({"type": "name"}, {"steps": "steps", "value": "value"}, on=True),
    "timer": Signature({}, {"steps": "steps"}),
    "microtask": Signature({}, {"steps": "steps"}),
    "log": Signature({"value": "value"}),
    "set": Signature({"object": "name", "path": "path", "value": "value"}),
    "same": Signature({"values": "values"}),
    "get": Signature({"path": "path"}, {"object": "name", "element": "element"}, on=True),
    "construct": Signature({"interface": "name"}, {"arguments": "values"}),
    "dispatch": Signature({"interface": "name"}, {"arguments": "values"}, on=True),
    "tell": Signature({"to": "document", "message": "name"}),
    "waitFor": Signature({}, {"message": "name", "result": "name", "entries": "count"}),
    "addFrame": Signature({"document": "document"}, {"initial": "name", "steps": "steps"}),
    "removeFrame": Signature({"document": "document"}),
    "navigate": Signature({"document": "document", "to": "document"}),
    "open": Signature({"document": "document"}),
    "close": Signature({"document": "document"}),
    "leave": Signature({"document": "document"}),
    "goBack": Signature(),
    "pageTransition": Signature({"type": "name"}, {"steps": "steps"}),
    "setAttribute": Signature({"element": "element", "name": "name", "value": "text"}, on=True),
    "removeAttribute": Signature({"element": "element", "name": "name"}, on=True),
    "insertAdjacentHTML": Signature({"element": "element", "html": "markup"}, {"position": "position"}, on=True),
    "append": Signature({"element": "element", "child": "element"}, on=True),
    "remove": Signature({"element": "element"}, on=True),
    "fill": Signature({"element": "element"}, {"value": "text", "checked": "flag", "selected": "texts"}, on=True),
    "click": Signature({"element": "element"}, on=True),
    "reset": Signature({"element": "element"}, on=True),
    "requestSubmit": Signature({"element": "element"}, {"submitter": "element"}, on=True),
    "submit": Signature({"element": "element"}, on=True),
    "matches": Signature({"element": "element", "selector": "selector"}, on=True),
    "preventDefault": Signature({}, {"event": "label"}),
    "respondWith": Signature({}, {"value": "value", "event": "label"}),
}

#: The operations on elements and their events. A step with the key ``element`` is one of them, too.
ELEMENT_OPERATIONS = frozenset(
    {"setAttribute", "removeAttribute", "insertAdjacentHTML", "append", "remove", "fill", "click", "reset"}
    | {"requestSubmit", "submit", "matches", "preventDefault", "respondWith"}
)

#: The positions of ``insertAdjacentHTML``.
POSITIONS = ("beforebegin", "afterbegin", "beforeend", "afterend")
#: The selectors of ``matches``.
SELECTORS = (":tool-form-active", ":tool-submit-active", ":focus")
#: The members of elements that ``get`` reads.
ELEMENT_MEMBERS = ("value", "checked", "selected")

#: The operations that are methods of a ModelContext, with the keys of their arguments. A step without ``arguments`` needs the
#: first, unless that is ``options``.
METHODS: Mapping[str, tuple[str, ...]] = {
    "registerTool": ("tool", "options"),
    "unregisterTool": ("name",),
    "getTools": ("options",),
    "executeTool": ("tool", "input", "options"),
}

# The operations that need a ModelContext that is an event target.
_EVENTS = ("listen", "handler", "dispatch")

#: The page transition events.
PAGE_TRANSITIONS = ("pagehide", "pageshow")
# The operations about the back/forward cache, which matters only to revisions with promises.
_HISTORY = ("leave", "goBack", "pageTransition")


@dataclass(frozen=True)
class Dialect:
    """The language for one revision of the specification.

    ``accessor`` is the object with the attribute ``modelContext``; ``promises`` are the operations that return a promise,
    for which a script can wait. ``has_forms`` is true if a form can be a tool, so that documents have markup.
    """

    operations: Mapping[str, Signature]
    promises: frozenset[str]
    accessor: Literal["document", "navigator"]
    has_forms: bool


@cache
def dialect(name: str) -> Dialect:
    """Return the language for a revision: the operations that its IDL allows.

    It stays the same if another text stands in for the revision, so that programs can still be read.
    """
    revision = REVISIONS.own(name)
    interfaces = revision.definitions.interfaces
    context = interfaces["ModelContext"]
    promises = frozenset(one.name for one in context.operations.values() if one.returns.name == "Promise")
    missing = {*METHODS} - {*context.operations}
    if context.inherits != "EventTarget":
        missing |= {*_EVENTS}
    if promises:
        promises |= {"call"}
    else:
        missing |= {*_HISTORY, "call"}
    has_forms = revision.has_forms
    if not has_forms:
        missing |= ELEMENT_OPERATIONS
    operations = {name: signature for name, signature in OPERATIONS.items() if name not in missing}
    for method in METHODS:
        if method in operations and not any(one.name == "options" for one in context.operations[method].arguments):
            optional = {key: kind for key, kind in operations[method].optional.items() if key != "options"}
            operations[method] = replace(operations[method], optional=optional)
    if not has_forms:
        for name in ("listen", "get"):
            if name in operations:
                optional = {key: kind for key, kind in operations[name].optional.items() if kind != "element"}
                operations[name] = replace(operations[name], optional=optional)
    is_of_document = "Document" in interfaces and "modelContext" in interfaces["Document"].attributes
    return Dialect(operations, promises, "document" if is_of_document else "navigator", has_forms)
