"""Notes, issues and examples between the steps of an algorithm: they are no steps, and demand nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from speclint.text.markup import attributes
from speclint.text.numbered_steps import Line

#: The classes and the words that begin an informative block, each with what the block is.
INFORMATIVE: dict[str, str] = {
    "note": "a note",
    "example": "an example",
    "issue": "an issue",
    "advisement": "an advisement",
}
_PARAGRAPH = re.compile(
    r"\s*(?:\d+\.\s+|[-*+]\s+)?(Note|Issue|Example|Advisement|NOTE|ISSUE|EXAMPLE|ADVISEMENT)(?:\([^)]*\))?:(?:\s|$)"
)
_ITEM = re.compile(r"\s*(?:\d+\.|[-*+]|::?)\s")
_OPENING = re.compile(r"<(div|p|aside|details|section|blockquote|figure|span)\b([^>]*)>", re.IGNORECASE)

#: The lines of a block, and what it is.
Block = tuple[list[Line], str]


def without_informative_blocks(lines: Sequence[Line]) -> tuple[list[Line], list[Block]]:
    """Return lines of which each informative block has been blanked, and the blocks."""
    found: list[Line] = []
    blocks: list[Block] = []
    waiting = list(reversed(lines))
    while waiting:
        number, text = waiting.pop()
        if paragraph := _PARAGRAPH.match(text):
            block = [(number, text)]
            while waiting and waiting[-1][1].strip() and not _ITEM.match(waiting[-1][1]):
                block.append(waiting.pop())
            blocks.append((block, INFORMATIVE[paragraph[1].lower()]))
            found += [(line, "") for line, _ in block]
            continue
        opening, kind = _opening(text)
        if opening is None:
            found.append((number, text))
            continue
        block, rest = _element(opening, number, text, waiting)
        blocks.append((block, kind))
        found += [(line, "") for line, _ in block[1:]]
        found.insert(len(found) - len(block) + 1, (number, text[: opening.start()].rstrip()))
        if rest.strip():
            waiting.append((block[-1][0], rest))
    return found, blocks


def _opening(text: str) -> tuple[re.Match[str] | None, str]:
    """Return the tag in a line that begins an informative element, and what the element is."""
    for match in _OPENING.finditer(text):
        for name in attributes(match[2]).get("class", "").split():
            if name in INFORMATIVE:
                return match, INFORMATIVE[name]
    return None, ""


def _element(opening: re.Match[str], number: int, text: str, waiting: list[Line]) -> tuple[list[Line], str]:
    """Take an element out of a line and those that wait; return its lines, and the rest of its last line."""
    tags = re.compile(rf"<(/?){opening[1]}\b[^>]*>", re.IGNORECASE)
    block: list[Line] = []
    depth, line, begin = 0, text, opening.start()
    while True:
        for tag in tags.finditer(line, begin):
            depth += -1 if tag[1] else 1
            if depth == 0:
                block.append((number, line[begin : tag.end()]))
                return block, line[tag.end() :]
        block.append((number, line[begin:]))
        # A paragraph needs no end tag: it ends with its lines.
        is_at_end = opening[1].lower() == "p" and waiting and not waiting[-1][1].strip()
        if not waiting or is_at_end:
            return block, ""
        number, line = waiting.pop()
        begin = 0
