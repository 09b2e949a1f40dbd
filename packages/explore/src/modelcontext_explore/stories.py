"""Stories of runs, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext_explore.showing import story_as_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.programs.tracing.story import Moment


@dataclass(frozen=True)
class ScenarioStory:
    """The story of a run: the moments that others can see, in order.

    ``others`` has what could have happened instead at the decisive choice, after which no other outcome was possible.
    """

    moments: Sequence[Moment]
    others: Sequence[str]

    def __str__(self) -> str:
        width = max((len(moment.who) for moment in self.moments), default=0)
        made = [
            f"{'*' if moment.is_decisive else ' '} {moment.who:<{width}}  {moment.words}"
            + (f" ({moment.step})" if moment.step else "")
            for moment in self.moments
        ]
        if self.others:
            made.append(
                "after *, every schedule leads to this outcome; instead of *, this was possible: "
                + "; ".join(self.others)
            )
        return "\n".join(made)

    def _repr_html_(self) -> str:
        return story_as_html(self.moments)
