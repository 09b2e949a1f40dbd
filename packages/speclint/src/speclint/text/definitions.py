"""Reader of definitions: dfns, the items of structs, and state that belongs to an object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from speclint.text.markup import attributes, normalize, readable
from speclint.text.source_model import Definition, SourceAlgorithm, StateItem, Struct

_DFN = re.compile(r"<dfn\b([^>]*)>(.*?)</dfn>", re.DOTALL)
_SCOPE = re.compile(r"<(/?)(dl|table|div|section|pre|ul|ol|p)\b([^>]*)>", re.IGNORECASE)
_STRUCT = re.compile(r"\b(?:is|are)\s+an?\s+\[=(?:infra/)?(?:struct|tuple)=\]", re.IGNORECASE)
_TERM = re.compile(r"\s*(?:<dt\b[^>]*>|:(?!:)\s*)")
#: The beginning of a block, which needs no empty line before it.
_BLOCK = re.compile(r"\s*<(?:p|d[lt]|div|section|h\d)\b", re.IGNORECASE)
#: A tag whose paragraph is behind it.
_OPEN = re.compile(r"\s*<dd\b[^>]*>\s*", re.IGNORECASE)
#: The characters that are read behind a dfn. A block with thousands of dfns would be read as often otherwise.
_LONGEST = 4_000
_DESCRIPTION = re.compile(r"\s*(?:<dd\b[^>]*>|::\s*)")
#: The kinds of dfns that others use: script, markup, style sheets.
KINDS: tuple[str, ...] = (
    *("method", "attribute", "interface", "dictionary", "dict-member", "event", "element-attr", "selector", "enum"),
    *("enum-value", "constructor", "callback", "exception", "permission", "http-header", "element", "grammar"),
)


def definitions_in(lines: Sequence[str], algorithms: Sequence[SourceAlgorithm]) -> list[Definition]:
    """Return every dfn of a source, whose code has been blanked, in its order."""
    found: list[Definition] = []
    scopes: list[tuple[str, str, str]] = []
    inside = {
        number: algorithm.id for algorithm in algorithms for number in range(algorithm.line, algorithm.last_line + 1)
    }
    for number, paragraph in _paragraphs(lines):
        position = 0
        marks = sorted([*_SCOPE.finditer(paragraph), *_DFN.finditer(paragraph)], key=lambda match: match.start())
        for match in marks:
            if match.re is _SCOPE:
                _enter(scopes, match)
                continue
            position = match.start()
            line = number + paragraph[:position].count("\n")
            found.append(_definition(match, scopes, line, paragraph, inside.get(line)))
    return found


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    start, own = 1, list[str]()
    for number, line in enumerate([*lines, ""], start=1):
        if own and _BLOCK.match(line) and not _OPEN.fullmatch(own[-1]):
            yield start, "\n".join(own)
            own = []
        if line.strip():
            if not own:
                start = number
            own.append(line)
        elif own:
            yield start, "\n".join(own)
            own = []


def _enter(scopes: list[tuple[str, str, str]], match: re.Match[str]) -> None:
    tag = match[2].lower()
    if match[1]:
        for index in range(len(scopes) - 1, -1, -1):
            if scopes[index][0] == tag:
                del scopes[index:]
                break
        return
    if tag == "p":
        return
    found = attributes(match[3])
    owner = found.get("dfn-for", scopes[-1][1] if scopes else "")
    type_ = found.get("dfn-type", scopes[-1][2] if scopes else "")
    scopes.append((tag, owner, type_))


def _definition(
    match: re.Match[str], scopes: list[tuple[str, str, str]], line: int, paragraph: str, algorithm: str | None
) -> Definition:
    found = attributes(match[1])
    text = re.sub(r"^\\?\[\[(.+)\]\]$", r"\1", readable(normalize(match[2])))
    names = [part.strip() for part in found.get("lt", "").split("|") if part.strip()] or [text]
    names += [part.strip() for part in found.get("local-lt", "").split("|") if part.strip()]
    type_ = next((kind for kind in KINDS if kind in found), found.get("dfn-type", scopes[-1][2] if scopes else ""))
    owner = found.get("for", scopes[-1][1] if scopes else "")
    return Definition(
        names=tuple(" ".join(name.split()) for name in names),
        owner=owner,
        type=type_ or "dfn",
        id=found.get("id", ""),
        line=line,
        is_exported="export" in found,
        paragraph=normalize(paragraph[match.end() : match.end() + _LONGEST]),
        in_algorithm=algorithm,
    )


def structs_in(lines: Sequence[str], definitions: Sequence[Definition]) -> dict[str, Struct]:
    """Return the structs of a source by their names in small letters."""
    paragraphs = list(_paragraphs(lines))
    structs: dict[str, Struct] = {}
    for number, paragraph in paragraphs:
        text = normalize(paragraph)
        dfn = _DFN.search(paragraph)
        if dfn is not None and _STRUCT.search(text) and "for" not in attributes(dfn[1]):
            name = readable(normalize(dfn[2])).lower()
            structs[name] = Struct(name, number)
    for number, paragraph in paragraphs:
        for name, description, offset in _entries(paragraph):
            owner = next((one.owner for one in definitions if one.line == number + offset), "").lower()
            if owner in structs:
                structs[owner].items[name] = StateItem(owner, name, description, number + offset)
    # Items can also stand in prose.
    for item in state_in(definitions):
        if item.owner in structs:
            structs[item.owner].items.setdefault(item.name, item)
    return structs


def _entries(paragraph: str) -> Iterator[tuple[str, str, int]]:
    """Yield the terms of a list of definitions with their descriptions and the positions of their lines."""
    lines = paragraph.split("\n")
    for index, line in enumerate(lines):
        dfn = _DFN.search(line)
        if not _TERM.match(line) or dfn is None:
            continue
        description = []
        for following in lines[index + 1 :]:
            if _TERM.match(following) or "</dl>" in following:
                break
            description.append(_DESCRIPTION.sub("", following))
        inline = line.partition("<dd>")[2]
        yield readable(normalize(dfn[2])).lower(), normalize(" ".join([inline, *description])), index


def state_in(definitions: Sequence[Definition]) -> list[StateItem]:
    """Return the state that dfns in prose give to an owner: its description is what follows the dfn in its paragraph."""
    found = []
    for one in definitions:
        if one.owner and one.type == "dfn" and one.in_algorithm is None:
            description = one.paragraph.split("<dfn")[0]
            found += [StateItem(one.owner.lower(), name.lower(), description, one.line) for name in one.names]
    return found
