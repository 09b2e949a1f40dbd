"""The places where other parts join in: the context of a step, and receivers of events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.ext.asyncio import AsyncConnection

    from modelcontext.judging.clients.page_tools import PageTool


@dataclass(frozen=True, slots=True)
class ChatEventRecord:
    """An event of a chat as it is stored: numbered from 1 in its chat, without gaps."""

    chat_id: str
    id: int
    type: str
    data: Any
    created_at: datetime


#: A receiver of events. It runs in the transaction that stores them, so that an outbox has each of them or none.
EventReceiver = Callable[["AsyncConnection", Sequence[ChatEventRecord]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class StepContext:
    """The step that runs: the ``deps`` of the model's run, for capabilities and built-in tools.

    ``turn`` counts the messages that were answered, ``step`` the steps of the chat, ``rounds`` the steps of this turn that
    called tools, and ``attempt`` the failed attempts at this step. ``child`` is true if another chat asked for this one.
    """

    chat_id: str
    child: bool
    turn: int
    step: int
    rounds: int
    attempt: int
    #: The page's tools by alias.
    tools: Mapping[str, PageTool]
    #: Stores an event of the chat, in order, with what streams.
    emit: Callable[[str, Mapping[str, Any]], None]
    now: Callable[[], datetime]
