"""Profiles of products. With a profile, the model predicts the behavior of its product."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from modelcontext.judging.profiles.composing import Composer
from modelcontext.judging.profiles.quirk import NamedDeviations, ProfileError, Quirk
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import NoMeaningError, SpecAssertionError
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.running.products.base import Ending, Observation
from modelcontext.spec.specification import SpecificationError
from modelcontext.spec.weaving.relinking import ChangeError, relinked

if TYPE_CHECKING:
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.spec.revisions.revision import Revision

#: The largest number of runs in the search for a predicted outcome or crash.
BOUND = 400
#: The number of schedules under which each quirk is tried alone, before the search for the fewest.
FEW = 4


@dataclass(frozen=True, eq=False)
class Profile(NamedDeviations):
    """The deviations of a product that the model can show: all of them are quirks."""

    quirks: Sequence[Quirk]
    _linked: dict[frozenset[str], Revision] = field(default_factory=dict, init=False)

    def linked(self, names: frozenset[str] | None = None) -> Revision:
        """Return the revision with the named quirks, or with all of them.

        Raises:
            ProfileError: if a quirk does not fit.
        """
        chosen = [quirk for quirk in self.quirks if names is None or quirk.name in names]
        key = frozenset(quirk.name for quirk in chosen)
        if key not in self._linked:
            changes = [change for quirk in chosen for change in quirk.changes]
            try:
                algorithms = self.composer.algorithms([quirk.name for quirk in chosen if quirk.patch])
                self._linked[key] = relinked(self.revision, changes, algorithms)
            except (ChangeError, SpecificationError) as error:
                words = ", ".join(sorted(key))
                raise ProfileError(
                    f"the profile {self.name} with the quirks {words} cannot be applied: {error}"
                ) from None
        return self._linked[key]

    @cached_property
    def composer(self) -> Composer:
        """The patches of the quirks, and what has been compiled of them."""
        return Composer(self.revision, {quirk.name: quirk.patch for quirk in self.quirks if quirk.patch})

    def explanation(self, program: Program, observation: Observation) -> tuple[str, ...]:
        """Return the fewest quirks with which the model predicts the observation; none if it does not with all of them.

        Of quirks that explain it equally well, the first is returned that does so under the first schedules.
        """
        if program.revision != self.revision.name or not self.predicts(program, observation):
            return ()
        alone = self._quirk_that_shows(program, observation)
        if alone is not None and not self.predicts(program, observation, frozenset()):
            return (alone,)
        return self._fewest(lambda names: self.predicts(program, observation, names))

    def _quirk_that_shows(self, program: Program, observation: Observation) -> str | None:
        """Return the first quirk that alone shows the outcome under one of a few schedules: far less work than a search."""
        outcome = observation.outcome
        if outcome is None or self._schedules_until_seen(program, outcome) is None:
            return None
        for quirk in self.quirks:
            if self._schedules_until_seen(program, outcome, frozenset({quirk.name}), FEW) is not None:
                return quirk.name
        return None

    def sampled_explanation(self, program: Program, observation: Observation) -> tuple[str, ...]:
        """Return what :meth:`explanation` does, if one of a few schedules shows the observation.

        With fewer quirks, only the schedules up to the one that shows it with all of them are tried.
        """
        if program.revision != self.revision.name:
            return ()
        outcome = observation.outcome
        if outcome is None:
            return self.explanation(program, observation)
        needed = self._schedules_until_seen(program, outcome)
        if needed is None:
            return ()
        return self._fewest(lambda names: self._schedules_until_seen(program, outcome, names, needed) is not None)

    def _fewest(self, predicts: Callable[[frozenset[str]], bool]) -> tuple[str, ...]:
        """Return the fewest quirks that predict what all together do."""
        names = [quirk.name for quirk in self.quirks]
        needed = list(names)
        to_do = [names]
        while to_do:
            # Most quirks do not matter, so many can be left out together.
            some = to_do.pop()
            fewer = [other for other in needed if other not in some]
            if predicts(frozenset(fewer)):
                needed = fewer
            elif len(some) > 1:
                middle = len(some) // 2
                to_do += [some[:middle], some[middle:]]
        if len(needed) > 1:
            for name in names:
                if predicts(frozenset({name})):
                    return (name,)
        return tuple(needed)

    def predicts(self, program: Program, observation: Observation, names: frozenset[str] | None = None) -> bool:
        """Return whether the model with the named quirks, or with all of them, allows the observation."""
        return self.membership(program, observation, names) == "allowed"

    def membership(
        self,
        program: Program,
        observation: Observation,
        names: frozenset[str] | None = None,
        bound: int = BOUND,
    ) -> str:
        """Return "allowed", "forbidden" or "undecided": the standing of an observation with the named quirks, or with all."""
        # It takes long to import, and only the names of quirks are needed elsewhere.
        from modelcontext.programs.program.exploration import allowed_outcomes
        from modelcontext.programs.program.membership import judge
        from modelcontext.programs.program.sample import BEFORE_A_SEARCH, schedules_until_seen

        revision = self.linked(names)
        try:
            if observation.ending is Ending.CRASH:
                allowed_outcomes(program, bound=bound, revision=revision)
            elif observation.outcome is not None:
                seen = schedules_until_seen(program, observation.outcome, revision=revision, most=BEFORE_A_SEARCH)
                if seen is not None:
                    return "allowed"
                return judge(program, observation.outcome, bound=bound, revision=revision).kind
        except NoMeaningError:
            # What a quirk asserts does not hold: where the product asserts it, it crashes.
            return "allowed" if observation.ending is Ending.CRASH else "forbidden"
        except (ProgramError, RunawayError, SpecAssertionError):
            # With the quirks the program is not valid, does not end, or breaks an assertion of the text.
            return "forbidden"
        return "forbidden"

    def _schedules_until_seen(
        self, program: Program, outcome: Outcome, names: frozenset[str] | None = None, most: int | None = None
    ) -> int | None:
        from modelcontext.programs.program.sample import SCHEDULES, schedules_until_seen

        try:
            return schedules_until_seen(program, outcome, revision=self.linked(names), most=most or SCHEDULES)
        except (ProgramError, RunawayError, SpecAssertionError):
            return None
