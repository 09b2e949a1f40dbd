"""The sources of an evaluation's tools: a list with mocked answers, or a page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from modelcontext_agent.demo.simulated_shop import simulated_shop
from modelcontext_agent.evals.matching import ActualCall, mock_of
from modelcontext_agent.pages.addresses import address_of
from modelcontext_agent.pages.contract import AgentPage, CallEnd, CallResult
from modelcontext_agent.pages.endings import took_too_long
from modelcontext_agent.pages.live_page import LivePage, open_browser, open_tab
from modelcontext_agent.pages.loss import BrokenPageError
from modelcontext_agent.pages.settling import settled_tools

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.evals.eval_files import Eval

#: The seconds that a call to a page has.
CALL_SECONDS = 30.0


class ToolSource(Protocol):
    """The tools of one evaluation, as they are at some moment."""

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools that are offered now."""

    async def call(self, tool: PageTool, arguments: Any) -> CallResult:
        """Run a tool with a JSON object."""


#: Opens the source for an evaluation; each gets a page of its own.
Sources: TypeAlias = Callable[["Eval"], AbstractAsyncContextManager[ToolSource]]


class ListedTools:
    """Tools of a list. The answers are those that the evaluation mocks."""

    def __init__(self, tools: Sequence[PageTool], one: Eval) -> None:
        self._tools = tools
        self._expected = one.expected
        self._made: list[ActualCall] = []

    async def tools(self) -> Sequence[PageTool]:
        """Return all tools."""
        return self._tools

    async def call(self, tool: PageTool, arguments: Any) -> CallResult:
        """Return the mocked answer."""
        call = ActualCall(tool.name, arguments)
        output = mock_of(self._expected, self._made, call)
        self._made.append(call)
        return CallResult(CallEnd.DONE, output)


class PageTools:
    """Tools of a page. A consequential one runs only if that ``may`` be."""

    def __init__(self, page: AgentPage, *, may: bool) -> None:
        self._page = page
        self._may = may

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools of all frames."""
        return await self._page.tools()

    async def call(self, tool: PageTool, arguments: Any) -> CallResult:
        """Run the tool, if it still is the one that the model was shown."""
        if tool.hints.consequential and not self._may:
            words = f"Nobody here approves “{tool.name}”, which has consequences. Nothing ran."
            return CallResult(CallEnd.REFUSED, words)
        try:
            async with asyncio.timeout(CALL_SECONDS):
                return await self._page.call(tool.name, tool.binding, arguments)
        except TimeoutError:
            return took_too_long(tool.name, CALL_SECONDS, is_seen=self._page.is_seen)


class LivePageTools(PageTools):
    """Tools of a live page."""

    def __init__(self, page: LivePage, *, may: bool) -> None:
        super().__init__(page, may=may)
        self._live = page

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools of all frames. Raises :class:`BrokenPageError` if the page or its browser has ended."""
        tools = await super().tools()
        if self._live.loss is not None:
            raise BrokenPageError(self._live.loss)
        return tools


def listed(tools: Sequence[PageTool]) -> Sources:
    """Return the sources that are a list of tools."""

    @contextlib.asynccontextmanager
    async def open_source(one: Eval) -> AsyncIterator[ToolSource]:
        yield ListedTools(tools, one)

    return open_source


@contextlib.asynccontextmanager
async def simulated_shops() -> AsyncIterator[Sources]:
    """Give the sources that are the demo's shop, each in a simulated browser of its own. Consequences are none there."""

    @contextlib.asynccontextmanager
    async def open_source(one: Eval) -> AsyncIterator[ToolSource]:
        page = simulated_shop()
        yield PageTools(page, may=True)
        await page.close()

    yield open_source


@contextlib.asynccontextmanager
async def live_pages(page: str, *, may: bool, binary: str | None = None) -> AsyncIterator[Sources]:
    """Start Chromium, and give the sources that are the page of a URL or a file, each opened anew.

    Raises:
        UnavailableError: if there is no Chromium; a source raises it if the page cannot be opened, and
            :class:`BrokenPageError` if its server answers with an error.
    """
    with address_of(page) as url:
        async with open_browser(binary=binary) as browser:

            @contextlib.asynccontextmanager
            async def open_source(one: Eval) -> AsyncIterator[ToolSource]:
                async with open_tab(browser, url) as live:
                    if live.problem is not None:
                        raise BrokenPageError(live.problem)
                    await settled_tools(live)
                    yield LivePageTools(live, may=may)

            yield open_source
