"""Answers of models as a chat stores them: whole, with ids that are unique in the chat, with arguments encoded once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart

from modelcontext_agent.strict_json import json_value

# The beginning of the ids that pydantic-ai gives to calls without one.
_MADE_HERE = "pyd_ai_"


class BrokenAnswerError(ModelAPIError):
    """An answer with calls has broken off: the provider did not say that it ends. None of its calls runs."""

    def __init__(self, model_name: str) -> None:
        super().__init__(model_name, "The stream ended without saying that the answer is complete.")


def check_whole(response: ModelResponse) -> None:
    """Check that an answer with calls has its end.

    Raises:
        BrokenAnswerError: if it has none, or ended with an error.
    """
    if response.tool_calls and response.finish_reason in (None, "error"):
        raise BrokenAnswerError(response.model_name or "the model")


def repaired(response: ModelResponse, history: Iterable[ModelMessage]) -> ModelResponse:
    """Return an answer whose calls have ids that no other call of the chat has, and arguments that are encoded once.

    Some providers refuse a conversation in which two calls have one id.
    """
    taken = {
        part.tool_call_id for message in history if isinstance(message, ModelResponse) for part in message.tool_calls
    }
    parts = list(response.parts)
    renamed = False
    for index, part in enumerate(parts):
        if not isinstance(part, ToolCallPart):
            continue
        own = part.tool_call_id if part.tool_call_id not in taken else new_id(part.tool_call_id, taken)
        taken.add(own)
        renamed = renamed or own != part.tool_call_id or own.startswith(_MADE_HERE)
        parts[index] = replace(part, tool_call_id=own, args=_encoded_once(part.args))
    # A provider that continues its stored answer would look for the ids that it gave.
    kept = None if renamed else response.provider_response_id
    return replace(response, parts=parts, provider_response_id=kept)


def new_id(given: str, taken: Collection[str]) -> str:
    """Return an id like the given one that is not taken."""
    stem, number = given or "call", 1 if not given else 2
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def _encoded_once(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        value = json_value(arguments)
        inner = json_value(value) if isinstance(value, str) else None
    except ValueError:
        return arguments
    return json.dumps(inner, ensure_ascii=False) if isinstance(inner, dict) else arguments
