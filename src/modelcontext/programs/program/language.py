"""The program language: the structure of a program, and writing it as TOML and JSON.

A program is data; ``docs/program-language.md`` describes it for people. :mod:`modelcontext.programs.program.reading` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from modelcontext.ground.tables import TableError
from modelcontext.programs.program.notation import METHODS, NOTATIONS, Dialect, dialect
from modelcontext.spec.revisions.registry import CURRENT

# A value in the notation of the language: str, int, float, bool, list, or dict; null is {"$js": "null"}. Nested steps (of
# functions, getters, listeners, timers) are a tuple of ProgramStep.
Value = Any


class ProgramError(TableError):
    """An invalid program."""


@dataclass(frozen=True)
class DocumentSpec:
    """One document of a program.

    ``origin`` is a letter or ``"insecure"``, resolved from the parent or opener. ``permissions_policy`` is the value of the
    response header. ``html`` is the markup of the body, if steps can name elements. ``tab`` is the document whose tab shows
    this one while that document is in the back/forward cache. The other strings may hold ``{A}`` to ``{D}``.
    """

    id: str
    origin: str
    parent: str | None = None
    opener: str | None = None
    allow: str | None = None
    sandbox: str | None = None
    permissions_policy: str | None = None
    tab: str | None = None
    html: str | None = None
    later: bool = False


@dataclass(frozen=True)
class ProgramStep:
    """One operation of a script.

    ``arguments`` holds every key of the step except ``do``, ``as``, ``wait`` and ``on``, as written. ``label`` is the given
    or the default label. ``wait`` is true if the script waits until the operation's promise settles or its document has
    loaded, or if the operation always waits; it is false in nested steps. ``place`` names the step in messages.
    """

    do: str
    label: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    wait: bool = False
    on: str | None = None
    place: str = field(default="", compare=False)

    @cached_property
    def method_arguments(self) -> Sequence[Value]:
        """The arguments of a step that calls a method; one that is left out before others is undefined."""
        given = self.arguments
        if "arguments" in given:
            return list(given["arguments"])
        if self.do == "registerTool":
            given = {**given, "tool": _with_callback(given["tool"], self)}
        values = [given.get(key) for key in METHODS[self.do]]
        while values and values[-1] is None:
            values.pop()
        return [{"$js": "undefined"} if value is None else value for value in values]

    def nested(self) -> Iterator[ProgramStep]:
        """Yield the steps directly nested in this step's callbacks, listeners, functions and so on, in text order."""
        yield from _steps_in(self.arguments)

    def walk(self) -> Iterator[ProgramStep]:
        """Yield this step and all steps nested in it, in text order."""
        yield self
        for step in self.nested():
            yield from step.walk()


def _steps_in(value: Value) -> Iterator[ProgramStep]:
    if isinstance(value, ProgramStep):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _steps_in(member)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _steps_in(item)


@dataclass(frozen=True)
class Program:
    """A valid program. ``documents`` is in the order of declaration and always has ``top``."""

    title: str
    documents: Mapping[str, DocumentSpec]
    script: Mapping[str, tuple[ProgramStep, ...]]
    algorithms: tuple[str, ...] = ()
    note: str = ""
    revision: str = CURRENT.name
    source: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The name of the file without its suffix; the title if the program was not read from a file."""
        return Path(self.source).stem if self.source.endswith((".toml", ".json")) else self.title

    @property
    def dialect(self) -> Dialect:
        """The language for the program's revision."""
        return dialect(self.revision)

    def steps(self, document: str) -> tuple[ProgramStep, ...]:
        """Return the script of a document; it may be empty."""
        return self.script.get(document, ())

    def walk(self) -> Iterator[tuple[str, ProgramStep]]:
        """Yield every step with its document, nested ones included, in text order."""
        for document, script in self.script.items():
            for step in script:
                yield from ((document, inner) for inner in step.walk())

    @cached_property
    def holders(self) -> Mapping[str, str]:
        """The document for which each document's iframe was made, by document; top and popups are left out.

        A document has its own iframe unless a ``navigate`` step brings it into that of another document. The holder of a
        document with a ``tab`` is the document that the tab belongs to.
        """
        came_from = {
            step.arguments["to"]: step.arguments["document"] for _, step in self.walk() if step.do == "navigate"
        }
        holders: dict[str, str] = {}
        for document in self.documents.values():
            if document.parent is not None:
                holder = document.id
                while holder in came_from:
                    holder = came_from[holder]
                holders[document.id] = holder
            elif document.tab is not None:
                holders[document.id] = document.tab
        return holders

    @cached_property
    def initial_documents(self) -> Mapping[str, str]:
        """The names of initial about:blank documents, each with the document whose script inserts its iframe."""
        return {
            step.arguments["initial"]: document
            for document, step in self.walk()
            if step.do == "addFrame" and "initial" in step.arguments
        }

    @property
    def leaves(self) -> bool:
        """True if the program's page goes into the back/forward cache and comes back."""
        return any(document.tab is not None for document in self.documents.values())

    def is_opaque(self, document: str) -> bool:
        """Return whether the document's origin is opaque: an iframe around it (or around its opener) is sandboxed."""
        spec = self.documents[document]
        if spec.parent is not None:
            sandbox = self.documents[self.holders[document]].sandbox
            if sandbox is not None and "allow-same-origin" not in sandbox.lower().split():
                return True
            return self.is_opaque(spec.parent)
        if spec.opener is not None:
            return self.is_opaque(spec.opener)
        return False

    def log_of(self, document: str) -> str:
        """Return the name of the log of a document's event loop: the first declared document on that event loop.

        A document with a ``tab`` has a log of its own, since the user agent may run it elsewhere.
        """
        spec = self.documents[document]
        if self.is_opaque(document) or spec.tab is not None:
            return document
        return next(
            other.id
            for other in self.documents.values()
            if other.origin == spec.origin and other.tab is None and not self.is_opaque(other.id)
        )

    def to_data(self) -> dict[str, Any]:
        """Return the program as plain data; :func:`modelcontext.programs.program.reading.from_data` is the inverse."""
        data: dict[str, Any] = {"title": self.title}
        if self.algorithms:
            data["algorithms"] = list(self.algorithms)
        if self.note:
            data["note"] = self.note
        if self.revision != CURRENT.name:
            data["revision"] = self.revision
        data["documents"] = {document.id: _document_to_data(document) for document in self.documents.values()}
        data["script"] = {
            document: _StepWriter(self.dialect).steps(steps) for document, steps in self.script.items() if steps
        }
        return data

    def dumps_json(self) -> str:
        """Return the program as JSON text."""
        return json.dumps(self.to_data(), indent=2) + "\n"

    def dumps_toml(self) -> str:
        """Return the program as TOML text."""
        data = self.to_data()
        lines = [f"{_key(key)} = {_inline(value)}" for key, value in data.items() if key not in ("documents", "script")]
        for name, document in data["documents"].items():
            lines += ["", f"[documents.{_key(name)}]"]
            lines += [f"{_key(key)} = {_inline(value)}" for key, value in document.items()]
        for name, steps in data["script"].items():
            for step in steps:
                lines += ["", f"[[script.{_key(name)}]]"]
                lines += [f"{_key(key)} = {_inline(value)}" for key, value in step.items()]
        return "\n".join(lines) + "\n"


def _document_to_data(document: DocumentSpec) -> dict[str, Any]:
    data: dict[str, Any] = {"origin": document.origin}
    for field_name in ("parent", "opener", "tab", "allow", "sandbox", "permissions_policy", "html"):
        if getattr(document, field_name) is not None:
            data[field_name.replace("_", "-")] = getattr(document, field_name)
    if document.later:
        data["start"] = "later"
    return data


class _StepWriter:
    """A writer for the steps of one document. It leaves out default labels."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._labels = DefaultLabels()

    def steps(self, steps: tuple[ProgramStep, ...], *, nested: bool = False) -> list[dict[str, Any]]:
        return [self._step(step, nested) for step in steps]

    def _step(self, step: ProgramStep, nested: bool) -> dict[str, Any]:
        data: dict[str, Any] = {"do": step.do}
        if step.label == self._labels.peek(step.do):
            self._labels.take(step.do)
        else:
            data["as"] = step.label
        if step.do in self._dialect.promises | FRAME_OPERATIONS and not step.wait and not nested:
            data["wait"] = False
        if step.on is not None:
            data["on"] = step.on
        data.update((key, self._value(value)) for key, value in step.arguments.items())
        return data

    def _value(self, value: Value) -> Any:
        if isinstance(value, tuple):
            return self.steps(value, nested=True)
        if isinstance(value, Mapping):
            return {key: self._value(member) for key, member in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return value


class DefaultLabels:
    """The default labels of one document: the operation's name, then with `` 2``, `` 3`` and so on."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def peek(self, operation: str) -> str:
        """Return the label that the next :meth:`take` would return."""
        count = self._counts.get(operation, 0) + 1
        return operation if count == 1 else f"{operation} {count}"

    def take(self, operation: str) -> str:
        """Return the next default label of an operation."""
        label = self.peek(operation)
        self._counts[operation] = self._counts.get(operation, 0) + 1
        return label


#: Operations that bring a document into an iframe; a script need not wait until it has loaded.
FRAME_OPERATIONS = frozenset({"addFrame", "navigate"})

#: Operations that bring a document. After the others a script always waits. They cannot stand in nested steps.
ARRIVAL_OPERATIONS = FRAME_OPERATIONS | {"open", "leave"}


def _key(key: str) -> str:
    bare = key != "" and all(character.isascii() and (character.isalnum() or character in "-_") for character in key)
    return key if bare else _inline(key)


def _inline(value: Any) -> str:
    # tomli-w and similar libraries write sub-tables after the other keys of a table; here the order of keys matters.
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    if isinstance(value, dict):
        if not value:
            return "{}"
        return "{ " + ", ".join(f"{_key(key)} = {_inline(member)}" for key, member in value.items()) + " }"
    return repr(value)


def substituted(text: str, origins: Mapping[str, str]) -> str:
    """Return a text with every ``{letter}`` replaced by the origin of that letter."""
    if "{" in text:
        for letter, origin in origins.items():
            text = text.replace(f"{{{letter}}}", origin)
    return text


def literal_members(tool: Value) -> dict[str, Value] | None:
    """Return the members of a tool that is written as a table or an ``$object``; None for any other value."""
    while isinstance(tool, Mapping) and "$let" in tool:
        tool = tool["be"]
    if not isinstance(tool, Mapping):
        return None
    if "$object" in tool:
        return dict(tool["$object"])
    return None if any(key in NOTATIONS for key in tool) else dict(tool)


def _with_callback(tool: Value, step: ProgramStep) -> Value:
    """Return the tool of a step with its callback as the member ``execute``, in the internal notation ``$callback``."""
    members = literal_members(tool)
    if members is None or "execute" in members:
        return tool
    name = members.get("name")
    callback = {"$callback": name if isinstance(name, str) else step.label, **step.arguments.get("callback", {})}
    if "$let" in tool:
        return {**tool, "be": _with_callback(tool["be"], step)}
    if "$object" in tool:
        return {"$object": [*tool["$object"], ["execute", callback]]}
    return {**tool, "execute": callback}
