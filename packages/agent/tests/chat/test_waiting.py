"""Tests of chats that wait: they cost rows, and neither a task, nor a thread, nor a look at the database each."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from modelcontext_agent.chat.config import ChatConfig
from modelcontext_agent.chat.notices import PENDING, Notices, events_of, interrupt_of
from modelcontext_agent.chat.runner import Runner
from modelcontext_agent.chat.service import ChatService
from modelcontext_agent.chat.tables import chats, tool_calls
from modelcontext_agent.chat.work import claim_chat
from packages.agent.tests.chat.helpers import Call, Clock, Script, page_tool, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

WAITING = 1000


async def test_thousand_waiting_chats_cost_no_task_no_thread_and_one_look_a_poll(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")])
    first = await shop.start(page_tool())
    async with engine.begin() as connection:
        # The other chats are copies of the first one's rows.
        for table, column in ((chats, "id"), (tool_calls, "chat_id")):
            [row] = (await connection.execute(sa.select(table))).mappings().all()
            copies = [{**row, column: f"copy-{number}"} for number in range(1, WAITING)]
            await connection.execute(sa.insert(table), copies)
    tasks, threads = len(asyncio.all_tasks()), threading.active_count()
    statements: list[str] = []
    looked = asyncio.Event()

    @sa.event.listens_for(engine.sync_engine, "before_cursor_execute")
    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)
        looked.set()

    looks: list[int] = []

    async def look() -> None:
        # What the poll does, without its wait.
        statements.clear()
        assert await shop.runner.run_until_idle() == 0
        looks.append(len([statement for statement in statements if "SELECT" in statement]))

    await look()
    await look()
    # Deadlines, leases, and pending chats.
    assert looks == [3, 3]
    looked.clear()
    work = asyncio.create_task(shop.runner.run_forever())
    await looked.wait()
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) <= tasks + 1
    # SQLite has a thread for each of the few connections of its pool.
    assert threading.active_count() <= threads + 4
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await shop.state(first) == "requires_action"
    assert await shop.state("copy-999") == "requires_action"


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ({"poll": timedelta(seconds=0.9)}, "use at least one second"),
        ({"heartbeat": timedelta(seconds=16)}, "half of the lease"),
    ],
)
def test_runner_refuses_a_fast_poll_and_a_slow_heartbeat(times: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Runner(None, Script().model, **times)  # type: ignore[arg-type]


async def test_message_wakes_the_worker_of_the_same_process_without_a_poll(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["answer"])
    chat_id = await shop.service.create_chat(model="m")
    # The poll would come an hour later.
    worker = Runner(shop.service, shop.script.model, poll=timedelta(hours=1))
    with shop.service.notices.listen(events_of(chat_id)) as changed:
        work = asyncio.create_task(worker.run_forever())
        await shop.service.add_message(chat_id, "go")
        while await shop.state(chat_id) != "waiting":
            changed.clear()
            if await shop.state(chat_id) != "waiting":
                await changed.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
    assert (await shop.service.transcript(chat_id))[-1]["text"] == "answer"


async def test_listeners_are_told_of_pending_chats_of_events_and_of_interrupts(
    engine: AsyncEngine, clock: Clock
) -> None:
    service = ChatService(engine, now=clock)
    chat_id = await service.create_chat(model="m")
    topics = (PENDING, events_of(chat_id), interrupt_of(chat_id), events_of("another"))

    async def told(change: Callable[[], Awaitable[Any]]) -> list[bool]:
        with ExitStack() as stack:
            notices = [stack.enter_context(service.notices.listen(topic)) for topic in topics]
            await change()
            return [notice.is_set() for notice in notices]

    assert await told(lambda: service.add_message(chat_id, "go")) == [True, True, False, False]
    assert await told(lambda: claim_chat(service, timedelta(seconds=30))) == [False, True, False, False]
    assert await told(lambda: service.interrupt(chat_id)) == [False, True, True, False]


async def test_receivers_see_each_event_in_the_transaction_that_stores_it(engine: AsyncEngine, clock: Clock) -> None:
    seen: list[tuple[int, str]] = []
    stored: list[int] = []

    async def receive(connection: Any, events: Any) -> None:
        seen.extend((event.id, event.type) for event in events)
        query = sa.text("SELECT count(*) FROM events WHERE chat_id = :chat_id")
        stored.append(await connection.scalar(query, {"chat_id": events[0].chat_id}))

    shop = world(engine, clock, [Call("search", {}, "c1")], ["ok"], receivers=[receive])
    chat_id = await shop.start(page_tool())
    await shop.answer(chat_id, c1=1)
    assert seen == [(event.id, event.type) for event in await shop.service.events_after(chat_id)]
    assert stored[-1] == len(seen)


async def test_receiver_that_fails_stores_nothing(engine: AsyncEngine, clock: Clock) -> None:
    async def receive(_connection: Any, _events: Any) -> None:
        raise RuntimeError("full")

    service = ChatService(engine, now=clock)
    chat_id = await service.create_chat(model="m")
    failing = ChatService(engine, now=clock, config=ChatConfig(receivers=[receive]))
    with failing.notices.listen(PENDING) as pending, pytest.raises(RuntimeError, match="full"):
        await failing.add_message(chat_id, "go")
    assert not pending.is_set()
    assert (await service.chat(chat_id))["state"] == "waiting"
    assert await service.events_after(chat_id) == []


async def test_listeners_that_ask_for_the_same_events_share_one_read() -> None:
    notices, reads, go = Notices(), asyncio.Queue[int](), asyncio.Event()
    numbers = count(1)

    async def read() -> int:
        reads.put_nowait(number := next(numbers))
        await go.wait()
        return number

    first = [asyncio.create_task(notices.read_once("events", read)) for _ in range(3)]
    assert await reads.get() == 1
    first[0].cancel()
    notices.tell("anything")
    # What is stored before a notice may have come too late for a read that had begun.
    second = asyncio.create_task(notices.read_once("events", read))
    assert await reads.get() == 2
    go.set()
    assert await asyncio.gather(*first[1:], second) == [1, 1, 2]
    assert first[0].cancelled()
    assert await notices.read_once("events", read) == 3


async def test_read_that_fails_fails_for_each_listener_and_for_nobody_else() -> None:
    notices = Notices()

    async def read() -> int:
        raise LookupError("gone")

    reads = [notices.read_once("events", read) for _ in range(2)]
    assert [type(one) for one in await asyncio.gather(*reads, return_exceptions=True)] == [LookupError] * 2
