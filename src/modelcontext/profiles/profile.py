"""Profiles of products: with one of them the model predicts what the product does."""

from __future__ import annotations

from collections.abc import Sequence
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

#: How many runs the search for a predicted outcome, or crash, may take.
BOUND = 400


class Profile:
    """The quirks of one browser, in a revision that it implements."""

    def __init__(self, name: str, product: str, revision: Revision, quirks: Sequence[Quirk]) -> None:
        self.name = name
        self.product = product
        self.revision = revision
        self.quirks = tuple(quirks)
        self._linked: dict[frozenset[str], Revision] = {}

    def linked(self, names: frozenset[str] | None = None) -> Revision:
        """Return the revision with these quirks in it; with all of them unless named.

        Raises:
            ProfileError: if a quirk fits nowhere.
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
        """Return the fewest quirks with which the model predicts the observation; empty if it does not with all of them.

        Where one quirk explains as much as another one, the first of them is named.
        With ``sampled`` only some schedules are tried: then what is not predicted may be, under another one.
        """
        if program.revision != self.revision.name:
            return ()
        names = [quirk.name for quirk in self.quirks]
        if not self.predicts(program, observation, sampled=sampled):
            return ()
        # What predicts it is found at once, what does not takes long; so what can be left out comes first.
        needed = list(names)
        for name in reversed(names):
            fewer = [other for other in needed if other != name]
            if self.predicts(program, observation, frozenset(fewer), sampled=sampled):
                needed = fewer
        if len(needed) > 1:
            for name in names:
                if self.predicts(program, observation, frozenset({name}), sampled=sampled):
                    return (name,)
        return tuple(needed)

    def predicts(
        self,
        program: Program,
        observation: Observation,
        names: frozenset[str] | None = None,
        *,
        sampled: bool = False,
    ) -> bool:
        """Return whether the model with these quirks (all, unless named) allows the observation.

        With ``sampled`` an outcome is predicted only if one of some schedules shows it.
        """
        revision = self.linked(names)
        try:
            if observation.ending is Ending.CRASH:
                explore.allowed_outcomes(program, bound=BOUND, revision=revision)
            elif observation.outcome is not None:
                if is_seen(program, observation.outcome, revision=revision):
                    return True
                if sampled:
                    return False
                return explore.judge(program, observation.outcome, bound=BOUND, revision=revision).kind == "allowed"
        except CrashError:
            return observation.ending is Ending.CRASH
        except (ProgramError, RunawayError, SpecAssertionError):
            # With the quirks the program means nothing, or does not end, or an assertion of the text does not hold.
            return False
        return False
