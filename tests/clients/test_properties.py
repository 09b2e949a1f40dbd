"""The properties, each over a trace that breaks it and over one that keeps it."""

from __future__ import annotations

from typing import Any

import pytest

from modelcontext.judging.clients.adversaries import register
from modelcontext.judging.clients.checking import checked
from modelcontext.judging.clients.known import Registrations
from modelcontext.judging.clients.properties import PROPERTIES, ClientTrace
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.reading import from_data

DOCUMENTS = {"top": {}, "child": {"parent": "top", "origin": "B", "allow": "tools"}}
SCRIPT = {
    "top": [register("top pay"), register("top ask", name="ask", hints={"consequentialHint": True})],
    "child": [register("child see", name="see", hints={"untrustedContentHint": True})],
}
REGISTRATIONS = Registrations(from_data({"title": "Tools", "documents": DOCUMENTS, "script": SCRIPT}))
MEANT = {"event": "meant", "call": 1, "tool": "top pay", "read": []}
SENT = {"event": "sent", "call": 1, "tool": "top pay", "listed": "none", "caller": None}
ASKED = {"event": "asked", "call": 1, "tool": "top pay", "input": 1}
SHOWN = {"event": "shown", "tools": ["top pay"], "members": ["name", "origin", "annotations"], "names": ["pay"]}


def trace(*client: dict[str, Any], ran: tuple[str, ...] = ()) -> ClientTrace:
    logs = [{"in": "top", "function": label, "arguments": [{"call": 1}]} for label in ran]
    return ClientTrace({"client": client, "top": logs}, REGISTRATIONS, "https://a.test")


def event(kind: str, **facts: Any) -> dict[str, Any]:
    return {"event": kind, "call": 1, **facts}


CASES: dict[str, tuple[ClientTrace, ClientTrace]] = {
    "runs-what-was-shown": (trace(MEANT, ran=("top ask",)), trace(MEANT, ran=("top pay",))),
    "runs-in-the-origin-that-was-shown": (trace(MEANT, ran=("child see",)), trace(MEANT, ran=("top ask",))),
    "runs-in-the-document-that-was-shown": (trace(MEANT, ran=("child see",)), trace(MEANT, ran=("top ask",))),
    "runs-only-in-documents-that-it-has-seen": (trace(SHOWN, ran=("child see",)), trace(SHOWN, ran=("top pay",))),
    "is-exposed-when-it-runs": (trace(ran=("child see",)), trace(ran=("top pay",))),
    "runs-at-most-once": (trace(ran=("top pay", "top pay")), trace(ran=("top pay",))),
    "asks-before-a-consequential-tool-runs": (trace(ran=("top ask",)), trace(event("approved"), ran=("top ask",))),
    "approval-covers-the-definition": (trace(ASKED, ran=("top ask",)), trace(ASKED, ran=("top pay",))),
    "approval-covers-the-document": (trace(ASKED, ran=("child see",)), trace(ASKED, ran=("top ask",))),
    "approval-covers-the-call": (trace(MEANT, {**ASKED, "tool": "top ask"}), trace(MEANT, ASKED)),
    "a-denied-call-never-runs": (trace(event("denied"), ran=("top pay",)), trace(event("denied"))),
    "every-call-is-answered": (trace(SENT), trace(SENT, event("answered", by="timed out"))),
    "the-answer-is-that-of-the-call": (
        trace(event("answered", by="top pay"), ran=("top ask",)),
        trace(event("answered", by="top pay"), ran=("top pay",)),
    ),
    "a-refused-call-never-runs": (
        trace(event("refused", why="gone"), ran=("top pay",)),
        trace(event("refused", why="gone")),
    ),
    "untrusted-words-reach-other-origins-only-marked": (
        trace({**MEANT, "read": ["child see"]}, ran=("top pay",)),
        trace({**MEANT, "read": ["child see"]}, event("marked", origins=["https://b.test"]), ran=("top pay",)),
    ),
    "the-origin-is-passed-on": (trace({**SHOWN, "members": ["name"]}), trace(SHOWN)),
    "the-annotations-are-passed-on": (trace({**SHOWN, "members": ["name"]}), trace(SHOWN)),
    "names-tell-tools-apart": (
        trace({**SHOWN, "tools": ["top pay", "child see"], "names": ["pay", "pay"]}),
        trace({**SHOWN, "tools": ["top pay", "child see"], "names": ["pay", "see"]}),
    ),
}


def test_each_property_has_a_case() -> None:
    assert list(CASES) == list(PROPERTIES)


@pytest.mark.parametrize("name", CASES)
def test_property_is_broken_and_kept(name: str) -> None:
    broken, kept = CASES[name]
    assert checked(broken, name)[1]
    assert checked(kept, name) == (True, [])


@pytest.mark.parametrize("name", CASES)
def test_empty_trace_touches_on_no_property(name: str) -> None:
    assert checked(trace(), name) == (False, [])


def test_two_tools_with_one_callback_are_an_error() -> None:
    twice = [register("a", name="x"), {**register("a", name="y"), "as": "again"}]
    program = from_data({"title": "Two", "script": {"top": twice}})
    with pytest.raises(ProgramError, match="two tools have the callback 'a'"):
        Registrations(program)
