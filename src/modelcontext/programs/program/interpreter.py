"""The interpreter of programs in the model: the same language as the modules in ``runtime``, in a simulated user agent."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule.choose import FirstInFirstOut
from modelcontext.platform.html import loading
from modelcontext.programs.program.language import Program, ProgramStep
from modelcontext.programs.program.operations import Script
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.stage import Stage

if TYPE_CHECKING:
    from modelcontext.ground.schedule.fingerprint import State
    from modelcontext.platform.html.document import Document
    from modelcontext.programs.program.stage import Performer

#: A program with more actions counts as one that schedules itself forever.
MOST_ACTIONS: Final = 100_000


class Run(Stage):
    """One run of a program under one schedule.

    Args:
        program: the program to run.
        chooser: makes the free choices; first in, first out by default.
        locate: returns the place in the specification's algorithms that is running, which is recorded with each entry.
        revision: the revision to run; the program's own by default.
    """

    def new_script(self, id_: str, document: Document) -> Performer:
        """Make the script of a new document."""
        return Script(self, id_, document)

    def performs(self, id_: str, step: ProgramStep) -> None:
        """Ignore the step; only traces record it."""

    def run(self) -> Outcome:
        """Run the program until nothing is left to do, and return the outcome.

        Raises:
            RunawayError: if the program schedules itself forever.
        """
        self.start()
        self.world.run_until_idle(MOST_ACTIONS)
        return self.result()

    def start(self) -> Document:
        """Open the documents that are there at the beginning, and start their scripts; return ``top``."""
        self.world.enter()
        top = loading.create_a_new_top_level_traversable(self.user_agent, self.response("top"))
        self.arrive("top", top)
        initial = [spec for spec in self.program.documents.values() if not spec.later]
        for spec in initial:
            if spec.opener is not None:
                self.open(spec)
        self._come_to_rest()
        for spec in initial:
            self.start_script(spec.id)
        return top

    def _come_to_rest(self) -> None:
        """Run what the initial documents have queued, before any script that could tell.

        The markup has queued tools of forms. The first, empty documents of frames and popups have been unloaded. No script
        ever ran in them, so they take part in no execution.
        """
        chooser, self.user_agent.chooser = self.user_agent.chooser, FirstInFirstOut()
        self.user_agent.run_until_idle(MOST_ACTIONS)
        self.user_agent.chooser = chooser

    def state(self) -> State:
        """Return the state between two actions."""
        return self.user_agent.state(self, constant=(Program, ProgramStep))

    def processes(self) -> Sequence[object]:
        """Return all processes: those that run, those that can act, and those that wait."""
        return self.user_agent.processes()

    def running(self) -> Sequence[object]:
        """Return the tasks that have given way in their middle, outermost first."""
        return self.user_agent.running

    def whereabouts(self) -> Hashable:
        """Return a key for the state together with the number of entries so far."""
        return self.state().fingerprint, *sorted((name, len(log)) for name, log in self.logs.items())

    def left(self) -> tuple[str, ...]:
        """Return the labels of the unsettled promises."""
        return tuple(sorted(self.unsettled))

    def result(self) -> Outcome:
        """Return the outcome so far."""
        return Outcome(self.logs, self.left())
