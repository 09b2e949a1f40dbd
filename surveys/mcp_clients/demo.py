"""The demo page, served on two sites of this machine, and steered by the program."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from modelcontext_agent.loopback import listen

if TYPE_CHECKING:
    from starlette.requests import Request

# Seconds in which a page that has no reason to wait does what it is told.
PATIENCE = 10.0


class DemoPage:
    """The page: ``url`` to open it, orders to its main document, and what its documents tell."""

    def __init__(self, port: int) -> None:
        self.origin, self.other_origin = f"http://localhost:{port}", f"http://127.0.0.1:{port}"
        self.url = f"{self.origin}/?who=MAIN"
        self._orders: asyncio.Queue[str] = asyncio.Queue()
        self._told: list[str] = []
        self._news = asyncio.Condition()

    async def order(self, order: str, told: str) -> None:
        """Give the main document an order, and wait until some document tells of it."""
        self._orders.put_nowait(order)
        if not await self.tells(told):
            raise TimeoutError(f"the page did not tell: {told}")

    async def tells(self, told: str, patience: float = PATIENCE) -> bool:
        """Return whether a document told this, or tells it in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience), self._news:
                await self._news.wait_for(lambda: told in self._told)
        return told in self._told

    async def _give_order(self, request: Request) -> Response:
        return PlainTextResponse(await self._orders.get())

    async def _hear(self, request: Request) -> Response:
        told = (await request.body()).decode()
        async with self._news:
            self._told.append(told)
            self._news.notify_all()
        return Response(status_code=204)

    @property
    def routes(self) -> list[Route | Mount]:
        """The routes of the page's server."""
        return [
            Route("/order", self._give_order),
            Route("/told", self._hear, methods=["POST"]),
            Mount("/", StaticFiles(directory=Path(__file__).parent / "page", html=True)),
        ]


@contextlib.asynccontextmanager
async def demo_page() -> AsyncIterator[DemoPage]:
    """Serve the demo page."""
    with listen(0) as listening:
        page = DemoPage(listening.getsockname()[1])
        config = uvicorn.Config(Starlette(routes=page.routes), log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        serving = asyncio.ensure_future(server.serve(sockets=[listening]))
        try:
            yield page
        finally:
            server.should_exit = True
            await serving
