"""The rule about changes of state without the notification that other changes of it have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, an, at
from speclint.flow.conditions import canonical
from speclint.flow.graph import nodes_behind
from speclint.rules.strands import is_new, written

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode, Routine

#: Only an event whose name says so is a notification of a change, and not a part of the act itself.
_OF_CHANGE = re.compile(r"change|update", re.IGNORECASE)
_FIRED = re.compile(r"\[=fir(?:e|ing) [^=]*=\] named (?:\{\{(?:\w+/)?|\")?([\w-]+)", re.IGNORECASE)


def check_silent_changes(context: Context) -> Iterator[LintFinding]:
    """Find changes of state after which steps fire no event, and most others fire one that is named for a change."""
    notices = _Notices(context)
    changes: dict[tuple[str, str], list[FlowNode]] = {}
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            if node.kind != "action" or node.begins or is_new(node) or context.states.before(node) is None:
                continue
            item = written(context, node)
            if item is not None:
                changes.setdefault((item.owner, item.name), []).append(node)
    for (owner, name), nodes in changes.items():
        told = {id(node): notices.of(node) for node in nodes}
        for event in sorted(set().union(*told.values())):
            loud = {node.routine.algorithm.id for node in nodes if event in told[id(node)]}
            silent = [node for node in nodes if event not in told[id(node)] and node.routine.algorithm.id not in loud]
            quiet = {node.routine.algorithm.id for node in silent}
            if len(loud) > max(1, len(quiet)):
                for node in silent:
                    yield at(
                        node,
                        "silent-change",
                        f"this changes the {name} of {an(owner)}, but no {event} follows, unlike in {_some(loud)}",
                        f"fire {event} here, too, or say why no {event} is needed",
                    )


def _some(ids: set[str]) -> str:
    first, *more = sorted(ids)
    return f"{first} and {len(more)} more" if more else first


class _Notices:
    """The events that tell of a change: they are fired on every way behind it."""

    def __init__(self, context: Context) -> None:
        self._knowledge = context.knowledge
        self._in_algorithm: dict[str, frozenset[str]] = {}
        self._by_callers: dict[str, frozenset[str]] = {}
        self._callers: dict[str, list[FlowNode]] = {}
        for calls in context.knowledge.calls.values():
            for call in calls:
                self._callers.setdefault(call.callee.id, []).append(call.node)

    def of(self, node: FlowNode) -> frozenset[str]:
        """Return the events that tell of the change of a node, in its own steps or in those of all callers."""
        found = self._fired_by(node) | self._behind(node)
        routine = node.routine
        while routine.kind == "parallel" and routine.begun_at is not None:
            found |= self._behind(routine.begun_at)
            routine = routine.begun_at.routine
        return found | (self._behind_calls(routine.algorithm.id) if routine.kind == "main" else frozenset())

    def _behind_calls(self, algorithm: str) -> frozenset[str]:
        """Return the events that are fired behind every call of an algorithm."""
        if algorithm not in self._by_callers:
            # Algorithms that call each other end here.
            self._by_callers[algorithm] = frozenset()
            told = [self.of(one) for one in self._callers.get(algorithm, ()) if one.routine.algorithm.id != algorithm]
            self._by_callers[algorithm] = frozenset.intersection(*told) if told else frozenset()
        return self._by_callers[algorithm]

    def _behind(self, node: FlowNode) -> frozenset[str]:
        """Return the events that are fired behind a node on every way."""
        events = {event for one in nodes_behind(node) for event in self._fired_by(one)}
        return frozenset(event for event in events if self._always_follows(node, event))

    def _always_follows(self, node: FlowNode, event: str) -> bool:
        return node.routine.exit not in nodes_behind(node, until=lambda one: event in self._fired_by(one))

    def _fired_by(self, node: FlowNode) -> frozenset[str]:
        """Return the events that a node fires: itself, in steps that it begins, or in an algorithm that it calls."""
        fired = (match[1] for match in _FIRED.finditer(canonical(node.text)))
        found = frozenset(event for event in fired if _OF_CHANGE.search(event))
        for child in node.begins:
            if child.kind in ("parallel", "task"):
                found |= self._fired_in(child)
        for call in self._knowledge.calls.get(id(node), ()):
            key = call.callee.id
            if key not in self._in_algorithm:
                # Algorithms that call each other end here.
                self._in_algorithm[key] = frozenset()
                self._in_algorithm[key] = self._fired_in(self._knowledge.main_of(call.callee))
            found |= self._in_algorithm[key]
        return found

    def _fired_in(self, routine: Routine) -> frozenset[str]:
        return frozenset(event for node in routine.nodes for event in self._fired_by(node))
