"""The configuration of chats: limits, built-in tools, and what other parts plug in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from modelcontext_agent.models.retries import RetryPolicy

if TYPE_CHECKING:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.toolsets import AbstractToolset

    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.chat.hooks import EventReceiver, StepContext


def asks_first(tool: PageTool) -> bool:
    """Return whether a call of ``tool`` needs a person's approval: when the page says that the tool is consequential."""
    return tool.hints.consequential


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """The limits of chats, and what runs in their steps."""

    #: The time that the page, or a person who approves, has for an answer.
    deadline: timedelta = timedelta(minutes=5)
    #: The most dynamic tools of a chat.
    max_tools: int = 250
    #: The most bytes of JSON: of a chat's tools, of the results of one request; and the most characters of a message.
    max_tools_bytes: int = 1_000_000
    max_results_bytes: int = 20_000_000
    max_message_characters: int = 200_000
    #: The most messages that wait in a chat's queue.
    max_queue: int = 20
    #: The most steps with tool calls in one turn.
    max_rounds: int = 5
    #: The time that a built-in tool has.
    tool_timeout: timedelta = timedelta(seconds=30)
    #: Built-in tools, and the names of all of them, those of capabilities too.
    toolsets: Sequence[AbstractToolset[StepContext]] = ()
    builtin_names: frozenset[str] = frozenset()
    capabilities: Sequence[AbstractCapability[StepContext]] = ()
    model_settings: Any = None
    #: What the model of each chat is told before what the chat's client says.
    instructions: str = ""
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    needs_approval: Callable[[PageTool], bool] = asks_first
    receivers: Sequence[EventReceiver] = ()
