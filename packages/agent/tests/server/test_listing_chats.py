"""The list of chats, for the page and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext_agent.client import ChatClient
from packages.agent.tests.chat.helpers import Clock, world
from packages.agent.tests.server.helpers import app_of, client_of

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio


async def test_chats_are_listed_with_their_first_words(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["So."], ["So."])
    older = await shop.start(message="older")
    clock.move(1)
    newer = await shop.start(message="newer")
    clock.move(1)
    empty = await shop.service.create_chat(model="m")
    async with client_of(app_of(shop)) as http:
        listed = await ChatClient(http).chats()
        assert [(chat["id"], chat["first_message"]) for chat in listed] == [
            (empty, ""),
            (newer, "newer"),
            (older, "older"),
        ]
        assert {chat["state"] for chat in listed} == {"waiting"}
        assert len(await ChatClient(http).chats(limit=1)) == 1
        for limit in ("0", "501", "many", "-1"):
            assert (await http.get(f"/chats?limit={limit}")).status_code == 400
