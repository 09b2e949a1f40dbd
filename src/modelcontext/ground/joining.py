"""Modules of JavaScript, joined into one function for a page.

A page gets one script, which runs before its own ones and independently of the page's server. Editors, tsc and Node.js read
the modules as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_IMPORT = re.compile(r'^import (?:[^;"]*from )?"(\.{1,2}/[\w./-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|class) )", re.MULTILINE)


@cache
def function_of_modules(
    main: Path, parameter: str, last: str = "", replaced: tuple[tuple[Path, Path], ...] = ()
) -> str:
    """Return a JavaScript function expression with one parameter that runs a module after all modules that it imports.

    The modules share one scope, so no two of them may declare the same name. The statements ``last`` run after them.
    ``replaced`` are pairs of a module and the one that is imported in its place.
    """
    modules = _statements(main, set(), dict(replaced))
    statements = "\n\n".join(['"use strict";', *modules, *([last] if last else [])])
    return f"(function ({parameter}) {{\n{statements}\n}})"


def _statements(module: Path, seen: set[Path], replaced: Mapping[Path, Path]) -> Iterator[str]:
    """Yield the text of each module once, without its import declarations and export keywords."""
    seen.add(module)
    text = module.read_text(encoding="utf-8")
    for name in _IMPORT.findall(text):
        imported = (module.parent / name).resolve()
        imported = replaced.get(imported, imported)
        if imported not in seen:
            yield from _statements(imported, seen, replaced)
    yield _EXPORT.sub("", _IMPORT.sub("", text)).strip()
