"""The verdict on a recording: whether the specification allows what the browser did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.judging.conformance.verdict import Standing, Verdict, Verdicts
from modelcontext.judging.profiles import PROFILES, load_profile
from modelcontext.programs.program.membership import judge
from modelcontext.running.products.base import Ending, Observation
from modelcontext_record.translation import Translation, translated

if TYPE_CHECKING:
    from modelcontext_record.tree import Tree


#: The largest number of runs of the model in a search; a run takes long if a page did much.
BOUND: Final = 3000


@dataclass(frozen=True)
class Judged:
    """A recording with its verdict; ``known`` is the profile of the product that explains what is not allowed, if one does."""

    translation: Translation
    verdict: Verdict
    known: str | None = None


def judged(tree: Tree, title: str, note: str, product: str, verdicts: Verdicts) -> Judged:
    """Judge what a page did.

    A program in which calls come as early as they can is easier to read and to repeat. It shows no deviation unless the one
    with every turn of the event loop does, too.

    Raises:
        UnsaidError: if no program can say what the page did.
    """
    translation, verdict = _judged(tree, title, note, verdicts, strict=False)
    if verdict.standing is not Standing.PASS:
        exact, its_verdict = _judged(tree, title, note, verdicts, strict=True)
        if its_verdict.standing is not Standing.FAIL or verdict.standing is not Standing.FAIL:
            translation, verdict = exact, its_verdict
    if verdict.standing is Standing.FAIL and verdict.observation is not None:
        program, outcome = translation.program, translation.observed
        for name in (name for name, of in PROFILES.items() if of == product):
            is_known = judge(program, outcome, revision=load_profile(name).linked(), is_pinned=True, bound=BOUND)
            return Judged(translation, verdict, name if is_known.kind == "allowed" else None)
    return Judged(translation, verdict)


def _judged(tree: Tree, title: str, note: str, verdicts: Verdicts, *, strict: bool) -> tuple[Translation, Verdict]:
    translation = translated(tree, title, note, strict=strict)
    observation = Observation(Ending.OUTCOME, translation.observed)
    return translation, verdicts.verdict_on(translation.program, observation)
