"""Litmus tests with a script in the place of the API, under every schedule, held against the allowed set."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from modelcontext.ground.schedule.choose import RecordingChooser, Replay, Seeded
from modelcontext.hosts.scripting.engine import EndOfRunError, LastingEngine
from modelcontext.hosts.scripting.page_schedules import MOST_CHOICES, ScriptSearch
from modelcontext.hosts.scripting.timers import Timer, Timers
from modelcontext.platform.html.event_loop import TIMER_TASK_SOURCE
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.outcome import Outcome, canonical_entry
from modelcontext.programs.program.staged import StagedRun
from modelcontext.running.products.page import own_interfaces
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.hosts.scripting.engine import ScriptEngine
    from modelcontext.judging.litmus.language import Litmus
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.programs.program.exploration import Exploration
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

#: The sampled schedules of a test whose schedules are too many.
SAMPLED: Final = 200


class _TimersAtAnyTime(Timers):
    """Timers of scripts that fire in the order in which they were set, and at any time, as those of programs do."""

    def start(self, timer: Timer) -> None:
        """Let a timer fire at any time."""
        document = timer.document
        if timer.every is not None:
            raise EndOfRunError("setInterval() has infinitely many schedules, which the search does not explore")

        def run_steps_after_a_timeout() -> ParallelSteps:
            document.event_loop.queue_a_task(TIMER_TASK_SOURCE, document, lambda: self.fire(timer))
            yield from ()

        document.event_loop.user_agent.in_parallel(run_steps_after_a_timeout(), document.window.timers)


class InjectedRun(StagedRun):
    """One run of a program with a script in the place of the API; ``broken`` says why it has no outcome."""

    def __init__(self, engine: ScriptEngine, program: Program, chooser: Chooser, scripts: Sequence[str]) -> None:
        super().__init__(engine, program, chooser, scripts)
        self.browser.parts.timers = _TimersAtAnyTime()
        self.broken: str | None = None

    @property
    def has_broken_off(self) -> bool:
        """True if the run has no outcome."""
        return self.broken is not None

    def run(self) -> Outcome:
        """Run the program; where it breaks off, the outcome has the entries so far."""
        try:
            return super().run()
        except (EndOfRunError, NoMeaningError, ProgramError, RunawayError) as error:
            self.broken = str(error)
            return self.result()

    def left(self) -> tuple[str, ...]:
        """Return the labels of the unsettled promises, and why the run broke off."""
        return (*super().left(), *([f"broken off: {self.broken}"] if self.broken is not None else ()))


@dataclass
class HeldTest:
    """A test held against the text.

    ``inside`` has the allowed outcomes that were seen, by canonical text, ``outside`` the others, each with its smallest
    schedule. Whether an event is trusted does not count, since no script can make it so. If ``complete``, there are no others
    under any schedule; else ``runs`` schedules were tried.
    """

    complete: bool
    runs: int
    covered: int
    inside: set[str] = field(default_factory=set)
    outside: list[tuple[Outcome, Sequence[int]]] = field(default_factory=list)


class Injected:
    """A script in the place of the API of a revision; a context manager."""

    def __init__(self, revision: str, scripts: Sequence[str]) -> None:
        self._revision: Revision = REVISIONS[revision]
        self._scripts = [_without_api(self._revision), *scripts]
        self._engine = LastingEngine(lambda: start_process(self._revision))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    def make_run(self, program: Program, chooser: Chooser) -> InjectedRun:
        """Return a run of a program that has not begun."""
        return InjectedRun(self._engine.engine(), program, chooser, self._scripts)

    def replay(self, litmus: Litmus, schedule: Sequence[int]) -> Outcome:
        """Return the outcome under a schedule."""
        return self.make_run(litmus.program, Replay(schedule)).run()

    def hold(
        self, litmus: Litmus, allowed: Exploration, bound: int, ran: Callable[[], None] = lambda: None
    ) -> HeldTest:
        """Run a test under every schedule, or under sampled ones if there are more than the bound."""
        wanted = {_key(outcome): text for text, outcome in allowed.outcomes.items()}
        search: ScriptSearch[InjectedRun] = ScriptSearch(
            lambda chooser: self.make_run(litmus.program, chooser), _canonical, bound, MOST_CHOICES, ran
        )
        results = [(run.result(), schedule) for run, schedule in search.found()]
        runs, covered = search.graph.runs, search.graph.schedules()
        if not search.is_complete:
            for seed in range(1, SAMPLED + 1):
                chooser = RecordingChooser(Seeded(seed))
                ran()
                results.append((self.make_run(litmus.program, chooser).run(), chooser.schedule))
            runs, covered = runs + SAMPLED, covered + SAMPLED
        held = HeldTest(search.is_complete, runs, covered)
        for key, (outcome, schedule) in {_key(outcome): (outcome, way) for outcome, way in results}.items():
            if key in wanted:
                held.inside.add(wanted[key])
            else:
                held.outside.append((outcome, search.smallest(schedule, _shows(key))))
        return held


def _canonical(entry: Any) -> Hashable:
    return canonical_entry(entry)


def _shows(key: str) -> Callable[[InjectedRun], bool]:
    return lambda run: _key(run.result()) == key


def _key(outcome: Outcome) -> str:
    """Return the key by which outcomes are compared: no script can make an event trusted."""
    logs = {
        name: [
            {**entry, "flags": [flag for flag in entry["flags"] if flag != "trusted"]} if "flags" in entry else entry
            for entry in log
        ]
        for name, log in outcome.logs.items()
    }
    return Outcome(logs, outcome.pending).canonical


def _without_api(revision: Revision) -> str:
    """Return a script that takes the API away."""
    names = json.dumps(own_interfaces(revision))
    return (
        f"for (const name of {names}) delete self[name];\n"
        "delete Document.prototype.modelContext;\n"
        "if (self.Navigator) delete Navigator.prototype.modelContext;\n"
    )
