"""Changes of items of structs, of state of objects, and of members in the IDL of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.patches.steps import seen

if TYPE_CHECKING:
    from modelcontext_prose.patches.edits import Edits
    from modelcontext_prose.patches.language import Block, PatchLine
    from speclint.text.source_model import SourceText

_LIST: Final = re.compile(r"\s*<dl\b[^>]*dfn-for=(\"[^\"]*\"|'[^']*'|[^\s>]+)")
_TERM_IN_PROSE: Final = re.compile(r"<dfn\b[^>]*>(.*?)</dfn>")
_END_OF_LIST: Final = re.compile(r"\s*</dl>")
_TERM: Final = re.compile(r"\s*:\s+(.*)")
_DEFINITION: Final = re.compile(
    r"\s*(?:partial\s+)?(?:interface|dictionary|enum|callback interface)\s+(?:mixin\s+)?(\w+)"
)
_IDL: Final = re.compile(r"<(?:xmp|pre)\b[^>]*class=[\"']?[^>]*\bidl\b")


def change_members(text: SourceText, lines: Sequence[str], block: Block, path: Path, edits: Edits) -> None:
    """Change a struct, or a definition of the IDL.

    Raises:
        SpecificationError: if the text has nothing of the name of the block, or a line does not fit.
    """
    if all(line.words.endswith((";", ",", "{")) for line in block.lines):
        first, change = _definition(lines, block.name), _change_definition
    elif (first := _beginning(lines, block.name)) is not None:
        change = _change_items
    else:
        first, change = _paragraph(lines, block.name), _change_paragraph
    if first is None:
        what = "algorithm, term or definition of the IDL"
        raise SpecificationError(f"{text.path} has no {what} with the name {block.name!r}", path, block.place)
    change(lines, first, block, path, edits)


def _beginning(lines: Sequence[str], name: str) -> int | None:
    """Return the index of the line at which the list of a struct's items begins."""
    for index, line in enumerate(lines):
        if (match := _LIST.match(line)) and match[1].strip("\"'").lower() == name.lower():
            return index
    return None


def _change_items(lines: Sequence[str], first: int, block: Block, path: Path, edits: Edits) -> None:
    end = next(index for index in range(first, len(lines)) if _END_OF_LIST.match(lines[index]))
    # Each item with the indexes of its first line and of the line behind it.
    starts = [index for index in range(first + 1, end) if _TERM.match(lines[index])]
    items: dict[str, tuple[int, int]] = {}
    for start, behind in zip(starts, [*starts[1:], end], strict=True):
        while not lines[behind - 1].strip():
            behind -= 1
        match = _TERM.match(lines[start])
        assert match is not None
        items[seen(match[1])] = start, behind
    place = items[seen(_TERM.match(lines[starts[-1]])[1])][1] if starts else end  # type: ignore[index]
    for line in block.lines:
        name, _, description = line.words.partition(":")
        if line.sign == "+":
            edits.put(place, [f": <dfn>{name.strip()}</dfn>", f":: {description.strip()}"])
            continue
        known = items.get(seen(name))
        if known is None:
            raise SpecificationError(f"{block.name} has no item {name.strip()!r}", path, line.place)
        words = seen(" ".join(lines[known[0] + 1 : known[1]]).lstrip(" :"))
        if description.strip() not in ("", "…") and words != seen(description):
            raise SpecificationError(
                f"in the text, the item {name.strip()!r} of {block.name} has the words {words!r}", path, line.place
            )
        if line.sign == "-":
            edits.take(known[0] + 1, known[1])
        place = known[1]


def _paragraph(lines: Sequence[str], name: str) -> int | None:
    """Return the index of the line that defines a term in a paragraph."""
    for index, line in enumerate(lines):
        terms = () if _TERM.match(line) else _TERM_IN_PROSE.findall(line)
        if any(seen(term).lower() == name.lower() for term in terms):
            return index
    return None


def _change_paragraph(lines: Sequence[str], first: int, block: Block, path: Path, edits: Edits) -> None:
    old = [line for line in block.lines if line.sign == "-"]
    new = [line for line in block.lines if line.sign == "+"]
    if len(old) != 1 or len(new) != 1:
        raise SpecificationError(f"{block.name} needs exactly one line with - and one line with +", path, block.place)
    begin, end = first, first + 1
    while lines[begin - 1].strip():
        begin -= 1
    while lines[end].strip():
        end += 1
    found = seen(" ".join(lines[begin:end]))
    if found != seen(old[0].words):
        raise SpecificationError(f"in the text, the paragraph about {block.name} is {found!r}", path, old[0].place)
    edits.take(begin + 1, end)
    edits.put(begin, [new[0].words])


def _definition(lines: Sequence[str], name: str) -> int | None:
    """Return the index of the first line of a definition in the IDL that is not partial, or that is the only one."""
    inside = False
    found: list[int] = []
    for index, line in enumerate(lines):
        inside = (inside or _IDL.search(line) is not None) and "</xmp" not in line and "</pre" not in line
        if inside and (match := _DEFINITION.match(line)) and match[1] == name:
            found.append(index)
    whole = [index for index in found if "partial" not in lines[index]]
    return next(iter([*whole, *found]), None)


def _change_definition(lines: Sequence[str], first: int, block: Block, path: Path, edits: Edits) -> None:
    end = next(index for index in range(first, len(lines)) if lines[index].lstrip().startswith("}"))
    place = end
    for line in block.lines:
        if line.sign == "+":
            edits.put(place, [f"  {line.words}"])
            continue
        index = _member(lines, first, end, line)
        if index is None:
            raise SpecificationError(f"{block.name} has no member {line.words!r}", path, line.place)
        if line.sign == "-":
            edits.take(index + 1, index + 1)
        place = index + 1


def _member(lines: Sequence[str], first: int, end: int, line: PatchLine) -> int | None:
    wanted = line.words.split()
    return next((index for index in range(first, end) if lines[index].split() == wanted), None)
