"""The model that makes the expected calls: a run of evaluations that tries the tools and the evaluations, and no model.

The arguments are the expected ones. Where these are constraints, a value is made up that meets them; a pattern is met only
where its own text meets it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from modelcontext_agent.evals.matching import ExpectedCall, check_operators, difference, expected_calls, is_constraint
from modelcontext_agent.models.canned_answers import CannedAnswer, CannedAnswers, CannedCall

if TYPE_CHECKING:
    from modelcontext_agent.evals.eval_files import Eval

#: The name of the model.
NAME = "expected"

_OF_TYPE: Mapping[str, Any] = {"string": "text", "number": 1, "boolean": True, "array": [], "object": {}, "null": None}


class NoValueError(Exception):
    """Raised where the command cannot invent a value for a constraint; the message names the call and the place."""


def expected_answers(one: Eval) -> CannedAnswers:
    """Return the answers that make the calls which an evaluation needs, one after the other as they are written.

    Raises:
        NoValueError: if a constraint needs a value that cannot be made up.
        UnknownOperatorError: if a constraint is unknown.
    """
    needed = [call for call in expected_calls(one.expected) if not call.optional]
    answers = [CannedAnswer(calls=(CannedCall(call.name, json.dumps(_arguments(call))),)) for call in needed]
    return CannedAnswers((*answers, CannedAnswer(text="Done.")), f"the expected calls of “{one.name}”")


def _arguments(call: ExpectedCall) -> Any:
    check_operators(call.arguments, f"the arguments of {call.name}")
    made = {} if call.arguments is None else _made_up(call.arguments)
    if call.arguments is not None and (why := difference(call.arguments, made)) is not None:
        raise NoValueError(f"the command cannot invent a value for {call.name}: {why}; run it with a model")
    return made


def _made_up(expected: Any) -> Any:
    if is_constraint(expected):
        values = [_meeting(key, value) for key, value in expected.items()]
        return next((value for value in values if difference(expected, value) is None), values[0])
    if isinstance(expected, Mapping):
        return {key: _made_up(value) for key, value in expected.items()}
    return [_made_up(item) for item in expected] if isinstance(expected, list) else expected


def _meeting(operator: str, value: Any) -> Any:
    match operator:
        case "$pattern":
            return str(value).removeprefix("(?i)").removeprefix("^").removesuffix("$")
        case "$contains":
            return value if isinstance(value, str) else [_made_up(value)]
        case "$gt":
            return value + 1
        case "$lt":
            return value - 1
        case "$type":
            return _OF_TYPE[value]
    return "text" if operator == "$any" else value
