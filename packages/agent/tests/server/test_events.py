"""Tests of the stream of events, over real HTTP: order, reconnection, and what a listener costs."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext_agent.chat.following import follow
from modelcontext_agent.chat.notices import Notices, events_of
from modelcontext_agent.client import ChatClient, connect
from modelcontext_agent.server.events import send_events
from packages.agent.tests.chat.helpers import Call, Clock, page_tool, world
from packages.agent.tests.server.helpers import TOKEN, paused, served

if TYPE_CHECKING:
    import httpx2
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio


async def read(http: httpx2.AsyncClient, chat_id: str, number: int, last_id: str | None = None) -> list[Any]:
    """Return the first events of a stream, as (id, type, data)."""
    headers = {} if last_id is None else {"Last-Event-ID": last_id}
    found = []
    async with http.sse(f"/chats/{chat_id}/events", headers=headers) as source:
        async for event in source:
            found.append((event.id, event.event, event.json()))
            if len(found) == number:
                break
    return found


async def test_events_come_in_order_and_a_client_that_reconnects_gets_the_rest(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, ["Hel", "lo"])
    chat_id = await shop.start()
    stored = await shop.service.events_after(chat_id)
    async with served(shop, worker=False) as address, connect(address, TOKEN) as http:
        all_events = await read(http, chat_id, len(stored))
        rest = await read(http, chat_id, len(stored) - 3, str(stored[2].id))
    assert [(int(id), type, data) for id, type, data in all_events] == [(e.id, e.type, e.data) for e in stored]
    assert rest == all_events[3:]


async def test_client_that_reconnects_is_told_again_what_is_waited_for(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("search", {"q": 1}, "c1")])
    chat_id = await paused(shop, page_tool())
    stored = await shop.service.events_after(chat_id)
    async with served(shop, worker=False) as address, connect(address, TOKEN) as http:
        [(id, type, data)] = await read(http, chat_id, 1, str(stored[-1].id))
        # Nothing was missed: who reads everything is told once.
        everything = await read(http, chat_id, len(stored))
        await shop.service.add_message(chat_id, "more")
        more = await read(http, chat_id, len(stored) + 1)
    assert (id, type) == ("", "action_required")
    assert [(call["tool_call_id"], call["args"]) for call in data["tool_calls"]] == [("c1", '{"q":1}')]
    assert [type for _, type, _ in everything].count("action_required") == 1
    assert [type for _, type, _ in more[-2:]] == [stored[-1].type, "message"]


async def test_stored_event_reaches_every_listener_and_listeners_take_no_threads(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock)
    chat_id = await shop.service.create_chat(model="m", message="one")
    async with served(shop, worker=False) as address, connect(address, TOKEN) as http:
        chats = ChatClient(http)
        async with AsyncExitStack() as stack:
            listeners = [await stack.enter_async_context(aclosing(chats.events(chat_id))) for _ in range(50)]
            for _ in range(2):
                await asyncio.gather(*(anext(events) for events in listeners))
            before = threading.active_count()
            waiting = [asyncio.ensure_future(anext(events)) for events in listeners]
            await chats.add_message(chat_id, "two")
            assert {event.data["text"] for event in await asyncio.gather(*waiting)} == {"two"}
            assert threading.active_count() <= before
            assert len(shop.service.notices._listeners[events_of(chat_id)]) == 50
    assert not shop.service.notices._listeners


async def test_of_twenty_clients_that_post_results_at_once_one_gets_204_and_nineteen_409(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")], ["Done."])
    chat_id = await paused(shop, page_tool())

    async def post(number: int) -> int:
        async with connect(address, TOKEN) as http:
            body = {"results": [{"tool_call_id": "c1", "output": number}]}
            return (await http.post(f"/chats/{chat_id}/tool-results", json=body)).status_code

    async with served(shop, worker=False) as address:
        statuses = await asyncio.gather(*(post(number) for number in range(20)))
    assert sorted(statuses) == [204] + [409] * 19
    await shop.runner.run_until_idle()
    assert shop.script.results == [("c1", str(statuses.index(204)), "success")]


async def test_server_looks_after_its_connections_between_two_events_that_are_there(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock)
    chat_id = await shop.service.create_chat(model="m", message="one")
    for number in range(9):
        await shop.service.add_message(chat_id, f"{number}")
    stored = len(await shop.service.events_after(chat_id))
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    turning = asyncio.create_task(turn())
    response = await send_events(shop.service, chat_id, "0")
    events: Any = response.body_iterator
    seen = []
    for _ in range(stored):
        await anext(events)
        seen.append(turns)
    turning.cancel()
    await events.aclose()
    assert len(set(seen)) == stored


async def test_listener_that_leaves_cancels_no_read_and_the_reads_can_be_waited_for() -> None:
    notices, go_on, began, ends = Notices(), asyncio.Event(), asyncio.Event(), []

    class Slow:
        """Chats without events, of which each read takes as long as the test likes."""

        def __init__(self) -> None:
            self.notices = notices

        async def chat(self, chat_id: str) -> dict[str, Any]:
            began.set()
            await go_on.wait()
            ends.append("chat")
            return {"last_event": 0, "waits_for": []}

        async def events_after(self, chat_id: str, last_id: int = 0, limit: int = 1000) -> list[Any]:
            return []

    listening = asyncio.ensure_future(anext(follow(Slow(), "c", 0)))
    await began.wait()
    listening.cancel()
    await asyncio.wait({listening})
    closing = asyncio.ensure_future(notices.close())
    await asyncio.sleep(0)
    assert not closing.done()
    go_on.set()
    await closing
    assert ends == ["chat"]
    await notices.close()
