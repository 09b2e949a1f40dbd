"""The lint: all rules over one text, without the findings that the text suppresses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding
from speclint.flow.knowledge import know
from speclint.flow.states import States
from speclint.rules import CHECKS, CHECKS_BY_NAME, RULES, RULES_BY_NAME, SUPPRESSION
from speclint.text.content import read_content
from speclint.text.idl import error_in_idl
from speclint.text.source import read_what_is_sound

if TYPE_CHECKING:
    from speclint.text.source_model import SourceText, Suppression

#: A reason has at least this many letters.
_SHORTEST_REASON = 10


@dataclass(frozen=True, slots=True)
class Report:
    """The result of the lint: findings in the order of the text, and those that the text suppresses, with the reasons."""

    text: SourceText
    findings: list[LintFinding]
    suppressed: list[tuple[LintFinding, str]]


def lint(path: Path, by_name: Collection[str] = ()) -> Report:
    """Read a Bikeshed source and apply every rule; also those of ``by_name`` that are applied only if asked for.

    Raises:
        TextError: if the text cannot be read.
    """
    return apply_rules(read_what_is_sound(read_content(path), path), by_name)


def lint_text(content: str, path: Path, by_name: Collection[str] = ()) -> Report:
    """Apply every rule, also those of ``by_name``, to the content of a Bikeshed source, which ``path`` names in errors.

    Raises:
        TextError: if the text cannot be read.
    """
    return apply_rules(read_what_is_sound(content, path), by_name)


def apply_rules(text: SourceText, by_name: Collection[str] = ()) -> Report:
    """Apply every rule to a text that was read; also those of ``by_name`` that are applied only if asked for."""
    for line, block in list(text.idl_blocks):
        error = error_in_idl(block, text.path, line)
        if error is not None:
            text.unread.append(error)
            text.idl_blocks.remove((line, block))
    knowledge = know(text)
    context = Context(text, knowledge, States(knowledge))
    chosen = [check for check, rules in CHECKS_BY_NAME if any(rule in by_name for rule in rules)]
    checks = [*(check for check, _ in CHECKS), *chosen]
    found = list(dict.fromkeys(finding for check in checks for finding in check(context)))
    found = [one for one in found if one.rule in RULES or one.rule in by_name]
    findings: list[LintFinding] = []
    suppressed: list[tuple[LintFinding, str]] = []
    for finding in found:
        comment = _suppression_of(text, finding)
        if comment is None:
            findings.append(finding)
        else:
            suppressed.append((finding, comment.reason))
    not_applied = [rule for rule in RULES_BY_NAME if rule not in by_name]
    findings += [_idle(comment) for comment in text.suppressions if not _is_sound(comment, not_applied)]
    order = [*RULES, *RULES_BY_NAME]
    findings.sort(key=lambda finding: (finding.line, order.index(finding.rule), finding.message))
    return Report(text, findings, suppressed)


def _suppression_of(text: SourceText, finding: LintFinding) -> Suppression | None:
    """Return the comment beside a finding's step or paragraph that takes the finding back."""
    first, last = finding.line, finding.line
    for algorithm in text.algorithms:
        if algorithm.id != finding.algorithm:
            continue
        if not finding.step:
            last = max(last, algorithm.steps[0].line - 1)
        for step in algorithm.walk():
            if step.number == finding.step:
                first, last = step.line, max(step.line, step.last_line)
    for paragraph in text.paragraphs:
        if not finding.algorithm and paragraph.line <= finding.line <= paragraph.last_line:
            first, last = paragraph.line, paragraph.last_line
    chosen = None
    for comment in text.suppressions:
        is_near = first <= comment.line <= last or comment.next_line == first
        if comment.rule == finding.rule and is_near and len(comment.reason) >= _SHORTEST_REASON:
            comment.is_used = True
            chosen = comment
    return chosen


def _is_sound(comment: Suppression, not_applied: Collection[str]) -> bool:
    """Return whether a comment takes something back, or may do so by a rule that was not asked for."""
    return (comment.is_used and comment.rule in (*RULES, *RULES_BY_NAME)) or comment.rule in not_applied


def _idle(comment: Suppression) -> LintFinding:
    known = *RULES, *RULES_BY_NAME
    if comment.rule not in known:
        message, remedy = f"there is no rule {comment.rule!r}", f"name one of: {', '.join(known)}"
    elif len(comment.reason) < _SHORTEST_REASON:
        message, remedy = (
            "the suppression has no reason",
            "write <!-- lint: rule: reason -->, with a reason of some words",
        )
    else:
        message, remedy = (
            f"the suppression of {comment.rule} suppresses nothing",
            "take it out, or put it beside its step",
        )
    return LintFinding(SUPPRESSION, comment.line, message, remedy)
