"""The nodes of generated functions, in the order in which they are evaluated."""

from __future__ import annotations

import ast
from typing import Final

_FUNCTIONS: Final = (ast.FunctionDef, ast.Lambda)


def nodes_of(statement: ast.stmt) -> list[ast.AST]:
    """Return the nodes of a statement and of the blocks in it, in order, without those of inner functions."""
    return [node for one in statements_of(statement) if not isinstance(one, ast.Try) for node in head_of(one)]


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """Return the nodes below one in the order of evaluation, and the node, without those of inner functions."""
    found: list[ast.AST] = []
    _collect(node, found)
    return found


def _collect(node: ast.AST, found: list[ast.AST]) -> None:
    # This loop visits every node of a program: it costs half of what a recursion over lists does.
    if isinstance(node, _FUNCTIONS):
        return
    for child in ast.iter_child_nodes(node):
        _collect(child, found)
    found.append(node)


def is_yield(node: ast.AST) -> bool:
    """Return whether a node is a place where other steps may run."""
    return isinstance(node, ast.Yield | ast.YieldFrom)


def head_of(statement: ast.stmt) -> list[ast.AST]:
    """Return the nodes of a statement that are evaluated before the blocks in it."""
    match statement:
        case ast.If(test=head) | ast.For(iter=head):
            return own_nodes(head)
        case ast.Try(body=body):
            return [node for one in body for node in head_of(one)]
        case ast.FunctionDef():
            return []
    return own_nodes(statement)


def statements_of(statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement, and those in its blocks."""
    found = [statement]
    for name in ("body", "orelse"):
        inner = getattr(statement, name, None)
        if isinstance(inner, list) and not isinstance(statement, ast.FunctionDef):
            found += [part for one in inner for part in statements_of(one)]
    for handler in getattr(statement, "handlers", []):
        found += [part for one in handler.body for part in statements_of(one)]
    return found
