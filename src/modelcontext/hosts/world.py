"""A world: a simulated user agent that runs one revision of the specification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.ground.schedule import footprint
from modelcontext.hosts.simulated.simulated_host import SimulatedHost
from modelcontext.platform.html.user_agent import UserAgent
from modelcontext.spec.revisions.current import REVISION as CURRENT
from modelcontext.spec.verbs.verbs import use

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.spec.revisions.revision import Revision


class World:
    """A user agent, its host, and the bindings of a revision.

    Args:
        revision: the revision of the specification.
        chooser: makes the free choices; by default first in, first out.
        user_agent: the user agent, with a chooser of its own; by default a new one.
        host: the host of that user agent.
    """

    def __init__(
        self,
        revision: Revision = CURRENT,
        chooser: Chooser | None = None,
        *,
        user_agent: UserAgent | None = None,
        host: SimulatedHost | None = None,
    ) -> None:
        self.revision = revision
        self.boundary = revision.boundary
        self.user_agent = user_agent or UserAgent(revision, chooser)
        self.host = host or SimulatedHost(self.user_agent, self.boundary)

    def enter(self) -> None:
        """Make this the current world of algorithms, until another one is entered."""
        use(self.host)
        footprint.call_before_shared_writes(self.user_agent.let_others_run)

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the world continues, for fingerprints."""
        return (self.user_agent,)

    def run_until_idle(self, bound: int = 1_000_000) -> None:
        """Enter the world, and perform actions until none is enabled.

        Raises:
            RunawayError: after ``bound`` actions.
        """
        self.enter()
        self.user_agent.run_until_idle(bound)
