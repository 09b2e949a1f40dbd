"""Fixtures of the tests of the server: those of chats, on SQLite only."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of a database."""
    return f"sqlite:///{tmp_path / 'chats.db'}"
