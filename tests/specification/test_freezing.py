"""``spec freeze`` in a copy of this checkout: what it makes stands on its own, and it never writes half of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelcontext.cli.spec import command
from modelcontext.specification.text.algorithms import load_algorithms
from modelcontext.specification.text.revisions import CURRENT, R2026_03, REVISIONS, frozen

Edit = Callable[[str, str, str], int]

MAIN = "from modelcontext.cli import main; main()"
# The copied revision runs, with its own algorithms and nothing of the other's.
USE = """
import sys
from modelcontext.revisions.r2026_10 import REVISION
assert not [name for name in sys.modules if name.startswith("modelcontext.revisions.current")]
from modelcontext.world import World
world = World(REVISION)
world.run_until_idle()
modules = {function.__module__.rpartition(".")[0] for function in REVISION.algorithms.values()}
print(world.revision.name, len(REVISION.algorithms), *modules)
"""


def freeze(checkout: Path, name: str) -> Result:
    result = CliRunner().invoke(command, ["freeze", name, "--root", str(checkout)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def python(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def files_of(checkout: Path) -> set[Path]:
    folders = (checkout / "spec", checkout / "src/modelcontext/revisions")
    return {path for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_where_the_files_of_a_revision_are() -> None:
    assert frozen("2026-03") == R2026_03 == REVISIONS["2026-03"]
    assert frozen("2026-03").package == Path("src/modelcontext/revisions/r2026_03")
    assert frozen("pr-289").package == Path("src/modelcontext/revisions/pr_289")
    assert next(iter(REVISIONS)) == "current"


def test_a_frozen_revision(checkout: Path) -> None:
    before = files_of(checkout)
    result = freeze(checkout, "2026-10")
    assert result.exit_code == 0, result.output
    files = frozen("2026-10")
    made = files_of(checkout) - before
    assert {path.name for path in made if path.is_relative_to(checkout / files.folder)} == {
        "index.bs",
        "algorithms.json",
        "modelcontext.webidl",
        "tags.toml",
    }
    current = {path.name for path in (checkout / CURRENT.package).iterdir() if path.is_file()}
    assert {path.name for path in made if path.is_relative_to(checkout / files.package)} == current
    assert load_algorithms("2026-10", checkout) == load_algorithms("current", checkout)
    text = (checkout / files.text).read_text(encoding="utf-8")
    assert "\nShortname: modelcontext-2026-10\n" in text
    assert "\n!Revision: 2026-10\n" in text
    code = "".join((checkout / files.package / name).read_text(encoding="utf-8") for name in current)
    assert "revisions.current" not in code
    assert "by `modelcontext spec extract` from spec/2026-10/index.bs" in code

    used = python(checkout, "-c", USE)
    assert used.stdout.split() == ["2026-10", str(len(load_algorithms())), "modelcontext.revisions.r2026_10"], (
        used.stderr
    )
    checked = python(checkout, "-c", MAIN, "spec", "check", "--revision", "2026-10", "--root", str(checkout))
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.startswith("2026-10: ")
    compared = python(checkout, "-c", MAIN, "spec", "diff", "2026-10", "current", "--root", str(checkout))
    assert compared.returncode == 0, compared.stdout
    clean = ["-m", "ruff", "check", "--isolated", "--line-length", "127", "--select", "E,F,W,I", str(files.package)]
    assert python(checkout, *clean).returncode == 0
    again = freeze(checkout, "2026-10")
    assert (again.exit_code, "there already" in again.stderr) == (2, True)


def test_with_a_finding_nothing_is_written(checkout: Path, edit: Edit) -> None:
    edit("src/modelcontext/revisions/current/tools.py", "# 4. Return true.", "# 4. Return truth.")
    before = files_of(checkout)
    result = freeze(checkout, "2026-10")
    assert result.exit_code == 1
    assert "the comment is not what the text says" in result.stdout
    assert "nothing was written" in result.stderr
    assert files_of(checkout) == before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("2026-03", "there is a revision 2026-03 already"),
        ("current", "already"),
        ("../x", "is no name"),
        ("2026_10", "is no name"),
    ],
)
def test_a_name_that_cannot_be(tmp_path: Path, name: str, words: str) -> None:
    result = freeze(tmp_path, name)
    assert (result.exit_code, words in result.stderr) == (2, True)
