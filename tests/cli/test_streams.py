"""The standard streams of a command: full, closed, without a terminal, and narrow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("takes_long")

MAIN = [sys.executable, "-m", "modelcontext"]
EVALS = Path(__file__).resolve().parents[2] / "docs/examples/evals"
RUN = (*MAIN, "run", "results/undefined", "--product", "model")
VERBS: tuple[tuple[str, ...], ...] = (
    (*MAIN, "--help"),
    RUN,
    (*RUN, "--json"),
    (*MAIN, "spec", "issues"),
    (*MAIN, "litmus", "explain", "register-notify/event-and-promise", "1"),
    (
        *(*MAIN, "agent", "eval", str(EVALS / "tea.json"), "--page", "simulated"),
        *("--model", f"scripted:{EVALS / 'tea-answers.toml'}"),
    ),
)


@pytest.mark.parametrize("command", VERBS, ids=" ".join)
def test_reader_that_leaves_ends_a_command_in_silence(command: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    finished = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (finished.returncode, finished.stderr) == (141, "")


@pytest.mark.parametrize("command", VERBS, ids=" ".join)
def test_full_output_is_one_line(command: tuple[str, ...]) -> None:
    # A file of which the process may not write a byte is full, as the device /dev/full is.
    limited = ["bash", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@" > full', "bash", *command]
    finished = subprocess.run(limited, capture_output=True, text=True, check=False)
    Path("full").unlink(missing_ok=True)
    assert finished.returncode == 2
    assert finished.stderr == "modelcontext: the standard output cannot be written: File too large\n"


def test_closed_streams_are_no_files_of_ours(tmp_path: Path) -> None:
    report = tmp_path / "build"
    command = (*MAIN, "conformance", "--product", "model", "--programs", str(tmp_path), "--output", str(report))
    program = Path(__file__).resolve().parents[2] / "wpt_tests/programs/results/undefined.toml"
    (tmp_path / "one.toml").write_bytes(program.read_bytes())
    closed = ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash", *command]
    assert subprocess.run(closed, check=False).returncode == 0
    assert "<!DOCTYPE html>" in (report / "report.html").read_text(encoding="utf-8")[:20]
    assert (report / "conformance.json").read_bytes()[:1] == b"{"


def test_report_is_written_though_the_reader_has_left(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    test = "webmcp/imperative/register-tool-names.https.html"
    command = (*MAIN, "test", "--product", "simulated", test, "--junit", str(tmp_path / "junit.xml"))
    finished = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (finished.returncode, finished.stderr) == (141, "")
    assert (tmp_path / "junit.xml").read_text(encoding="utf-8").rstrip().endswith("</testsuites>")


def test_characters_that_the_terminal_lacks_are_written_as_escapes() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    finished = subprocess.run((*MAIN, "spec", "issues"), capture_output=True, text=True, env=environment, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")


def test_names_stay_whole_on_a_narrow_terminal() -> None:
    environment = {**os.environ, "COLUMNS": "40"}
    test = "webmcp/imperative/register-tool-names.https.html"
    command = (*MAIN, "test", "--product", "simulated", test)
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert f"/{test}  OK" in finished.stdout


def test_interrupt_of_a_run_keeps_what_was_found(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    command = (
        *MAIN,
        "test",
        "--product",
        "simulated",
        "--schedules",
        "1000",
        "webmcp/imperative",
        "--junit",
        str(report),
    )
    process = subprocess.Popen(
        # A process that a shell starts in the background ignores the signal.
        [sys.executable, "-c", INTERRUPTIBLE, *command[3:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    while process.stderr.readline() != "a test\n":
        pass
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert "modelcontext: interrupted; NOTRUN: " in errors
    assert "Traceback" not in errors
    assert "OK" in output
    text = report.read_text(encoding="utf-8")
    assert "the run was interrupted before this test had ended" in text
    assert 'status="PASS"' in text


INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from modelcontext.people.cli import main, suites
from rich.progress import Progress
run_suite = suites.run_suite
def say(*args, finished, **others):
    def and_say(result):
        finished(result)
        print("a test", file=sys.stderr, flush=True)
    return run_suite(*args, finished=and_say, **others)
suites.run_suite = say
main()
"""
