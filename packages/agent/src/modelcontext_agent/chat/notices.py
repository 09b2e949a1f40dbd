"""Notices in one process that a chat changed. They only spare a wait: other processes read the database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

#: Some chat is pending.
PENDING = "pending"


def events_of(chat_id: str) -> str:
    """Return the topic of a chat's events."""
    return f"events of {chat_id}"


def interrupt_of(chat_id: str) -> str:
    """Return the topic of a chat's interruption."""
    return f"interrupt of {chat_id}"


class Notices:
    """The listeners of a process, by topic. A chat without a listener costs nothing."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Event]] = {}
        self._told = 0
        self._reads: dict[Hashable, asyncio.Future[Any]] = {}

    @contextmanager
    def listen(self, topic: str) -> Iterator[asyncio.Event]:
        """Give an event that is set at every notice of the topic. The listener clears it before it reads the database."""
        event = asyncio.Event()
        listeners = self._listeners.setdefault(topic, set())
        listeners.add(event)
        try:
            yield event
        finally:
            listeners.discard(event)
            if not listeners:
                self._listeners.pop(topic, None)

    def tell(self, topic: str) -> None:
        """Tell the listeners of the topic."""
        self._told += 1
        for event in self._listeners.get(topic, ()):
            event.set()

    async def read_once(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Read the database once for all listeners that ask for the same, and return what was found.

        A read that began before the last notice is not shared: it may have missed what the notice is about.
        """
        now = (key, self._told)
        reading = self._reads.get(now)
        if reading is None:
            reading = self._reads[now] = asyncio.ensure_future(read())
            reading.add_done_callback(lambda done: self._forget(now, done))
        # A listener that goes away leaves the read to the others.
        return await asyncio.shield(reading)

    async def close(self) -> None:
        """Wait until the reads are done that their listeners have left behind.

        A pool of connections that ends before them loses theirs without closing them.
        """
        if self._reads:
            await asyncio.wait(self._reads.values())

    def _forget(self, key: Hashable, done: asyncio.Future[Any]) -> None:
        self._reads.pop(key, None)
        if not done.cancelled():
            # Every listener may have gone; nobody else would look at an error then.
            done.exception()


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait until ``event`` is set, at most ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
