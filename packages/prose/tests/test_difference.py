"""The difference between the code of two texts: a program that it does not concern has the same outcomes by both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.explored import KeptExploration, explore
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_prose.difference import Difference, difference
from modelcontext_prose.other_text import OtherText

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / CURRENT.text).read_text(encoding="utf-8")
FOLDERS = ("policy", "names", "signals")

NOT_ALLOWED = """    [=a promise rejected with=] a "{{NotAllowedError}}" {{DOMException}}.
1. Let |tool map| be"""
PROMISE = "1. Let |promise| be [=a new promise=] in [=this=]'s [=relevant realm=].\n1. If |signal|"
LOOKS_AGAIN = """1. If |tool owner| is not [=Document/fully active=], then return [=a promise rejected with=] an
    "{{InvalidStateError}}" {{DOMException}}.
"""
UNREGISTERS = "    1. [=Unregister a tool=] given [=this=] and |tool name|.\n"
REJECTS = "    1. [=Reject=] |promise| with |signal|'s [=AbortSignal/abort reason=].\n"
LENGTH = "1. If |name|'s [=string/length=] is greater than 128, then return false.\n"

#: The words before and after a change, and the steps and sides where runs can part.
CHANGES: Final[Mapping[str, tuple[str, str, set[str]]]] = {
    "another error": (
        NOT_ALLOWED,
        NOT_ALLOWED.replace("NotAllowedError", "SecurityError"),
        {"dom-modelcontext-registertool 4 1 yes"},
    ),
    "another look": (PROMISE, LOOKS_AGAIN + PROMISE, {"dom-modelcontext-registertool 16"}),
    "a moved step": (UNREGISTERS + REJECTS, REJECTS + UNREGISTERS, {"dom-modelcontext-registertool 17.1"}),
    "a missing step": (LENGTH, "", {"valid-tool-name 2"}),
    "a step at the end of steps": (
        UNREGISTERS + REJECTS,
        UNREGISTERS + REJECTS + REJECTS,
        {"dom-modelcontext-registertool 17.2"},
    ),
    "other blanks and breaks": (LENGTH, LENGTH.replace(" greater", "\n    greater"), set()),
}


def changed(before: str, after: str) -> OtherText:
    assert TEXT.count(before) == 1, before
    return OtherText(TEXT.replace(before, after), Path("index.bs"))


@pytest.fixture(scope="module")
def explored() -> Mapping[str, tuple[Program, KeptExploration]]:
    cases = [case for folder in FOLDERS for case in read_corpus(ROOT / CURRENT.programs / folder)]
    return {f"{case.path}": (case.program, explore(case.program)) for case in cases}


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("name", CHANGES)
def test_only_programs_that_reach_a_difference_have_other_outcomes(
    name: str, explored: Mapping[str, tuple[Program, KeptExploration]]
) -> None:
    before, after, keys = CHANGES[name]
    text = changed(before, after)
    found = difference(CURRENT, text)
    assert found == Difference(keys=frozenset(keys))
    concerned = set()
    others = set()
    for path, (program, own) in explored.items():
        if found.concerns(own.reached):
            concerned.add(path)
        if own.outcomes != set(allowed_outcomes(program, revision=text.revision()).outcomes):
            others.add(path)
    assert others <= concerned
    assert bool(others) is (name in ("another error", "a missing step"))
    assert len(concerned) < len(explored) or name in ("another look", "a missing step")


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  boolean untrustedContentHint = false;", "  boolean untrustedContentHint = true;"),
        (
            ": <dfn>exposed origins</dfn>",
            ": <dfn>exposure</dfn>\n:: a [=list=] of [=/origins=]\n: <dfn>exposed origins</dfn>",
        ),
        (
            "<div algorithm>\nTo <dfn id=parse-a-list-of-origins>",
            "<div algorithm>\nTo <dfn id=count>count</dfn> a [=string=] |name|:\n\n"
            "1. Return.\n\n</div>\n\n<div algorithm>\nTo <dfn id=parse-a-list-of-origins>",
        ),
    ],
    ids=["a default value of the IDL", "an item of a struct", "an algorithm for which the platform looks"],
)
def test_change_that_no_step_stands_for_is_a_difference_everywhere(before: str, after: str) -> None:
    assert difference(CURRENT, changed(before, after)) == Difference(is_everywhere=True)


@pytest.mark.usefixtures("takes_long")
def test_other_parameters_are_a_difference_at_the_entry() -> None:
    text = changed(
        "To <dfn id=parse-a-list-of-origins>parse a list of origins</dfn> given a [=list=] of [=strings=] |strings|:",
        "To <dfn id=parse-a-list-of-origins>parse a list of origins</dfn> given a [=list=] of [=strings=] |strings| and a"
        " [=string=] |base|:",
    )
    found = difference(CURRENT, text)
    assert "parse-a-list-of-origins" in found.algorithms
    assert found.concerns({"parse-a-list-of-origins 1"})
    assert not found.concerns({"valid-tool-name 1"})
