"""The fixture of the tests of webhooks."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from packages.agent.tests.webhooks.receiver import Receiver


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Yield a receiver that listens on the loopback interface."""
    async with Receiver().listening() as receiver:
        yield receiver
