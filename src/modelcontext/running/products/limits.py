"""Limits of time for work in a browser, which may be gone without a word."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

# Seconds that closing may take, also where something hangs.
CLOSING = 5.0
# Seconds between two attempts to cancel a task.
_GRACE = 1.0

T = TypeVar("T")


async def within(seconds: float, work: Awaitable[T]) -> T:
    """Return the result of work that ends in time.

    Unlike ``asyncio.timeout``, this ends where Playwright waits for a browser that is gone.

    Raises:
        TimeoutError: if the work is not done after some seconds. It is cancelled then.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        await end([task])


async def end(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel tasks, and return when all have ended, however they end.

    A call of Playwright that is cancelled asks its driver to give up, and waits for the answer. There is none if the browser
    is gone: a second cancellation ends the wait.
    """
    left = set(tasks)
    try:
        while left:
            _cancel(left)
            done, left = await asyncio.wait(left, timeout=_GRACE)
            for task in done:
                if not task.cancelled():
                    # An exception that nobody has looked at would be logged.
                    task.exception()
    except asyncio.CancelledError:
        # The caller cannot wait, but the tasks end all the same.
        _cancel(left)
        raise


def _cancel(tasks: Iterable[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()


async def closes(closing: Coroutine[Any, Any, None]) -> bool:
    """Close something, and return whether that succeeds in time."""
    with suppress(Exception):
        await within(CLOSING, closing)
        return True
    return False
