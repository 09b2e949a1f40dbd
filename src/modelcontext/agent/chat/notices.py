"""Notices in one process that a chat changed. They only spare a wait: other processes read the database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

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
        for event in self._listeners.get(topic, ()):
            event.set()


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait until ``event`` is set, at most ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
