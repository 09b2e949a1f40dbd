"""The Python of a text, without what nobody can see: one form for all code that does the same, if assertions hold.

These differences cannot be seen:

* assertions, comments, and imports that only an assertion needs;
* the number of a step in the message of a lookup, and in the name of an inner function;
* the order of statements that follow each other, if each only reads and sets a variable or an item, or only reads and returns
  if something is so, and none needs another one. Two conditions do not need each other if the same is returned. They stand in
  one order here: each time, the first in the order of their texts that no other one has to precede. No other run comes between
  them, because parallel steps stop only at a yield.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from speclint.prose.phrasebook import PHRASEBOOK

_ASSERTIONS: Final = frozenset({"assert_running_in_parallel", "spec_assert"})
#: Expressions that read, and do nothing else.
_READING: Final = (
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Compare,
    ast.BoolOp,
    ast.UnaryOp,
    ast.IfExp,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
)
#: Functions that read, and do nothing else: those of the model, and the verbs that say what something has or is.
_READERS: Final = frozenset({"there", "OrderedMap", "associated_model_context"}) | {
    phrase.verb for phrase in PHRASEBOOK if phrase.kind in ("property", "test") and not phrase.may_throw
}


def seen_code(text: str) -> str:
    """Return the Python of a file in the one form."""
    tree = ast.parse(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            _name_in_order(function)
    return ast.dump(_Seen().visit(tree))


def _name_in_order(function: ast.FunctionDef) -> None:
    """Name the inner functions of a function by their order."""
    inner = [one for one in ast.walk(function) if isinstance(one, ast.FunctionDef) and one is not function]
    names = {one.name: f"inner_{index}" for index, one in enumerate(inner)}
    for one in ast.walk(function):
        if isinstance(one, ast.FunctionDef) and one is not function:
            one.name = names[one.name]
        elif isinstance(one, ast.Name):
            one.id = names.get(one.id, one.id)


class _Seen(ast.NodeTransformer):
    def visit(self, node: ast.AST) -> Any:
        found = super().visit(node)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(found, name, None)
            if isinstance(statements, list):
                setattr(found, name, _in_order(statements))
        return found

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Call(func=ast.Name(id=name)) if name in _ASSERTIONS:
                return None
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Take away what imports: a name that only an assertion uses."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="there"), args=[value, ast.Constant()]):
                node.args = [value]
        return self.generic_visit(node)


def _in_order(statements: Sequence[ast.AST]) -> list[ast.AST]:
    """Return statements with each run of those that can move in the one order."""
    found: list[ast.AST] = []
    run: list[_Movable] = []
    for statement in statements:
        movable = _movable(statement)
        if movable is not None:
            run.append(movable)
        else:
            found += [*_run_in_order(run), statement]
            run = []
    return found + _run_in_order(run)


def _run_in_order(run: list[_Movable]) -> list[ast.AST]:
    found: list[ast.AST] = []
    while run:
        free = [one for index, one in enumerate(run) if not any(_needs(one, other) for other in run[:index])]
        first = min(free, key=lambda one: ast.dump(one.statement))
        run = [one for one in run if one is not first]
        found.append(first.statement)
    return found


@dataclass(frozen=True, slots=True)
class _Movable:
    """A statement that sets one variable or item, or returns if something is so, and otherwise only reads.

    ``written`` is the variable that an assignment sets, or the item, of whatever it is, behind a dot. ``returned`` is what the
    other kind returns. ``read`` are the variables and the items that are read; ``may_fail`` is set if one may be missing.
    """

    statement: ast.stmt
    written: str | None
    returned: str | None
    read: frozenset[str]
    may_fail: bool


def _needs(one: _Movable, other: _Movable) -> bool:
    """Return whether two statements do something else in the other order."""
    if one.written is not None and other.written is not None:
        return one.written == other.written or one.written in other.read or other.written in one.read
    if one.written is None and other.written is None:
        return one.returned != other.returned or one.may_fail or other.may_fail
    # What is set before a return is seen by nobody if it is a variable.
    assigned, condition = (one, other) if one.written is not None else (other, one)
    is_item = assigned.written is not None and assigned.written.startswith(".")
    return is_item or assigned.may_fail or condition.may_fail or assigned.written in condition.read


def _movable(statement: ast.AST) -> _Movable | None:
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if _only_read(target, value):
            written = target.id if isinstance(target, ast.Name) else f".{target.attr}"
            parts = (value, target.value) if isinstance(target, ast.Attribute) else (value,)
            return _Movable(statement, written, None, _read(*parts), _may_fail(*parts))
        case ast.If() | ast.For() if (returned := _returned(statement)) is not None:
            return _Movable(statement, None, returned, _read(statement), _may_fail(statement))
    return None


def _returned(statement: ast.stmt) -> str | None:
    """Return what a statement returns if a condition holds, perhaps for some item of a list; None if it does more."""
    match statement:
        case ast.If(test=test, body=[ast.Return() as found], orelse=[]) if _only_read(test):
            return ast.dump(found)
        case ast.For(target=ast.Name(), iter=source, body=body, orelse=[]) if _only_read(source):
            found_in = {_returned(one) for one in body}
            return found_in.pop() if len(found_in) == 1 else None
    return None


def _only_read(*parts: ast.AST) -> bool:
    return all(
        isinstance(node, _READING)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _READERS)
        for part in parts
        for node in ast.walk(part)
    )


def _may_fail(*parts: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "there" for part in parts for node in ast.walk(part))


def _read(*parts: ast.AST) -> frozenset[str]:
    nodes = [node for part in parts for node in ast.walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names | {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)})
