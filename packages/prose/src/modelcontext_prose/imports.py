"""The imports of a generated file, in the order of the project's formatter."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping

from modelcontext_prose.python_expressions import INDENT, WIDTH


def import_lines(modules: Mapping[str, set[str]], indent: int = 0) -> list[str]:
    """Return the imports of names by their modules; the standard library comes first."""
    of_python = sorted(name for name in modules if name.partition(".")[0] in sys.stdlib_module_names)
    others = sorted(name for name in modules if name not in of_python)
    blocks = [[line for name in part for line in _import(name, modules[name], indent)] for part in (of_python, others)]
    first, second = blocks
    return [*first, *([""] if first and second else []), *second]


def _import(module: str, names: Iterable[str], indent: int) -> list[str]:
    margin = INDENT * indent
    ordered = sorted(names, key=_rank)
    line = f"{margin}from {module} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{margin}from {module} import (", *(f"{margin}{INDENT}{name}," for name in ordered), f"{margin})"]


def _rank(name: str) -> tuple[int, str]:
    own = name.partition(" as ")[0]
    kind = 0 if own.isupper() and len(own) > 1 else 1 if own[0].isupper() else 2
    return kind, own


def by_module(names: Iterable[str], homes: Mapping[str, str]) -> dict[str, set[str]]:
    """Return names by the modules that they are imported from."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        found[homes[name]].add(name)
    return found
