"""The trace of a run names its steps in order, and its schedule replays it."""

import json
from pathlib import Path

from click.testing import CliRunner

from modelcontext.cli.trace import command
from modelcontext.program.explore import allowed_outcomes, run_once
from modelcontext.program.language import from_data

PROGRAM = {
    "title": "Two registrations race",
    "script": {
        "top": [
            {"do": "registerTool", "tool": {"name": "a", "description": "d"}, "wait": False},
            {"do": "timer"},
        ]
    },
}


def written(tmp_path: Path) -> str:
    path = tmp_path / "race.json"
    path.write_text(json.dumps(PROGRAM), encoding="utf-8")
    return str(path)


def test_it_prints_steps_choices_and_entries(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [written(tmp_path)])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Two registrations race"
    assert "  dom-modelcontext-registertool 24. Return promise." in lines
    assert "> [top] registerTool: fulfilled with undefined" in lines
    assert lines.index(
        "  notify-documents-of-a-tool-change 1. Assert: these steps are running in parallel."
    ) > lines.index("  dom-modelcontext-registertool 1. Let global be this's relevant global object.")


def test_every_schedule_that_exploration_reports_replays(tmp_path: Path) -> None:
    path = written(tmp_path)
    program = from_data(PROGRAM)
    exploration = allowed_outcomes(program)
    assert len(exploration.outcomes) == 2
    for text, schedule in exploration.schedules.items():
        assert run_once(program, schedule).outcome.canonical == text
        result = CliRunner().invoke(command, [path, "--json", "--schedule", ",".join(map(str, schedule))])
        data = json.loads(result.stdout)
        assert data["outcome"] == exploration.outcomes[text].to_data()
        assert any(item.get("algorithm") == "notify-documents-of-a-tool-change" for item in data["items"])


def test_what_a_user_can_get_wrong_is_told_without_a_traceback(tmp_path: Path) -> None:
    path = written(tmp_path)
    for arguments, message in (
        (["missing.toml"], "cannot be read"),
        ([path, "--schedule", "one"], "takes numbers"),
        ([path, "--schedule", "7"], "the schedule says 7"),
    ):
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == 2
        assert message in result.stderr
