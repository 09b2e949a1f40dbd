"""Helpers of the tests of the server: a service with a scripted model, its application, and HTTP clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import sqlalchemy as sa

from modelcontext_agent.chat.database import open_database
from modelcontext_agent.chat.tables import metadata
from modelcontext_agent.loopback import listen, serving
from modelcontext_agent.server.app import create_app

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from modelcontext.judging.clients.page_tools import PageTool
    from packages.agent.tests.chat.helpers import World

TOKEN = "the-token"
ADMIN = "the-admin-token"
MODEL = "scripted"
BASE = "http://127.0.0.1:8000"


def app_of(shop: World, **options: Any) -> Starlette:
    """Return the application of a world."""
    return create_app(shop.service, token=TOKEN, admin_token=ADMIN, models=[MODEL, "other"], **options)


@asynccontextmanager
async def client_of(app: Starlette, token: str | None = TOKEN, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
    """Give a client of an application, without a network. An exception in the application is an answer, as over HTTP."""
    given = {"Authorization": f"Bearer {token}"} if token is not None else {}
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=BASE, headers={**given, **headers}) as client:
        yield client


@asynccontextmanager
async def served(shop: World, *, worker: bool = True, **options: Any) -> AsyncIterator[str]:
    """Serve the application of a world on a port, beside its worker, and give the address."""
    working = asyncio.create_task(shop.runner.run_forever() if worker else asyncio.sleep(0))
    try:
        async with serving(app_of(shop, **options), listen(0)) as address:
            yield address
    finally:
        working.cancel()
        await asyncio.wait({working})
        await shop.service.notices.close()


async def paused(shop: World, *tools: PageTool) -> str:
    """Make a chat that waits for the page, and return its id. The world's first answer calls a tool."""
    chat_id = await shop.start(*tools)
    assert await shop.state(chat_id) == "requires_action"
    return chat_id


async def everything_stored(url: str) -> Mapping[str, Sequence[Any]]:
    """Return every row of a database."""
    engine = open_database(url)
    async with engine.connect() as connection:
        rows = {
            table.name: sorted(map(repr, await connection.execute(sa.select(table))))
            for table in metadata.sorted_tables
        }
    await engine.dispose()
    return rows


def message_of(response: httpx2.Response) -> str:
    """Return the message of an answer that refuses a request, which is one clear line."""
    message = response.json()["error"]["message"]
    assert isinstance(message, str)
    assert message
    assert "\n" not in message
    assert "Traceback" not in message
    return message
