"""The outcomes of programs by the texts of a proposal, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.judging.litmus.language import in_order
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import describe
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision
    from modelcontext_prose.other_text import OtherText


def revision_of(text: OtherText) -> Revision:
    """Return the revision of a text all of whose steps have a meaning.

    Raises:
        SpecificationError: if a step has no meaning, or two.
    """
    for line in text.unclear():
        raise SpecificationError(f"the compiler does not understand this step of the proposal: {line}")
    return text.revision()


def outcome_set(program: Program, revision: Revision) -> list[list[str]]:
    """Return the outcomes that a revision allows a program: the lines of each, in an order of their own.

    Raises:
        SpecificationError: if the search was cut off.
        NoMeaningError: if the text lacks what the program calls.
    """
    found = allowed_outcomes(program, revision=revision)
    if not found.complete:
        raise SpecificationError(f"{program.source}: the search reached its limit of {found.bound:,} runs")
    return [describe(one) for one in in_order([*found.outcomes.values()])]
