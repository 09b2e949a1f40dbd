"""Every schedule of a page, by replay.

The engine offers its heap to nobody, so no fingerprint of its states can be had. What can be told is which actions led to a
state: a state is told by its events (:mod:`modelcontext.ground.schedule.event_runs`).
What is left is the graph of :mod:`modelcontext.ground.schedule.graph`, with persistent sets from the same footprints.

Scripts are opaque, so:

* Each task that runs one writes the key of its event loop. Tasks of one event loop are dependent.
* What a script asks of Python is either recorded by the structures of the model, or written as an effect beyond the event loop
  (``answers.py`` has the list of what is recorded), and then clashes with all that any script does.
* Virtual time goes on only when nothing can happen; an event after that depends on all before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, GiveUp, Process
from modelcontext.ground.schedule.event_runs import EventRun, digest
from modelcontext.ground.schedule.graph import StateGraph
from modelcontext.ground.schedule.independence import Independence
from modelcontext.ground.schedule.shorter import smallest
from modelcontext.ground.schedule.way import Way
from modelcontext.hosts.scripting.engine import EndOfRunError

if TYPE_CHECKING:
    from modelcontext.ground.schedule.event_runs import Scheduled
    from modelcontext.ground.schedule.footprint import Footprint
    from modelcontext.hosts.scripting.outcomes import PageOutcome, Pages
    from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser

#: The default bounds: the runs of an exploration, and the free choices of a run.
BOUND: Final = 20_000
MOST_CHOICES: Final = 1_000

#: The going on of the run, on which every action rests: a crash is no action that others can change places with.
_GOING_ON: Final = footprint.Kind("the run goes on", activity=True)


class TooManyChoicesError(EndOfRunError):
    """A run with more free choices than the bound."""


class Explored(Protocol):
    """A run that is explored: of a page, or of a program."""

    @property
    def browser(self) -> ScriptedBrowser:
        """The browser of the run."""

    @property
    def observations(self) -> Sequence[tuple[str, Any]]:
        """The observations so far, each with the name of its stream."""

    def run(self) -> object:
        """Run until nothing is left to do, or until the engine cannot go on."""

    def left(self) -> Hashable:
        """Return the part of the result that is not in the streams."""

    @property
    def has_broken_off(self) -> bool:
        """True if the run has ended before nothing was left to do."""


E = TypeVar("E", bound=Explored)


class _LedRun(EventRun, Generic[E]):
    """One explored run, led by a graph or along a way.

    Args:
        leader: decides what happens next.
        make: makes the run.
        independence: tells which actions clash; the same for all runs of an exploration.
        most_choices: the most free choices of the run.
    """

    def __init__(
        self,
        leader: StateGraph | Way,
        make: Callable[[Chooser], E],
        independence: Independence,
        most_choices: int,
    ) -> None:
        super().__init__(leader, independence)
        self._most_choices = most_choices
        self._made = 0
        self._gave_up = False
        self._now = 0.0
        self._passed = 0
        self.explored = make(self)

    @property
    def browser(self) -> ScriptedBrowser:
        """The browser of the run."""
        return self.explored.browser

    @property
    def scheduled(self) -> Scheduled:
        """The scheduler of the run."""
        return self.browser.user_agent

    def run(self) -> object:
        """Run until nothing is left to do."""
        self.record()
        returned = self.explored.run()
        if self._gave_up:
            raise GiveUp
        if self.explored.has_broken_off:
            footprint.write(_GOING_ON)
        self.note_event()
        return returned

    # The free choices

    def pick(self, options: Sequence[Process]) -> int:
        """Let the leader choose what happens next.

        Where it gives up, and the engine waits in the middle of a script, the action goes on to its end first.
        """
        is_nested = bool(self.browser.user_agent.running)
        if self._gave_up:
            if is_nested:
                return 0
            raise GiveUp
        self.note_event()
        if len(options) > 1:
            self._count()
        try:
            index = self._leader.pick(options)
        except GiveUp:
            if not is_nested:
                raise
            self._gave_up = True
            return 0
        self.record()
        self.act(options[index])
        return index

    def record(self) -> None:
        """Record the action that begins. It rests on the going on of the run."""
        super().record()
        footprint.read(_GOING_ON)

    def choose(self, label: str, count: int) -> int:
        """Let the leader make a free choice inside an action."""
        if self._gave_up:
            return 0
        self._count()
        return self.answered(self._leader.choose(label, count))

    def _count(self) -> None:
        self._made += 1
        if self._made > self._most_choices:
            raise TooManyChoicesError(f"the run has more than {self._most_choices:,} free choices")

    # What the graph asks

    @property
    def observations(self) -> Sequence[tuple[str, Any]]:
        """The observations so far."""
        return self.explored.observations

    def left(self) -> Hashable:
        """Return what is left of the result, and whether the run was cut off."""
        return self.explored.left(), self._made > self._most_choices

    # Events

    def cause(self, identity: bytes) -> bytes:
        """Return what new processes come from.

        Time goes on when nothing can happen: what comes then comes from all events, and not from the last.
        """
        now = self.browser.parts.timers.now
        cause = identity if now == self._now else digest(b"time", self.fingerprint())
        self._now = now
        return cause

    def extent(self, recorded: Footprint) -> tuple[object, ...]:
        """Return what tells how far the action has gone, with the places that tasks passed in the middle of a script."""
        user_agent = self.browser.user_agent
        passed, self._passed = user_agent.shared_writes - self._passed, user_agent.shared_writes
        return *super().extent(recorded), passed


class ScriptSearch(Generic[E]):
    """The search through every schedule of a run whose scripts the engine performs.

    Args:
        make: makes a run.
        canonical: returns the key by which observations are compared.
        bound: the most runs.
        most_choices: the most free choices of a run.
        ran: called before each run.
    """

    def __init__(
        self,
        make: Callable[[Chooser], E],
        canonical: Callable[[Any], Hashable],
        bound: int,
        most_choices: int,
        ran: Callable[[], None],
    ) -> None:
        self._make = make
        self._most_choices = most_choices
        self._ran = ran
        self._independence = Independence()
        self.graph = StateGraph(self._run, canonical, bound)
        self.was_cut_off = False

    @property
    def is_complete(self) -> bool:
        """True if no bound was reached."""
        return self.graph.is_complete and not self.was_cut_off

    def _run(self, leader: StateGraph | Way) -> _LedRun[E]:
        self._ran()
        return _LedRun(leader, self._make, self._independence, self._most_choices)

    def found(self) -> Iterator[tuple[E, Sequence[int]]]:
        """Explore, and yield a run with each result, and its schedule."""
        self.graph.explore()
        for suffix, _, left in self.graph.results():
            assert isinstance(left, tuple)
            if left[-1]:
                self.was_cut_off = True
                continue
            way = Way(self.graph.way_to(suffix))
            with footprint.one_run():
                way.run = run = self._run(way)
                run.run()
            yield run.explored, way.schedule

    def smallest(self, schedule: Sequence[int], is_same: Callable[[E], bool]) -> Sequence[int]:
        """Return a schedule that takes the oldest option as often as possible: no answer of it can become 0.

        Args:
            schedule: a schedule.
            is_same: tells whether a run has the result that is wanted.
        """

        def shows(chooser: Chooser) -> bool:
            self._ran()
            run = self._make(chooser)
            run.run()
            return is_same(run)

        return smallest(schedule, shows)


class _PageRun:
    """A run of a page."""

    def __init__(self, pages: Pages, chooser: Chooser) -> None:
        self._pages = pages
        self.browser = pages.browser(chooser)

    @property
    def outcome(self) -> PageOutcome:
        return self._pages.outcome(self.browser.observed)

    @property
    def has_broken_off(self) -> bool:
        return self.browser.observed.ended is not None

    @property
    def observations(self) -> Sequence[tuple[str, Any]]:
        return [(line.event_loop, (line.level, line.text)) for line in self.browser.observed.lines]

    def run(self) -> object:
        return self.browser.run(self._pages.url)

    def left(self) -> Hashable:
        return self.outcome.ended, tuple(self.outcome.missing)


@dataclass(frozen=True)
class ScriptExploration:
    """The outcomes under every schedule.

    If ``complete`` is false, a bound was reached, and there may be others. ``runs`` counts the runs of the page, ``states``
    the states that they came to, ``schedules`` the ones that these stand for. Each outcome has a schedule. ``cut_off`` says
    that a run had too many choices, ``stopped`` that the exploration was interrupted.
    """

    outcomes: Sequence[PageOutcome]
    complete: bool
    runs: int
    states: int
    schedules: int
    cut_off: bool
    stopped: bool


class Explorer:
    """The exploration of a page.

    Args:
        pages: runs the page.
        bound: the most runs.
        most_choices: the most free choices of a run.
        ran: called after each run.
    """

    def __init__(
        self,
        pages: Pages,
        bound: int = BOUND,
        most_choices: int = MOST_CHOICES,
        ran: Callable[[], None] = lambda: None,
    ) -> None:
        self._search = ScriptSearch(partial(_PageRun, pages), lambda line: line, bound, most_choices, ran)
        self._is_stopped = False

    def stop(self) -> None:
        """End the exploration with the run that is under way."""
        self._is_stopped = True
        self._search.graph.stop()

    def explore(self) -> ScriptExploration:
        """Explore every schedule, within the bounds."""
        search = self._search
        found: dict[Hashable, PageOutcome] = {}
        for run, schedule in search.found():
            outcome = run.outcome
            outcome.schedule = schedule
            found[outcome.key] = outcome
        for key, outcome in found.items():
            outcome.schedule = search.smallest(outcome.schedule or (), _has(key))
        graph = search.graph
        return ScriptExploration(
            sorted(found.values(), key=_size),
            search.is_complete,
            graph.runs,
            graph.states,
            graph.schedules(),
            search.was_cut_off,
            self._is_stopped,
        )


def _has(key: Hashable) -> Callable[[_PageRun], bool]:
    return lambda run: run.outcome.key == key


def _size(outcome: PageOutcome) -> tuple[int, int, Sequence[int]]:
    """Return what makes one schedule smaller than another: fewer departures from the oldest option, then its length."""
    schedule = outcome.schedule or ()
    return sum(1 for answer in schedule if answer), len(schedule), schedule
