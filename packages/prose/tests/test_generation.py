"""`spec generate`: it writes the files of a revision, and finds those that are not as the text has them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.spec import command
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_prose.generation import generate

ROOT = Path(__file__).resolve().parents[3]
TOOLS = CURRENT.package / "tools.py"
OLD = CURRENT.package / "old_section.py"


@pytest.fixture
def checkout(tmp_path: Path, takes_long: None) -> Path:
    """Make a checkout with the text of the current revision, and the generated file of a section that is gone."""
    for path in (CURRENT.text, CURRENT.marks, Path("pyproject.toml")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "wpt_tests" / "programs").mkdir(parents=True)
    (tmp_path / CURRENT.package).mkdir(parents=True)
    shutil.copy(ROOT / TOOLS, tmp_path / OLD)
    return tmp_path


def run(root: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["generate", "--revision", "current", *arguments, "--root", str(root)])
    return result.exit_code, result.output


def files_in(root: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (root / CURRENT.package).iterdir()}


def replace_in_text(root: Path, old: str, new: str) -> int:
    text = (root / CURRENT.text).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (root / CURRENT.text).write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def test_committed_files_are_those_of_the_texts() -> None:
    result = CliRunner().invoke(command, ["generate", "--check", "--root", str(ROOT)])
    assert (result.exit_code, result.output) == (0, "the generated files agree with the texts\n")


def test_check_finds_files_that_are_missing_or_changed_or_that_the_text_makes_no_longer(checkout: Path) -> None:
    code, output = run(checkout, "--check")
    assert code == 1
    assert "tools.py: the file is missing: run `modelcontext spec generate`" in output
    assert "old_section.py: nothing in index.bs makes this file any more" in output
    assert files_in(checkout).keys() == {OLD.name}
    assert run(checkout)[0] == 0
    assert run(checkout, "--check") == (0, "the generated files agree with the texts\n")
    assert run(checkout) == (0, "nothing has changed\n")
    (checkout / TOOLS).write_text("x = 1\n", encoding="utf-8")
    (problem,) = generate(checkout, CURRENT).outdated
    assert "the file differs from index.bs" in problem.message


def test_generated_file_that_the_text_makes_no_longer_is_removed(checkout: Path) -> None:
    assert f"removed {OLD}" in run(checkout)[1]
    made = {path.name: text for path, text in generate(checkout, CURRENT).files.items()}
    assert files_in(checkout) == made


def test_file_of_a_person_stays_and_is_a_problem(checkout: Path) -> None:
    (checkout / OLD).write_text("by_hand = True\n", encoding="utf-8")
    code, output = run(checkout)
    assert code == 1
    assert f"{OLD}: nothing in index.bs makes this file: move it away" in output
    assert files_in(checkout) == {OLD.name: "by_hand = True\n"}


def test_nothing_is_written_if_a_step_is_not_understood(checkout: Path) -> None:
    before = files_in(checkout)
    line = replace_in_text(checkout, "1. Let |ids| be an empty [=list=].", "1. Frobnicate |ids|.")
    code, output = run(checkout)
    assert code == 1
    assert f"index.bs:{line}: unloading-document-cleanup step 4.2: " in output
    assert files_in(checkout) == before


def test_nothing_is_written_if_the_text_cannot_be_read(checkout: Path) -> None:
    before = files_in(checkout)
    (checkout / CURRENT.text).write_bytes(b"<pre class=metadata>\xff")
    code, output = run(checkout)
    assert code == 1
    assert output.startswith(f"modelcontext: {checkout / CURRENT.text}")
    assert files_in(checkout) == before


def test_verb_imports_no_revision(takes_long: None) -> None:
    code = (
        "import sys; from modelcontext.people.cli.spec import command; import modelcontext_prose.verbs\n"
        f"command(['generate', '--check', '--root', {str(ROOT)!r}], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith('modelcontext.spec.revisions.current')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("texts\n[]\n")
