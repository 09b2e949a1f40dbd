"""The smallest program that shows a recorded deviation: the product runs smaller programs until none of them shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from modelcontext.judging.conformance.verdict import Standing, Verdict, Verdicts
from modelcontext_fuzz.shrink import shrink

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.running.products.base import Product
    from modelcontext.spec.revisions.revision import Revision

#: The largest number of smaller programs that run.
MOST: Final = 300


def shrunk(
    program: Program, verdict: Verdict, product: Product, verdicts: Verdicts, revision: Revision | None = None
) -> Program | None:
    """Return the smallest program that deviates at the same step; None if the recorded one does not do so again.

    Args:
        program: the program of a recording.
        verdict: its verdict, which is a failure.
        product: the product that was recorded; it is running.
        verdicts: judge what the product does.
        revision: the revision by which the recording was judged; the program's own by default.
    """

    def shows(group: Sequence[Program]) -> int | None:
        for index, observation in enumerate(product.run_many(group)):
            found = verdicts.verdict_on(group[index], observation, revision)
            if found.standing is Standing.FAIL and found.steps[:1] == verdict.steps[:1]:
                return index
        return None

    return shrink(program, shows, MOST) if shows([program]) is not None else None
