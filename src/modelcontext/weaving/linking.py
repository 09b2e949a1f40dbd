"""Linking a revision anew, with some steps of its algorithms done otherwise."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from modelcontext.revisions.revision import Revision
from modelcontext.weaving.weaving import AlgorithmCopy, Weaving

_PARTIAL: Final = "__partial__"


class LinkingError(ValueError):
    """A revision does not have what is to be changed, or two changes exclude each other."""


@dataclass(frozen=True)
class Instead:
    """The end of an algorithm before one of its steps, and the value that it returns."""

    value: Any


class Linking:
    """A changed copy of a revision in the making.

    What happens before a step, or instead of an algorithm, is called with those of the algorithm's variables, and of the
    functions that it calls, that its parameters name. Every change raises :class:`LinkingError` if it fits nowhere.
    """

    def __init__(self, revision: Revision) -> None:
        # Parsed once, for all copies.
        self.revision = replace(revision, parsed_idl=revision.definitions)
        self._weaving = Weaving(revision.package)
        self._names: dict[str, object] = {_PARTIAL: partial}
        self._instead: list[tuple[AlgorithmCopy, str, str]] = []
        self._is_whole: dict[str, bool] = {}

    def before(self, step: str, by: Callable[..., Instead | None]) -> None:
        """Call ``by`` before a step, given as ``algorithm number``; it can end the algorithm."""
        body, index, line = self._place(step)
        body[index:index] = _parse(f"if (_ended := {self._call(by)}) is not None: return _ended.value", line)

    def skip(self, step: str) -> None:
        """Leave a step out, given as ``algorithm number``."""
        body, index, _ = self._place(step)
        del body[index]

    def replace(self, id_: str, by: Callable[..., Any]) -> None:
        """Call ``by`` instead of all steps of an algorithm."""
        definition = self._copy(id_).definition
        self._note_change(id_, is_whole=True)
        definition.body = _parse(f"return {self._call(by)}", definition.lineno)

    def call_instead(self, verb: str, by: Callable[..., Any], ids: Sequence[str]) -> None:
        """Call ``by`` instead of what some algorithms, all unless given, call by a name; it gets that before the arguments."""
        copies = [self._copy(id_) for id_ in ids or self._weaving.algorithms]
        callers = [copy for copy in copies if _calls(copy.definition, verb)]
        if len(callers) < max(len(ids), 1):
            raise LinkingError(f"{verb} is not called in {', '.join(ids) or self.revision.name}")
        self._instead += [(copy, verb, self._name(by)) for copy in callers]

    def link(self) -> Revision:
        """Return the copy."""
        # The last one stands around those before it, and all of them around what is called in the changes above.
        for copy, verb, name in reversed(self._instead):
            _Around(verb, name).visit(copy.definition)
        return self._weaving.compile().link(self.revision, self._names)

    def _copy(self, id_: str) -> AlgorithmCopy:
        if id_ not in self._weaving.algorithms:
            raise LinkingError(f"there is no algorithm {id_} in {self.revision.name}")
        return self._weaving.algorithms[id_]

    def _place(self, step: str) -> tuple[list[ast.stmt], int, int]:
        """Return the statements of an algorithm, where among them a step begins, and the line that quotes it."""
        id_, _, number = step.partition(" ")
        copy = self._copy(id_)
        self._note_change(id_, is_whole=False)
        line = next((step.line for step in copy.function.steps if step.number == number), None)
        if line is None or not number.isdecimal():
            raise LinkingError(f"{id_} has no step {number} outside of other steps")
        body = copy.definition.body
        return body, next(index for index, statement in enumerate(body) if statement.lineno > line), line

    def _note_change(self, id_: str, *, is_whole: bool) -> None:
        if self._is_whole.get(id_, is_whole) != is_whole or (is_whole and id_ in self._is_whole):
            raise LinkingError(f"{id_} is replaced as a whole, and changed by something else")
        self._is_whole[id_] = is_whole

    def _name(self, by: object) -> str:
        name = f"__change_{len(self._names)}__"
        self._names[name] = by
        return name

    def _call(self, by: Callable[..., Any]) -> str:
        arguments = ", ".join(f"{name}={name}" for name in inspect.signature(by).parameters)
        return f"{self._name(by)}({arguments})"


def _calls(definition: ast.FunctionDef, verb: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == verb for node in ast.walk(definition))


class _Around(ast.NodeTransformer):
    """Puts something around what is called by a name."""

    def __init__(self, verb: str, name: str) -> None:
        self._verb = verb
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self._verb:
            return node
        [statement] = _parse(f"{_PARTIAL}({self._name}, {self._verb})", node.lineno)
        assert isinstance(statement, ast.Expr)
        return statement.value


def _parse(text: str, line: int) -> list[ast.stmt]:
    """Return statements that stand on one line of an algorithm."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = line
    return tree.body
