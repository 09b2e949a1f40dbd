"""Chats after a restart of their server: the page is found again, or the chat is told at once that it is gone."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext_agent.attending import Attendant
from modelcontext_agent.chat.owners import is_orphan, new_lease
from modelcontext_agent.chat.work import claim_chat, take_orphans
from modelcontext_agent.pages.contract import CallEnd, CallResult
from modelcontext_agent.pages.endings import document_gone
from packages.agent.tests.chat.helpers import Call, Clock, World, page_tool, world

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.ext.asyncio import AsyncEngine

    from modelcontext.judging.clients.page_tools import Binding, PageTool

pytestmark = pytest.mark.anyio


class Page:
    """A page with a document, whose calls run if they mean it."""

    is_seen = False

    def __init__(self, document: str) -> None:
        self.document = document
        self.ran: list[str] = []

    async def tools(self) -> Sequence[PageTool]:
        return [page_tool(document=self.document), page_tool("pay", consequential=True, document=self.document)]

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        if binding.document != self.document:
            return document_gone(name, began=False)
        self.ran.append(name)
        return CallResult(CallEnd.DONE, "done")

    def on_change(self, listener: Callable[[], None]) -> None:
        pass

    async def close(self) -> None:
        pass


def lease_of_another_process() -> str:
    """Return a lease of a process that has ended."""
    code = "from modelcontext_agent.chat.owners import new_lease; print(new_lease())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


async def paused(engine: AsyncEngine, clock: Clock, tool: str) -> tuple[World, str]:
    """Return a chat that waits for a call of the page with the document d1, which no page answers any more."""
    shop = world(engine, clock, [Call(tool, {}, "c1")], ["So."])
    tools = [one.to_json() for one in await Page("d1").tools()]
    chat_id = await shop.service.create_chat(model="m", dynamic_tools=tools, message="Go", is_attended=True)
    await shop.runner.run_until_idle()
    assert await shop.state(chat_id) == "requires_action"
    return shop, chat_id


async def attended_again(shop: World, chat_id: str, *pages: Page) -> list[Any]:
    """Attend the chats from before, and return the results once the chat goes on: no clock moves."""
    async with Attendant(shop.service, lambda: pages) as attendant:
        for attended in await shop.service.attended_chats():
            await attendant.attend_again(attended)
        async for event in shop.service.events(chat_id):
            if event.type == "status" and event.data["status"] == "pending" and event.data["reason"] == "results":
                break
    return await shop.events(chat_id, "tool_result")


async def test_call_of_a_document_that_is_there_again_runs(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock, "search")
    other, same = Page("d2"), Page("d1")
    [result] = await attended_again(shop, chat_id, other, same)
    assert (result["output"], result["is_error"]) == ("done", False)
    assert (other.ran, same.ran) == ([], ["search"])


async def test_call_of_a_document_that_is_gone_ends_at_once(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock, "search")
    [result] = await attended_again(shop, chat_id, Page("d2"))
    assert result["is_error"]
    assert "Nothing ran" in result["output"]


async def test_call_that_was_begun_before_is_not_run_again(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock, "search")
    await shop.service.begin_calls(chat_id, ["c1"])
    page = Page("d1")
    [result] = await attended_again(shop, chat_id, page)
    assert "It was not run again" in result["output"]
    assert page.ran == []


async def test_call_ends_at_once_where_no_page_is_connected(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock, "search")
    [result] = await attended_again(shop, chat_id)
    assert "no page is connected" in result["output"]


async def test_nobody_is_asked_about_a_call_of_a_document_that_is_gone(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock, "pay")
    [result] = await attended_again(shop, chat_id, Page("d2"))
    assert result["is_error"]
    assert "did not run" in result["output"]


async def test_person_is_still_asked_about_a_call_of_a_document_that_is_there(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop, chat_id = await paused(engine, clock, "pay")
    await shop.service.set_tools(chat_id, [tool.to_json() for tool in await Page("d1").tools()])
    [waits] = (await shop.service.chat(chat_id))["waits_for"]
    assert waits["type"] == "approval_required"


async def test_chats_of_clients_with_tools_of_their_own_are_left_to_them(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")])
    chat_id = await shop.start(page_tool())
    assert await shop.service.attended_chats() == []
    assert not await shop.service.is_attended(chat_id)


async def test_chat_of_a_worker_whose_process_has_ended_is_taken_at_once(
    engine: AsyncEngine, clock: Clock, monkeypatch: pytest.MonkeyPatch, takes_long: None
) -> None:
    shop = world(engine, clock, ["So."])
    chat_id = await shop.service.create_chat(model="m", message="Go")
    lease = lease_of_another_process()
    monkeypatch.setattr("modelcontext_agent.chat.work.new_lease", lambda: lease)
    assert await claim_chat(shop.service, timedelta(hours=1)) is not None
    assert await take_orphans(shop.service) == 1
    assert await shop.state(chat_id) == "pending"


async def test_chat_of_a_worker_that_lives_is_not_taken(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["So."])
    await shop.service.create_chat(model="m", message="Go")
    assert await claim_chat(shop.service, timedelta(hours=1)) is not None
    assert await take_orphans(shop.service) == 0


def test_lease_tells_its_process_from_others() -> None:
    lease = new_lease()
    assert not is_orphan(lease)
    machine, pid, start, word = lease.split()
    assert is_orphan(f"{machine} {pid} {start}1 {word}") == Path("/proc/self/stat").exists()
    # Of another machine, and of a lease of an earlier version, nothing is known.
    assert not is_orphan(f"other {pid} {start}1 {word}")
    assert not is_orphan(word)
    assert lease != new_lease()
