"""Rules about branches: steps that nothing reaches, tests that were made before, asserts that contradict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from modelcontext.lint.findings import Context, LintFinding, at
from modelcontext.lint.flow.conditions import KnownFact, parse_condition
from modelcontext.lint.flow.graph import FlowNode, reachable
from modelcontext.lint.flow.knowledge import asserted_strand
from modelcontext.lint.text.markup import readable

if TYPE_CHECKING:
    from modelcontext.lint.flow.states import FlowState

_ASSERT = re.compile(r"^(?:\[=)?Assert(?:=\])?:? (.+?)\.?$")


def check_reached(context: Context) -> Iterator[LintFinding]:
    """Find steps that no way leads to, and "Otherwise" without an "If"."""
    for builder in context.knowledge.builders.values():
        for step in builder.stray:
            yield LintFinding(
                "stray-otherwise",
                step.line,
                "this begins with Otherwise, and the step before it is no condition",
                "restore the condition, or take the word out",
                builder.main.algorithm.id,
                step.number,
            )
        for routine in builder.main.walk():
            seen = reachable(routine)
            for node in routine.nodes:
                if id(node) in seen or node.kind not in ("action", "test", "loop") or node.step is None:
                    continue
                if context.states.before(routine.entry) is None:
                    continue
                message = "no way leads to this step: every way ends before it"
                yield at(node, "unreachable-step", message, "move it, or take it out")
                break


def check_conditions(context: Context) -> Iterator[LintFinding]:
    """Find conditions whose answer is known already."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            state = context.states.before(node)
            if state is None or node.condition is None:
                continue
            answer = _answer(node, state)
            if answer:
                yield at(
                    node,
                    "dead-branch",
                    f"this is always {answer} here: {_why(node, state)}",
                    "take the test out, or correct what was tested before",
                )


def _answer(node: FlowNode, state: FlowState) -> str:
    assert node.condition is not None
    facts = [fact for fact in node.condition.facts if not _is_vague(fact)]
    if len(facts) < len(node.condition.facts):
        return ""
    known = [_known(fact, state) for fact in facts]
    if node.condition.joined == "and" or len(facts) == 1:
        if all(one is True for one in known):
            return "true"
        if any(one is False for one in known):
            return "false"
        return ""
    if any(one is True for one in known):
        return "true"
    return "false" if all(one is False for one in known) else ""


def _known(fact: KnownFact, state: FlowState) -> bool | None:
    if fact in state.facts:
        return True
    return False if fact.opposite in state.facts else None


def _is_vague(fact: KnownFact) -> bool:
    return "threw" in fact.subject or not fact.subject or " or " in f" {fact.subject} " or " and " in fact.subject


def _why(node: FlowNode, state: FlowState) -> str:
    assert node.condition is not None
    known = [fact for fact in node.condition.facts if fact in state.facts or fact.opposite in state.facts]
    return "; ".join(readable(str(fact if fact in state.facts else fact.opposite)) for fact in known)


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
