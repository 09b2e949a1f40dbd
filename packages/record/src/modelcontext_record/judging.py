"""The verdict on a recording: whether the specification allows what the browser did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.judging.conformance.verdict import Standing, Verdict, Verdicts
from modelcontext.judging.profiles import PROFILES, load_profile
from modelcontext.running.products.base import Ending, Observation
from modelcontext_record.translation import Translation, translated

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision
    from modelcontext_record.tree import PageTree


#: The largest number of runs of the model in a search; a run takes long if a page did much.
BOUND: Final = 3000


@dataclass(frozen=True)
class Judged:
    """A recording with its verdict.

    If the known deviations of the product explain what is not allowed, ``known`` names their profile. If there are others, the
    verdict is about these, and ``beyond`` names the profile. ``revision`` is that of the verdict, if it is not the program's.
    """

    translation: Translation
    verdict: Verdict
    known: str | None = None
    beyond: str | None = None
    revision: Revision | None = None


def judged(tree: PageTree, title: str, note: str, product: str, verdicts: Verdicts) -> Judged:
    """Judge what a page did.

    A program in which calls come as early as they can is easier to read and to repeat. It shows no deviation unless the one
    with every turn of the event loop does, too.

    Raises:
        UnsaidError: if no program can say what the page did.
    """
    translation, verdict = _judged(tree, title, note, verdicts)
    profile = next((name for name, of in PROFILES.items() if of == product), None)
    if verdict.standing is Standing.PASS or profile is None:
        return Judged(translation, verdict)
    # The product's known deviations must not hide others.
    revision = load_profile(profile).linked()
    its_translation, other = _judged(tree, title, note, verdicts, revision)
    if verdict.standing is Standing.FAIL and other.standing is not Standing.PASS:
        if other.standing is not Standing.FAIL:
            # Perhaps the known deviations explain it, so this is no alarm.
            return Judged(its_translation, other)
        if (verdict.place, verdict.observed) == (other.place, other.observed):
            # The text itself has the numbers of the steps.
            return Judged(translation, verdict, beyond=profile)
        return Judged(its_translation, other, beyond=profile, revision=revision)
    return Judged(translation, verdict, known=profile if other.standing is Standing.PASS else None)


def _judged(
    tree: PageTree, title: str, note: str, verdicts: Verdicts, revision: Revision | None = None
) -> tuple[Translation, Verdict]:
    found = []
    for strict in (False, True):
        translation = translated(tree, title, note, strict=strict)
        observation = Observation(Ending.OUTCOME, translation.observed)
        verdict = verdicts.verdict_on(translation.program, observation, revision)
        found.append((translation, verdict))
        if verdict.standing is Standing.PASS:
            return found[-1]
    undecided = [one for one in found if one[1].standing is not Standing.FAIL]
    return undecided[0] if undecided else found[0]
