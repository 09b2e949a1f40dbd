"""Comparison of two functions as syntax trees, without what names and layout decide.

Annotations, docstrings and casts do not count, nor do the names of inner functions, nor whether arguments are given by name.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count


def functions_in(texts: Iterable[str]) -> dict[str, ast.FunctionDef]:
    """Return the functions of algorithms in some files, by the ids of the algorithms."""
    found = {}
    for node in (node for text in texts for node in ast.parse(text).body):
        match node:
            case ast.FunctionDef(
                decorator_list=[ast.Call(func=ast.Name(id="algorithm"), args=[ast.Constant(value=str(id_))])]
            ):
                found[id_] = node
    return found


def items_in(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the items of each class of a struct in some files."""
    classes = [node for text in texts for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return {
        one.name: [
            node.target.id for node in one.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        ]
        for one in classes
    }


def differences(
    written: ast.FunctionDef, made: ast.FunctionDef, items: Mapping[str, Sequence[str]], same: Mapping[str, str]
) -> list[str]:
    """Return the lines in which two functions differ; ``same`` are names of the second one in words of the first one."""
    first, second = (_lines(function, items, same) for function in (written, made))
    return list(difflib.unified_diff(first, second, lineterm="", n=0))[2:]


def _lines(function: ast.FunctionDef, items: Mapping[str, Sequence[str]], same: Mapping[str, str]) -> list[str]:
    plain = _Plain(items, same).visit(function)
    _rename(plain, {})
    return ast.unparse(ast.fix_missing_locations(plain)).splitlines()


class _Plain(ast.NodeTransformer):
    def __init__(self, items: Mapping[str, Sequence[str]], same: Mapping[str, str]) -> None:
        self._items = items
        self._same = same

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value is not None else node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._same.get(node.id, node.id))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        self.generic_visit(node)
        if isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            node.body = node.body[1:]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "cast":
            return node.args[1]
        if name in self._items:
            given = zip(self._items[name], node.args, strict=False)
            keywords = [*(ast.keyword(arg=item, value=value) for item, value in given), *node.keywords]
            node.args, node.keywords = [], sorted(keywords, key=lambda keyword: str(keyword.arg))
        return node


def _rename(function: ast.FunctionDef, names: dict[str, str]) -> None:
    """Give inner functions names by their positions."""
    numbers = count(1)
    for child in ast.iter_child_nodes(function):
        _rename_in(child, names, numbers)


def _rename_in(node: ast.AST, names: dict[str, str], numbers: Iterator[int]) -> None:
    match node:
        case ast.FunctionDef(name=name):
            names[name] = node.name = f"steps_{next(numbers)}"
            inner = dict(names)
            for part in (*node.decorator_list, *node.args.defaults):
                _rename_in(part, names, numbers)
            for statement in node.body:
                _rename_in(statement, inner, numbers)
        case ast.Name(id=name):
            node.id = names.get(name, name)
        case _:
            for child in ast.iter_child_nodes(node):
                _rename_in(child, names, numbers)
