"""The kinds of changes in a copy of a revision, each at a step of an algorithm or between script and IDL.

A function that a change calls before a step, or instead of an algorithm, names with its parameters the variables of the
algorithm, and the functions called there, that it receives. One that is called instead of a verb does so with parameters that
are keyword-only.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from modelcontext.spec.weaving.weaving import AlgorithmCopy, Weaving, names_in

if TYPE_CHECKING:
    from modelcontext.platform.webidl import boundary
    from modelcontext.spec.revisions.revision import Revision

V = TypeVar("V")


class ChangeError(ValueError):
    """A change of something that the revision does not have, or two changes that exclude each other."""


@dataclass(frozen=True)
class Instead:
    """The end of an algorithm before one of its steps, with the value that the algorithm returns."""

    value: Any


@dataclass(frozen=True)
class InsteadOf:
    """A call of ``by``, with ``verb`` as its first argument, instead of ``verb`` in these algorithms, or in all."""

    verb: str
    by: Callable[..., Any]
    algorithms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Before:
    """A call of ``by`` before the step ``algorithm number``; it can return :class:`Instead`, or raise."""

    step: str
    by: Callable[..., Instead | None]


@dataclass(frozen=True)
class Skip:
    """The removal of the step ``algorithm number``."""

    step: str


@dataclass(frozen=True)
class Whole:
    """A call of ``by`` instead of all steps of an algorithm."""

    algorithm: str
    by: Callable[..., Any]


@dataclass(frozen=True)
class AroundCall:
    """A call of ``by`` around every call of an operation from script."""

    by: boundary.AroundCall


Change: TypeAlias = InsteadOf | Before | Skip | Whole | AroundCall


class Linking:
    """A changed copy of a ``revision`` under construction; at one place, the last change stands around the others."""

    def __init__(self, revision: Revision) -> None:
        # Parsed once, for all copies.
        self.revision = replace(revision, parsed_idl=revision.definitions)
        self._weaving = Weaving(revision.package)
        self._names: dict[str, object] = {_Around.partial: partial}
        self._instead: list[tuple[AlgorithmCopy, _Around]] = []
        self._is_whole: dict[str, bool] = {}

    def link(self) -> Revision:
        """Return the copy."""
        # The calls that other changes make are included.
        for copy, around in reversed(self._instead):
            around.visit(copy.definition)
        return self._weaving.link(self.revision, self._names)

    def apply(self, change: Change) -> None:
        """Make a change.

        Raises:
            ChangeError: if the change does not fit.
        """
        match change:
            case InsteadOf():
                self._put_around(change.verb, change.by, change.algorithms)
            case Before():
                body, index, line = self._place(change.step)
                call = self._call(change.by)
                body[index:index] = _parse(f"if (_ended := {call}) is not None: return _ended.value", line)
            case Skip():
                body, index, _ = self._place(change.step)
                del body[index]
            case Whole():
                definition = self._changed(change.algorithm, is_whole=True).definition
                definition.body = _parse(f"return {self._call(change.by)}", definition.lineno)
            case AroundCall():
                self.revision = replace(self.revision, around_call=(*self.revision.around_call, change.by))

    def _changed(self, id_: str, *, is_whole: bool) -> AlgorithmCopy:
        """Return the copy of an algorithm, to be changed as a whole or in part."""
        if self._is_whole.get(id_, is_whole) != is_whole or (is_whole and id_ in self._is_whole):
            raise ChangeError(f"{id_} is replaced as a whole by one change, and changed by another: remove one of them")
        self._is_whole[id_] = is_whole
        return self._copy(id_)

    def _place(self, step: str) -> tuple[list[ast.stmt], int, int]:
        """Return the statements of an algorithm, the index at which a step begins, and the line that quotes the step."""
        id_, _, number = step.partition(" ")
        copy = self._changed(id_, is_whole=False)
        line = next((quoted.line for quoted in copy.function.steps if quoted.number == number), None)
        if line is None or not number.isdecimal():
            raise ChangeError(f"{id_} has no step {number} outside of other steps")
        body = copy.definition.body
        return body, next(index for index, statement in enumerate(body) if statement.lineno > line), line

    def _call(self, by: Callable[..., Any]) -> str:
        """Return the code of a call with the variables that the parameters name."""
        arguments = ", ".join(f"{name}={name}" for name in inspect.signature(by).parameters)
        return f"{self._name(by)}({arguments})"

    def _put_around(self, verb: str, by: Callable[..., Any], ids: tuple[str, ...]) -> None:
        """Put ``by`` around each call of ``verb`` in some algorithms, or in all if ``ids`` is empty."""
        copies = [self._copy(id_) for id_ in ids or self._weaving.algorithms]
        callers = [copy for copy in copies if verb in self._names_of(copy)]
        if len(callers) < max(len(ids), 1):
            raise ChangeError(f"{verb} is not called in {', '.join(ids) or self.revision.name}")
        kinds = {name: parameter.kind for name, parameter in inspect.signature(by).parameters.items()}
        variables = tuple(name for name, kind in kinds.items() if kind is inspect.Parameter.KEYWORD_ONLY)
        self._instead += [(copy, _Around(verb, self._name(by), variables)) for copy in callers]

    def _names_of(self, copy: AlgorithmCopy) -> frozenset[str]:
        return names_in(copy.definition) if copy.function.id in self._is_whole else copy.names

    def _copy(self, id_: str) -> AlgorithmCopy:
        if id_ not in self._weaving.algorithms:
            raise ChangeError(f"there is no algorithm {id_} in {self.revision.name}")
        return self._weaving.algorithms[id_]

    def _name(self, by: object) -> str:
        name = f"__change_{len(self._names)}__"
        self._names[name] = by
        return name


class _Around(ast.NodeTransformer):
    """A transformer that wraps each use of a name."""

    partial = "__partial__"

    def __init__(self, verb: str, name: str, variables: tuple[str, ...]) -> None:
        self._verb = verb
        self._name = name
        self._variables = "".join(f", {variable}={variable}" for variable in variables)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self._verb:
            return node
        [statement] = _parse(f"{self.partial}({self._name}, {self._verb}{self._variables})", node.lineno)
        assert isinstance(statement, ast.Expr)
        return statement.value


def _parse(text: str, line: int) -> list[ast.stmt]:
    """Return statements placed on one line of an algorithm."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = line
    return tree.body
