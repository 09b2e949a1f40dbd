"""The two questions about a program: which outcomes are allowed, and whether one observed outcome is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from modelcontext.html.parallel import Strand
from modelcontext.html.user_agent import Action
from modelcontext.program.interpreter import Run
from modelcontext.program.language import Program
from modelcontext.program.locating import running_line
from modelcontext.program.outcome import Outcome, canonical_entry
from modelcontext.schedule.choose import Replay
from modelcontext.schedule.explore import Choices, Effort, Explorable, StopExploration, every_schedule, every_state
from modelcontext.schedule.trace import TraceJournal

#: How many runs an exploration may take unless told otherwise.
BOUND: Final = 100_000

#: Tells which step of which algorithm a line of a Python file belongs to.
Locator = Callable[[str, int], object]


class ProgramRun:
    """A run of a program, to be explored."""

    def __init__(
        self, program: Program, choices: Choices, journal: TraceJournal | None, follow: _Follower | None
    ) -> None:
        self._run = Run(program, choices)
        self._run.user_agent.journal = journal
        self._run.user_agent.picker = lambda actions: choices.pick([_identity(action) for action in actions])
        self._follow = follow

    def run(self) -> None:
        self._run.start()
        self._run.finish()

    def is_promising(self, schedule: Sequence[int]) -> bool:
        return self._follow is None or self._follow.is_on_the_way(self._run, schedule)

    def result(self) -> Outcome:
        return self._run.outcome()


def _identity(action: Action | None) -> object:
    if action is None:
        return None
    return action.identity if isinstance(action, Strand) else action[2].identity


@dataclass(frozen=True, slots=True)
class Exploration:
    """The outcomes that a program may have.

    ``outcomes`` holds each under its canonical text, ``schedules`` a schedule that shows it. When ``complete`` is false
    the search was cut off at ``bound`` runs, and there may be more outcomes: such an exploration judges nothing.
    """

    outcomes: Mapping[str, Outcome]
    schedules: Mapping[str, Sequence[int]]
    complete: bool
    runs: int
    given_up: int
    bound: int


@dataclass(frozen=True, slots=True)
class Departure:
    """Where an observed outcome leaves everything that is allowed.

    ``log`` names the event loop and ``index`` the place in it, or ``log`` is ``"pending"``. ``observed`` is the entry
    there (None: nothing more), ``allowed`` the entries that could have stood there (None: nothing more), each with the
    step that it follows from, where one is known.
    """

    log: str
    index: int
    observed: Mapping[str, object] | None
    allowed: tuple[tuple[Mapping[str, object] | None, object], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an outcome is allowed.

    ``kind`` is ``"allowed"`` (``schedule`` shows it), ``"forbidden"`` (``departure`` says where it leaves the set) or
    ``"undecided"`` (the search was cut off at ``bound`` runs).
    """

    kind: str
    runs: int
    bound: int
    schedule: Sequence[int] | None = None
    departure: Departure | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. ``sources`` has, for every entry of every log, the step it follows from, or None."""

    outcome: Outcome
    schedule: Sequence[int]
    sources: Mapping[str, Sequence[object]] = field(default_factory=dict)


def allowed_outcomes(program: Program, *, bound: int = BOUND, naive: bool = False) -> Exploration:
    """Return the outcomes that the specification allows a program.

    Args:
        program: the program.
        bound: how many runs to spend at most.
        naive: whether to enumerate every schedule instead of every state; for comparisons.

    Raises:
        RunawayError: for a program that schedules itself for ever.
        SpecAssertionError: where the specification, or the model, has a bug.
    """
    outcomes: dict[str, Outcome] = {}
    schedules: dict[str, Sequence[int]] = {}

    def take(outcome: Outcome, schedule: list[int]) -> None:
        if outcome.canonical not in outcomes:
            outcomes[outcome.canonical] = outcome
            schedules[outcome.canonical] = list(schedule)

    def make(choices: Choices, journal: TraceJournal | None) -> Explorable[Outcome]:
        return ProgramRun(program, choices, journal, None)

    effort: Effort[Outcome] = (every_schedule if naive else every_state)(make, take, bound)
    return Exploration(outcomes, schedules, effort.complete, effort.runs, effort.given_up, bound)


def run_once(program: Program, schedule: Sequence[int] = (), locator: Locator | None = None) -> RunRecord:
    """Run a program under one schedule: the given answers, then first in, first out.

    Args:
        program: the program.
        schedule: the answers to the free choices, as another run has reported them.
        locator: with it, the record says which step each entry follows from.

    Raises:
        ScheduleError: for a schedule that does not fit the program.
        RunawayError: for a program that schedules itself for ever.
    """
    chooser = Replay(schedule)
    run = Run(program, chooser, running_line if locator is not None else None)
    run.start()
    outcome = run.finish()
    sources = {
        name: [locator(*source) if locator is not None and isinstance(source, tuple) else None for source in sources]
        for name, sources in run.sources.items()
    }
    return RunRecord(outcome, chooser.schedule, sources)


def judge(program: Program, observed: Outcome, *, bound: int = BOUND, locator: Locator | None = None) -> Verdict:
    """Return whether the specification allows an observed outcome, by a search that follows its logs.

    Args:
        program: the program.
        observed: what was observed.
        bound: how many runs to spend at most.
        locator: with it, a departure says which steps the allowed entries follow from.

    Raises:
        RunawayError: for a program that schedules itself for ever.
        SpecAssertionError: where the specification, or the model, has a bug.
    """
    follower = _Follower(observed)
    found: list[Sequence[int]] = []

    def take(outcome: Outcome, schedule: list[int]) -> None:
        if outcome.canonical == observed.canonical:
            found.append(list(schedule))
            raise StopExploration
        follower.ended_short(outcome, schedule)

    def make(choices: Choices, journal: TraceJournal | None) -> Explorable[Outcome]:
        return ProgramRun(program, choices, journal, follower)

    effort: Effort[Outcome] = every_state(make, take, bound)
    if found:
        return Verdict("allowed", effort.runs, bound, schedule=found[0])
    if not effort.complete:
        return Verdict("undecided", effort.runs, bound)
    return Verdict("forbidden", effort.runs, bound, departure=follower.departure(program, locator))


@dataclass(frozen=True, slots=True)
class _Parting:
    """A place where a run left the observed logs: the entry that it had there, and the choices that lead to it."""

    log: str
    index: int
    entry: Mapping[str, object] | None
    schedule: Sequence[int]


class _Follower:
    """Compares the logs of runs with the observed ones, and remembers where those that stayed longest parted."""

    def __init__(self, observed: Outcome) -> None:
        self._observed = observed
        self._entries = {name: [canonical_entry(entry) for entry in log] for name, log in observed.logs.items()}
        self._best = -1
        self._partings: dict[str, _Parting] = {}

    def is_on_the_way(self, run: Run, schedule: Sequence[int]) -> bool:
        """Return whether every log of a run is a beginning of the observed one."""
        matched = 0
        parting = None
        for name, log in run.logs.items():
            wanted = self._entries.get(name, [])
            for index, entry in enumerate(log):
                if index >= len(wanted) or canonical_entry(entry) != wanted[index]:
                    parting = parting or _Parting(name, index, entry, list(schedule))
                    break
                matched += 1
        if parting is None:
            return True
        self._note(matched, parting)
        return False

    def ended_short(self, outcome: Outcome, schedule: Sequence[int]) -> None:
        """Take note of a run that has ended, having stayed with the observed logs, but with another outcome."""
        matched = sum(len(log) for log in outcome.logs.values())
        for name, wanted in self._entries.items():
            done = len(outcome.logs.get(name, ()))
            if done < len(wanted):
                self._note(matched, _Parting(name, done, None, list(schedule)))
                return
        self._note(matched, _Parting("pending", 0, {"pending": list(outcome.pending)}, list(schedule)))

    def _note(self, matched: int, parting: _Parting) -> None:
        if matched > self._best:
            self._best = matched
            self._partings.clear()
        if matched == self._best:
            self._partings.setdefault(f"{parting.log} {parting.index} {parting.entry}", parting)

    def departure(self, program: Program, locator: Locator | None) -> Departure:
        """Return where the observed outcome leaves the runs that stayed with it longest."""
        first = next(iter(self._partings.values()))
        allowed = []
        for parting in self._partings.values():
            if (parting.log, parting.index) == (first.log, first.index):
                source = None
                if parting.entry is not None and parting.log != "pending":
                    source = run_once(program, parting.schedule, locator).sources[parting.log][parting.index]
                allowed.append((parting.entry, source))
        observed: Mapping[str, object] | None
        if first.log == "pending":
            observed = {"pending": list(self._observed.pending)}
        else:
            log = self._observed.logs.get(first.log, ())
            observed = log[first.index] if first.index < len(log) else None
        return Departure(first.log, first.index, observed, tuple(allowed))
