"""The imports of speclint: the standard library, and what its pyproject.toml declares."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def imported(source: str) -> Iterator[str]:
    """Yield the name of each package that a module imports, also in functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def test_speclint_imports_what_it_declares_and_nothing_else() -> None:
    files = list((FOLDER / "src").rglob("*.py"))
    assert len(files) > 20
    found = {name for path in files for name in imported(path.read_text(encoding="utf-8"))}
    declared = {re.split(r"[<>=]", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert found - set(sys.stdlib_module_names) == {"speclint", *declared}


def test_check_of_imports_finds_one_in_a_function() -> None:
    assert list(imported("import re\ndef f():\n    from modelcontext.platform.infra import strings\n")) == [
        "re",
        "modelcontext",
    ]
