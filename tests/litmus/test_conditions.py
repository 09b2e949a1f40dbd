"""Conditions on outcomes mean what they say."""

from __future__ import annotations

import pytest

from modelcontext.judging.litmus.conditions import ConditionError, parse
from modelcontext.programs.program.outcome import Outcome

EVENT = {"event": "toolchange", "via": "listener", "interface": "Event", "flags": ["trusted"]}
OUTCOME = Outcome(
    {
        "top": [
            {"in": "top", **EVENT},
            {"in": "top", "promise": "call", "fulfilled": "x"},
            {"in": "frame", **EVENT},
            {"in": "top", "promise": "call 2", "rejected": {"$error": "AbortError"}},
        ],
        "other": [{"in": "other", "log": 1}],
    },
    ["top: late"],
)


@pytest.mark.parametrize(
    "condition",
    [
        "call: fulfilled",
        'call: fulfilled with "x"',
        "[top] call: fulfilled",
        "call 2: rejected with AbortError",
        "late: never settled",
        "[top] late: never settled",
        "2 times event toolchange",
        "1 times [frame] event toolchange",
        "no [other] event toolchange",
        "no call: never settled",
        "event toolchange before call: fulfilled",
        "call: fulfilled before [frame] event toolchange",
        "log 1",
    ],
)
def test_condition_holds(condition: str) -> None:
    assert parse(condition).holds(OUTCOME)


@pytest.mark.parametrize(
    "condition",
    [
        "call: ful",
        "call: rejected",
        'call: fulfilled with "y"',
        "[frame] call: fulfilled",
        "no event toolchange",
        "1 times event toolchange",
        "call: fulfilled before event toolchange",
        "event toolchange before log 1",
        "late: never settled before call: fulfilled",
        "[frame] late: never settled",
    ],
)
def test_condition_does_not_hold(condition: str) -> None:
    assert not parse(condition).holds(OUTCOME)


@pytest.mark.parametrize("text", ["", "no ", "call: fulfilled before ", " before x"])
def test_text_that_is_not_a_condition_is_refused(text: str) -> None:
    with pytest.raises(ConditionError):
        parse(text)
