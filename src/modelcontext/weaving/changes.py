"""The kinds of changes that can be made in a copy of a revision, each at a step of an algorithm or between script and IDL.

What a change calls before a step, or instead of an algorithm, gets those of the algorithm's variables, and of the functions
that it calls, that its parameters name.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from modelcontext.weaving.weaving import AlgorithmCopy, Weaving

if TYPE_CHECKING:
    from modelcontext.revisions.revision import Revision
    from modelcontext.webidl import boundary

V = TypeVar("V")


class ChangeError(ValueError):
    """A revision does not have what is to be changed, or two changes exclude each other."""


@dataclass(frozen=True)
class Instead:
    """The end of an algorithm before one of its steps, and the value that it returns."""

    value: Any


class Change(Protocol):
    """A change of a revision."""

    def apply(self, linking: Linking) -> None:
        """Make the change in a copy. Raises :class:`ChangeError` if it fits nowhere."""


@dataclass(frozen=True)
class InsteadOf:
    """``by`` is called, with it before the arguments, instead of ``verb``: in these algorithms, or in all that call it."""

    verb: str
    by: Callable[..., Any]
    algorithms: tuple[str, ...] = ()

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.put_around(self.verb, self.by, self.algorithms)


@dataclass(frozen=True)
class Before:
    """``by`` is called before a step, given as ``algorithm number``; it can return :class:`Instead`, or raise."""

    step: str
    by: Callable[..., Instead | None]

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        body, index, line = linking.place(self.step)
        call = linking.call(self.by)
        body[index:index] = _parse(f"if (_ended := {call}) is not None: return _ended.value", line)


@dataclass(frozen=True)
class Skip:
    """A step is left out, given as ``algorithm number``."""

    step: str

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        body, index, _ = linking.place(self.step)
        del body[index]


@dataclass(frozen=True)
class Whole:
    """``by`` is called instead of all steps of an algorithm."""

    algorithm: str
    by: Callable[..., Any]

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        definition = linking.copy(self.algorithm, is_whole=True).definition
        definition.body = _parse(f"return {linking.call(self.by)}", definition.lineno)


@dataclass(frozen=True)
class AroundCall:
    """``by`` stands around every call of an operation from script."""

    by: boundary.AroundCall

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.revision = replace(linking.revision, around_call=(*linking.revision.around_call, self.by))


@dataclass(frozen=True)
class AroundSet:
    """``by`` stands around every assignment to an event handler from script."""

    by: boundary.AroundSet

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.revision = replace(linking.revision, around_set=(*linking.revision.around_set, self.by))


# A change, beside the others of this module; webidl.types.Absent is the type of a value that does not exist.
@dataclass(frozen=True)
class Absent:
    """These interfaces, and attributes as ``Interface.attribute``, are not there."""

    names: tuple[str, ...]

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        definitions = linking.revision.definitions
        interfaces = {
            name: replace(interface, attributes=self._without(interface.attributes, f"{name}."))
            for name, interface in self._without(definitions.interfaces).items()
        }
        linking.revision = replace(linking.revision, parsed_idl=replace(definitions, interfaces=interfaces))

    def _without(self, members: Mapping[str, V], prefix: str = "") -> dict[str, V]:
        return {name: member for name, member in members.items() if f"{prefix}{name}" not in self.names}


class Linking:
    """A changed copy of a ``revision`` in the making; of the changes at one place the last stands around the others."""

    def __init__(self, revision: Revision) -> None:
        # Parsed once, for all copies.
        self.revision = replace(revision, parsed_idl=revision.definitions)
        self._weaving = Weaving(revision.package)
        self._names: dict[str, object] = {_Around.partial: partial}
        self._instead: list[tuple[AlgorithmCopy, _Around]] = []
        self._is_whole: dict[str, bool] = {}

    def link(self) -> Revision:
        """Return the copy."""
        # Also around what other changes call.
        for copy, around in reversed(self._instead):
            around.visit(copy.definition)
        return self._weaving.compile().link(self.revision, self._names)

    def copy(self, id_: str, *, is_whole: bool) -> AlgorithmCopy:
        """Return the copy of an algorithm, to be changed as a whole or in part."""
        if self._is_whole.get(id_, is_whole) != is_whole or (is_whole and id_ in self._is_whole):
            raise ChangeError(f"{id_} is replaced as a whole, and changed by something else")
        self._is_whole[id_] = is_whole
        return self._copy(id_)

    def place(self, step: str) -> tuple[list[ast.stmt], int, int]:
        """Return the statements of an algorithm, where among them a step begins, and the line that quotes it."""
        id_, _, number = step.partition(" ")
        copy = self.copy(id_, is_whole=False)
        line = next((quoted.line for quoted in copy.function.steps if quoted.number == number), None)
        if line is None or not number.isdecimal():
            raise ChangeError(f"{id_} has no step {number} outside of other steps")
        body = copy.definition.body
        return body, next(index for index, statement in enumerate(body) if statement.lineno > line), line

    def call(self, by: Callable[..., Any]) -> str:
        """Return the text of a call with what the parameters name."""
        arguments = ", ".join(f"{name}={name}" for name in inspect.signature(by).parameters)
        return f"{self._name(by)}({arguments})"

    def put_around(self, verb: str, by: Callable[..., Any], ids: tuple[str, ...]) -> None:
        """Put something around what some algorithms, all unless given, call by a name."""
        copies = [self._copy(id_) for id_ in ids or self._weaving.algorithms]
        callers = [copy for copy in copies if verb in _names(copy.definition)]
        if len(callers) < max(len(ids), 1):
            raise ChangeError(f"{verb} is not called in {', '.join(ids) or self.revision.name}")
        self._instead += [(copy, _Around(verb, self._name(by))) for copy in callers]

    def _copy(self, id_: str) -> AlgorithmCopy:
        if id_ not in self._weaving.algorithms:
            raise ChangeError(f"there is no algorithm {id_} in {self.revision.name}")
        return self._weaving.algorithms[id_]

    def _name(self, by: object) -> str:
        name = f"__change_{len(self._names)}__"
        self._names[name] = by
        return name


class _Around(ast.NodeTransformer):
    """Puts something around what is called by a name."""

    partial = "__partial__"

    def __init__(self, verb: str, name: str) -> None:
        self._verb = verb
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self._verb:
            return node
        [statement] = _parse(f"{self.partial}({self._name}, {self._verb})", node.lineno)
        assert isinstance(statement, ast.Expr)
        return statement.value


def _names(definition: ast.FunctionDef) -> set[str]:
    return {node.id for node in ast.walk(definition) if isinstance(node, ast.Name)}


def _parse(text: str, line: int) -> list[ast.stmt]:
    """Return statements that stand on one line of an algorithm."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = line
    return tree.body
