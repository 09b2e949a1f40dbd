"""The trace of a run names its steps in order, and its schedule replays it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.trace import command
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.reading import from_data

PROGRAM = {
    "title": "Two registrations race",
    "script": {
        "top": [
            {"do": "registerTool", "tool": {"name": "a", "description": "d"}, "wait": False},
            {"do": "timer"},
        ]
    },
}


STEP = {"do": "registerTool", "tool": {"name": "a", "description": "d"}}


def written(tmp_path: Path) -> str:
    path = tmp_path / "race.json"
    path.write_text(json.dumps(PROGRAM), encoding="utf-8")
    return str(path)


def test_trace_prints_steps_choices_and_entries(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [written(tmp_path)])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Two registrations race"
    assert "    dom-modelcontext-registertool 24. Return promise." in lines
    assert "> [top] registerTool: fulfilled with undefined" in lines
    assert lines.index(
        "    notify-documents-of-a-tool-change 1. Assert: these steps are running in parallel."
    ) > lines.index("    dom-modelcontext-registertool 1. Let global be this's relevant global object.")
    assert lines.count('      ~ tool map of top: "a" set to description d') == 1
    assert lines.index("  [top] timer") < lines.index("> [top] timer: timer")
    choice = lines.index("? choice 0: what happens next")
    assert lines[choice + 1].startswith("    * 0: in parallel: ")
    assert lines[choice + 2].startswith("      1: in parallel: ")


def test_promise_that_stays_pending_is_said_at_the_end_of_the_run(tmp_path: Path) -> None:
    tool = {"name": "a", "description": "d"}
    call = {"do": "executeTool", "tool": {"$tool": "a"}, "as": "call", "wait": False}
    script = [{"do": "registerTool", "tool": tool, "callback": {"pending": "first"}}, call]
    path = tmp_path / "hangs.json"
    path.write_text(json.dumps({**PROGRAM, "script": {"top": script}}), encoding="utf-8")
    assert CliRunner().invoke(command, [str(path)]).stdout.splitlines()[-2] == "   - top: call: never settled"
    until = CliRunner().invoke(command, [str(path), "--until", "registertool 22"])
    assert "never settled" not in until.stdout


def test_every_schedule_of_an_exploration_replays_its_outcome(tmp_path: Path) -> None:
    path = written(tmp_path)
    program = from_data(PROGRAM)
    exploration = allowed_outcomes(program)
    assert len(exploration.outcomes) == 2
    for text in exploration.outcomes:
        schedule = exploration.schedule_to(text)
        assert run_once(program, schedule).outcome.canonical == text
        result = CliRunner().invoke(command, [path, "--json", "--schedule", ",".join(map(str, schedule))])
        data = json.loads(result.stdout)
        assert data["outcome"] == exploration.outcomes[text].to_data()
        assert any(frame.get("algorithm") == "notify-documents-of-a-tool-change" for frame in data["frames"])
        assert [frame["answer"] for frame in data["frames"] if "choice" in frame] == data["schedule"]


def test_until_stops_after_the_named_step(tmp_path: Path) -> None:
    path = written(tmp_path)
    for name in ("registertool 22", "dom-modelcontext-registertool step 22.", "dom-modelcontext-registertool:22"):
        lines = CliRunner().invoke(command, [path, "--until", name]).stdout.splitlines()
        assert lines[-3].startswith("    dom-modelcontext-registertool 22. Set tool map[tool name]")
        assert lines[-2:] == ['      ~ tool map of top: "a" set to description d', "schedule: (no free choice)"]
    result = CliRunner().invoke(command, [path, "--until", "unregister-a-tool 5", "--json"])
    assert result.exit_code == 1
    assert "never comes to unregister-a-tool 5" in result.stderr
    assert json.loads(result.stdout)["outcome"]["logs"]


def test_program_of_the_frozen_revision_is_traced(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**PROGRAM, "revision": "2026-03", "script": {"top": [STEP]}}), encoding="utf-8")
    result = CliRunner().invoke(command, [str(path)])
    assert "    dom-modelcontext-registertool 11. Set tool map[tool name]" in result.stdout
    assert '      ~ tool map of top: "a" set to description d' in result.stdout.splitlines()


@pytest.mark.usefixtures("takes_long")
def test_endless_program_exits_with_1_and_a_message(tmp_path: Path) -> None:
    again = {"do": "executeTool", "tool": {"$tool": "a"}}
    steps = [{**STEP, "callback": {"steps": [again]}}, again]
    path = tmp_path / "endless.json"
    path.write_text(json.dumps({"title": "t", "script": {"top": steps}}), encoding="utf-8")
    result = CliRunner().invoke(command, [str(path)])
    assert result.exit_code == 1
    assert "a script that starts new work forever" in result.stderr


def test_wrong_usage_of_trace_exits_with_2_and_a_message(tmp_path: Path) -> None:
    path = written(tmp_path)
    for arguments, message in (
        (["missing.toml"], "cannot be read"),
        ([path, "--schedule", "one"], "takes numbers"),
        ([path, "--schedule", "7"], "the schedule names 7"),
        ([path, "--until", "register 1"], 'no algorithm "register"'),
        ([path, "--until", "registertool 99"], 'no step "99"'),
        ([path, "--until", "registertool"], "needs the number of a step"),
    ):
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == 2
        assert message in result.stderr


def test_answers_that_no_choice_asks_for_are_told() -> None:
    result = CliRunner().invoke(command, ["results/undefined", "--schedule", "0,7"])
    assert result.exit_code == 0
    assert "so the last 1 of --schedule have no effect" in result.stderr
    fitting = CliRunner().invoke(command, ["register-notify/event-and-promise", "--schedule", "0,1"])
    assert (fitting.exit_code, fitting.stderr) == (0, "")
