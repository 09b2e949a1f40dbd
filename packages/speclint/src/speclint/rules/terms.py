"""Rules about prose: terms defined once and used, and demands only where the text demands something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding
from speclint.text.definitions import KINDS
from speclint.text.markup import stems

if TYPE_CHECKING:
    from speclint.text.source_model import Definition

_DEMAND = re.compile(r"\b(must(?: not)?|shall(?: not)?|MUST(?: NOT)?|SHALL(?: NOT)?|SHOULD(?: NOT)?|REQUIRED)\b")
_QUOTED = re.compile(r"\"[^\"]*\"")
#: Kinds of dfns that others use: script, markup, style sheets.
_OF_THE_PLATFORM = frozenset(KINDS)
_LINKED = re.compile(r"\[=(?!\])([^=|\]]+?)(?:\|[^=\]]*)?=\]|\[\$([^$|]+)")


def check_terms(context: Context) -> Iterator[LintFinding]:
    """Find terms that are defined twice, and terms that nothing uses."""
    seen: dict[tuple[str, str, str], Definition] = {}
    for one in context.text.definitions:
        for name in one.names:
            kind = one.type if one.type in _OF_THE_PLATFORM else "dfn"
            key = one.owner.lower(), kind, name.lower()
            if (
                key in seen
                and seen[key] is not one
                and not (one.in_algorithm and seen[key].in_algorithm and kind != "dfn")
            ):
                yield LintFinding(
                    "duplicate-term",
                    one.line,
                    f"{name} is defined here, and on line {seen[key].line}",
                    "rename one of the two terms, or name the owner of each term with dfn-for",
                )
            seen.setdefault(key, one)
    yield from _unused(context)


def _unused(context: Context) -> Iterator[LintFinding]:
    everything = f"{context.text.normative}\n{context.text.informative}"
    used: set[tuple[str, tuple[str, ...]]] = set()
    for match in _LINKED.finditer(everything):
        owner, _, term = (match[1] or match[2]).strip().rpartition("/")
        used.add((owner.lower(), stems(term)))
    structs = context.text.structs
    for one in context.text.definitions:
        # The items of structs have a rule of their own.
        if one.type in _OF_THE_PLATFORM or one.is_exported or one.owner.lower() in structs:
            continue
        owners = {"", "/", *(owner.strip().lower() for owner in one.owner.split(","))}
        if not any((owner, stems(name)) in used for owner in owners for name in one.names):
            yield LintFinding(
                "unused-term",
                one.line,
                f"nothing uses the term {one.names[0]}",
                "link to it, export it for other specifications, or take it out",
                one.in_algorithm or "",
            )


def check_demands(context: Context) -> Iterator[LintFinding]:
    """Find demands in text that demands nothing: notes, examples, issues, sections that are not normative."""
    for paragraph in context.text.paragraphs:
        if not paragraph.informative:
            continue
        match = _DEMAND.search(_QUOTED.sub("", paragraph.text))
        if match:
            yield LintFinding(
                "must-in-note",
                paragraph.line,
                f'"{match[1]}" is in {paragraph.informative}, which sets no requirements',
                "say it in normative text, or use another word, such as has to",
            )
