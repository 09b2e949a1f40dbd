"""Freezing in a copy of this checkout: the frozen revision is independent, and it is written as a whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelcontext.spec.revisions.registry import CURRENT, FILES, files_of
from modelcontext.spec.specification.text.algorithms import load_algorithms
from tools.freeze import command

ROOT = Path(__file__).resolve().parents[2]
Edit = Callable[[str, str, str], int]

MAIN = "from modelcontext.people.cli import main; main()"
# The copied revision runs with its own algorithms only.
USE = """
import sys
from modelcontext.spec.revisions.registry import FILES, REVISIONS
REVISION = REVISIONS["2026-10"]
assert REVISION.name == "2026-10"
assert not [name for name in sys.modules if name.startswith("modelcontext.spec.revisions.current")]
modules = {function.__module__.rpartition(".")[0] for function in REVISION.algorithms.values()}
print(*FILES, len(REVISION.algorithms), *modules)
"""
# Every program has the outcome of the same program of the current revision.
RUN = """
from pathlib import Path
from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.programs.program.exploration import run_once
from modelcontext.spec.revisions.registry import FILES
frozen, current = (read_corpus(FILES[name].programs) for name in ("2026-10", "current"))
assert [case.name for case in frozen] == [case.name for case in current]
assert {case.program.revision for case in frozen} == {"2026-10"}
for one, other in zip(frozen, current):
    assert run_once(one.program).outcome == run_once(other.program).outcome, one.name
print(len(frozen))
"""


def freeze(checkout: Path, name: str) -> Result:
    result = CliRunner().invoke(command, [name, "--root", str(checkout)])
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


def all_files(checkout: Path) -> set[Path]:
    folders = (checkout / "spec", checkout / "src/modelcontext/spec/revisions", checkout / "wpt_tests")
    return {path for folder in folders for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def whole_checkout(checkout: Path) -> Path:
    for name in ("programs", "programs-2026-03", "litmus", "webmcp", "expectations"):
        shutil.copytree(ROOT / "wpt_tests" / name, checkout / "wpt_tests" / name)
    return checkout


def test_files_of_a_revision_have_its_name_in_their_paths() -> None:
    assert files_of("2026-03") == FILES["2026-03"]
    assert files_of("2026-03").package == Path("src/modelcontext/spec/revisions/r2026_03")
    assert files_of("pr-289").package == Path("src/modelcontext/spec/revisions/pr_289")
    assert next(iter(FILES)) == "current"


def test_frozen_revision_is_complete_and_passes_all_checks(whole_checkout: Path) -> None:
    checkout = whole_checkout
    before = all_files(checkout)
    result = freeze(checkout, "2026-10")
    assert result.exit_code == 0, result.output
    files = files_of("2026-10")
    made = {path.relative_to(checkout) for path in all_files(checkout) - before}

    def names(folder: Path) -> set[str]:
        return {path.relative_to(folder).as_posix() for path in made if path.is_relative_to(folder)}

    def of_the_current_one(folder: Path) -> set[str]:
        return {path.relative_to(ROOT / folder).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}

    assert names(files.folder) == {"index.bs", "tags.toml", "coverage.toml", "unreachable.toml", "marks.toml"}
    # Only the current text is compared with the published one.
    current = {path.name for path in (ROOT / CURRENT.package).iterdir() if path.is_file()} - {CURRENT.published.name}
    assert names(files.package) == current
    assert names(files.programs) == of_the_current_one(CURRENT.programs)
    assert names(files.suite) == of_the_current_one(CURRENT.suite)
    assert names(files.expectations) == {"page-2026-10.toml"}
    assert names(CURRENT.expectations) == {"wpt-page-2026-10.toml"}
    assert load_algorithms("2026-10", checkout) == load_algorithms("current", checkout)
    text = (checkout / files.text).read_text(encoding="utf-8")
    assert "\nShortname: modelcontext-2026-10\n" in text
    assert "\n!Revision: 2026-10\n" in text
    code = "".join((checkout / files.package / name).read_text(encoding="utf-8") for name in current)
    assert "revisions.current" not in code
    assert "current" not in (checkout / files.package / "__init__.py").read_text(encoding="utf-8")
    assert "by `modelcontext spec extract` from spec/2026-10/index.bs" in code
    for page in (checkout / files.suite).rglob("*.html"):
        markup = page.read_text(encoding="utf-8")
        assert "/webmcp/" not in markup
        for link in re.findall(r'<link rel="help" href="([^"#]+)#', markup):
            assert link.startswith("https://") or (page.parent / link).resolve() == (checkout / files.text).resolve()

    used = python(checkout, "-c", USE)
    expected = ["current", "2026-03", "2026-10", str(len(load_algorithms())), "modelcontext.spec.revisions.r2026_10"]
    assert sorted(used.stdout.split()) == sorted(expected), used.stderr
    ran = python(checkout, "-c", RUN)
    assert ran.stdout.split() == [str(len(names(files.programs)))], ran.stderr
    checked = python(checkout, "-c", MAIN, "spec", "check", "--root", str(checkout))
    assert checked.returncode == 0, checked.stdout
    assert [line.partition(":")[0] for line in checked.stdout.splitlines()] == ["current", "2026-03", "2026-10"]
    reached = python(
        checkout, "-c", MAIN, "spec", "coverage", "--revision", "2026-10", "--check", "--root", str(checkout)
    )
    assert reached.returncode == 0, reached.stdout
    judged = python(
        checkout, "-c", MAIN, "conformance", "--programs", str(files.programs / "results"), "--product", "model"
    )
    assert judged.returncode == 0, judged.stdout + judged.stderr
    compared = python(checkout, "-c", MAIN, "spec", "diff", "2026-10", "current", "--root", str(checkout))
    assert compared.returncode == 0, compared.stdout
    clean = ["-m", "ruff", "check", "--isolated", "--line-length", "127", "--select", "E,F,W,I", str(files.package)]
    assert python(checkout, *clean).returncode == 0
    again = freeze(checkout, "2026-10")
    assert (again.exit_code, "there already" in again.stderr) == (2, True)


def test_nothing_is_written_if_there_is_a_problem(checkout: Path, edit: Edit) -> None:
    edit("src/modelcontext/spec/revisions/current/tools.py", "# 4. Return true.", "# 4. Return truth.")
    before = all_files(checkout)
    result = freeze(checkout, "2026-10")
    assert result.exit_code == 1
    assert "the file differs from index.bs" in result.stdout
    assert "nothing was written" in result.stderr
    assert all_files(checkout) == before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("2026-03", "there is a revision 2026-03 already"),
        ("current", "already"),
        ("../x", "is not a name"),
        ("2026_10", "is not a name"),
        ("r2026-10", "is not a name"),
    ],
)
def test_invalid_or_taken_name_is_refused(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "index.bs").write_text("", encoding="utf-8")
    result = freeze(tmp_path, name)
    assert (result.exit_code, words in result.stderr) == (2, True)
