"""Waiting until a page has registered its tools."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.pages.contract import AgentPage

#: The seconds without a change after which a page is taken to have registered its tools, and the longest wait for them.
_QUIET: Final = 0.3
_LONGEST: Final = 5.0


async def settled_tools(page: AgentPage) -> Sequence[PageTool]:
    """Return the tools when the page has registered some and none has changed for a while."""
    changed = asyncio.Event()
    page.on_change(changed.set)
    tools = await page.tools()
    try:
        async with asyncio.timeout(_LONGEST):
            while True:
                try:
                    async with asyncio.timeout(_QUIET if tools else None):
                        await changed.wait()
                except TimeoutError:
                    return tools
                changed.clear()
                tools = await page.tools()
    except TimeoutError:
        return tools
