"""The events of a chat as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from sse_starlette import EventSourceResponse, ServerSentEvent

from modelcontext_agent.chat.chat_errors import BadRequestError

if TYPE_CHECKING:
    from modelcontext_agent.chat.service import ChatService


async def send_events(service: ChatService, chat_id: str, given: str) -> EventSourceResponse:
    """Answer with the events after the one that ``Last-Event-ID`` names, and with all that follow.

    Args:
        service: the chats.
        chat_id: the chat.
        given: the value of the header; 0 means all events.

    Raises:
        BadRequestError: if the header names no event.
        NotFoundError: if there is no such chat.
    """
    if not (given.isascii() and given.isdecimal() and len(given) <= 9):
        raise BadRequestError("the header Last-Event-ID is not a number; leave it out to get all events")
    await service.events_after(chat_id, int(given), 1)
    return EventSourceResponse(_events(service, chat_id, int(given)), sep="\n")


async def _events(service: ChatService, chat_id: str, after: int) -> AsyncIterator[ServerSentEvent]:
    async with aclosing(service.events(chat_id, after)) as found:
        async for event in found:
            # What is announced again has no id of its own, so that the client's last id stays.
            id = str(event.id) if event.is_stored else None
            yield ServerSentEvent(data=json.dumps(event.data, ensure_ascii=False), event=event.type, id=id)
            # Events that are there already come without a wait, in which the server would notice that the client has left.
            await asyncio.sleep(0)
