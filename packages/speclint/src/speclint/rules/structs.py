"""Rules about structs and state: items that exist, that are set and that are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding, an, at
from speclint.text.markup import link_of, stems

if TYPE_CHECKING:
    from speclint.text.source_model import StateItem

_LINK = r"\[=([^=|\]]+)(?:\|[^=\]]*)?=\]"
_NEW = re.compile(rf"\ba? ?new {_LINK} (?:whose|with) (.+)$")
_TERM = re.compile(_LINK)
_INITIAL = re.compile(r"\binitially\b|\bdefault(?:s|ing)?\b|\bunless\b", re.IGNORECASE)


def check_items(context: Context) -> Iterator[LintFinding]:
    """Find items that a struct does not have, items that are not set when it is made, and items that nothing reads."""
    structs = context.text.structs
    defined = {(one.owner.lower(), stems(name)) for one in context.text.definitions for name in one.names}
    by_key = {stems(name): struct for name, struct in structs.items()}
    for routine in context.knowledge.routines:
        for node in routine.nodes:
            for match in _TERM.finditer(node.text):
                link = link_of(match[1])
                struct = structs.get(link.owner.lower())
                is_known = (link.owner.lower(), link.key) in defined
                if struct is not None and not is_known and not _conjugated(link.key, struct.items):
                    remedy = f"its items are {', '.join(struct.items)}" if struct.items else "define it, with the items"
                    yield at(node, "unknown-item", f"{an(struct.name)} has no item {link.term}", remedy)
            if node.begins:
                continue
            new = _NEW.search(node.text)
            made = by_key.get(link_of(new[1]).key) if new else None
            if new is None or made is None:
                continue
            words = new[2]
            if words.startswith("the following") and node.step is not None:
                # A list of definitions below the step has them.
                words = " ".join(case.text for case in node.step.children if case.is_case)
            given = {link_of(one).term for one in _TERM.findall(words)}
            for name, item in made.items.items():
                if name not in given and not _INITIAL.search(item.description) and not _other_forms(name, words):
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
                    "restore the step that read it, or say who reads it; take it out only if nobody needs it",
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
