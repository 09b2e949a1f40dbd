"""Runs tests in a browser, several at a time, each in a fresh context.

Whatever a test does (hang, crash, close itself, go away) is its result, and nobody else's. What comes after a crash or a
hang runs in a fresh browser. Where the browser itself goes, the tests that were under way in it run again, each alone.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

from modelcontext.harness.wpt.discovery import Test
from modelcontext.harness.wpt.fleet import Fleet
from modelcontext.harness.wpt.results import FileStatus, Result, from_report
from modelcontext.harness.wpt.server import TestServer
from modelcontext.harness.wpt.visit import Ending, LostError, Visit
from modelcontext.products.base import UnavailableError
from modelcontext.products.target import Target

# Seconds after which testharness.js gives a test up by itself.
HARNESS_TIMEOUT = 10.0
LONG_HARNESS_TIMEOUT = 60.0
# Seconds more until a test that has not even done that is given up here.
GRACE = 3.0
# How many tests that only wait may be open besides those that do something.
MOST_WAITING = 20


def default_workers() -> int:
    """How many tests run at a time: as many as there are processors, and one that waits for none of them."""
    return min((os.cpu_count() or 1) + 1, 8)


def run_tests(
    tests: Iterable[Test],
    server: TestServer,
    target: Target,
    *,
    workers: int | None = None,
    waiting: Container[str] = (),
    patience: float | None = None,
    started: Callable[[str], None] = lambda version: None,
    finished: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Run the tests. Raises :class:`UnavailableError`, and ``KeyboardInterrupt`` with no browser left.

    ``workers`` is how many run at a time; unless it is given, those that are known to wait until they are given up, by
    their paths in ``waiting``, begin first and take nobody's place. ``patience`` (seconds) replaces the time after which a
    test is given up. ``started`` hears the version of what runs, ``finished`` each result; as in the list, they are in the
    order of the tests.
    """
    queue = list(tests)

    async def run() -> list[Result]:
        if threading.current_thread() is threading.main_thread():
            task = asyncio.current_task()
            assert task is not None
            # As an interrupt from the keyboard, which asyncio handles by itself.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        session = Session(target, target.find_binary(), target.scripts())
        results: dict[int, Result] = {}
        heard = 0
        count = workers or default_workers()
        order = list(range(len(queue)))
        if workers is None:
            order.sort(key=lambda number: queue[number].path not in waiting)
            count += min(sum(test.path in waiting for test in queue), MOST_WAITING)
        numbers = iter(order)

        async def work() -> None:
            nonlocal heard
            for number in numbers:
                test = queue[number]
                url = server.url(test.path, secure=test.secure)
                results[number] = await session.run(test, url, time_limit(test, patience))
                while heard in results:
                    finished(results[heard])
                    heard += 1

        working: list[asyncio.Task[None]] = []
        try:
            started(await session.launch())
            working += [asyncio.create_task(work()) for _ in range(count)]
            await asyncio.gather(*working)
        finally:
            for worker in working:
                worker.cancel()
            await asyncio.gather(*working, return_exceptions=True)
            await session.close()
        return [results[number] for number in range(len(queue))]

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def time_limit(test: Test, patience: float | None = None) -> float:
    """Seconds after which a test is given up; ``patience`` replaces them."""
    if patience is not None:
        return patience
    return GRACE + (LONG_HARNESS_TIMEOUT if test.long else HARNESS_TIMEOUT)


class Session:
    """Runs tests on one product, also several at a time; all on the event loop that it was launched on."""

    def __init__(self, target: Target, binary: Path | None, scripts: Sequence[str]) -> None:
        self._target = target
        self._fleet = Fleet(target, binary)
        self._scripts = scripts
        self._again = asyncio.Lock()

    async def launch(self) -> str:
        """Start a browser; the version of what runs. Raises :class:`UnavailableError`."""
        await self._fleet.start()
        return self._fleet.version

    async def close(self) -> None:
        """Leave no browser behind."""
        await self._fleet.close()

    async def run(self, test: Test, url: str, limit: float) -> Result:
        """Run one test. What can go wrong with it is its result."""
        begun = time.perf_counter()
        scripts = [*self._scripts, *test.scripts]
        try:
            try:
                ending = await self._visit(url, scripts, limit, alone=False)
            except LostError:
                # Any of those that were under way may be the reason: who is it when alone? (One after the other, because
                # what takes one browser away may take another one with it.)
                async with self._again:
                    ending = await self._visit(url, scripts, limit, alone=True)
        except LostError:
            message = "the browser crashed, and again when only this test was running in it"
            ending = Ending(FileStatus.CRASH, message)
        except UnavailableError as error:
            ending = Ending(FileStatus.NOTRUN, error.reason)
        seconds = time.perf_counter() - begun
        if ending.report is not None:
            return from_report(test.path, ending.report, seconds, ending.screenshot)
        return Result(test.path, ending.status, ending.message, (), seconds, ending.screenshot)

    async def _visit(self, url: str, scripts: Sequence[str], limit: float, *, alone: bool) -> Ending:
        running = await self._fleet.take(alone=alone)
        visit = Visit(self._target, running.browser, scripts)
        retire = True
        try:
            ending = await visit.run(url, limit)
            retire = ending.status in (FileStatus.CRASH, FileStatus.TIMEOUT)
            return ending
        finally:
            self._fleet.give_back(running, visit.context, retire=retire)
