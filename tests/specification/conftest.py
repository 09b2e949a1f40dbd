"""A copy of the files that ``spec check`` reads, for tests that change them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from modelcontext.spec.revisions.registry import FILES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path, built_texts: None) -> Path:
    """Return a copy of this checkout, with the built texts of the unchanged revisions."""
    caches = [revision.cache for revision in FILES.values()]
    shutil.copy(ROOT / "index.bs", tmp_path)
    for folder in (Path("spec"), Path("src", "modelcontext"), *caches):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.fixture
def edit(checkout: Path) -> Callable[[str, str, str], int]:
    """Return a function that replaces a text, which must occur once in a file, and returns its line."""

    def replace(path: str, old: str, new: str) -> int:
        file = checkout / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1

    return replace
