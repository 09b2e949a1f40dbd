"""The events of a chat as they come, for who listens in this process."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from modelcontext_agent.chat.notices import Notices, events_of, wait_for

if TYPE_CHECKING:
    from modelcontext_agent.chat.hooks import ChatEventRecord

#: The seconds between two looks at what other processes stored. Events of this process are told at once.
POLL = 2.0
#: The events that are read at once.
_MOST = 500


@dataclass(frozen=True, slots=True)
class ChatEventMessage:
    """An event of a chat for a listener. ``is_stored`` is false for what is announced again, which has the id before it."""

    type: str
    data: Any
    id: int
    is_stored: bool = True


class Followed(Protocol):
    """The service of the chats, as far as a listener needs it."""

    notices: Notices

    async def chat(self, chat_id: str) -> dict[str, Any]:
        """Return a chat."""

    async def events_after(self, chat_id: str, last_id: int = 0, limit: int = 1000) -> Sequence[ChatEventRecord]:
        """Return events that are stored."""


async def follow(service: Followed, chat_id: str, after: int) -> AsyncGenerator[ChatEventMessage, None]:
    """Yield the events after the id ``after``, without an end.

    A listener that comes when the chat waits for the page, or for approvals, is told so again.

    Raises:
        NotFoundError: if there is no such chat.
    """
    told: list[Any] = []
    is_new = True
    with service.notices.listen(events_of(chat_id)) as notice:
        while True:
            notice.clear()
            read = partial(service.events_after, chat_id, after, _MOST)
            found = await service.notices.read_once((chat_id, after), read)
            for event in found:
                after = event.id
                told.append({"type": event.type, **event.data} if is_new else None)
                yield ChatEventMessage(event.type, event.data, event.id)
            if found:
                continue
            if is_new:
                # A read that is cancelled half-way costs its connection.
                chat = await service.notices.read_once(chat_id, partial(service.chat, chat_id))
                if chat["last_event"] > after:
                    continue
                for waits_for in chat["waits_for"]:
                    if waits_for not in told:
                        data = {name: value for name, value in waits_for.items() if name != "type"}
                        yield ChatEventMessage(waits_for["type"], data, after, is_stored=False)
                is_new = False
                told.clear()
            await wait_for(notice, POLL)
