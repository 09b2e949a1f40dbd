"""The recipes for changes that touch several files: their worked examples do in a copy of the package what they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from modelcontext.running.products import make_target

ROOT: Final = Path(__file__).resolve().parent.parent
RECIPES: Final = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(title: str) -> list[str]:
    """Return the blocks of code of a recipe."""
    [section] = [part for part in RECIPES.split("\n## ") if part.startswith(title)]
    return [code for _, code in BLOCK.findall(section)]


@pytest.fixture
def copy(tmp_path: Path, takes_long: None) -> Path:
    """Make a folder with a copy of the package, and with what its commands need of the checkout."""
    # What Python has compiled is copied, too: it is valid for each file with the same time, which is kept.
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    for name in ("index.bs", "spec", "wpt_tests", "pyproject.toml", "node_modules"):
        if (ROOT / name).exists():
            (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def insert(path: Path, anchor: str, code: str, *, above: bool = False) -> None:
    """Put code below the one line that has an anchor, or above it."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    [place] = [number for number, line in enumerate(lines) if anchor in line]
    lines.insert(place if above else place + 1, code)
    path.write_text("".join(lines), encoding="utf-8")


def start(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the copy's ``modelcontext run`` to its end."""
    command = [sys.executable, "-m", "modelcontext", "run", *arguments, "--json"]
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


def run(copy: Path, *arguments: str) -> tuple[int, Any]:
    """Run the copy's ``modelcontext run``; return its exit code and what it prints as JSON."""
    done = start(copy, *arguments)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.usefixtures("starts_a_browser")
def test_engine_of_the_recipe_starts_the_browser_that_the_configuration_file_names(copy: Path) -> None:
    engine, imported, line, key, *_ = blocks("A new product")
    products = copy / "src/modelcontext/running/products"
    (products / "canary.py").write_text(engine, encoding="utf-8")
    insert(products / "registry.py", "from functools import cache", imported)
    insert(products / "registry.py", 'BrowserMaker(Target("firefox"', line)
    insert(copy / "src/modelcontext/people/cli/configuration.py", '"binary.firefox"', key)
    missing = start(copy, "execution/echo", "--product", "canary")
    assert missing.returncode == 2
    assert "Chrome Canary is not on this machine" in missing.stdout + missing.stderr
    binary = make_target("chromium").find_binary()
    assert binary is not None
    (copy / "modelcontext.toml").write_text(f'[binary]\ncanary = "{binary}"\n', encoding="utf-8")
    code, data = run(copy, "execution/echo", "--product", "canary")
    assert code == 0
    assert '"canary"' in json.dumps(data)


def test_product_of_the_recipe_runs_programs_and_deviates_as_it_says(copy: Path) -> None:
    *_, target, imported, line = blocks("A new product")
    products = copy / "src/modelcontext/running/products"
    (products / "deaf.py").write_text(target, encoding="utf-8")
    insert(products / "registry.py", "from modelcontext.running.products.chromium import ChromiumEngine", imported)
    insert(products / "registry.py", "SimulatedMaker(SimulatedTarget(", line)
    assert run(copy, "events/own-change", "--product", "simulated")[0] == 0
    code, data = run(copy, "events/own-change", "--product", "deaf")
    assert code == 1
    assert '"fail"' in json.dumps(data)


def test_operation_of_the_recipe_records_the_same_in_both_interpreters(copy: Path) -> None:
    keys, model, page, program = blocks("A new operation of the program language")
    language = copy / "src/modelcontext/programs/program"
    insert(language / "notation.py", '"same": Signature(', keys)
    insert(language / "operations.py", "    def same(", model, above=True)
    insert(language / "runtime/steps.js", "  same(data, step) {", page, above=True)
    (copy / "is-object.toml").write_text(program, encoding="utf-8")
    code, data = run(copy, "is-object.toml", "--product", "model", "--product", "simulated", "--observe")
    assert code == 0
    values = re.findall(r'"value": (\w+)', json.dumps(data))
    assert values == ["true", "false"] * (len(values) // 2)
    assert len(values) >= 4
