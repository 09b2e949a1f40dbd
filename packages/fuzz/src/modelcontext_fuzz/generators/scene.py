"""A program under construction, to which :mod:`~modelcontext_fuzz.generators.fragments` add steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from modelcontext.programs.program.notation import dialect
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Value

Draw = st.DrawFn
Data = dict[str, Any]

EVENTS = ("toolchange", "toolactivated", "toolcancel")


class Scene:
    """The documents and scripts of a program under construction, as plain data."""

    def __init__(self, documents: dict[str, Data], revision: str) -> None:
        self.documents = documents
        self.revision = revision
        #: True if scripts of the revision can list and call tools.
        self.calls_tools = "executeTool" in dialect(revision).operations
        self.script: dict[str, list[Data]] = {}
        #: The registered tools, as (name, document).
        self.tools: list[tuple[str, str]] = []
        #: The documents that a step can still remove or navigate.
        self.present = [id_ for id_, spec in documents.items() if "start" not in spec]
        self._taken: set[tuple[str, str]] = set()

    def add(self, document: str, step: Data) -> None:
        """Append a step to a document's script."""
        self.script.setdefault(document, []).append(step)

    def call(self, document: str, tool: Value, **keys: Value) -> None:
        """Append a step that calls a tool."""
        self.add(document, {"do": "executeTool", "as": self.label(document, "call"), "tool": tool, **keys})

    def label(self, document: str, word: str) -> str:
        """Return a label that no other step of the document has."""
        number, label = 1, word
        while (document, label) in self._taken:
            number += 1
            label = f"{word} {number}"
        self._taken.add((document, label))
        return label

    def origin(self, document: str) -> str:
        """Return the letter of a document's origin."""
        spec: Data = self.documents[document]
        while "origin" not in spec:
            outer = spec.get("parent", spec.get("opener"))
            if outer is None:
                return "A"
            spec = self.documents[outer]
        return str(spec["origin"])

    def is_sandboxed(self, document: str | None) -> bool:
        """Return whether the document's origin is opaque."""
        while document is not None:
            spec = self.documents[document]
            if "allow-same-origin" not in spec.get("sandbox", "allow-same-origin"):
                return True
            document = spec.get("parent", spec.get("opener"))
        return False

    def reachable(self, document: str) -> list[str]:
        """Return the present documents whose objects a document can touch, itself first."""
        if self.is_sandboxed(document):
            return [document]
        return [document] + [
            other
            for other in self.present
            if other != document and self.origin(other) == self.origin(document) and not self.is_sandboxed(other)
        ]

    def data(self) -> Data:
        """Return the program as plain data."""
        data: Data = {"title": "A generated program", "documents": self.documents, "script": self.script}
        if self.revision != CURRENT.name:
            data["revision"] = self.revision
        return data


def chance(draw: Draw, one_in: int) -> bool:
    """Return true once in ``one_in`` draws."""
    return draw(st.integers(0, one_in - 1)) == one_in - 1


def place(draw: Draw, scene: Scene, document: str) -> Data:
    """Draw the key ``on`` of an operation; mostly none, for the document's own ModelContext."""
    reachable = scene.reachable(document)
    if len(reachable) > 1 and chance(draw, 3):
        return {"on": draw(st.sampled_from(reachable[1:]))}
    return {}
