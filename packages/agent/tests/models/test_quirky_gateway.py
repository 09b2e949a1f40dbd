"""Streams with mixed quirks, on four adapters: the calls that are meant are understood, each once."""

from __future__ import annotations

import asyncio
import json
import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from modelcontext_agent.loopback import listen, serving
from modelcontext_agent.models.fakes.fake_server import WIRES
from modelcontext_agent.models.fakes.openai_chat import OpenAIChatWire
from modelcontext_agent.models.fakes.quirks import QUIRKS, StreamQuirk, in_order, mixed, quirks_of, rewritten
from modelcontext_agent.models.fakes.quirky_gateway import QuirkyGateway
from modelcontext_agent.models.fakes.wire import Said, SaidCall
from modelcontext_agent.models.model_names import build_model
from modelcontext_agent.models.stored_answers import BrokenAnswerError, check_whole, repaired
from packages.agent.tests.models.chats import KINDS, ORDER
from packages.agent.tests.models.test_gateways import joined

if TYPE_CHECKING:
    from pydantic_ai.models import Model

#: Names and arguments of two calls.
MEANT = (
    (("add", "list"), ('{"size": 30}', '{"table": "text 1"}')),
    (("add", "list"), ('{"size": 30}', "{}")),
    (("add", "add"), ('{"a": {"b": 1}}', '{"size": 31}')),
)
#: The streams of a format.
STREAMS = 20
CALL = ToolDefinition(
    name="call_a_waiter",
    description="Call a waiter.",
    parameters_json_schema={"type": "object", "properties": {"table": {"type": "string"}}},
)


async def converse(model: Model) -> tuple[int, str]:
    """Let a model call, answer the calls, and return their number with the last words."""
    messages: list[ModelMessage] = [ModelRequest.user_text_prompt("Please.")]
    answer = await answered(model, messages)
    # As a step of a chat does it.
    check_whole(answer)
    answer = repaired(answer, messages)
    results = [ToolReturnPart(call.tool_name, "done", call.tool_call_id) for call in answer.tool_calls]
    last = await answered(model, [*messages, answer, ModelRequest(parts=results)])
    return len(results), last.text or ""


async def answered(model: Model, messages: list[ModelMessage]) -> ModelResponse:
    parameters = ModelRequestParameters(function_tools=[ORDER, CALL])
    async with model_request_stream(model, messages, model_request_parameters=parameters) as stream:
        async for _ in stream:
            pass
        return stream.get()


def arguments(schema: Any) -> Any:
    return {"size": 30} if "size" in schema.get("properties", {}) else {}


@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_streams_with_mixed_quirks_are_understood_as_they_are_meant(kind: str) -> None:
    chance = random.Random(kind)
    mixtures = [[quirk] for quirk in quirks_of(kind)]
    mixtures += [mixed(kind, chance) for _ in range(STREAMS - len(mixtures))]
    gateway = QuirkyGateway(WIRES[kind](), mixtures, arguments)

    async def run() -> None:
        async with serving(gateway, listen(0)) as address:
            model = build_model(f"{kind}:fake-1", base_url=f"{address}{gateway.wire.base}", api_key="k")
            async with model:
                for number, mixture in enumerate(mixtures):
                    names = [quirk.name for quirk in mixture]
                    if all(quirk.is_whole for quirk in mixture):
                        count, words = await converse(model)
                        assert (count, words) == (2, "Done."), names
                        assert gateway.streams[number].problem == "", names
                    else:
                        with pytest.raises(BrokenAnswerError):
                            await converse(model)
                        assert gateway.streams[number].problem is None, names

    asyncio.run(run())
    assert len(gateway.streams) == STREAMS


def test_every_mixture_of_quirks_of_chat_completions_is_put_in_order() -> None:
    groups: dict[str, list[StreamQuirk | None]] = {}
    for quirk in quirks_of("openai"):
        groups.setdefault(quirk.group, [None]).append(quirk)
    mixtures = [in_order([quirk for quirk in chosen if quirk]) for chosen in product(*groups.values())]
    for mixture, (names, texts) in product(mixtures, MEANT):
        calls = [
            SaidCall(f"c{place}", name, (text[:7], text[7:]))
            for place, (name, text) in enumerate(zip(names, texts, strict=True))
        ]
        stream = OpenAIChatWire().streamed(Said(("So.",), tuple(calls)), {"model": "m"})
        chunks = [json.loads(text[6:]) for text in rewritten(stream, mixture, "openai") if "tool_calls" in text]
        deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
        pieces = [piece for delta in deltas for piece in delta.get("tool_calls", ())]
        found = joined(
            *(
                (one["index"], one.get("id"), one["function"].get("name"), one["function"]["arguments"])
                for one in pieces
            )
        )
        answer = repaired(ModelResponse(parts=[ToolCallPart(name, text, id_) for id_, name, text in found]), [])
        understood = [(part.tool_name, part.args_as_dict()) for part in answer.tool_calls]
        assert understood == [(call.name, call.members) for call in calls], [quirk.name for quirk in mixture]
    assert len(mixtures) == 4 * 3 * 3 * 3 * 3


def test_every_format_has_quirks() -> None:
    assert {kind for quirk in QUIRKS for kind in quirk.kinds} == set(KINDS)
