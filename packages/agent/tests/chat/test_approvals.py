"""Tests of approvals: a person is asked before a consequential tool runs, and approves one definition of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.judging.clients.page_tools import Hints
from modelcontext_agent.chat.chat_errors import BadRequestError, ConflictError
from modelcontext_agent.chat.service import TIMED_OUT
from packages.agent.tests.chat.helpers import Call, Clock, World, page_tool, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

BUY = page_tool("buy", consequential=True, input_schema={"type": "object"})


async def asked(engine: AsyncEngine, clock: Clock) -> tuple[World, str]:
    """Return a world whose model calls a consequential tool (c1) and another one (c2)."""
    calls = [Call("buy", {"item": 7}, "c1"), Call("search", {}, "c2")]
    shop = world(engine, clock, calls, ["done"])
    return shop, await shop.start(BUY, page_tool())


async def test_person_is_shown_name_origin_schema_and_arguments_before_the_page_is_asked(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop, chat_id = await asked(engine, clock)
    assert await shop.events(chat_id, "action_required") == []
    [question] = await shop.events(chat_id, "approval_required")
    [call] = question["tool_calls"]
    assert (call["tool_call_id"], call["tool_name"], call["args"]) == ("c1", "buy", '{"item":7}')
    assert call["tool"] == BUY.to_json()
    assert (await shop.service.chat(chat_id))["waits_for"] == [{"type": "approval_required", **question}]
    with pytest.raises(ConflictError, match="a person has to approve a call first"):
        await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c2", "output": 1}])
    with pytest.raises(ConflictError, match="does not wait for the call"):
        await shop.service.begin_calls(chat_id, ["c1"])


async def test_page_is_asked_for_all_calls_after_the_approval(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await asked(engine, clock)
    clock.move(200)
    await shop.service.approve(chat_id, "c1", "approve")
    [action] = await shop.events(chat_id, "action_required")
    assert [call["tool_call_id"] for call in action["tool_calls"]] == ["c1", "c2"]
    # The page has its whole time.
    clock.move(200)
    assert await shop.service.expire_deadlines() == 0
    await shop.answer(chat_id, c1="bought", c2="found")
    assert shop.script.results == [("c1", "bought", "success"), ("c2", "found", "success")]


async def test_denied_call_does_not_run_and_the_model_reads_the_persons_words(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop, chat_id = await asked(engine, clock)
    await shop.service.approve(chat_id, "c1", "deny", " too expensive ")
    await shop.answer(chat_id, c2="found")
    [denied, _] = shop.script.results
    words = "A person denied this call. It did not run. They said: too expensive"
    assert denied == ("c1", words, "denied")


async def test_turn_goes_on_at_once_when_every_call_was_denied(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("buy", {}, "c1")], ["done"])
    chat_id = await shop.start(BUY)
    await shop.service.approve(chat_id, "c1", "deny")
    assert await shop.state(chat_id) == "pending"
    await shop.runner.run_until_idle()
    assert await shop.events(chat_id, "action_required") == []


@pytest.mark.parametrize(
    "now",
    [
        [replace(BUY, hints=Hints())],
        [replace(BUY, description="Buys two.")],
        [replace(BUY, document="d2")],
        [],
    ],
)
async def test_approval_of_a_tool_that_changed_since_runs_nothing(
    engine: AsyncEngine, clock: Clock, now: list[Any]
) -> None:
    shop = world(engine, clock, [Call("buy", {}, "c1")], ["done"])
    chat_id = await shop.start(BUY)
    await shop.service.set_tools(chat_id, [tool.to_json() for tool in now])
    if await shop.state(chat_id) == "requires_action":
        await shop.service.approve(chat_id, "c1", "approve")
    else:
        # Nobody is asked about a tool of a document that has gone.
        assert now[0].document != BUY.document
    await shop.runner.run_until_idle()
    [(_, content, outcome)] = shop.script.results
    assert outcome == "failed"
    assert "was refused" in content
    assert await shop.events(chat_id, "action_required") == []


async def test_tool_that_was_consequential_once_asks_first_for_ever(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("buy", {}, "c1")], ["done"])
    chat_id = await shop.service.create_chat(model="m", dynamic_tools=[BUY.to_json()])
    await shop.service.set_tools(chat_id, [replace(BUY, hints=Hints()).to_json()])
    await shop.service.add_message(chat_id, "buy it")
    await shop.runner.run_until_idle()
    assert len(await shop.events(chat_id, "approval_required")) == 1


async def test_bad_decisions_are_refused(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await asked(engine, clock)
    with pytest.raises(BadRequestError, match="use approve or deny"):
        await shop.service.approve(chat_id, "c1", "maybe")  # type: ignore[arg-type]
    with pytest.raises(BadRequestError, match="no call of the latest step has the id"):
        await shop.service.approve(chat_id, "c9", "approve")
    with pytest.raises(ConflictError, match="is not waiting for an approval"):
        await shop.service.approve(chat_id, "c2", "approve")
    await shop.service.approve(chat_id, "c1", "approve")
    with pytest.raises(ConflictError, match="is not waiting for an approval"):
        await shop.service.approve(chat_id, "c1", "deny")


async def test_deadline_of_an_approval_gives_every_call_an_error_result(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await asked(engine, clock)
    clock.move(300)
    await shop.runner.run_until_idle()
    assert shop.script.results == [("c1", TIMED_OUT, "interrupted"), ("c2", TIMED_OUT, "interrupted")]
    with pytest.raises(ConflictError):
        await shop.service.approve(chat_id, "c1", "approve")
