"""The contracts of imports in pyproject.toml: they hold, and forbidden imports break them."""

from __future__ import annotations

import ast
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import grimp
import pytest
from importlinter.api import read_configuration
from importlinter.application.output import console
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.layers import LayersContract

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = read_configuration(str(ROOT / "pyproject.toml"))
KINDS = {"layers": LayersContract, "acyclic_siblings": AcyclicSiblingsContract}
CONTRACTS = {
    contract["containers"][0]: contract["layers"]
    for contract in CONFIGURATION["contracts_options"]
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


@pytest.fixture(scope="module")
def read_once() -> grimp.ImportGraph:
    """Return the imports of the package."""
    return grimp.build_graph(*CONFIGURATION["session_options"]["root_packages"], cache_dir=None)


@pytest.fixture
def graph(read_once: grimp.ImportGraph) -> grimp.ImportGraph:
    """Return a copy of the imports, which a test may change."""
    return deepcopy(read_once)


def broken_contracts(graph: grimp.ImportGraph) -> str:
    """Return what ``lint-imports`` says of the contracts that imports break."""
    with console.capture() as said:
        for options in CONFIGURATION["contracts_options"]:
            contract = KINDS[options["type"]](options["name"], CONFIGURATION["session_options"], options)
            check = contract.check(graph, verbose=False)
            if not check.kept:
                contract.render_broken_contract(check)
    return said.get()


def test_every_room_imports_only_rooms_below_it(graph: grimp.ImportGraph) -> None:
    assert broken_contracts(graph) == ""


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("modelcontext.running.products.base", "modelcontext.judging.conformance.run"),
        ("modelcontext.ground.schedule.footprint", "modelcontext.platform.html.document"),
        ("modelcontext.running.serving.http", "modelcontext.running.products.base"),
        ("modelcontext.programs.program.language", "modelcontext.programs.tracing.items"),
    ],
)
def test_upward_import_breaks_the_contract(graph: grimp.ImportGraph, module: str, imported: str) -> None:
    graph.add_import(importer=module, imported=imported)
    assert f"{module} -> {imported}" in broken_contracts(graph)


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("modelcontext.running.products.engine", "modelcontext.running.products.chromium"),
        ("modelcontext.judging.conformance.corpus", "modelcontext.judging.conformance.run"),
        ("modelcontext.judging.wpt.results", "modelcontext.judging.wpt.suite"),
        ("modelcontext.platform.html.forms.radio_groups", "modelcontext.platform.html.forms.form_controls"),
        ("modelcontext.hosts.scripting.realms", "modelcontext.hosts.scripting.scripted_browser"),
    ],
)
def test_cycle_in_a_room_breaks_the_contract(graph: grimp.ImportGraph, module: str, imported: str) -> None:
    graph.add_import(importer=module, imported=imported)
    assert f"No cycles are allowed in {imported.rpartition('.')[0]}." in broken_contracts(graph)


def test_import_of_the_agent_in_the_core_breaks_the_contract(graph: grimp.ImportGraph) -> None:
    graph.add_import(importer="modelcontext.__main__", imported="modelcontext_agent.metrics")
    assert "modelcontext.__main__ -> modelcontext_agent.metrics" in broken_contracts(graph)


def test_upward_import_in_the_agent_breaks_the_contract(graph: grimp.ImportGraph) -> None:
    graph.add_import(importer="modelcontext_agent.metrics", imported="modelcontext_agent.chat.states")
    assert "modelcontext_agent.metrics -> modelcontext_agent.chat.states" in broken_contracts(graph)


def test_new_room_without_a_layer_breaks_the_contract(graph: grimp.ImportGraph) -> None:
    graph.add_module("modelcontext.annex")
    assert "annex" in broken_contracts(graph)


def test_command_reads_the_contracts_and_fails_for_an_upward_import(tmp_path: Path, takes_long: None) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    sources = {source: tmp_path / source.relative_to(ROOT) for source in (ROOT / "src", *ROOT.glob("packages/*/src"))}
    for source, copy in sources.items():
        shutil.copytree(source, copy, ignore=ignored)
    path = tmp_path / "src/modelcontext/ground/schedule/footprint.py"
    path.write_text(
        f"{path.read_text(encoding='utf-8')}\n\nimport modelcontext.platform.html.document\n", encoding="utf-8"
    )
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    result = subprocess.run(
        [*command, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sources.values()))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "modelcontext.ground.schedule.footprint -> modelcontext.platform.html.document" in result.stdout


def named_above(room: str, source: str) -> list[str]:
    """Return the strings of a module, except docstrings, that name a module of the agent or of a room above ``room``."""
    above = {other for layer in itertools.takewhile(lambda layer: room not in layer, LAYERS) for other in layer}
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [
        str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings
    ]
    return [string for string in strings if above & set(re.findall(r"\w+", " ".join(MODULE.findall(string))))]


@pytest.mark.usefixtures("takes_long")
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
