"""Rules about promises: settled on every way, and once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, at
from speclint.flow import phrases
from speclint.text.markup import links

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode, Routine

_NEW = re.compile(
    r"\b[Ll]et \|([^|]+)\| be (?:\[=(?:\w+/)?(?:a new promise|create a promise|creating a promise)[^=]*=\]"
    r"|a new (?:promise|\{\{Promise))"
)
_GUARD = re.compile(r"exist|is null|is failure|aborted|is not \||still|already|destroyed|fully active")
#: "Resolve |p| with a TypeError": an exception is a reason to reject.
_RESOLVED_WITH = re.compile(
    r"\b(?:[Rr]esolv(?:e|ing)|promise resolved with)(?:\|[^=\]]*)?=\]"
    r"(?: (?:\|[^|]+\||with)(?:'s? \[=[^=]+=\])?){0,2} (?:with )?(?:an? |the )?(?:new(?:ly created)? |\[=exception/[^=]+=\] )*"
    r'(?:"\{\{\w+\}\}" )?\{\{(\w+Error|DOMException)\}\}'
)
#: The two ends of a promise, of which one comes.
_END_OF = re.compile(r"\b[Uu]pon (fulfillment|rejection)(?:=\])? of (\|[^|]+\|)")
#: To hand a promise over counts as much, however often it is done.
_HANDED = 100
#: Loops and branches are followed up to this many nodes on one way.
_ROUNDS = 4000


@dataclass(frozen=True, slots=True)
class _Course:
    """One way through steps: how often it settles the promise, whether it hands it over, and the last node on it."""

    count: int
    last: FlowNode


class _Promise:
    """The ways on which one promise is settled."""

    def __init__(self, context: Context, name: str, made_at: FlowNode) -> None:
        self._context = context
        self._name = name
        self._made_at = made_at
        self._steps: set[str] = set()
        #: Steps under another name that settle the promise: to hand them over is to settle it once.
        self._steps = {
            routine.name
            for routine in made_at.routine.walk()
            if routine.kind == "steps" and routine.name and self.touches(routine)
        }

    def settles(self, node: FlowNode) -> int:
        """Return how often a node itself settles the promise or hands it over."""
        mark = f"|{self._name}|"
        text = node.text
        if node.begins or node.kind not in ("action", "test") or self._is_second_end(node):
            return 0
        # To look something up of it is not to hand it over.
        if mark in text.replace(f"{mark}'s", "") and node is not self._made_at:
            own = {link.term for link in links(text)} | set(re.findall(r"\b(?:[Rr]esolve|[Rr]eject)\b", text))
            if own & {"resolve", "reject", "Resolve", "Reject", "resolve a promise", "reject a promise"}:
                # "To resolve it if …, and to reject it otherwise" does one of the two.
                if re.search(r"\bif\b.+\botherwise\b", text):
                    return 1
                return text.count(mark) if len(re.findall(r"(?:resolve|reject)=\]", text, re.IGNORECASE)) > 1 else 1
            if node.ends == "return" or node.kind == "test":
                return 0
            # It is given to another algorithm, or stored.
            is_made = re.search(r"\bbe an? (?:new )?", text) is not None
            calls = self._context.knowledge.calls.get(id(node))
            is_given = not phrases.let_variables(text) or (bool(calls) and not is_made)
            return _HANDED if is_given else 0
        is_given = any(f"|{name}|" in text and name not in phrases.let_variables(text) for name in self._steps)
        return _HANDED if is_given else 0

    def _is_second_end(self, node: FlowNode) -> bool:
        """Return whether an earlier node reacts to the other end of the same promise, and settles this one for both."""
        if _END_OF.search(node.text) is None:
            return False
        before = node.routine.nodes[: node.routine.nodes.index(node)]
        return any(
            _exclude_each_other(one, node) and (self.settles(one) > 0 or any(map(self.touches, one.begins)))
            for one in before
        )

    def is_kept(self) -> bool:
        """Return whether an item of something that is made holds the promise, so that other steps can settle it."""
        item = re.compile(rf"(?:\bset to|\bis|=\]) {re.escape(f'|{self._name}|')}")
        nodes = (node for routine in self._made_at.routine.walk() for node in routine.nodes)
        return any(phrases.let_variables(node.text) and item.search(node.text) for node in nodes)

    def touches(self, routine: Routine) -> bool:
        """Return whether steps settle the promise on some way."""
        return any(self.settles(node) for inner in routine.walk() for node in inner.nodes) if routine else False

    def inner(self, node: FlowNode) -> set[int]:
        """Return how often the routines that a node begins settle the promise, on their ways."""
        counts = {0}
        for child in node.begins:
            if child.kind in ("parallel", "task"):
                own = {way.count for way in self.ways(child, child.entry)}
                counts = {_sum(one, other) for one in counts for other in own}
            elif child.kind == "reaction" and len(node.begins) >= 1:
                continue
        others = [one for one in node.routine.nodes if _exclude_each_other(one, node)]
        if self._is_second_end(node):
            return counts
        reactions = [child for one in (node, *others) for child in one.begins if child.kind == "reaction"]
        if reactions and any(self.touches(child) for child in reactions):
            own = {way.count for child in reactions for way in self.ways(child, child.entry)}
            counts = {_sum(one, other) for one in counts for other in own}
        return counts

    def ways(self, routine: Routine, start: FlowNode) -> list[_Course]:
        """Return the ways from a node to the end of its routine, each once for each number of settlings."""
        found: dict[tuple[int, int], _Course] = {}
        waiting: list[tuple[FlowNode, int, FlowNode]] = [(start, 0, start)]
        seen: set[tuple[int, int, int]] = set()
        rounds = 0
        while waiting and rounds < _ROUNDS:
            rounds += 1
            node, count, last = waiting.pop()
            if (id(node), count, id(last) if node is routine.exit else 0) in seen:
                continue
            seen.add((id(node), count, id(last) if node is routine.exit else 0))
            if node is routine.exit or (node is self._made_at and rounds > 1):
                # A loop that makes the promise again ends the way of this one.
                found.setdefault((count, id(last)), _Course(count, last))
                continue
            own = self.settles(node)
            for inner in self.inner(node) if node.begins else {0}:
                total = _sum(count, own, inner)
                waiting.extend((edge.target, total, node if node.step else last) for edge in node.edges)
        return list(found.values())


def _exclude_each_other(one: FlowNode, other: FlowNode) -> bool:
    """Return whether two nodes react to the fulfillment and to the rejection of one promise."""
    ends = _END_OF.search(one.text), _END_OF.search(other.text)
    return bool(ends[0] and ends[1] and ends[0][1] != ends[1][1] and ends[0][2] == ends[1][2])


def _sum(*counts: int) -> int:
    settled = min(sum(count % _HANDED for count in counts), 3)
    return settled + (_HANDED if any(count >= _HANDED for count in counts) else 0)


def check_settled(context: Context) -> Iterator[LintFinding]:
    """Find promises that a way never settles, or settles twice."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            if context.states.before(node) is None:
                continue
            for match in _NEW.finditer(node.text):
                yield from _check(context, routine, node, match[1])


def check_reasons(context: Context) -> Iterator[LintFinding]:
    """Find promises that are resolved with an exception."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            match = _RESOLVED_WITH.search(node.text)
            if match is not None and context.states.before(node) is not None:
                yield at(
                    node,
                    "resolved-with-exception",
                    f"a promise is resolved with an exception, {match[1]}, and its callers see no error",
                    "reject the promise, or resolve it with another value",
                )


def _check(context: Context, routine: Routine, node: FlowNode, name: str) -> Iterator[LintFinding]:
    promise = _Promise(context, name, node)
    unsettled = twice = False
    for way in promise.ways(routine, node):
        returns_other = way.last.ends in ("return", "throw") and f"|{name}|" not in way.last.text
        if way.count == 0 and not returns_other and not unsettled and not promise.is_kept():
            unsettled = True
            place = _where_it_is_lost(promise, routine, node)
            yield at(
                place,
                "unsettled-promise",
                f"on this path {name} is never resolved or rejected",
                "settle it here, or hand it to steps that do",
            )
        if way.count not in (0, 1, _HANDED) and not twice:
            twice = True
            yield at(
                _second(promise, routine, node),
                "twice-settled-promise",
                f"on this path the steps settle {name} twice, or pass it on after they have settled it",
                "return after the first time",
            )
    for child in routine.walk():
        if child is routine:
            # The promise is made on its ways, and not before them.
            continue
        if child.kind in ("steps", "abort") and promise.touches(child) and not twice:
            for way in promise.ways(child, child.entry):
                if way.count % _HANDED > 1:
                    yield at(
                        way.last,
                        "twice-settled-promise",
                        f"on this path {name} is settled a second time",
                        "return after the first time",
                    )
                    break
        if child.kind == "steps" and promise.touches(child):
            for way in promise.ways(child, child.entry):
                if way.count == 0 and not _is_guard(child, way.last):
                    yield at(
                        way.last,
                        "unsettled-promise",
                        f"on this path {name} is never resolved or rejected, although another path does so",
                        "settle it here, or return before by a test that says why not",
                    )
                    break


def _is_guard(routine: Routine, last: FlowNode) -> bool:
    """Return whether a way ends early, with a return below a test."""
    if last.ends != "return":
        return False
    tests = [one for one in routine.nodes if one.kind == "test" and last.step is not None and one.step is last.step]
    parents = [one for one in routine.nodes if one.kind == "test" and one.step and last.step in one.step.children]
    return any(_GUARD.search(one.text) for one in (*tests, *parents))


def _where_it_is_lost(promise: _Promise, routine: Routine, made_at: FlowNode) -> FlowNode:
    """Return the node at which the way ends that does not settle the promise, as deep in as it can be told."""
    best = made_at
    for child in routine.walk():
        if child.kind in ("parallel", "task", "reaction") and child.begun_at is not None and promise.touches(child):
            for way in promise.ways(child, child.entry):
                if way.count == 0:
                    best = way.last if way.last.step else best
    return best


def _second(promise: _Promise, routine: Routine, made_at: FlowNode) -> FlowNode:
    best = made_at
    for child in routine.walk():
        if child.kind in ("main", "parallel", "task", "reaction"):
            for node in child.nodes:
                if promise.settles(node):
                    best = node
    return best
