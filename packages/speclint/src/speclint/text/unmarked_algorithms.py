"""Finder of algorithms that no attribute marks: a paragraph that defines a term or a member, with its steps behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ITEM = re.compile(r"(\s*)(?:1\.\s|<ol\b)", re.IGNORECASE)
_MARK = re.compile(r"\s*(?:\d+\.|[-*+]|::?)\s")
_BEGIN = re.compile(r"\s*(?:<p\b[^>]*>\s*)?(?:To|The|When|An?|Given|Each)\b")
#: An element that begins on the line before the words.
_OPENED = re.compile(r"^(?:\s*<(?:div|section|dd)\b[^>]*>)+\s*", re.IGNORECASE)
_STEPS = re.compile(r"\b(?:sub)?steps\b|\balgorithm\b")
_END = re.compile(
    r"\s*(?:</(?:div|section|details|dd|dl)\b|<h[1-6]\b|#{2,6}\s|<(?:div|section|dl|dt|dd|p)\b)", re.IGNORECASE
)
#: A list that says itself that it is an algorithm, as ReSpec has it.
_MARKED = re.compile(r"^\s*<ol\b[^>]*\bclass=[\"']?algorithm\b", re.IGNORECASE)
_LIST = re.compile(r"<(/?)ol\b", re.IGNORECASE)


def introduces_steps(paragraph: Sequence[str], lines: Sequence[str], index: int) -> bool:
    """Return whether the lines of a paragraph that ends here define something by the steps at, or behind, a line."""
    text = "\n".join(paragraph)
    if text.strip() and any(_MARKED.search(line) for line in lines[index : index + 1]):
        return True
    text = _OPENED.sub("", text)
    if "<dfn" not in text or not _BEGIN.match(text):
        return False
    following = next((line for line in lines[index : index + 2] if line.strip()), "")
    if not _ITEM.match(following):
        return False
    own = text.rstrip().removesuffix("</p>").rstrip()
    return own.endswith(":") or (_STEPS.search(own) is not None and own.endswith("."))


def end_of_list(lines: Sequence[str], index: int) -> int:
    """Return the index behind the last line of the list that begins at a line, or behind an empty one."""
    while not lines[index].strip():
        index += 1
    begin = _ITEM.match(lines[index])
    indent = len(begin[1]) if begin else 0
    if "<ol" in lines[index].lower():
        depth = 0
        for number in range(index, len(lines)):
            for tag in _LIST.finditer(lines[number]):
                depth += -1 if tag[1] else 1
            if depth <= 0:
                return number + 1
        return len(lines)
    is_after_blank = False
    for number in range(index + 1, len(lines)):
        line = lines[number]
        own = len(line) - len(line.lstrip())
        is_item = _MARK.match(line) is not None
        if line.strip() and own <= indent and not is_item and (is_after_blank or _END.match(line)):
            return number
        is_after_blank = not line.strip()
    return len(lines)
