"""The verdict on a recording: whether the specification allows what the browser did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.judging.conformance.verdict import Standing, Verdict, Verdicts
from modelcontext.judging.profiles import PROFILES, load_profile
from modelcontext.running.products.base import Ending, Observation
from modelcontext_record.translation import Translation, translated

if TYPE_CHECKING:
    from modelcontext_record.tree import Tree


@dataclass(frozen=True)
class Judged:
    """A recording with its verdict; ``known`` has the quirks of the product's profile that explain what is not allowed."""

    translation: Translation
    verdict: Verdict
    known: tuple[str, ...] = ()


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
        for name in (name for name, of in PROFILES.items() if of == product):
            known = load_profile(name).explanation(translation.program, verdict.observation)
            return Judged(translation, verdict, known)
    return Judged(translation, verdict)


def _judged(tree: Tree, title: str, note: str, verdicts: Verdicts, *, strict: bool) -> tuple[Translation, Verdict]:
    translation = translated(tree, title, note, strict=strict)
    observation = Observation(Ending.OUTCOME, translation.observed)
    return translation, verdicts.verdict_on(translation.program, observation)
