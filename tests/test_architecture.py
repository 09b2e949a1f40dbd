"""docs/architecture.md says what the rooms are, and is held against the tree and the contract of the layers."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/modelcontext"
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def layers() -> list[str]:
    """Return the rooms in the order of the contract, top down."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (lines,) = [contract["layers"] for contract in contracts if contract.get("containers") == ["modelcontext"]]
    return [room for line in lines for room in line.split(" | ")]


def first_line(room: str) -> str:
    """Return the first line of the docstring of a room."""
    module = PACKAGE / f"{room}.py"
    path = module if module.is_file() else PACKAGE / room / "__init__.py"
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0].replace("``", "`")


def test_the_table_of_rooms_has_each_room_in_the_order_of_the_layers_with_its_first_line() -> None:
    expected = "\n".join(f"| `{room}` | {first_line(room)} |" for room in layers())
    rows = "\n".join(re.findall(r"^\| `\w+` \|.*$", TEXT, re.MULTILINE))
    assert rows == expected, f"the table is to be:\n{expected}"


def test_the_picture_of_rooms_names_each_room() -> None:
    picture = TEXT[TEXT.index("for people") : TEXT.index("In the order of the contract")]
    assert [room for room in layers() if not re.search(rf"\b{room}\b", picture)] == []


def test_every_file_that_the_architecture_names_is_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[\w.-]+)?)(?:: \w+)?`", TEXT))
    roots = (ROOT, PACKAGE, *ROOT.glob("packages/*/src/*"))
    assert [name for name in sorted(named) if not any((root / name).exists() for root in roots)] == []
