"""The graph of all states that a run can be in, explored to find all results.

Each run starts from nothing, replays a beginning, takes one transition that was never taken, and continues until it reaches
a state from which everything is known. :mod:`modelcontext.ground.schedule` says why that finds every result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Barrier, GiveUp, Process
from modelcontext.ground.schedule.footprint import Footprint
from modelcontext.ground.schedule.independence import NOTHING, Independence, Touched
from modelcontext.ground.schedule.node import Answers, Node, Origin, Transition
from modelcontext.ground.schedule.results import Results, ResultSet, Suffix
from modelcontext.ground.schedule.squares import completed_square

if TYPE_CHECKING:
    from modelcontext.ground.schedule.fingerprint import State


class Explorable(Protocol):
    """One run of the explored program. It asks the graph what happens next, and makes its free choices there."""

    def run(self) -> object:
        """Set everything up, and run until nothing can happen any more."""

    def state(self) -> State:
        """Return the state between two actions."""

    def running(self) -> Sequence[object]:
        """Return the tasks that have given way in their middle, outermost first."""

    @property
    def observations(self) -> Sequence[tuple[str, Any]]:
        """The observations so far, each with the name of its stream."""

    def left(self) -> Hashable:
        """Return the part of the ended run's result that is not in the streams."""


class EndlessError(Exception):
    """A state that leads back to itself."""


@dataclass(slots=True)
class _Frame:
    """A state on the way of the current run, with the options still to be tried there.

    ``processes`` has the sequence number of each process. ``acting`` has the process of each option, ``labels`` the place of
    that. ``continuing`` is the process that has given way, and could continue. ``is_barrier`` is true where only a barrier can
    act: what follows comes after everything before, so it is no future that others could clash with.
    """

    node: Node
    processes: Sequence[int]
    acting: Sequence[int]
    labels: Sequence[Hashable]
    continuing: int | None
    future: list[Touched]
    to_do: list[tuple[int, Answers]]
    entered_by: Transition | None
    is_barrier: bool = False
    taken: tuple[int, Answers] = (0, ())
    clashing: dict[int, set[int]] = field(default_factory=dict)


_BEGINNING: Final = "the beginning"
#: Stands for every process among those whose future clashes with a transition.
ALL: Final = -1


class StateGraph:
    """The graph of states and transitions.

    Args:
        make: makes a run that asks the graph what happens next.
        canonical: returns the key by which observations are compared.
        bound: the largest number of runs.

    ``root`` is the state before all actions. ``runs`` counts the runs so far, ``blocked`` those that took no new transition.
    """

    def __init__(
        self, make: Callable[[StateGraph], Explorable], canonical: Callable[[Any], Hashable], bound: int
    ) -> None:
        self._make = make
        self._bound = bound
        self._canonical = canonical
        self._nodes: dict[bytes, Node] = {}
        self._independence = Independence()
        self._results = Results()
        self._tries: Counter[Hashable] = Counter()
        self._clashes: defaultdict[Hashable, float] = defaultdict(float)
        self.root = Node()
        self._frames: list[_Frame] = []
        self._run: Explorable | None = None
        self._depth = 0
        self._arrived = 0
        self._answered = 0
        self._seen = 0
        self._footprint = Footprint()
        self._taken = 0
        self._known: Node | None = None
        self.runs = 0
        self.blocked = 0
        self._cut_off: list[Node] = []

    @property
    def is_complete(self) -> bool:
        """True if every option was tried except those that a persistent set lets wait."""
        return not self._cut_off

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self._nodes)

    @property
    def transitions(self) -> int:
        """The number of transitions taken."""
        return sum(len(node.transitions) for node in self._nodes.values())

    def schedules(self) -> int:
        """Return the number of paths through the graph."""
        counts: dict[int, int] = {}
        pending = [self.root]
        while pending:
            node = pending[-1]
            targets = [transition.target for transition in node.transitions]
            unknown = [target for target in targets if id(target) not in counts]
            if unknown:
                pending += unknown
                continue
            counts[id(node)] = sum(counts[id(target)] for target in targets) or 1
            pending.pop()
        return counts[id(self.root)]

    def results(self, node: Node | None = None) -> Iterator[tuple[Suffix, dict[str, list[Hashable]], Hashable]]:
        """Yield the results found from a state on, or of whole runs: the key of each, its streams, and the rest at the end."""
        found = self.result_set(node)
        for suffix in found:
            yield suffix, *found.unfold(suffix)

    def result_set(self, node: Node | None = None) -> ResultSet:
        """Return the set of results found from a state on, or of whole runs."""
        return self._results.of((node or self.root).results)

    def way_to(self, suffix: Suffix, node: Node | None = None) -> list[Transition]:
        """Return transitions that lead to a result from a state on, or to one of whole runs."""
        way = []
        node = node or self.root
        while node.transitions:
            for transition in node.transitions:
                rest = self._results.without(transition.observed, suffix)
                if rest is not None and rest in self.result_set(transition.target):
                    way.append(transition)
                    node, suffix = transition.target, rest
                    break
        return way

    def is_cut_off(self, node: Node) -> bool:
        """Return whether the bound has left something untried in a state, or in one that follows."""
        seen: set[int] = set()
        cut_off = {id(one) for one in self._cut_off}
        pending = [node]
        while pending:
            one = pending.pop()
            if id(one) in cut_off:
                return True
            if id(one) not in seen:
                seen.add(id(one))
                pending += [transition.target for transition in one.transitions]
        return False

    def persistent_set(self, node: Node, continuing: int | None) -> Set[int]:
        """Return the processes for which all others wait in a state, since no other will clash with what they do.

        Args:
            node: the state, with everything that follows explored.
            continuing: the process that has given way there, and could continue.
        """
        clashing: dict[int, set[int]] = {}
        for one in node.transitions:
            clashing.setdefault(one.acting, set()).update(self._clashing(one, _futures(one), continuing))
        return _persistent_set(clashing, clashing.keys())

    def first_way_to(self, node: Node) -> list[Transition]:
        """Return the transitions by which a run first came to a state."""
        way: list[Transition] = []
        while node.parent is not None:
            way.append(next(one for one in node.parent.transitions if one.target is node))
            node = node.parent
        return way[::-1]

    def explore(self, is_enough: Callable[[Explorable, ResultSet], bool] | None = None) -> None:
        """Explore everything, or as much as the bound allows.

        Args:
            is_enough: is asked after a run that came to its end or to a state from which everything is known, with the run and
                the results from there on. Once it says so, no further run is performed.

        Raises:
            EndlessError: if a run need never end.
        """
        self._frames.append(_Frame(self.root, [0], [0], [_BEGINNING], None, [NOTHING], [(0, ())], None))
        while self._frames:
            top = self._frames[-1]
            if top.to_do and self.runs < self._bound:
                top.taken = top.to_do.pop()
                ended = self._perform_a_run()
                if is_enough is not None and ended is not None and is_enough(ended[0], self.result_set(ended[1])):
                    self.stop()
            else:
                self._finish()

    def stop(self) -> None:
        """Perform no further run: the exploration ends as if its bound were reached."""
        self._bound = self.runs

    def _perform_a_run(self) -> tuple[Explorable, Node] | None:
        """Perform one run; return it with the state at which it ended if the results from there on are known."""
        self.runs += 1
        self._known = None
        taken = self._taken
        self._depth = len(self._frames) - 1
        self._arrived = 0
        with footprint.one_run():
            run = self._run = self._make(self)
            self._begin_action()
            with suppress(GiveUp):
                run.run()
                self._arrived += 1
                self._arrive(())
        self.blocked += self._taken == taken
        return (run, self._known) if self._known is not None else None

    def pick(self, options: Sequence[Process]) -> int:
        """Choose what happens next."""
        footprint.stop_naming()
        self._arrived += 1
        if self._arrived > self._depth:
            self._arrive(options)
        self._begin_action()
        return self._frames[self._arrived].taken[0]

    def choose(self, label: str, count: int) -> int:
        """Make a free choice inside an action."""
        frame = self._frames[self._arrived]
        option, answers = frame.taken
        if self._answered == len(answers):
            frame.to_do += [(option, (*answers, other)) for other in range(count - 1, 0, -1)]
            answers = (*answers, 0)
            frame.taken = option, answers
        self._answered += 1
        return answers[self._answered - 1]

    def _begin_action(self) -> None:
        self._answered = 0
        if self._arrived >= self._depth:
            assert self._run is not None
            self._seen = len(self._run.observations)
            self._footprint = Footprint()
            footprint.record_into(self._footprint)

    def _arrive(self, options: Sequence[Process]) -> None:
        """Take note of the transition that was taken, and of its target."""
        footprint.record_into(None)
        self._taken += 1
        run = self._run
        assert run is not None
        source = self._frames[-1]
        option, answers = source.taken
        acting = source.acting[option]
        state = run.state()
        running = run.running()
        processes = [process.sequence for process in state.processes]
        node = self._nodes.get(state.fingerprint)
        is_new = node is None
        if node is None:
            node = self._nodes[state.fingerprint] = Node(parent=source.node)
        transition = Transition(
            acting,
            answers,
            [(stream, self._canonical(item)) for stream, item in run.observations[self._seen :]],
            node,
            _origins(source.processes, acting, processes),
            self._independence.touched(self._footprint),
            any(process in running for process in state.processes if process.sequence == source.processes[acting]),
            self._footprint.given_way,
        )
        if not is_new:
            if node.future is None:
                raise EndlessError
            self._known = node
            self._close(source, transition)
            raise GiveUp
        numbers = {process: number for number, process in enumerate(processes)}
        labels = [process.place for process in options]
        acting_then = [numbers[process.sequence] for process in options]
        frame = _Frame(
            node,
            processes,
            acting_then,
            labels,
            # A run that breaks off in the middle of a task leaves nothing to choose.
            acting_then[0] if running and options else None,
            [NOTHING] * len(processes),
            [(option, ()) for option in reversed(range(len(options)))],
            transition,
            bool(options) and isinstance(options[0], Barrier),
        )
        frame.to_do.sort(key=lambda taken: -self._expected_clashes(labels[taken[0]]))
        self._frames.append(frame)
        if not options:
            node.results = self._results.end(run.left())
            self._known = node
            return
        self._complete_squares(source, transition, frame)
        if not frame.to_do:
            raise GiveUp
        frame.taken = frame.to_do.pop()

    def _complete_squares(self, before: _Frame, step: Transition, frame: _Frame) -> None:
        """Take transitions that follow from those beside the step that led to a state, without a run."""
        explored = set(before.acting) - {before.acting[option] for option, _ in before.to_do}
        for taken in reversed(frame.to_do.copy()):
            process = frame.acting[taken[0]]
            if step.origins[process][0] in explored and taken in frame.to_do:
                completed = completed_square(before.node, step, process, self._independence)
                if completed is not None:
                    frame.to_do.remove(taken)
                    for transition in completed:
                        self._close(frame, transition)

    def _finish(self) -> None:
        """Leave the state on top, since everything that follows from it is known or the bound is reached."""
        frame = self._frames.pop()
        node = frame.node
        if frame.to_do:
            self._cut_off.append(node)
        node.future = frame.future
        for one in node.transitions:
            found = self._results.before(one.observed, one.target.results)
            node.results = self._results.union(node.results, found)
        if frame.entered_by is not None:
            self._close(self._frames[-1], frame.entered_by)

    def _close(self, frame: _Frame, transition: Transition) -> None:
        """Add an explored transition to its source; drop the other options if those explored are a persistent set."""
        frame.node.transitions.append(transition)
        if frame.is_barrier:
            return
        acting = transition.acting
        futures = _futures(transition)
        for process, touched in futures.items():
            frame.future[process] |= touched
        frame.future[acting] |= transition.touched
        clashing = self._clashing(transition, futures, frame.continuing)
        label = frame.labels[frame.acting.index(acting)]
        self._tries[label] += 1
        self._clashes[label] += 1 if ALL in clashing else len(clashing) / max(len(futures), 1)
        frame.clashing.setdefault(acting, set()).update(clashing)
        if frame.to_do and self._is_persistent(frame):
            frame.to_do.clear()

    def _expected_clashes(self, label: Hashable) -> float:
        """Return the share of processes with which an action there is likely to clash; it decides what is tried first."""
        return (self._clashes[label] + 1) / (self._tries[label] + 2)

    def _is_persistent(self, frame: _Frame) -> bool:
        """Return whether some explored processes clash with nothing that all others will do."""
        unexplored = {frame.acting[option] for option, _ in frame.to_do}
        return bool(_persistent_set(frame.clashing, frame.clashing.keys() - unexplored))

    def _clashing(self, transition: Transition, futures: Mapping[int, Touched], continuing: int | None) -> set[int]:
        """Return the processes whose future clashes with a transition; :data:`ALL` stands for every process."""
        independence = self._independence
        if independence.changes_activity(transition.touched):
            return {ALL}
        continues = continuing == transition.acting
        if continuing is not None and transition.gives_way and not continues:
            return {ALL}
        everybody = NOTHING
        for future in futures.values():
            everybody |= future
        return {
            process
            for process, future in futures.items()
            if process != transition.acting
            and independence.clash(transition.touched, future, everybody, in_order=not continues)
        }


def _futures(transition: Transition) -> dict[int, Touched]:
    """Return all that each process and its descendants will touch after a transition, by the numbers before it."""
    after = transition.target.future
    assert after is not None
    futures: dict[int, Touched] = {}
    for (origin, _), touched in zip(transition.origins, after, strict=True):
        futures[origin] = futures.get(origin, NOTHING) | touched
    return futures


def _persistent_set(clashing: Mapping[int, Set[int]], explored: Set[int]) -> Set[int]:
    """Return the explored processes that clash with none but each other, given those with which each clashes."""
    while True:
        kept = {process for process in explored if clashing[process] <= explored}
        if kept == explored:
            return kept
        explored = kept


def _origins(before: Sequence[int], acting: int, after: Sequence[int]) -> list[Origin]:
    """Return the origins of processes, given the sequence numbers of those before and after an action."""
    numbers = {process: number for number, process in enumerate(before)}
    made = sorted(process for process in after if process not in numbers)
    return [(numbers[process], 0) if process in numbers else (acting, 1 + made.index(process)) for process in after]
