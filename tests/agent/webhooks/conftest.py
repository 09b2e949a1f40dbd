"""The fixtures of the tests of webhooks: those of chats, and a receiver."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.agent.chat.conftest import anyio_backend, clock, engine, postgres, url
from tests.agent.webhooks.receiver import Receiver

__all__ = ["anyio_backend", "clock", "engine", "postgres", "receiver", "url"]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Yield a receiver that listens on the loopback interface."""
    async with Receiver().listening() as receiver:
        yield receiver
