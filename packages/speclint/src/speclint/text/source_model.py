"""Classes of a specification's text: steps, algorithms, definitions, paragraphs, structs and suppressions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from speclint.text.markup import normalize, stems

if TYPE_CHECKING:
    from speclint.text.text_error import TextError


@dataclass(slots=True)
class SourceStep:
    """A step, or a case of a step, as the source has it; ``text`` has markup in one form, without the steps below it."""

    number: str
    line: int
    is_case: bool
    raw: str = ""
    children: list[SourceStep] = field(default_factory=list)
    #: The last line of the step itself.
    last_line: int = 0
    #: The lines of the source on which the lines of ``raw`` are.
    raw_lines: list[int] = field(default_factory=list)
    #: Set if the introduction of the algorithm stands for its steps.
    is_introduction: bool = False

    @property
    def text(self) -> str:
        """The step's own text, with markup in one form."""
        return normalize(self.raw)

    def walk(self) -> Iterator[SourceStep]:
        """Yield this step and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def built_id(id_: str, kind: str, owner: str, name: str) -> str:
    """Return the id that an algorithm has in the built text: Bikeshed gives one to a member whose source has none."""
    if kind in ("method", "getter", "setter") and not id_.startswith("dom-"):
        return f"dom-{owner}-{name}".lower()
    return id_


@dataclass(slots=True)
class SourceAlgorithm:
    """An algorithm; ``parameters`` are the variables of its introduction, ``names`` those that links call it by.

    ``kind`` is "method", "getter", "setter", "constructor" or "algorithm". ``nullable`` are the parameters that may be null.
    ``is_defined`` is false if the introduction has no dfn: its steps are those of a member, or of a term of another standard.
    """

    id: str
    name: str
    names: tuple[str, ...]
    owner: str
    kind: str
    line: int
    last_line: int
    introduction: str
    parameters: tuple[str, ...]
    nullable: frozenset[str]
    optional: frozenset[str]
    steps: list[SourceStep]
    is_exported: bool
    section: str
    is_defined: bool
    #: The names in the parentheses of its dfn that are plain words.
    plain_parameters: tuple[str, ...] = ()

    def walk(self) -> Iterator[SourceStep]:
        """Yield every step."""
        for step in self.steps:
            yield from step.walk()

    @property
    def built_id(self) -> str:
        """The id of the algorithm in the built text."""
        return built_id(self.id, self.kind, self.owner, self.name)

    @property
    def keys(self) -> set[tuple[str, ...]]:
        """The stems of the names by which links call the algorithm."""
        return {stems(name) for name in self.names}


@dataclass(frozen=True, slots=True)
class Definition:
    """A dfn; ``paragraph`` is the block around it, with markup in one form."""

    names: tuple[str, ...]
    owner: str
    type: str
    id: str
    line: int
    is_exported: bool
    paragraph: str
    in_algorithm: str | None


@dataclass(slots=True)
class Struct:
    """A struct: its items with their descriptions, markup in one form."""

    name: str
    line: int
    items: dict[str, StateItem] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StateItem:
    """An item of a struct, or other state that a dfn gives to some owner."""

    owner: str
    name: str
    description: str
    line: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of prose outside of algorithms; ``informative`` names the reason why it demands nothing, or is empty."""

    line: int
    last_line: int
    text: str
    informative: str


@dataclass(slots=True)
class Suppression:
    """A comment that takes back the findings of one rule at one place."""

    line: int
    #: The first line after the comment that has text, if the comment has its line for itself.
    next_line: int
    rule: str
    reason: str
    is_used: bool = False


@dataclass(slots=True)
class SourceText:
    """One specification."""

    path: Path
    algorithms: list[SourceAlgorithm]
    definitions: list[Definition]
    structs: dict[str, Struct]
    state: list[StateItem]
    paragraphs: list[Paragraph]
    #: Each block of IDL with the line on which it begins.
    idl_blocks: list[tuple[int, str]]
    suppressions: list[Suppression]
    #: All markup in one form, of algorithms and prose that demands something.
    normative: str
    #: The rest.
    informative: str
    #: The lines of the source as they are.
    lines: list[str]
    #: What cannot be read, with its place; the rest is read without it.
    unread: list[TextError]

    @property
    def idl(self) -> str:
        """All IDL."""
        return "\n\n".join(block for _, block in self.idl_blocks)
