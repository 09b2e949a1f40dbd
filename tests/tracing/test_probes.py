"""Probes report every step and both sides of conditions, and change nothing else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.reading import from_data, load
from modelcontext.programs.tracing.instrumentation import SIDE, STEP, Condition, Instrumentation, StepOf
from modelcontext.programs.tracing.probes import MARKS, inventory, texts_with_probes, with_probes
from modelcontext.spec.revisions.current import api
from modelcontext.spec.revisions.registry import REVISIONS
from modelcontext.spec.specification import load_algorithms
from modelcontext.spec.specification.code.comments import parse_source
from modelcontext.spec.weaving.weaving import AlgorithmCopy

if TYPE_CHECKING:
    from collections.abc import Callable

    from modelcontext.programs.program.language import Program

LITMUS = Path(__file__).resolve().parents[2] / "wpt_tests" / "litmus"
REVISION = REVISIONS["current"]
CURRENT = REVISION.package


def registration(**members: object) -> Program:
    tool = {"name": "t", "description": "d", **members}
    return from_data({"title": "made", "script": {"top": [{"do": "registerTool", "tool": tool}]}})


@pytest.mark.parametrize("name", list(REVISIONS))
def test_every_step_of_the_text_has_a_probe(name: str) -> None:
    found = inventory(REVISIONS[name].package)
    expected = {
        (algorithm.id, step.number): step.text for algorithm in load_algorithms(name) for step in algorithm.steps
    }
    assert {(step.algorithm, step.number): found.texts[step] for step in found.steps} == expected
    assert len(set(found.sides)) == 2 * len(found.conditions)


def test_steps_and_sides_are_reported_in_order() -> None:
    said: list[str] = []
    revision = with_probes(
        REVISION, lambda step: said.append(str(step)), lambda which, side: said.append(which.side(side))
    )
    run_once(registration(name=""), revision=revision)
    first = said.index("dom-modelcontext-registertool 7")
    assert said[first : first + 6] == [
        "dom-modelcontext-registertool 7",
        "dom-modelcontext-registertool 7 1 no",
        "dom-modelcontext-registertool 8",
        "valid-tool-name 1",
        "valid-tool-name 1 1 yes",
        "dom-modelcontext-registertool 8 1 yes",
    ]


def test_revision_does_not_change_while_a_copy_has_probes() -> None:
    code = api.register_tool.__code__
    said: list[StepOf] = []

    def fail(step: StepOf) -> None:
        raise ZeroDivisionError

    one, other = with_probes(REVISION, said.append), with_probes(REVISION, fail)
    assert one.algorithms["dom-modelcontext-registertool"].__code__ is not code
    with pytest.raises(ZeroDivisionError):
        run_once(registration(), revision=other)
    assert api.register_tool.__code__ is code
    assert REVISION.algorithms["dom-modelcontext-registertool"] is api.register_tool
    assert not [name for name in vars(api) if name.startswith(("__step", "__side"))]
    run_once(registration())
    assert said == []
    run_once(registration(), revision=one)
    assert said != []


@pytest.mark.parametrize("name", ["cancel-complete/abort-before-the-callback", "register-notify/event-and-promise"])
def test_program_has_the_same_outcomes_with_probes(name: str) -> None:
    program = load(LITMUS / f"{name}.toml")
    without = allowed_outcomes(program)
    watched = allowed_outcomes(program, revision=with_probes(REVISION, lambda step: None))
    assert set(watched.outcomes) == set(without.outcomes)
    assert (watched.states, watched.transitions) == (without.states, without.transitions)


SOURCE = """\
@algorithm("f")
def f(x):
    # 1. If x, then:
    if x:
        # 1.1. Try.
        try:
            g(x)
        # 1.2. If that threw:
        except KeyError:
            # 1.2.1. Return 1.
            return 1
    # 2. Otherwise:
    else:
        # 2.1. For each item:
        for item in (lambda: h)():
            pass
    # 3. React:
    # 3.a. If so:
    def so():
        # 3.a.1. Return.
        return 2 if x else 3
    return so()
"""


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        (
            {"key": 1},
            ["1", "1:yes", "1.1", "1.2", "1.2:no", "3", "3.a", "3.a.1", "3.a.1:yes"],
        ),
        ({1: 1}, ["1", "1:yes", "1.1", "1.2", "1.2:yes", "1.2.1"]),
        ({}, ["1", "1:no", "2", "2.1", "2.1", "2.1:yes", "2.1:no", "3", "3.a", "3.a.1", "3.a.1:no"]),
    ],
)
def test_each_kind_of_statement_reports_steps_and_sides(argument: dict[object, object], expected: list[str]) -> None:
    said: list[str] = []
    tree = ast.parse(SOURCE)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    steps: dict[StepOf, str] = {}
    conditions: list[Condition] = []
    Instrumentation(AlgorithmCopy(parse_source(Path("f.py"), SOURCE).functions[0], definition), steps, conditions)
    numbers = [step.number for step in steps]

    def side(index: int, value: object) -> object:
        said.append(f"{conditions[index].step.number}:{'yes' if value else 'no'}")
        return value

    scope: dict[str, object] = {
        STEP: lambda index: said.append(numbers[index]), SIDE: side, "h": [0], "g": lambda mapping: mapping["key"],
        "algorithm": lambda id_: lambda function: function,
    }  # fmt: skip
    exec(compile(ast.fix_missing_locations(tree), "f.py", "exec"), scope)
    function_made = scope["f"]
    assert callable(function_made)
    function_made(argument)
    assert said == expected


def test_sides_are_named_by_step_place_and_value() -> None:
    condition = Condition(StepOf("a", "1.2"), 1, "x")
    assert [condition.side(True), condition.side(False)] == ["a 1.2 1 yes", "a 1.2 1 no"]


def test_modules_with_probes_tell_the_page_each_mark_once_in_one_call_for_each_task() -> None:
    found = inventory(CURRENT)
    calls: list[list[str]] = []
    microtasks: list[Callable[[], None]] = []
    page, proxies = ModuleType("js"), ModuleType("pyodide.ffi")
    vars(page)["modelcontextReached"] = lambda marks: calls.append([found.decode(mark) for mark in marks.split()])
    vars(page)["queueMicrotask"] = microtasks.append
    vars(proxies)["create_once_callable"] = vars(proxies)["create_proxy"] = lambda function: function
    marks = ModuleType("modelcontext.marks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "js", page)
        patch.setitem(sys.modules, "pyodide", ModuleType("pyodide"))
        patch.setitem(sys.modules, "pyodide.ffi", proxies)
        exec(MARKS, vars(marks))
        patch.setitem(sys.modules, "modelcontext.marks", marks)
        scope: dict[str, object] = {"__name__": f"{CURRENT}.copy"}
        exec(compile(texts_with_probes(CURRENT)[f"{CURRENT}.tools"], "tools.py", "exec", dont_inherit=True), scope)
        valid_tool_name = scope["valid_tool_name"]
        assert callable(valid_tool_name)

        def told_of(name: str) -> list[str]:
            """Return the marks that one task tells."""
            calls.clear()
            valid_tool_name(name)
            assert calls == []
            for microtask in microtasks:
                microtask()
            assert len(microtasks) == len(calls)
            microtasks.clear()
            return [mark for call in calls for mark in call]

        first, second, third = told_of("a"), told_of("a"), told_of("")
        vars(page)["modelcontextForget"]()
        again = told_of("a")
    steps = [f"valid-tool-name {number}" for number in ("1", "1 1 no", "2", "2 1 no", "3", "3 1 yes")]
    assert first[:6] == steps
    assert second == []
    assert third[-1] == "valid-tool-name 1 1 yes"
    assert not set(first) & set(third)
    assert again == first
    assert set(texts_with_probes(CURRENT)) >= {f"{CURRENT}.api", f"{CURRENT}.executions"}
