"""The events of a chat as server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from sse_starlette import EventSourceResponse, ServerSentEvent

from modelcontext.agent.chat.errors import BadRequestError
from modelcontext.agent.chat.notices import events_of, wait_for

if TYPE_CHECKING:
    from starlette.requests import Request

    from modelcontext.agent.chat.service import ChatService

#: The seconds between two looks at what other processes stored. Events of this process are sent at once.
POLL = 2.0
#: The events that are read at once.
_PAGE = 500


async def send_events(service: ChatService, request: Request) -> EventSourceResponse:
    """Answer with the events after the one that ``Last-Event-ID`` names (or ``after`` in the query), and all that follow.

    Raises:
        BadRequestError: if the id is none.
        NotFoundError: if there is no such chat.
    """
    chat_id = request.path_params["chat_id"]
    given = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (given.isascii() and given.isdecimal() and len(given) <= 9):
        raise BadRequestError("the id of the last event is no number; leave it out to get all events")
    await service.events_after(chat_id, int(given), 1)
    return EventSourceResponse(events(service, chat_id, int(given)), sep="\n")


async def events(service: ChatService, chat_id: str, last_id: int) -> AsyncIterator[ServerSentEvent]:
    """Yield the events after ``last_id``, without an end.

    A client that comes when the chat waits for the page, or for approvals, is told so again, by an event without an id.
    """
    told: list[dict[str, Any]] = []
    is_new = True
    with service.notices.listen(events_of(chat_id)) as notice:
        while True:
            notice.clear()
            found = await service.events_after(chat_id, last_id, _PAGE)
            for event in found:
                last_id = event.id
                if event.type in ("action_required", "approval_required"):
                    told.append({"type": event.type, **event.data})
                yield _event(event.type, event.data, str(event.id))
            if found:
                continue
            if is_new:
                chat = await service.chat(chat_id)
                if chat["last_event"] > last_id:
                    continue
                is_new = False
                for waits_for in chat["waits_for"]:
                    if waits_for not in told:
                        yield _event(
                            waits_for["type"], {name: value for name, value in waits_for.items() if name != "type"}
                        )
                told.clear()
            await wait_for(notice, POLL)


def _event(type: str, data: Any, id: str | None = None) -> ServerSentEvent:
    return ServerSentEvent(data=json.dumps(data, ensure_ascii=False), event=type, id=id)
