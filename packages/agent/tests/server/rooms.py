"""A chat room: a served world with a real clock, a page of tools beside it, and a tab of Chromium with the chat page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import expect

from modelcontext_agent.advisor.capability import NAME, Advisor
from modelcontext_agent.advisor.config import store_config
from modelcontext_agent.attending import Attendant
from modelcontext_agent.chat.database import create_tables, open_database
from modelcontext_agent.metrics import ToolMetrics
from modelcontext_agent.pages.contract import CallEnd, CallResult
from packages.agent.tests.chat.helpers import Answer, Clock, Script, World, page_tool, world
from packages.agent.tests.server.helpers import TOKEN, served

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding, PageTool


class RealClock(Clock):
    """The clock of this machine: what people see counts down."""

    def __call__(self) -> datetime:
        return datetime.now(UTC)


class ToolPage:
    """A page of some tools, whose calls give what the test says, at once or when the test lets them go on."""

    is_seen = False

    def __init__(self, results: Mapping[str, Any], tools: Sequence[PageTool]) -> None:
        self._results = results
        self._tools = tools
        self.go_on = asyncio.Event()
        self.calls: list[tuple[str, Any]] = []

    async def tools(self) -> Sequence[PageTool]:
        return self._tools

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        self.calls.append((name, arguments))
        if name.startswith("slow"):
            await self.go_on.wait()
        result = self._results[name]
        return result if isinstance(result, CallResult) else CallResult(CallEnd.DONE, result)

    def on_change(self, listener: Callable[[], None]) -> None:
        pass

    async def close(self) -> None:
        pass


@dataclass
class Room:
    """A room: its world, its page of tools, and the tab with the chat page."""

    world: World
    page: ToolPage
    tab: Any
    address: str

    async def say(self, text: str) -> None:
        """Type a message, and send it."""
        await self.tab.get_by_label("Message", exact=True).fill(text)
        await self.tab.keyboard.press("Enter")

    async def turn_ends(self) -> None:
        """Wait until a turn has answered and ended; from then on, no new card comes in the place of another."""
        await expect(self.tab.locator(".bubble.answer")).to_have_count(1)
        await expect(self.tab.locator("#status")).to_have_text("Ready")

    async def chat_id(self) -> str:
        """Return the id of the chat that the tab shows."""
        await self.tab.wait_for_url("**/#chat=*")
        return str(await self.tab.evaluate("location.hash.slice(6)"))


SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "amount": {"type": "integer", "minimum": 1}}}
TOOLS = [
    page_tool("search", read_only=True, description="Searches the teas."),
    page_tool("slow", description="Takes its time."),
    page_tool("track", frame="frame-1", origin="https://parcels.example", untrusted_content=True),
    page_tool("order", consequential=True, description="Orders the basket.", input_schema=SCHEMA),
]


@asynccontextmanager
async def room(
    browser: Any,
    folder: Path,
    answers: Sequence[Answer],
    results: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    advice: Sequence[Answer] = (),
    uses: int = 0,
    tools: Sequence[PageTool] = TOOLS,
    frame_origins: Sequence[str] = (),
    **config: Any,
) -> AsyncIterator[Room]:
    """Open a room.

    Args:
        browser: Chromium.
        folder: a folder for the database.
        answers: the answers of the model.
        results: the results of the page's tools.
        options: the options of the browser's context.
        advice: the answers of the advisor's model, which is called wise. Without any, there is no advisor.
        uses: the pieces of advice that a turn may have, or 0 for the usual number.
        tools: the tools of the page.
        frame_origins: the origins whose pages may have the chat page in a frame.
        config: more of the configuration of the chats.
    """
    engine = open_database(f"sqlite:///{folder / 'room.db'}")
    await create_tables(engine)
    planner = Script(*advice)
    await store_config(
        engine, {"enabled": bool(advice), "max_uses_per_run": uses, "model_config_id": "wise" if advice else ""}
    )
    advisor = Advisor(engine, planner.model, ToolMetrics())
    chats = world(engine, RealClock(), *answers, capabilities=[advisor], builtin_names=frozenset({NAME}), **config)
    page = ToolPage(results or {}, tools)
    context = await browser.new_context(**{"viewport": {"width": 1100, "height": 800}, **(options or {})})
    try:
        async with (
            Attendant(chats.service, lambda: [page]) as host,
            served(chats, host=host, frame_origins=frame_origins) as address,
        ):
            tab = await context.new_page()
            problems: list[Any] = []
            tab.on("pageerror", lambda error: problems.append(error))
            tab.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
            await tab.goto(f"{address}/#token={TOKEN}")
            yield Room(chats, page, tab, address)
            await context.close()
            assert problems == []
    finally:
        await context.close()
        # The attendant listens longer than the server runs.
        await chats.service.notices.close()
        await engine.dispose()
