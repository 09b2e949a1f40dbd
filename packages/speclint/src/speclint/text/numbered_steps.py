"""Reader of the steps of one algorithm, from numbered lists in Markdown or in HTML.

Numbers are those of the built text: an item of an ordered list has a number (``13.1``), a case of a ``dl`` and an item of a
bulleted list have a letter (``12.a``), as has a paragraph that hands steps to another algorithm; the steps of a case stand
below it (``12.a.1``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from speclint.text.source_model import SourceStep

_ITEM = re.compile(r"(\s*)(?:(\d+)\.|([-*+]))\s+(.*)$", re.DOTALL)
_TERM = re.compile(r"(\s*)(?:<dt\b[^>]*>|:(?!:)\s+)(.*)$", re.DOTALL)
_DESCRIPTION = re.compile(r"(\s*)(?:<dd\b[^>]*>|::\s*)(.*)$", re.DOTALL)
_MARKDOWN_TERM = re.compile(r"\s*::?\s")
#: A paragraph between steps that gives the steps behind it to another algorithm.
_HOOK = re.compile(r"(\s+)(To .*\b(?:given|with|for)\b.*\b(?:run|perform) (?:these|the following) (?:sub)?steps:)$")
_CONTAINER = re.compile(r"</?(?:dl|dt|dd)\b[^>]*>")
_HTML_PARTS = re.compile(r"(</?(?:ol|ul|li)\b[^>]*>)", re.IGNORECASE)
_TAB = 4

#: A line of an algorithm: its number in the source, and its text.
Line = tuple[int, str]


def split_introduction(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines before the first step, and the others."""
    for index, (_, text) in enumerate(lines):
        if _ITEM.match(text):
            return list(lines[:index]), list(lines[index:])
    return list(lines), []


def unfold(lines: Sequence[Line], indent: int | None = None) -> list[Line]:
    """Return lines in which each item of a list in HTML is an indented item in Markdown.

    Args:
        lines: the lines of an algorithm.
        indent: the number of spaces of one level, if the source says it. Bikeshed then ignores further spaces, as this does.
    """
    if not any(re.search(r"<li\b", text) for _, text in lines):
        expanded = [(number, text.expandtabs(_TAB if indent is None else indent)) for number, text in lines]
        return [(number, _leveled(text, indent) if indent is not None else text) for number, text in expanded]
    found: list[Line] = []
    kinds: list[str] = []
    for number, text in lines:
        for part in _HTML_PARTS.split(text):
            tag = part.lower()
            if tag.startswith(("<ol", "<ul")):
                kinds.append(tag[1:3])
            elif tag.startswith(("</ol", "</ul")):
                if kinds:
                    kinds.pop()
            elif tag.startswith("<li"):
                mark = "1." if not kinds or kinds[-1] == "ol" else "*"
                found.append((number, f"{' ' * _TAB * max(len(kinds) - 1, 0)}{mark} "))
            elif tag.startswith("</li") or not part.strip():
                continue
            elif found and found[-1][0] == number and _ITEM.match(found[-1][1]):
                found[-1] = (number, found[-1][1] + part.strip())
            else:
                found.append((number, f"{' ' * _TAB * len(kinds)}{part.strip()}"))
    return found


def _leveled(text: str, indent: int) -> str:
    """Return a line without the spaces by which a list in Markdown is indented beyond a whole level."""
    if not _ITEM.match(text) and not _MARKDOWN_TERM.match(text):
        return text
    content = text.lstrip(" ")
    return " " * ((len(text) - len(content)) // indent * indent) + content


def read_steps(lines: Sequence[Line]) -> list[SourceStep]:
    """Return the steps at the top level, each with the steps below it."""
    root = SourceStep("", 0, is_case=False)
    # Open steps with the indents of their lists.
    stack: list[tuple[int, SourceStep]] = [(-1, root)]
    is_after_blank = False
    for number, text in lines:
        if not text.strip():
            is_after_blank = True
            continue
        if match := _ITEM.match(text):
            _open(stack, len(match[1]), is_case=match[2] is None, line=number, raw=match[4])
        elif match := (_TERM.match(text) or (_HOOK.match(text) if is_after_blank else None)):
            _open(stack, len(match[1]), is_case=True, line=number, raw=match[2])
        elif match := _DESCRIPTION.match(text):
            _describe(stack, len(match[1]), number, match[2])
        elif is_after_blank and not text.startswith((" ", "\t")):
            # A paragraph after the steps.
            break
        elif len(stack) > 1:
            step = stack[-1][1]
            step.raw += "\n" + _CONTAINER.sub("", text)
            step.last_line = number
            step.raw_lines.append(number)
        is_after_blank = False
    _number(root, "")
    return root.children


def _open(stack: list[tuple[int, SourceStep]], indent: int, *, is_case: bool, line: int, raw: str) -> None:
    while stack[-1][0] > indent or (stack[-1][0] == indent and stack[-1][1].is_case <= is_case):
        stack.pop()
    step = SourceStep("", line, is_case=is_case, raw=raw, last_line=line, raw_lines=[line])
    stack[-1][1].children.append(step)
    stack.append((indent, step))


def _describe(stack: list[tuple[int, SourceStep]], indent: int, line: int, raw: str) -> None:
    while len(stack) > 1 and not (stack[-1][1].is_case and stack[-1][0] <= indent):
        stack.pop()
    if raw.strip() and len(stack) > 1:
        step = SourceStep("", line, is_case=False, raw=raw, last_line=line, raw_lines=[line])
        stack[-1][1].children.append(step)
        stack.append((indent, step))


def _number(parent: SourceStep, prefix: str) -> None:
    steps = cases = 0
    for child in parent.children:
        if child.is_case:
            cases += 1
            child.number = f"{prefix}{_letters(cases)}"
        else:
            steps += 1
            child.number = f"{prefix}{steps}"
        _number(child, f"{child.number}.")


def _letters(position: int) -> str:
    """Return a position in letters: 1 is a, 26 is z, 27 is aa."""
    letters = ""
    while position:
        position, digit = divmod(position - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters
