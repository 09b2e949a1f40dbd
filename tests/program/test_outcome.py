"""Outcomes: equality, text, descriptions and differences."""

from __future__ import annotations

import json

import pytest

from modelcontext.programs.program.outcome import (
    Outcome,
    OutcomeError,
    canonical_entry,
    describe,
    describe_entry,
    describe_value,
    divergence,
    loads,
)

DONE = {"in": "top", "promise": "call", "fulfilled": "ok"}
EVENT = {
    "in": "child",
    "event": "toolactivated",
    "via": "listener",
    "interface": "ToolActivatedEvent",
    "toolName": "t",
    "flags": ["trusted"],
}


def test_outcomes_are_equal_if_their_canonical_texts_are() -> None:
    one = Outcome({"top": [DONE], "child": []}, ["top: b", "top: a"])
    other = Outcome({"top": [dict(reversed(DONE.items()))]}, ["top: a", "top: b"])
    assert one == other
    assert hash(one) == hash(other)
    assert one.canonical == (
        '{"logs":{"top":[{"in":"top","promise":"call","fulfilled":"ok"}]},"pending":["top: a","top: b"]}'
    )
    assert loads(one.canonical) == one
    assert Outcome({"top": [DONE, EVENT]}) != Outcome({"top": [EVENT, DONE]})


def test_order_of_members_in_values_makes_outcomes_differ() -> None:
    one = Outcome({"top": [{"in": "top", "log": {"a": 1, "b": 2}}]})
    assert one != Outcome({"top": [{"in": "top", "log": {"b": 2, "a": 1}}]})


@pytest.mark.parametrize(("left", "right"), [(1, 1.0), (2**53, float(2**53)), (10**21, 1e21), (-0, 0)])
def test_equal_numbers_have_one_canonical_text(left: float, right: float) -> None:
    assert canonical_entry({"log": left}) == canonical_entry({"log": right})


def test_boolean_entry_differs_from_number_entry() -> None:
    assert canonical_entry({"log": True}) != canonical_entry({"log": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is not JSON"),
        ("[]", "must have exactly the keys logs and pending"),
        ('{"logs": {}, "pending": [], "more": 1}', "must have exactly the keys logs and pending"),
        ('{"logs": {"top": [1]}, "pending": []}', "lists of entries"),
        ('{"logs": {}, "pending": [1]}', "a list of strings"),
        ('{"logs": {"top": [{"prmise": 1}]}, "pending": []}', "must not have the key 'prmise'"),
    ],
)
def test_text_that_is_not_an_outcome_is_refused(text: str, message: str) -> None:
    with pytest.raises(OutcomeError, match=message):
        loads(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"$js": "undefined"}, "undefined"),
        (None, "null"),
        ({"$error": "TypeError", "$realm": "child"}, "TypeError of child"),
        ({"$window": "top"}, "Window(top)"),
        ({"$signal": True}, "AbortSignal(aborted)"),
        ({"$object": [["$x", 1]], "$realm": "child"}, "{$x: 1} of child"),
        ({"$array": [1, "a"], "$realm": "child"}, '[1, "a"] of child'),
        ([{"$bigint": "12"}, {"$symbol": "s"}, {"$function": True}], "[12n, Symbol(s), function]"),
        ({"name": "t", "window": {"$window": "top"}}, '{name: "t", window: Window(top)}'),
        ({"$platform": "ModelContext"}, "ModelContext"),
    ],
)
def test_values_are_described_like_javascript(value: object, text: str) -> None:
    assert describe_value(value) == text


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (DONE, 'call: fulfilled with "ok"'),
        ({"promise": "call", "rejected": {"$error": "UnknownError"}}, "call: rejected with UnknownError"),
        ({"step": "get", "threw": {"$error": "TypeError"}}, "get: threw TypeError"),
        ({"step": "same", "value": True}, "same: true"),
        (EVENT, 'event toolactivated for "t" at listener (ToolActivatedEvent, trusted)'),
        ({"callback": "t", "input": {}, "aborted": True}, 'callback "t" called with {}, aborted'),
        ({"abort": "t", "reason": {"$error": "AbortError"}}, 'signal of "t" aborted with AbortError'),
        ({"function": "f", "arguments": [1]}, "function f called with [1]"),
        ({"get": "n"}, "getter n read"),
        ({"timer": "soon"}, "soon: timer"),
        ({"microtask": "now"}, "now: microtask"),
        ({"log": 1}, "log 1"),
    ],
)
def test_entries_are_described_in_one_line(entry: dict[str, object], text: str) -> None:
    assert describe_entry(entry) == text


def test_outcome_is_described_by_event_loop() -> None:
    assert describe(Outcome({"top": [DONE, EVENT], "b": [{"in": "b", "log": 1}]}, ["b: x"])) == [
        "event loop of b",
        "  1. log 1",
        "event loop of top",
        '  1. [top] call: fulfilled with "ok"',
        '  2. [child] event toolactivated for "t" at listener (ToolActivatedEvent, trusted)',
        "   - b: x: never settled",
    ]
    assert describe(Outcome()) == ["   (nothing was recorded)"]


def test_divergence_is_the_first_difference_to_the_nearest_outcome() -> None:
    observed = Outcome({"top": [DONE, {"in": "top", "log": 2}]})
    near = Outcome({"top": [DONE, {"in": "top", "log": 1}]})
    far = Outcome({"top": [EVENT]})
    assert divergence(observed, [far, near]) == ("top", 1)
    assert divergence(observed, [far]) == ("top", 0)
    assert divergence(observed, [far, observed]) is None
    assert divergence(observed, []) is None
    assert divergence(Outcome({"top": [DONE]}), [near]) == ("top", 1)
    unsettled = divergence(Outcome({"top": [DONE]}, ["top: a"]), [Outcome({"top": [DONE]}, ["top: b"])])
    assert unsettled == ("pending", 0)


def test_outcome_data_survives_json() -> None:
    outcome = Outcome({"top": [EVENT]}, ["top: x"])
    assert loads(json.dumps(outcome.to_data())) == outcome
