"""The contracts of imports in pyproject.toml: they hold, and forbidden imports break them."""

from __future__ import annotations

import ast
import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = {
    contract["containers"][0]: contract["layers"]
    for contract in PROJECT["tool"]["importlinter"]["contracts"]
    if contract["type"] == "layers" and "containers" in contract
}


def layers() -> Iterator[set[str]]:
    """Yield the rooms of each layer, top down; a wing has a contract of its own for its rooms."""
    for layer in CONTRACTS["modelcontext"]:
        names = set(re.findall(r"\w+", layer))
        for wing in sorted(name for name in names if f"modelcontext.{name}" in CONTRACTS):
            names.remove(wing)
            yield from ({*re.findall(r"\w+", line)} for line in CONTRACTS[f"modelcontext.{wing}"])
        yield names


LAYERS = list(layers())
#: The room of a module in a string, with its wing.
MODULE = re.compile(r"\bmodelcontext\.(\w+(?:\.\w+)?)")


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the packages in a folder against the contracts."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    sources = [folder / "src", *folder.glob("packages/*/src")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sources))}
    arguments = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Make a folder with a copy of each package."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for source in (ROOT / "src", *ROOT.glob("packages/*/src")):
        shutil.copytree(source, tmp_path / source.relative_to(ROOT), ignore=ignored)
    return tmp_path


def add_import(folder: Path, module: str, imported: str, package: str = "src/modelcontext") -> None:
    path = folder / package / f"{module}.py"
    path.write_text(path.read_text(encoding="utf-8") + f"\n\nimport {imported}\n", encoding="utf-8")


def test_every_room_imports_only_rooms_below_it(copy: Path) -> None:
    result = lint_imports(copy)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("running/products/base", "modelcontext.judging.conformance.run"),
        ("ground/schedule/footprint", "modelcontext.platform.html.document"),
        ("running/serving/http", "modelcontext.running.products.base"),
        ("programs/program/language", "modelcontext.programs.tracing.items"),
    ],
)
def test_upward_import_breaks_the_contract(copy: Path, module: str, imported: str) -> None:
    add_import(copy, module, imported)
    result = lint_imports(copy)
    assert result.returncode == 1
    assert f"modelcontext.{module.replace('/', '.')} -> {imported}" in result.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("running/products/engine", "modelcontext.running.products.chromium"),
        ("judging/conformance/corpus", "modelcontext.judging.conformance.run"),
        ("judging/wpt/results", "modelcontext.judging.wpt.suite"),
        ("platform/html/forms/radio_groups", "modelcontext.platform.html.forms.form_controls"),
        ("hosts/scripting/realms", "modelcontext.hosts.scripting.scripted_browser"),
    ],
)
def test_cycle_in_a_room_breaks_the_contract(copy: Path, module: str, imported: str) -> None:
    add_import(copy, module, imported)
    result = lint_imports(copy)
    assert result.returncode == 1
    assert f"No cycles are allowed in {imported.rpartition('.')[0]}." in result.stdout


def test_import_of_the_agent_in_the_core_breaks_the_contract(copy: Path) -> None:
    add_import(copy, "__main__", "modelcontext_agent.metrics")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "modelcontext.__main__ -> modelcontext_agent.metrics" in result.stdout


def test_upward_import_in_the_agent_breaks_the_contract(copy: Path) -> None:
    add_import(copy, "metrics", "modelcontext_agent.chat.states", "packages/agent/src/modelcontext_agent")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "modelcontext_agent.metrics -> modelcontext_agent.chat.states" in result.stdout


def test_new_room_without_a_layer_breaks_the_contract(copy: Path) -> None:
    room = copy / "src/modelcontext/annex"
    room.mkdir()
    (room / "__init__.py").write_text('"""A room without a layer."""\n', encoding="utf-8")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "annex" in result.stdout


def named_above(room: str, source: str) -> list[str]:
    """Return the strings of a module, except docstrings, that name a module of the agent or of a room above ``room``."""
    above = {other for layer in itertools.takewhile(lambda layer: room not in layer, LAYERS) for other in layer}
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [
        str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings
    ]
    return [string for string in strings if above & set(re.findall(r"\w+", " ".join(MODULE.findall(string))))]


def test_no_string_names_a_module_of_a_higher_layer() -> None:
    package = ROOT / "src/modelcontext"
    found = {
        str(path): named
        for path in sorted(package.glob("*/**/*.py"))
        for room in path.relative_to(package).parts[:2]
        if any(room in layer for layer in LAYERS)
        if (named := named_above(room, path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_check_finds_a_string_that_names_a_module_of_a_higher_layer() -> None:
    names = ["modelcontext.programs.program.explore", "modelcontext.ground.schedule.graph"]
    source = f'"""See modelcontext.programs.program."""\nHIDDEN = {names}\n'
    assert named_above("html", source) == ["modelcontext.programs.program.explore"]
    assert named_above("tracing", source) == []
