"""Tests of turns: queue, interrupt, deadline, leases, retries, rounds, and tools that fail."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

import pytest
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.exceptions import ModelOverloadedError
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.tools import RunContext  # noqa: TC002 - read when the tool is made
from pydantic_ai.toolsets import FunctionToolset

from modelcontext_agent.chat.chat_errors import BadRequestError, ConflictError, LeaseLostError, TooLargeError
from modelcontext_agent.chat.hooks import StepContext  # noqa: TC001 - read when the tool is made
from modelcontext_agent.chat.runner import EventWriter, Runner
from modelcontext_agent.chat.service import INTERRUPTED, TIMED_OUT
from modelcontext_agent.chat.work import claim_chat, expire_leases, read_step, renew, store_events
from modelcontext_agent.models.model_names import build_model
from packages.agent.tests.chat.helpers import Answer, Call, Clock, page_tool, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

LEASE = timedelta(seconds=30)


def prompts(messages: list[Any]) -> list[Any]:
    """Return what the person wrote last, before the model was asked."""
    assert isinstance(messages[-1], ModelRequest)
    return [part.content for part in messages[-1].parts if isinstance(part, UserPromptPart)]


@pytest.mark.parametrize(
    ("text", "error"), [("", BadRequestError), (" \n", BadRequestError), ("x" * 11, TooLargeError)]
)
async def test_bad_messages_are_refused(engine: AsyncEngine, clock: Clock, text: str, error: type[Exception]) -> None:
    shop = world(engine, clock, ["hi"], max_message_characters=10)
    chat_id = await shop.start()
    with pytest.raises(error):
        await shop.service.add_message(chat_id, text)
    with pytest.raises(BadRequestError, match="use queue or interrupt"):
        await shop.service.add_message(chat_id, "x", "now")  # type: ignore[arg-type]
    assert await shop.state(chat_id) == "waiting"


async def test_queued_message_waits_for_the_page_and_gets_the_next_turn(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")], ["one"], ["two"], max_queue=2)
    chat_id = await shop.start(page_tool())
    assert await shop.service.add_message(chat_id, "second") == "requires_action"
    assert await shop.service.add_message(chat_id, "third") == "requires_action"
    with pytest.raises(ConflictError, match="2 messages are queued"):
        await shop.service.add_message(chat_id, "fourth")
    await shop.answer(chat_id, c1=1)
    assert prompts(shop.script.asked[2]) == ["second", "third"]
    assert [event["turn"] for event in await shop.events(chat_id, "done")] == [1, 2]
    assert (await shop.service.chat(chat_id))["queue"] == []


async def test_interrupting_message_gives_open_calls_error_results_and_is_answered(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")], ["answer"])
    chat_id = await shop.start(page_tool())
    assert await shop.service.add_message(chat_id, "stop, this", "interrupt") == "pending"
    await shop.runner.run_until_idle()
    assert shop.script.results == [("c1", INTERRUPTED, "interrupted")]
    assert prompts(shop.script.asked[1]) == ["stop, this"]
    with pytest.raises(ConflictError):
        await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c1", "output": 1}])


async def test_interrupt_while_the_page_is_asked_ends_the_turn_with_error_results(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")], ["answer"])
    chat_id = await shop.start(page_tool())
    assert await shop.service.interrupt(chat_id) == "waiting"
    assert await shop.service.interrupt(chat_id) == "waiting"
    await shop.service.add_message(chat_id, "next")
    await shop.runner.run_until_idle()
    assert shop.script.results == [("c1", INTERRUPTED, "interrupted")]
    assert [event["interrupted"] for event in await shop.events(chat_id, "done")] == [True, False]


async def test_interrupt_of_a_pending_chat_with_a_queue_begins_the_next_turn(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["answer"])
    chat_id = await shop.service.create_chat(model="m", message="first")
    await shop.service.add_message(chat_id, "second")
    assert await shop.service.interrupt(chat_id) == "pending"
    await shop.runner.run_until_idle()
    assert len(shop.script.asked) == 1


@pytest.mark.parametrize("behavior", ["interrupt", "message"])
async def test_interrupt_while_the_model_streams_keeps_text_and_whole_calls(
    engine: AsyncEngine, clock: Clock, behavior: Literal["interrupt", "message"]
) -> None:
    streams, never = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        streams.set()
        await never.wait()

    answer: Answer = ["Half an ", "answer", Call("search", {"q": 1}, "c1"), Call("search", '{"q', "c2"), hang]
    shop = world(engine, clock, answer, ["next"])
    chat_id = await shop.service.create_chat(model="m", dynamic_tools=[page_tool().to_json()], message="go")
    work = asyncio.create_task(shop.runner.run_until_idle())
    await streams.wait()
    if behavior == "interrupt":
        assert await shop.service.interrupt(chat_id) == "interrupting"
    else:
        assert await shop.service.add_message(chat_id, "and now?", "interrupt") == "interrupting"
    await work
    assert await shop.state(chat_id) == "waiting"
    item = (await shop.service.transcript(chat_id))[1]
    assert item["text"] == "Half an answer"
    [call] = item["tool_calls"]
    assert (call["tool_call_id"], call["result"]["output"]) == ("c1", INTERRUPTED)
    assert len(shop.script.asked) == (1 if behavior == "interrupt" else 2)


@pytest.mark.parametrize("sequential", [True, False])
async def test_interrupt_while_a_builtin_tool_runs_keeps_the_results_that_are_there(
    engine: AsyncEngine, clock: Clock, sequential: bool
) -> None:
    runs, never = asyncio.Event(), asyncio.Event()
    builtin: FunctionToolset[Any] = FunctionToolset()

    @builtin.tool_plain(sequential=sequential)
    async def quick() -> str:
        return "quick result"

    @builtin.tool_plain(sequential=sequential)
    async def slow() -> str:
        runs.set()
        await never.wait()
        return ""

    answer = [Call("quick", {}, "b1"), Call("slow", {}, "b2"), Call("search", {}, "p1")]
    shop = world(engine, clock, answer, ["next"], toolsets=[builtin])
    chat_id = await shop.service.create_chat(model="m", dynamic_tools=[page_tool().to_json()], message="go")
    work = asyncio.create_task(shop.runner.run_until_idle())
    await runs.wait()
    await shop.service.interrupt(chat_id)
    await work
    await shop.service.add_message(chat_id, "next")
    await shop.runner.run_until_idle()
    assert shop.script.results == [
        ("b1", "quick result", "success"),
        ("b2", INTERRUPTED, "interrupted"),
        ("p1", INTERRUPTED, "interrupted"),
    ]


async def test_deadline_gives_one_error_result_for_each_open_call_and_the_model_goes_on(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1"), Call("search", {}, "c2")], ["without"])
    chat_id = await shop.start(page_tool())
    clock.move(299)
    assert await shop.service.expire_deadlines() == 0
    clock.move(1)
    await shop.runner.run_until_idle()
    assert await shop.state(chat_id) == "waiting"
    assert shop.script.results == [("c1", TIMED_OUT, "interrupted"), ("c2", TIMED_OUT, "interrupted")]
    with pytest.raises(ConflictError):
        await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c1", "output": 1}])


async def test_chat_of_a_silent_worker_is_taken_over_and_the_worker_stores_nothing_more(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, ["answer"])
    chat_id = await shop.service.create_chat(model="m", message="go")
    silent = await claim_chat(shop.service, LEASE)
    assert silent is not None
    assert await claim_chat(shop.service, LEASE) is None
    clock.move(29)
    assert await renew(shop.service, silent, LEASE) == "running"
    clock.move(29)
    assert await expire_leases(shop.service) == 0
    clock.move(1)
    await shop.runner.run_until_idle()
    assert await shop.state(chat_id) == "waiting"
    with pytest.raises(LeaseLostError, match="has ended"):
        await renew(shop.service, silent, LEASE)
    with pytest.raises(LeaseLostError):
        await store_events(shop.service, silent, [("text_delta", {"text": "late"}, clock.now)])
    assert "late" not in str(await shop.service.events_after(chat_id))


async def test_many_workers_at_once_claim_a_chat_once_and_take_it_over_once(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")])
    chat_id = await shop.service.create_chat(model="m", dynamic_tools=[page_tool().to_json()], message="go")
    claims = await asyncio.gather(*(claim_chat(shop.service, LEASE) for _ in range(8)))
    assert len([claim for claim in claims if claim is not None]) == 1
    clock.move(31)
    assert sum(await asyncio.gather(*(expire_leases(shop.service) for _ in range(8)))) == 1
    await shop.runner.run_until_idle()
    clock.move(300)
    assert sum(await asyncio.gather(*(shop.service.expire_deadlines() for _ in range(8)))) == 1
    assert await shop.state(chat_id) == "pending"


async def test_pieces_of_text_that_come_while_others_are_stored_become_one_event(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock)
    chat_id = await shop.service.create_chat(model="m", message="go")
    claim = await claim_chat(shop.service, LEASE)
    assert claim is not None
    writer = EventWriter(shop.service, claim)
    for type, data in (("text_delta", "a"), ("text_delta", "b"), ("advisor", ""), ("text_delta", "c")):
        writer.emit(type, {"text": data, "step": 1})
    async with writer.writing():
        pass
    events = await shop.service.events_after(chat_id)
    told = [(event.type, event.data["text"]) for event in events if event.type in ("text_delta", "advisor")]
    assert told == [("text_delta", "ab"), ("advisor", ""), ("text_delta", "c")]


async def test_builtin_tool_knows_the_turn_the_step_and_the_rounds_of_the_turn(
    engine: AsyncEngine, clock: Clock
) -> None:
    builtin: FunctionToolset[StepContext] = FunctionToolset()
    seen: list[tuple[int, int, int]] = []

    @builtin.tool
    async def look(ctx: RunContext[StepContext]) -> str:
        seen.append((ctx.deps.turn, ctx.deps.step, ctx.deps.rounds))
        return ""

    answers: list[Answer] = [
        [Call("look", {})],
        [Call("look", {}), Call("look", {})],
        ["one"],
        [Call("look", {})],
        ["two"],
    ]
    shop = world(engine, clock, *answers, toolsets=[builtin])
    chat_id = await shop.start()
    await shop.service.add_message(chat_id, "again")
    await shop.runner.run_until_idle()
    assert seen == [(1, 1, 0), (1, 2, 1), (1, 2, 1), (2, 4, 0)]


async def test_interrupted_chat_of_a_silent_worker_ends_its_turn(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock)
    chat_id = await shop.service.create_chat(model="m", message="go")
    claim = await claim_chat(shop.service, LEASE)
    assert claim is not None
    await shop.service.interrupt(chat_id)
    assert await read_step(shop.service, claim, lambda *_: None) is None
    clock.move(31)
    await shop.runner.run_until_idle()
    assert await shop.state(chat_id) == "waiting"
    assert shop.script.asked == []


async def test_cancelled_worker_gives_its_chat_back(engine: AsyncEngine, clock: Clock) -> None:
    streams, never = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        streams.set()
        await never.wait()

    shop = world(engine, clock, ["a", hang], ["answer"])
    chat_id = await shop.service.create_chat(model="m", message="go")
    work = asyncio.create_task(shop.runner.run_forever())
    await streams.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await shop.state(chat_id) == "pending"
    await shop.runner.run_until_idle()
    assert (await shop.service.transcript(chat_id))[-1]["text"] == "answer"


def overloaded() -> ModelOverloadedError:
    return ModelOverloadedError("m", "busy")


async def test_failed_step_is_tried_again_later_and_its_text_is_thrown_away(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["part", overloaded()], ["part", overloaded()], ["whole"])
    chat_id = await shop.start()
    assert await shop.state(chat_id) == "pending"
    clock.move(0.9)
    assert await shop.runner.run_until_idle() == 0
    clock.move(0.1)
    assert await shop.runner.run_until_idle() == 1
    clock.move(2)
    await shop.runner.run_until_idle()
    assert [item["text"] for item in await shop.service.transcript(chat_id)] == ["hello", "whole"]
    first, second = await shop.events(chat_id, "retry")
    assert first == {
        "attempt": 1,
        "delay_ms": 1000,
        "error": "The scripted model is overloaded.",
        "kind": "overloaded",
        "provider": "function",
        "retryable": True,
        "status_code": None,
        "title": "Overloaded",
        "retrying_at": "2026-01-01T00:00:01+00:00",
    }
    assert (second["attempt"], second["delay_ms"]) == (2, 2000)


async def test_attempts_at_a_step_end_after_25_and_begin_anew_with_the_next_step(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, *[[overloaded()] for _ in range(26)], ["fine"])
    chat_id = await shop.start()
    for _ in range(24):
        clock.move(60)
        await shop.runner.run_until_idle()
    assert await shop.state(chat_id) == "error"
    assert len(shop.script.asked) == 25
    await shop.service.add_message(chat_id, "again")
    await shop.runner.run_until_idle()
    retries = await shop.events(chat_id, "retry")
    assert [retry["attempt"] for retry in retries] == [*range(1, 25), 1]


async def test_failure_that_is_not_tried_again_ends_the_turn_and_a_message_starts_anew(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, ["part", ValueError("no key")], ["better"])
    chat_id = await shop.start()
    chat = await shop.service.chat(chat_id)
    error = chat["error"]
    assert (chat["state"], error["kind"], error["detail"], error["retryable"]) == ("error", "generic", "no key", False)
    assert await shop.events(chat_id, "error") == [chat["error"]] == await shop.events(chat_id, "chat:error")
    assert await shop.service.interrupt(chat_id) == "error"
    await shop.service.add_message(chat_id, "again")
    await shop.runner.run_until_idle()
    chat = await shop.service.chat(chat_id)
    assert (chat["state"], chat["error"]) == ("waiting", None)


async def test_model_that_cannot_be_built_fails_the_turn(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock)
    worker = Runner(shop.service, build_model)
    chat_id = await shop.service.create_chat(model="nosuch:model", message="go")
    await worker.run_until_idle()
    [error] = await shop.events(chat_id, "error")
    assert (error["kind"], "“nosuch:model” does not name a model" in error["detail"]) == ("config", True)


async def test_interrupt_between_two_attempts_ends_the_turn(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [overloaded()], ["second turn"])
    chat_id = await shop.start()
    assert await shop.service.add_message(chat_id, "leave it", "interrupt") == "pending"
    # The new turn does not wait for the old one's attempt.
    assert await shop.runner.run_until_idle() == 1
    assert await shop.state(chat_id) == "waiting"


async def test_turn_with_more_than_five_rounds_of_calls_fails_and_the_history_stays_whole(
    engine: AsyncEngine, clock: Clock
) -> None:
    builtin: FunctionToolset[Any] = FunctionToolset()
    runs: list[int] = []

    @builtin.tool_plain
    async def count() -> int:
        runs.append(1)
        return len(runs)

    calls = [[Call("count", {})] for _ in range(6)]
    shop = world(engine, clock, *calls, ["next turn"], toolsets=[builtin])
    chat_id = await shop.start()
    chat = await shop.service.chat(chat_id)
    assert (chat["state"], len(runs)) == ("error", 5)
    assert "no answer in 5 rounds" in chat["error"]["message"]
    await shop.service.add_message(chat_id, "go on")
    await shop.runner.run_until_idle()
    [(_, content, outcome)] = shop.script.results
    assert outcome == "interrupted"
    assert content == "The call did not run: the turn has had its 5 rounds of tool calls."


async def test_model_that_says_nothing_for_ever_fails_the_turn(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, *[[""] for _ in range(10)], max_rounds=2)
    chat_id = await shop.start()
    assert await shop.state(chat_id) == "error"
    assert len(shop.script.asked) == 3


async def test_bad_calls_get_error_results_and_the_turn_goes_on(engine: AsyncEngine, clock: Clock) -> None:
    builtin: FunctionToolset[Any] = FunctionToolset()

    @builtin.tool_plain
    async def throws() -> str:
        raise KeyError("inside")

    @builtin.tool_plain
    async def hangs() -> str:
        await asyncio.Event().wait()
        return ""

    calls = [
        Call("search", "{bad", "c1"),
        Call("search", "[1]", "c2"),
        Call("nosuch", {}, "c3"),
        Call("throws", {}, "c4"),
        Call("hangs", {}, "c5"),
        Call("search", {}, "c6"),
    ]
    shop = world(engine, clock, calls, ["done"], toolsets=[builtin], tool_timeout=timedelta(0))
    chat_id = await shop.start(page_tool())
    [action] = await shop.events(chat_id, "action_required")
    assert [call["tool_call_id"] for call in action["tool_calls"]] == ["c6"]
    await shop.answer(chat_id, c6="fine")
    found = {name: (str(content), outcome) for name, content, outcome in shop.script.results}
    assert list(found) == ["c1", "c2", "c3", "c4", "c5", "c6"]
    assert [outcome for _, outcome in found.values()] == ["retried"] * 3 + ["failed"] * 2 + ["success"]
    assert "Invalid JSON" in found["c1"][0]
    assert "Unknown tool name: 'nosuch'" in found["c3"][0]
    assert "The tool failed: KeyError: 'inside'" in found["c4"][0]
    assert "The tool took more than 0 s, and was stopped." in found["c5"][0]


async def test_builtin_tool_that_asks_for_approval_gets_an_error_result(engine: AsyncEngine, clock: Clock) -> None:
    builtin: FunctionToolset[Any] = FunctionToolset()

    @builtin.tool_plain(requires_approval=True)
    async def delete() -> str:
        raise AssertionError("it ran")

    shop = world(engine, clock, [Call("delete", {}, "c1")], ["done"], toolsets=[builtin])
    chat_id = await shop.start()
    assert await shop.state(chat_id) == "waiting"
    [(_, content, outcome)] = shop.script.results
    assert (content[:21], outcome) == ("The call did not run:", "failed")


async def test_events_are_numbered_without_gaps_and_tell_a_turn_in_order(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["Look", "ing", Call("search", {}, "c1")], ["ok"])
    chat_id = await shop.start(page_tool())
    await shop.answer(chat_id, c1=1)
    events = await shop.service.events_after(chat_id)
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert [event.id for event in await shop.service.events_after(chat_id, 3, limit=2)] == [4, 5]
    text = "".join(event.data["text"] for event in events if event.type == "text_delta")
    assert text == "Lookingok"
    told = [event.data.get("status", event.type) for event in events if event.type != "text_delta"]
    assert told == [
        "message",
        "pending",
        "running",
        "tool_call",
        "message",
        "requires_action",
        "action_required",
        "chat:requires_action",
        "tool_result",
        "tool:succeeded",
        "pending",
        "running",
        "message",
        "done",
        "waiting",
    ]


async def test_chat_with_page_tools_refuses_tools_that_the_provider_runs(engine: AsyncEngine, clock: Clock) -> None:
    search: NativeTool[StepContext] = NativeTool(WebSearchTool())
    shop = world(engine, clock, capabilities=[search])
    chat = await shop.service.chat(await shop.start(page_tool()))
    assert (chat["state"], chat["error"]["kind"], chat["error"]["retryable"]) == ("error", "config", False)
    assert "a chat cannot have both a page's tools and the provider's own (web_search)" in chat["error"]["detail"]
    assert shop.script.asked == []


async def test_chat_without_page_tools_may_have_tools_that_the_provider_runs(engine: AsyncEngine, clock: Clock) -> None:
    search: NativeTool[StepContext] = NativeTool(WebSearchTool())
    shop = world(engine, clock, ["found"], capabilities=[search])
    assert await shop.state(await shop.start()) == "waiting"
