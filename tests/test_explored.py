"""The kept exploration of the corpus cannot be stale: its digest changes with all that an exploration depends on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.explored import PROGRAMS, digest, sources
from tests.sharing import made_once

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a checkout with two modules and a program."""
    for name in (
        "src/modelcontext/__init__.py",
        "src/modelcontext/a/b.py",
        f"{PROGRAMS}/results/echo.toml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "src/modelcontext/a/b.py").write_text("a = 2\n"),
        lambda root: (root / "src/modelcontext/a/b.py").rename(root / "src/modelcontext/a/c.py"),
        lambda root: (root / "src/modelcontext/a/b.webidl").touch(),
        lambda root: (root / PROGRAMS / "results/echo.toml").write_text("a = 2\n"),
        lambda root: (root / PROGRAMS / "results/echo.toml").unlink(),
    ],
    ids=["module changed", "module renamed", "file added", "program changed", "program removed"],
)
def test_change_of_a_source_changes_the_digest(checkout: Path, change: Callable[[Path], object]) -> None:
    before = digest(checkout)
    assert digest(checkout) == before
    change(checkout)
    assert digest(checkout) != before


def test_digest_covers_every_module_that_is_imported_here() -> None:
    modules = {name: module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "modelcontext"}
    covered = {str(path) for path in sources(ROOT)}
    assert len(modules) > 100
    # Other tests link texts, whose modules are in no folder; the exploration uses none of them.
    in_folders = {
        name: file for name, file in modules.items() if not name.startswith("modelcontext.spec.revisions.text_")
    }
    assert {name for name, file in in_folders.items() if file not in covered} == set()


def test_folder_is_made_once_and_again_after_a_failure(tmp_path: Path) -> None:
    made: list[Path] = []

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ValueError("no space")

    with pytest.raises(ValueError, match="no space"):
        made_once(tmp_path / "folder", fail)
    for _ in range(2):
        assert made_once(tmp_path / "folder", made.append) == tmp_path / "folder"
    assert made == [tmp_path / "folder"]
    assert list((tmp_path / "folder").iterdir()) == []
