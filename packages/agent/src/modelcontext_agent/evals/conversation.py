"""The messages of an evaluation as a model gets them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, groupby
from typing import TYPE_CHECKING

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from modelcontext_agent.evals.eval_files import Message, MessageType
from modelcontext_agent.exposure.framing import frame_output

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool


def messages_of(messages: Iterable[Message], tools: Mapping[str, PageTool]) -> list[ModelMessage]:
    """Return the messages before the model's answer; what one side says in a row is one message.

    Args:
        messages: the evaluation's messages, each response after its call.
        tools: the tools that are offered now, by alias. A call of another tool keeps its name.
    """
    aliases = {tool.name: alias for alias, tool in reversed(list(tools.items()))}
    # The ids of the calls without a response yet, by the tool's name.
    open_ids = defaultdict[str, list[str]](list)
    numbers = count(1)
    found: list[ModelMessage] = []
    for role, group in groupby(messages, key=lambda message: message.role):
        said: list[ModelResponsePart] = []
        heard: list[ModelRequestPart] = []
        for message in group:
            alias = aliases.get(message.text, message.text)
            if message.type is MessageType.CALL:
                said.append(call := ToolCallPart(alias, message.value, f"eval_{next(numbers)}"))
                open_ids[message.text].append(call.tool_call_id)
            elif message.type is MessageType.RESPONSE:
                tool = tools.get(alias)
                content = message.value if tool is None else frame_output(tool, message.value)
                heard.append(ToolReturnPart(alias, content, open_ids[message.text].pop(0)))
            elif role == "model":
                said.append(TextPart(message.text))
            else:
                heard.append(UserPromptPart(message.text))
        found.append(ModelResponse(parts=said) if role == "model" else ModelRequest(parts=heard))
    return found


def answers_in(messages: Sequence[ModelMessage]) -> int:
    """Return the number of answers of the model."""
    return sum(isinstance(message, ModelResponse) for message in messages)
