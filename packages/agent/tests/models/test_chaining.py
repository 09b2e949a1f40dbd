"""Response chaining with OpenAI's Responses: only what is new is sent, and everything where the chain is broken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic_ai import DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse

from modelcontext_agent.models.fakes.openai_responses import OpenAIResponsesWire
from packages.agent.tests.models.chats import chat_with, step

if TYPE_CHECKING:
    from modelcontext_agent.models.fakes.fake_server import FakeProvider

ANSWERS: list[dict[str, Any]] = [
    {"text": "First."},
    {"calls": [{"tool": "order", "arguments": {"size": 30}}]},
    {"text": "The page says: {outputs}"},
    {"text": "Fourth."},
]


def kinds_of(body: dict[str, Any]) -> list[str]:
    """Return the role or the type of each item that a request sends."""
    return [item.get("role") or item["type"] for item in body["input"]]


def forget(fake: FakeProvider) -> None:
    """Let the provider lose all stored answers."""
    assert isinstance(fake.wire, OpenAIResponsesWire)
    fake.wire.stored.clear()


def test_request_after_a_stored_answer_sends_instructions_and_new_items_only() -> None:
    async def run() -> None:
        async with chat_with("openai-responses", ANSWERS) as (fake, model):
            first = await step(model, "One")
            paused = await step(model, "Two", history=first.stored())
            assert isinstance(paused.output, DeferredToolRequests)
            [call] = paused.output.calls
            third = await step(model, history=paused.stored(), results={call.tool_call_id: "hot"})
            assert third.output == "The page says: hot"
            fourth = await step(model, "Four", history=third.stored())
            assert fourth.output == "Fourth."
            assert [kinds_of(body) for body in fake.requests] == [
                ["user"],
                ["user"],
                ["function_call_output"],
                ["user"],
            ]
            assert [body.get("previous_response_id") is not None for body in fake.requests] == [False, True, True, True]
            assert all("Be brief." in body["instructions"] for body in fake.requests)

    asyncio.run(run())


async def request_after(
    history_of: Callable[[list[ModelMessage]], list[ModelMessage]], *, lose: bool = False, store: bool = True
) -> list[dict[str, Any]]:
    """Return the requests that follow one turn, whose history is changed before."""
    async with chat_with("openai-responses", ANSWERS, store=store) as (fake, model):
        first = await step(model, "One")
        if lose:
            forget(fake)
        ended = await step(model, "Two", history=history_of(first.stored()))
        assert isinstance(ended.output, DeferredToolRequests)
        return fake.requests[1:]


def same(history: list[ModelMessage]) -> list[ModelMessage]:
    return history


def assert_everything_is_sent(requests: list[dict[str, Any]]) -> None:
    [body] = requests
    assert kinds_of(body) == ["user", "assistant", "user"]
    assert "previous_response_id" not in body


def test_answers_that_are_not_stored_are_sent_again() -> None:
    assert_everything_is_sent(asyncio.run(request_after(same, store=False)))


def test_answer_without_an_id_is_sent_again() -> None:
    def without_ids(history: list[ModelMessage]) -> list[ModelMessage]:
        for message in history:
            if isinstance(message, ModelResponse):
                message.provider_response_id = None
        return history

    assert_everything_is_sent(asyncio.run(request_after(without_ids)))


def test_answer_that_the_provider_has_not_found_is_sent_again() -> None:
    assert_everything_is_sent(asyncio.run(request_after(same, lose=True)))


def test_history_that_has_changed_since_is_sent_again() -> None:
    def edited(history: list[ModelMessage]) -> list[ModelMessage]:
        return [ModelRequest.user_text_prompt("Another question", instructions="Be brief."), *history[1:]]

    assert_everything_is_sent(asyncio.run(request_after(edited)))
