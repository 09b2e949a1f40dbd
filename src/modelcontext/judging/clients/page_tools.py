"""The tools of a page as an agent knows them: the definition, the place where it stands, and a digest of the definition.

Everything here is a value: no page, no clock, no network.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: The frame id of a page's main frame.
MAIN_FRAME = "main"

#: The members of the dictionary ToolAnnotations, by attribute of :class:`Hints`.
HINTS = {
    "read_only": "readOnlyHint",
    "untrusted_content": "untrustedContentHint",
    "consequential": "consequentialHint",
    "debugging": "debugging",
}


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints of a tool. A page chooses them: they tell what the page claims, and not what its tool does."""

    read_only: bool = False
    untrusted_content: bool = False
    consequential: bool = False
    debugging: bool = False

    @classmethod
    def of(cls, members: Mapping[str, Any] | None) -> Hints:
        """Return the annotations that a dictionary ToolAnnotations holds; an absent member is false."""
        return cls(**{attribute: bool((members or {}).get(member)) for attribute, member in HINTS.items()})

    def to_json(self) -> dict[str, bool]:
        """Return the dictionary ToolAnnotations, with all its members."""
        return {member: getattr(self, attribute) for attribute, member in HINTS.items()}


@dataclass(frozen=True, slots=True)
class Binding:
    """The one tool that a call means: in this document, of this origin, in this frame, defined in exactly these words.

    ``document`` names a document and never another one: a page that navigates or reloads has a new one. ``frame`` names a
    navigable, which keeps its id when it navigates. ``digest`` is :attr:`PageTool.digest`.
    """

    document: str
    origin: str
    frame: str
    digest: str

    def to_json(self) -> dict[str, str]:
        """Return the binding as a JSON object."""
        return {"document": self.document, "origin": self.origin, "frame": self.frame, "digest": self.digest}


@dataclass(frozen=True, slots=True)
class PageTool:
    """A tool as a page offers it at some moment.

    ``input_schema`` is a JSON value, or None where the page gave none; nobody has checked that it is a JSON Schema. ``url``
    is the document's, for people; a tool is known by its binding and its name.
    """

    name: str
    description: str
    document: str
    origin: str
    frame: str = MAIN_FRAME
    url: str = ""
    title: str = ""
    input_schema: Any = None
    hints: Hints = field(default_factory=Hints)

    @property
    def definition(self) -> dict[str, Any]:
        """Everything that the page says of its tool, as a JSON object."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": self.hints.to_json(),
        }

    @property
    def digest(self) -> str:
        """The digest of the whole definition: name, title, description, schema and annotations."""
        return digest_of(self.definition)

    @property
    def binding(self) -> Binding:
        """The binding of a call that means this tool, as it is now."""
        return Binding(document=self.document, origin=self.origin, frame=self.frame, digest=self.digest)

    def to_json(self) -> dict[str, Any]:
        """Return the tool as a JSON object: the definition, and ``document``, ``origin``, ``frame``, ``url``."""
        place = {"document": self.document, "origin": self.origin, "frame": self.frame, "url": self.url}
        return {**self.definition, **place}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PageTool:
        """Return the tool that :meth:`to_json` described.

        Raises:
            ValueError: if a member is missing or of another type; the message names it.
        """
        strings = {}
        for member in ("name", "description", "document", "origin", "frame", "url", "title"):
            value = data.get(member, "" if member in ("url", "title") else None)
            if not isinstance(value, str):
                raise ValueError(f"a tool needs “{member}” as a string, and not {json.dumps(value)}")
            strings[member] = value
        annotations = data.get("annotations")
        if annotations is not None and not isinstance(annotations, dict):
            raise ValueError(
                f"“annotations” of the tool “{strings['name']}” is not an object: {json.dumps(annotations)}"
            )
        return cls(**strings, input_schema=data.get("inputSchema"), hints=Hints.of(annotations))


def digest_of(value: Any) -> str:
    """Return the digest of a JSON value: ``sha256:`` and 64 hexadecimal digits. The order of members does not count."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def digest_of_tools(tools: Iterable[PageTool]) -> str:
    """Return the digest of a set of tools: where each stands and how it is defined, in no order."""
    return digest_of(sorted(digest_of([tool.name, tool.binding.to_json()]) for tool in tools))
