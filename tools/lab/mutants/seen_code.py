"""The Python of a text, without what nobody can see: one form for all code that does the same, if assertions hold.

These differences cannot be seen:

* assertions, comments, and imports that only an assertion needs;
* the number of a step in the message of a lookup, and in the name of an inner function;
* the order of assignments that follow each other, if they only read and set variables or items, and none needs another one.
  They stand in one order here: each time, the first in the order of their texts that no other one has to precede. No other run
  comes between them, because parallel steps stop only at a yield.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
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
    """Return statements with each run of assignments that only read in the one order."""
    found: list[ast.AST] = []
    run: list[ast.Assign] = []
    for statement in statements:
        if isinstance(statement, ast.Assign) and _only_reads(statement):
            run.append(statement)
        else:
            found += [*_run_in_order(run), statement]
            run = []
    return found + _run_in_order(run)


def _run_in_order(run: list[ast.Assign]) -> list[ast.AST]:
    found: list[ast.AST] = []
    while run:
        free = [one for index, one in enumerate(run) if not any(_needs(one, other) for other in run[:index])]
        first = min(free, key=ast.dump)
        run = [one for one in run if one is not first]
        found.append(first)
    return found


def _needs(one: ast.Assign, other: ast.Assign) -> bool:
    """Return whether two assignments do something else in the other order."""
    written, others = _written(one), _written(other)
    return written == others or written in _read(other) or others in _read(one)


def _only_reads(statement: ast.Assign) -> bool:
    """Return whether an assignment does nothing else than to read, and to set one variable or one item."""
    if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name | ast.Attribute):
        return False
    return all(
        isinstance(node, _READING)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _READERS)
        for part in (statement.targets[0], statement.value)
        for node in ast.walk(part)
    )


def _written(statement: ast.Assign) -> str:
    """Return the variable that an assignment sets, or the item, of whatever it is, behind a dot."""
    target = statement.targets[0]
    assert isinstance(target, ast.Name | ast.Attribute)
    return target.id if isinstance(target, ast.Name) else f".{target.attr}"


def _read(statement: ast.Assign) -> set[str]:
    """Return the variables and the items that an assignment reads."""
    target = statement.targets[0]
    parts = (statement.value, target.value) if isinstance(target, ast.Attribute) else (statement.value,)
    nodes = [node for part in parts for node in ast.walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)}
