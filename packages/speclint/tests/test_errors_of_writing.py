"""Errors of writing: the place of each is told, and mostly the phrase that was meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from speclint.prose.prose_text import Step


class Error(NamedTuple):
    """A step that is right, a part of it, and what is written in its stead; ``at`` is where the error begins in that."""

    step: str
    right: str
    wrong: str
    at: str
    nearest: str


BOX = "Let |b| be a new [=box=] whose [=box/lid=] is null."
TASK = "[=Queue a global task=] on the [=shelf task source=] given |g| to [=resolve=] |p| with |x|."
REJECTED = 'Return [=a promise rejected with=] an "{{InvalidStateError}}" {{DOMException}}.'

ERRORS = [
    # Misspelt terms and words.
    Error('If |d| is [=allowed to use=] the "x" feature, then return.', "allowed to", "allowd to", "[=allowd",
          "[=allowed to use=]"),
    Error("[=list/Append=] |x| to |l|.", "Append", "Apend", "[=list/Apend", "[=list/append=]"),
    Error("If |x| is null, then [=iteration/continue=].", "continue", "contineu", "[=iteration/", "[=iteration/continue=]"),
    Error("[=Remove a box=] given |d| and |n|.", "Remove a", "Remov from a", "[=Remov", "[=remove a box=]"),
    Error("Let |x| be |b|'s [=box/content=].", "content", "contnet", "[=box/contnet", "[=box/content=]"),
    Error("Let |p| be [=a new promise=] in |r|.", "promise", "promize", "[=a new promize", "[=a new promise=]"),
    Error(TASK, "global", "globel", "[=Queue", "[=queue a global task=]"),
    Error(TASK, "shelf task", "self task", "[=self", "[=shelf task source=]"),
    Error("Let |x| be null.", "Let", "Lett", "Lett", "Let {variable} be {value}."),
    Error("If |x| is null, then return.", "then", "thne", "thne", "If {condition}, then {acts}."),
    Error("Let |x| be the result of [=weighing=] given |f|, |u|, and |s|.", "result", "resullt", "resullt",
          "the result of [={algorithm}=] given {arguments}"),
    # Wrong owners.
    Error("Let |o| be |url|'s [=url/origin=].", "url/origin", "navigable/origin", "[=navigable", "[=url/origin=]"),
    Error("If |m|[|k|] [=map/exists=], then return.", "map/", "list/", "[=list/", "[=map/exists=]"),
    Error("Let |x| be |b|'s [=box/lid=].", "box/lid", "crate/lid", "[=crate/lid", "[=box/lid=]"),
    Error("[=list/Append=] |x| to |l|.", "list/", "map/", "[=map/", "[=list/append=]"),
    Error("If |s| is [=AbortSignal/aborted=], then return.", "AbortSignal", "AbortController", "[=AbortController",
          "[=AbortSignal/aborted=]"),
    Error('Let |x| be |o|["{{TakeOptions/label}}"].', "TakeOptions/label", "TakeOptions/lable", '"{{',
          "{{TakeOptions/label}}"),
    # Missing links.
    Error('If |d| is [=allowed to use=] the "x" feature, then return.', "[=allowed to use=]", "allowed to use", "allowed",
          "{document} is [=allowed to use=] the {feature} feature"),
    Error("If |m|[|k|] [=map/exists=], then return.", "[=map/exists=]", "exists", "exists", "{entry} [=map/exists=]"),
    Error("Let |n| be |d|'s [=node navigable=].", "[=node navigable=]", "node navigable", "node", "[=node navigable=]"),
    Error(TASK, "[=Queue a global task=]", "Queue a global task", "Queue", "[=queue a global task=]"),
    Error(REJECTED, "[=a promise rejected with=]", "a promise rejected with", "promise",
          "[=a promise rejected with=] {reason}"),
    Error("[=list/Append=] |x| to |l|.", "[=list/Append=]", "Append", "|x|", "[=list/append=] {item} to {list}"),
    # Wrong articles.
    Error("Let |l| be an empty [=list=].", "an empty", "a empty", "a empty", "an empty"),
    Error(BOX, "a new", "an new", "an new", "a new"),
    Error(REJECTED, "] an ", "] a ", 'a "{{', 'an "{{InvalidStateError}}"'),
    Error("If |o| is an [=opaque origin=], then return.", "an [", "a [", "a [=opaque", "an [=opaque origin=]"),
    # Unknown phrases.
    Error("[=list/Append=] |x| to |l|.", "[=list/Append=] |x| to |l|", "Ponder |l|", "Ponder", ""),
    Error("If |d| is null, then return.", "null", "sufficiently old", "sufficiently", ""),
    Error("Let |n| be |d|'s [=node navigable=].", "|d|'s [=node navigable=]", "the opposite of |d|", "opposite", ""),
]  # fmt: skip


def reads(error: Error, steps_of: Callable[[str], tuple[Step, ...]]) -> tuple[Step, int]:
    """Return a step with its error, and the column of the error."""
    assert error.step.count(error.right) >= 1
    sentence = error.step.replace(error.right, error.wrong, 1)
    [step] = steps_of(f"1. {sentence}")
    begin = error.step.index(error.right)
    return step, 4 + sentence.index(error.at, max(0, begin - 20))


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: f"{error.wrong} for {error.right}")
def test_place_of_an_error_is_told(error: Error, steps_of: Callable[[str], tuple[Step, ...]]) -> None:
    [right] = steps_of(f"1. {error.step}")
    assert right.problem is None
    step, column = reads(error, steps_of)
    assert step.problem is not None
    assert step.problem.kind == "not understood"
    assert step.problem.place.column == column


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (REJECTED.replace("] an ", "] a "), 'wrong article at \'a "{{InvalidStateError}}"'),
        (REJECTED.replace("Invalid", "NotValid"), 'wrong article at \'an "{{NotValidStateError}}"'),
        ("Return [=a promise rejected with=] an orange.", "not understood at '"),
    ],
)
def test_wrong_article_is_named(sentence: str, message: str, steps_of: Callable[[str], tuple[Step, ...]]) -> None:
    problem = steps_of(f"1. {sentence}")[0].problem
    assert problem is not None
    assert problem.message.startswith(message)


def test_nearest_phrase_is_what_was_meant_in_most_errors(steps_of: Callable[[str], tuple[Step, ...]]) -> None:
    assert len(ERRORS) == 30
    meant = []
    for error in ERRORS:
        problem = reads(error, steps_of)[0].problem
        assert problem is not None
        if error.nearest and problem.nearest[:1] == (error.nearest,):
            meant.append(error)
    assert len(meant) >= 20
