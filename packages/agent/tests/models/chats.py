"""Steps of a chat for the tests of models: a page's tools, through a fake provider of each kind."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ExternalToolset
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.tools import ToolDefinition

from modelcontext_agent.models.canned_answers import canned_answers_of
from modelcontext_agent.models.fakes import FakeProvider, fake_provider
from modelcontext_agent.models.model_names import build_model

if TYPE_CHECKING:
    from pydantic_ai.models import Model

KINDS = ("anthropic", "openai", "openai-responses", "google")

ORDER = ToolDefinition(
    name="order",
    description="Order a pizza.",
    parameters_json_schema={"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]},
)


@dataclass
class Step:
    """The end of a step, with what streamed before it."""

    output: str | DeferredToolRequests
    history: list[ModelMessage]
    texts: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    def stored(self) -> list[ModelMessage]:
        """Return the history after it has been JSON."""
        return ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(self.history))


@asynccontextmanager
async def chat_with(
    kind: str, answers: Sequence[dict[str, Any]], *, startup_timeout: float = 60.0, store: bool = True
) -> AsyncGenerator[tuple[FakeProvider, Model]]:
    """Serve a fake provider with these answers, and build the model that talks to it."""
    async with fake_provider(kind, canned_answers_of({"answers": list(answers)})) as fake:
        model = build_model(
            f"{kind}:fake-1", base_url=fake.base_url, api_key="k", startup_timeout=startup_timeout, store=store
        )
        async with model:
            yield fake, model


async def step(
    model: Model,
    prompt: str | None = None,
    *,
    history: Sequence[ModelMessage] = (),
    results: dict[str, Any] | None = None,
    tools: Sequence[ToolDefinition] = (ORDER,),
) -> Step:
    """Run an agent until it ends or pauses for the page."""
    toolsets = [ExternalToolset[None](list(tools))] if tools else []
    agent = Agent(model, output_type=[str, DeferredToolRequests], toolsets=toolsets, instructions="Be brief.")
    given = None if results is None else DeferredToolResults(calls=results)
    texts: list[str] = []
    arguments: list[str] = []
    async with agent.run_stream_events(prompt, message_history=list(history), deferred_tool_results=given) as stream:
        async for event in stream:
            match event:
                case (
                    PartStartEvent(part=TextPart(content=text))
                    | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
                ):
                    texts.append(text)
                case (
                    PartStartEvent(part=ToolCallPart(args=args))
                    | PartDeltaEvent(delta=ToolCallPartDelta(args_delta=args))
                ):
                    arguments.append(args if isinstance(args, str) else json.dumps(args))
                case AgentRunResultEvent(result=result):
                    return Step(result.output, result.all_messages(), texts, arguments)
    raise AssertionError("the run has no result")
