"""The lines of what a patch adds as a whole: an algorithm, a struct, state of an object, or a definition of the IDL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from modelcontext_prose.patches.language import Block

_INDENT: Final = 4
_STRUCT: Final = re.compile(r"<dfn\b[^>]*>(.*?)</dfn>.*\[=struct=\]")


def new_lines(block: Block) -> list[str]:
    """Return the lines of a text that stand for a block without a name."""
    first, *others = block.lines
    if first.words.endswith(("{", "]", ";")):
        return ["<xmp class=idl>", *(line.words for line in block.lines), "</xmp>"]
    if (struct := _STRUCT.search(first.words)) and not any(line.number for line in others):
        items = [line.words.partition(":") for line in others]
        listed = [words for name, _, rest in items for words in (f": <dfn>{name.strip()}</dfn>", f":: {rest.strip()}")]
        return [first.words, "", f'<dl dfn-for="{struct[1]}">', *listed, "", "</dl>"]
    if not others:
        return [first.words]
    steps = [f"{' ' * _INDENT * (len(line.number) - 1)}1. {line.words}" for line in others]
    return ["<div algorithm>", first.words, "", *steps, "", "</div>"]
