"""A chat on a provider that keeps its answers sends only what is new, over pauses and restarts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext_agent.chat.config import ChatConfig
from modelcontext_agent.chat.runner import Runner
from modelcontext_agent.chat.service import ChatService
from modelcontext_agent.models.canned_answers import canned_answers_of
from modelcontext_agent.models.fakes import fake_provider
from modelcontext_agent.models.model_names import build_model
from packages.agent.tests.chat.helpers import Clock, page_tool

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of a database."""
    return f"sqlite:///{tmp_path / 'chats.db'}"


async def test_chat_continues_the_stored_answer_over_a_pause_and_a_new_message(
    engine: AsyncEngine, clock: Clock
) -> None:
    script = canned_answers_of(
        {"answers": [{"calls": [{"tool": "search", "arguments": {}}]}, {"text": "Found."}, {"text": "Bye."}]}
    )
    async with (
        fake_provider("openai-responses", script) as fake,
        build_model("openai-responses:fake-1", base_url=fake.base_url, api_key="k") as model,
    ):
        service = ChatService(engine, now=clock, config=ChatConfig())
        runner = Runner(service, lambda _name: model)
        tools = [page_tool("search").to_json()]
        chat_id = await service.create_chat(model="m", dynamic_tools=tools, message="hello")
        await runner.run_until_idle()
        [event] = [event for event in await service.events_after(chat_id) if event.type == "action_required"]
        [call] = event.data["tool_calls"]
        await service.submit_tool_results(chat_id, [{"tool_call_id": call["tool_call_id"], "output": 1}])
        await runner.run_until_idle()
        await service.add_message(chat_id, "thanks")
        await runner.run_until_idle()
        kinds = [[item.get("role") or item["type"] for item in body["input"]] for body in fake.requests]
    assert kinds == [["user"], ["function_call_output"], ["user"]]
    assert ["previous_response_id" in body for body in fake.requests] == [False, True, True]
