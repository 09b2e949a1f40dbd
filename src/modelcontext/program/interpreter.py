"""Running a program in the model: the same language as the modules in ``runtime``, in a simulated user agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from modelcontext.html import loading
from modelcontext.program.operations import Script
from modelcontext.program.outcome import Outcome
from modelcontext.program.stage import Stage

if TYPE_CHECKING:
    from modelcontext.html.document import Document
    from modelcontext.program.language import ProgramStep

#: More actions than this, and a program is taken to schedule itself for ever.
MOST_ACTIONS: Final = 100_000


class Run(Stage):
    """One run of a program under one schedule.

    Args:
        program: what to run.
        chooser: makes the free choices; first in, first out unless given.
        locate: tells where in the specification's algorithms the run is; None keeps no record of that.
        revision: runs it; the program's own unless given.
    """

    def new_script(self, id_: str, document: Document) -> Script:
        return Script(self, id_, document)

    def performs(self, id_: str, step: ProgramStep) -> None:
        """Here, there is nothing to note."""

    def start(self) -> None:
        """Make the documents of the start, and queue the start of their scripts."""
        self.world.enter()
        top = loading.create_a_new_top_level_traversable(self.user_agent, self.response("top"))
        self.arrive("top", top)
        initial = [spec for spec in self.program.documents.values() if not spec.later]
        for spec in initial:
            if spec.opener is not None:
                self.open(spec)
        for spec in initial:
            self.start_script(spec.id)

    def finish(self) -> Outcome:
        """Let everything happen that can, and return the outcome.

        Raises:
            RunawayError: for a program that schedules itself for ever.
        """
        self.world.run_until_idle(MOST_ACTIONS)
        return self.outcome()

    def outcome(self) -> Outcome:
        """Return what has been recorded so far."""
        return Outcome({name: tuple(log) for name, log in self.logs.items()}, tuple(sorted(self.unsettled)))
