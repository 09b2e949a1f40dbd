"""The rule about values: members of dictionaries and items of state get values of their kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, an, at
from speclint.flow import phrases
from speclint.flow.conditions import canonical
from speclint.flow.platform import INTERFACES, TYPES
from speclint.text.markup import link_of

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode
    from speclint.flow.states import FlowState
    from speclint.text.source_model import StateItem

_LINK = r"\[=([^=|\]]+)(?:\|[^=\]]*)?=\]"
_TERM = re.compile(_LINK)
_QUOTED = re.compile(r'"([^"|{}\[\]]+)"')
_MEMBER_SET = re.compile(
    r"(?:[Ss]et \|[^|]+\|\[\"\{\{(\w+)/(\w+)\}\}\"\] to|\{\{(\w+)/(\w+)\}\}(?: attribute)? (?:is|initialized to|set to))"
    r" (.+?)(?=, \{\{|, and \{\{|, and whose|\.$|$)"
)
_MEMBER = re.compile(r"\|[^|]+\|\[\"\{\{(\w+)/(\w+)\}\}\"\]")
_NEW = re.compile(rf"\bnew {_LINK} (?:whose|with) (.+)$")
_GIVEN_ITEM = re.compile(rf"{_LINK} is (.+?)(?=,? (?:and )?(?:whose )?\[=[^=]+=\] is |\.$|$)")
_SET_ITEM = re.compile(rf"\b[Ss]et (?:\|[^|]+\||\[=this=\])(?:'s? {_LINK})+ to (.+?)(?=, and |\.$|$)")
_NOUN = re.compile(
    r"^[:, ]*(?:(?:an?|the) )?(?:new |empty )*"
    r"(?:\{\{(\w+)\}\}|\[=([^=]+)=\]|<\{[^}]+\}> (element)|(boolean|string|element)\b)(?!'s?\b)"
)
_ENTRY = re.compile(r"((?:\|[^|]+\||\[=this=\])(?:'s? \[=[^=]+=\])*)\[(\|[^|]+\|)\](?!=)")
_KEYS = re.compile(r"\bmap(?:\|[^=]*)?=\] from ((?:an? )?(?:\[=([^=|\]]+)(?:\|[^=\]]*)?=\]|\{\{\w+\}\})) to ")
_KINDS = (("an empty [=list=]", "list"), ("an empty [=ordered map=]", "map"), ("«[", "map"), ("«", "list"))
#: Words of definitions that name a kind themselves.
_NAMED = frozenset(
    {"boolean", "string", "list", "map", "origin", "navigable", "realm", "element", "unique internal value"}
)


def check_values(context: Context) -> Iterator[LintFinding]:
    """Find members of dictionaries, and items of state, that are set to a value of another kind than they have."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            state = context.states.before(node)
            if state is None or not node.text or node.kind == "test":
                continue
            yield from _members(context, node, state)
            yield from _items(context, node, state)
            yield from _keywords(context, node)
            yield from _keys(context, node)
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            if node.kind == "test" and context.states.before(node) is not None:
                yield from _keys(context, node)
                yield from _keywords(context, node)
            yield from _keys(context, node)


def _members(context: Context, node: FlowNode, state: FlowState) -> Iterator[LintFinding]:
    for match in _MEMBER_SET.finditer(node.text):
        key = (match[1], match[2]) if match[1] else (match[3], match[4])
        member = context.knowledge.members.get(key)
        if member is None:
            continue
        problem = _problem(
            context, node, state, match[5].strip(" ."), context.knowledge.kind_of(member), member.is_nullable
        )
        if problem:
            yield at(
                node,
                "wrong-value",
                f"the member {key[1]} of {key[0]} is {member.type}{'?' if member.is_nullable else ''}, and {problem}",
                "leave the member out where there is no value, or convert the value first",
            )


def _problem(context: Context, node: FlowNode, state: FlowState, value: str, kind: str, is_nullable: bool) -> str:
    """Return the reason why a value is none of a kind, or nothing."""
    if value == "undefined" or re.search(r"otherwise,? undefined$", value):
        return "is set to undefined"
    if not is_nullable and (value == "null" or re.search(r"(?:otherwise|or),? null$", value)):
        return "is set to null"
    name = value.strip("|") if re.fullmatch(r"\|[^|]+\|", value) else ""
    if name and not is_nullable and state.doubts_about(name, "null"):
        return f"{name} may be null"
    own = _path_item(context, value)
    can_be_null = own is not None and re.search(r"\bor null\b", own.description)
    if own is not None and can_be_null and not is_nullable and not state.knows("null", canonical(value), holds=False):
        return f"the {own.name} may be null"
    actual = _kind_of_value(context, node, value)
    if kind and actual and not _fits(actual, kind, context.knowledge.enumerations):
        return f"is set to {_words(actual)}"
    return ""


def _items(context: Context, node: FlowNode, state: FlowState) -> Iterator[LintFinding]:
    """Find items that get a value of another kind than their definition declares."""
    new = _NEW.search(node.text)
    given = [(one[1], one[2]) for one in _GIVEN_ITEM.finditer(new[2])] if new else []
    given += [(one[1], one[2]) for one in _SET_ITEM.finditer(node.text)]
    for target, value in given:
        item = context.knowledge.item(link_of(target))
        kind = declared_kind(item.description) if item else ""
        if item is None or not kind:
            continue
        problem = _problem(context, node, state, value.strip(" .,"), kind, "null" in item.description)
        if problem:
            yield at(
                node,
                "wrong-value",
                f"the {item.name} of {an(item.owner)} is {an(kind)}, and {problem}",
                f"give it {an(kind)}, or correct its definition: line {item.line}",
            )


def _keys(context: Context, node: FlowNode) -> Iterator[LintFinding]:
    """Find entries of maps whose keys are of another kind than the definition of the map names."""
    for match in _ENTRY.finditer(node.text):
        path, key = match[1], match[2]
        if re.fullmatch(r"\|[^|]+\|", path):
            values = {
                value.rstrip(" .")
                for step in node.routine.algorithm.walk()
                for name, value in phrases.assignments(step.text)
                if f"|{name}|" == path
            }
            path = values.pop() if len(values) == 1 else path
        item = _path_item(context, path)
        declared = _KEYS.search(item.description) if item else None
        if item is None or declared is None:
            continue
        of_item = context.knowledge.item(link_of(declared[2])) if declared[2] else None
        wanted = declared_kind(of_item.description if of_item else declared[1])
        actual = _kind_of_value(context, node, key)
        if wanted and actual and not _fits(actual, wanted, {}):
            yield at(
                node,
                "wrong-value",
                f"the key of an entry of the {item.name} is {an(wanted)}, and {key.strip('|')} is {_words(actual)}",
                f"name the entry by its key: line {item.line} defines it",
            )


def _path_item(context: Context, value: str) -> StateItem | None:
    return context.knowledge.item(link_of(_TERM.findall(value)[-1])) if _is_path(value) else None


def _is_path(value: str) -> bool:
    return re.fullmatch(r"(?:\|[^|]+\||\[=this=\])(?:'s? \[=[^=]+=\])+", value) is not None


def _kind_of_value(context: Context, node: FlowNode, value: str, seen: frozenset[str] = frozenset()) -> str:
    """Return the kind of a value as far as its words say it, or nothing."""
    plain = canonical(value)
    if plain in ("true", "false"):
        return "boolean"
    if re.fullmatch(r'"[^"]*"|the empty string', plain):
        return f"string {plain}"
    for words, kind in _KINDS:
        if plain.startswith(words):
            return kind
    if plain.startswith("the [=serialization of an origin=] of "):
        return "string"
    if re.search(r"\[=pars(?:e|ing) a json string to a javascript value=\]", plain):
        return "any JavaScript value"
    if _is_path(value):
        item = _path_item(context, value)
        return declared_kind(item.description) if item else TYPES.get(link_of(_TERM.findall(value)[-1]).term, "")
    if re.fullmatch(r"an? new \[=[^=]+=\]", plain):
        return declared_kind(plain)
    if member := _MEMBER.fullmatch(value):
        found = context.knowledge.members.get((member[1], member[2]))
        return INTERFACES.get(found.type, "") if found else ""
    if re.fullmatch(r"\|[^|]+\|", value) and value not in seen:
        return kind_of_variable(context, node, value.strip("|"), seen | {value})
    return ""


def kind_of_variable(context: Context, node: FlowNode, name: str, seen: frozenset[str] = frozenset()) -> str:
    """Return the kind that all steps give a variable which give it a value, or that its declaration as a parameter says."""
    algorithm = node.routine.algorithm
    values = [
        re.sub(r"^the result of ", "", value).rstrip(" .")
        for step in algorithm.walk()
        for one, value in phrases.assignments(step.text)
        if one == name and value.rstrip(" .") != "null"
    ]
    kinds = {_kind_of_value(context, node, value, seen) for value in values}
    if name in algorithm.parameters:
        before = algorithm.introduction.partition(f"|{name}|")[0].rstrip()
        noun = before[match.start() :] if (match := re.search(r"\b(?:an?|the) (?!.*\b(?:an?|the) )", before)) else ""
        kinds.add(declared_kind(noun) if "|" not in noun else "")
    return kinds.pop() if len(kinds) == 1 else ""


def declared_kind(description: str) -> str:
    """Return the kind of values that the description of an item or a parameter declares; nothing if it names several."""
    text = canonical(description)
    if re.search(r"\bor (?!null\b)", text):
        return ""
    if re.match(r"^[:, ]*whether\b", text):
        return "boolean"
    match = _NOUN.match(text)
    if match is None:
        return ""
    if match[1]:
        return INTERFACES.get(match[1], "")
    word = (match[2] or match[3] or match[4]).lower()
    return {"ordered map": "map", "url": "URL record", "traversable navigable": "navigable"}.get(
        word, word if word in _NAMED else ""
    )


def _fits(actual: str, kind: str, enumerations: dict[str, frozenset[str]]) -> bool:
    if kind in enumerations:
        return not actual.startswith('string "') or actual[8:-1] in enumerations[kind]
    if kind == "object":
        return actual not in ("boolean", "any JavaScript value") and not actual.startswith("string")
    return (actual if not actual.startswith("string") else "string") == kind


def _words(actual: str) -> str:
    return actual if actual.startswith("any ") else an(actual)


def _keywords(context: Context, node: FlowNode) -> Iterator[LintFinding]:
    """Find state that is set to, or compared with, a keyword that its definition does not list."""
    for match in _TERM.finditer(node.text):
        item = context.knowledge.item(link_of(match[1]))
        if item is None:
            continue
        known = re.findall(r'"([\w -]+)"', item.description)
        if len(known) < 2:
            continue
        rest = node.text[match.end() :]
        found = re.match(r" (?:is not|is|to) (\"[^\"]+\"(?:(?:, or|,| or) \"[^\"]+\")*)", rest)
        for value in _QUOTED.findall(found[1]) if found else ():
            if value not in known:
                yield at(
                    node,
                    "wrong-value",
                    f'the {item.name} is never "{value}"',
                    f"its values are {', '.join(known)}: line {item.line}",
                )
