"""Reasons why an exploration has not performed a schedule, and the explored schedule that stands for it.

The schedule is performed once more, and followed through the graph. Where the graph has no transition for the next action,
either the bound was reached, or a persistent set let the action wait. In the second case the first later action of that set
comes to the front: it commutes with the actions that it passes. This is the proof in :mod:`modelcontext.ground.schedule`, one
step at a time. In the end the actions are in an order that the graph has.

A process has another number in another order of the same actions. So a process is named by the one that has made it, and by
how many that one had made before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, ScheduleError
from modelcontext.ground.schedule.footprint import Footprint
from modelcontext.ground.schedule.way import Led, Way

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Process
    from modelcontext.ground.schedule.graph import StateGraph
    from modelcontext.ground.schedule.node import Answers, Node, Transition

#: The numbers of a process and of those that have made it, outermost first.
Name: TypeAlias = tuple[int, ...]

R = TypeVar("R", bound=Led)

_THE_BEGINNING: Final[Name] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a run.

    Attributes:
        process: the process that acts.
        answers: the answers to the free choices in it.
        footprint: all that it reads and writes.
        processes: all processes before it, in the order of the state.
        gives_way: whether it is that of a task which gives way at its end.
        continuing: the process that has given way before it, and could continue.
        begun: the number of answers in the schedule before it.
    """

    process: Name
    answers: Answers
    footprint: Footprint
    gives_way: bool
    processes: Sequence[Name]
    continuing: Name | None
    begun: int


@dataclass(frozen=True, slots=True)
class Impossible:
    """No run has this schedule: its answer at a position is none of the options, of which there are ``count``.

    ``count`` is 0 if the run ends before.
    """

    position: int
    count: int


@dataclass(frozen=True, slots=True)
class BoundReached:
    """The exploration was cut off at its bound, before it came to the action with this index of a run."""

    index: int
    actions: Sequence[Action]
    schedule: Sequence[int]


@dataclass(frozen=True, slots=True)
class KnownState:
    """An action leads to a state to which another run had come before.

    Attributes:
        index: the action.
        schedule: the schedule up to that state.
        first: the schedule by which a run first came there.
    """

    index: int
    schedule: Sequence[int]
    first: Sequence[int]


@dataclass(frozen=True, slots=True)
class Commuting:
    """The action with this index had to wait for others, which commute with it.

    Attributes:
        index: the action that had to wait.
        first: the first later action of a process for which it waits. It can come before all that it passes.
        actions: the actions of the run, of which these are two.
        schedule: the schedule of that run.
        awaited: the processes for which all others wait.
    """

    index: int
    first: int
    actions: Sequence[Action]
    schedule: Sequence[int]
    awaited: frozenset[Name]


Reason: TypeAlias = Impossible | BoundReached | KnownState | Commuting


@dataclass(frozen=True, slots=True)
class Explanation(Generic[R]):
    """The reasons why a schedule was not performed, in the order of its actions; none if it was.

    Attributes:
        reasons: the reasons.
        performed: the run of the schedule; None if no run has it.
        schedule: the whole schedule of that run.
        stands_for_it: the run of a schedule whose way the graph has, and whose result is the same; None if there is none.
        standing: the schedule of that run.
    """

    reasons: Sequence[Reason]
    performed: R | None = None
    schedule: Sequence[int] = ()
    stands_for_it: R | None = None
    standing: Sequence[int] = ()


def why_not(graph: StateGraph, make: Callable[[Chooser], R], schedule: Sequence[int]) -> Explanation[R]:
    """Return why an exploration has not performed a schedule, which is continued with the oldest options.

    Args:
        graph: the graph, explored.
        make: makes a run.
        schedule: the answers to the free choices.
    """
    following = _Following(schedule)
    try:
        performed = run = following.perform(make)
    except _ImpossibleError as error:
        return Explanation([Impossible(error.position, error.count)])
    if len(schedule) > len(following.schedule):
        return Explanation([Impossible(len(following.schedule), 0)], performed, following.schedule)
    noting: _Noting = following
    reasons: list[Reason] = []
    node, index = graph.root, 0
    while index < len(noting.actions):
        action = noting.actions[index]
        way = _way_of(node, action)
        if way is not None:
            is_first = all(map(_was_first, [node, *(one.target for one in way)], way))
            node, index = way[-1].target, index + 1
            if not is_first and not any(isinstance(reason, KnownState) for reason in reasons):
                so_far = noting.schedule[: noting.answers_before(index)]
                reasons.append(KnownState(index - 1, so_far, _first_schedule(graph, node, make)))
            continue
        if graph.is_cut_off(node):
            bound = BoundReached(index, noting.actions, noting.schedule)
            return Explanation([*reasons, bound], performed, following.schedule)
        commuting = _commuting(graph, node, noting, index)
        reasons.append(commuting)
        before, waiting = noting.actions[:index], noting.actions[index : commuting.first]
        after = noting.actions[commuting.first + 1 :]
        noting = _Ordering([*before, noting.actions[commuting.first], *waiting, *after])
        run = noting.perform(make)
    return Explanation(reasons, performed, following.schedule, run, noting.schedule)


def _way_of(node: Node, action: Action) -> list[Transition] | None:
    """Return the transitions that perform an action of a run, or None if the graph does not have them.

    They are several where a task goes on that has given way only in the opposite side of a completed square.
    """
    number = action.processes.index(action.process)
    answers = action.answers
    places = action.footprint.given_way
    way: list[Transition] = []
    while not way or (way[-1].gives_way and (places > 0 or not action.gives_way)):
        sides = (one for one in node.transitions if one.acting == number and one.answers == answers[: len(one.answers)])
        found = next(sides, None)
        if found is None:
            return None
        way.append(found)
        answers = answers[len(found.answers) :]
        places -= found.places
        if found.gives_way:
            number = found.origins.index((number, 0))
        node = found.target
    return way


def _was_first(node: Node, transition: Transition) -> bool:
    """Return whether a run came to the target of a transition by it, and not to a state that was known."""
    target = transition.target
    return target.parent is node and transition is next(one for one in node.transitions if one.target is target)


def _first_schedule(graph: StateGraph, node: Node, make: Callable[[Chooser], R]) -> Sequence[int]:
    """Return the schedule by which a run first came to a state."""
    way = graph.first_way_to(node)
    leading = _Leading(way)
    with footprint.one_run():
        leading.run = run = make(leading)
        run.run()
    return leading.schedule[: [*leading.begun, len(leading.schedule)][len(way)]]


def _commuting(graph: StateGraph, node: Node, noting: _Noting, index: int) -> Commuting:
    action = noting.actions[index]
    continuing = action.processes.index(action.continuing) if action.continuing is not None else None
    awaited = frozenset(action.processes[number] for number in graph.persistent_set(node, continuing))
    later = range(index + 1, len(noting.actions))
    first = next(one for one in later if noting.actions[one].process in awaited)
    return Commuting(index, first, noting.actions, noting.schedule, awaited)


class _Leading(Way):
    """Chooser that leads a run along transitions, then takes the oldest option."""

    def __init__(self, transitions: Sequence[Transition]) -> None:
        super().__init__(transitions)
        self._length = len(transitions)

    def pick(self, options: Sequence[Process]) -> int:
        if len(self.begun) < self._length:
            return super().pick(options)
        self.begun.append(len(self.schedule))
        return self.choose("what happens next", len(options)) if len(options) > 1 else 0

    def choose(self, label: str, count: int) -> int:
        if len(self.begun) <= self._length:
            return super().choose(label, count)
        self.schedule.append(0)
        return 0


class _ImpossibleError(ScheduleError):
    def __init__(self, position: int, count: int) -> None:
        super().__init__(f"choice {position} has {count} options")
        self.position = position
        self.count = count


class _Noting(Chooser):
    """Chooser that notes the actions of its run."""

    def __init__(self) -> None:
        self.schedule: list[int] = []
        self.actions: list[Action] = []
        self._run: Led | None = None
        self._names: dict[int, Name] = {}
        self._made: Counter[Name] = Counter()
        self._acting = _THE_BEGINNING
        self._answers: list[int] = []
        self._footprint = Footprint()
        self._before: tuple[Sequence[Name], Name | None, int] = ([_THE_BEGINNING], None, 0)

    def perform(self, make: Callable[[Chooser], R]) -> R:
        """Perform a run to its end."""
        with footprint.one_run():
            self._run = run = make(self)
            footprint.record_into(self._footprint)
            run.run()
            self._arrive()
        return run

    def answers_before(self, index: int) -> int:
        """Return the number of answers before an action, or in all."""
        return self.actions[index].begun if index < len(self.actions) else len(self.schedule)

    def _arrive(self) -> Sequence[Name]:
        """Note the action that has ended; return all processes."""
        footprint.record_into(None)
        assert self._run is not None
        state = self._run.state()
        running = self._run.running()
        gives_way = any(self._names.get(one.sequence) == self._acting for one in state.processes if one in running)
        answers = tuple(self._answers)
        self.actions.append(Action(self._acting, answers, self._footprint, gives_way, *self._before))
        for sequence in sorted(process.sequence for process in state.processes):
            if sequence not in self._names:
                self._names[sequence] = (*self._acting, self._made[self._acting])
                self._made[self._acting] += 1
        return [self._names[process.sequence] for process in state.processes]

    def pick(self, options: Sequence[Process]) -> int:
        footprint.stop_naming()
        processes = self._arrive()
        assert self._run is not None
        names = [self._names[option.sequence] for option in options]
        continuing = names[0] if self._run.running() else None
        self._before = processes, continuing, len(self.schedule)
        index = self._next(names, processes, continuing)
        if len(options) > 1:
            self.schedule.append(index)
        self._acting, self._answers, self._footprint = names[index], [], Footprint()
        footprint.record_into(self._footprint)
        return index

    def choose(self, label: str, count: int) -> int:
        answer = self._answer(count)
        self.schedule.append(answer)
        self._answers.append(answer)
        return answer

    def _next(self, options: Sequence[Name], processes: Sequence[Name], continuing: Name | None) -> int:
        """Return the index of the process that acts next."""
        raise NotImplementedError

    def _answer(self, count: int) -> int:
        """Return the answer to a choice."""
        raise NotImplementedError


class _Following(_Noting):
    """Chooser that follows a schedule, then takes the oldest option."""

    def __init__(self, schedule: Sequence[int]) -> None:
        super().__init__()
        self._given = schedule

    def _next(self, options: Sequence[Name], processes: Sequence[Name], continuing: Name | None) -> int:
        return self._answer(len(options)) if len(options) > 1 else 0

    def _answer(self, count: int) -> int:
        position = len(self.schedule)
        answer = self._given[position] if position < len(self._given) else 0
        if not 0 <= answer < count:
            raise _ImpossibleError(position, count)
        return answer


class _Ordering(_Noting):
    """Chooser that performs the actions of another run in another order.

    A task gives way only where others can act. So it may be one action in one order, and several in another.
    """

    def __init__(self, order: Sequence[Action]) -> None:
        super().__init__()
        self._order = list(reversed(order))
        self._left: list[int] = []
        #: How many places each process still has to pass until its action in the other run ends.
        self._places: dict[Name, float] = {}
        self._take()

    def _take(self, *, goes_on: bool = False) -> Name:
        """Take the next action of the order, or take it together with the one before; return its process."""
        action = self._order.pop()
        process = action.process
        places = action.footprint.given_way if action.gives_way else math.inf
        self._places[process] = places + (self._places[process] if goes_on else 0)
        self._left = list(reversed(action.answers))
        return process

    def _next(self, options: Sequence[Name], processes: Sequence[Name], continuing: Name | None) -> int:
        acted = self._acting
        self._places[acted] -= self._footprint.given_way
        while self._places[acted] < 0 or (acted not in processes and self._order and self._order[-1].process == acted):
            self._take(goes_on=True)
        if continuing is not None and self._places[continuing] > 0:
            return 0
        return options.index(self._take())

    def _answer(self, count: int) -> int:
        while not self._left:
            self._take(goes_on=True)
        return self._left.pop()
