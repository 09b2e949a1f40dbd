"""A recorder of all events while a program runs in the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule.choose import Chooser, Process, Replay
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.tracing.items import Choice, Entry, Frame, Item, ScriptStep, State, StepReached, Trace, Turn
from modelcontext.programs.tracing.probes import inventory, with_probes
from modelcontext.programs.tracing.snapshot import Snapshots
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program, ProgramStep
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.programs.tracing.instrumentation import StepOf
    from modelcontext.spec.revisions.revision import Revision

#: A program with more frames counts as one that does not end.
MOST_FRAMES: Final = 50_000


def trace(
    program: Program,
    schedule: Sequence[int] = (),
    *,
    most_frames: int = MOST_FRAMES,
    revision: Revision | None = None,
) -> Trace:
    """Run a program under one schedule, continued first in, first out, and return its trace.

    If the program does not end, or an assertion fails, this is the trace's ``problem``; the frames up to there
    are kept. The revision is the program's own, unless another one is given.

    Raises:
        ScheduleError: if the schedule does not fit the program.
        ProgramError: if the program uses, under this schedule, something that does not exist yet.
    """
    recorder = Recorder(revision or REVISIONS[program.revision], Replay(schedule), most_frames)
    run = _WatchedRun(program, recorder.chooser, recorder.revision, recorder)
    recorder.begin(Snapshots(run.user_agent, run.ids, run.promises, program.log_of))
    problem = None
    try:
        run.run()
    except (RunawayError, SpecAssertionError) as error:
        problem = str(error)
    return recorder.trace(run.result(), problem)


class WatchedChooser(Chooser):
    """A chooser that tells a recorder of every choice that another one makes; ``schedule`` has the answers so far."""

    def __init__(self, chooser: Chooser, recorder: Recorder) -> None:
        self._chooser = chooser
        self._recorder = recorder
        self.schedule: list[int] = []

    def pick(self, options: Sequence[Process]) -> int:
        """Choose the process that acts next."""
        names = self._recorder.names_of(options)
        index = self._choose("what happens next", names) if len(names) > 1 else 0
        self._recorder.acts(options[index])
        return index

    def choose(self, label: str, count: int) -> int:
        """Make a free choice inside an action."""
        return self._choose(label, tuple(map(str, range(count))))

    def _choose(self, label: str, options: tuple[str, ...]) -> int:
        position = len(self.schedule)
        answer = self._chooser.choose(label, len(options))
        self.schedule.append(answer)
        self._recorder.add(Choice(label, options, answer, position))
        return answer


class _WatchedRun(Run):
    def __init__(self, program: Program, chooser: Chooser, revision: Revision, recorder: Recorder) -> None:
        super().__init__(program, chooser, revision=revision)
        self._recorder = recorder

    def performs(self, id_: str, step: ProgramStep) -> None:
        self._recorder.add(ScriptStep(id_, step.do, step.label, step.place))

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        super().record(id_, entry, source)
        self._recorder.add(Entry(self.program.log_of(id_), {"in": id_, **entry}))


class Recorder:
    """A recorder of the items of a run; the state after an item is taken when the next item comes.

    Args:
        revision: the revision.
        chooser: makes the free choices; the run gets ``self.chooser``, which asks it.
        most_frames: the most items; a run with more counts as one that does not end.

    The run gets ``revision``, a copy with probes. :meth:`begin` is called when its user agent is there.
    """

    def __init__(self, revision: Revision, chooser: Chooser, most_frames: int = MOST_FRAMES) -> None:
        self.chooser = WatchedChooser(chooser, self)
        self.revision = with_probes(revision, self.reached)
        self._texts = inventory(self.revision.package).texts
        self._most_frames = most_frames
        self._frames: list[Frame] = []
        self._states: list[State] = []
        self._last: tuple[Item, str, int] | None = None
        self._actor = "the start"
        self._action = 0

    def begin(self, snapshots: Snapshots) -> None:
        """Take the first state."""
        self._snapshots = snapshots
        self._states.append(snapshots.take())

    def reached(self, step: StepOf) -> None:
        """Add a step that runs, unless it is the last item already."""
        item = StepReached(step.algorithm, step.number, self._texts[step])
        if self._last is None or self._last[0] != item:
            self.add(item)

    def add(self, item: Item) -> None:
        """Add an item that happens now."""
        self._settle()
        self._last = item, self._actor, self._action
        if len(self._frames) > self._most_frames:
            raise RunawayError(
                f"the run was stopped after {self._most_frames:,} steps: look for a script that starts new work forever"
            )

    def names_of(self, processes: Sequence[Process]) -> tuple[str, ...]:
        """Return the names of processes that can act next."""
        running = self._snapshots.user_agent.running
        return tuple("go on: " * (process in running) + self._snapshots.name(process) for process in processes)

    def acts(self, process: Process) -> None:
        """Note the process that acts next; add its turn unless it has only given way."""
        self._actor = self._snapshots.name(process)
        self._action += 1
        if process not in self._snapshots.user_agent.running:
            self.add(Turn(self._actor))

    def goes_on(self, actor: str) -> None:
        """Note that code goes on that is no task and no steps in parallel."""
        self._actor = actor
        self._action += 1

    def _settle(self) -> None:
        """Add the frame of the last item with the state after it."""
        state = self._snapshots.take()
        if state != self._states[-1]:
            self._states.append(state)
        if self._last is not None:
            item, actor, action = self._last
            self._frames.append(Frame(item, actor, len(self._states) - 1, action))
            self._last = None

    def trace(self, outcome: Outcome, problem: str | None) -> Trace:
        """Return the trace of the run."""
        self._settle()
        return Trace(self._frames, self._states, outcome, self.chooser.schedule, problem)
