"""Outcomes: what counts as the same, how they are written, and how a difference is told."""

from __future__ import annotations

import json

import pytest

from modelcontext.program.outcome import (
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


def test_equality_is_that_of_the_canonical_text() -> None:
    one = Outcome({"top": [DONE], "child": []}, ["top: b", "top: a"])
    other = Outcome({"top": [dict(reversed(DONE.items()))]}, ["top: a", "top: b"])
    assert one == other
    assert hash(one) == hash(other)
    assert one.canonical == (
        '{"logs":{"top":[{"in":"top","promise":"call","fulfilled":"ok"}]},"pending":["top: a","top: b"]}'
    )
    assert loads(one.dumps()) == one
    assert Outcome({"top": [DONE, EVENT]}) != Outcome({"top": [EVENT, DONE]})


def test_the_order_of_members_in_values_counts() -> None:
    one = Outcome({"top": [{"in": "top", "log": {"a": 1, "b": 2}}]})
    assert one != Outcome({"top": [{"in": "top", "log": {"b": 2, "a": 1}}]})


@pytest.mark.parametrize(("left", "right"), [(1, 1.0), (2**53, float(2**53)), (10**21, 1e21), (-0, 0)])
def test_numbers_have_one_text(left: float, right: float) -> None:
    assert canonical_entry({"log": left}) == canonical_entry({"log": right})


def test_booleans_are_no_numbers() -> None:
    assert canonical_entry({"log": True}) != canonical_entry({"log": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is no JSON"),
        ("[]", "has the keys logs and pending"),
        ('{"logs": {}, "pending": [], "more": 1}', "has the keys logs and pending"),
        ('{"logs": {"top": [1]}, "pending": []}', "lists of entries"),
        ('{"logs": {}, "pending": [1]}', "a list of strings"),
        ('{"logs": {"top": [{"prmise": 1}]}, "pending": []}', "has no key 'prmise'"),
    ],
)
def test_no_outcome(text: str, message: str) -> None:
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
def test_values_in_words(value: object, text: str) -> None:
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
def test_entries_in_words(entry: dict[str, object], text: str) -> None:
    assert describe_entry(entry) == text


def test_an_outcome_in_lines() -> None:
    assert describe(Outcome({"top": [DONE, EVENT], "b": [{"in": "b", "log": 1}]}, ["b: x"])) == [
        "event loop of b",
        "  1. log 1",
        "event loop of top",
        '  1. [top] call: fulfilled with "ok"',
        '  2. [child] event toolactivated for "t" at listener (ToolActivatedEvent, trusted)',
        "   - b: x: never settled",
    ]
    assert describe(Outcome()) == ["   (nothing was recorded)"]


def test_the_difference_to_the_nearest() -> None:
    observed = Outcome({"top": [DONE, {"in": "top", "log": 2}]})
    near = Outcome({"top": [DONE, {"in": "top", "log": 1}]})
    far = Outcome({"top": [EVENT]})
    found = divergence(observed, [far, near])
    assert found is not None
    assert found.nearest == near
    assert str(found) == "top[2]: allowed log 1; observed log 2"
    assert divergence(observed, [far, observed]) is None
    assert divergence(observed, []) is None
    shorter = divergence(Outcome({"top": [DONE]}), [near])
    assert str(shorter) == "top[2]: allowed log 1; observed nothing more happened"
    unsettled = divergence(Outcome({"top": [DONE]}, ["top: a"]), [Outcome({"top": [DONE]}, ["top: b"])])
    assert str(unsettled) == "pending[1]: allowed top: b never settles; observed top: a never settles"


def test_data_is_json() -> None:
    outcome = Outcome({"top": [EVENT]}, ["top: x"])
    assert loads(json.dumps(outcome.to_data())) == outcome
