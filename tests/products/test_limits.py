"""Limits of time: work that outlives its first cancellation ends, too, and nothing is left behind."""

from __future__ import annotations

import asyncio

import pytest

from modelcontext.running.products import limits
from modelcontext.running.products.limits import closes, end, within


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_GRACE", 0)


async def stubborn(log: list[str]) -> None:
    """Wait for an answer that never comes; after a cancellation as well, as a call of Playwright does."""
    log.append("begun")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        log.append("cancelled")
        await asyncio.Event().wait()
    finally:
        log.append("ended")


def test_work_that_survives_a_cancellation_is_ended_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLOSING", 0)

    async def run() -> None:
        log: list[str] = []
        with pytest.raises(TimeoutError):
            await within(0, stubborn(log))
        assert log == ["begun", "cancelled", "ended"]
        assert not await closes(stubborn(log))
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_result_and_exception_of_work_in_time_are_passed_on() -> None:
    async def answers() -> int:
        return 7

    async def fails() -> None:
        raise ValueError("no")

    assert asyncio.run(within(60, answers())) == 7
    with pytest.raises(ValueError, match="no"):
        asyncio.run(within(60, fails()))
    assert asyncio.run(closes(fails())) is False


def test_cancelled_limit_ends_its_work() -> None:
    async def run() -> None:
        log: list[str] = []
        work = asyncio.ensure_future(stubborn(log))
        limit = asyncio.ensure_future(within(60, work))
        await asyncio.wait({work}, timeout=0)
        assert log == ["begun"]
        await end([limit])
        assert limit.cancelled()
        await asyncio.wait({work})
        assert log == ["begun", "cancelled", "ended"]

    asyncio.run(run())
