"""Rules about structs and state: items that exist, that are set and that are read, with values of their kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from modelcontext.lint.findings import Context, LintFinding, an, at
from modelcontext.lint.flow.conditions import canonical
from modelcontext.lint.text.markup import link_of, stems

if TYPE_CHECKING:
    from modelcontext.lint.flow.graph import FlowNode
    from modelcontext.lint.flow.states import FlowState
    from modelcontext.lint.text.model import StateItem

_LINK = r"\[=([^=|\]]+)(?:\|[^=\]]*)?=\]"
_NEW = re.compile(rf"\ba? ?new {_LINK} (?:whose|with) (.+)$")
_TERM = re.compile(_LINK)
_INITIAL = re.compile(r"\binitially\b|\bdefault(?:s|ing)?\b|\bunless\b", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"|{}\[\]]+)"')
_MEMBER_SET = re.compile(
    r"(?:[Ss]et \|[^|]+\|\[\"\{\{(\w+)/(\w+)\}\}\"\] to|\{\{(\w+)/(\w+)\}\}(?: attribute)? (?:is|initialized to|set to))"
    r" (.+?)(?=, \{\{|, and \{\{|, and whose|\.$|$)"
)
_KINDS = (("an empty [=list=]", "list"), ("an empty [=ordered map=]", "map"), ("«[", "map"), ("«", "list"))


def check_items(context: Context) -> Iterator[LintFinding]:
    """Find items that a struct does not have, items that are not set when it is made, and items that nothing reads."""
    structs = context.text.structs
    by_key = {stems(name): struct for name, struct in structs.items()}
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            for match in _TERM.finditer(node.text):
                link = link_of(match[1])
                struct = structs.get(link.owner.lower())
                if struct is not None and link.term not in struct.items and not _conjugated(link.key, struct.items):
                    yield at(
                        node,
                        "unknown-item",
                        f"{an(struct.name)} has no item {link.term}",
                        f"its items are {', '.join(struct.items)}",
                    )
            if node.begins:
                continue
            new = _NEW.search(node.text)
            made = by_key.get(link_of(new[1]).key) if new else None
            if new is None or made is None:
                continue
            given = {link_of(one).term for one in _TERM.findall(new[2])}
            for name, item in made.items.items():
                if name not in given and not _INITIAL.search(item.description) and not _other_forms(name, new[2]):
                    yield at(
                        node,
                        "unset-item",
                        f"a new {made.name} is made without its {name}",
                        f"say what its {name} is, or give the item an initial value in the struct",
                    )
    yield from _unread(context)


def _conjugated(key: tuple[str, ...], items: dict[str, StateItem]) -> bool:
    return any(stems(name) == key for name in items)


def _other_forms(name: str, text: str) -> bool:
    return stems(name) in {link_of(one).key for one in _TERM.findall(text)}


def _unread(context: Context) -> Iterator[LintFinding]:
    written = re.compile(rf"(?:whose|and|,|with) (?:whose )?{_LINK} is |\b[Ss]et [^.]*?'s? {_LINK} to ")
    text = written.sub(" ", context.text.normative)
    read = {(link_of(one).owner.lower(), link_of(one).key) for one in _TERM.findall(text)}
    for struct in context.text.structs.values():
        if _is_for_others(context, struct.name):
            continue
        for name, item in struct.items.items():
            if (struct.name, stems(name)) not in read and ("", stems(name)) not in read:
                yield LintFinding(
                    "unread-item",
                    item.line,
                    f"nothing reads the {name} of {an(struct.name)}",
                    "take the item out, or say who reads it",
                )


def _is_for_others(context: Context, struct: str) -> bool:
    """Return whether only exported algorithms make a struct, so that other specifications read it."""
    makers = {
        routine.algorithm.is_exported
        for routine in context.knowledge.routines
        for node in routine.nodes
        if any(link_of(one).key == stems(struct) for one in re.findall(rf"\bnew {_LINK}", node.text))
    }
    return makers == {True}


def check_values(context: Context) -> Iterator[LintFinding]:
    """Find members of dictionaries, and items of state, that are set to a value of another kind than they have."""
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            state = context.states.before(node)
            if state is None or not node.text or node.kind == "test":
                continue
            yield from _members(context, node, state)
            yield from _keywords(context, node)
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            if node.kind == "test" and context.states.before(node) is not None:
                yield from _keywords(context, node)


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


def _path_item(context: Context, value: str) -> StateItem | None:
    if not re.fullmatch(r"(?:\|[^|]+\||\[=this=\])(?:'s? \[=[^=]+=\])+", value):
        return None
    return context.knowledge.item(link_of(_TERM.findall(value)[-1]))


def _kind_of_value(context: Context, node: FlowNode, value: str) -> str:
    plain = canonical(value)
    if plain in ("true", "false"):
        return "boolean"
    if re.fullmatch(r'"[^"]*"|the empty string', plain):
        return f"string {plain}"
    for words, kind in _KINDS:
        if plain.startswith(words):
            return kind
    if re.search(r"\[=pars(?:e|ing) a json string to a javascript value=\]", plain):
        return "any JavaScript value"
    if item := _path_item(context, value):
        return _kind_of_item(item)
    if re.fullmatch(r"\|[^|]+\|", value):
        for other in node.routine.nodes:
            found = re.search(rf"\b[Ll]et {re.escape(value)} be (?:the result of )?(.+?)\.?$", other.text)
            if found and other is not node:
                return _kind_of_value(context, other, found[1].strip(" ."))
    return ""


def _kind_of_item(item: StateItem) -> str:
    description = item.description.lower()
    for word, kind in (
        ("boolean", "boolean"),
        ("[=list=]", "list"),
        ("[=ordered map=]", "map"),
        ("[=string=]", "string "),
    ):
        if re.match(rf"^:?:? ?,? ?(?:an? |whether )?{re.escape(word)}", description):
            return kind
    return "boolean" if description.startswith("whether") else ""


def _fits(actual: str, kind: str, enumerations: dict[str, frozenset[str]]) -> bool:
    if kind in enumerations:
        return not actual.startswith('string "') or actual[8:-1] in enumerations[kind]
    if kind == "object":
        return actual not in ("boolean", "any JavaScript value") and not actual.startswith("string")
    return actual.split()[0] == kind


def _words(actual: str) -> str:
    return {"list": "a list", "map": "a map", "boolean": "a boolean"}.get(actual, f"a {actual}".replace("a any", "any"))


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
