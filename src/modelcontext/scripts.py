"""Scripts for pages: modules of JavaScript, joined into one function.

A page gets one script, which runs before its own ones and independently of the page's server. Editors, tsc and Node.js read
the modules as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_IMPORT = re.compile(r'^import (?:[^;"]*from )?"(\.{1,2}/[\w./-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|class) )", re.MULTILINE)


@cache
def function_of_modules(main: Path, parameter: str, last: str = "") -> str:
    """Return a JavaScript function expression with one parameter that runs a module after all modules that it imports.

    The modules share one scope, so no two of them may declare the same name. The statements ``last`` run after them.
    """
    statements = "\n\n".join(['"use strict";', *_statements(main, set()), *([last] if last else [])])
    return f"(function ({parameter}) {{\n{statements}\n}})"


def _statements(module: Path, seen: set[Path]) -> Iterator[str]:
    """Yield the text of each module once, without its import declarations and export keywords."""
    seen.add(module)
    text = module.read_text(encoding="utf-8")
    for name in _IMPORT.findall(text):
        if (imported := (module.parent / name).resolve()) not in seen:
            yield from _statements(imported, seen)
    yield _EXPORT.sub("", _IMPORT.sub("", text)).strip()
