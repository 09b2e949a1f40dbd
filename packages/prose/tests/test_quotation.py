"""Comparison of steps with their quotation: one change is one difference."""

from __future__ import annotations

import pytest

from modelcontext.spec.specification import Step
from modelcontext.spec.specification.code.comments import QuotedStep
from modelcontext_prose.clients.quotation import compare_steps

TEXT = (Step("1", "A."), Step("2", "If so:"), Step("2.1", "Return."), Step("3", "If not:"), Step("3.1", "Return."))


def differences(*quoted: tuple[str, str]) -> list[tuple[str, str | None, str | None]]:
    quotes = tuple(QuotedStep(number, text, line, line, 4) for line, (number, text) in enumerate(quoted, start=1))
    return [
        (item.kind, item.step.number if item.step else None, item.quoted.number if item.quoted else None)
        for item in compare_steps(TEXT, quotes)
    ]


@pytest.mark.parametrize(
    ("quoted", "expected"),
    [
        ("1 A.|2 If so:|2.1 Return.|3 If not:|3.1 Return.", []),
        ("1 A.|2 If so!|2.1 Return.|3 If not:|3.1 Return.", [("reworded", "2", "2")]),
        ("1 A.|2 If so:|3 If not:|3.1 Return.", [("missing", "2.1", "2")]),
        ("2 If so:|2.1 Return.|3 If not:|3.1 Return.", [("missing", "1", None)]),
        ("1 A.|2 If so:|2.1 Return.|2.2 B.|3 If not:|3.1 Return.", [("extra", None, "2.2")]),
        ("1 If so:|1.1 Return.|2 A.|3 If not:|3.1 Return.", [("moved", "1", "2")]),
        ("1 A.|3 If so:|3.1 Return.|3 If not:|3.1 Return.", [("renumbered", "2", "3"), ("renumbered", "2.1", "3.1")]),
        ("1 X.|2 Y.|2.1 Return.|3 If not:|3.1 Return.", [("reworded", "1", "1"), ("reworded", "2", "2")]),
    ],
)
def test_one_change_of_a_quotation_is_one_difference(
    quoted: str, expected: list[tuple[str, str | None, str | None]]
) -> None:
    pairs = [part.split(" ", 1) for part in quoted.split("|")]
    assert differences(*((number, text) for number, text in pairs)) == expected


def test_all_steps_are_missing_if_none_is_quoted() -> None:
    assert [kind for kind, _, _ in differences()] == ["missing"] * 5
