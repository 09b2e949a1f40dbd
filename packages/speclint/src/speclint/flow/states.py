"""The state at each node: variables that are defined, facts that hold, and values in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from speclint.flow import phrases
from speclint.flow.conditions import KnownFact, canonical, is_about_state, mentions
from speclint.flow.graph import ANOTHER
from speclint.flow.knowledge import SCRIPT, Knowledge, runs_another
from speclint.flow.platform import FAILING, IMPLIED, OF_BROWSING_CONTEXT
from speclint.text.markup import link_of, links, stems, variables

if TYPE_CHECKING:
    from speclint.flow.graph import Edge, FlowNode, Routine

_FAILING = {stems(name): kind for name, kind in FAILING.items() if kind}
_WHOLE_PATH = re.compile(r"^(?:\|[^|]+\||\[=this=\])(?:'s \[=[^=]+=\])+$")
_CHANGE = re.compile(
    r"\[=(?:set|remove|append|clear|extend|prepend|insert|replace|empty)=\]|\b[Ss]et \||\b[Rr]emove \|", re.IGNORECASE
)
_REMOVED = re.compile(r"\[=remove=\] ((?:\|[^|]+\|)(?:'s \[=[^=]+=\])*\[.+?\](?!=))", re.IGNORECASE)
_STORED = re.compile(
    r"(?:\[=set=\]|\b[Ss]et) (?:the value of )?((?:\|[^|]+\|)(?:'s \[=[^=]+=\])*\[.+?\]) to ", re.IGNORECASE
)
_SET_VARIABLE = re.compile(r"\b[Ss]et \|([^|]+)\| to\b")
_SET_STATE = re.compile(r"\b[Ss]et ((?:\|[^|]+\||\[=this=\])(?:'s \[=[^=]+=\])+) to (.+?)(?=, and |\.$|$)")


@dataclass(frozen=True, slots=True)
class Doubt:
    """A variable whose value may be null or failure since a step, with the reason."""

    variable: str
    kind: str
    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class FlowState:
    """The facts that hold on every way to a node, and the doubts of any way."""

    defined: frozenset[str]
    facts: frozenset[KnownFact]
    doubts: frozenset[Doubt]

    def joined(self, other: FlowState) -> FlowState:
        """Return the state where two ways meet."""
        return FlowState(self.defined & other.defined, self.facts & other.facts, self.doubts | other.doubts)

    def knows(self, kind: str, subject: str, *, holds: bool) -> bool:
        """Return whether a fact holds."""
        return KnownFact(kind, subject, holds) in self.facts

    def doubts_about(self, variable: str, kind: str) -> list[Doubt]:
        """Return the doubts about a variable."""
        return [doubt for doubt in self.doubts if (doubt.variable, doubt.kind) == (variable, kind)]


class States:
    """The state before each node of all algorithms."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._before: dict[int, FlowState] = {}
        self._after: dict[int, FlowState] = {}
        self._entering: dict[int, FlowState] = {}
        for builder in knowledge.builders.values():
            main = builder.main
            doubts = frozenset(Doubt(name, "null", "", "the introduction says so") for name in main.algorithm.nullable)
            algorithm = main.algorithm
            given = {*main.parameters, *knowledge.arguments_of(algorithm), *variables(algorithm.introduction)}
            self._solve(main, FlowState(frozenset(given), frozenset(), doubts))

    def before(self, node: FlowNode) -> FlowState | None:
        """Return the state before a node, or None if no way leads there; that of a loop is before its first round."""
        return self._entering.get(id(node)) or self._before.get(id(node))

    def deciding_steps(self, node: FlowNode, fact: KnownFact) -> list[str]:
        """Return the numbers of the steps that make a fact true which holds before a node."""
        found: set[str] = set()
        seen: set[int] = set()
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            if current is current.routine.entry and current.routine.begun_at is not None:
                waiting.append(current.routine.begun_at)
                continue
            for before in current.routine.nodes:
                known = self._before.get(id(before))
                if known is None or not any(edge.target is current for edge in before.edges):
                    continue
                if fact in known.facts:
                    waiting.append(before)
                elif before.number:
                    found.add(before.number)
        return sorted(found, key=lambda number: [part.zfill(4) for part in number.split(".")])

    def _solve(self, routine: Routine, start: FlowState) -> None:
        self._before[id(routine.entry)] = start
        waiting = [routine.entry]
        while waiting:
            node = waiting.pop()
            after = self._transfer(node, self._before[id(node)])
            self._after[id(node)] = after
            for edge in node.edges:
                state = self._along(edge, after)
                known = self._before.get(id(edge.target))
                joined = state if known is None else known.joined(state)
                if joined != known:
                    self._before[id(edge.target)] = joined
                    waiting.append(edge.target)
        self._find_entering(routine)
        for node in routine.nodes:
            for child in node.begins:
                outside = self._after.get(id(node))
                if outside is None:
                    continue
                facts = frozenset(fact for fact in outside.facts if not is_about_state(fact))
                # A closure may name itself.
                own = {*child.parameters, *([child.name] if child.name else [])}
                doubts = frozenset(one for one in outside.doubts if one.variable not in child.parameters)
                self._solve(child, FlowState(outside.defined | own, facts, doubts))

    def _find_entering(self, routine: Routine) -> None:
        """Find the state before the first round of each loop, in which it looks up what it goes over."""
        for node in routine.nodes:
            after = self._after.get(id(node))
            for edge in node.edges:
                if after is not None and edge.target.kind == "loop" and not edge.is_back:
                    state = self._along(edge, after)
                    known = self._entering.get(id(edge.target))
                    self._entering[id(edge.target)] = state if known is None else known.joined(state)

    def _along(self, edge: Edge, state: FlowState) -> FlowState:
        if edge.answer == ANOTHER:
            state = replace(state, defined=state.defined | set(edge.target.binds))
        if not edge.facts:
            return state
        added = set(edge.facts)
        for fact in edge.facts:
            added |= set(_implied(fact))
        doubts = frozenset(
            doubt
            for doubt in state.doubts
            if KnownFact(doubt.kind, f"|{doubt.variable}|", False) not in added and not _excludes(added, doubt)
        )
        kept = {fact for fact in state.facts if fact.opposite not in added}
        return FlowState(state.defined, frozenset(kept | added), doubts)

    def _transfer(self, node: FlowNode, state: FlowState) -> FlowState:
        text = node.text
        if not text or node.kind in ("entry", "exit", "join"):
            return state
        is_beginning = bool(node.begins)
        own = text if not is_beginning else _head(text)
        bound = [*phrases.bound(own), *node.binds]
        assigned = phrases.assignments(text) if node.kind == "action" and not is_beginning else []
        facts, doubts = set(state.facts), set(state.doubts)
        for name in {*bound, *(name for name, _ in assigned)}:
            facts = {fact for fact in facts if not mentions(fact, name)}
            doubts = {doubt for doubt in doubts if doubt.variable != name}
        if node.kind == "action" and not is_beginning:
            facts = self._forget(node, facts)
            facts |= set(_asserted(text))
        for name, value in assigned:
            for doubt in self._doubts_of(value, state, node):
                doubts.add(replace(doubt, variable=name))
            facts |= _known_of(name, value)
        for name in _changed_later(node):
            facts = {fact for fact in facts if not mentions(fact, name)}
        if node.kind == "action":
            for fact in list(facts):
                facts |= set(_implied(fact))
        doubts = {d for d in doubts if KnownFact(d.kind, f"|{d.variable}|", False) not in facts}
        defined = state.defined | {name for name in bound if name not in node.binds}
        return FlowState(defined, frozenset(facts), frozenset(doubts))

    def _forget(self, node: FlowNode, facts: set[KnownFact]) -> set[KnownFact]:
        """Return the facts that still hold after an action, and those that it makes true."""
        text = canonical(node.text)
        kept = set(facts)
        if self.runs_elsewhere(node):
            kept = {fact for fact in kept if not is_about_state(fact)}
        changed = {link.term for link in links(text)} if _CHANGE.search(text) else set()
        if changed:
            kept = {fact for fact in kept if not ({link.term for link in links(fact.subject)} & changed)}
        for match in _SET_STATE.finditer(text):
            if match[2] == "null":
                kept.add(KnownFact("null", match[1], True))
            elif re.fullmatch(r'\|[^|]+\||"[^"]*"', match[2]):
                kept.add(KnownFact("text", f"{match[1]} is {match[2]}", True))
                kept.add(KnownFact("null", match[1], False))
            elif not re.search(r"\bnull\b", match[2]):
                kept.add(KnownFact("null", match[1], False))
        if removed := _REMOVED.search(text):
            kept = {fact for fact in kept if fact.kind != "exists" or fact.subject != removed[1]}
            kept.add(KnownFact("exists", removed[1], False))
        if stored := _STORED.search(text):
            kept = {fact for fact in kept if fact.subject != stored[1]}
            kept.add(KnownFact("exists", stored[1], True))
        return kept

    def runs_elsewhere(self, node: FlowNode) -> bool:
        """Return whether an action runs script or another algorithm, after which state may be another."""
        calls = self._knowledge.calls.get(id(node), [])
        if any(call.callee.id in self._knowledge.changing for call in calls):
            return True
        return any(link.key in SCRIPT for link in links(node.text)) or (not calls and runs_another(node.text))

    def _doubts_of(self, value: str, state: FlowState, node: FlowNode) -> Iterator[Doubt]:
        step = node.number
        value = canonical(value).rstrip(" .")
        if value == "null" or re.search(r"(?:, or|; otherwise,?|\bor) null$", value):
            yield Doubt("", "null", step, f"step {step} makes it null")
            return
        if re.search(r"(?:, or|; otherwise,?) failure$", value):
            yield Doubt("", "failure", step, f"step {step} makes it failure")
        if re.search(r"\bif (?:it|that) is not (?:null|failure)\b", value):
            return
        for link in links(value):
            if link.key in _FAILING and not re.search(r"'s? $", value[: value.find("[=" + link.term)]):
                yield Doubt("", _FAILING[link.key], step, f"that is what {link.term} can give")
        for call in self._knowledge.calls.get(id(node), []):
            if value.startswith(("the result of", "[=", "the ")):
                for kind in sorted(self._knowledge.doubtful.get(call.callee.id, ())):
                    yield Doubt("", kind, step, f"that is what {call.callee.name} can give")
        path = list(links(value)) if _WHOLE_PATH.match(value) else []
        is_open = path and not OF_BROWSING_CONTEXT.search(value)
        if is_open and KnownFact("null", value, False) not in state.facts:
            last = path[-1]
            targets = re.findall(r"\[=([^=|\]]+)", node.text)
            full = next((link_of(one) for one in targets if link_of(one).term == last.term), last)
            why = self._knowledge.why_null(full)
            if why is not None:
                yield Doubt("", "null", step, f"{last.term} may be null: {why}")
        if re.fullmatch(r"\|[^|]+\|", value):
            for doubt in state.doubts:
                if doubt.variable == value.strip("|"):
                    yield doubt


def _changed_later(node: FlowNode) -> set[str]:
    """Return the variables that the routines which a node begins set."""
    texts = [one.text for child in node.begins for routine in child.walk() for one in routine.nodes]
    return {name for text in (*texts, node.text if node.begins else "") for name in _SET_VARIABLE.findall(text)}


def _head(text: str) -> str:
    """Return the words of a step that begins a routine, without those of the routine."""
    return re.split(r", given | to run these|:$", text)[0]


def _asserted(text: str) -> list[KnownFact]:
    from speclint.flow.conditions import parse_condition

    match = re.match(r"^(?:\[=/?)?Assert(?:=\])?:?(?: that)? (.+)$", text)
    if not match or "parallel" in text:
        return []
    return list(parse_condition(match[1]).when(taken=True))


def _known_of(name: str, value: str) -> set[KnownFact]:
    value = canonical(value).rstrip(" .")
    if value in ("true", "false"):
        return {KnownFact("true", f"|{name}|", value == "true")}
    if value == "null":
        return {KnownFact("null", f"|{name}|", True)}
    if re.match(r"^(?:an? )(?:empty|new) ", value) or re.match(r'^"[^"]*"$', value):
        return {KnownFact("null", f"|{name}|", False)}
    return set()


def _implied(fact: KnownFact) -> Iterator[KnownFact]:
    if fact.kind == "text" and fact.holds:
        for link in links(fact.subject):
            for kind, concept, holds in IMPLIED.get(link.term, ()):
                subject = fact.subject.partition(" is ")[0]
                yield KnownFact(kind, f"{subject}'s [={concept}=]" if concept else subject, holds)
        # Another value than null was found.
        match = re.match(r"^(\|[^|]+\|) is (?:an? |\"|true|the )?", fact.subject)
        if match:
            yield KnownFact("null", match[1], False)
            yield KnownFact("failure", match[1], False)


def _excludes(added: set[KnownFact], doubt: Doubt) -> bool:
    """Return whether a test other than for the doubtful value excludes it: "is not an ordered map" was answered no."""
    return any(
        fact.holds and fact.kind == "text" and fact.subject.startswith(f"|{doubt.variable}| is ") for fact in added
    )
