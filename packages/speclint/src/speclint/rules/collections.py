"""The rule about operations on lists, maps and sets of another kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, at
from speclint.flow import phrases
from speclint.flow.conditions import KnownFact, canonical
from speclint.rules.members import has_no_lists
from speclint.text.markup import link_of, readable

if TYPE_CHECKING:
    from speclint.flow.graph import Builder, FlowNode
    from speclint.flow.states import FlowState

_TO = re.compile(r"\[=(?:(list|set|queue|stack)/)?(append|prepend|extend|enqueue|push)(?:\|[^=]*)?=\]", re.IGNORECASE)
_SET_ENTRY = re.compile(r"\[=map/set(?:\|[^=]*)?=\] (\|[^|]+\|)\[", re.IGNORECASE)
_LOOP = re.compile(r"^\[=(list|map|set)/[Ff]or each(?:\|[^=]*)?=\]")
_LIST_OF = re.compile(r"^the \[=map/(?:keys|values|getting the (?:keys|values))(?:\|[^=]*)?=\] of")
_OPERATION = re.compile(r"(\|[^|]+\|)(?:'s?| does not)? \[=(list|map|set)/(\w[\w ]*)(?:\|[^=]*)?=\]")
_APPEND_VARIABLE = re.compile(r"(?i:\[=(append|prepend)=\]) \|([^|]+)\| to \|([^|]+)\|(?=[.,;]|$| and )")
_SHARED = {("set", "list"), ("list", "set"), ("queue", "list"), ("stack", "list"), ("list", "queue"), ("list", "stack")}


def check_collections(context: Context) -> Iterator[LintFinding]:
    """Find operations on lists that are done to maps, and the other way round."""
    for builder in context.knowledge.builders.values():
        kinds = _kinds_taken(builder.main.algorithm.introduction)
        for routine in builder.main.walk():
            for node in routine.nodes:
                declared = _declared(context, node)
                for name, kind in declared.items():
                    before = kinds.get(name, kind)
                    if phrases.let_variables(node.text) or "any" in (before, kind) or before == kind:
                        continue
                    yield at(
                        node,
                        "wrong-collection",
                        f"{name} is a {before}, but gets a {kind} here",
                        "give it values of one kind",
                    )
                kinds |= declared
        for routine in builder.main.walk():
            for node in routine.nodes:
                state = context.states.before(node)
                if state is None or not node.text:
                    continue
                for name, wanted in _operations(node.text):
                    actual = kinds.get(name, "")
                    if actual == "any" and not _is_known(state, name, wanted):
                        yield at(
                            node,
                            "wrong-collection",
                            f"{name} can be any value, but is used as a {wanted}",
                            f"test first that it is a {wanted}",
                        )
                    elif actual not in ("", "any", wanted) and (wanted, actual) not in _SHARED:
                        yield at(
                            node,
                            "wrong-collection",
                            f"{name} is a {actual}, but this is an operation on a {wanted}",
                            f"use the operation of Infra for a {actual}",
                        )
                yield from _arguments(context, node, kinds)
                yield from _nested(context, builder, node, kinds)
                yield from _loops(context, node)


def _arguments(context: Context, node: FlowNode, kinds: dict[str, str]) -> Iterator[LintFinding]:
    """Find collections that are given to an algorithm which takes another kind."""
    for call in context.knowledge.calls.get(id(node), []):
        wanted = _kinds_taken(call.callee.introduction)
        for parameter, argument in zip(call.callee.parameters, call.arguments or (), strict=False):
            actual, expected = kinds.get(argument.strip("|"), ""), wanted.get(parameter, "")
            if "any" not in (actual, expected) and actual and expected and actual != expected:
                yield at(
                    node,
                    "wrong-collection",
                    f"{argument.strip('|')} is a {actual}, but {call.callee.name} takes a {expected}",
                    f"give it a {expected}",
                )


def _nested(context: Context, builder: Builder, node: FlowNode, kinds: dict[str, str]) -> Iterator[LintFinding]:
    """Find lists that are made a member of a list whose members are not lists."""
    for match in _APPEND_VARIABLE.finditer(canonical(node.text)):
        if kinds.get(match[2]) == kinds.get(match[3]) == "list" and has_no_lists(context, builder, match[3]):
            yield at(
                node,
                "wrong-collection",
                f"{match[2]} is a list, and becomes one member of {match[3]}, whose members are not lists",
                f"write: Extend {match[3]} with {match[2]}"
                if match[1].lower() == "append"
                else "add its members one by one",
            )


def _is_known(state: FlowState, name: str, wanted: str) -> bool:
    terms = {"map": ("[=ordered map=]", "[=map=]", "ordered map", "map"), "list": ("[=list=]", "list")}
    return any(KnownFact("text", f"|{name}| is {term}", True) in state.facts for term in terms.get(wanted, ()))


def _kinds_taken(text: str) -> dict[str, str]:
    """Return the kinds of the parameters that an introduction tells."""
    found: dict[str, str] = {}
    last = 0
    for match in re.finditer(r"\|([^|]+)\|", text):
        before = canonical(text[last : match.start()])
        last = match.end()
        kind = re.search(r"\ban? \[=(?:ordered )?(list|map|set|queue|stack)=\]", before)
        if kind:
            found[match[1]] = kind[1]
        elif "Infra value" in before or "{{any}}" in before:
            found[match[1]] = "any"
    return found


def _declared(context: Context, node: FlowNode) -> dict[str, str]:
    """Return the kinds of the variables that a node gives a value."""
    found: dict[str, str] = {}
    if node.kind != "action" or node.begins:
        return found
    for name, value in phrases.assignments(node.text):
        plain = canonical(value)
        kind = re.match(r"^an? (?:new |empty |copy of )*\[=(?:ordered )?(list|map|set|queue|stack)=\]", plain)
        if kind:
            found[name] = kind[1]
        elif plain.startswith("«["):
            found[name] = "map"
        elif plain.startswith("«"):
            found[name] = "list"
        elif re.search(r"\[=pars(?:e|ing) a json string to an infra value=\]", plain):
            found[name] = "any"
        elif re.match(r"^the \[=(?:keys|values)=\] of", plain):
            found[name] = "list"
        elif item := _item(context, value):
            kind = re.match(r"^[:, ]*an? \[=(?:ordered )?(list|map|set|queue|stack)=\]", canonical(item))
            if kind:
                found[name] = kind[1]
        else:
            for call in context.knowledge.calls.get(id(node), []):
                kinds = _returned(context, call.callee.id)
                if len(kinds) == 1:
                    [found[name]] = kinds
    return found


def _item(context: Context, value: str) -> str:
    if not re.fullmatch(r"(?:\|[^|]+\||\[=this=\])(?:'s? \[=[^=]+=\])+\.?", value):
        return ""
    item = context.knowledge.item(link_of(re.findall(r"\[=([^=|\]]+)", value)[-1]))
    return item.description if item else ""


def _returned(context: Context, algorithm: str) -> set[str]:
    """Return the kinds of collections that an algorithm returns."""
    found = set()
    for builder in context.knowledge.builders.values():
        if builder.main.algorithm.id != algorithm:
            continue
        kinds: dict[str, str] = {}
        for node in builder.main.nodes:
            if not context.knowledge.calls.get(id(node)):
                kinds |= _declared(context, node)
        for node in builder.main.nodes:
            value = phrases.returned(node.text) if node.ends == "return" else None
            if value and re.fullmatch(r"\|[^|]+\|", value):
                found.add(kinds.get(value.strip("|"), ""))
            elif value and value.startswith("«"):
                found.add("map" if value.startswith("«[") else "list")
            elif value and value not in ("null", "failure"):
                found.add("")
    return found


def _operations(text: str) -> Iterator[tuple[str, str]]:
    """Yield the variables on which a text does an operation of a kind of collection, with the kind."""
    for match in _TO.finditer(text):
        wanted = match[1] or {"enqueue": "queue", "push": "stack"}.get(match[2].lower(), "list")
        rest = text[match.end() :]
        word = "with" if match[2].lower() == "extend" else "to"
        if word == "with":
            target = re.match(r" \|([^|]+)\|(?! ?\[|'s)", rest)
        else:
            targets = list(re.finditer(r" (?:to|onto|in) \|([^|]+)\|(?!\[|'s)(?=[.,;]|$| and )", rest))
            target = targets[-1] if targets else None
        if target:
            yield target[1], wanted
    for match in _SET_ENTRY.finditer(text):
        yield match[1].strip("|"), "map"
    if loop := _LOOP.match(text):
        subject = phrases.loop_subject(text)
        if re.fullmatch(r"\|[^|]+\|", subject):
            yield subject.strip("|"), loop[1]
    for match in _OPERATION.finditer(text):
        term = match[3]
        # The same word for several kinds says nothing.
        if term not in ("is empty", "size", "contains", "exist", "exists", "clone") or term in ("exist", "exists"):
            yield match[1].strip("|"), match[2]
    for match in re.finditer(r"\|([^|]+)\|\[\|[^|]+\|\](?:'s[^.]*?)? (?:does not )?\[=map/exists?=\]", text):
        yield match[1], "map"


def _loops(context: Context, node: FlowNode) -> Iterator[LintFinding]:
    """Find loops over the keys or values of a map as if they were a map."""
    match = _LOOP.match(node.text)
    if match and match[1] == "map":
        subject = phrases.loop_subject(node.text)
        has_pair = "→" in node.text.split(" of ")[0]
        if _LIST_OF.match(subject):
            yield at(
                node,
                "wrong-collection",
                f"{readable(subject).split(' of ')[0]} of a map are a list, but this step loops over a map",
                "write list/For each",
            )
        elif not has_pair and len(phrases.loop_variables(node.text)) == 1:
            yield at(
                node,
                "wrong-collection",
                "this loop over a map has one variable, but an entry has a key and a value",
                "name both, with → between them; or loop over the keys or the values",
            )
