"""The model that makes the expected calls, without any other model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from modelcontext_agent.evals.answers import model_for
from modelcontext_agent.evals.eval_files import read_evals, read_tools
from modelcontext_agent.evals.eval_run import EvalResult, run_evals
from modelcontext_agent.evals.expected_model import expected_answers
from modelcontext_agent.evals.sources import listed

TOOLS = {
    "tools": [
        {"name": "find", "title": "Find", "annotations": {"readOnlyHint": True}},
        {"name": "buy", "annotations": None},
    ]
}


def results(tmp_path: Path, *expected: Any) -> list[EvalResult]:
    """Run evaluations that expect these calls, with the expected calls made."""
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    message = {"role": "user", "type": "message", "content": "Go"}
    evals = [{"messages": [message], "expectedCall": calls} for calls in expected]
    (tmp_path / "evals.json").write_text(json.dumps(evals))
    tests = read_evals(tmp_path / "evals.json")
    sources = listed(read_tools(tmp_path / "tools.json"))
    return asyncio.run(
        run_evals(tests, lambda index, skipped: model_for(expected_answers(tests[index]), skipped), sources)
    )


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        {},
        {"q": "tea", "n": [1, {"a": None}]},
        {"q": {"$contains": "te"}, "n": {"$gt": 1, "$lte": 3}, "m": {"$gte": 1.5, "$lt": 2}},
        {"q": {"$type": "array"}, "n": {"$any": True}, "l": {"$contains": {"a": {"$lt": 3}}}},
        {"q": {"$pattern": "(?i)^tea$"}},
    ],
)
def test_values_are_made_up_that_meet_the_constraints(tmp_path: Path, arguments: Any) -> None:
    [result] = results(tmp_path, [{"functionName": "find", "arguments": arguments}])
    assert (result.outcome, result.reason) == ("pass", "")


def test_calls_are_made_in_order_without_the_optional_ones(tmp_path: Path) -> None:
    buy = {"functionName": "buy", "result": {"paid": True}}
    tree = [{"functionName": "find", "optional": True}, {"unordered": [buy, {"functionName": "find"}]}]
    [result, nothing] = results(tmp_path, tree, None)
    assert [made.call.name for made in result.calls] == ["buy", "find"]
    # The public files call the answer of a mocked call its result.
    assert result.calls[0].output == {"paid": True}
    assert (result.outcome, nothing.outcome, nothing.calls) == ("pass", "pass", ())


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        ({"$pattern": "[a-z]{3}"}, "the command cannot invent a value for find"),
        ({"$starts": 1}, "the operator “$starts”"),
    ],
)
def test_constraint_for_which_nothing_can_be_made_up_is_an_error(tmp_path: Path, constraint: Any, words: str) -> None:
    [result, other] = results(
        tmp_path, [{"functionName": "find", "arguments": {"q": constraint}}], [{"functionName": "buy"}]
    )
    assert result.outcome == "error"
    assert words in result.reason
    assert other.outcome == "pass"


def test_tool_that_is_not_there_fails(tmp_path: Path) -> None:
    [result] = results(tmp_path, [{"functionName": "gone"}])
    assert result.outcome == "fail"
    assert "There is no tool “gone”" in result.reason
