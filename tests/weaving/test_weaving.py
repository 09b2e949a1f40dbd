"""Woven revisions: they have the changes and the lines of the original, which does not change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from modelcontext.spec.revisions.current import REVISION, tools
from modelcontext.spec.specification.code.steps import StepIndex
from modelcontext.spec.weaving.changes import (
    Before,
    Change,
    Instead,
    InsteadOf,
    Linking,
    Skip,
    Whole,
)

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision


def woven(*changes: Change) -> Revision:
    linking = Linking(REVISION)
    for change in changes:
        linking.apply(change)
    return linking.link()


def is_valid(revision: Revision, name: str) -> object:
    return revision.algorithms["valid-tool-name"](name)


def test_copy_without_changes_has_the_same_code_and_lines() -> None:
    copy = woven()
    assert copy.algorithms.keys() == REVISION.algorithms.keys()
    for id_, algorithm in REVISION.algorithms.items():
        assert copy.algorithms[id_] is not algorithm
        code, copied = algorithm.__code__, copy.algorithms[id_].__code__
        assert (copied.co_filename, copied.co_code) == (code.co_filename, code.co_code)
        # The first line of a function is that of its decorator, which a copy does not have.
        places = [list(one.co_positions()) for one in (copied, code)]
        for copied_place, place in zip(*places, strict=True):
            assert copied_place == place or place[0] == code.co_firstlineno


def test_copied_algorithm_calls_copies() -> None:
    copy = woven()
    assert (
        copy.algorithms["dom-modelcontext-registertool"].__globals__["valid_tool_name"]
        is (copy.algorithms["valid-tool-name"])
    )


def test_before_hook_gets_named_variables_and_can_end_the_algorithm() -> None:
    seen = []

    def before(name: str, code_unit_length: Callable[[str], int]) -> Instead | None:
        seen.append(code_unit_length(name))
        return Instead("ended") if name == "end" else None

    copy = woven(Before("valid-tool-name 2", before))
    assert [is_valid(copy, name) for name in ("", "a", "end", "?")] == [False, True, "ended", False]
    assert seen == [1, 3, 1]
    assert is_valid(REVISION, "end") is True


def test_skipped_step_does_nothing() -> None:
    copy = woven(Skip("valid-tool-name 1"))
    assert is_valid(copy, "") is True
    assert is_valid(REVISION, "") is False


def test_last_of_two_replacements_stands_around_the_first() -> None:
    def twice(go_on: Callable[[str], int], text: str) -> int:
        return 2 * go_on(text)

    def and_one(go_on: Callable[[str], int], text: str) -> int:
        return go_on(text) + 1

    lengths = []

    def look(name: str, code_unit_length: Callable[[str], int]) -> None:
        lengths.append(code_unit_length(name))

    copy = woven(
        InsteadOf("code_unit_length", twice),
        InsteadOf("code_unit_length", and_one, ("valid-tool-name",)),
        Before("valid-tool-name 2", look),
    )
    assert is_valid(copy, "a" * 63) is True
    assert is_valid(copy, "a" * 64) is False
    assert lengths == [127, 129]


def test_replacement_gets_the_variables_that_keyword_only_parameters_name() -> None:
    seen = []

    def counted(go_on: Callable[[str], int], text: str, *, name: str) -> int:
        seen.append((text, name))
        return go_on(text)

    assert is_valid(woven(InsteadOf("code_unit_length", counted)), "ab") is True
    assert seen == [("ab", "ab")]


def test_whole_algorithm_is_replaced_for_its_callers() -> None:
    copy = woven(Whole("valid-tool-name", lambda name: name == "only"))
    assert [is_valid(copy, name) for name in ("only", "a")] == [True, False]
    assert tools.valid_tool_name("a") is True


def test_line_of_a_copy_has_the_step_of_its_algorithm() -> None:
    lines = []

    def look(name: str) -> None:
        frame = sys._getframe(1)
        lines.append(StepIndex().locate(frame.f_code.co_filename, frame.f_lineno))

    copy = woven(Before("valid-tool-name 4", look), Skip("valid-tool-name 1"))
    is_valid(copy, "a")
    assert [(step.algorithm, step.number) for step in lines if step is not None] == [("valid-tool-name", "4")]


def test_idl_is_parsed_once_for_all_copies() -> None:
    assert woven().definitions is REVISION.definitions
