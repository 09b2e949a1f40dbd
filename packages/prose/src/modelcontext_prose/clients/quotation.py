"""Comparison of the steps that a function quotes with the steps of the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from modelcontext.spec.specification.code.comments import QuotedStep
    from modelcontext.spec.specification.text.algorithms import Step

Kind = Literal["missing", "extra", "moved", "reworded", "renumbered"]


@dataclass(frozen=True, slots=True)
class Misquotation:
    """A difference between the text's step and the quoted one; a side without a step is None.

    For a missing step, ``quoted`` is the step that it should follow, if any.
    """

    kind: Kind
    step: Step | None
    quoted: QuotedStep | None


def compare_steps(steps: tuple[Step, ...], quoted: tuple[QuotedStep, ...]) -> list[Misquotation]:
    """Return the differences between the text and its quotation, in the order of the text.

    Steps are matched by their wording first. So one missing or extra step is one difference, and not also a difference at
    each later step. Differing numbers are reported only if there are no other differences.
    """
    if [(step.number, step.text) for step in steps] == [(quote.number, quote.text) for quote in quoted]:
        return []
    differences = list(_structural(steps, quoted))
    if differences:
        return _join_moves(differences)
    return [
        Misquotation("renumbered", step, quote)
        for step, quote in zip(steps, quoted, strict=True)
        if step.number != quote.number
    ]


def _structural(steps: tuple[Step, ...], quoted: tuple[QuotedStep, ...]) -> Iterator[Misquotation]:
    matcher = SequenceMatcher(None, [step.text for step in steps], [quote.text for quote in quoted], autojunk=False)
    for operation, first, last, quoted_first, quoted_last in matcher.get_opcodes():
        if operation == "equal":
            continue
        by_number = {quote.number: quote for quote in quoted[quoted_first:quoted_last]}
        previous = quoted[quoted_first - 1] if quoted_first else None
        for step in steps[first:last]:
            counterpart = by_number.pop(step.number, None)
            if counterpart is None:
                yield Misquotation("missing", step, previous)
            else:
                yield Misquotation("reworded", step, counterpart)
                previous = counterpart
        for quote in by_number.values():
            yield Misquotation("extra", None, quote)


def _join_moves(differences: list[Misquotation]) -> list[Misquotation]:
    """Replace a missing and an extra step with the same words by one moved step."""
    extra = [item for item in differences if item.kind == "extra"]
    joined: list[Misquotation] = []
    for item in differences:
        other = next((other for other in extra if _same_words(item, other)), None)
        if other is not None:
            extra.remove(other)
            joined.append(Misquotation("moved", item.step, other.quoted))
        elif item.kind != "extra":
            joined.append(item)
    return [*joined, *extra]


def _same_words(missing: Misquotation, extra: Misquotation) -> bool:
    if missing.kind != "missing" or missing.step is None or extra.quoted is None:
        return False
    return missing.step.text == extra.quoted.text
