"""A tool as a client knows it, a call as a client means it, and the registrations that a program can make.

A registration has a *label*: the name of its callback, which no other registration of the program has. Traces speak in labels,
which say more than any client can see: two registrations with the same words are two.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from modelcontext.judging.clients.page_tools import Hints
from modelcontext.programs.program.language import ProgramError, literal_members
from modelcontext.programs.program.stage import ORIGINS

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.values import JSObject
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.programs.program.language import Program, ProgramStep
    from modelcontext.spec.revisions.current.model import ToolDefinition


@dataclass(frozen=True, slots=True)
class ToolWords:
    """The words of a registration: all that ``getTools`` tells of a tool, except where it stands. ``schema`` is JSON text."""

    name: str
    description: str
    schema: str = ""
    hints: Hints = field(default_factory=Hints)


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool in a client's list.

    ``document`` is the one whose tool map it was read from; not every client can see it. ``handle`` is the dictionary
    RegisteredTool, and ``observed`` the tool definition, for clients that have one.
    """

    definition: ToolWords
    origin: str
    document: Document
    frame: Navigable
    handle: JSObject | None = None
    observed: ToolDefinition | None = None

    @property
    def name(self) -> str:
        """The name under which the page registered the tool."""
        return self.definition.name

    @property
    def is_consequential(self) -> bool:
        """True if the page says that the tool is consequential."""
        return self.definition.hints.consequential


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call that the model has made: ``tool`` is the one that it means. ``number`` is passed to the tool, as its input."""

    number: int
    tool: KnownTool


@dataclass(frozen=True, slots=True)
class Registration:
    """A step of a program that registers a tool. ``exposed_to`` are serialized origins."""

    label: str
    document: str
    origin: str
    definition: ToolWords
    exposed_to: tuple[str, ...] = ()

    def is_exposed_to(self, origin: str) -> bool:
        """Return whether a caller of an origin may run the tool."""
        return origin == self.origin or origin in self.exposed_to


class Registrations:
    """The registrations of a program.

    Raises:
        ProgramError: if two registrations have the same label.
    """

    def __init__(self, program: Program) -> None:
        self.by_label: dict[str, Registration] = {}
        for document, step in program.walk():
            for one in _registrations(program, document, step):
                if one.label in self.by_label:
                    raise ProgramError(program.source, step.place, f"two tools have the callback {one.label!r}")
                self.by_label[one.label] = one

    def label_of(self, document: str, definition: ToolWords) -> str:
        """Return the label of the first registration with these words in a document; "?" if there is none."""
        found = (
            one.label for one in self.by_label.values() if (one.document, one.definition) == (document, definition)
        )
        return next(found, "?")


def _registrations(program: Program, document: str, step: ProgramStep) -> Iterator[Registration]:
    members = literal_members(step.arguments.get("tool")) if step.do == "registerTool" else None
    callback = (members or {}).get("execute")
    if members is None or not isinstance(callback, Mapping) or "$function" not in callback:
        return
    owner = step.on or document
    options = step.arguments.get("options", {})
    schema = _as_json(members.get("inputSchema"))
    definition = definition_of(members["name"], members["description"], schema, members.get("annotations"))
    letter = program.documents[owner].origin
    exposed_to = tuple(ORIGINS[origin.strip("{}")] for origin in options.get("exposedTo", ()))
    yield Registration(callback["$function"], owner, ORIGINS[letter], definition, exposed_to)


def _as_json(value: Any) -> Any:
    """Return the JSON value of a schema in a program, whose members may have side effects."""
    if not isinstance(value, Mapping):
        return value
    if "$getter" in value:
        return _as_json(value["returns"])
    members = literal_members(value)
    assert members is not None, value
    return {key: _as_json(member) for key, member in members.items()}


def definition_of(name: str, description: str, schema: Any, annotations: Mapping[str, Any] | None) -> ToolWords:
    """Return the words of a tool, given its schema as a JSON value (or None) and its annotations as a dictionary."""
    text = "" if schema is None else json.dumps(schema, separators=(",", ":"))
    return ToolWords(name, description, text, Hints.of(annotations))
