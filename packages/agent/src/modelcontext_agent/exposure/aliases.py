"""Aliases: names that every provider takes, for tools whose names are the page's.

Pages name tools with 1 to 128 of ``[A-Za-z0-9_.-]``, and two frames may use one name. Providers take 64 of ``[A-Za-z0-9_-]``.
An alias depends on the tool's frame and name and on nothing else: it does not move when other tools come and go.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from modelcontext.judging.clients.page_tools import MAIN_FRAME, PageTool

#: The characters of the longest alias.
LONGEST = 64
#: The hexadecimal digits of the suffix that tells tools apart.
SUFFIX = 10

_TAKEN_AS_IT_IS = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST}}}")
# A page must not take the alias of another frame's tool by choosing it as a name.
_LOOKS_LIKE_AN_ALIAS = re.compile(rf".*_[0-9a-f]{{{SUFFIX}}}", re.DOTALL)


class AliasCollisionError(Exception):
    """Raised for two tools with one alias. The digits of their suffixes are equal by chance, or a page list is wrong."""

    def __init__(self, alias: str, first: PageTool, second: PageTool) -> None:
        places = " and ".join(f"“{tool.name}” in the frame {tool.frame}" for tool in (first, second))
        super().__init__(f"the tools {places} have the same alias, {alias}")


def alias_of(tool: PageTool) -> str:
    """Return the name by which a model calls the tool: its own where that is possible, else a readable part and a suffix."""
    is_main = tool.frame == MAIN_FRAME
    if is_main and _TAKEN_AS_IT_IS.fullmatch(tool.name) and not _LOOKS_LIKE_AN_ALIAS.fullmatch(tool.name):
        return tool.name
    identity = json.dumps([tool.frame, tool.name])
    suffix = hashlib.sha256(identity.encode("ascii")).hexdigest()[:SUFFIX]
    return f"{_readable(tool.name)}_{suffix}"


def can_stand_for(alias: str, name: str) -> bool:
    """Return whether a tool of this name has the alias in some frame."""
    return alias == name or re.fullmatch(rf"{_readable(name)}_[0-9a-f]{{{SUFFIX}}}", alias) is not None


def _readable(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[: LONGEST - SUFFIX - 1]


def by_alias(tools: Iterable[PageTool]) -> dict[str, PageTool]:
    """Return the tools by their aliases, in order.

    Raises:
        AliasCollisionError: if two of them have the same alias.
    """
    found: dict[str, PageTool] = {}
    for tool in tools:
        alias = alias_of(tool)
        if alias in found:
            raise AliasCollisionError(alias, found[alias], tool)
        found[alias] = tool
    return found
