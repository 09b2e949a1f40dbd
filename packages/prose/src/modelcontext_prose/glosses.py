"""Glosses: patches of a foreign text in its own words, by which people repair it to go on.

A gloss is a unified diff of the text, or a patch by steps. The line numbers of a diff count the lines of the text as it is, so
glosses that change different lines can be combined in any order. A hunk has to fit exactly: nothing is searched for, and no
white space is ignored. Patches by steps change what the diffs leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from modelcontext.ground.files import ReadError, read_text
from modelcontext.ground.words import counted
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.patches.language import Patch, parse_patch
from modelcontext_prose.patches.patching import with_patches

#: The beginnings of a diff, and of a patch by steps: a name, or a new algorithm.
_DIFF: Final = ("--- ", "diff ", "@@ ", "Index: ")
_BY_STEPS: Final = re.compile(r"\s*?(?:  |\+ )\S", re.MULTILINE)
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class _Hunk:
    """A hunk: its line in the gloss, its first line in the text, its lines before and after, and how many it changes.

    ``places`` has for each line after the change that line before it which stands at its place.
    """

    place: int
    first: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    places: tuple[int, ...]
    changed: int


@dataclass(frozen=True, slots=True)
class Gloss:
    """A gloss: its file, and its hunks."""

    path: Path
    hunks: tuple[_Hunk, ...]

    @property
    def words(self) -> str:
        """The name of the gloss, and the number of lines that it changes."""
        return f"gloss {self.path.name}: {counted(sum(one.changed for one in self.hunks), 'line')}"


def is_gloss(path: Path) -> bool:
    """Return whether a file is a diff or a patch by steps, rather than a whole text."""
    try:
        content = read_text(path) if path.is_file() else ""
    except ReadError:
        return False
    is_by_steps = _BY_STEPS.match(content) is not None and "class=metadata" not in content
    return is_by_steps or content.lstrip().startswith(_DIFF)


def read_gloss(path: Path) -> Gloss | Patch:
    """Read a gloss: a diff if a line begins with @@, and otherwise a patch by steps.

    Raises:
        SpecificationError: if the file is neither a unified diff of one text nor a patch by steps.
    """
    content = _content(path)
    lines = content.splitlines()
    if _BY_STEPS.match(content) and not any(line.startswith("@@") for line in lines):
        return parse_patch(content, path)
    hunks: list[_Hunk] = []
    at = 0
    while at < len(lines):
        match = _HUNK.match(lines[at])
        if match is None:
            if hunks and not lines[at].startswith(("\\", "diff ", "index ", "--- ", "+++ ")) and lines[at].strip():
                raise SpecificationError("this line belongs to no hunk", path, at + 1)
            if hunks and lines[at].startswith("+++ "):
                raise SpecificationError("a gloss can patch only one text, but here a second text begins", path, at + 1)
            at += 1
            continue
        count = int(match[2]) if match[2] is not None else 1
        hunk = _hunk(path, lines, at, int(match[1]), count)
        hunks.append(hunk)
        at = hunk.place + _length(lines, hunk.place, count)
    if not hunks:
        raise SpecificationError(
            "a gloss is a unified diff, but this file has no hunk (a line that begins with @@)", path
        )
    return Gloss(path, tuple(hunks))


def _content(path: Path) -> str:
    try:
        return read_text(path)
    except ReadError as error:
        raise SpecificationError(error.reason, path, environment=True) from None


def _length(lines: Sequence[str], start: int, count: int) -> int:
    """Return the number of lines of a hunk with so many lines of the text."""
    length = 0
    for line in lines[start:]:
        if count == 0 and not line.startswith(("+", "\\")):
            break
        count -= 0 if line.startswith(("+", "\\")) else 1
        length += 1
    return length


def _hunk(path: Path, lines: Sequence[str], at: int, first: int, count: int) -> _Hunk:
    before: list[str] = []
    after: list[str] = []
    places: list[int] = []
    own = lines[at + 1 : at + 1 + _length(lines, at + 1, count)]
    for number, line in enumerate(own, at + 2):
        if line[:1] not in (" ", "+", "-", "\\", ""):
            raise SpecificationError("a line of a hunk must begin with a space, + or -", path, number)
        if line[:1] in (" ", "-", ""):
            before.append(line[1:])
        if line[:1] in (" ", "+", ""):
            after.append(line[1:])
            places.append(max(len(before) - 1, 0))
    if len(before) < count:
        raise SpecificationError(
            f"the hunk contains {counted(len(before), 'line')} of the text, but its first line says {count}",
            path,
            at + 1,
        )
    # Of a hunk without lines of the text, the number is that of the line before it.
    changed = max(sum(1 for line in own if line.startswith(sign)) for sign in "-+")
    return _Hunk(at + 1, first - 1 if count else first, tuple(before), tuple(after), tuple(places), changed)


def with_glosses(content: str, path: Path, glosses: Sequence[Gloss | Patch]) -> tuple[str, tuple[int, ...]]:
    """Return a text as glosses change it, and for each of its lines the number of the line that stands there in the file.

    Raises:
        SpecificationError: if a hunk or a patch does not fit the text, or two change the same lines.
        TextError: if patches change steps, and the text cannot be read.
    """
    changed, numbers = _with_diffs(content, [one for one in glosses if isinstance(one, Gloss)])
    patches = [one for one in glosses if isinstance(one, Patch)]
    if not patches:
        return changed, numbers
    patched = with_patches(changed, path, patches)
    return patched.content, tuple(numbers[line - 1] for line in patched.lines)


def _with_diffs(content: str, glosses: Sequence[Gloss]) -> tuple[str, tuple[int, ...]]:
    given = content.splitlines()
    lines, numbers = list(given), list(range(1, len(given) + 1))
    last = len(lines)
    for path, hunk in sorted(_hunks(glosses), key=lambda one: one[1].first, reverse=True):
        end = hunk.first + len(hunk.before)
        if tuple(given[hunk.first : end]) != hunk.before or hunk.first > len(given):
            raise SpecificationError(_misfit(given, hunk), path, hunk.place)
        if end > last:
            raise SpecificationError(f"another hunk changes line {last + 1} of the text, too", path, hunk.place)
        last = hunk.first
        lines[hunk.first : end] = hunk.after
        numbers[hunk.first : end] = [min(hunk.first + place + 1, len(given)) for place in hunk.places]
    return "\n".join(lines) + "\n", tuple(numbers)


def _hunks(glosses: Sequence[Gloss]) -> Iterator[tuple[Path, _Hunk]]:
    return ((gloss.path, hunk) for gloss in glosses for hunk in gloss.hunks)


def _misfit(lines: Sequence[str], hunk: _Hunk) -> str:
    for number, line in enumerate(hunk.before, hunk.first):
        found = lines[number] if number < len(lines) else None
        if found != line:
            has = f"has {found!r}" if found is not None else "ends before it"
            return f"the hunk cannot be applied: for line {number + 1} it has {line!r}, and the text {has}"
    return "the hunk does not fit"
