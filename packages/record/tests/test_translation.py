"""Notes of a page as a program and an outcome, judged by the model; no browser runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.judging.conformance.verdict import Standing, Verdict, Verdicts
from modelcontext_record.judging import judged
from modelcontext_record.notes import Notes
from modelcontext_record.saying import UnsaidError
from modelcontext_record.tree import PageTree, trees

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.running.products.base import Observation
    from modelcontext.spec.revisions.revision import Revision

ORIGIN = "http://page.test"
LISTED = {"description": "d", "name": "t", "origin": ORIGIN, "title": "", "window": {"$window": "0"}}
TOOL = {"o": [["description", "d"], ["execute", {"$callback": 1}], ["name", "t"]]}
CHANGE = {"k": "event", "e": {"interface": "Event", "type": "toolchange", "flags": ["trusted"]}}
ACTIVATED = {"interface": "ToolActivatedEvent", "type": "toolactivated", "toolName": "t", "flags": ["trusted"]}
REGISTERED: list[dict[str, Any]] = [
    {"k": "call", "c": 1, "m": "registerTool", "a": [TOOL]},
    CHANGE,
    {"k": "settled", "c": 1, "h": "fulfilled", "v": {"$js": "undefined"}},
]
CALLED: list[dict[str, Any]] = [
    {"k": "call", "c": 2, "m": "executeTool", "a": [{"o": list(map(list, LISTED.items()))}, {"v": {"x": 1}}]},
    {"k": "event", "e": ACTIVATED},
    {"k": "callback", "c": 1, "i": 1, "input": {"x": 1}, "aborted": False},
    {"k": "returned", "i": 1},
    {"k": "answered", "i": 1, "h": "fulfilled", "v": "y"},
    {"k": "settled", "c": 2, "h": "fulfilled", "v": '"y"'},
]


def tree_of(*notes: dict[str, Any]) -> PageTree:
    """Return the documents of a page with one document, each of whose notes is of another turn."""
    numbers = count(1)

    def numbered() -> Iterator[dict[str, Any]]:
        began = {"k": "document", "url": f"{ORIGIN}/", "origin": ORIGIN, "loop": "l", "has": True, "allowed": True}
        for note in (began, *notes):
            number = next(numbers)
            yield {"d": "page", "n": number, "t": number, "w": float(number), **note}

    taken = Notes(1000)
    taken.take(list(numbered()), "0")
    [tree] = trees(taken)
    return tree


def verdict_on(*notes: dict[str, Any]) -> Any:
    """Judge a page with one document."""
    return judged(tree_of(*notes), "A page", "", "page", Verdicts(are_pinned=True)).verdict


def test_allowed_recording_has_a_schedule() -> None:
    verdict = verdict_on(*REGISTERED, *CALLED)
    assert verdict.standing is Standing.PASS
    assert verdict.schedule is not None


@pytest.mark.parametrize(
    ("notes", "step"),
    [
        (REGISTERED[::2], "notify-documents-of-a-tool-change 6.6"),
        ([*REGISTERED[:2]], "dom-modelcontext-registertool 23.2"),
        ([*REGISTERED[:2], {**REGISTERED[2], "v": "t"}], "dom-modelcontext-registertool 23.2"),
        ([*REGISTERED, CALLED[0], *CALLED[2:]], "imperative-execute-steps 7"),
        ([*REGISTERED, *CALLED[:-1], {**CALLED[-1], "v": "y"}], "dom-modelcontext-executetool 20.4.1"),
    ],
    ids=["no event", "never settled", "a value", "no toolactivated", "no quotes"],
)
def test_deviation_is_found_with_its_step(notes: list[dict[str, Any]], step: str) -> None:
    verdict = verdict_on(*notes)
    assert verdict.standing is Standing.FAIL
    assert step in verdict.steps


def test_program_has_what_the_page_did_and_repeats_it() -> None:
    found = judged(tree_of(*REGISTERED, *CALLED), "A page", "", "page", Verdicts(are_pinned=True))
    steps = [step.do for step in found.translation.program.steps("top")]
    assert steps == ["listen"] * 3 + [
        "registerTool",
        "waitFor",
        "executeTool",
        "waitFor",
        "timer",
        "waitFor",
        "resolve",
    ]


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ({"k": "unsaid", "why": "a form of the page is a tool"}, "a form"),
        ({"k": "call", "c": 1, "m": "getTools", "a": [{"v": {"$unsaid": "a value is too large"}}]}, "too large"),
        ({"k": "call", "c": 1, "m": "executeTool", "a": [{"o": [["name", {"$function": True}]]}]}, "a function"),
    ],
)
def test_recording_that_no_program_can_say_is_told_so(note: dict[str, Any], why: str) -> None:
    with pytest.raises(UnsaidError, match=why):
        verdict_on(note)


def test_notes_beyond_the_limit_are_not_kept() -> None:
    notes = Notes(3)
    notes.take([{"k": "document", "d": "p", "url": "", "origin": "", "loop": "", "has": True, "allowed": True}], "0")
    notes.take([{"k": "event", "d": "p"}] * 10, "0")
    assert notes.is_cut
    assert len(notes.documents["p"].notes) == 3


def test_document_is_gone_when_the_next_one_comes_into_its_frame() -> None:
    notes = Notes(1000)
    for name, time in (("first", 1.0), ("last", 3.0), ("second", 2.0)):
        began = {"k": "document", "url": name, "origin": ORIGIN, "loop": name, "has": True, "allowed": True}
        notes.take([{"d": name, "n": 1, "t": 1, "w": time, **began}], "0")
    gone = {name: document.gone and document.gone["url"] for name, document in notes.documents.items()}
    assert gone == {"first": "second", "second": "last", "last": None}


class _UndecidedByProfiles(Verdicts):
    def verdict_on(self, program: Program, observation: Observation, revision: Revision | None = None) -> Verdict:
        verdict = super().verdict_on(program, observation)
        return verdict if revision is None else Verdict(Standing.UNDECIDED, observation, "the search reached its limit")


def test_deviation_that_the_known_ones_may_explain_is_no_alarm() -> None:
    found = judged(tree_of(*REGISTERED[::2]), "A page", "", "chromium", _UndecidedByProfiles(are_pinned=True))
    assert (found.verdict.standing, found.known) == (Standing.UNDECIDED, None)


def test_page_that_is_gone_is_judged_up_to_a_quiet_place() -> None:
    tree = tree_of(*REGISTERED, *CALLED[:3], {"k": "hide"})
    assert (tree.judged, tree.left) == (3, 6)
    assert judged(tree, "A page", "", "page", Verdicts(are_pinned=True)).verdict.standing is Standing.PASS
