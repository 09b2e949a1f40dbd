"""Runs tests in a browser, one after the other, each in a fresh browser context.

Whatever a test does (hang, crash, close itself, go away) is its result; the tests after it run in a fresh browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from modelcontext.harness.wpt.discovery import Test
from modelcontext.harness.wpt.hosts import NAMES
from modelcontext.harness.wpt.results import FileStatus, Result, from_report
from modelcontext.harness.wpt.server import TestServer
from modelcontext.products.engine import start_playwright
from modelcontext.products.target import Target

# Seconds after which testharness.js gives a test up by itself.
HARNESS_TIMEOUT = 10.0
LONG_HARNESS_TIMEOUT = 60.0
# Seconds more until a test that has not even done that is given up here.
GRACE = 3.0
# Seconds that closing a page or a browser may take.
CLOSING = 5.0
HAS_HARNESS = "() => typeof add_completion_callback === 'function'"


def run_tests(
    tests: Iterable[Test],
    server: TestServer,
    target: Target,
    *,
    patience: float | None = None,
    started: Callable[[str], None] = lambda version: None,
    finished: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Run the tests in their order. Raises :class:`UnavailableError`, and ``KeyboardInterrupt`` with no browser left.

    ``patience`` (seconds) replaces the time after which a
    test is given up. ``started`` hears the version of what runs, ``finished`` each result.
    """

    async def run() -> list[Result]:
        if threading.current_thread() is threading.main_thread():
            task = asyncio.current_task()
            assert task is not None
            # As an interrupt from the keyboard, which asyncio handles by itself.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        session = Session(target, target.find_binary(), target.scripts())
        results = []
        try:
            started(await session.launch())
            for test in tests:
                result = await session.run(test, server.url(test.path, secure=test.secure), time_limit(test, patience))
                results.append(result)
                finished(result)
        finally:
            await session.close()
        return results

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
    """One browser at a time; everything happens on the event loop that it was launched on."""

    def __init__(self, target: Target, binary: Path | None, scripts: Sequence[str]) -> None:
        self._target = target
        self._binary = binary
        self._scripts = scripts
        self._playwright: Any = None
        self._browser: Any = None

    async def launch(self) -> str:
        """Start a browser; the version of what runs."""
        if self._playwright is None:
            self._playwright = await start_playwright()
        self._browser = await self._target.engine.launch(self._playwright, self._binary, NAMES, for_tests=True)
        return self._target.version(self._browser)

    async def close(self) -> None:
        """Leave no browser behind."""
        try:
            await self._close_browser()
        finally:
            if self._playwright is not None:
                await self._playwright.stop()

    async def _close_browser(self) -> None:
        if self._browser is not None:
            # A browser that is gone already, or does not answer, ends with Playwright.
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._browser.close(), CLOSING)
            self._browser = None

    async def run(self, test: Test, url: str, limit: float) -> Result:
        """Run one test. What can go wrong with it is its result."""
        begun = time.perf_counter()
        if self._browser is None:
            await self.launch()
        status, message, report = await self._observe(url, limit, [*self._scripts, *test.scripts])
        seconds = time.perf_counter() - begun
        if status in (FileStatus.CRASH, FileStatus.TIMEOUT):
            await self._close_browser()
        if report is not None:
            return from_report(test.path, report, seconds)
        return Result(test.path, status, message, (), seconds)

    async def _observe(
        self, url: str, limit: float, scripts: Sequence[str]
    ) -> tuple[FileStatus, str | None, dict[str, Any] | None]:
        from playwright.async_api import Error

        ended: asyncio.Future[tuple[FileStatus, str | None, dict[str, Any] | None]]
        ended = asyncio.get_running_loop().create_future()

        def end(status: FileStatus, message: str | None, report: dict[str, Any] | None = None) -> None:
            if not ended.done():
                ended.set_result((status, message, report))

        context = None
        going = None
        try:
            context = await self._browser.new_context(ignore_https_errors=True)
            for script in scripts:
                await context.add_init_script(script)
            page = await context.new_page()
            await page.expose_binding("modelcontextReport", _receiver(page, end))
            watcher = _Watcher(page, end)
            context.on("page", lambda other: other.on("crash", watcher.crashed))
            going = asyncio.ensure_future(page.goto(url, wait_until="commit"))
            going.add_done_callback(lambda task: _note_failure(task, end))
            try:
                return await asyncio.wait_for(ended, limit)
            except TimeoutError:
                return FileStatus.TIMEOUT, f"no result within {limit:g} seconds", None
        except Error as error:
            if not self._browser.is_connected():
                return FileStatus.CRASH, "the browser crashed", None
            return FileStatus.ERROR, error.message.splitlines()[0], None
        finally:
            if going is not None:
                going.cancel()
                await asyncio.gather(going, return_exceptions=True)
            if context is not None:
                await self._close_context(context)

    async def _close_context(self, context: Any) -> None:
        try:
            await asyncio.wait_for(context.close(), CLOSING)
        except Exception:
            await self._close_browser()


def _receiver(page: Any, end: Callable[[FileStatus, str | None, dict[str, Any]], None]) -> Callable[..., None]:
    def receive(source: dict[str, Any], report: dict[str, Any]) -> None:
        # Frames of a test can load testharness.js too; the result is that of the page itself.
        if source["frame"] == page.main_frame:
            end(FileStatus.OK, None, report)

    return receive


def _note_failure(task: asyncio.Task[Any], end: Callable[[FileStatus, str | None], None]) -> None:
    if task.cancelled() or (error := task.exception()) is None:
        return
    # A page that crashes or closes itself while it loads ends the navigation too; those events say more.
    loop = asyncio.get_running_loop()
    loop.call_later(1.0, end, FileStatus.ERROR, f"the test did not load: {str(error).splitlines()[0]}")


class _Watcher:
    """Listens for how a page can come to an end without a result."""

    def __init__(self, page: Any, end: Callable[[FileStatus, str | None], None]) -> None:
        self._page = page
        self._end = end
        self._documents = 0
        self._tasks: set[asyncio.Task[None]] = set()
        page.on("crash", self.crashed)
        page.on("close", lambda _: end(FileStatus.ERROR, "the test closed its own page"))
        page.on("domcontentloaded", self._loaded)

    def crashed(self, _page: Any) -> None:
        self._end(FileStatus.CRASH, "the renderer process crashed")

    def _loaded(self, _page: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            task = asyncio.ensure_future(self._look_at_the_next_document())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _look_at_the_next_document(self) -> None:
        # A test may reload itself, or go on in a second page: then that one reports.
        with contextlib.suppress(Exception):
            if not await self._page.evaluate(HAS_HARNESS):
                self._end(FileStatus.ERROR, f"the test navigated away, to {self._page.url}")
