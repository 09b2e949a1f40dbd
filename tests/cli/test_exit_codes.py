"""Errors that users cause: one line on standard error, and an exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.people.cli.run import command as run
from modelcontext.platform.html.forms.patterns import compiled_pattern_regular_expression


def test_pattern_that_is_too_large_ends_a_command_with_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught, exit_on_problems():
        compiled_pattern_regular_expression("(" * 5_000 + ")" * 5_000)
    assert caught.value.code == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("modelcontext: the pattern '((((")


def test_folder_of_programs_is_refused_with_what_runs_all_of_them() -> None:
    result = CliRunner().invoke(run, ["results"])
    assert result.exit_code == USAGE
    assert "has many programs" in result.stderr


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("is_copied", [True, False])
def test_code_that_is_not_that_of_the_checkout_is_a_warning(tmp_path: Path, is_copied: bool) -> None:
    (tmp_path / "wpt_tests/programs").mkdir(parents=True)
    if is_copied:
        (tmp_path / "src/modelcontext").mkdir(parents=True)
    command = [sys.executable, "-m", "modelcontext", "trace", "no/such"]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ("but the code that runs comes from" in finished.stderr) is is_copied


#: A verb that is interrupted, and a library that complains when the process ends.
INTERRUPTED = """
import atexit
import sys
from modelcontext.people.cli import main, setup

def interrupt(**options):
    raise KeyboardInterrupt

@atexit.register
def complain():
    raise RuntimeError("half-way")

setup.command.callback = interrupt
sys.argv[1:] = ["setup"]
main()
"""


@pytest.mark.usefixtures("takes_long")
def test_interrupted_command_says_so_and_no_more() -> None:
    finished = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (130, "modelcontext: interrupted\n")
