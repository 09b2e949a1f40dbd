"""The base names of modules: few modules share one, so that imports and tracebacks tell them apart."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).resolve().parent.parent
#: The most modules that share a base name.
MOST: Final = 3
#: Names that Python and pytest give a meaning.
GIVEN: Final = frozenset({"__init__.py", "__main__.py", "conftest.py"})


def shared_base_names(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Return the base names that too many modules share, with these modules.

    The files of a revision have the same names in each revision on purpose, and count once.
    """
    found: dict[str, dict[Path, str]] = defaultdict(dict)
    for path in paths:
        if path.name not in GIVEN:
            folder = path.parent.parent if path.parent.parent.name == "revisions" else path.parent
            found[path.name][folder] = path.as_posix()
    return {name: sorted(folders.values()) for name, folders in found.items() if len(folders) > MOST}


def test_no_base_name_of_a_module_occurs_more_than_three_times() -> None:
    paths = [path.relative_to(ROOT) for folder in ("src", "packages") for path in (ROOT / folder).rglob("*.py")]
    assert shared_base_names(paths) == {}


def test_check_finds_a_base_name_that_four_modules_share(tmp_path: Path) -> None:
    rooms = [tmp_path / room / "values.py" for room in ("html", "dom", "infra")]
    revisions = [tmp_path / "revisions" / name / "model.py" for name in ("current", "r1", "r2", "r3")]
    assert shared_base_names([*rooms, *revisions]) == {}
    fourth = tmp_path / "webidl" / "values.py"
    assert shared_base_names([*rooms, fourth]) == {"values.py": sorted(path.as_posix() for path in [*rooms, fourth])}
