"""The language of patches: what changes in a text, written as specifications are.

A patch consists of blocks. A block begins with a line of two spaces and the name of what changes: the id of an algorithm, or
the name of a struct, an object with state, or a definition of the IDL. Each line after it has a sign and, in an algorithm, the
number of a step::

      unregister-a-tool
      4. Let |exposed origins| be …
    + 5. If |exposed origins| is empty, then return.
    - 6. [=In parallel=]:
    - 6.1. [=Notify documents of a tool change=] given |tool owner| and |exposed origins|.

A line with ``-`` is taken out. A line with ``+`` is put in, with the number that it has afterwards. A step of that number in
both has other words; the steps below it stay. A line with two spaces stays: it says where the others are. The numbers of
lines with ``-`` or two spaces are those of the text before the change. Their words are compared as a reader sees them, so that
links need not be repeated, and ``…`` at the end stands for the rest.
A line that begins with four or more spaces after its sign continues the one before it. Without a number, ``-`` and ``+`` in an
algorithm stand for its introduction. A ``+`` with an introduction and no ``-`` begins a new algorithm, whose steps follow. It
stands behind the algorithm of the block before it, and otherwise at the end.
In a struct, a line is ``name: description``. In the IDL, it is a member. A paragraph that defines a term goes by the name of
that term, and is replaced as a whole.

Definitions can be new, too: a struct, whose items follow; state of an object, in one sentence; a definition of the IDL::

    + A <dfn>ticket</dfn> is a [=struct=] with the following [=struct/items=]:
    + owner: a {{Document}}
    + A {{Tool}} object has a <dfn for=Tool>definition</dfn>, a [=tool definition=] or null, initially null.
    + interface Tool {
    + };
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from modelcontext.spec.specification import SpecificationError

Sign: TypeAlias = Literal["-", "+", " "]
#: The components of a step's number: places in lists of steps, and letters of cases.
Number: TypeAlias = tuple[str, ...]

_NUMBERED: Final = re.compile(r"((?:\d+|[a-z])(?:\.(?:\d+|[a-z]))*)\.\s+(.*)")
#: A member of the IDL, or an item of a struct: no name has these signs.
_MEMBER: Final = re.compile(r"[;,]$|: ")
_SIGNS: Final = ("- ", "+ ", "  ")
#: The beginning of a definition in the IDL, with its extended attributes if they are on a line of their own.
_DEFINITION: Final = re.compile(
    r"\[[^\]]*\]$|(?:\[[^\]]*\]\s*)?(?:partial )?(?:interface|dictionary|enum) [\w :]+\{|callback "
)


@dataclass(frozen=True, slots=True)
class PatchLine:
    """A line of a patch: its place in the file, its sign, the number of its step if it has one, and its words."""

    place: int
    sign: Sign
    number: Number
    words: str

    @property
    def name(self) -> str:
        """The number as it is written."""
        return ".".join(self.number)


@dataclass(frozen=True, slots=True)
class Block:
    """The lines about one algorithm, struct or definition; one that is new has no name."""

    place: int
    name: str
    lines: tuple[PatchLine, ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch of a text; ``path`` names it in errors, and its first line is ``first`` there."""

    path: Path
    blocks: tuple[Block, ...]

    @property
    def words(self) -> str:
        """The name of the patch, and the number of lines that it changes."""
        changed = [line for block in self.blocks for line in block.lines if line.sign != " "]
        most = max(sum(1 for line in changed if line.sign == sign) for sign in "-+")
        return f"patch {self.path.name}: {most} line{'s' * (most != 1)}"


def parse_patch(content: str, path: Path, first: int = 1) -> Patch:
    """Parse a patch, whose first line is line ``first`` of the file ``path``.

    Raises:
        SpecificationError: if a line has no sign, or belongs to no block, or if nothing changes.
    """
    blocks: list[Block] = []
    for place, text in enumerate(content.splitlines(), first):
        if not text.strip():
            continue
        if text[:2] not in _SIGNS:
            raise SpecificationError("a line of a patch must begin with '- ', '+ ' or two spaces", path, place)
        sign: Sign = text[0]  # type: ignore[assignment]
        words = text[2:].rstrip()
        if words.startswith("    ") and blocks and blocks[-1].lines and sign in (" ", blocks[-1].lines[-1].sign):
            _continue(blocks, words)
        elif match := _NUMBERED.fullmatch(words.strip()):
            _add(blocks, PatchLine(place, sign, tuple(match[1].split(".")), match[2]), path)
        elif sign == " " and not _MEMBER.search(words):
            blocks.append(Block(place, words.strip(), ()))
        else:
            if sign == "+" and _begins_something_new(blocks, words):
                blocks.append(Block(place, "", ()))
            _add(blocks, PatchLine(place, sign, (), words.strip()), path)
    if not any(line.sign != " " for block in blocks for line in block.lines):
        raise SpecificationError(
            "this patch changes nothing: it has no line that begins with '- ' or '+ '", path, first
        )
    return Patch(path, tuple(blocks))


def _begins_something_new(blocks: list[Block], words: str) -> bool:
    if _DEFINITION.match(words):
        # The extended attributes of a definition are on the line before it.
        last = blocks[-1].lines[-1].words if blocks and not blocks[-1].name and blocks[-1].lines else ""
        return not (last.startswith("[") and last.endswith("]"))
    if "<dfn" not in words:
        return False
    return not blocks or not any(line.sign == "-" and not line.number for line in blocks[-1].lines)


def _continue(blocks: list[Block], words: str) -> None:
    block = blocks[-1]
    last = block.lines[-1]
    longer = PatchLine(last.place, last.sign, last.number, f"{last.words} {words.strip()}")
    blocks[-1] = Block(block.place, block.name, (*block.lines[:-1], longer))


def _add(blocks: list[Block], line: PatchLine, path: Path) -> None:
    if not blocks:
        raise SpecificationError(
            "begin the block with two spaces and the name of an algorithm, a struct or an interface", path, line.place
        )
    block = blocks[-1]
    blocks[-1] = Block(block.place, block.name, (*block.lines, line))
