"""The reading of what a page says about its tools."""

from __future__ import annotations

from collections.abc import Iterable

from modelcontext.judging.clients.page_tools import MAIN_FRAME, PageTool
from modelcontext_agent.strict_json import depth, json_value

#: The longest definition of a tool that an agent takes, in characters of JSON. A page's tool with a longer one is left out.
LONGEST_DEFINITION = 2**18
#: The deepest nesting in a definition that an agent takes.
DEEPEST_DEFINITION = 64


def read_tool(definition: str, *, document: str, origin: str, frame: str, url: str) -> PageTool | None:
    """Return the tool of a definition in JSON, or None for one that is too long, too deep, or not a definition."""
    if len(definition) > LONGEST_DEFINITION:
        return None
    try:
        data = json_value(definition)
        if not isinstance(data, dict) or depth(data) > DEEPEST_DEFINITION:
            return None
        return PageTool.from_json({**data, "document": document, "origin": origin, "frame": frame, "url": url})
    except ValueError:
        return None


def in_order(tools: Iterable[PageTool]) -> list[PageTool]:
    """Return tools in the order of the contract: the main frame's first, then by frame and name."""
    return sorted(tools, key=lambda tool: (tool.frame != MAIN_FRAME, tool.frame, tool.name))
