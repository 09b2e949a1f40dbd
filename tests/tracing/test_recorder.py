"""Traces match their runs: outcomes, states, choices and actors."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.schedule.choose import ScheduleError
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.reading import from_data, load
from modelcontext.programs.tracing import Choice, Entry, ScriptStep, StepReached, Trace, Turn, trace
from modelcontext.programs.tracing.words import changes

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

LITMUS = Path(__file__).resolve().parents[2] / "wpt_tests" / "litmus"
PATHS = sorted(LITMUS.glob("*/*.toml"))
CALL = load(LITMUS / "cancel-complete" / "abort-before-the-callback.toml")


def changed_by(traced: Trace, algorithm: str, step: str) -> list[str]:
    states = [0, *(frame.state for frame in traced.frames)]
    return [
        change
        for before, frame in zip(states, traced.frames, strict=False)
        if isinstance(frame.item, StepReached) and (frame.item.algorithm, frame.item.step) == (algorithm, step)
        for change in changes(traced.states[before], traced.states[frame.state])
    ]


def all_changes(traced: Trace) -> list[str]:
    states = [traced.states[0], *(traced.states[frame.state] for frame in traced.frames)]
    return [change for before, after in pairwise(states) for change in changes(before, after)]


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_trace_has_the_outcome_and_the_schedule_of_the_run(path: Path) -> None:
    program = load(path)
    for schedule in ([], [1], [0, 1]):
        try:
            record = run_once(program, schedule)
        except ScheduleError:
            continue
        traced = trace(program, schedule)
        assert traced.outcome == record.outcome
        assert list(traced.schedule) == list(record.schedule)
        choices = [frame.item for frame in traced.frames if isinstance(frame.item, Choice)]
        assert [choice.position for choice in choices] == list(range(len(record.schedule)))
        assert all(0 <= choice.answer < len(choice.options) for choice in choices)
        entries = [frame.item.entry for frame in traced.frames if isinstance(frame.item, Entry)]
        assert len(entries) == sum(map(len, record.outcome.logs.values()))


def test_other_options_of_choices_lead_to_all_outcomes() -> None:
    outcomes = set()
    waiting: list[tuple[int, ...]] = [()]
    seen: set[tuple[int, ...]] = set()
    while waiting:
        schedule = waiting.pop()
        traced = trace(CALL, schedule)
        outcomes.add(traced.outcome.canonical)
        for frame in traced.frames:
            if isinstance(frame.item, Choice) and frame.item.position >= len(schedule):
                for other in range(len(frame.item.options)):
                    beginning = (*traced.schedule[: frame.item.position], other)
                    if other != frame.item.answer and beginning not in seen:
                        seen.add(beginning)
                        waiting.append(beginning)
    assert outcomes == set(allowed_outcomes(CALL).outcomes)


def test_states_show_the_effects_of_a_step() -> None:
    traced = trace(CALL)
    assert changed_by(traced, "dom-modelcontext-registertool", "22") == ['tool map of top: "t" set to description d']
    (stored,) = changed_by(traced, "dom-modelcontext-executetool", "21.3")
    assert stored.startswith("pending executions map of top: ")
    assert stored.endswith("set to caller document top, target document top, tool name t")
    assert changed_by(traced, "dom-modelcontext-executetool", "19.3.1") == ["promise top: call: rejected"]
    assert traced.states[traced.frames[-1].state]["promises"] == {
        "top: registerTool": "fulfilled",
        "top: call": "rejected",
    }


def test_states_show_what_happens_to_a_form() -> None:
    page = {
        "top": {
            "html": "<form id=f toolname=t tooldescription=d><input id=a name=a><textarea name=n></textarea>"
            "<input name=c type=checkbox><select id=s name=s><option>x<option>y</select><button id=b></button></form>"
        }
    }
    script = [
        {
            "do": "listen",
            "element": "f",
            "type": "submit",
            "steps": [{"do": "preventDefault"}, {"do": "respondWith", "value": 1}],
        },
        {
            "do": "listen",
            "type": "toolactivated",
            "steps": [{"do": "timer", "steps": [{"do": "click", "element": "b"}]}],
        },
        {
            "do": "executeTool",
            "tool": {"$tool": "t"},
            "input": {"a": "x", "n": "l", "c": True, "s": "y"},
        },
    ]
    traced = trace(from_data({"title": "made", "documents": page, "script": {"top": script}}))
    about_the_form = [
        change.removeprefix("form f of top: ") for change in all_changes(traced) if change.startswith("form f of top: ")
    ]
    (execution,) = {change.split()[1] for change in about_the_form if "filling" in change}
    assert about_the_form[:6] == [
        *("update queued", 'control a: ""', 'control n: ""', "control c: not checked", 'control s: "x"'),
        "update none",
    ]
    assert about_the_form[6:] == [
        "tool t",
        f"execution {execution} filling, chosen button b",
        *('control a: "x"', 'control n: "l"', "control c: checked", 'control s: "y"'),
        f"execution {execution} awaiting, chosen button b",
        f"execution {execution} submitting, chosen button b",
        f"execution {execution} responding, chosen button b",
        "execution none",
    ]


def test_form_that_goes_is_said_to_be_removed() -> None:
    page = {"top": {"html": "<form id=f toolname=t tooldescription=d></form><form toolname=u></form>"}}
    traced = trace(
        from_data({"title": "made", "documents": page, "script": {"top": [{"do": "remove", "element": "f"}]}})
    )
    assert "form f of top: removed" in all_changes(traced)
    assert list(traced.states[traced.frames[-1].state]["documents"]["top"]["forms"]) == ["form"]


def test_frame_has_its_actor() -> None:
    traced = trace(CALL)
    turns = [frame for frame in traced.frames if isinstance(frame.item, Turn)]
    assert all(frame.actor == frame.item.next for frame in turns if isinstance(frame.item, Turn))
    scripts = [frame for frame in traced.frames if isinstance(frame.item, ScriptStep)]
    assert scripts[0].actor == "task of top (posted message task source)"
    assert isinstance(scripts[0].item, ScriptStep)
    assert scripts[0].item.place == "script.top[0]"
    parallel = [
        frame.actor
        for frame in traced.frames
        if isinstance(frame.item, StepReached) and "running in parallel" in frame.item.text
    ]
    assert parallel
    assert all(actor.startswith("in parallel: ") for actor in parallel)


def test_removed_document_is_destroyed_in_the_last_state() -> None:
    program = load(LITMUS / "detach-execute" / "frame-removed-during-the-call.toml")
    traced = trace(program)
    (frame,) = [id_ for id_ in program.documents if id_ != "top"]
    first = next(state for state in traced.states if frame in state["documents"])
    assert first["documents"][frame]["status"] == "fully active"
    assert traced.states[traced.frames[-1].state]["documents"][frame]["status"] == "destroyed"


def test_trace_that_is_too_long_keeps_its_first_frames() -> None:
    traced = trace(CALL, most_frames=50)
    assert traced.problem is not None
    assert "the run was stopped after" in traced.problem
    assert 50 <= len(traced.frames) <= 52


def made(*steps: dict[str, object]) -> Program:
    return from_data({"title": "made", "script": {"top": list(steps)}})


def test_plain_data_has_each_state_once() -> None:
    data = trace(made({"do": "registerTool", "tool": {"name": "t", "description": "d"}})).to_data()
    assert {frame["state"] for frame in data["frames"]} | {0} == set(range(len(data["states"])))
    assert data["states"][-1]["documents"]["top"]["tool map"] == {"t": {"description": "d"}}
    assert data["problem"] is None
