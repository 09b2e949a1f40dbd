"""Tests of the rules of tool results: their form, their ids, their time, and that one client wins."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext_agent.chat.chat_errors import BadRequestError, ChatError, ConflictError, NotFoundError, TooLargeError
from modelcontext_agent.chat.service import INTERRUPTED, ChatService
from packages.agent.tests.chat.helpers import Call, Clock, World, page_tool, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

GOOD = {"tool_call_id": "c1", "output": 1}


async def paused(engine: AsyncEngine, clock: Clock, **config: Any) -> tuple[World, str]:
    """Return a world with a chat that waits for the calls c1 and c2."""
    calls = [Call("search", {}, "c1"), Call("buy", {}, "c2")]
    shop = world(engine, clock, calls, ["done"], [Call("search", {}, "c9")], **config)
    return shop, await shop.start(page_tool(), page_tool("buy"))


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (None, "the results are not a list"),
        ("c1", "the results are not a list"),
        ({"c1": 1}, "the results are not a list"),
        ([], "there are no results"),
        ([3], "result 0 needs “tool_call_id”"),
        ([{"output": 1}], "result 0 needs “tool_call_id”"),
        ([{"tool_call_id": 3, "output": 1}], "result 0 needs “tool_call_id”"),
        ([{"tool_call_id": "c1"}], "result 0 has no “output”"),
        ([{**GOOD, "is_error": "no"}], '“is_error” is "no"'),
        ([{**GOOD, "output": float("nan")}], "the output is not JSON"),
        ([{**GOOD, "output": {1, 2}}], "the output is not JSON"),
        ([{**GOOD, "binding": "d1"}], "a binding needs document, origin, frame, digest"),
        ([GOOD, GOOD], 'two results have the id "c1"'),
        ([GOOD], "the results of c2 are missing"),
        ([GOOD, {"tool_call_id": "x", "output": 1}], "no call waits for the results of x"),
    ],
)
async def test_bad_results_are_refused_and_nothing_is_stored(
    engine: AsyncEngine, clock: Clock, results: Any, words: str
) -> None:
    shop, chat_id = await paused(engine, clock)
    before = await shop.service.chat(chat_id)
    with pytest.raises(BadRequestError, match=words) as refused:
        await shop.service.submit_tool_results(chat_id, results)
    assert refused.value.status == 400
    assert await shop.service.chat(chat_id) == before


async def test_output_that_is_nested_too_deep_is_refused(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(BadRequestError, match="the output is not JSON: it is nested in more than 100 levels"):
        await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c1", "output": deep}])


async def test_results_that_are_too_large_are_refused(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock, max_results_bytes=100)
    with pytest.raises(TooLargeError, match="more than 100 bytes") as refused:
        await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c1", "output": "x" * 99}])
    assert refused.value.status == 413
    assert await shop.state(chat_id) == "requires_action"


async def test_results_for_a_chat_that_does_not_wait_are_a_conflict(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, ["hello"])
    chat_id = await shop.start()
    with pytest.raises(ConflictError, match="the chat is waiting and waits for no results") as refused:
        await shop.service.submit_tool_results(chat_id, [GOOD])
    assert refused.value.status == 409


async def test_results_for_an_unknown_chat_are_not_found(engine: AsyncEngine, clock: Clock) -> None:
    service = ChatService(engine, now=clock)
    for chat_id in ("nobody", "a\0b", "ü"):
        with pytest.raises(NotFoundError):
            await service.submit_tool_results(chat_id, [GOOD])


async def test_results_of_an_earlier_step_are_a_conflict(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)
    await shop.answer(chat_id, c1=1, c2=2)
    await shop.service.add_message(chat_id, "again")
    await shop.runner.run_until_idle()
    assert await shop.state(chat_id) == "requires_action"
    with pytest.raises(ConflictError, match="the results of c1, c2 have already arrived"):
        await shop.service.submit_tool_results(chat_id, [GOOD, {"tool_call_id": "c2", "output": 2}])


async def test_one_of_twenty_clients_with_the_same_results_wins(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)

    async def submit(number: int) -> str:
        results = [{"tool_call_id": name, "output": number} for name in ("c1", "c2")]
        try:
            await shop.service.submit_tool_results(chat_id, results)
        except ChatError as error:
            return type(error).__name__
        return str(number)

    ends = await asyncio.gather(*(submit(number) for number in range(20)))
    [winner] = [end for end in ends if end != "ConflictError"]
    assert len(ends) == 20
    await shop.runner.run_until_idle()
    assert [content for _, content, _ in shop.script.results] == [winner, winner]


async def test_any_json_is_an_output_and_lone_surrogates_are_replaced(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)
    await shop.answer(chat_id, c1=None, c2={"a\ud800": ["\0 \ud83d\ude00 \udc00", 1.5, True]})
    assert await shop.state(chat_id) == "waiting"
    [_, last] = [item for item in await shop.service.transcript(chat_id) if item["role"] == "assistant"]
    assert last["text"] == "done"
    outputs = [data["output"] for data in await shop.events(chat_id, "tool_result")]
    assert outputs == [None, {"a\ufffd": ["\0 😀 \ufffd", 1.5, True]}]


async def test_error_result_reaches_the_model_as_an_error(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)
    results = [{**GOOD, "output": "sold out", "is_error": True}, {"tool_call_id": "c2", "output": 1}]
    await shop.service.submit_tool_results(chat_id, results)
    await shop.runner.run_until_idle()
    assert shop.script.results == [("c1", "sold out", "failed"), ("c2", "1", "success")]
    types = [event.type for event in await shop.service.events_after(chat_id)]
    assert (types.count("tool:failed"), types.count("tool:succeeded")) == (1, 1)


async def test_image_stays_an_image_through_storing_and_loading(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    shot = {"content": [{"type": "image", "mimeType": "image/png", "data": pixel}]}
    await shop.answer(chat_id, c1=shot, c2=1)
    (_, content, _), _ = shop.script.results
    image = content[1]
    assert (image.media_type, image.data[:4]) == ("image/png", b"\x89PNG")
    assert pixel[:20] not in str(content[0])


async def test_times_of_calls_and_results_are_stored_and_a_result_never_comes_before_its_call(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop, chat_id = await paused(engine, clock)
    clock.move(-10)
    await shop.answer(chat_id, c1=1, c2=2)
    calls = (await shop.service.transcript(chat_id))[1]["tool_calls"]
    assert [call["created_at"] for call in calls] == ["2026-01-01T00:00:00+00:00"] * 2
    assert [call["result"]["created_at"] for call in calls] == ["2026-01-01T00:00:00+00:00"] * 2


async def test_begun_call_is_not_run_again_unless_it_only_reads(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("look", {}, "c1"), Call("buy", {}, "c2")])
    chat_id = await shop.start(page_tool("look", read_only=True), page_tool("buy"))
    assert await shop.service.begin_calls(chat_id, ["c1", "c2"]) == ["c1", "c2"]
    assert await shop.service.begin_calls(chat_id, ["c1", "c2"]) == ["c1"]
    [action] = (await shop.service.chat(chat_id))["waits_for"]
    assert [(call["begun"], call["read_only"]) for call in action["tool_calls"]] == [(True, True), (True, False)]
    with pytest.raises(ConflictError, match="does not wait for the call"):
        await shop.service.begin_calls(chat_id, ["c3"])


async def test_result_that_is_there_when_the_turn_is_stopped_is_kept_and_shown(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop, chat_id = await paused(engine, clock)
    await shop.service.submit_tool_results(chat_id, [GOOD], partial=True)
    waits_for = (await shop.service.chat(chat_id))["waits_for"]
    assert [call["tool_call_id"] for one in waits_for for call in one["tool_calls"]] == ["c2"]
    await shop.service.interrupt(chat_id)
    await shop.service.add_message(chat_id, "next")
    await shop.runner.run_until_idle()
    assert shop.script.results == [("c1", "1", "success"), ("c2", INTERRUPTED, "interrupted")]


async def test_results_that_come_one_by_one_are_shown_together(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)
    await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c2", "output": 2}], partial=True)
    with pytest.raises(ConflictError, match="the results of c2 have already arrived"):
        await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c2", "output": 3}], partial=True)
    assert len(shop.script.asked) == 1
    await shop.service.submit_tool_results(chat_id, [GOOD], partial=True)
    await shop.runner.run_until_idle()
    assert shop.script.results == [("c1", "1", "success"), ("c2", "2", "success")]


async def test_partial_that_is_no_boolean_is_refused(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await paused(engine, clock)
    with pytest.raises(BadRequestError, match='partial is "yes"; use true or false'):
        await shop.service.submit_tool_results(chat_id, [GOOD], partial="yes")  # type: ignore[arg-type]
