"""The model with canned answers: a pydantic-ai model that needs no network and no key.

:mod:`modelcontext_agent.models.canned_answers` has the format of the files.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from modelcontext_agent.models.canned_answers import Attempts, call_id, name_among, with_outputs, words

if TYPE_CHECKING:
    from pydantic_ai.models.function import DeltaToolCalls
    from pydantic_ai.settings import ModelSettings

    from modelcontext_agent.models.canned_answers import CannedAnswer, CannedAnswers, CannedFailure


def canned_model(canned: CannedAnswers, *, settings: ModelSettings | None = None) -> FunctionModel:
    """Return a model that gives the canned answers, streamed or whole.

    A request for which there is no answer raises ``CannedAnswersError``.
    """
    attempts = Attempts()
    name = f"scripted:{canned.file}"

    def next_answer(messages: Sequence[ModelMessage]) -> tuple[int, CannedAnswer, CannedFailure | None]:
        position = sum(isinstance(message, ModelResponse) for message in messages)
        answer = canned.answer(position)
        attempt = attempts.next(_first_message(messages), position) if answer.failures else 0
        return position, answer, answer.failure(attempt)

    async def whole(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        position, answer, failure = next_answer(messages)
        if failure is not None:
            await _fail(failure, name)
        offered = [tool.name for tool in info.function_tools]
        text = with_outputs(answer.text, _outputs(messages))
        await asyncio.sleep(canned.delay)
        parts: list[TextPart | ToolCallPart] = [TextPart(text)] if text else []
        for index, call in enumerate(answer.calls):
            identifier = call_id(call, position, index)
            parts.append(ToolCallPart(name_among(call.tool, offered), call.arguments, identifier))
        return ModelResponse(parts=parts)

    async def streamed(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        position, answer, failure = next_answer(messages)
        if failure is not None:
            for word in words(failure.after):
                yield word
            await _fail(failure, name)
        offered = [tool.name for tool in info.function_tools]
        for word in words(with_outputs(answer.text, _outputs(messages))):
            await asyncio.sleep(canned.delay)
            yield word
        for index, call in enumerate(answer.calls):
            alias = name_among(call.tool, offered)
            yield {index: DeltaToolCall(alias, tool_call_id=call_id(call, position, index))}
            for piece in call.pieces():
                await asyncio.sleep(canned.delay)
                yield {index: DeltaToolCall(json_args=piece)}

    return FunctionModel(whole, stream_function=streamed, model_name=name, settings=settings)


async def _fail(failure: CannedFailure, model: str) -> None:
    if failure.stall:
        await asyncio.Event().wait()
    if failure.status is None:
        raise ModelConnectionError(model, "The connection broke", phase="read")
    body = {"error": {"code": failure.code, "message": failure.message}}
    raise ModelHTTPError(failure.status, model, body, provider_error_code=failure.code, retry_after=failure.retry_after)


def _first_message(messages: Sequence[ModelMessage]) -> str:
    """Return the first words of the person. A step that is tried again may have another conversation id."""
    parts = (part for message in messages if isinstance(message, ModelRequest) for part in message.parts)
    return next((str(part.content) for part in parts if isinstance(part, UserPromptPart)), "")


def _outputs(messages: Sequence[ModelMessage]) -> list[str]:
    """Return the outputs of tools that the newest request carries, as the model reads them."""
    newest = messages[-1]
    if not isinstance(newest, ModelRequest):
        return []
    return [part.model_response_str() for part in newest.parts if isinstance(part, ToolReturnPart)]
