"""Changing copies of a revision's algorithms, and linking the copies to a new revision.

A revision and the revisions woven from it exist side by side: nothing is changed in place. A copy keeps its file name and
line numbers, so that a line has the same step in the copy.
"""

from __future__ import annotations
import __future__

import ast
import copy
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from modelcontext.spec.specification.code.comments import AlgorithmFunction, PythonSource, parse_source

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision


@dataclass(frozen=True, slots=True)
class AlgorithmCopy:
    """The copy of an algorithm: its ``definition``, which may be changed, and the ``function`` with the quoted steps.

    ``names`` has the names that the definition uses before it is changed.
    """

    function: AlgorithmFunction
    definition: ast.FunctionDef
    names: frozenset[str] = frozenset()


class Weaving:
    """Copies of a revision's algorithms, by id in the order of its files."""

    def __init__(self, package: str) -> None:
        self._trees: list[tuple[ModuleType, ast.Module]] = []
        self.algorithms: dict[str, AlgorithmCopy] = {}
        for module in modules_of(package):
            source = _source(module)
            if source.functions:
                tree = ast.parse("\n".join(source.lines), str(source.path))
                definitions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
                names = _names("\n".join(source.lines))
                self._trees.append((module, tree))
                self.algorithms |= {
                    one.id: AlgorithmCopy(one, definitions[one.name], names[one.name]) for one in source.functions
                }

    def texts(self, imports: ast.stmt) -> dict[str, str]:
        """Return the source of every module with algorithms, followed by ``imports``, by the name of the module."""
        return {
            module.__name__: ast.unparse(ast.fix_missing_locations(ast.Module([*tree.body, imports], [])))
            for module, tree in self._trees
        }

    @cached_property
    def _code(self) -> list[tuple[ModuleType, CodeType]]:
        return [(module, _compiled(tree, str(module.__file__))) for module, tree in self._trees]

    def link(self, revision: Revision, names: Mapping[str, object]) -> Revision:
        """Return a revision of the copies, which must not be changed any more.

        Its functions call each other, and otherwise see the globals of the original ones.

        Args:
            revision: the original of the copies.
            names: additional globals of the functions.
        """
        namespaces: list[dict[str, Any]] = []
        copies: dict[Callable[..., Any], Callable[..., Any]] = {}
        for module, code in self._code:
            namespace = {**vars(module), **names}
            exec(code, namespace)
            namespaces.append(namespace)
            copies |= {thing: namespace[name] for name, thing in vars(module).items() if namespace[name] is not thing}
        for namespace in namespaces:
            found = [(name, thing) for name, thing in namespace.items() if isinstance(thing, FunctionType)]
            namespace |= {name: copies[thing] for name, thing in found if thing in copies}
        algorithms = {id_: copies[function] for id_, function in revision.algorithms.items()}
        return replace(revision, algorithms=algorithms, parsed_idl=revision.definitions)


def sources(package: str) -> list[PythonSource]:
    """Return the source of every module of the revision in a Python package."""
    return [_source(module) for module in modules_of(package)]


def modules_of(package: str) -> list[ModuleType]:
    """Return the modules of a revision, which its package imports; a linked text has them in memory only."""
    found = vars(importlib.import_module(package)).values()
    own = [one for one in found if isinstance(one, ModuleType) and one.__name__.startswith(f"{package}.")]
    return sorted(own, key=lambda module: module.__name__)


def _source(module: ModuleType) -> PythonSource:
    # In a page the module may be in an archive.
    return parse_source(Path(str(module.__file__)), inspect.getsource(module))


@cache
def _names(text: str) -> dict[str, frozenset[str]]:
    """Return the names that each function of a module uses; a module is copied again for each choice of quirks."""
    return {node.name: names_in(node) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def names_in(definition: ast.FunctionDef) -> frozenset[str]:
    """Return the names that a function uses."""
    return frozenset(node.id for node in ast.walk(definition) if isinstance(node, ast.Name))


def _compiled(tree: ast.Module, filename: str) -> CodeType:
    """Return code that defines the functions of a module, without its classes and constants."""
    functions = [copy.copy(node) for node in tree.body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        function.decorator_list = []
    module = ast.fix_missing_locations(ast.Module(list(functions), []))
    code: CodeType = compile(module, filename, "exec", __future__.annotations.compiler_flag, dont_inherit=True)
    return code
