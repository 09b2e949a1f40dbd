"""``modelcontext litmus``: its output, files and exit codes, and its errors for wrong input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.ground.schedule.choose import ScheduleError
from modelcontext.people.cli.litmus import command
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.reading import load

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

TEST = """
title = "A timer and a microtask"

[litmus]
race = "Nothing: the microtask comes first. Two timers of two documents race."
steps = ["dom-modelcontext-registertool 22"]

[[litmus.kind]]
is = "required"
words = "The microtask comes first"
when = ["microtask: microtask before timer: timer"]

[[litmus.kind]]
is = "allowed"
words = "The timer comes before the event"
when = ["timer: timer before event toolchange"]

[[script.top]]
do = "listen"
type = "toolchange"

[[script.top]]
do = "timer"

[[script.top]]
do = "microtask"

[[script.top]]
do = "registerTool"
tool = { name = "t", description = "d" }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "family" / "timers.toml"
    path.parent.mkdir()
    path.write_text(TEST, encoding="utf-8")
    return path


def litmus(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_promote_writes_the_outcomes_that_enumerate_requires(path: Path) -> None:
    before = litmus("enumerate", path)
    assert before.exit_code == 1
    assert "no outcomes are promoted" in before.output
    assert litmus("promote", path, "--check").exit_code == 1
    assert not path.with_suffix(".outcomes").exists()
    assert litmus("promote", path).exit_code == 0
    assert "3 outcomes, as before" in litmus("promote", path).output
    after = litmus("enumerate", path)
    assert after.exit_code == 0, after.output
    assert "outcome 3: The microtask comes first" in after.output


def test_enumerate_and_promote_show_a_lost_outcome(path: Path) -> None:
    litmus("promote", path)
    outcomes = path.with_suffix(".outcomes")
    data = json.loads(outcomes.read_text(encoding="utf-8"))
    lost = data["outcomes"].pop()
    lost["pending"] = ["top: registerTool"]
    data["outcomes"].append(lost)
    outcomes.write_text(json.dumps(data), encoding="utf-8")
    result = litmus("enumerate", path)
    assert result.exit_code == 1
    assert "allowed, and not promoted" in result.output
    assert "promoted, and not allowed" in result.output
    assert "registerTool: never settled" in litmus("promote", path).output


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('is = "allowed"', 'is = "required"', "not required"),
        ('is = "allowed"', 'is = "forbidden"', "not forbidden"),
        ('is = "required"', 'is = "allowed"', "required, not only allowed"),
        ("timer: timer before event toolchange", "no event toolchange", "not allowed"),
        ("registertool 22", "registertool 99", "has no step '99'"),
        ("dom-modelcontext-registertool 22", "nothing 1", "no algorithm 'nothing'"),
    ],
)
def test_enumerate_reports_wrong_kinds_and_steps(path: Path, old: str, new: str, problem: str) -> None:
    litmus("promote", path)
    path.write_text(TEST.replace(old, new), encoding="utf-8")
    result = litmus("enumerate", path)
    assert result.exit_code == 1
    assert problem in result.output


def test_promote_says_which_kind_is_wrong(path: Path) -> None:
    path.write_text(TEST.replace('is = "allowed"', 'is = "forbidden"'), encoding="utf-8")
    assert "WRONG " in litmus("promote", path).output


def test_program_that_is_no_litmus_test_has_outcomes_and_schedules(tmp_path: Path) -> None:
    program = tmp_path / "mine.toml"
    program.write_text(TEST[: TEST.index("[litmus]")] + TEST[TEST.index("[[script.top]]") :], encoding="utf-8")
    listed = litmus("enumerate", program)
    assert listed.exit_code == 0, listed.output
    assert "outcome 3" in listed.output
    assert "race" not in listed.output.replace(str(tmp_path), "")
    by_name = litmus("explain", "results/undefined", "executeTool: rejected")
    assert by_name.exit_code == 0, by_name.output
    assert litmus("promote", program).exit_code == 2


def test_explain_says_that_entries_of_two_event_loops_have_no_order(tmp_path: Path) -> None:
    program = tmp_path / "two.toml"
    program.write_text(
        'title = "t"\n[documents.top]\n[documents.child]\nparent = "top"\norigin = "B"\n'
        '[[script.top]]\ndo = "log"\nvalue = 1\n[[script.child]]\ndo = "log"\nvalue = 2\n',
        encoding="utf-8",
    )
    result = litmus("explain", program, "log 1 before log 2")
    assert result.exit_code == 1
    assert "different event loops" in result.output


def test_schedule_of_explain_replays_the_outcome(path: Path) -> None:
    result = litmus("explain", path, "timer: timer before event toolchange", "--json")
    assert result.exit_code == 0
    data = json.loads(result.output)
    assert run_once(load(path), data["schedule"]).outcome.to_data() == data["outcome"]
    assert f"modelcontext trace {path}" in data["replay"]


def test_explain_names_the_choice_after_which_no_other_outcome_is_left(path: Path) -> None:
    program = load(path)
    data = json.loads(litmus("explain", path, "timer: timer before event toolchange", "--json").output)
    decisive, schedule = data["decisive"], data["schedule"]
    wanted = data["outcome"]
    after = _all_outcomes(program, schedule[: decisive + 1])
    assert after == [wanted]
    assert len(_all_outcomes(program, schedule[:decisive])) > 1


def test_explain_tells_how_the_outcome_comes_about_with_the_steps_that_do_it(path: Path) -> None:
    lines = litmus("explain", path, "timer: timer before event toolchange").output.splitlines()
    begin = lines.index("how it comes about:")
    end = next(index for index, line in enumerate(lines) if line.startswith("schedule: "))
    told = [" ".join(line.split()) for line in lines[begin + 1 : end]]
    assert 'top tool map of top: "t" set to description d (dom-modelcontext-registertool 22)' in told
    assert "in parallel queues a task for top (webmcp task source) (notify-documents-of-a-tool-change 6.6)" in told
    assert "top event toolchange at listener (Event, trusted) (notify-documents-of-a-tool-change 6.6)" in told
    assert sum(line.startswith("* ") for line in told) == 1
    assert any(line.startswith("instead:  ") and "task of top" in line for line in lines)
    assert len(told) < 20


def _all_outcomes(program: Program, beginning: list[int]) -> list[Any]:
    """Return the outcomes of all schedules with a beginning, by brute force."""
    found: dict[str, Any] = {}
    pending = [beginning]
    while pending:
        record = run_once(program, tried := pending.pop())
        found[record.outcome.canonical] = record.outcome.to_data()
        for place in range(len(tried), len(record.schedule)):
            for other in range(1, 20):
                try:
                    run_once(program, changed := [*record.schedule[:place], other])
                except ScheduleError:
                    break
                pending.append(changed)
    return list(found.values())


def test_explain_takes_a_number_or_a_file(path: Path, tmp_path: Path) -> None:
    by_number = json.loads(litmus("explain", path, "2", "--json").output)
    observed = tmp_path / "observed.json"
    observed.write_text(json.dumps(by_number["outcome"]), encoding="utf-8")
    assert json.loads(litmus("explain", path, observed, "--json").output)["outcome"] == by_number["outcome"]
    observed.write_text('{"logs": {}, "pending": []}', encoding="utf-8")
    assert litmus("explain", path, observed).exit_code == 1


def test_explain_names_the_entries_that_no_outcome_has(path: Path) -> None:
    unseen = "no allowed outcome has an entry that begins with"
    result = litmus("explain", path, "tiemr: timer before event toolchange")
    assert f"{unseen} 'tiemr: timer'; entries begin with event toolchange, " in result.output
    assert unseen not in litmus("explain", path, "timer: timer before microtask: microtask").output


def test_explain_exits_with_1_for_a_forbidden_outcome(path: Path) -> None:
    result = litmus("explain", path, "timer: timer before microtask: microtask")
    assert result.exit_code == 1
    assert "the search was complete" in result.output


def test_search_that_is_cut_off_exits_with_2(path: Path) -> None:
    assert litmus("enumerate", path, "--bound", "1").exit_code == 2
    result = litmus("explain", path, "no microtask: microtask", "--bound", "1")
    assert result.exit_code == 2
    assert "undecided" in result.output
    result = litmus("promote", path, "--bound", "1")
    assert result.exit_code == 2
    assert "nothing is promoted" in result.output


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[litmus]", "[litmusx]", 'unknown key "litmusx"'),
        ("race =", "rase =", 'unknown key "rase"'),
        ('is = "required"', 'is = "usual"', 'unknown kind "usual"; allowed: "required", "allowed", "forbidden"'),
        ('when = ["microtask: microtask before timer: timer"]', "when = []", "at least one"),
        ('when = ["microtask: microtask before timer: timer"]', 'when = ["no "]', "does not describe an entry"),
        ('words = "The microtask comes first"', "", 'the key "words" is missing'),
    ],
)
def test_invalid_litmus_table_exits_with_2_and_names_the_problem(path: Path, old: str, new: str, problem: str) -> None:
    path.write_text(TEST.replace(old, new), encoding="utf-8")
    result = litmus("enumerate", path)
    assert result.exit_code == 2
    assert problem in result.output


def test_unknown_test_outcome_or_family_is_an_error(path: Path) -> None:
    assert "there is no litmus test or family" in litmus("enumerate", "nothing/there").output
    result = litmus("explain", path, "17")
    assert result.exit_code == 2
    assert "there is no outcome 17" in result.output
    assert litmus("explain", "register-notify", "1").exit_code == 2


def test_sample_of_the_model_counts_every_run(path: Path) -> None:
    result = litmus("run", path, "--product", "model", "--repeat", "5", "--json")
    assert result.exit_code == 0
    [sampled] = json.loads(result.output)["tests"]
    assert sum(counted["times"] for counted in sampled["allowed"]) == 5
    assert sampled["outside"] == []


IN_FLIGHT = "abort-resolve/in-flight"


@pytest.mark.parametrize(
    ("arguments", "exit_code", "reason", "words"),
    [
        (["0"], 0, "explored", ["a run had this schedule"]),
        (["0,7"], 1, "impossible", ["At choice 1", "the schedule names 7", "0: in parallel: "]),
        ([",".join(["0"] * 50)], 1, "impossible", ["The run ends after 10 choices, and the schedule has 50 answers"]),
        (["1,1,1", "--bound", 1], 2, "bound", ["after 1 run.", "Give a larger --bound"]),
        (
            ["0,0,0,0,1"],
            0,
            "known state",
            ["After 6 answers", "The first schedule that led to it: 0,0,0,0,0,1"],
        ),
        (
            ["0,1"],
            0,
            "actions commute",
            [
                "At choice 1",
                "1 action later",
                "reads: node navigable: document top",
                "in common: nothing",
                "stands for it",
            ],
        ),
    ],
)
def test_explain_says_why_a_schedule_is_missing(
    arguments: list[object], exit_code: int, reason: str, words: list[str]
) -> None:
    result = litmus("explain", IN_FLIGHT, "--why-not", *arguments)
    assert result.exit_code == exit_code, result.output
    assert [word for word in words if word not in result.output] == []
    data = json.loads(litmus("explain", IN_FLIGHT, "--why-not", *arguments, "--json").stdout)
    assert data["reasons"][0]["reason"] == reason


def test_explain_says_why_a_guided_search_leaves_a_schedule_out() -> None:
    departs = litmus("explain", IN_FLIGHT, "call: rejected", "--why-not", "0,1")
    assert departs.exit_code == 1
    assert "Entry 2 in the log of top is: timer: timer" in departs.output
    shows = litmus("explain", IN_FLIGHT, "call: rejected", "--why-not", "0,1,1,1,1,1,1,1,1,1,1,1,1,1", "--json")
    found = json.loads(shows.stdout)
    assert found["reasons"][0]["reason"] == "found before"
    again = json.loads(
        litmus("explain", IN_FLIGHT, "call: rejected", "--why-not", found["replay"].split()[-1], "--json").stdout
    )
    assert again["reasons"][0]["reason"] == "explored"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([IN_FLIGHT], "give an OUTCOME, or --why-not with a schedule"),
        ([IN_FLIGHT, "--why-not", "a"], "--why-not takes numbers with commas between them"),
        ([IN_FLIGHT, "call: nothing", "--why-not", "0"], "no outcome of abort-resolve/in-flight matches"),
        (["abort-resolve", "--why-not", "0"], "is a family"),
    ],
)
def test_explain_refuses_a_wrong_question(arguments: list[str], problem: str) -> None:
    result = litmus("explain", *arguments)
    assert result.exit_code == 2
    assert problem in result.output
