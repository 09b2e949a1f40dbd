"""Lookups that name their step if there is no such entry.

A revision of the project looks entries up as Python does, since no program makes it fail. A foreign text can look up what its
own steps have removed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, Final

from modelcontext_prose.python_text import Comment, Declaration

_STEP: Final = re.compile(r"([\w.]+)\. ")


def check_lookups(function: ast.FunctionDef, step_of: Callable[[str], str]) -> None:
    """Make the lookups of an algorithm's function name their steps; ``step_of`` returns the words for a step's number."""
    checker = _Checker(step_of)
    function.body = [checker.visit(statement) for statement in function.body]


class _Checker(ast.NodeTransformer):
    """Changes lookups; comments, which stand above the code of their steps, tell the number of the step."""

    def __init__(self, step_of: Callable[[str], str]) -> None:
        self._step_of = step_of
        self._number = ""

    def visit(self, node: ast.AST) -> Any:
        match node:
            case Comment():
                self._number = match[1] if (match := _STEP.match(node.text)) is not None else self._number
                return node
            case Declaration():
                node.value = self.visit(node.value)
                return node
            case ast.FunctionDef():
                node.body = [self.visit(statement) for statement in node.body]
                return node
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                # The target is no lookup, but what stands in it may be.
                return ast.Assign(
                    [ast.Subscript(self.visit(target.value), self.visit(target.slice))], self.visit(value)
                )
            case ast.Subscript(value=value, slice=key):
                words = ast.Constant(self._step_of(self._number))
                return ast.Call(ast.Name("entry_of"), [self.visit(value), self.visit(key), words], [])
            case ast.Call(func=ast.Name(id="cast"), args=[kind, value]):
                return ast.Call(node.func, [kind, self.visit(value)], [])
        return self.generic_visit(node)
