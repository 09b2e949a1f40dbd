"""Profiles of products, with which the model predicts the behavior of the product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.products.base import Ending, Observation
from modelcontext.profiles.quirk import CrashError, Quirk
from modelcontext.program import explore
from modelcontext.program.language import Program, ProgramError
from modelcontext.program.sample import is_seen
from modelcontext.weaving.changes import Linking

if TYPE_CHECKING:
    from modelcontext.revisions.revision import Revision

#: The largest number of runs in the search for a predicted outcome or crash.
BOUND = 400


@dataclass(frozen=True, eq=False)
class Profile:
    """The quirks of one product, with the revision that it implements."""

    name: str
    product: str
    revision: Revision
    quirks: Sequence[Quirk]
    _linked: dict[frozenset[str], Revision] = field(default_factory=dict, init=False)

    def linked(self, names: frozenset[str] | None = None) -> Revision:
        """Return the revision with the named quirks, or with all of them.

        Raises:
            ProfileError: if a quirk does not fit.
        """
        chosen = frozenset(quirk.name for quirk in self.quirks) if names is None else names
        if chosen not in self._linked:
            linking = Linking(self.revision)
            for quirk in self.quirks:
                if quirk.name in chosen:
                    quirk.apply(linking)
            self._linked[chosen] = linking.link()
        return self._linked[chosen]

    def explanation(self, program: Program, observation: Observation, *, sampled: bool = False) -> tuple[str, ...]:
        """Return the fewest quirks with which the model predicts the observation; none if it does not with all of them.

        Of quirks that explain it equally well, the first is returned. With ``sampled`` only some schedules are tried, so that
        an observation may count as not predicted although another schedule shows it.
        """
        if program.revision != self.revision.name:
            return ()
        names = [quirk.name for quirk in self.quirks]
        if not self.predicts(program, observation, sampled=sampled):
            return ()
        needed = list(names)
        to_do = [names]
        while to_do:
            # Most quirks do not matter, so many can be left out together.
            some = to_do.pop()
            fewer = [other for other in needed if other not in some]
            if self.predicts(program, observation, frozenset(fewer), sampled=sampled):
                needed = fewer
            elif len(some) > 1:
                middle = len(some) // 2
                to_do += [some[:middle], some[middle:]]
        if len(needed) > 1:
            for name in names:
                if self.predicts(program, observation, frozenset({name}), sampled=sampled):
                    return (name,)
        return tuple(needed)

    def predicts(
        self, program: Program, observation: Observation, names: frozenset[str] | None = None, *, sampled: bool = False
    ) -> bool:
        """Return whether the model with the named quirks, or with all of them, allows the observation.

        With ``sampled`` an outcome is predicted only if one of some schedules shows it.
        """
        revision = self.linked(names)
        try:
            if observation.ending is Ending.CRASH:
                explore.allowed_outcomes(program, bound=BOUND, revision=revision)
            elif observation.outcome is not None:
                return is_seen(program, observation.outcome, revision=revision) or (
                    not sampled
                    and explore.judge(program, observation.outcome, bound=BOUND, revision=revision).kind == "allowed"
                )
        except CrashError:
            return observation.ending is Ending.CRASH
        except (ProgramError, RunawayError, SpecAssertionError):
            # With the quirks the program is not valid, does not end, or breaks an assertion of the text.
            return False
        return False
