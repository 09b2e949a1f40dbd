"""Runs of tests in a browser, several at a time.

Each has a context of its own, or one that shows no trace of the test before (see ``judging/wpt/visit/devtools.py``), or, if
the product's API takes long to start in a context, one that shares cookies and storage (``judging/wpt/visit/playwright.py``).
A test that hangs, crashes, closes itself or navigates away does not change the results of others. After a crash or a hang
there is a fresh browser. If the browser itself ends, the tests that were running in it run again, each alone.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Container, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.wpt.browsers import BrowserPool, make_pools
from modelcontext.judging.wpt.results import FileStatus, Result, TestsInterrupted
from modelcontext.judging.wpt.visit.devtools import NeedsUserError
from modelcontext.judging.wpt.visit.visit import LostError
from modelcontext.running.products.browser_product import BrowserProduct
from modelcontext.running.products.program_page import in_turn

if TYPE_CHECKING:
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.server.server import TestServer
    from modelcontext.running.products.target import Target

# Seconds that testharness.js has to report after it should have given a test up. On a busy machine its timer is late.
GRACE = 5.0
# The largest number of tests that only wait, besides those that work.
MOST_WAITING = 20
# How many times longer than usual testharness.js waits at most, on a busy machine.
MOST_PATIENCE = 6

T = TypeVar("T")


def default_workers() -> int:
    """Return the number of tests to run at a time: one for each processor, and one more because tests also wait."""
    return min((os.cpu_count() or 1) + 1, 8)


def run_tests(
    tests: Iterable[Test],
    server: TestServer,
    target: Target,
    *,
    workers: int | None = None,
    waiting: Container[str] = (),
    started: Callable[[str], None] = lambda version: None,
    finished: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Run the tests, ``workers`` of them at a time.

    Without ``workers``, those that are known to wait until they are given up, by their paths in ``waiting``, begin first
    and run besides the others. ``started`` is called with the version of the product, and ``finished`` with each result.
    These results, and the returned ones, are in the order of the tests.

    Raises:
        UnavailableError: if the product cannot run here.
        TestsInterrupted: after all browsers are closed.
    """
    queue = list(tests)
    results: dict[int, Result] = {}
    count = workers or default_workers()
    order = list(range(len(queue)))
    if workers is None:
        order.sort(key=lambda number: queue[number].path not in waiting)
        count += min(sum(test.path in waiting for test in queue), MOST_WAITING)

    async def run(session: TestSession) -> None:
        started(session.version)
        heard = 0

        async def run_one(number: int) -> None:
            nonlocal heard
            test = queue[number]
            if test.path not in waiting:
                test = patient(test, os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0)
            results[number] = await session.run(test, server)
            while heard in results:
                finished(results[heard])
                heard += 1

        await in_turn(run_one, order, count)

    try:
        with_session(target, run)
    except KeyboardInterrupt:
        raise TestsInterrupted(results) from None
    return [results[number] for number in range(len(queue))]


def patient(test: Test, load: float) -> Test:
    """Return a test that testharness.js gives up later if ``load``, the number of processes that want to run, is large.

    A run of tests by itself keeps two processes per processor busy.
    """
    # In whole steps: a script in each document says it, and only tests with the same scripts can share a tab.
    slowness = min(math.ceil(load / 2 / (os.cpu_count() or 1)), MOST_PATIENCE)
    if test.patience is not None or slowness <= 1:
        return test
    return replace(test, patience=test.harness_timeout * slowness)


def with_session(target: Target, work: Callable[[TestSession], Coroutine[Any, Any, T]]) -> T:
    """Do some work with the product.

    Raises:
        UnavailableError: if the product cannot run here.
        KeyboardInterrupt: after all browsers are closed.
    """
    if target.inject or target.binary:
        # With a script that throws, or in a browser without the API, every test would fail for another reason.
        with BrowserProduct(target, needs_api=not target.inject):
            pass

    async def run() -> T:
        if threading.current_thread() is threading.main_thread():
            task = asyncio.current_task()
            assert task is not None
            # The same as for an interrupt from the keyboard, which asyncio handles by itself.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        async with open_session(target) as session:
            return await work(session)

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@asynccontextmanager
async def open_session(target: Target) -> AsyncIterator[TestSession]:
    """Start a browser of the product, and close all its browsers in the end. Raises :class:`UnavailableError`."""
    pools, scripts = make_pools(target), target.scripts()
    try:
        version = target.version(await pools[0].start())
        yield TestSession(version, pools, scripts)
    finally:
        await asyncio.gather(*(pool.close() for pool in pools))


class TestSession:
    """A product, with its ``version``, on which tests run, also several at a time."""

    __test__ = False  # for pytest, which takes the name for that of a test

    def __init__(self, version: str, pools: Sequence[BrowserPool], scripts: Sequence[str]) -> None:
        self.version = version
        self._pools = pools
        self._scripts = scripts
        self._again = asyncio.Lock()

    async def run(self, test: Test, server: TestServer) -> Result:
        """Run one test. Failures of the browser become its result."""
        begun = time.perf_counter()
        url = server.url(test.path, secure=test.secure)
        scripts = [*self._scripts, *test.scripts]
        patience = test.harness_timeout if test.patience is None else test.patience
        if test.patience is not None:
            scripts.append(f"self.modelcontextTimeoutMultiplier = {patience / test.harness_timeout};")
        able = [pool for pool in self._pools if pool.keeps_pages or not test.looks_back]

        async def visit(*, alone: bool) -> Result:
            try:
                return await able[0].visit(test.path, url, scripts, GRACE + patience, alone=alone)
            except NeedsUserError:
                return await able[-1].visit(test.path, url, scripts, GRACE + patience, alone=alone)

        try:
            try:
                result = await visit(alone=test.is_first)
            except LostError:
                # Each running test may be the cause, so each runs again alone, one after the other because one test may
                # end several browsers.
                async with self._again:
                    result = await visit(alone=True)
        except LostError:
            message = "the browser crashed, and crashed again when only this test ran"
            result = Result(test.path, FileStatus.CRASH, message)
        except UnavailableError as error:
            result = Result(test.path, FileStatus.NOTRUN, error.reason)
        return replace(result, seconds=time.perf_counter() - begun)
