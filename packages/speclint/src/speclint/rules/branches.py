"""Rules about branches: steps that nothing reaches, tests that were made before, asserts that contradict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, at
from speclint.flow import phrases
from speclint.flow.conditions import KnownFact, alternatives, answer, parse_condition
from speclint.flow.graph import FlowNode, reachable
from speclint.flow.knowledge import asserted_strand
from speclint.text.markup import readable

if TYPE_CHECKING:
    from speclint.flow.states import FlowState

_ASSERT = re.compile(r"^(?:\[=/?)?Assert(?:=\])?:?(?: that)? (.+?)\.?$")
#: An exception leads to such a step from any of those before it.
_WAS_THROWN = re.compile(r"\b(?:exception|error)s? (?:was|were|is|are) thrown\b|\bthrew\b|\bthrows\b")
_IS_VARIABLE = re.compile(r"^(.+?) (?:is|equals) \|([^|]+)\|$")


def check_reached(context: Context) -> Iterator[LintFinding]:
    """Find steps that no way leads to, and "Otherwise" without an "If"."""
    for builder in context.knowledge.builders.values():
        for step in builder.stray:
            yield LintFinding(
                "stray-otherwise",
                step.line,
                "this step begins with Otherwise, but the step before it is not a condition",
                "restore the condition, or take the word out",
                builder.main.algorithm.id,
                step.number,
            )
        for routine in builder.main.walk():
            seen = reachable(routine.entry)
            for node in routine.nodes:
                if id(node) in seen or node.kind not in ("action", "test", "loop") or node.step is None:
                    continue
                if _WAS_THROWN.search(readable(node.text)):
                    seen |= reachable(node)
                if context.states.before(routine.entry) is None or id(node) in seen:
                    continue
                message = "no path reaches this step: every path ends before it"
                yield at(node, "unreachable-step", message, "move it, or take it out")
                break


def check_conditions(context: Context) -> Iterator[LintFinding]:
    """Find conditions whose answer is known already."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            state = context.states.before(node)
            if state is None or node.condition is None:
                continue
            if decided := _decided(context, node, state):
                value, facts = decided
                why = "; ".join(_reason(context, node, fact) for fact in facts)
                yield at(
                    node,
                    "dead-branch",
                    f"this is always {'true' if value else 'false'} here{', because ' if why else ''}{why}",
                    "remove the test, or correct the earlier one",
                )


def _decided(context: Context, node: FlowNode, state: FlowState) -> tuple[bool, tuple[KnownFact, ...]] | None:
    """Return the answer of a condition, and the facts that decide it; None if the answer is open."""
    assert node.condition is not None
    if any(_is_vague(fact) for fact in node.condition.facts):
        return None
    known = [_known(context, node, fact, state) for fact in node.condition.facts]
    # One part that is false decides an "and", one that is true an "or"; a single part decides either way.
    deciding = node.condition.joined != "and"
    if one := next((one for one in known if one is not None and one[0] is deciding), None):
        return one
    sure = [one for one in known if one is not None]
    return (not deciding, tuple(fact for one in sure for fact in one[1])) if len(sure) == len(known) else None


def _known(
    context: Context, node: FlowNode, fact: KnownFact, state: FlowState
) -> tuple[bool, tuple[KnownFact, ...]] | None:
    if found := answer(fact, state.facts):
        return found
    match = _IS_VARIABLE.match(fact.subject) if fact.kind == "text" else None
    null = KnownFact("null", match[1], True) if match else fact
    if match and null in state.facts and _is_never_null(context, node, state, match[2]):
        return not fact.holds, (null,)
    return None


def _is_never_null(context: Context, node: FlowNode, state: FlowState, name: str) -> bool:
    """Return whether a variable has a value other than null: a step says so, or its declaration as a parameter does."""
    if state.knows("null", f"|{name}|", holds=False):
        return True
    algorithm = node.routine.algorithm
    if name not in algorithm.parameters or name in algorithm.nullable | algorithm.optional:
        return False
    is_typed = re.search(rf"(?:\}}\}}|=\]|\}}>(?: element)?) \|{re.escape(name)}\|", algorithm.introduction)
    changed = {one for step in algorithm.walk() for one, _ in phrases.assignments(step.text)}
    return bool(is_typed) and name not in changed


def _is_vague(fact: KnownFact) -> bool:
    if "threw" in fact.subject or not fact.subject or " and " in fact.subject:
        return True
    return " or " in f" {fact.subject} " and not alternatives(fact)


def _reason(context: Context, node: FlowNode, fact: KnownFact) -> str:
    steps = context.states.deciding_steps(node, fact)
    places = f" (step{'s' if len(steps) > 1 else ''} {', '.join(steps)})" if steps else ""
    return f"{readable(str(fact))}{places}"


def check_asserts(context: Context) -> Iterator[LintFinding]:
    """Find asserts that say the opposite of what the steps before them, or other asserts, say."""
    for routine in context.knowledge.routines:
        strands = set()
        for node in routine.nodes:
            state = context.states.before(node)
            match = _ASSERT.match(node.text)
            if state is None or match is None:
                continue
            strand = _strand_of(match[1])
            if strand:
                strands.add(strand)
                if routine.kind in ("parallel", "task", "abort", "reaction") and strand != routine.strand:
                    yield _contradiction(node, f"these steps run {_where(routine.strand)}")
                elif len(strands) > 1 or (asserted_strand(routine) or strand) != strand:
                    yield _contradiction(node, "another assert says the opposite")
                continue
            condition = parse_condition(match[1])
            for fact in condition.when(taken=True):
                if fact.opposite in state.facts:
                    yield _contradiction(node, f"{readable(str(fact.opposite))} is known here")


def _strand_of(words: str) -> str:
    text = readable(words)
    if "parallel" in text:
        return "event loop" if re.search(r"\bnot\b", text) else "parallel"
    return "event loop" if re.search(r"running on (?:the|an) .*event loop", text) else ""


def _where(strand: str) -> str:
    return "in parallel" if strand == "parallel" else "on an event loop"


def _contradiction(node: FlowNode, reason: str) -> LintFinding:
    return at(
        node,
        "contradicting-assert",
        f"this assert cannot hold: {reason}",
        "correct the assert, or the steps that lead here",
    )
