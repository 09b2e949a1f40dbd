"""The meaning of a text: its algorithms with the readings of their steps, its structs and its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from speclint.prose.nodes import moved

if TYPE_CHECKING:
    from speclint.prose.tree import Expression, Parameter, Place, Reading, Type
    from speclint.text.source_model import SourceText


# About prose; the other one is about text and code that disagree.
@dataclass(frozen=True, slots=True)
class Problem:
    """A step that is not understood, or understood in two ways; ``nearest`` are phrases like the words at the place."""

    kind: Literal["not understood", "two readings"]
    place: Place
    message: str
    nearest: tuple[str, ...] = ()


# A step with its readings; the other one has the words that Bikeshed builds.
@dataclass(frozen=True, slots=True)
class Step:
    """A step, or a case of a step; ``text`` has the words that a reader sees."""

    number: str
    place: Place
    is_case: bool
    text: str
    readings: tuple[Reading, ...]
    problem: Problem | None
    steps: tuple[Step, ...]

    def walk(self) -> Iterator[Step]:
        """Yield this step and all below it."""
        yield self
        for step in self.steps:
            yield from step.walk()


@dataclass(frozen=True, slots=True)
class Sentence:
    """The readings of a step whose first line is ``line``, and what is not understood in it."""

    line: int
    place: Place
    readings: tuple[Reading, ...]
    problem: Problem | None

    def moved_to(self, line: int) -> Sentence:
        """Return the same, read in a step with another first line."""
        by = line - self.line
        if by == 0:
            return self
        problem = self.problem and replace(self.problem, place=moved(self.problem.place, by))
        return Sentence(line, moved(self.place, by), moved(self.readings, by), problem)


# With readings of its steps; the other one is as Bikeshed builds it.
@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm. ``subject`` is the interface of ``this``, or "" if it has none.

    ``kind`` is "method", "getter", "setter", "constructor" or "algorithm". The types of a method's parameters are in
    the IDL.
    """

    id: str
    name: str
    owner: str
    kind: str
    subject: str
    place: Place
    parameters: tuple[Parameter, ...]
    steps: tuple[Step, ...]
    is_exported: bool

    def walk(self) -> Iterator[Step]:
        """Yield every step."""
        for step in self.steps:
            yield from step.walk()


@dataclass(frozen=True, slots=True)
class ItemDefinition:
    """The definition of an item of a struct, or of state of an object.

    ``type`` is None if the definition does not say it in words that are understood; ``initially`` if it says no initial
    value.
    """

    owner: str
    name: str
    place: Place
    description: str
    type: Type | None
    initially: Expression | None


@dataclass(frozen=True, slots=True)
class StructDefinition:
    """A struct of the text."""

    name: str
    place: Place
    items: Mapping[str, ItemDefinition] = field(hash=False)


# What the sentences of a text say; the other one is a text to compare.
@dataclass(frozen=True, slots=True)
class Text:
    """The algorithms of a text in its order, structs by name, and state by owner and name, in small letters."""

    source: SourceText
    algorithms: tuple[Algorithm, ...]
    structs: Mapping[str, StructDefinition]
    state: Mapping[tuple[str, str], ItemDefinition]
    #: Terms that are kinds of steps ("completion steps"), in small letters.
    types: Mapping[str, Type]

    def walk(self) -> Iterator[Step]:
        """Yield every step of every algorithm."""
        for algorithm in self.algorithms:
            yield from algorithm.walk()
