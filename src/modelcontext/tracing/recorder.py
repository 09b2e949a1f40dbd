"""Running a program in the model and writing down everything that happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.program.interpreter import Run
from modelcontext.revisions.registry import REVISIONS
from modelcontext.schedule.choose import Process, Replay
from modelcontext.tracing.items import Choice, Entry, Frame, Item, ScriptStep, State, StepReached, Trace, Turn
from modelcontext.tracing.probes import inventory, with_probes
from modelcontext.tracing.snapshot import Snapshots

if TYPE_CHECKING:
    from modelcontext.program.language import Program, ProgramStep
    from modelcontext.revisions.revision import Revision
    from modelcontext.tracing.instrumentation import StepOf

#: More frames than this, and a program is taken to schedule itself for ever.
MOST_FRAMES: Final = 50_000


def trace(program: Program, schedule: Sequence[int] = (), *, most_frames: int = MOST_FRAMES) -> Trace:
    """Run a program under one schedule (then first in, first out), and tell everything that happens.

    What ends a run early, a program that schedules itself for ever or an assertion that does not hold, is the trace's
    ``problem``; the frames up to there are kept.

    Raises:
        ScheduleError: for a schedule that does not fit the program.
        ProgramError: for a program that uses, under this schedule, what is not there yet.
    """
    recorder = _Recorder(program, schedule, most_frames)
    problem = None
    try:
        recorder.run.start()
        recorder.run.finish()
    except (RunawayError, SpecAssertionError) as error:
        problem = str(error)
    return recorder.trace(problem)


class _WatchedChooser(Replay):
    """Tells a recorder of every choice."""

    def __init__(self, answers: Sequence[int], recorder: _Recorder) -> None:
        super().__init__(answers)
        self._recorder = recorder

    def pick(self, options: Sequence[Process]) -> int:
        names = self._recorder.names_of(options)
        index = self._choose("what happens next", names) if len(names) > 1 else 0
        self._recorder.acts(options[index])
        return index

    def choose(self, label: str, count: int) -> int:
        return self._choose(label, tuple(map(str, range(count))))

    def _choose(self, label: str, options: tuple[str, ...]) -> int:
        position = len(self.schedule)
        answer = super().choose(label, len(options))
        self._recorder.add(Choice(label, options, answer, position))
        return answer


class _WatchedRun(Run):
    def __init__(self, program: Program, chooser: Replay, revision: Revision, recorder: _Recorder) -> None:
        super().__init__(program, chooser, revision=revision)
        self._recorder = recorder

    def performs(self, id_: str, step: ProgramStep) -> None:
        self._recorder.add(ScriptStep(id_, step.do, step.label, step.place))

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        super().record(id_, entry, source)
        self._recorder.add(Entry(self.program.log_of(id_), {"in": id_, **entry}))


class _Recorder:
    """Takes note of what happens in a run. The state that an item leaves behind is taken when the next one comes."""

    def __init__(self, program: Program, schedule: Sequence[int], most_frames: int) -> None:
        self._chooser = _WatchedChooser(schedule, self)
        revision = REVISIONS[program.revision]
        self.run = _WatchedRun(program, self._chooser, with_probes(revision, self.reached), self)
        self._snapshots = Snapshots(self.run)
        self._texts = inventory(revision.package).texts
        self._most_frames = most_frames
        self._frames: list[Frame] = []
        self._states: list[State] = [self._snapshots.take()]
        self._last: tuple[Item, str] | None = None
        self._actor = "the start"

    def reached(self, step: StepOf) -> None:
        """A step runs; while it goes on, it is not said again."""
        item = StepReached(step.algorithm, step.number, self._texts[step])
        if self._last is None or self._last[0] != item:
            self.add(item)

    def add(self, item: Item) -> None:
        """Something happens."""
        self._settle()
        self._last = item, self._actor
        if len(self._frames) > self._most_frames:
            raise RunawayError(
                f"still not idle after {self._most_frames:,} steps; does a script schedule itself for ever?"
            )

    def names_of(self, processes: Sequence[Process]) -> tuple[str, ...]:
        """Return what to call each process that can act next."""
        running = self.run.user_agent.running
        return tuple("go on: " * (process in running) + self._snapshots.name(process) for process in processes)

    def acts(self, process: Process) -> None:
        """A process acts next: it has its turn, or goes on after giving way."""
        self._actor = self._snapshots.name(process)
        if process not in self.run.user_agent.running:
            self.add(Turn(self._actor))

    def _settle(self) -> None:
        """Write down the state that the last item left behind, and the item with it."""
        state = self._snapshots.take()
        if state != self._states[-1]:
            self._states.append(state)
        if self._last is not None:
            item, actor = self._last
            self._frames.append(Frame(item, actor, len(self._states) - 1))
            self._last = None

    def trace(self, problem: str | None) -> Trace:
        """Return what has been written down."""
        self._settle()
        return Trace(self._frames, self._states, self.run.outcome(), self._chooser.schedule, problem)
