"""Relinked revisions: they have the changes and the code of the original, which does not change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from modelcontext.spec.revisions.current import REVISION, tools
from modelcontext.spec.weaving.relinking import ChangeError, InsteadOf, relinked


def is_valid(*changes: InsteadOf) -> Callable[[str], object]:
    return relinked(REVISION, changes).algorithms["valid-tool-name"]


def test_copy_without_changes_has_the_same_code() -> None:
    copy = relinked(REVISION)
    assert copy.algorithms.keys() == REVISION.algorithms.keys()
    for id_, algorithm in REVISION.algorithms.items():
        assert copy.algorithms[id_] is not algorithm
        assert copy.algorithms[id_].__code__ is algorithm.__code__


def test_copied_algorithm_calls_copies() -> None:
    copy = relinked(REVISION)
    globals_ = copy.algorithms["dom-modelcontext-registertool"].__globals__
    assert globals_["valid_tool_name"] is copy.algorithms["valid-tool-name"]
    assert globals_["ToolDefinition"] is vars(tools).get("ToolDefinition", globals_["ToolDefinition"])


def test_last_of_two_changes_stands_around_the_first() -> None:
    def twice(go_on: Callable[[str], int], text: str) -> int:
        return 2 * go_on(text)

    def and_one(go_on: Callable[[str], int], text: str) -> int:
        return go_on(text) + 1

    changed = is_valid(
        InsteadOf("code_unit_length", twice), InsteadOf("code_unit_length", and_one, ("valid-tool-name",))
    )
    assert [changed("a" * length) for length in (63, 64)] == [True, False]
    assert tools.valid_tool_name("a" * 64) is True


def test_change_gets_variables_of_the_algorithm() -> None:
    seen = []

    def counted(go_on: Callable[[str], int], text: str, *, name: str) -> int:
        seen.append((text, name))
        return go_on(text)

    assert is_valid(InsteadOf("code_unit_length", counted, variables=("name",)))("ab") is True
    assert seen == [("ab", "ab")]


def test_algorithm_of_another_revision_stands_for_that_of_the_same_id() -> None:
    def valid_tool_name(name: str) -> bool:
        return name == "only"

    copy = relinked(REVISION, algorithms={"valid-tool-name": valid_tool_name})
    assert [copy.algorithms["valid-tool-name"](name) for name in ("only", "a")] == [True, False]
    caller = copy.algorithms["dom-modelcontext-registertool"]
    assert caller.__globals__["valid_tool_name"] is copy.algorithms["valid-tool-name"]
    assert tools.valid_tool_name("a") is True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (InsteadOf("same_origin", len, ("no-such-algorithm",)), "there is no algorithm no-such-algorithm in current"),
        (InsteadOf("no_such_verb", len), "no_such_verb is not called in current"),
        (InsteadOf("same_origin", len, ("find-a-tool-to-execute", "valid-tool-name")), "same_origin is not called in"),
    ],
)
def test_change_that_does_not_fit_is_an_error(change: InsteadOf, message: str) -> None:
    with pytest.raises(ChangeError, match=f"^{message}"):
        relinked(REVISION, [change])


def test_idl_is_parsed_once_for_all_copies() -> None:
    assert relinked(REVISION).definitions is REVISION.definitions
