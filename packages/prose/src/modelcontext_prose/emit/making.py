"""The facts and notes of the emitters, while they make the functions of a text."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext_prose.definitions import Definitions
from modelcontext_prose.emit.evaluation_order import nodes_of
from modelcontext_prose.emit.naming import id_of
from modelcontext_prose.platform import verb
from modelcontext_prose.python_types import NONE, PythonType
from modelcontext_prose.strands import Strands

if TYPE_CHECKING:
    from modelcontext_prose.emit.scope import Value
    from modelcontext_prose.prose_error import ProseError
    from speclint.prose import tree
    from speclint.prose.prose_text import Step, Text

_METHODS: Final = ("method", "getter", "setter")


# The parameters of an algorithm; the other one is that of an operation in the notation of programs.
@dataclass(frozen=True, slots=True)
class Signature:
    """The interface of an algorithm's function; ``is_generator`` is true for steps in parallel."""

    name: str
    parameters: tuple[tuple[str, PythonType], ...]
    result: PythonType
    is_generator: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """A step without a meaning, and the place where it is lost."""

    algorithm: str
    step: Step
    place: tree.Place
    message: str

    @property
    def words(self) -> str:
        """The words for a step that is named before, with the phrases that are nearest to what is not understood."""
        near = self.step.problem.nearest if self.step.problem is not None else ()
        hint = f"; the nearest phrase{'s are' * (len(near) > 1) or ' is'} {', '.join(near)}" if near else ""
        return f"has no meaning: {self.message}{hint}"


class Making(ABC):
    """The data that the emitters of a text share.

    ``notes`` are comments on steps, by algorithm and number. With ``lines``, the numbers
    in the file of the lines of the text, what raises names its line.
    ``acts`` has the statement of the text that each statement of Python belongs to, and ``if_false`` the types that are known
    if a branch is not taken.
    """

    def __init__(
        self,
        text: Text,
        address: str,
        notes: Mapping[tuple[str, str], tuple[str, ...]],
        inferred: Mapping[tuple[str, str], PythonType],
        *,
        lines: Sequence[int] | None,
    ) -> None:
        self.text = text
        self.lines = lines
        self.notes = notes
        #: The types of what steps put into items whose definitions say none.
        self.put: dict[tuple[str, str], list[PythonType]] = {}
        self.definitions = Definitions(text, address, inferred)
        self.strands = Strands(text, self.definitions)
        self.acts: dict[ast.stmt, object] = {}
        self.if_false: dict[ast.stmt, dict[str, PythonType]] = {}
        self.refusals: list[Refusal] = []
        #: Steps with two readings, of which the first one is taken.
        self.ambiguous: list[tuple[str, Step]] = []
        self.generators: list[ast.FunctionDef] = []
        self._texts = {(one.id, step.number): step.text for one in text.algorithms for step in one.walk()}
        self._places = {(one.id, step.number): step.place for one in text.algorithms for step in one.walk()}
        self._ids = {one.id: id_of(one) for one in text.algorithms}
        self._names = {python_identifier(one.name) for one in text.algorithms if one.kind not in _METHODS}
        #: The bodies of functions by their names, and the shared things that these touch.
        self._bodies: dict[str, list[ast.stmt]] = {}
        self._touched: dict[str, list[str]] = {}
        self._results: dict[str, PythonType] = {}
        self._counts: dict[str, int] = {}
        #: The shared map that a local variable is, by the name of that variable.
        self._aliases: dict[str, str] = {}

    @abstractmethod
    def signature(self, id_: str, place: tree.Place) -> Signature:
        """Return how the function of an algorithm is called.

        Raises:
            ProseError: if there is no such algorithm, or it can only run in parallel and does not.
        """

    def calls(self, identifier: str) -> bool:
        """Return whether a name is that of a function that an algorithm may call."""
        return verb(identifier) is not None or identifier in self._names

    def result_of_steps(self, name: str) -> PythonType:
        """Return the type of what the steps of a type return."""
        return self._results.get(name, NONE)

    def text_of(self, algorithm: str, number: str) -> str:
        """Return the words of a step."""
        return self._texts[algorithm, number]

    def step_of(self, algorithm: str, number: str, place: tree.Place | None = None) -> str:
        """Return the words that name a step in an error, with its place, or with one in it."""
        name = f"{self._ids[algorithm]} {number}"
        if self.lines is None:
            return name
        place = place or self._places[algorithm, number]
        return f"{self.text.source.path}:{self.lines[place.line - 1]}:{place.column}: {name}"

    def refuse(self, algorithm: str, step: Step, error: ProseError) -> None:
        """Note a step without a meaning."""
        self.refusals.append(Refusal(algorithm, step, error.place or step.place, error.message))

    def note_map(self, identifier: str, found: Value) -> None:
        """Note that a variable is a shared map."""
        if found.type.name == "OrderedMap" and (name := self._map_of(found.node)) is not None:
            self._aliases[identifier] = name

    def note_steps(self, name: str, count: int) -> None:
        """Note how many parameters the steps of a type have, for a type whose definition does not say it."""
        self._counts[name] = count

    def parameters_of_steps(self, name: str) -> tuple[PythonType, ...]:
        """Return the types of the parameters of the steps of a type whose definition does not say them."""
        return (PythonType("object"),) * self._counts.get(name, 0)

    def note_result(self, name: str, result: PythonType) -> None:
        """Note the type of what named steps return."""
        self._results[name] = result

    def note_function(self, function: ast.FunctionDef, *, is_generator: bool) -> None:
        """Note a function that other steps may run, and that yields if it is a generator."""
        self._bodies[function.name] = function.body
        if is_generator:
            self.generators.append(function)

    def learn_touches(self) -> None:
        """Find out what each function touches, once all are made: they may run steps further down in the text."""
        nodes = {name: [node for one in body for node in nodes_of(one)] for name, body in self._bodies.items()}
        self._touched = {name: self._touches_of(name, nodes, frozenset()) for name in nodes}

    def touched_by(self, node: ast.AST) -> list[str]:
        """Return the shared things that an expression itself touches; a generator counts with the first of its own."""
        return self._touches(node, lambda name: self._touched.get(name, []))

    def _touches_of(self, name: str, nodes: Mapping[str, list[ast.AST]], open_: frozenset[str]) -> list[str]:
        if name in open_ or name not in nodes:
            return []
        inner = partial(self._touches_of, nodes=nodes, open_=open_ | {name})
        return [touched for node in nodes[name] for touched in self._touches(node, inner)]

    def _touches(self, node: ast.AST, of_function: Callable[[str], list[str]]) -> list[str]:
        match node:
            case ast.YieldFrom(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
                return of_function(name)[:1]
            case ast.Call(func=ast.Name(id=name)) if (known := verb(name)) is not None:
                return [name] if known.is_shared else []
            case ast.Call(func=ast.Name(id=name)) if name in self._bodies:
                # A generator that is not run yet touches nothing.
                return of_function(name) if name not in {one.name for one in self.generators} else []
            case ast.Call(func=ast.Attribute(value=owner)) | ast.Subscript(value=owner):
                touched = self._map_of(owner)
                return [touched] if touched is not None else []
        return []

    def _map_of(self, node: ast.expr) -> str | None:
        match node:
            case ast.Name(id=name):
                return self._aliases.get(name)
            case ast.Attribute(attr=name) | ast.Call(func=ast.Name(id=name)) if name in self.definitions.maps:
                return name
        return None
