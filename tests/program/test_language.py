"""The reader of programs: valid programs are read as written, and errors name the place and what is allowed."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.notation import NOTATIONS, OPERATIONS
from modelcontext.programs.program.reading import from_data, load, loads_json, loads_toml

ROOT = Path(__file__).resolve().parents[2]
CORPUS = sorted((ROOT / "wpt_tests" / "programs").rglob("*.toml"))


def program(*steps: dict[str, Any], documents: dict[str, Any] | None = None, **scripts: Any) -> dict[str, Any]:
    top = list(steps) or [{"do": "log", "value": 1}]
    return {"title": "t", "documents": documents or {}, "script": {"top": top, **scripts}}


REGISTER = {"do": "registerTool", "tool": {"name": "t", "description": "d"}}

# A wrong program, the place, and a part of the message.
AWAY = {"tab": "top", "start": "later"}
LEAVE = {"do": "leave", "document": "x"}
BACK = {"do": "goBack"}
ADD_Y = {"do": "addFrame", "document": "y"}

FORM = {"top": {"html": '<form id="f"><input id="a"></form>'}}
CLICK = {"do": "click", "element": "f"}
HANDLE = {"do": "listen", "element": "f", "type": "submit", "as": "l"}

INVALID: list[tuple[Any, str, str]] = [
    (program(CLICK), "script.top[0].element", 'the document has no elements; give documents.top the key "html"'),
    (program({**CLICK, "element": "ff"}, documents=FORM), "script.top[0].element", 'no element with the id "ff"'),
    (program(documents={"top": {"html": "<p id=a><p id=a>"}}), "documents.top.html", 'two elements have the id "a"'),
    (program(documents={"top": {"html": "<p><script></script>"}}), "documents.top.html", "no <script> in its markup"),
    (
        program({"do": "insertAdjacentHTML", "element": "f", "html": "<iframe>"}, documents=FORM),
        "script.top[0].html",
        "no <iframe> in its markup",
    ),
    (
        program({"do": "insertAdjacentHTML", "element": "f", "html": "", "position": "before"}, documents=FORM),
        "script.top[0].position",
        'unknown position "before"',
    ),
    (program({"do": "fill", "element": "a"}, documents=FORM), "script.top[0]", "fill needs one of the keys"),
    (program({"do": "preventDefault"}, documents=FORM), "script.top[0]", "in the steps of a listener of an element"),
    (
        program(HANDLE, {"do": "respondWith", "event": "m"}, documents=FORM),
        "script.top[1].event",
        'no listener of an element with the label "m"',
    ),
    (
        program({"do": "matches", "element": "f", "selector": ":hover"}, documents=FORM),
        "script.top[0].selector",
        'unknown selector ":hover"',
    ),
    (
        program({"do": "get", "element": "a", "path": ["name"]}, documents=FORM),
        "script.top[0].path",
        'members of an element: "value"',
    ),
    (
        program({"do": "get", "element": "a", "object": "x", "path": ["value"]}, documents=FORM),
        "script.top[0]",
        "cannot be used together",
    ),
    (program({**HANDLE, "on": "top"}, documents=FORM), "script.top[0].on", "can listen only to its own elements"),
    (
        program({**CLICK, "element": "g", "on": "x"}, documents={**FORM, "x": {"parent": "top", "html": "<p id=gg>"}}),
        "script.top[0].element",
        'no element with the id "g" in the document "x" (did you mean "gg"?)',
    ),
    (
        program({**CLICK, "on": "x"}, documents={**FORM, "x": {"parent": "top"}}),
        "script.top[0].element",
        'the document has no elements; give documents.x the key "html"',
    ),
    (
        program({**CLICK, "on": "x"}, documents={**FORM, "x": {"parent": "top", "origin": "B", "html": "<p id=f>"}}),
        "script.top[0].on",
        '"x" has another origin, so it is out of reach',
    ),
    ({**program(documents=FORM), "revision": "2026-03"}, "documents.top.html", "the revision 2026-03 has no forms"),
    ([], "", "a program must be a table, not an array"),
    ({}, "", "needs a title"),
    ({"title": " "}, "title", "empty"),
    ({"title": 5}, "title", "a string is needed here, not a number"),
    ({"title": "t"}, "script", "needs a script"),
    ({"title": "t", "script": {"top": []}}, "script", "needs a script"),
    (
        {"title": "t", "algorithms": ["dom-modelcontext-gettool"]},
        "algorithms[0]",
        'unknown algorithm "dom-modelcontext-gettool" (did you mean "dom-modelcontext-gettools"?)',
    ),
    ({"title": "t", "scripts": {}}, "", 'unknown key "scripts" (did you mean "script"?)'),
    (
        {"title": "t", "revision": "2026", "script": {"top": []}},
        "revision",
        'unknown revision "2026" (did you mean "2026-03"?); allowed: "current"',
    ),
    ({"title": "t", "script": {"to": []}}, "script.to", 'there is no document "to" (did you mean "top"?)'),
    ({"title": "t", "script": {"top": {}}}, "script.top", "an array is needed here, not a table"),
    (program({}), "script.top[0]", 'a step needs the key "do"'),
    (program({"do": "register"}), "script.top[0].do", 'unknown operation "register" (did you mean "registerTool"?)'),
    (program({"do": "registerTool"}), "script.top[0]", 'registerTool needs the key "tool"'),
    (program({"do": "log"}), "script.top[0]", 'log needs the key "value"'),
    (program({"do": "log", "value": 1, "wiat": True}), "script.top[0]", 'unknown key "wiat"'),
    (program({"do": "log", "value": 1, "wait": True}), "script.top[0]", 'unknown key "wait"'),
    (program({**REGISTER, "wait": 1}), "script.top[0].wait", "a boolean is needed here, not a number"),
    (program({**REGISTER, "arguments": []}), "script.top[0]", 'leave out "tool"'),
    (program(REGISTER, {**REGISTER, "as": "registerTool"}), "script.top[1]", 'already has the label "registerTool"'),
    (
        program({**REGISTER, "callback": {"resolve": 1}}),
        "script.top[0].callback",
        'unknown key "resolve" (did you mean "resolves"?)',
    ),
    (program({**REGISTER, "callback": {"resolves": 1, "throws": 1}}), "script.top[0].callback", "one of these"),
    (program({**REGISTER, "callback": {"watch": "yes"}}), "script.top[0].callback.watch", "a boolean is needed"),
    (
        program({"do": "registerTool", "tool": {"$js": "null"}, "callback": {}}),
        "script.top[0].callback",
        "only to a tool that is a table",
    ),
    (
        program({"do": "registerTool", "tool": {"execute": 1}, "callback": {}}),
        "script.top[0].callback",
        'already has a member "execute"',
    ),
    (
        program({"do": "timer", "steps": [{"do": "timer", "steps": [{"do": "waitFor", "result": "x"}]}]}),
        "script.top[0].steps[0].steps[0]",
        "nested steps never wait",
    ),
    (program({"do": "timer", "steps": [{**REGISTER, "wait": False}]}), "script.top[0].steps[0].wait", "never wait"),
    (program({"do": "waitFor"}), "script.top[0]", 'one of the keys "message", "result" and "entries"'),
    (program({"do": "waitFor", "entries": 0}), "script.top[0].entries", "at least one entry"),
    (
        program({"do": "registerTool", "tool": {}, "callback": {"each": True}}),
        "script.top[0].callback.each",
        'only a function with the key "pending"',
    ),
    (program({"do": "waitFor", "result": "cal"}), "script.top[0].result", 'no result with the label "cal"'),
    (
        program({"do": "waitFor", "message": "m"}),
        "script.top[0].message",
        'no step sends this document the message "m"',
    ),
    (program({"do": "handler", "type": "toolchange"}), "script.top[0]", '"steps" or the key "value"'),
    (program({"do": "same", "values": [1]}), "script.top[0].values", "two values"),
    (
        program({"do": "get", "path": [True]}),
        "script.top[0].path[0]",
        "a key must be a string or a number, not a boolean",
    ),
    (program({"do": "get", "object": "x", "path": []}), "script.top[0].object", 'no $let value or result named "x"'),
    (program({"do": "set", "object": "x", "path": [], "value": 1}), "script.top[0].path", "at least one key"),
    (program({"do": "tell", "to": "chidl", "message": "m"}), "script.top[0].to", 'unknown document "chidl"'),
    # Values
    (program({"do": "log", "value": {"$sigal": "c"}}), "script.top[0].value", '"$sigal" (did you mean "$signal"?)'),
    (program({"do": "log", "value": {"$js": "undefind"}}), "script.top[0].value.$js", '(did you mean "undefined"?)'),
    (
        program({"do": "log", "value": {"$js": "null", "$bigint": "1"}}),
        "script.top[0].value",
        "cannot be used together",
    ),
    (program({"do": "log", "value": {"$repeat": "x"}}), "script.top[0].value", 'needs the key "times": a count'),
    (
        program({"do": "log", "value": {"$repeat": "x", "times": True}}),
        "script.top[0].value.times",
        "a repeat count",
    ),
    (program({"do": "log", "value": {"$bigint": "1.5"}}), "script.top[0].value.$bigint", "is not an integer"),
    (program({"do": "log", "value": {"$string": [65536]}}), "script.top[0].value.$string[0]", "from 0 to 65535"),
    (program({"do": "log", "value": {"$object": [["k"]]}}), "script.top[0].value.$object[0]", "a key and a value"),
    (program({"do": "log", "value": {"$getter": "g", "returns": 1}}), "script.top[0].value", "only as the value of a"),
    (
        program({"do": "log", "value": {"a": {"$getter": "g"}}}),
        "script.top[0].value.a",
        '"returns" or the key "throws"',
    ),
    (program({"do": "log", "value": {"$error": "TypError"}}), "script.top[0].value.$error", 'mean "TypeError"?'),
    (program({"do": "log", "value": {"$window": "x"}}), "script.top[0].value.$window", 'unknown document "x"'),
    (program({"do": "log", "value": {"$tool": "t", "on": "x"}}), "script.top[0].value", 'unknown key "on"'),
    (program({"do": "log", "value": {"$listed": "t"}}), "script.top[0].value", 'needs the key "from"'),
    (
        program(REGISTER, {"do": "log", "value": {"$listed": "t", "from": "registerTool"}}),
        "script.top[1].value.from",
        'no getTools step with the label "registerTool"',
    ),
    (program({"do": "log", "value": {"$let": "x"}}), "script.top[0].value", 'needs the key "be"'),
    (program({"do": "log", "value": [{"$the": "x"}]}), "script.top[0].value[0].$the", 'named "x"'),
    (program({"do": "log", "value": 2**53 + 1}), "script.top[0].value", "no JavaScript number"),
    (program({"do": "log", "value": float("nan")}), "script.top[0].value", '{"$js" = "NaN"}'),
    (program({"do": "log", "value": {"\ud800": 1}}), "script.top[0].value", "lone surrogate"),
    # Documents
    (program(documents={"x": {}}), "documents.x", 'one of "parent", "opener" and "tab"'),
    (
        program(documents={"x": {"parent": "top", "opener": "top"}}),
        "documents.x",
        'one of "parent", "opener" and "tab"',
    ),
    (program(documents={"x": {"parent": "to"}}), "documents.x.parent", 'unknown document "to"'),
    (
        program(documents={"x": {"parent": "y"}, "y": {"parent": "x"}}),
        "documents.x",
        "the documents x -> y -> x contain each other in a circle",
    ),
    (program(documents={"x": {"parent": "x"}}), "documents.x", "in a circle"),
    (program(documents={"top": {"parent": "top"}}), "documents.top.parent", "always exists from the start"),
    (program(documents={"top": {"allow": "tools"}}), "documents.top.allow", "the document is not in an iframe"),
    (program(documents={"x": {"parent": "top", "origin": "E"}}), "documents.x.origin", 'unknown origin "E"'),
    (program(documents={"x": {"parent": "top", "sandbox": ""}}), "documents.x.sandbox", "allow-scripts"),
    (program(documents={"x y": {"parent": "top"}}), "documents.x y", "letters, digits"),
    (program(documents={"x": {"parent": "top", "start": "later"}}), "documents.x", "no step loads it"),
    (
        program(documents={"x": {"parent": "top", "start": "later"}, "y": {"parent": "x"}}),
        "documents.y",
        'needs start = "later"',
    ),
    (
        program({"do": "addFrame", "document": "x"}, documents={"x": {"parent": "top"}}),
        "script.top[0]",
        '"x" exists from the start',
    ),
    (
        program({"do": "removeFrame", "document": "top"}),
        "script.top[0]",
        '"top" is in no iframe',
    ),
    (
        program(
            documents={"x": {"parent": "top", "origin": "B"}, "y": {"parent": "top"}},
            x=[{"do": "removeFrame", "document": "y"}],
        ),
        "script.x[0]",
        "has another origin",
    ),
    (
        program({**REGISTER, "on": "x"}, documents={"x": {"parent": "top", "origin": "B"}}),
        "script.top[0].on",
        "out of reach",
    ),
    # The back/forward cache
    (program(documents={"x": {"tab": "top"}}), "documents.x", 'it needs start = "later"'),
    (program(documents={"x": {**AWAY, "tab": "y"}, "y": {"parent": "top"}}), "documents.x.tab", 'allowed: "top"'),
    (program(documents={"top": {"tab": "top"}}), "documents.top.tab", "always exists from the start"),
    (program(documents={"x": AWAY}, x=[BACK]), "documents.x", "no step loads it"),
    (program(LEAVE, documents={"x": {"parent": "top", "start": "later"}}), "script.top[0]", 'give it tab = "top"'),
    (program(LEAVE, LEAVE, documents={"x": AWAY}, x=[BACK]), "script.top[1]", "already shown once"),
    (
        program(LEAVE, documents={"x": AWAY}),
        "script.x",
        "the last step must be goBack, and no other step may be goBack",
    ),
    (program(LEAVE, documents={"x": AWAY}, x=[BACK, {"do": "log", "value": 1}]), "script.x", "the last step"),
    (program(LEAVE, documents={"x": {**AWAY, "origin": "B"}}, x=[BACK]), "documents.x.origin", "the origin of"),
    (program({"do": "timer", "steps": [LEAVE]}, documents={"x": AWAY}, x=[BACK]), "script.top[0].steps[0]", "leave"),
    (program(BACK), "script.top[0]", 'only a document that has a "tab" can go back'),
    (program({"do": "pageTransition", "type": "pageshow"}), "script.top[0]", 'only if another document has a "tab"'),
    (
        program({"do": "pageTransition", "type": "unload"}, LEAVE, documents={"x": AWAY}, x=[BACK]),
        "script.top[0].type",
        'unknown page transition event "unload"',
    ),
    (
        program(LEAVE, documents={"x": AWAY, "y": {"parent": "x", "start": "later"}}, x=[BACK]),
        "documents.y",
        "no step loads it",
    ),
    (
        program(LEAVE, documents={"x": AWAY, "y": {"parent": "x", "start": "later"}}, x=[ADD_Y, BACK]),
        "documents.y.parent",
        "cannot contain a frame",
    ),
    (
        program(LEAVE, documents={"x": AWAY, "y": {"opener": "top"}}, x=[BACK]),
        "documents.y.opener",
        "no page with popups",
    ),
    (
        program(LEAVE, documents={"x": AWAY}, x=[{"do": "tell", "to": "top", "message": "m"}, BACK]),
        "script.x[0]",
        "never exist at the same time",
    ),
    (
        program({"do": "log", "value": {"$window": "x"}}, LEAVE, documents={"x": AWAY}, x=[BACK]),
        "script.top[0]",
        "never exist at the same time",
    ),
    (program({**REGISTER, "on": "x"}, LEAVE, documents={"x": AWAY}, x=[BACK]), "script.top[0].on", "out of reach"),
    (
        {**program(LEAVE, documents={"x": AWAY}, x=[BACK]), "revision": "2026-03"},
        "script.top[0].do",
        'unknown operation "leave"',
    ),
]


@pytest.mark.parametrize(("data", "place", "problem"), INVALID)
def test_invalid_program_is_refused_with_its_place(data: Any, place: str, problem: str) -> None:
    with pytest.raises(ProgramError) as caught:
        from_data(data, "p.toml")
    error = caught.value
    assert error.place == place
    assert problem in error.problem
    assert str(error) == ": ".join(part for part in ("p.toml", place, error.problem) if part)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (loads_toml, "title = ", "this is not TOML"),
        (loads_json, "{", "this is not JSON"),
        (loads_json, '{"title": "a", "title": "b"}', 'the key "title" occurs twice'),
        (loads_json, '{"title": NaN}', "NaN is not JSON"),
        (loads_json, "[" * 100_000, "nested too deeply"),
        (loads_toml, 'title = "t"\n[[script.top]]\ndo = "log"\nvalue = 1979-05-27', "a date is not a value"),
        (
            loads_json,
            json.dumps(program({"do": "log", "value": json.loads("[" * 200 + "]" * 200)})),
            "nested more than",
        ),
    ],
)
def test_unreadable_text_is_refused_with_the_problem(
    read: Callable[[str, str], Program], text: str, message: str
) -> None:
    with pytest.raises(ProgramError, match=re.escape(message)):
        read(text, "p")


def test_deeply_nested_steps_are_refused() -> None:
    steps: list[dict[str, Any]] = []
    for _ in range(500):
        steps = [{"do": "timer", "steps": steps}]
    with pytest.raises(ProgramError, match="nested more than"):
        from_data(program(*steps))


def test_unreadable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"end with \.toml or \.json"):
        load(tmp_path / "p.txt")
    with pytest.raises(ProgramError, match="cannot be read: No such file"):
        load(tmp_path / "p.toml")
    (tmp_path / "q.json").write_bytes(b'{"title": "\xff"}')
    with pytest.raises(ProgramError, match="it is not UTF-8: byte 11"):
        load(tmp_path / "q.json")


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: str(path.relative_to(ROOT)))
def test_corpus_program_survives_both_text_forms(path: Path) -> None:
    read = load(path)
    assert loads_toml(read.dumps_toml()) == read
    assert loads_json(read.dumps_json()) == read
    assert from_data(read.to_data()) == read


def test_values_are_normalized() -> None:
    read = from_data(program({"do": "log", "value": [None, -0.0, "\ud800a", True, {"b": 1, "a": 2}]}))
    value = read.steps("top")[0].arguments["value"]
    assert value == [{"$js": "null"}, {"$js": "-0"}, {"$string": [0xD800, 0x61]}, True, {"b": 1, "a": 2}]
    assert list(value[4]) == ["b", "a"]
    assert from_data(read.to_data()) == read


def test_default_labels_count_in_text_order() -> None:
    read = from_data(
        program(REGISTER, {"do": "timer", "steps": [REGISTER, {**REGISTER, "as": "mine"}]}, REGISTER, {"do": "timer"})
    )
    labels = [step.label for top in read.steps("top") for step in top.walk()]
    assert labels == ["registerTool", "timer", "registerTool 2", "mine", "registerTool 3", "timer 2"]


def test_promises_and_arrivals_wait_unless_nested() -> None:
    read = from_data(
        program(
            REGISTER,
            {**REGISTER, "wait": False},
            {"do": "log", "value": 1},
            {"do": "timer", "steps": [REGISTER]},
            {"do": "addFrame", "document": "x"},
            documents={"x": {"parent": "top", "start": "later"}},
        )
    )
    assert [step.wait for top in read.steps("top") for step in top.walk()] == [True, False, False, False, False, True]


def test_documents_of_one_origin_share_an_event_loop() -> None:
    read = from_data(
        program(
            documents={
                "b": {"parent": "top", "origin": "B"},
                "a2": {"parent": "b", "origin": "A"},
                "b2": {"parent": "b"},
                "closed": {"parent": "top", "sandbox": "allow-scripts"},
                "inner": {"parent": "closed"},
                "open": {"parent": "top", "sandbox": "allow-scripts allow-same-origin"},
                "popup": {"opener": "b"},
            }
        )
    )
    assert {name: read.log_of(name) for name in read.documents} == {
        "top": "top",
        "b": "b",
        "a2": "top",
        "b2": "b",
        "closed": "closed",
        "inner": "inner",
        "open": "top",
        "popup": "b",
    }


def test_navigated_documents_share_the_iframe_of_the_first() -> None:
    later = {"parent": "top", "start": "later"}
    read = from_data(
        program(
            {"do": "navigate", "document": "x", "to": "y"},
            {"do": "navigate", "document": "y", "to": "z"},
            documents={"x": {"parent": "top", "sandbox": "allow-scripts"}, "y": later, "z": later},
        )
    )
    assert read.holders == {"x": "x", "y": "x", "z": "x"}
    assert read.is_opaque("z")
    with pytest.raises(ProgramError, match="in a circle"):
        from_data(
            program(
                {"do": "navigate", "document": "x", "to": "y"},
                {"do": "navigate", "document": "y", "to": "x"},
                documents={"x": later, "y": later},
            )
        )


@pytest.mark.parametrize(
    ("steps", "documents", "problem"),
    [
        ([], {"on": "erly"}, 'unknown document "erly" (did you mean "early"?)'),
        ([], {"sandbox": "allow-scripts"}, "the iframe is sandboxed"),
        ([], {"initial": "top"}, '"top" is the name of another document already'),
        (
            [{"do": "click", "on": "early", "element": "b"}],
            {},
            "cannot name elements of an initial about:blank document",
        ),
    ],
    ids=["unknown name", "sandbox", "name of a document", "element"],
)
def test_initial_document_that_is_out_of_reach_is_refused(
    steps: list[Any], documents: dict[str, str], problem: str
) -> None:
    child = {"parent": "top", "start": "later", **{key: documents[key] for key in documents if key == "sandbox"}}
    early = {"do": "getTools", "on": documents.get("on", "early")}
    add = {"do": "addFrame", "document": "x", "initial": documents.get("initial", "early"), "steps": [early, *steps]}
    with pytest.raises(ProgramError) as caught:
        from_data(program(add, documents={"x": child}))
    assert problem in str(caught.value)


def test_initial_document_of_another_event_loop_is_out_of_reach() -> None:
    documents = {"x": {"parent": "top", "start": "later"}, "b": {"parent": "top", "origin": "B"}}
    data = program({"do": "addFrame", "document": "x", "initial": "early"}, documents=documents)
    data["script"]["b"] = [{"do": "getTools", "on": "early"}]
    with pytest.raises(ProgramError, match="has another origin"):
        from_data(data)


# Any text or data gives a program or a ProgramError, and no other exception.

names = st.sampled_from(["top", "child", "x", "registerTool", "do", "t", ""])
keys = st.sampled_from(
    [*NOTATIONS, "times", "in", "from", "be", "path", "returns", "throws", "steps", "resolves", "do"]
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | names
    | st.text(max_size=3)
    | st.sampled_from(["null", "12"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | names, inner, max_size=3),
    max_leaves=8,
)
step_keys = sorted({key for operation in OPERATIONS.values() for key in (*operation.required, *operation.optional)})
steps = st.fixed_dictionaries(
    {"do": st.sampled_from(sorted(OPERATIONS))},
    optional=dict.fromkeys([*step_keys, "as", "on", "wait"], values),
)


@pytest.mark.usefixtures("takes_long")
@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.lists(steps, max_size=3))
def test_arbitrary_steps_give_a_program_or_a_program_error(made: list[dict[str, Any]]) -> None:
    _reads_or_refuses(program(*made, documents={"child": {"parent": "top"}}))


@pytest.mark.usefixtures("takes_long")
@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_broken_corpus_program_gives_a_program_or_a_program_error(data: st.DataObject) -> None:
    broken = copy.deepcopy(load(data.draw(st.sampled_from(CORPUS))).to_data())
    node: Any = broken
    while isinstance(node, (dict, list)) and node:
        key = data.draw(st.sampled_from(list(node) if isinstance(node, dict) else range(len(node))))
        if not isinstance(node[key], (dict, list)) or not node[key] or data.draw(st.booleans()):
            node[key] = data.draw(values)
            break
        node = node[key]
    _reads_or_refuses(broken)


def _reads_or_refuses(data: Any) -> None:
    try:
        read = from_data(data)
    except ProgramError:
        return
    assert from_data(read.to_data()) == read
    assert loads_json(read.dumps_json()) == read
    assert loads_toml(read.dumps_toml()) == read
