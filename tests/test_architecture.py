"""docs/architecture.md says what the rooms are, and is held against the tree and the contract of the layers."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/modelcontext"
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def contracts() -> dict[str, list[str]]:
    """Return the names in each contract of layers, top down, by the package that the contract is about."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        contract["containers"][0]: re.findall(r"\w+", " ".join(contract["layers"]))
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers" and "containers" in contract
    }


def rooms() -> dict[str, Path]:
    """Return the path of each room, in the order of the contracts, top down; a room is a package in a wing, or a module."""
    inside = contracts()
    found = {}
    for name in inside["modelcontext"]:
        wing = inside.get(f"modelcontext.{name}")
        found |= {room: PACKAGE / name / room for room in wing} if wing else {name: PACKAGE / name}
    return found


def first_line(path: Path) -> str:
    """Return the first line of the docstring of a room."""
    module = path.with_suffix(".py")
    source = module if module.is_file() else path / "__init__.py"
    return (
        (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "").partition("\n")[0].replace("``", "`")
    )


def test_the_table_of_rooms_has_each_room_in_the_order_of_the_layers_with_its_first_line() -> None:
    expected = "\n".join(f"| `{room}` | {first_line(path)} |" for room, path in rooms().items())
    rows = "\n".join(re.findall(r"^\| `\w+` \|.*$", TEXT, re.MULTILINE))
    assert rows == expected, f"the table is to be:\n{expected}"


def test_the_picture_of_rooms_names_each_room() -> None:
    picture = TEXT[TEXT.index("for people") : TEXT.index("In the order of the contract")]
    assert [room for room in rooms() if not re.search(rf"\b{room}\b", picture)] == []


def test_every_file_that_the_architecture_names_is_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[\w.-]+)?)(?:: \w+)?`", TEXT))
    roots = (ROOT, PACKAGE, *ROOT.glob("packages/*/src/*"))
    assert [name for name in sorted(named) if not any((root / name).exists() for root in roots)] == []
