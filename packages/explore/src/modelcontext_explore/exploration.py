"""The exploration of a scenario: every schedule, and the outcomes that it can have."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, Process, Replay, ScheduleError
from modelcontext.ground.schedule.graph import EndlessError, StateGraph
from modelcontext.ground.schedule.independence import Independence
from modelcontext.ground.schedule.shorter import smallest
from modelcontext.ground.schedule.way import Way
from modelcontext.ground.words import counted
from modelcontext_explore.outcomes import ScenarioOutcome
from modelcontext_explore.scenario_run import (
    Scenario,
    ScenarioError,
    ScenarioRun,
    SharedObjectError,
    Trail,
    UnsteadyError,
)
from modelcontext_explore.showing import outcomes_as_html
from modelcontext_explore.telling import story_of, traced

if TYPE_CHECKING:
    from modelcontext.programs.tracing.items import Trace
    from modelcontext_explore.stories import ScenarioStory

#: The default bounds: the runs of an exploration, and the actions of a run.
BOUND: Final = 20_000
MOST_ACTIONS: Final = 2_000

#: Says of an outcome whether it is one of those that are asked for.
Predicate = Callable[[ScenarioOutcome], bool]


class IncompleteError(Exception):
    """Raised for a question that an incomplete exploration cannot answer."""


@dataclass(frozen=True)
class _Setting:
    """The subject of an exploration: the scenario, its bounds, and whether scripts of two event loops share no objects."""

    scenario: Scenario
    bound: int
    most_actions: int
    isolated: bool

    def maker(self) -> Callable[..., ScenarioRun]:
        """Return what makes a run for a chooser; all its runs can be compared."""
        return partial(
            ScenarioRun,
            self.scenario,
            independence=Independence(),
            most_actions=self.most_actions,
            isolated=self.isolated,
            trail=Trail(),
        )

    def run(self, chooser: Chooser) -> ScenarioOutcome:
        """Return the outcome of one run."""
        return self.maker()(chooser).run()

    def trace(self, outcome: ScenarioOutcome) -> Trace:
        """Return the steps of the run that leads to an outcome."""
        return traced(self.maker(), outcome)

    def explain(self, outcome: ScenarioOutcome, *, decides: bool) -> ScenarioStory:
        """Return the story of the run that leads to an outcome."""
        chooser = Replay(outcome.schedule)
        self.run(chooser)
        return story_of(self.trace(outcome), self._decisive(chooser.schedule) if decides else None)

    def _decisive(self, schedule: Sequence[int]) -> int | None:
        """Return the position of the answer after which there is one outcome only; None if there is one from the start."""
        low, high = 0, len(schedule)
        while low < high:
            middle = (low + high) // 2
            search = _Search(self, schedule[:middle])
            search.graph.explore()
            if search.graph.is_complete and len(search.graph.result_set()) == 1:
                high = middle
            else:
                low = middle + 1
        return high - 1 if high else None


class _After(Chooser):
    """A chooser that gives some answers, and then asks a graph."""

    def __init__(self, answers: Sequence[int], graph: StateGraph) -> None:
        self._answers = list(answers)
        self._graph = graph

    def pick(self, options: Sequence[Process]) -> int:
        """Answer what happens next."""
        if self._answers:
            return self._answers.pop(0) if len(options) > 1 else 0
        return self._graph.pick(options)

    def choose(self, label: str, count: int) -> int:
        """Answer a free choice inside an action."""
        return self._answers.pop(0) if self._answers else self._graph.choose(label, count)


class _Search:
    """The search through every schedule of a scenario that begins with some answers."""

    def __init__(self, setting: _Setting, beginning: Sequence[int] = ()) -> None:
        self._setting = setting
        self._beginning = beginning
        self._make = setting.maker()
        self.graph = StateGraph(self._run, lambda entry: entry, setting.bound)
        self.is_cut_off = False

    def _run(self, graph: StateGraph) -> ScenarioRun:
        return self._make(_After(self._beginning, graph) if self._beginning else graph)

    def outcomes(self) -> Iterator[ScenarioOutcome]:
        """Explore, and yield each outcome, with the smallest schedule found."""
        try:
            self.graph.explore()
        except EndlessError:
            raise ScenarioError(
                "a schedule never ends, because a script repeats the same actions forever: limit the number of repetitions"
            ) from None
        for suffix, streams, left in self.graph.results():
            assert isinstance(left, tuple)
            if left[-1]:
                self.is_cut_off = True
                continue
            way = Way(self.graph.way_to(suffix))
            with footprint.one_run():
                run = way.run = self._make(way)
                outcome = run.run()
            if run.left() != left or run.streams() != streams:
                raise UnsteadyError
            yield replace(outcome, schedule=self._smallest(way.schedule, outcome))

    def _smallest(self, schedule: Sequence[int], outcome: ScenarioOutcome) -> Sequence[int]:
        return smallest(schedule, lambda chooser: self._setting.run(chooser) == outcome)


@dataclass(frozen=True, repr=False)
class ScenarioExploration:
    """The outcomes that a scenario can have.

    Attributes:
        outcomes: the outcomes, those with the smallest schedules first.
        complete: whether every schedule is covered. If not, a bound was reached, and there may be other outcomes.
        runs: the runs of the scenario.
        schedules: the schedules that they stand for.
        shared: an object that scripts of two event loops share, or None. If there is one, fewer schedules could be left out.
        seconds: the time that it took.
    """

    outcomes: Sequence[ScenarioOutcome]
    complete: bool
    runs: int
    schedules: int
    shared: str | None
    seconds: float
    why_incomplete: str = ""

    def can(self, happens: Predicate) -> ScenarioOutcome | None:
        """Return an outcome with this property, the one with the smallest schedule; None if no schedule leads to one.

        Raises:
            IncompleteError: if none was found, and the exploration is not complete.
        """
        found = next((outcome for outcome in self.outcomes if happens(outcome)), None)
        if found is None and not self.complete:
            raise IncompleteError(f"no explored schedule leads to such an outcome, but {self.why_incomplete}")
        return found

    def always(self, holds: Predicate) -> bool:
        """Return whether all outcomes have this property.

        Raises:
            IncompleteError: if all that were found have it, and the exploration is not complete.
        """
        return self.counterexample(holds) is None

    def counterexample(self, holds: Predicate) -> ScenarioOutcome | None:
        """Return an outcome without this property, the one with the smallest schedule; None if all have it.

        Raises:
            IncompleteError: if all that were found have it, and the exploration is not complete.
        """
        return self.can(lambda outcome: not holds(outcome))

    @property
    def pending(self) -> Mapping[str, ScenarioOutcome]:
        """The calls and scripts that can stay pending forever, each as ``"document: name"`` with an outcome that shows it."""
        found: dict[str, ScenarioOutcome] = {}
        for outcome in self.outcomes:
            for label in outcome.pending:
                found.setdefault(label, outcome)
        return found

    @property
    def failures(self) -> Sequence[ScenarioOutcome]:
        """The outcomes in which the scenario raised an exception, or an assertion in one of its functions failed."""
        return [outcome for outcome in self.outcomes if outcome.failure is not None]

    def __str__(self) -> str:
        made = [self.summary]
        for number, outcome in enumerate(self.outcomes, 1):
            first, *others = outcome.lines()
            made += [f"{number:>3}. {first}", *(f"     {line}" for line in others)]
            made.append(f'     replay="{outcome.replay}"')
        return "\n".join(made)

    @property
    def summary(self) -> str:
        """The numbers in one line."""
        complete = "every schedule" if self.complete else f"incomplete, because {self.why_incomplete}"
        shared = f"; scripts of two origins share {self.shared}" if self.shared else ""
        return (
            f"{counted(len(self.outcomes), 'outcome')}, {complete}: {counted(self.schedules, 'schedule')} by"
            f" {counted(self.runs, 'run')} in {self.seconds:.1f} s{shared}"
        )

    def __repr__(self) -> str:
        return f"<{self.summary}>"

    def _repr_html_(self) -> str:
        return outcomes_as_html(self.summary, [(outcome.lines(), outcome.replay) for outcome in self.outcomes])


def explore(
    scenario: Scenario,
    *,
    replay: str | Sequence[int] | None = None,
    bound: int = BOUND,
    most_actions: int = MOST_ACTIONS,
) -> ScenarioExploration:
    """Run a scenario under every schedule, and return its outcomes.

    Args:
        scenario: a function that takes a :class:`Browser`, opens documents, starts scripts, lets the browser run, and
            returns a result. It is called anew for each run, so all its state is inside.
        replay: a schedule, as an outcome prints it or has it; only this one is run then.
        bound: the most runs.
        most_actions: the most actions of a run.

    Raises:
        ScenarioError: if the scenario is not deterministic, is not a plain function, or has a schedule that never ends.
        ScheduleError: if the schedule does not fit the scenario.
        SpecAssertionError: if the specification, or the model, has a bug.
    """
    started = time.perf_counter()
    setting = _Setting(scenario, bound, most_actions, isolated=True)
    if replay is not None:
        return _replayed(replace(setting, isolated=False), replay, started)
    shared = None
    try:
        search = _Search(setting)
        found = list(search.outcomes())
    except SharedObjectError as error:
        shared, setting = str(error), replace(setting, isolated=False)
        search = _Search(setting)
        found = list(search.outcomes())
    graph = search.graph
    return ScenarioExploration(
        sorted((outcome.told_by(setting) for outcome in found), key=_size),
        graph.is_complete and not search.is_cut_off,
        graph.runs,
        graph.schedules(),
        shared,
        time.perf_counter() - started,
        _why_incomplete(setting, is_cut_off=search.is_cut_off),
    )


def _why_incomplete(setting: _Setting, *, is_cut_off: bool) -> str:
    if is_cut_off:
        return f"a run had more than {setting.most_actions:,} actions: look for an endless loop, or raise most_actions"
    return f"the search reached {counted(setting.bound, 'run')}: make the scenario smaller, or raise the bound"


def _replayed(setting: _Setting, replay: str | Sequence[int], started: float) -> ScenarioExploration:
    """Return the outcome of one schedule, as an exploration that is not complete."""
    if isinstance(replay, str) and not re.fullmatch(r"\d+(,\d+)*", replay):
        raise ScenarioError(f'a schedule is a list of numbers, such as "0,1,0", and not {replay!r}')
    answers = [int(answer) for answer in (replay.split(",") if isinstance(replay, str) else replay)]
    chooser = Replay(answers)
    outcome = replace(setting.run(chooser), schedule=answers)
    made = len(chooser.schedule)
    # A schedule without any choice is written as 0.
    if len(answers) > max(made, 1) or (made == 0 and any(answers)):
        raise ScheduleError(
            f"the schedule has {counted(len(answers), 'answer')}, but the run makes {counted(made, 'choice')}"
        )
    seconds = time.perf_counter() - started
    return ScenarioExploration([outcome.told_by(setting)], False, 1, 1, None, seconds, "only one schedule was run")


def _size(outcome: ScenarioOutcome) -> tuple[int, int, Sequence[int]]:
    """Return what makes one schedule smaller than another: fewer departures from the oldest option, then its length."""
    schedule = list(outcome.schedule)
    return sum(1 for answer in schedule if answer), len(schedule), schedule
