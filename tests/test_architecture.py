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


WINGS = [name for name in contracts()["modelcontext"] if name != "__main__"]


def rooms(wing: str) -> list[str]:
    """Return the rooms of a wing, top down."""
    return contracts()[f"modelcontext.{wing}"]


def first_line(path: Path) -> str:
    """Return the first line of the docstring of a room."""
    module = path.with_suffix(".py")
    source = module if module.is_file() else path / "__init__.py"
    return (
        (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "").partition("\n")[0].replace("``", "`")
    )


def test_the_package_has_eight_wings_and_no_room_is_named_twice() -> None:
    assert len(WINGS) == 8
    names = [*WINGS, *(room for wing in WINGS for room in rooms(wing))]
    assert len(set(names)) == len(names)


def test_the_table_of_wings_has_the_rooms_of_each_and_a_door_that_is_there() -> None:
    rows = re.findall(r"^\| \*\*(\w+)\*\* \| (.+?) \| (.+?) \| `(.+?)` \|$", TEXT, re.MULTILINE)
    assert [row[0] for row in rows] == WINGS
    for wing, words, listed, door in rows:
        assert listed == ", ".join(f"`{room}`" for room in rooms(wing))
        assert first_line(PACKAGE / wing).partition(": ")[2].lower() == words.lower()
        assert (PACKAGE / door).is_file()
        assert door.startswith(f"{wing}/")


def test_the_tables_of_rooms_have_each_room_in_the_order_of_the_layers_with_its_first_line() -> None:
    expected = "\n".join(
        f"| `{room}` | {first_line(PACKAGE / wing / room)} |" for wing in WINGS for room in rooms(wing)
    )
    found = "\n".join(re.findall(r"^\| `\w+` \|.*$", TEXT, re.MULTILINE))
    assert found == expected, f"the tables are to be:\n{expected}"


def test_the_picture_names_each_wing_in_order() -> None:
    picture = TEXT[TEXT.index("## The house") : TEXT.index("The door is the file to open first")]
    assert re.findall(r"^   (\w+)  ", picture, re.MULTILINE) == WINGS


def test_every_file_that_the_architecture_names_is_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[\w.-]+)?)(?:: \w+)?`", TEXT))
    roots = (ROOT, PACKAGE, *ROOT.glob("packages/*/src/*"))
    assert [name for name in sorted(named) if not any((root / name).exists() for root in roots)] == []
