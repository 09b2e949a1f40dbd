"""Tests of the pause: a step that calls the page, its results, and the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.toolsets import FunctionToolset

from modelcontext_agent.chat.store import ChatStore
from packages.agent.tests.chat.helpers import Call, Clock, page_tool, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio


async def test_chat_without_tools_answers_and_waits(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["Hel", "lo"])
    chat_id = await shop.start()
    assert await shop.state(chat_id) == "waiting"
    transcript = await shop.service.transcript(chat_id)
    assert transcript == [
        {"role": "user", "text": "hello"},
        {"role": "assistant", "text": "Hello", "tool_calls": []},
    ]


async def test_call_of_page_tool_pauses_and_its_result_resumes(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["Looking.", Call("search", {"q": 1}, "c1")], ["Found it."])
    chat_id = await shop.start(page_tool())
    assert await shop.state(chat_id) == "requires_action"
    [action] = await shop.events(chat_id, "action_required")
    [call] = action["tool_calls"]
    assert (call["tool_call_id"], call["tool_name"], call["args"]) == ("c1", "search", '{"q":1}')
    assert call["binding"] == page_tool().binding.to_json()
    await shop.answer(chat_id, c1={"hits": []})
    assert await shop.state(chat_id) == "waiting"
    assert shop.script.results == [("c1", '{"hits": []}', "success")]
    assert [item["text"] for item in await shop.service.transcript(chat_id)] == ["hello", "Looking.", "Found it."]


async def test_mixed_step_stores_builtin_results_and_shows_all_in_call_order(engine: AsyncEngine, clock: Clock) -> None:
    builtin: FunctionToolset = FunctionToolset()
    runs: list[str] = []

    @builtin.tool_plain
    async def weigh(name: str) -> str:
        runs.append(name)
        return f"weight of {name} #{len(runs)}"

    answers = [
        Call("search", {}, "p1"),
        Call("weigh", {"name": "a"}, "b1"),
        Call("buy", {}, "p2"),
        Call("weigh", {"name": "b"}, "b2"),
    ]
    shop = world(engine, clock, answers, ["done"], toolsets=[builtin], builtin_names=frozenset({"weigh"}))
    chat_id = await shop.start(page_tool(), page_tool("buy"))
    assert await shop.state(chat_id) == "requires_action"
    stored = [call["result"] for call in (await shop.service.transcript(chat_id))[-1]["tool_calls"]]
    assert [result and result["output"] for result in stored] == [None, "weight of a #1", None, "weight of b #2"]
    await shop.answer(chat_id, p2="bought", p1="found")
    assert runs == ["a", "b"]
    expected = [("p1", "found"), ("b1", "weight of a #1"), ("p2", "bought"), ("b2", "weight of b #2")]
    assert [(name, content) for name, content, _ in shop.script.results] == expected
    # pydantic-ai would bring them in order too; ours are stored so.
    stored_conversation = await ChatStore(engine).load(chat_id)
    assert stored_conversation is not None
    parts = stored_conversation.messages[2].parts
    assert [part.tool_call_id for part in parts if isinstance(part, ToolReturnPart)] == ["p1", "b1", "p2", "b2"]
    assert len(stored_conversation.messages) == 4
