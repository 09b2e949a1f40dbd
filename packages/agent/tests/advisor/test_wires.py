"""The request to the advisor's model as each provider gets it: system first, no tools, the question last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai.toolsets import FunctionToolset

from modelcontext_agent.advisor.capability import Advisor
from modelcontext_agent.advisor.config import store_config
from modelcontext_agent.advisor.context import PROMPT
from modelcontext_agent.chat.runner import Runner
from modelcontext_agent.metrics import ToolMetrics
from modelcontext_agent.models.canned_answers import canned_answers_of
from modelcontext_agent.models.fakes import fake_provider
from modelcontext_agent.models.model_names import build_model
from packages.agent.tests.chat.helpers import Call, Clock, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

KINDS = ("anthropic", "openai", "openai-responses", "google")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of a database."""
    return f"sqlite:///{tmp_path / 'chats.db'}"


def looking() -> FunctionToolset[Any]:
    """Return a built-in tool, for a conversation that has a result before the model asks for advice."""
    tools: FunctionToolset[Any] = FunctionToolset()

    @tools.tool_plain
    def look() -> str:
        return "seen"

    return tools


@pytest.mark.parametrize("kind", KINDS)
async def test_provider_is_sent_no_tools_and_the_question_last(engine: AsyncEngine, clock: Clock, kind: str) -> None:
    await store_config(engine, {"enabled": True, "model_config_id": "planner"})
    # The fake counts the answers in a request, and the first round of tool calls is one.
    script = canned_answers_of({"answers": [{"text": "Nobody asks."}, {"text": "Look again."}]})
    async with (
        fake_provider(kind, script) as fake,
        build_model(f"{kind}:fake-1", base_url=fake.base_url, api_key="k") as planner,
    ):
        shop = world(
            engine,
            clock,
            [Call("look", {}, "b1")],
            [Call("advisor", {"question": "What next?"}, "a1")],
            ["Done."],
            toolsets=[looking()],
            capabilities=[Advisor(engine, lambda _name: planner, ToolMetrics())],
        )
        chat_id = await shop.start()
    [told] = await shop.events(chat_id, "advisor")
    assert (told["type"], told["advice"], told["error"]) == ("advice", "Look again.", None)
    [body] = fake.requests
    assert not body.get("tools")
    assert not body.get("tool_choice")
    text = json.dumps(body)
    places = [text.index(json.dumps(words)[1:-1]) for words in ("hello", "seen", "What next?")]
    assert places == sorted(places)
    assert json.dumps(PROMPT)[1:60] in text


async def test_chat_on_stored_answers_does_not_lend_them_to_its_advisor(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, {"enabled": True})
    ask = {"tool": "advisor", "arguments": {"question": "What next?"}}
    answers = [{"calls": [{"tool": "look"}]}, {"calls": [ask]}, {"text": "Done."}]
    # The nested request has one answer less than the one that it comes from, and so gets the same call again: no text.
    async with (
        fake_provider("openai-responses", canned_answers_of({"answers": answers})) as fake,
        build_model("openai-responses:fake-1", base_url=fake.base_url, api_key="k") as model,
    ):
        advisor = Advisor(engine, lambda _name: model, ToolMetrics())
        shop = world(engine, clock, toolsets=[looking()], capabilities=[advisor])
        chat_id = await shop.service.create_chat(model="m", message="hello")
        await Runner(shop.service, lambda _name: model).run_until_idle()
    [told] = await shop.events(chat_id, "advisor")
    assert (told["type"], told["error"]) == ("error", "The advisor gave no text.")
    assert [bool(body.get("tools")) for body in fake.requests] == [True, True, False, True]
    assert "previous_response_id" not in fake.requests[2]
    assert "fc_" not in json.dumps(fake.requests[2])
