"""Connections of the official client to a server of a simulated page: both eras, in memory and over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from modelcontext_agent.loopback import listen
from modelcontext_agent.mcp.transports import PATH, serve_http

if TYPE_CHECKING:
    from modelcontext_agent.mcp.page_server import PageServer
    from packages.agent.tests.pages.stages import SimulatedStage

ERAS = ("legacy", "2026-07-28", "auto")
TRANSPORTS = ("memory", "http")
TOKEN = "the token of the tests"

# Seconds after which a test counts as hung.
PATIENCE = 30


def run(steps: Coroutine[Any, Any, None]) -> None:
    """Run the steps of a test in an event loop."""

    async def in_time() -> None:
        async with asyncio.timeout(PATIENCE):
            await steps

    asyncio.run(in_time())


@dataclass
class Person:
    """A person who is asked: gives one answer to all, and remembers the questions. ``on_question`` happens meanwhile."""

    action: str = "accept"
    questions: list[str] = field(default_factory=list)
    on_question: Callable[[], Coroutine[Any, Any, None]] | None = None

    async def ask(self, context: Any, params: Any) -> types.ElicitResult:
        self.questions.append(params.message)
        if self.on_question is not None:
            await self.on_question()
        return types.ElicitResult.model_validate({"action": self.action})


@contextlib.asynccontextmanager
async def connected(
    server: PageServer, era: str, transport: str = "memory", person: Person | None = None, **options: Any
) -> AsyncIterator[Client]:
    """Connect a client of an era."""
    if person is not None:
        options["elicitation_callback"] = person.ask
    if transport == "memory":
        async with Client(server.server, mode=era, **options) as client:
            yield client
        return
    async with (
        served(server) as url,
        create_mcp_http_client({"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(url, http_client=http), mode=era, **options) as client,
    ):
        yield client


@contextlib.asynccontextmanager
async def served(server: PageServer) -> AsyncIterator[str]:
    """Serve over HTTP, and return the URL."""
    listening = listen(0)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}{PATH}"
    task = asyncio.ensure_future(serve_http(server, listening, TOKEN))
    try:
        yield url
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def aborted(stage: SimulatedStage, name: str) -> None:
    """Wait until the signal of a call that runs is aborted."""
    event = asyncio.Event()

    def look() -> None:
        if stage._signals["top", name].aborted:
            event.set()

    stage.browser.on_idle(look)
    look()
    await event.wait()


def words(result: types.CallToolResult) -> str:
    """Return the text of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))
