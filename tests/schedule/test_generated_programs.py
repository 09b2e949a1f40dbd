"""Leaving out equivalent schedules loses no outcome, for small generated programs that are explored both ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

#: A program with more schedules than this is not compared, and another one is drawn.
MOST_SCHEDULES = 60

Data = dict[str, Any]

_NAMES = st.sampled_from(["a", "b"])
_ORIGINS = st.sampled_from([[], ["{A}"], ["{B}"], ["{A}", "{B}"]])


@st.composite
def _registrations(draw: st.DrawFn) -> Data:
    options: Data = {"exposedTo": draw(_ORIGINS)}
    if draw(st.booleans()):
        options["signal"] = {"$signal": "registration"}
    callbacks: list[Data] = [{"watch": True}, {"throws": 1}, {"pending": "p", "watch": True}]
    return {
        "do": "registerTool",
        "tool": {"name": draw(_NAMES), "description": "d"},
        "options": options,
        "callback": draw(st.sampled_from(callbacks)),
    }


@st.composite
def _executions(draw: st.DrawFn, documents: list[str]) -> Data:
    step: Data = {"do": "executeTool", "tool": {"$tool": draw(_NAMES), "in": draw(st.sampled_from(documents))}}
    if draw(st.booleans()):
        step["options"] = {"signal": {"$signal": "execution"}}
    return step


_OTHERS: list[Data] = [
    {"do": "abort", "controller": "registration"},
    {"do": "abort", "controller": "execution"},
    {"do": "listen", "type": "toolchange"},
    {"do": "resolve", "pending": "p"},
    {"do": "getTools"},
    {"do": "getTools", "options": {"fromOrigins": ["{A}", "{B}"]}},
]


@st.composite
def _operations(draw: st.DrawFn, documents: list[str], document: str) -> Data:
    others = [*_OTHERS, *({"do": "tell", "to": other, "message": "m"} for other in documents if other != document)]
    if document == "top" and "c" in documents:
        others.append({"do": "removeFrame", "document": "c"})
    step = dict(draw(st.one_of(_registrations(), _executions(documents), st.sampled_from(others))))
    if draw(st.integers(0, 3)) == 0:
        return {"do": "timer", "steps": [step]}
    if step["do"] in ("registerTool", "getTools", "executeTool"):
        step["wait"] = draw(st.booleans())
    return step


@st.composite
def small_programs(draw: st.DrawFn) -> Program:
    """Draw a program with one document, or two on one or two event loops; two or three operations; maybe a navigation."""
    documents: dict[str, Data] = {}
    if draw(st.booleans()):
        documents["c"] = {"parent": "top", "origin": draw(st.sampled_from("AB")), "allow": "tools"}
    names = ["top", *documents]
    script: dict[str, list[Data]] = {}
    for _ in range(draw(st.integers(2, 3))):
        document = draw(st.sampled_from(names))
        script.setdefault(document, []).append(draw(_operations(names, document)))
    if "c" in documents and draw(st.integers(0, 7)) == 0:
        documents["next"] = {"parent": "top", "origin": draw(st.sampled_from("AB")), "start": "later"}
        script.setdefault("top", []).append({"do": "navigate", "document": "c", "to": "next"})
        script["next"] = [draw(_operations(names, "next"))]
    return from_data({"title": "a small program", "documents": documents, "script": script})


@pytest.mark.usefixtures("takes_long")
@settings(max_examples=200, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(small_programs())
def test_state_graph_and_every_schedule_give_the_same_outcomes_for_generated_programs(program: Program) -> None:
    naive = allowed_outcomes(program, naive=True, bound=MOST_SCHEDULES)
    assume(naive.complete)
    reduced = allowed_outcomes(program)
    assert reduced.complete
    assert set(reduced.outcomes) == set(naive.outcomes), program.dumps_toml()


@pytest.mark.usefixtures("takes_long")
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(small_programs())
def test_verdicts_agree_with_the_set_of_allowed_outcomes(program: Program) -> None:
    allowed = allowed_outcomes(program, bound=MOST_SCHEDULES)
    assume(allowed.complete and allowed.covered <= MOST_SCHEDULES)
    for outcome in allowed.outcomes.values():
        verdict = judge(program, outcome)
        assert verdict.kind == "allowed", program.dumps_toml()
        assert verdict.schedule is not None
        assert run_once(program, verdict.schedule).outcome == outcome
        for other in _changed(outcome):
            kind = "allowed" if other.canonical in allowed.outcomes else "forbidden"
            assert judge(program, other).kind == kind, program.dumps_toml()


def _changed(outcome: Outcome) -> Iterator[Outcome]:
    """Yield outcomes with a small change: without a last entry, with two entries swapped, with one pending promise less."""
    for name, log in outcome.logs.items():
        yield Outcome({**outcome.logs, name: log[:-1]}, outcome.pending)
        if len(log) > 1:
            yield Outcome({**outcome.logs, name: [log[1], log[0], *log[2:]]}, outcome.pending)
    if outcome.pending:
        yield Outcome(outcome.logs, outcome.pending[1:])
