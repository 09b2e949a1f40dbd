"""The contract of the layers in pyproject.toml holds, and is broken by what it forbids."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the package in ``folder``/src against the contract."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    arguments = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the package in it."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    return tmp_path


def add_import(folder: Path, module: str, imported: str) -> None:
    path = folder / "src/modelcontext" / f"{module}.py"
    path.write_text(path.read_text(encoding="utf-8") + f"\n\nimport {imported}\n", encoding="utf-8")


def test_every_room_imports_only_what_stands_below_it(copy: Path) -> None:
    result = lint_imports(copy)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("products/base", "modelcontext.conformance.run"),
        ("schedule/footprint", "modelcontext.html.document"),
        ("serving/http", "modelcontext.products.base"),
        ("program/language", "modelcontext.tracing.items"),
    ],
)
def test_an_upward_import_breaks_the_contract(copy: Path, module: str, imported: str) -> None:
    add_import(copy, module, imported)
    result = lint_imports(copy)
    assert result.returncode == 1
    assert f"modelcontext.{module.replace('/', '.')} -> {imported}" in result.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("products/engine", "modelcontext.products.chromium"),
        ("conformance/corpus", "modelcontext.conformance.run"),
        ("wpt/results", "modelcontext.wpt.suite"),
    ],
)
def test_a_cycle_in_a_room_breaks_the_contract(copy: Path, module: str, imported: str) -> None:
    add_import(copy, module, imported)
    result = lint_imports(copy)
    assert result.returncode == 1
    assert f"No cycles are allowed in {imported.rpartition('.')[0]}." in result.stdout


def test_a_new_room_needs_a_place_among_the_layers(copy: Path) -> None:
    room = copy / "src/modelcontext/annex"
    room.mkdir()
    (room / "__init__.py").write_text('"""A room that nobody has drawn."""\n', encoding="utf-8")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "annex" in result.stdout
