"""Pages that cannot be used: their server answered with an error, or their browser has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence


class BrokenPageError(Exception):
    """Raised where a page cannot be used; the message says why."""


async def run_unless_lost(work: Awaitable[None], losses: Sequence[Awaitable[str]]) -> None:
    """Do ``work``, and stop it when a page is lost.

    Args:
        work: what is done; it is cancelled when a page is lost.
        losses: the ends of waits for the loss of each page, with the reason in words.

    Raises:
        BrokenPageError: if a page is lost.
    """
    working = asyncio.ensure_future(work)
    losing = [asyncio.ensure_future(loss) for loss in losses]
    try:
        await asyncio.wait([working, *losing], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
    finally:
        for task in (working, *losing):
            task.cancel()
        await asyncio.wait([working, *losing])
    raise BrokenPageError(next(task.result() for task in losing if not task.cancelled()))
