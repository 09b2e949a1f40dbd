"""``--text`` and ``--gloss``: another text stands in for the current revision, and output speaks in its steps."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelcontext.people.cli import conformance, litmus, properties, run, test, trace
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from tests.small_programs import LISTS, REGISTERS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / CURRENT.text).read_text(encoding="utf-8")
STEP = "1. If |name|'s [=string/length=] is greater than 128, then return false."
LINE = TEXT[: TEXT.index(STEP)].count("\n") + 1
SHORTER = STEP.replace("128", "3")
UNKNOWN = "1. Frobnicate |name|."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, takes_long: None) -> Path:
    """Make a folder of programs and texts the working directory."""
    for name, text in (
        ("registers.toml", REGISTERS),
        ("lists.toml", LISTS),
        ("shorter.bs", TEXT.replace(STEP, SHORTER)),
        ("none.bs", TEXT.replace(STEP, STEP.replace("128", "0"))),
        ("unknown.bs", TEXT.replace(STEP, UNKNOWN)),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def called(command: object, *arguments: str) -> Result:
    result = CliRunner().invoke(command, arguments)  # type: ignore[arg-type]
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert REVISIONS.stand_ins == {}
    return result


def test_program_runs_by_another_text(folder: Path) -> None:
    del folder
    result = called(run.command, "registers.toml", "--product", "model", "--text", "shorter.bs")
    assert result.exit_code == 0
    assert result.stdout.startswith("text shorter.bs: 49 of 49 algorithms have a meaning\n")
    assert "registerTool: rejected with InvalidStateError" in result.stdout
    data = json.loads(called(run.command, "registers.toml", "--json", "--product", "model").stdout)
    assert "text" not in data


def test_folder_stands_for_its_index_bs(folder: Path) -> None:
    (folder / "text").mkdir()
    (folder / "shorter.bs").rename(folder / "text" / "index.bs")
    result = called(run.command, "registers.toml", "--json", "--product", "model", "--text", "text")
    assert json.loads(result.stdout)["text"] == "text text/index.bs: 49 of 49 algorithms have a meaning"


def test_step_without_a_meaning_ends_only_the_programs_that_reach_it(folder: Path) -> None:
    del folder
    result = called(run.command, "registers.toml", "lists.toml", "--product", "model", "--text", "unknown.bs")
    assert result.exit_code == 2
    problem = f"unknown.bs:{LINE}:4: valid-tool-name 2 has no meaning: not understood at 'Frobnicate |name|.'"
    assert problem in result.stdout
    assert "getTools: fulfilled with []" in result.stdout


def test_trace_names_the_steps_of_the_text(folder: Path) -> None:
    del folder
    result = called(trace.command, "registers.toml", "--text", "shorter.bs")
    assert "    valid-tool-name 2. If name's length is greater than 3, then return false." in result.stdout
    result = called(trace.command, "registers.toml", "--text", "unknown.bs")
    assert result.exit_code == 1
    assert f"modelcontext: unknown.bs:{LINE}:4: valid-tool-name 2 has no meaning" in result.stderr


def test_gloss_repairs_a_text_and_is_in_every_report(folder: Path) -> None:
    (folder / "repair.patch").write_text(f"@@ -{LINE} +{LINE} @@\n-{UNKNOWN}\n+{STEP}\n", encoding="utf-8")
    options = ("--text", "unknown.bs", "--gloss", "repair.patch")
    result = called(litmus.command, "enumerate", "registers.toml", *options)
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "text unknown.bs: 49 of 49 algorithms have a meaning, with gloss repair.patch: 1 line\n"
    )
    result = called(litmus.command, "enumerate", "registers.toml", "--json", *options)
    assert json.loads(result.stdout)["text"].endswith("with gloss repair.patch: 1 line")
    result = called(litmus.command, "explain", "registers.toml", "1", *options)
    replay = "trace registers.toml --schedule 0 --text unknown.bs --gloss repair.patch\n"
    assert replay in result.stdout.replace(f"{folder}/", "")


def test_litmus_test_that_reaches_a_step_without_a_meaning_is_told_and_the_others_are_explored(folder: Path) -> None:
    del folder
    result = called(litmus.command, "enumerate", "lists.toml", "registers.toml", "--text", "unknown.bs")
    assert result.exit_code == 2
    assert "A page lists tools." in result.stdout
    assert [line for line in result.stderr.splitlines() if "valid-tool-name 2 has no meaning" in line] != []
    result = called(litmus.command, "run", "abort-resolve/in-flight", "--product", "model", "--text", "unknown.bs")
    assert result.exit_code == 2
    assert "modelcontext: abort-resolve/in-flight: unknown.bs:" in result.stderr


def test_patch_is_a_text_too(folder: Path) -> None:
    (folder / "shorter.patch").write_text(
        f"  valid-tool-name\n- 2. If name's …\n+ 2. {SHORTER[3:]}\n", encoding="utf-8"
    )
    result = called(trace.command, "registers.toml", "--text", "shorter.patch")
    assert "index.bs: 49 of 49 algorithms have a meaning, with patch shorter.patch: 1 line\n" in result.stdout
    assert "    valid-tool-name 2. If name's length is greater than 3, then return false." in result.stdout


def test_promoted_outcomes_are_compared_with_those_of_another_text_and_not_replaced(folder: Path) -> None:
    del folder
    name = "register-notify/event-and-promise"
    result = called(litmus.command, "promote", name, "--text", "shorter.bs")
    assert (result.exit_code, "give --check with --text" in result.stderr) == (2, True)
    result = called(litmus.command, "promote", name, "--text", "none.bs", "--check")
    assert (result.exit_code, "registerTool: rejected with InvalidStateError" in result.stdout) == (1, True)
    result = called(litmus.command, "promote", name, "--text", "unknown.bs", "--check")
    assert (result.exit_code, f"unknown.bs:{LINE}:4: valid-tool-name 2 has no meaning" in result.stderr) == (2, True)


def test_small_programs_leave_promises_pending_as_the_text_says(folder: Path) -> None:
    del folder
    result = called(properties.command, "liveness", "--actions", "1", "--text", "unknown.bs", "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["pending"], data["cut off"]) == (2, [], [])
    assert f"unknown.bs:{LINE}:4: valid-tool-name 2" in data["not_explored"]["one document: top: register"]
    assert "one document: top: list" not in data["not_explored"]
    result = called(properties.command, "liveness", "--actions", "1", "--text", "shorter.bs")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "text shorter.bs: 49 of 49 algorithms have a meaning",
    )
    assert "after these Issues are fixed" not in result.stdout


@pytest.mark.usefixtures("starts_a_browser")
def test_script_is_held_against_another_text(folder: Path) -> None:
    (folder / "empty.js").write_text("", encoding="utf-8")
    arguments = ("inject", "empty.js", "register-notify/event-and-promise", "--json", "--text")
    data = json.loads(called(litmus.command, *arguments, "shorter.bs").stdout)
    [test_] = data["tests"]
    assert test_["outside"][0]["replay"].endswith(" --text shorter.bs")
    result = called(litmus.command, *arguments, "unknown.bs")
    assert (result.exit_code, list(json.loads(result.stdout)["not_explored"])) == (2, [arguments[2]])


@pytest.mark.usefixtures("takes_long")
def test_other_processes_explore_by_the_text_too(folder: Path) -> None:
    del folder
    arguments = ("enumerate", "registers.toml", "lists.toml", "--text", "shorter.bs", "--json")
    here, there = (called(litmus.command, *arguments, "--workers", workers).stdout for workers in ("1", "2"))
    outcomes = [[one["outcomes"] for one in json.loads(stdout)["tests"]] for stdout in (here, there)]
    assert outcomes[0] == outcomes[1]
    assert "InvalidStateError" in json.dumps(outcomes)


def test_conformance_of_the_model_takes_no_known_deviations(folder: Path) -> None:
    programs = folder / "programs"
    programs.mkdir()
    for name in ("registers.toml", "lists.toml"):
        (folder / name).rename(programs / name)
    result = called(
        conformance.command,
        *("--product", "model", "--programs", "programs", "--output", "out", "--json", "--text", "unknown.bs"),
    )
    assert result.exit_code == 2
    data = json.loads(result.stdout)
    assert data["text"] == "text unknown.bs: 48 of 49 algorithms have a meaning"
    assert {one["name"]: one["products"]["model"]["standing"] for one in data["programs"]} == {
        "lists": "pass",
        "registers": "error",
    }
    assert "text unknown.bs: 48 of 49 algorithms have a meaning" in (folder / "out" / "report.html").read_text("utf-8")


def test_properties_of_clients_are_those_under_the_text(folder: Path) -> None:
    del folder
    arguments = ("check", "--client", "naive-page-script", "--adversary", "quiet", "--text", "unknown.bs")
    result = called(properties.command, *arguments)
    assert result.exit_code == 2
    assert f"unknown.bs:{LINE}:4: valid-tool-name 2 has no meaning" in result.stderr


@pytest.mark.usefixtures("takes_long")
def test_text_at_a_commit_is_read_from_the_repository_of_the_working_directory(folder: Path) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=e"]
    for words in (["init", "-q"], ["add", "shorter.bs"], ["commit", "-q", "-m", "m"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    result = called(run.command, "registers.toml", "--product", "model", "--text", "HEAD:shorter.bs")
    assert result.stdout.startswith("text HEAD:shorter.bs: 49 of 49")
    result = called(run.command, "registers.toml", "--product", "model", "--text", "HEAD:other.bs")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "modelcontext: HEAD:other.bs: this is neither a file nor a REV:path that git can read: path"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (["--text", "nothing.bs"], 2, "nothing.bs: the text cannot be read: No such file or directory"),
        (
            ["--text", "registers.toml"],
            3,
            "registers.toml: this is not Bikeshed source: it has no <pre class=metadata>",
        ),
        (["--text", "shorter.bs", "--gloss", "lists.toml"], 3, "lists.toml: a gloss is a unified diff"),
        (["--gloss", "lists.toml"], 2, "--gloss is a patch of the text of --text: give both."),
        (["--text", "shorter.bs", "--revision", "2026-03"], 2, "--text replaces the current revision"),
    ],
)
def test_wrong_text_is_one_line(folder: Path, arguments: list[str], code: int, problem: str) -> None:
    del folder
    result = called(run.command, "registers.toml", "--product", "model", *arguments)
    assert result.exit_code == code
    assert problem in result.stderr
    assert "Traceback" not in result.stderr


def test_products_that_run_no_text_are_wrong_usage(folder: Path) -> None:
    del folder
    result = called(test.command, "--product", "chromium", "--text", "shorter.bs")
    assert result.exit_code == 2
    assert "--text is for page and simulated" in result.stderr


def test_page_has_the_revision_of_the_text(folder: Path) -> None:
    from modelcontext.running.products.page import page_files
    from modelcontext_prose.other_text import read_other_text

    text = read_other_text(str(folder / "shorter.bs"))
    with REVISIONS.standing_in(CURRENT.name, text):
        files = page_files(REVISIONS[CURRENT.name])
    name = text.revision().name
    assert files["revision.txt"].decode() == name
    assert f"revisions/{name.replace('-', '_')}/api.py".encode() in files["modelcontext.zip"]


def test_place_is_that_in_the_file_also_below_a_gloss(folder: Path) -> None:
    (folder / "above.patch").write_text("@@ -1,0 +1,2 @@\n+\n+\n", encoding="utf-8")
    result = called(trace.command, "registers.toml", "--text", "unknown.bs", "--gloss", "above.patch")
    assert f"modelcontext: unknown.bs:{LINE}:4: valid-tool-name 2 has no meaning" in result.stderr


@pytest.mark.usefixtures("starts_a_browser")
def test_simulated_browser_runs_by_the_text(folder: Path) -> None:
    del folder
    arguments = ("registers.toml", "lists.toml", "--product", "simulated")
    result = called(run.command, *arguments, "--text", "unknown.bs")
    assert result.exit_code == 2
    assert f"ERROR: unknown.bs:{LINE}:4: valid-tool-name 2 has no meaning" in result.stdout
    assert result.stdout.count("getTools: fulfilled with []") == 2
    result = called(run.command, *arguments, "--text", "shorter.bs")
    assert result.exit_code == 0
    assert result.stdout.count("registerTool: rejected with InvalidStateError") == 2


@pytest.mark.usefixtures("starts_a_browser")
def test_page_runs_by_the_text(folder: Path) -> None:
    del folder
    result = called(run.command, "registers.toml", "--product", "page", "--text", "shorter.bs")
    assert result.exit_code == 0
    assert result.stdout.count("registerTool: rejected with InvalidStateError") == 2
    result = called(run.command, "registers.toml", "--json", "--product", "page", "--text", "unknown.bs")
    assert result.exit_code == 2
    [program] = json.loads(result.stdout)["programs"]
    assert program["products"]["page"]["detail"].startswith(f"unknown.bs:{LINE}:4: valid-tool-name 2 has no meaning")


def test_trace_by_a_copy_of_the_text_is_that_by_the_revision(folder: Path) -> None:
    (folder / "copy.bs").write_text(TEXT, encoding="utf-8")
    program = str(ROOT / "wpt_tests/programs/declarative/autosubmit.toml")
    own = called(trace.command, program).stdout
    assert called(trace.command, program, "--text", "copy.bs").stdout.partition("\n")[2] == own


def test_steps_of_another_standard_that_nothing_runs_are_a_warning(folder: Path) -> None:
    introduction = "This specification's [=moving steps=], given a {{Document}} |document|, are:"
    own = f"<div algorithm>\n{introduction}\n\n1. Return.\n\n</div>\n"
    (folder / "moving.bs").write_text(TEXT + own, encoding="utf-8")
    result = called(run.command, "lists.toml", "--product", "model", "--text", "moving.bs")
    assert result.exit_code == 0
    warning = "the model does not run the moving steps: it does not implement this hook of another standard"
    assert f"modelcontext: warning: moving.bs:{TEXT.count(chr(10)) + 1}: {warning}" in result.stderr
