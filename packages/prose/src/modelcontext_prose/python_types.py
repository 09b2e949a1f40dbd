"""Types of generated Python: reading and writing annotations, and joining the types of several values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final


@dataclass(frozen=True, slots=True)
class PythonType:
    """The type of a Python value, which may be None if it is ``nullable``.

    ``name`` is that of a class or an alias; "|" is a union, "literal" one of the strings in ``words``, and "steps" a
    function with its parameters and its result as ``arguments``. "" is the type of the items of a collection that is empty.
    """

    name: str
    arguments: tuple[PythonType, ...] = ()
    nullable: bool = False
    words: tuple[str, ...] = ()

    @property
    def present(self) -> PythonType:
        """The type without None."""
        return replace(self, nullable=False) if self.nullable else self

    @property
    def optional(self) -> PythonType:
        """The type with None."""
        return replace(self, nullable=True)

    @property
    def shared(self) -> PythonType:
        """The type of what others can read: a map of the text becomes one that strands share."""
        return replace(self, name="OrderedMap") if self.name == "dict" else self

    def names(self) -> Iterator[str]:
        """Yield the names that an annotation of the type needs."""
        if self.name == "literal":
            yield "Literal"
        elif self.name == "steps":
            yield "Callable"
        elif self.name not in ("", "|", "None"):
            yield self.name
        for one in self.arguments:
            yield from one.names()


NONE: Final = PythonType("None", nullable=True)
UNKNOWN: Final = PythonType("object", nullable=True)
EMPTY: Final = PythonType("")
STRING: Final = PythonType("str")
BOOLEAN: Final = PythonType("bool")
PARALLEL_STEPS: Final = PythonType("ParallelSteps")


def list_of(item: PythonType) -> PythonType:
    """Return the type of a list."""
    return PythonType("list", (item,))


@cache
def read_type(annotation: str) -> PythonType:
    """Return the type that an annotation stands for."""
    return _read(ast.parse(annotation, mode="eval").body)


def _read(node: ast.expr) -> PythonType:
    match node:
        case ast.Constant(value=None):
            return NONE
        case ast.Constant(value=str(text)):
            return read_type(text)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return PythonType(name)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return union([_read(left), _read(right)])
        case ast.Subscript(value=ast.Name(id="Literal"), slice=index):
            options = index.elts if isinstance(index, ast.Tuple) else [index]
            words = tuple(str(one.value) for one in options if isinstance(one, ast.Constant))
            return PythonType("literal", words=words)
        case ast.Subscript(value=ast.Name(id="Callable"), slice=ast.Tuple(elts=[ast.List(elts=parameters), result])):
            return PythonType("steps", (*(_read(one) for one in parameters), _read(result)))
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            inner = index.elts if isinstance(index, ast.Tuple) else [index]
            return PythonType(name, tuple(_read(one) for one in inner))
    return UNKNOWN


def union(types: Iterable[PythonType]) -> PythonType:
    """Return the type of a value of any of the types."""
    nullable, parts = False, list[PythonType]()
    for one in types:
        nullable = nullable or one.nullable
        for part in one.arguments if one.name == "|" else (one.present,):
            if part.name != "None" and part not in parts:
                parts.append(part)
    if not parts:
        return NONE
    if len(parts) == 1:
        return replace(parts[0], nullable=nullable)
    return PythonType("|", tuple(parts), nullable)


def join(types: Iterable[PythonType]) -> PythonType:
    """Return the type of a variable to which values of the types are assigned: an empty list takes the others' items."""
    found = list(types)
    nullable = any(one.nullable for one in found)
    known = [one.present for one in found if one.name != "None"]
    full = [one for one in known if EMPTY not in one.arguments]
    joined = union(_without_literals(full or known))
    if joined.name == "|" and len({part.name for part in joined.arguments}) == 1 and joined.arguments[0].arguments:
        parts = zip(*(part.arguments for part in joined.arguments), strict=True)
        joined = PythonType(joined.arguments[0].name, tuple(common(part) for part in parts))
    return replace(joined, nullable=joined.nullable or nullable)


def common(types: Iterable[PythonType]) -> PythonType:
    """Return the type of the items of a collection with items of the types: object if they differ."""
    joined = join(types)
    return joined if joined.name != "|" else PythonType("object")


def _without_literals(types: list[PythonType]) -> Iterator[PythonType]:
    for one in types:
        yield STRING if one.name == "literal" else one


def annotation(type_: PythonType) -> ast.expr:
    """Return the annotation of a type."""
    node = _annotation(type_)
    if type_.nullable and type_.name not in ("None", "object", "JSValue"):
        return ast.BinOp(node, ast.BitOr(), ast.Constant(None))
    return node


def _annotation(type_: PythonType) -> ast.expr:
    if type_.name == "None":
        return ast.Constant(None)
    if type_.name == "literal":
        return _subscript("Literal", [ast.Constant(word) for word in type_.words])
    if type_.name == "steps":
        *parameters, result = [annotation(one) for one in type_.arguments]
        return _subscript("Callable", [ast.List(parameters), result])
    if type_.name == "|":
        node, *others = [annotation(one) for one in type_.arguments]
        for other in others:
            node = ast.BinOp(node, ast.BitOr(), other)
        return node
    if type_.arguments:
        return _subscript(type_.name, [annotation(one) for one in type_.arguments])
    return ast.Name(type_.name or "object")


def _subscript(name: str, parts: list[ast.expr]) -> ast.expr:
    return ast.Subscript(ast.Name(name), parts[0] if len(parts) == 1 else ast.Tuple(parts))
