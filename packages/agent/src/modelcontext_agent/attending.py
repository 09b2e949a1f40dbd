"""The page beside a server of chats: chats whose clients bring no tools have this page's, and it answers their calls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from modelcontext_agent.client import PageClient

if TYPE_CHECKING:
    from modelcontext_agent.client import Chats
    from modelcontext_agent.pages.contract import AgentPage

_logger = logging.getLogger(__name__)


class Attendant:
    """An attendant of chats, and an asynchronous context manager, at whose end the calls in pages are aborted.

    Args:
        chats: the chats.
        page: returns the page that new chats have, or None if there is none at the moment.
    """

    def __init__(self, chats: Chats, page: Callable[[], AgentPage | None]) -> None:
        self._chats = chats
        self._page = page
        self._clients: dict[AgentPage, PageClient] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def answered(self) -> None:
        """Wait until no call in a page is being answered."""
        await asyncio.gather(*(client.answered() for client in self._clients.values()))

    async def tools(self) -> list[dict[str, Any]]:
        """Return the tools that the page offers now."""
        page = self._page()
        return [] if page is None else [tool.to_json() for tool in await page.tools()]

    def attend(self, chat_id: str) -> None:
        """Answer the calls of a chat in the page that is there now, until the attendant ends."""
        page = self._page()
        if page is None:
            return
        client = self._clients.setdefault(page, PageClient(page, self._chats))
        task = asyncio.create_task(client.attend(chat_id))
        self._tasks.add(task)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _logger.error("a page no longer answers the calls of its chat", exc_info=error)
