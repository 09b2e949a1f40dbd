"""Rules about values that may be missing: null, failure, absent entries of maps and members of dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, an, at
from speclint.flow import phrases
from speclint.flow.conditions import KnownFact, canonical
from speclint.flow.graph import nodes_before
from speclint.flow.platform import OF_BROWSING_CONTEXT
from speclint.text.markup import link_of, readable

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode
    from speclint.flow.states import FlowState
    from speclint.text.source_model import StateItem

_STEP = r"'s? \[=[^=]+=\]"
_PATH = re.compile(rf"((?:\|[^|]+\||\[=this=\])(?:{_STEP})+)(?='s? (?:\[|<|\{{))")
_OF_PATH = re.compile(rf"\b(?:of|at|with|on) ((?:\|[^|]+\||\[=this=\])(?:{_STEP})+)(?=$|[.,:]| (?:and|or|given)\b)")
_ENTRY = re.compile(rf"((?:\|[^|]+\||\[=this=\])(?:{_STEP})*)\[((?:\|[^|]+\||\"[^\"{{}}]*\")(?:{_STEP})*)\](?!=)")
_MEMBER = re.compile(r"(\|[^|]+\|(?:\[\"\{\{\w+/\w+\}\}\"\])?)\[\"\{\{(\w+)/(\w+)\}\}\"\]")
#: A value that so many algorithms do not test is one that the text relies on.
_HABIT = 3
#: A key that is the place of something in a list.
_INDEX = re.compile(r"[Ii]ndex|^[ijkn]$")
_GUARDED = re.compile(
    r"\bif (?:it|that|so|they) (?:\[=exists?=\]|exists?|is (?:present|given|not null|not failure))|; otherwise\b|, or null\b"
)


#: Words behind an entry that ask whether it exists.
_ASKED = re.compile(
    r",? (?:(?:does not |do not )?(?:\[=(?:map/)?exists?=\]|exists?)"
    r"|(?:is|was) (?:not )?(?:given|present|provided|passed|specified|supplied|missing|absent|omitted)\b)"
)


def check_null(context: Context) -> Iterator[LintFinding]:
    """Find values that may be null and are looked into without a test."""
    return _habits(context, _first_of_each(_all_null(context)))


def _habits(context: Context, findings: Iterator[LintFinding]) -> Iterator[LintFinding]:
    """Yield findings; those about one definition that many algorithms neglect are one, because the definition mends them."""
    items = [one for some in context.knowledge.items.values() for one in some]
    by_definition: dict[StateItem | None, list[LintFinding]] = {}
    for finding in findings:
        reasons = ((f"{one.name} may be null: its definition on line {one.line} says so", one) for one in items)
        item = next((one for words, one in reasons if words in finding.message), None)
        by_definition.setdefault(item, []).append(finding)
    for item, some in by_definition.items():
        names = dict.fromkeys(one.algorithm for one in some)
        if item is None or len(names) < _HABIT:
            yield from some
            continue
        owner = f" of {an(item.owner)}" if item.owner else ""
        yield LintFinding(
            "untested-null",
            item.line,
            f"the {item.name}{owner} may be null, and {len(names)} algorithms look into it without a test: "
            f"{', '.join(names)}",
            "test or assert in these algorithms that the item is not null, or say in its definition when it is null",
        )


def _first_of_each(findings: Iterator[LintFinding]) -> Iterator[LintFinding]:
    """Yield the first finding about each value in an algorithm: a test there mends the others."""
    seen = set[tuple[str, str]]()
    for finding in findings:
        key = finding.algorithm, re.split(r" (?:may|was|is) ", finding.message)[0]
        if key not in seen:
            seen.add(key)
            yield finding


def _all_null(context: Context) -> Iterator[LintFinding]:
    for node, state in _nodes(context):
        text = canonical(node.text)
        seen = set[str]()
        for match in re.finditer(r"\|([^|]+)\|(?='s? (?:\[=|\{\{|<\{)|\[)", text):
            name = match[1]
            doubts = state.doubts_about(name, "null")
            if doubts and name not in seen and not _tested_before(node, f"|{name}|", "null", match.start()):
                seen.add(name)
                yield at(
                    node,
                    "untested-null",
                    f"{name} may be null here: {_reason(doubts[0].reason, doubts[0].step)}",
                    f"first test {name} for null, and say what happens if it is null",
                )
        for match in re.finditer(r"\|([^|]+)\| (?:is|are) (?:not )?\[=[^=]+=\]", text):
            doubts = state.doubts_about(match[1], "null")
            if doubts and match[1] not in seen and not _tested_before(node, f"|{match[1]}|", "null", match.start()):
                seen.add(match[1])
                yield at(
                    node,
                    "untested-null",
                    f"{match[1]} may be null here: {_reason(doubts[0].reason, doubts[0].step)}",
                    f"first test {match[1]} for null, and say what happens if it is null",
                )
        for pattern in (_PATH, _OF_PATH):
            for match in pattern.finditer(text):
                yield from _check_path(context, node, state, match[1], match.start(1), seen)
        yield from _check_arguments(context, node, state)


def _check_path(
    context: Context, node: FlowNode, state: FlowState, whole: str, start: int, seen: set[str]
) -> Iterator[LintFinding]:
    parts = re.split(r"(?=(?:'s? )\[=)", whole)
    for length in range(2, len(parts) + 1):
        path = "".join(parts[:length])
        term = re.findall(r"\[=([^=]+)=\]", parts[length - 1])[-1]
        why = context.knowledge.why_null(link_of(_target(node, term)))
        if OF_BROWSING_CONTEXT.search(path):
            continue
        if why is None or path in seen or state.knows("null", path, holds=False):
            continue
        if _tested_before(node, path, "null", start):
            continue
        if length == len(parts) and re.search(
            r"(?:is|are) (?:not )?null", canonical(node.text)[start + len(path) :][:12]
        ):
            continue
        seen.add(path)
        yield at(
            node,
            "untested-null",
            f"{_plain(path)} may be null: {why}",
            "first test it for null, and say what happens if it is null",
        )


def _target(node: FlowNode, term: str) -> str:
    """Return the target of the link to a term in a node, with its owner."""
    for match in re.finditer(r"\[=([^=|\]]+)", node.text):
        if link_of(match[1]).term == term:
            return match[1]
    return term


def _check_arguments(context: Context, node: FlowNode, state: FlowState) -> Iterator[LintFinding]:
    for call in context.knowledge.calls.get(id(node), []):
        for parameter, argument in zip(call.callee.parameters, call.arguments or (), strict=False):
            if not re.fullmatch(r"\|[^|]+\|", argument) or parameter in call.callee.nullable:
                continue
            doubts = state.doubts_about(argument.strip("|"), "null")
            if doubts and not _asks_for_null(context, call.callee.id, parameter):
                yield at(
                    node,
                    "untested-null",
                    f"{argument.strip('|')} may be null here, but this step passes it to {call.callee.name}",
                    f"test it for null first, or let {call.callee.name} take null",
                )


def _asks_for_null(context: Context, algorithm: str, parameter: str) -> bool:
    """Return whether an algorithm tests one of its parameters for null."""
    for builder in context.knowledge.builders.values():
        if builder.main.algorithm.id == algorithm:
            facts = [fact for node in builder.main.nodes if node.condition for fact in node.condition.facts]
            return any(fact.kind == "null" and fact.subject == f"|{parameter}|" for fact in facts)
    return False


def check_failure(context: Context) -> Iterator[LintFinding]:
    """Find results that may be failure and are used without a test."""
    return _first_of_each(_all_failures(context))


def _all_failures(context: Context) -> Iterator[LintFinding]:
    for node, state in _nodes(context):
        yield from _asked_for_null(context, node, state)
        names = {doubt.variable for doubt in state.doubts if doubt.kind == "failure"}
        for name in sorted(names):
            mark = f"|{name}|"
            text = canonical(node.text)
            if mark not in text or re.match(rf"^[Rr]eturn {re.escape(mark)}\.?$", text):
                continue
            if re.match(rf"^(?:[Ll]et|[Ss]et) {re.escape(mark)}", text) and text.count(mark) == 1:
                continue
            if _tested_before(node, mark, "failure", text.find(mark)) or _is_test(node, mark):
                continue
            if re.search(rf"{re.escape(mark)} is (?:not )?(?:failure|invalid|a valid|an error)\b", text):
                continue
            if _was_asked(node, mark) or _takes_failure(context, node):
                continue
            [doubt, *_] = state.doubts_about(name, "failure")
            yield at(
                node,
                "untested-failure",
                f"{name} may be failure here: {_reason(doubt.reason, doubt.step)}",
                f"add a step: If {name} is failure, then …",
            )


def _was_asked(node: FlowNode, mark: str) -> bool:
    """Return whether an earlier test of a variable names failure beside other results: "an exception, invalid, or failure"."""
    asked = re.compile(rf"{re.escape(mark)} is .*\b(?:failure|invalid)\b")
    return any(one.kind == "test" and asked.search(one.text) for one in (node, *nodes_before(node)))


def _takes_failure(context: Context, node: FlowNode) -> bool:
    """Return whether an algorithm that a step calls says that it takes failure."""
    calls = context.knowledge.calls.get(id(node), [])
    return any(re.search(r"\bor failure\b", call.callee.introduction) for call in calls)


def _asked_for_null(context: Context, node: FlowNode, state: FlowState) -> Iterator[LintFinding]:
    """Find tests for null of results that can be failure, and cannot be null."""
    facts = node.condition.facts if node.condition else ()
    for fact in facts:
        name = fact.subject.strip("|")
        doubts = state.doubts_about(name, "failure")
        if fact.kind != "null" or not doubts or state.doubts_about(name, "null"):
            continue
        if any(other.kind != "null" and f"|{name}|" in other.subject for other in facts):
            continue
        [doubt, *_] = doubts
        if not _can_give_null(context, node, doubt.step):
            yield at(
                node,
                "untested-failure",
                f"{name} is tested for null here, but it can be failure: {_reason(doubt.reason, doubt.step)}",
                "test it for failure",
            )


def _can_give_null(context: Context, node: FlowNode, step: str) -> bool:
    """Return whether an algorithm that a step calls returns a variable or state that may be null there."""
    algorithm = node.routine.algorithm
    callees = {
        call.callee.id
        for calls in context.knowledge.calls.values()
        for call in calls
        if call.node.routine.algorithm is algorithm and call.node.number == step
    }
    for builder in context.knowledge.builders.values():
        for one in builder.main.nodes if builder.main.algorithm.id in callees else ():
            state = context.states.before(one)
            value = canonical(phrases.returned(one.text) or "") if one.ends == "return" else ""
            is_variable = re.fullmatch(r"\|([^|]+)\|", value)
            if state is None or not value or (is_variable and not state.doubts_about(is_variable[1], "null")):
                continue
            if (
                is_variable
                or re.search(r"\bnull\b", value)
                or re.fullmatch(rf"(?:\|[^|]+\||\[=this=\])(?:{_STEP})+", value)
            ):
                return True
            if context.knowledge.calls.get(id(one)):
                return True
    return False


def check_entries(context: Context) -> Iterator[LintFinding]:
    """Find entries of maps and members of dictionaries that may be absent and are used without a test."""
    return _first_of_each(_all_entries(context))


def _all_entries(context: Context) -> Iterator[LintFinding]:
    for node, state in _nodes(context):
        text = canonical(node.text)
        if _GUARDED.search(text) and node.kind == "action":
            continue
        for match in _ENTRY.finditer(text):
            whole = match[0]
            if state.knows("exists", whole, holds=True) or _tested_before(node, whole, "exists", match.start()):
                continue
            if _is_write(text, match) or _is_tested_here(text, match.end()) or _is_given(node, match[1]):
                continue
            if _is_always_there(context, node, match[1], match[2]):
                continue
            state_of = "was removed" if state.knows("exists", whole, holds=False) else "may be absent"
            yield at(
                node,
                "untested-entry",
                f"the entry {_plain(whole)} {state_of} here",
                "test that it exists first, or say why it must with an Assert",
            )
        for match in _MEMBER.finditer(text):
            member = context.knowledge.members.get((match[2], match[3]))
            whole = match[0]
            if member is None or member.is_always_there or state.knows("exists", whole, holds=True):
                continue
            if _tested_before(node, whole, "exists", match.start()) or _is_tested_here(text, match.end()):
                continue
            if _is_write(text, match):
                continue
            yield at(
                node,
                "untested-entry",
                f'the member {_plain(match[1])}["{match[3]}"] is optional and may be absent here',
                "test that it exists first, or give it a default in the IDL",
            )


def _nodes(context: Context) -> Iterator[tuple[FlowNode, FlowState]]:
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            state = context.states.before(node)
            if state is not None and node.text and not readable(node.text).startswith("Assert"):
                yield node, state


def _is_given(node: FlowNode, collection: str) -> bool:
    """Return whether a map is what callers from other texts give: they know what it has."""
    algorithm = node.routine.algorithm
    return algorithm.is_exported and collection.strip("|") in algorithm.parameters


def _is_always_there(context: Context, node: FlowNode, collection: str, key: str) -> bool:
    """Return whether an entry is a place in a list, a member of a dictionary with a default, or an item of a record."""
    if key.startswith("|"):
        return _INDEX.search(key.strip("|")) is not None
    if not key.startswith('"'):
        return False
    members = [one for one in context.knowledge.members.values() if one.name == key.strip('"')]
    if members:
        return any(one.is_always_there for one in members)
    # What a loop goes over was made by other steps, with what it has.
    return any(collection.strip("|") in one.binds for one in node.routine.nodes)


def _is_write(text: str, match: re.Match[str]) -> bool:
    before = text[: match.start()]
    return (
        bool(re.search(r"(?:\[=(?:set|remove)=\]|\b[Ss]et|\b[Rr]emove)(?: the value of)? $", before, re.IGNORECASE))
        and bool(re.match(r" to |\.|$| from| and|,", text[match.end() :]))
        and not text[match.end() :].startswith("'s")
    )


def _is_tested_here(text: str, end: int) -> bool:
    """Return whether the words behind an entry ask whether it exists."""
    return _ASKED.match(text, end) is not None


def _tested_before(node: FlowNode, subject: str, kind: str, position: int) -> bool:
    """Return whether the same condition has asked for a value before it uses it."""
    if node.condition is None or len(node.condition.facts) < 2:
        return False
    wanted = KnownFact(kind, subject, node.condition.joined == "or")
    if kind == "exists":
        wanted = wanted.opposite
    for index, fact in enumerate(node.condition.facts):
        if fact == wanted or (kind == "failure" and fact.kind == "text" and subject in fact.subject and index == 0):
            return index == 0 or position > 0
    return False


def _is_test(node: FlowNode, mark: str) -> bool:
    if node.condition is None:
        return False
    about = [fact for fact in node.condition.facts if mark in fact.subject]
    return bool(about) and all(
        (fact.kind in ("failure", "null") and fact.subject == mark)
        or (fact.kind == "text" and re.match(rf"{re.escape(mark)} (?:is|are) (?:\[=|an? )", fact.subject) is not None)
        for fact in about
    )


def _reason(reason: str, step: str) -> str:
    return reason if not step or f"step {step}" in reason else f"{reason}, in step {step}"


def _plain(text: str) -> str:
    return re.sub(r"\[=([^=]+)=\]", r"\1", text).replace("|", "").replace("{{", "").replace("}}", "")
