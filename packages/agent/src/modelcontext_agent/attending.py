"""The page beside a server of chats: chats whose clients bring no tools have this page's, and it answers their calls.

After a restart the chats under way are attended again. A call of a document that is still there runs; all others end at once
with words that say so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from modelcontext_agent.chat.chat_errors import BadRequestError, TooLargeError
from modelcontext_agent.client import PageClient
from modelcontext_agent.pages.endings import page_lost

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding, PageTool
    from modelcontext_agent.chat.following import ChatEventMessage
    from modelcontext_agent.client import Chats
    from modelcontext_agent.pages.contract import AgentPage, CallResult

_logger = logging.getLogger(__name__)


class NoPage:
    """A page that is not there: it has no tools, and every call of it ends at once."""

    is_seen = False

    async def tools(self) -> Sequence[PageTool]:
        """Return no tools."""
        return ()

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        """Return the end of a call that cannot run."""
        return page_lost(name, "no page is connected to the server", began=False)

    def on_change(self, listener: Callable[[], None]) -> None:
        """Nothing changes."""

    async def close(self) -> None:
        """Nothing is open."""


class Attendant:
    """An attendant of chats, and an asynchronous context manager, at whose end the calls in pages are aborted.

    Args:
        chats: the chats.
        pages: returns the pages that are there now, the one that new chats have first.
        call_limit: the time that a call in a page has.
    """

    def __init__(
        self,
        chats: Chats,
        pages: Callable[[], Sequence[AgentPage]],
        *,
        call_limit: timedelta = timedelta(seconds=30),
    ) -> None:
        self._call_limit = call_limit
        self._chats = chats
        self._pages = pages
        self._clients: dict[AgentPage, PageClient] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def answered(self) -> None:
        """Wait until no call in a page is being answered."""
        await asyncio.gather(*(client.answered() for client in self._clients.values()))

    async def tools(self) -> list[dict[str, Any]]:
        """Return the tools that the page offers now."""
        pages = self._pages()
        return [tool.to_json() for tool in await pages[0].tools()] if pages else []

    def attend(self, chat_id: str) -> None:
        """Answer the calls of a chat in its page, or in the one that new chats have, until the attendant ends."""
        if chat_id not in self._tasks:
            task = self._tasks[chat_id] = asyncio.create_task(self._attend(chat_id))
            task.add_done_callback(lambda task: self._note_end(chat_id, task))

    async def attend_again(self, chat_id: str) -> None:
        """Answer the calls of a chat from before, and let the chat know the tools that its page offers now."""
        if chat_id in self._tasks:
            return
        page = await self._page_of(await self._chats.chat(chat_id))
        if page is not None:
            try:
                await self._chats.set_tools(chat_id, [tool.to_json() for tool in await page.tools()])
            except (BadRequestError, TooLargeError) as error:
                _logger.warning("the chat %s does not take the tools of the page: %s", chat_id, error)
        self.attend(chat_id)

    async def _attend(self, chat_id: str) -> None:
        page = await self._page_of(await self._chats.chat(chat_id))
        if page is None:
            # A later message of the chat may find a page.
            await PageClient(NoPage(), self._chats).attend(chat_id, until=_is_done)
            return
        client = self._clients.get(page)
        if client is None:
            client = self._clients[page] = PageClient(page, self._chats, call_limit=self._call_limit)
        await client.attend(chat_id)

    async def _page_of(self, chat: dict[str, Any]) -> AgentPage | None:
        pages = self._pages()
        documents = {tool["document"] for tool in chat["tools"]}
        for page in pages if len(pages) > 1 else ():
            if documents & {tool.document for tool in await page.tools()}:
                return page
        return pages[0] if pages else None

    def _note_end(self, chat_id: str, task: asyncio.Task[None]) -> None:
        del self._tasks[chat_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            _logger.error("a page no longer answers the calls of its chat", exc_info=error)


def _is_done(event: ChatEventMessage) -> bool:
    return event.type == "done"
