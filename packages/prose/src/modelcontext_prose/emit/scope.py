"""The facts about a function while it is made: its variables, and the types that conditions have shown."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from modelcontext_prose.python_types import EMPTY, NONE, PythonType, common, join

if TYPE_CHECKING:
    from modelcontext_prose.python_text import Declaration
    from speclint.prose import tree


@dataclass(frozen=True, slots=True)
class Value:
    """An expression in Python, with the type of its value."""

    node: ast.expr
    type: PythonType


# A condition as Python code; the other one is a place where a run takes a side.
@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in Python, with the types that it shows of expressions, by their text, if it is true or false."""

    node: ast.expr
    if_true: Mapping[str, PythonType] = field(default_factory=dict)
    if_false: Mapping[str, PythonType] = field(default_factory=dict)


# A variable of prose; that of the client binds a tool to a page.
@dataclass(slots=True)
class Binding:
    """A variable of the text: its name in Python, and the types of all values that it gets.

    ``declaration`` is the assignment that declares it; a parameter and the variable of a loop have none. ``items`` are the
    types of what is put into a collection that begins empty.
    """

    identifier: str
    types: list[PythonType]
    declaration: Declaration | None = None
    is_of_loop: bool = False
    is_exception: bool = False
    items: list[tuple[PythonType, ...]] = field(default_factory=list)

    @property
    def node(self) -> ast.expr:
        """The variable in Python; an exception is in the Python exception that carries it."""
        name = ast.Name(self.identifier)
        return ast.Attribute(name, "value") if self.is_exception else name

    @property
    def type(self) -> PythonType:
        """The type of all values; the items of a collection are those that are put in."""
        return join([*self.types, *self._filled()])

    def _filled(self) -> Iterator[PythonType]:
        if self.items and EMPTY in self.types[0].arguments:
            parts = tuple(common(kinds) for kinds in zip(*self.items, strict=True))
            yield PythonType(self.types[0].name, parts)

    @property
    def needs_annotation(self) -> bool:
        """True if the first value does not show the type of the others."""
        first = self.types[0]
        is_display = self.declaration is not None and isinstance(self.declaration.value, ast.Dict)
        return is_display or EMPTY in first.arguments or (first != NONE and self.type != first)


class Scope:
    """The variables that some steps see, and what is known of them at the place that has been reached."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.own: dict[str, Binding] = {}
        self.all_bindings: list[Binding] = []
        self.facts: dict[str, PythonType] = dict(outer.facts) if outer is not None else {}
        #: The variables that a loop around the place binds, in these steps.
        self.of_loops: list[Binding] = []
        #: The names of the functions inside of these steps.
        self.taken: list[str] = []

    @property
    def outer_loops(self) -> list[Binding]:
        """The variables that loops around these steps bind."""
        return list(self.outer.of_loops) if self.outer is not None else []

    def find(self, name: str) -> Binding | None:
        """Return the variable with a name, here or in the steps around."""
        return self.own.get(name) or (self.outer.find(name) if self.outer is not None else None)

    def learn(self, facts: Mapping[str, PythonType]) -> None:
        """Know the types of some expressions from here on."""
        self.facts.update(facts)

    def forget(self, identifier: str) -> None:
        """Know nothing more of a variable, and of what is looked up of it."""
        beginnings = (f"{identifier}.", f"{identifier}[")
        self.facts = {
            text: type_ for text, type_ in self.facts.items() if text != identifier and not text.startswith(beginnings)
        }


class Emitter(Protocol):
    """The interface of the emitter of expressions for phrases that are Python itself."""

    def value(self, node: tree.Expression) -> Value:
        """Return an expression in Python."""

    def present(self, node: tree.Expression) -> Value:
        """Return an expression of which something is looked up."""

    def fitted(self, node: tree.Expression, wanted: PythonType) -> ast.expr:
        """Return an expression as one of the type that is wanted of it."""

    def as_collection(self, found: Value) -> Value:
        """Return a value as the collection that the text takes it for."""

    def put(self, collection: tree.Expression, parts: tuple[PythonType, ...]) -> None:
        """Note what is put into a collection."""

    def own_realm(self, node: tree.Node) -> ast.expr:
        """Return the realm of what a sentence makes without naming a realm."""

    def sort_key(
        self, first: tree.Expression, second: tree.Expression, is_less: tree.Expression, item: PythonType
    ) -> ast.expr:
        """Return the key by which items are sorted."""
