"""The whole way in Chromium: the demo's shop, a scripted model, and a chat over HTTP that pauses and goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from modelcontext_agent.chat.database import create_tables, open_database
from modelcontext_agent.client import ApprovalRequest, ChatClient, PageClient, connect
from modelcontext_agent.demo.site import DemoSite
from modelcontext_agent.exposure.aliases import alias_of
from modelcontext_agent.pages.live_page import open_live_page
from packages.agent.tests.chat.helpers import Call, Clock, world
from packages.agent.tests.server.helpers import TOKEN, served

pytestmark = pytest.mark.anyio

# Seconds after which the test counts as hung.
PATIENCE = 60


@pytest.mark.usefixtures("starts_a_browser")
async def test_chat_runs_the_tools_of_a_live_page_in_both_frames_and_asks_before_it_orders(url: str) -> None:
    asked: list[ApprovalRequest] = []

    async def approve(request: ApprovalRequest) -> tuple[Any, str]:
        asked.append(request)
        return "approve", ""

    engine = open_database(url)
    await create_tables(engine)
    with DemoSite() as site:
        async with asyncio.timeout(PATIENCE), open_live_page(site.url) as page:
            changed = asyncio.Event()
            page.on_change(changed.set)
            while not any(tool.name == "track_parcel" for tool in await page.tools()):
                await changed.wait()
                changed.clear()
            [track] = [tool for tool in await page.tools() if tool.name == "track_parcel"]
            shop = world(
                engine,
                Clock(),
                [Call("search_teas", {"kind": "green"}, "c1"), Call("open_basket", {}, "c2")],
                [Call("add_to_basket", {"name": "Sencha", "amount": 2}, "c3")],
                [Call("place_order", {}, "c4")],
                [Call(alias_of(track), {"parcel": "P-1001"}, "c5")],
                ["Ordered."],
            )
            async with served(shop) as address, connect(address, TOKEN) as http:
                client = PageClient(page, ChatClient(http), approve=approve)
                transcript = await client.say(await client.create_chat(), "Order two portions of Sencha.")
    await engine.dispose()
    calls = [call for item in transcript for call in item.get("tool_calls", ())]
    assert [(call["tool_name"], call["result"]["is_error"]) for call in calls] == [
        ("search_teas", False),
        ("open_basket", False),
        ("add_to_basket", False),
        ("place_order", False),
        ("track_parcel", False),
    ]
    assert [call["origin"] for call in calls] == [site.origins[0]] * 4 + [site.origins[1]]
    assert [request.tool.name for request in asked] == ["place_order"]
    assert transcript[-1]["text"] == "Ordered."
    assert "add_to_basket" not in shop.script.offered[0]
    assert "add_to_basket" in shop.script.offered[1]
