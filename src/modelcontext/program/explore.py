"""The exploration of a program: the outcomes that it is allowed, and the judgement of an observed one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.html.user_agent import RunawayError
from modelcontext.program.found import FoundOutcomes
from modelcontext.program.guided import GuidedSearch
from modelcontext.program.interpreter import Run
from modelcontext.program.location import running_line
from modelcontext.program.outcome import Outcome, canonical_entry
from modelcontext.schedule import footprint
from modelcontext.schedule.choose import Chooser, RecordingChooser, Replay
from modelcontext.schedule.climb import Climb
from modelcontext.schedule.explore import EagerSearch, StopSearch, every_schedule, search
from modelcontext.schedule.graph import EndlessError, StateGraph
from modelcontext.schedule.way import Way

if TYPE_CHECKING:
    from modelcontext.program.language import Program
    from modelcontext.revisions.revision import Revision
    from modelcontext.schedule.graph import Explorable
    from modelcontext.schedule.node import Transition
    from modelcontext.schedule.results import ResultSet

#: The default limit of runs for an exploration.
BOUND: Final = 100_000

#: The limits of runs for the explorations of a judgement, if it is not the bound. Attempts come before each.
EXPLORATIONS: Final = (30, 2_000, None)

#: The limit of runs for finding where a forbidden outcome leaves the allowed ones.
DEPARTURE_BOUND: Final = 5_000

#: Returns the step of an algorithm that a line of a Python file belongs to.
Locator = Callable[[str, int], object]


@dataclass(frozen=True, slots=True)
class Exploration:
    """The outcomes that a program may have.

    ``outcomes`` has each by its canonical text, for which ``schedule_to`` returns a schedule that shows it. If ``complete`` is
    false the search was cut off at ``bound`` runs, and there may be more outcomes: such an exploration judges nothing.
    ``states`` and ``transitions`` count those seen, ``covered`` the schedules that they stand for, ``blocked`` the runs that
    found nothing new. ``seconds`` is the time that the search took.
    """

    outcomes: Mapping[str, Outcome]
    schedule_to: Callable[[str], Sequence[int]]
    complete: bool
    runs: int
    bound: int
    states: int = 0
    transitions: int = 0
    covered: int = 0
    blocked: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Departure:
    """The place where an observed outcome leaves all allowed ones.

    ``log`` is an event loop, or ``"pending"``, and ``index`` the place in it. ``observed`` is the entry there, ``allowed``
    has the entries that could be there, each with the step that it follows from, if known. An entry is None at the end.
    """

    log: str
    index: int
    observed: Mapping[str, object] | None
    allowed: tuple[tuple[Mapping[str, object] | None, object], ...]


@dataclass(frozen=True, slots=True)
class Membership:
    """The judgement of an outcome.

    ``kind`` is ``"allowed"`` (``schedule`` shows it), ``"forbidden"`` (it leaves the allowed ones at ``departure``) or
    ``"undecided"`` (the search was cut off at ``bound`` runs).
    """

    kind: str
    runs: int
    bound: int
    schedule: Sequence[int] | None = None
    departure: Departure | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. ``sources`` has the step that each entry of each log follows from, or None."""

    outcome: Outcome
    schedule: Sequence[int]
    sources: Mapping[str, Sequence[object]] = field(default_factory=dict)


def allowed_outcomes(
    program: Program,
    *,
    bound: int = BOUND,
    naive: bool = False,
    revision: Revision | None = None,
    run: type[Run] = Run,
    until: Outcome | None = None,
) -> Exploration:
    """Return the outcomes that the specification allows a program.

    Args:
        program: the program.
        bound: the limit of runs.
        naive: enumerates every schedule instead of every state, for comparisons.
        revision: the revision to run; the program's own by default.
        run: the class of the runs; one whose choices are fewer has fewer outcomes.
        until: an outcome that ends the exploration as soon as it is found; the exploration is not complete then.

    Raises:
        RunawayError: if the program schedules itself forever.
        SpecAssertionError: if the specification, or the model, has a bug.
    """
    started = time.perf_counter()
    make = partial(run, program, revision=revision)
    if naive:
        return _every_outcome(make, bound, started)
    graph = _explored(make, bound, until)
    outcomes = FoundOutcomes(graph.result_set())

    def schedule_to(text: str) -> Sequence[int]:
        suffix = outcomes.suffix_of(outcomes[text])
        assert suffix is not None
        return _followed(make, graph.way_to(suffix)).schedule

    return Exploration(
        outcomes,
        schedule_to,
        graph.is_complete,
        graph.runs,
        bound,
        graph.states,
        graph.transitions,
        graph.schedules(),
        graph.blocked,
        time.perf_counter() - started,
    )


def decisive_choice(program: Program, outcome: Outcome, *, bound: int = BOUND) -> int | None:
    """Return the choice after which no schedule leads to another outcome, on the way that ``schedule_to`` leads.

    It is the position of its answer in the schedule, or None if there is no such choice: because there is one outcome only,
    because the program is not allowed this one, or because the search was cut off.

    Args:
        program: the program.
        outcome: the outcome.
        bound: the limit of runs.

    Raises:
        RunawayError: if the program schedules itself forever.
    """
    make = partial(Run, program)
    graph = _explored(make, bound)
    suffix = FoundOutcomes(graph.result_set()).suffix_of(outcome)
    if suffix is None or not graph.is_complete:
        return None
    transitions = graph.way_to(suffix)
    decided = next(index for index, one in enumerate(transitions) if len(graph.result_set(one.target)) == 1)
    way = _followed(make, transitions)
    answers = [*way.begun, len(way.schedule)][decided + 1]
    return answers - 1 if answers else None


def covering_schedules(program: Program, *, bound: int = BOUND, run: type[Run] = Run) -> list[Sequence[int]] | None:
    """Return schedules that together take every transition of a program's state space, and show every outcome.

    Args:
        program: the program.
        bound: the limit of runs; None is returned if the space is larger.
        run: as for :func:`allowed_outcomes`.

    Raises:
        RunawayError: if the program schedules itself forever.
    """
    schedules: list[Sequence[int]] = []

    def make(chooser: Chooser) -> Run:
        recorder = RecordingChooser(chooser)
        schedules.append(recorder.schedule)
        return run(program, recorder)

    graph = _explored(make, bound)
    if not graph.is_complete:
        return None
    plain = partial(run, program)
    schedules += [_followed(plain, graph.way_to(suffix)).schedule for suffix in graph.result_set()]
    return schedules


def _explored(make: Callable[[Chooser], Run], bound: int, until: Outcome | None = None) -> StateGraph:
    graph = StateGraph(make, canonical_entry, bound)
    try:
        graph.explore(_Follower(until).is_completed_by if until is not None else None)
    except EndlessError:
        raise RunawayError("a schedule never ends: look for a script that always gives itself new work") from None
    return graph


def _followed(make: Callable[[Chooser], Run], transitions: Sequence[Transition]) -> Way:
    """Lead a run along transitions to its end."""
    way = Way(transitions)
    with footprint.one_run():
        way.run = run = make(way)
        run.run()
    return way


def _every_outcome(make: Callable[[Chooser], Run], bound: int, started: float) -> Exploration:
    outcomes: dict[str, Outcome] = {}
    schedules: dict[str, Sequence[int]] = {}

    def take(outcome: Outcome, schedule: Sequence[int]) -> None:
        outcomes.setdefault(outcome.canonical, outcome)
        schedules.setdefault(outcome.canonical, schedule)

    effort = every_schedule(make, take, bound)
    seconds = time.perf_counter() - started
    return Exploration(
        outcomes, schedules.__getitem__, effort.complete, effort.runs, bound, covered=effort.runs, seconds=seconds
    )


def run_once(
    program: Program, schedule: Sequence[int] = (), locator: Locator | None = None, revision: Revision | None = None
) -> RunRecord:
    """Run a program under one schedule: the given answers, then first in, first out.

    Args:
        program: the program.
        schedule: the answers to the free choices, as reported by another run.
        locator: finds the step that each entry follows from; the record has none without it.
        revision: the revision to run; the program's own by default.

    Raises:
        ScheduleError: if the schedule does not fit the program.
        RunawayError: if the program schedules itself forever.
    """
    chooser = Replay(schedule)
    run = Run(program, chooser, running_line if locator is not None else None, revision)
    outcome = run.run()
    sources = {
        name: [locator(*source) if locator is not None and isinstance(source, tuple) else None for source in sources]
        for name, sources in run.sources.items()
    }
    return RunRecord(outcome, chooser.schedule, sources)


def judge(
    program: Program,
    observed: Outcome,
    *,
    bound: int = BOUND,
    locator: Locator | None = None,
    revision: Revision | None = None,
) -> Membership:
    """Return whether the specification allows an observed outcome.

    Attempts to find it come first: eager searches along its logs, others in which one process is late, and climbs. Each kind
    finds what the others miss; one run tells which is the most promising. In between, the outcome is looked for among all
    allowed ones, which decides about small programs. If there are too many outcomes for that, a full search along the logs
    follows.

    Args:
        program: the program.
        observed: the observed outcome.
        bound: the limit of runs for each search.
        locator: finds the steps that the allowed entries of a departure follow from.
        revision: the revision to run; the program's own by default.

    Raises:
        RunawayError: if the program schedules itself forever.
        SpecAssertionError: if the specification, or the model, has a bug.
    """
    follower = _Follower(observed)
    found: list[Sequence[int]] = []

    def take(outcome: Outcome, schedule: Sequence[int]) -> None:
        if outcome.canonical == observed.canonical:
            found.append(list(schedule))
            raise StopSearch
        follower.ended_short(outcome, schedule)

    make = partial(Run, program, revision=revision)
    rerun = partial(run_once, program, locator=locator, revision=revision)
    eager, climb = EagerSearch(make, follower.is_on_the_way, take), Climb(make, follower.is_on_the_way, take)
    attempts = GuidedSearch(eager, climb, bound, make, observed)
    runs = 0
    stages = (attempts.first, attempts.short_ones_and_a_round, attempts.more_rounds)
    for stage, limit in zip(stages, EXPLORATIONS, strict=True):
        for effort in stage():
            runs += effort.runs
            if found:
                return Membership("allowed", runs, bound, schedule=found[0])
        allowed = allowed_outcomes(program, bound=min(limit or bound, bound), revision=revision, until=observed)
        runs += allowed.runs
        if observed.canonical in allowed.outcomes:
            return Membership("allowed", runs, bound, schedule=allowed.schedule_to(observed.canonical))
        if allowed.complete or allowed.bound == bound:
            break
    if allowed.complete:
        if locator is not None:
            search(make, follower.is_on_the_way, take, min(bound, DEPARTURE_BOUND))
        return Membership("forbidden", runs, bound, departure=follower.departure(rerun))
    effort = search(make, follower.is_on_the_way, take, bound)
    runs += effort.runs
    if found:
        return Membership("allowed", runs, bound, schedule=found[0])
    if not effort.complete:
        return Membership("undecided", runs, bound)
    return Membership("forbidden", runs, bound, departure=follower.departure(rerun))


@dataclass(frozen=True, slots=True)
class _Parting:
    """A place where a run left the observed logs: its entry there, and the schedule that leads to it."""

    log: str
    index: int
    entry: Mapping[str, object] | None
    schedule: Sequence[int]


class _Follower:
    """A comparison of runs with the observed logs. It remembers where the runs that stayed longest parted."""

    def __init__(self, observed: Outcome) -> None:
        self._observed = observed
        self._entries = {name: [canonical_entry(entry) for entry in log] for name, log in observed.logs.items()}
        self._best = -1
        self._partings: dict[str, _Parting] = {}

    def is_on_the_way(self, outcome: Outcome, schedule: Sequence[int]) -> bool:
        """Return whether every log of a run's outcome so far is a beginning of the observed one."""
        matched = 0
        parting = None
        for name, log in outcome.logs.items():
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

    def is_completed_by(self, run: Explorable, results: ResultSet) -> bool:
        """Return whether the observed outcome is that of a run so far with one of the results that follow."""
        seen: dict[str, int] = {}
        for name, entry in run.observations:
            index = seen.get(name, 0)
            wanted = self._entries.get(name, [])
            if index >= len(wanted) or canonical_entry(entry) != wanted[index]:
                return False
            seen[name] = index + 1
        rest = {name: log[seen.get(name, 0) :] for name, log in self._observed.logs.items()}
        return FoundOutcomes(results).suffix_of(Outcome(rest, self._observed.pending)) is not None

    def ended_short(self, outcome: Outcome, schedule: Sequence[int]) -> None:
        """Note a run that stayed with the observed logs, and ended with another outcome."""
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

    def departure(self, rerun: Callable[[Sequence[int]], RunRecord]) -> Departure:
        """Return the place where the longest runs parted from the observed outcome; ``rerun`` replays a schedule."""
        first = next(iter(self._partings.values()))
        allowed = []
        for parting in self._partings.values():
            if (parting.log, parting.index) == (first.log, first.index):
                source = None
                if parting.entry is not None and parting.log != "pending":
                    source = rerun(parting.schedule).sources[parting.log][parting.index]
                allowed.append((parting.entry, source))
        observed: Mapping[str, object] | None
        if first.log == "pending":
            observed = {"pending": list(self._observed.pending)}
        else:
            log = self._observed.logs.get(first.log, ())
            observed = log[first.index] if first.index < len(log) else None
        return Departure(first.log, first.index, observed, tuple(allowed))
