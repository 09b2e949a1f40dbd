"""The graph of an algorithm's flow of control.

An algorithm is one or several routines: its own steps, and those that run at another time, or in parallel: the steps below
"in parallel", those of a task, abort steps, reactions to promises, and steps that a variable names. A node is a step, or the
action of a branch on one line. An edge of a condition has the facts that hold behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from speclint.flow import phrases
from speclint.flow.conditions import FlowCondition, KnownFact, parse_condition

if TYPE_CHECKING:
    from speclint.text.source_model import SourceAlgorithm, SourceStep

#: The answers on the edges back to the head of a loop.
AGAIN = "again"
#: The answer on the edge into the body of a loop.
ANOTHER = "another one"
_BACK = (AGAIN, "continue")


@dataclass(eq=False, slots=True)
class Edge:
    """A way from a node to the next one; ``answer`` says how a condition was answered, if the node has one."""

    target: FlowNode
    facts: tuple[KnownFact, ...] = ()
    answer: str = ""

    @property
    def is_back(self) -> bool:
        """True if the edge leads back to the head of a loop."""
        return self.target.kind == "loop" and self.answer in _BACK


@dataclass(eq=False, slots=True)
class FlowNode:
    """A point of a routine; ``kind`` is "entry", "exit", "action", "test", "loop" or "join"."""

    routine: Routine
    kind: str
    step: SourceStep | None = None
    text: str = ""
    condition: FlowCondition | None = None
    edges: list[Edge] = field(default_factory=list)
    begins: list[Routine] = field(default_factory=list)
    ends: str = ""
    #: Variables that the node binds beyond those of its text.
    binds: tuple[str, ...] = ()
    is_after_otherwise: bool = False

    @property
    def number(self) -> str:
        """The number of the step, or nothing."""
        return self.step.number if self.step else ""

    def to(self, target: FlowNode, facts: tuple[KnownFact, ...] = (), answer: str = "") -> None:
        """Add an edge."""
        self.edges.append(Edge(target, facts, answer))


@dataclass(eq=False, slots=True)
class Routine:
    """Steps that run one after the other; ``kind`` is "main", "parallel", "task", "steps", "abort" or "reaction"."""

    kind: str
    algorithm: SourceAlgorithm
    parameters: tuple[str, ...] = ()
    begun_at: FlowNode | None = None
    name: str = ""
    nodes: list[FlowNode] = field(default_factory=list)
    #: "parallel", "event loop", or "" if neither is known.
    strand: str = ""

    def node(self, kind: str, step: SourceStep | None = None, text: str = "") -> FlowNode:
        """Add a node."""
        made = FlowNode(self, kind, step, text)
        self.nodes.append(made)
        return made

    @property
    def entry(self) -> FlowNode:
        """The first node."""
        return self.nodes[0]

    @property
    def exit(self) -> FlowNode:
        """The node behind the last step, and behind every return."""
        return self.nodes[1]

    @property
    def children(self) -> Iterator[Routine]:
        """The routines that this one begins."""
        for node in self.nodes:
            yield from node.begins

    def walk(self) -> Iterator[Routine]:
        """Yield this routine and all that it leads to."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class _Loop:
    head: FlowNode
    after: FlowNode


class Builder:
    """The making of the graph of one algorithm; ``stray`` are the steps that begin with "Otherwise" behind no "If"."""

    def __init__(self, algorithm: SourceAlgorithm) -> None:
        self.stray: list[SourceStep] = []
        self.main = self._routine("main", algorithm, algorithm.parameters, None, algorithm.name)
        end = self._sequence(self.main, algorithm.steps, self.main.entry, None)
        self._join(end, self.main.exit)

    def _routine(
        self, kind: str, algorithm: SourceAlgorithm, parameters: Sequence[str], begun_at: FlowNode | None, name: str
    ) -> Routine:
        routine = Routine(kind, algorithm, tuple(parameters), begun_at, name)
        routine.node("entry")
        routine.node("exit")
        if begun_at is not None:
            begun_at.begins.append(routine)
        return routine

    def _join(self, end: FlowNode | None, target: FlowNode) -> None:
        if end is not None:
            end.to(target)

    def _sequence(self, routine: Routine, steps: Sequence[SourceStep], start: FlowNode, loop: _Loop | None) -> FlowNode:
        """Add steps behind a node; return the node behind them."""
        current = start
        pending: list[FlowNode] = []  # The sides of tests that were answered no, waiting for an "Otherwise".
        after: FlowNode | None = None
        asked = ""
        for index, step in enumerate(parts := [part for whole in steps for part in _parts(whole)]):
            text = step.text
            branch = phrases.branch_of(text)
            if (branch is None or not branch.is_otherwise) and after is not None:
                for node in pending:
                    node.to(after)
                current, after, pending = after, None, []
            if branch is None and not step.children and phrases.leaves_the_rest_in_parallel(text):
                return self._begin_rest(routine, step, text, current, parts[index + 1 :])
            if branch is None:
                current = self._plain(routine, step, text, current, loop)
                continue
            if branch.is_otherwise and after is None:
                self.stray.append(step)
            if after is None:
                after = routine.node("join")
                pending = [current]
            [before] = pending
            if not branch.condition:
                inner = self._branch(routine, step, branch.action, before, loop)
                inner.to(after)
                pending = []
                current, pending = after, []
                after = None
                continue
            test = routine.node("test", step, branch.condition)
            test.is_after_otherwise = branch.is_otherwise
            test.condition = parse_condition(phrases.with_subject(branch.condition, before.text))
            before.to(test)
            yes, no = routine.node("join", step), routine.node("join", step)
            test.to(yes, test.condition.when(taken=True), "yes")
            if not (branch.is_otherwise and phrases.is_the_other_end(branch.condition, asked)):
                test.to(no, test.condition.when(taken=False), "no")
            asked = branch.condition
            action, other = phrases.split_otherwise(branch.action)
            self._branch(routine, step, action, yes, loop).to(after)
            pending = [no]
            if other:
                self._branch(routine, step, other, no, loop, with_children=not action).to(after)
                current, after, pending = after, None, []
        if after is not None:
            for node in pending:
                node.to(after)
            current = after
        return current

    def _branch(
        self,
        routine: Routine,
        step: SourceStep,
        action: str,
        start: FlowNode,
        loop: _Loop | None,
        *,
        with_children: bool = True,
    ) -> FlowNode:
        children = step.children if with_children else []
        if not action:
            return self._sequence(routine, children, start, loop)
        if phrases.routine_kind(action) and (children or phrases.queued_action(action)):
            return self._begin(routine, step, action, start, children, loop)
        action_node = self._action(routine, step, action, start, loop)
        return self._sequence(routine, children, action_node, loop) if children else action_node

    def _plain(self, routine: Routine, step: SourceStep, text: str, start: FlowNode, loop: _Loop | None) -> FlowNode:
        if phrases.is_loop(text):
            return self._loop(routine, step, text, start, loop)
        if phrases.routine_kind(text) and (
            step.children
            or phrases.queued_action(text)
            or phrases.parallel_action(text)
            or phrases.aborted_action(text)
        ):
            return self._begin(routine, step, text, start, step.children, loop)
        if step.children and all(child.is_case for child in step.children):
            return self._switch(routine, step, text, start, loop)
        node = self._action(routine, step, text, start, loop)
        return self._sequence(routine, step.children, node, loop) if step.children else node

    def _action(self, routine: Routine, step: SourceStep, text: str, start: FlowNode, loop: _Loop | None) -> FlowNode:
        node = routine.node("action", step, text)
        start.to(node)
        node.ends = phrases.ending_of(text)
        if not node.ends:
            return node
        is_conditional = text.lower().startswith("optionally")
        if node.ends in ("continue", "break") and loop is not None:
            node.to(loop.head if node.ends == "continue" else loop.after, (), node.ends)
        else:
            node.to(routine.exit, (), node.ends)
        behind = routine.node("join")
        if is_conditional:
            node.to(behind)
        return behind

    def _begin_rest(
        self, routine: Routine, step: SourceStep, text: str, start: FlowNode, rest: Sequence[SourceStep]
    ) -> FlowNode:
        """Add a node that begins the steps behind it in parallel; its own steps end there."""
        node = routine.node("action", step, text)
        start.to(node)
        child = self._routine("parallel", routine.algorithm, (), node, "")
        self._join(self._sequence(child, rest, child.entry, None), child.exit)
        node.ends = phrases.ending_of(text)
        if node.ends:
            node.to(routine.exit, (), node.ends)
            return routine.node("join")
        return node

    def _loop(self, routine: Routine, step: SourceStep, text: str, start: FlowNode, outer: _Loop | None) -> FlowNode:
        head = routine.node("loop", step, text)
        start.to(head)
        head.binds = tuple(phrases.loop_variables(text))
        inner, after = routine.node("join", step), routine.node("join")
        inner.binds = head.binds
        condition = phrases.loop_condition(text) if step.children else ""
        goes_on = parse_condition(condition) if condition else None
        head.to(inner, goes_on.when(taken=True) if goes_on else (), ANOTHER)
        head.to(after, goes_on.when(taken=False) if goes_on else (), "no more")
        body = _Loop(head, after)
        words, colon, action = text.partition(", ") if not step.children else ("", "", "")
        begun = phrases.split_begun(text) if step.children else None
        if begun:
            head.text, first, action = begun
            end = self._action(routine, step, first, inner, body) if first else inner
            end = self._begin(routine, step, action, end, step.children, body)
        elif colon and action:
            head.text = words
            is_begun = phrases.routine_kind(action) and phrases.queued_action(action)
            end = (self._plain if is_begun else self._action)(routine, step, action, inner, body)
        elif step.children and all(child.is_case for child in step.children):
            end = self._switch(routine, step, "", inner, body)
        else:
            end = self._sequence(routine, step.children, inner, body)
        end.to(head, (), AGAIN)
        return after

    def _switch(self, routine: Routine, step: SourceStep, text: str, start: FlowNode, loop: _Loop | None) -> FlowNode:
        if phrases.has_parts(text):
            current = start
            for case in step.children:
                part = routine.node("action", case, case.text)
                current.to(part)
                current = self._sequence(routine, case.children, part, loop)
            return self._action(routine, step, text, current, loop)
        head = routine.node("action", step, text)
        start.to(head)
        cases = [case for case in step.children if not phrases.defines_algorithms(text, case.text)]
        for case in step.children:
            if case not in cases:
                child = self._routine("steps", routine.algorithm, phrases.parameters_of(case.text), head, "")
                self._join(self._sequence(child, case.children, child.entry, None), child.exit)
        if not cases:
            return head
        after = routine.node("join")
        same: list[FlowNode] = []
        for case in cases:
            begin = routine.node("action", case, case.text)
            head.to(begin, (), f"case {case.number}")
            for other in same:
                other.to(begin)
            same = []
            if not case.children and case is not cases[-1]:
                # Cases that stand one below the other have the same steps.
                same = [begin]
                continue
            self._sequence(routine, case.children, begin, loop).to(after)
        ways = reachable(routine.entry)
        if not any(edge.target is after for node in routine.nodes if id(node) in ways for edge in node.edges):
            # Every case ends the steps, so the cases are all that there are.
            return after
        if not any("otherwise" in case.text.lower() or "anything else" in case.text.lower() for case in step.children):
            head.to(after)
        return after

    def _begin(
        self,
        routine: Routine,
        step: SourceStep,
        text: str,
        start: FlowNode,
        children: Sequence[SourceStep],
        loop: _Loop | None,
    ) -> FlowNode:
        """Add a node that begins another routine, and this routine."""
        node = routine.node("action", step, text)
        start.to(node)
        kind = phrases.routine_kind(text)
        cases = [child for child in children if child.is_case]
        if kind == "reaction" and cases:
            for case in cases:
                child = self._routine("reaction", routine.algorithm, phrases.bound(case.text), node, case.text)
                begin = child.node("action", case, case.text)
                child.entry.to(begin)
                self._join(self._sequence(child, case.children, begin, None), child.exit)
            return node
        parameters = phrases.parameters_of(text) if kind == "steps" else phrases.bound(text)
        names = phrases.let_variables(text)
        child = self._routine(kind, routine.algorithm, parameters, node, names[0] if names and kind == "steps" else "")
        if children:
            end = self._sequence(child, children, child.entry, None)
        elif kind == "abort":
            action = phrases.aborted_action(text)
            node.text = text.removesuffix(action)
            end = self._plain(child, step, action, child.entry, None)
        else:
            action = phrases.queued_action(text) or phrases.parallel_action(text)
            node.text = text.removesuffix(action)
            action, word = phrases.split_end(action)
            end = self._action(child, step, action, child.entry, None)
            node.ends = word
        self._join(end, child.exit)
        if children and kind in ("parallel", "task", "reaction") and phrases.ending_of(text) == "return":
            node.ends = "return"
        if node.ends:
            node.to(routine.exit, (), node.ends)
            return routine.node("join")
        return node


def _parts(step: SourceStep) -> list[SourceStep]:
    """Return a step, or one for each of its sentences; the steps below it belong to the last one."""
    *first, last = phrases.sentences(step.text)
    if not first:
        return [step]
    own = [replace(step, raw=sentence, children=[]) for sentence in first]
    return [*own, replace(step, raw=last)]


def reachable(start: FlowNode) -> set[int]:
    """Return the identities of a node and of those that can be reached from it."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            waiting += [edge.target for edge in node.edges]
    return seen


def nodes_behind(node: FlowNode, until: Callable[[FlowNode], bool] | None = None) -> list[FlowNode]:
    """Return the nodes of a routine to which ways lead from a node; no way goes on behind a node that ``until`` accepts."""
    seen: dict[int, FlowNode] = {}
    waiting = [node]
    while waiting:
        current = waiting.pop(0)
        for edge in current.edges:
            if id(edge.target) not in seen:
                seen[id(edge.target)] = edge.target
                if until is None or not until(edge.target):
                    waiting.append(edge.target)
    return list(seen.values())


def nodes_before(node: FlowNode) -> Iterator[FlowNode]:
    """Yield the nodes from which a way leads to a node, also from outside of its routine."""
    seen = {id(node)}
    waiting = [node]
    while waiting:
        current = waiting.pop()
        before = [one for one in current.routine.nodes if any(edge.target is current for edge in one.edges)]
        if current is current.routine.entry and current.routine.begun_at is not None:
            before.append(current.routine.begun_at)
        for one in before:
            if id(one) not in seen:
                seen.add(id(one))
                waiting.append(one)
                yield one


def path_to(node: FlowNode) -> list[str]:
    """Return the decisions on a shortest way to a node, from the first step of its algorithm on."""
    before = path_to(node.routine.begun_at) if node.routine.begun_at is not None else []
    ways: dict[int, list[str]] = {id(node.routine.entry): []}
    waiting = [node.routine.entry]
    for current in waiting:
        if current is node:
            break
        for edge in current.edges:
            if id(edge.target) not in ways:
                decision = [f"step {current.number}: {edge.answer}"] if edge.answer and current.step else []
                ways[id(edge.target)] = ways[id(current)] + decision
                waiting.append(edge.target)
    begun = node.routine.begun_at
    words = {"parallel": "in parallel", "task": "in its task", "abort": "when aborted", "reaction": "in a reaction"}
    entering = [f"step {begun.number}: {words.get(node.routine.kind, 'when these steps run')}"] if begun else []
    return [*before, *entering, *ways.get(id(node), ["no way"])]
