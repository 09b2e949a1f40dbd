"""Servers that are killed with open calls and approvals, and start again; ``python -m tools.lab kills`` kills fifty."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools.lab.kill_servers import kill_servers

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

KILLS = 3


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
async def test_chats_of_killed_servers_go_on_and_no_call_runs_twice(
    engine: AsyncEngine, url: str, tmp_path: Path
) -> None:
    # What is late on a busy machine is not wrong.
    outcome = await kill_servers(url, tmp_path, kills=KILLS, seed=3)
    assert outcome.problems == []
    assert len(outcome.lives) == KILLS + 1
    assert {life.signal for life in outcome.lives} == {"SIGTERM", "SIGKILL", ""}
    assert any(sum(life.open.values()) for life in outcome.lives)
    assert outcome.ran > 0
