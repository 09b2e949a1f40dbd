"""The four adapters against fake providers that speak the real streaming formats: page calls, pauses, images, errors."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import httpx2
import pytest
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import ModelAPIError, ModelRequestTimeout, UserError
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.native_tools import WebSearchTool

from modelcontext_agent.models.model_names import MissingKeyError, NativeToolsError, build_model, refuse_native_tools
from modelcontext_agent.models.provider_errors import ErrorKind, classify
from packages.agent.tests.models.chats import KINDS, chat_with, step

CALL = {"text": "I order one for you.", "calls": [{"tool": "order", "arguments": {"size": 30, "note": "no Ünions"}}]}
#: A red pixel.
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")

PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/chat/completions",
    "openai-responses": "/responses",
    "google": "/v1beta/models/m:streamGenerateContent?alt=sse",
}

every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_page_call_pauses_is_stored_as_json_and_is_resumed(kind: str) -> None:
    async def run() -> None:
        async with chat_with(kind, [CALL, {"text": "The page says: {outputs}"}]) as (fake, model):
            paused = await step(model, "A pizza, please")
            assert isinstance(paused.output, DeferredToolRequests)
            [call] = paused.output.calls
            assert (call.tool_name, call.args_as_dict()) == ("order", {"size": 30, "note": "no Ünions"})
            ended = await step(model, history=paused.stored(), results={call.tool_call_id: "in 20 minutes"})
            assert ended.output == "The page says: in 20 minutes"
            assert len(fake.requests) == 2

    asyncio.run(run())


@every_kind
def test_text_streams_in_pieces_and_arguments_are_assembled(kind: str) -> None:
    async def run() -> None:
        async with chat_with(kind, [CALL]) as (_, model):
            paused = await step(model, "A pizza, please")
            assert paused.texts == ["I ", "order ", "one ", "for ", "you."]
            assert isinstance(paused.output, DeferredToolRequests)
            assert paused.output.calls[0].args_as_dict() == {"size": 30, "note": "no Ünions"}
            # Gemini sends each call whole.
            assert len([piece for piece in paused.arguments if piece]) >= (1 if kind == "google" else 5)

    asyncio.run(run())


@every_kind
def test_two_calls_of_one_answer_keep_their_order_and_their_arguments(kind: str) -> None:
    calls = [{"tool": "order", "arguments": {"size": size}, "id": f"call_{size}"} for size in (30, 20)]

    async def run() -> None:
        async with chat_with(kind, [{"calls": calls}, {"text": "{outputs}"}]) as (_, model):
            paused = await step(model, "Two pizzas")
            assert isinstance(paused.output, DeferredToolRequests)
            found = [(call.tool_call_id, call.args_as_dict()) for call in paused.output.calls]
            assert found == [("call_30", {"size": 30}), ("call_20", {"size": 20})]
            results = {"call_20": "small", "call_30": "large"}
            assert (await step(model, history=paused.stored(), results=results)).output == "large, small"

    asyncio.run(run())


@every_kind
def test_chat_without_tools_sends_none_and_streams_its_text(kind: str) -> None:
    async def run() -> None:
        async with chat_with(kind, [{"text": "Hello you."}]) as (fake, model):
            ended = await step(model, "Hello", tools=())
            assert (ended.output, ended.texts, ended.arguments) == ("Hello you.", ["Hello ", "you."], [])
            assert "tools" not in fake.requests[0]

    asyncio.run(run())


@every_kind
def test_answer_that_does_not_stream_is_the_same(kind: str) -> None:
    async def run() -> Any:
        async with chat_with(kind, [CALL, {"text": "The page says: {outputs}"}]) as (_, model):
            agent = Agent(model)
            agent.tool_plain(order)
            return (await agent.run("A pizza, please")).output

    def order(size: int, note: str) -> str:
        return f"{size} {note}"

    assert asyncio.run(run()) == "The page says: 30 no Ünions"


@every_kind
def test_results_for_calls_that_nobody_made_are_refused(kind: str) -> None:
    async def run() -> None:
        async with chat_with(kind, [CALL, {"text": "Done."}]) as (fake, model):
            paused = await step(model, "A pizza, please")
            with pytest.raises(UserError, match="all deferred tool calls"):
                await step(model, history=paused.stored(), results={"call_of_nobody": 1})
            assert len(fake.requests) == 1

    asyncio.run(run())


@every_kind
def test_request_without_the_results_of_calls_is_refused_by_the_provider(kind: str) -> None:
    """The fakes hold the rule for which interrupted calls get error results."""
    bodies: dict[str, dict[str, Any]] = {
        "anthropic": {
            "messages": [
                {"role": "user", "content": "x"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]},
                {"role": "user", "content": "y"},
            ]
        },
        "openai": {
            "messages": [{"role": "assistant", "tool_calls": [{"id": "a"}]}, {"role": "user", "content": "y"}],
        },
        "openai-responses": {"input": [{"type": "function_call", "call_id": "a"}, {"role": "user", "content": "y"}]},
        "google": {
            "contents": [
                {"role": "model", "parts": [{"functionCall": {"name": "t"}}]},
                {"role": "user", "parts": [{"text": "y"}]},
            ]
        },
    }

    async def run() -> None:
        async with chat_with(kind, [CALL]) as (fake, _), httpx2.AsyncClient() as client:
            answer = await client.post(fake.base_url + PATHS[kind], json={"model": "m", **bodies[kind]})
            assert answer.status_code == 400
            assert "tool" in answer.text or "function response" in answer.text

    asyncio.run(run())


def images_in(kind: str, body: dict[str, Any]) -> list[str]:
    """Return the base64 text of all images in a request, from where the provider reads images and nothing else."""
    found = []

    def visit(value: Any) -> None:
        if isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, dict):
            match value:
                case {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}:
                    found.append((kind == "anthropic", data))
                case {"type": "image_url", "image_url": {"url": url}}:
                    found.append((kind == "openai", url.removeprefix("data:image/png;base64,")))
                case {"type": "input_image", "image_url": url}:
                    found.append((kind == "openai-responses", url.removeprefix("data:image/png;base64,")))
                case {"inline_data": {"mime_type": "image/png", "data": data}}:
                    found.append((kind == "google", data.replace("-", "+").replace("_", "/")))
            for member in value.values():
                visit(member)

    visit(body)
    assert all(right for right, _ in found)
    return [data for _, data in found]


@every_kind
def test_screenshot_that_was_stored_is_sent_again_as_an_image(kind: str) -> None:
    async def run() -> None:
        screenshot = BinaryContent(data=PIXEL, media_type="image/png")
        async with chat_with(kind, [CALL, {"text": "I see."}, {"text": "I still see."}]) as (fake, model):
            paused = await step(model, "A pizza, please")
            assert isinstance(paused.output, DeferredToolRequests)
            identifier = paused.output.calls[0].tool_call_id
            seen = await step(model, history=paused.stored(), results={identifier: ["The page:", screenshot]})
            again = seen.stored()
            parts = [part for message in again if isinstance(message, ModelRequest) for part in message.parts]
            [returned] = [part for part in parts if isinstance(part, ToolReturnPart)]
            assert [file.data for file in returned.files if isinstance(file, BinaryContent)] == [PIXEL]
            for message in again:
                if isinstance(message, ModelResponse):
                    # Without a chain everything is sent.
                    message.provider_response_id = None
            await step(model, "And now?", history=again)
            encoded = base64.b64encode(PIXEL).decode()
            for body in fake.requests[1:]:
                assert images_in(kind, body) == [encoded]
                assert json.dumps(body).count(encoded[:40]) == 1

    asyncio.run(run())


FAILURES: list[tuple[dict[str, Any], ErrorKind, bool, int | None]] = [
    ({"status": 529, "message": "Overloaded"}, ErrorKind.OVERLOADED, True, 529),
    ({"status": 429, "message": "Slow down", "retry_after": 7}, ErrorKind.RATE_LIMIT, True, 429),
    ({"status": 401, "message": "Who are you?"}, ErrorKind.AUTH, False, 401),
    ({"status": 403, "message": "Not you"}, ErrorKind.AUTH, False, 403),
    ({"status": 500, "message": "Oh"}, ErrorKind.GENERIC, True, 500),
    ({"status": 503, "message": "Away"}, ErrorKind.TIMEOUT, True, 503),
    ({"status": 404, "message": "model: fake-1 not found"}, ErrorKind.CONFIG, False, 404),
    ({"status": 400, "message": "No"}, ErrorKind.GENERIC, False, 400),
    ({"disconnect": True}, ErrorKind.TIMEOUT, True, None),
    ({"disconnect": True, "after": "Half an "}, ErrorKind.TIMEOUT, True, None),
]


@every_kind
def test_failures_of_each_provider_have_their_kind_and_no_sdk_retries_them(kind: str) -> None:
    async def run() -> None:
        answers = [{"text": "Done.", "failures": [failure for failure, *_ in FAILURES]}]
        async with chat_with(kind, answers) as (fake, model):
            for count, (failure, *expected) in enumerate(FAILURES, start=1):
                with pytest.raises(ModelAPIError) as caught:
                    await step(model, "Hello")
                found = classify(caught.value, provider=model.system)
                assert [found.kind, found.retryable, found.status_code] == expected
                assert found.retry_after == failure.get("retry_after")
                assert len(fake.requests) == count
            assert (await step(model, "Hello")).output == "Done."

    asyncio.run(run())


@every_kind
def test_error_within_a_stream_has_its_kind(kind: str) -> None:
    failure = {"status": 429, "after": "Half an ", "message": "Rate limit reached"}
    if kind == "openai":
        failure["code"] = "rate_limit_exceeded"

    async def run() -> None:
        async with chat_with(kind, [{"text": "Done.", "failures": [failure]}]) as (_, model):
            with pytest.raises(ModelAPIError) as caught:
                await step(model, "Hello")
            found = classify(caught.value, provider=model.system)
            assert (found.kind, found.retryable) == (ErrorKind.RATE_LIMIT, True)

    asyncio.run(run())


@every_kind
def test_arguments_that_are_not_json_do_not_end_the_stream_with_an_error(kind: str) -> None:
    async def run() -> None:
        async with chat_with(kind, [{"text": "So: ", "calls": [{"tool": "order", "raw_arguments": "{ no"}]}]) as (
            _,
            model,
        ):
            response = await model_request(model, [ModelRequest.user_text_prompt("Hello")])
            calls = [part.args for part in response.parts if isinstance(part, ToolCallPart)]
            # Gemini sends a reason to finish instead of the call.
            assert calls == (
                [] if kind == "google" else [{"INVALID_JSON": "{ no"}] if kind == "anthropic" else ["{ no"]
            )
            streamed = model_request_stream(model, [ModelRequest.user_text_prompt("Hello")])
            async with streamed as stream:
                async for _event in stream:
                    pass
            parts = stream.get().parts
            calls = [part.args for part in parts if isinstance(part, ToolCallPart)]
            assert calls == ([] if kind == "google" else ["{ no"])

    asyncio.run(run())


@every_kind
def test_request_that_is_none_gets_an_error_of_the_provider(kind: str) -> None:
    async def run() -> None:
        async with chat_with(kind, [{"text": "Hello."}]) as (fake, _), httpx2.AsyncClient() as client:
            assert (await client.get(fake.base_url)).status_code == 404
            bodies = [b"", b"[]", b"{}", b'{"messages": 3, "input": 3, "contents": 3}', b"\xff", b"[" * 100_000]
            for body in bodies:
                answer = await client.post(fake.base_url + PATHS[kind], content=body)
                assert answer.status_code == 400
                assert "error" in answer.json()
            assert fake.requests == []

    asyncio.run(run())


@every_kind
def test_stream_that_sends_no_part_ends_at_the_startup_timeout(kind: str) -> None:
    async def run() -> None:
        failures = [{"stall": True}]
        async with chat_with(kind, [{"text": "Done.", "failures": failures}], startup_timeout=0.2) as (_, model):
            with pytest.raises(ModelRequestTimeout) as caught:
                await step(model, "Hello")
            assert classify(caught.value).kind is ErrorKind.STARTUP_TIMEOUT

    asyncio.run(run())


@every_kind
def test_model_without_a_key_is_refused_with_the_variable(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(MissingKeyError, match=r"set [A-Z]+_API_KEY in the environment"):
        build_model(f"{kind}:fake-1")


def test_native_tools_beside_page_tools_are_refused() -> None:
    with pytest.raises(NativeToolsError, match="web_search"):
        refuse_native_tools([WebSearchTool()], ["order"])
    refuse_native_tools([WebSearchTool()], [])
    refuse_native_tools([], ["order"])
