"""Fixtures of the tests of the server: those of chats, on SQLite only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.agent.chat.database import create_tables, open_database
from tests.agent.chat.helpers import Clock

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine


@pytest.fixture
def anyio_backend() -> str:
    """Return the event loop of the tests that are coroutines."""
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of a database."""
    return f"sqlite:///{tmp_path / 'chats.db'}"


@pytest.fixture
async def engine(url: str) -> AsyncIterator[AsyncEngine]:
    """Yield the engine of an empty database with tables."""
    engine = open_database(url)
    await create_tables(engine)
    yield engine
    await engine.dispose()
