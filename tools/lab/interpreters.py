"""The two interpreters of programs against each other: the same choices, and the same outcome, schedule by schedule.

One interpreter is in Python, on values of the model; the other is the page side of the language, in JavaScript, on values of
the engine. Both have the stage of the model, so that whatever differs is a defect of one of them, or of a layer below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Self

from modelcontext.ground.schedule.choose import Chooser, RecordingChooser, Replay, ScheduleError, Seeded
from modelcontext.hosts.scripting.engine import EndOfRunError, LastingEngine
from modelcontext.hosts.scripting.scripted_browser import ScriptedUserAgent
from modelcontext.hosts.world import World
from modelcontext.platform.html.parallel import Strand
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.programs.program.exploration import BOUND, Exploration, allowed_outcomes
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.outcome import OutcomeError
from modelcontext.programs.program.staged import StagedRun
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Process
    from modelcontext.platform.html.event_loop import Task
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

#: The ends of a run without an outcome.
_FAILURES: Final = (EndOfRunError, OutcomeError, ProgramError, RunawayError, ScheduleError)


class StrandsRun(Run):
    """A run in which only steps in parallel act in the middle of a task, since the engine has one queue of microtasks."""

    def new_world(self, revision: Revision, chooser: Chooser | None) -> World:
        """Make the world of the run."""
        return World(revision, user_agent=ScriptedUserAgent(revision, chooser))


@dataclass(frozen=True)
class Divergence:
    """A schedule under which the interpreters differ: in a choice, or in what they show; each in words."""

    schedule: Sequence[int]
    python: str
    javascript: str


@dataclass(frozen=True)
class Agreement:
    """The comparison of one program.

    ``schedules`` were compared. ``complete`` says that they take every transition of the state space, or is None if that was
    not asked for. ``overlapping`` counts the allowed outcomes that only tasks of different event loops bring about, one in the
    middle of another; they are not compared.
    """

    schedules: int
    differences: Sequence[Divergence]
    complete: bool | None = None
    overlapping: int = 0


class _Recording(RecordingChooser):
    """A recorder of the options too."""

    def __init__(self, chooser: Chooser) -> None:
        super().__init__(chooser)
        self.choices: list[str] = []

    def pick(self, options: Sequence[Process]) -> int:
        if len(options) > 1:
            self.choices.append(" or ".join(map(_name, options)))
        return super().pick(options)

    def choose(self, label: str, count: int) -> int:
        self.choices.append(f"{label}, of {count}")
        return super().choose(label, count)


def _name(process: Process) -> str:
    if isinstance(process, Strand):
        return process.name
    task: Task = process  # type: ignore[assignment]
    where = task.document.url if task.document is not None else task.event_loop.name
    return f"{task.source} of {where}"


class Interpreters:
    """Both interpreters; a context manager, which ends the engines."""

    def __init__(self) -> None:
        self._engines = {name: LastingEngine(partial(start_process, revision)) for name, revision in REVISIONS.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for engine in self._engines.values():
            engine.close()

    def compare(
        self, program: Program, seeds: Sequence[int], *, complete: bool = False, bound: int = BOUND
    ) -> Agreement:
        """Run a program in both interpreters: first in, first out; with seeded schedules; and with all, if ``complete``.

        Raises:
            UnavailableError: if there is no engine.
        """
        choosers: list[Chooser] = [Replay(), *map(Seeded, seeds)]
        overlapping, mine = 0, None
        if complete:
            mine, covering = _covered(program, bound)
            choosers += map(Replay, covering)
            overlapping = len(allowed_outcomes(program, bound=bound).outcomes.keys() - mine.outcomes.keys())
        found = [difference for chooser in choosers for difference in self._differences(program, chooser)]
        return Agreement(len(choosers), found, mine.complete if mine is not None else None, overlapping)

    def _differences(self, program: Program, chooser: Chooser) -> Iterator[Divergence]:
        model = _Recording(chooser)
        expected = _ended(StrandsRun(program, model))
        engine = _Recording(Replay(model.schedule))
        observed = self._ended_in_engine(program, engine)
        for index, pair in enumerate(zip_longest(model.choices, engine.choices, fillvalue="the end")):
            if pair[0] != pair[1]:
                # Whatever follows, the outcome included, is about different schedules.
                yield Divergence(model.schedule, *(f"choice {index}: {words}" for words in pair))
                return
        if expected != observed:
            yield Divergence(model.schedule, expected, observed)

    def _ended_in_engine(self, program: Program, chooser: Chooser) -> str:
        return _ended(StagedRun(self._engines[program.revision].engine(), program, chooser))


def _covered(program: Program, bound: int) -> tuple[Exploration, list[Sequence[int]]]:
    """Explore a program; return schedules, too, that take every transition of its state space, and show every outcome.

    Of a space that is larger than the bound there are none.
    """
    schedules: list[Sequence[int]] = []

    class RecordedRun(StrandsRun):
        def __init__(self, program: Program, chooser: Chooser, revision: Revision | None = None) -> None:
            recorder = RecordingChooser(chooser)
            schedules.append(recorder.schedule)
            super().__init__(program, recorder, revision=revision)

    explored = allowed_outcomes(program, bound=bound, run=RecordedRun)
    taken = [*schedules, *map(explored.schedule_to, explored.outcomes)]
    return explored, taken if explored.complete else []


def _ended(run: Run) -> str:
    """Run; return the canonical text of the outcome, or the kind of failure."""
    try:
        return run.run().canonical
    except _FAILURES as error:
        return f"{type(error).__name__}: {error}"
