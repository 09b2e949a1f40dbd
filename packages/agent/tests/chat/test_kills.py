"""Tests with workers that are killed: SIGKILL at random moments of a turn with mixed steps."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext_agent.chat.chat_errors import ConflictError
from modelcontext_agent.chat.service import ChatService
from packages.agent.tests.chat.helpers import Clock, page_tool, unframed
from packages.agent.tests.chat.worker import STEPS

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

KILLS = 50


class Workers:
    """Workers in processes of their own, one after the other."""

    def __init__(self, process: subprocess.Popen[str], url: str, clock: Clock) -> None:
        self._process = process
        self._url = url
        self._clock = clock

    def run(self, last: int | None = None) -> dict[str, Any]:
        """Run a worker until all is idle, or until its ``last`` moment."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"url": self._url, "now": self._clock.now.isoformat(), "last": last}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        report: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert report["ok"] or report["killed"]
        return report


@pytest.fixture
def workers(url: str, clock: Clock) -> Iterator[Workers]:
    """Start the process that forks workers."""
    program = [sys.executable, str(Path(__file__).with_name("worker.py")), json.dumps(page_tool("search").to_json())]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Workers(process, url, clock)
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.usefixtures("takes_long")
async def test_turn_with_mixed_steps_survives_kills_at_random_moments(
    engine: AsyncEngine, clock: Clock, workers: Workers
) -> None:
    service = ChatService(engine, now=clock)
    chance = random.Random(17)
    # A turn without a kill tells how many moments its three parts have: up to a pause, to the next one, to the end.
    *_, parts = await _turn(service, workers, clock, [])
    killed_in: Counter[int] = Counter()
    kills = 0
    while kills < KILLS:
        # Several workers of a turn die, in the same part of it or not.
        planned = sorted(chance.choices(range(len(parts)), k=chance.choice([3, 4, 5])))
        deaths = [(part, chance.randint(1, parts[part])) for part in planned]
        died, _ = await _turn(service, workers, clock, deaths)
        kills += len(died)
        killed_in.update(died)
    assert set(killed_in) == set(range(len(parts)))


async def _turn(
    service: ChatService, workers: Workers, clock: Clock, deaths: list[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """Run a turn with workers that die at some moments of its parts. Return the parts they died in, and moments by part."""
    chat_id = await service.create_chat(model="m", dynamic_tools=[page_tool("search").to_json()], message="go")
    stored: dict[str, str] = {}
    answered: Counter[str] = Counter()
    died, moments = [], []
    for part in range(3):
        for death in [moment for where, moment in deaths if where == part]:
            if workers.run(death)["killed"]:
                died.append(part)
                await _see_stored(service, chat_id, stored)
                # The lease of the dead worker ends.
                clock.move(31)
        moments.append(workers.run()["moments"])
        await _see_stored(service, chat_id, stored)
        chat = await service.chat(chat_id)
        if chat["state"] != "requires_action":
            break
        [action] = chat["waits_for"]
        results = [{"tool_call_id": call["tool_call_id"], "output": "found"} for call in action["tool_calls"]]
        await service.submit_tool_results(chat_id, results)
        answered.update(result["tool_call_id"] for result in results)
        with pytest.raises(ConflictError):
            await service.submit_tool_results(chat_id, results)
    assert (await service.chat(chat_id))["state"] == "waiting"
    assert answered == {"p1": 1, "p2": 1, "p3": 1}
    *_, last = await service.transcript(chat_id)
    seen = [[call, unframed(content)] for call, content in json.loads(last["text"])]
    assert [call for call, _ in seen] == [call for step in STEPS for call in step]
    assert {call: content for call, content in seen if call.startswith("b")} == stored
    return died, moments


async def _see_stored(service: ChatService, chat_id: str, stored: dict[str, str]) -> None:
    """Note the stored results of built-in tools; one that was stored never changes and never goes."""
    found = {
        call["tool_call_id"]: call["result"]["output"]
        for item in await service.transcript(chat_id)
        for call in item.get("tool_calls", ())
        if call["tool_name"] == "weigh" and call["result"] is not None
    }
    assert stored.items() <= found.items()
    stored |= found
