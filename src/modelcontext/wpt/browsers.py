"""Pools of browsers, in which tests are visited; each starts its browsers in one way.

All visits of a pool share a browser, which a fresh one replaces after something has gone wrong.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.products.devtools.browser import AttachingBrowser
from modelcontext.products.engine import start_playwright
from modelcontext.wpt.results import FileStatus
from modelcontext.wpt.server.hosts import NAMES
from modelcontext.wpt.visit.devtools import DevtoolsVisit, NeedsUserError
from modelcontext.wpt.visit.playwright import PlaywrightVisit

if TYPE_CHECKING:
    from modelcontext.products.target import Target
    from modelcontext.wpt.results import Result
    from modelcontext.wpt.visit.visit import Visit

# Seconds that closing a context, a browser or Playwright may take.
CLOSING = 5.0


@dataclass(eq=False)
class _Running:
    """One browser, which closes once it is ``retired`` and has no visits."""

    browser: Any
    retired: bool
    visits: int = 0


class BrowserPool(ABC):
    """The browsers of one binary, driven in one way. With ``keeps_pages`` they have a back/forward cache."""

    def __init__(self, *, keeps_pages: bool) -> None:
        self.keeps_pages = keeps_pages
        self._shared: _Running | None = None
        self._all: set[_Running] = set()
        self._tidying: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()

    @abstractmethod
    async def _launch(self) -> Any:
        """Start a browser with ``version``, ``is_connected`` and ``close``. Raises :class:`UnavailableError`."""

    @abstractmethod
    def _visit(self, browser: Any, test: str, scripts: Sequence[str]) -> Visit:
        """Return a visit to a test in such a browser; the scripts run in every document before its own."""

    async def start(self) -> Any:
        """Return the shared browser, and start it if necessary. Raises :class:`UnavailableError`."""
        return (await self._take(alone=False)).browser

    async def visit(self, test: str, url: str, scripts: Sequence[str], limit: float, *, alone: bool) -> Result:
        """Visit a test (its path) for ``limit`` seconds at most, in the shared browser or ``alone`` in one of its own.

        Raises:
            UnavailableError: if no browser starts.
            LostError: if the browser is gone.
            NeedsUserError: if the test calls testdriver.js, and these browsers are driven without it.
        """
        running = await self._take(alone=alone)
        visit = self._visit(running.browser, test, scripts)
        running.visits += 1
        retire = True
        try:
            result = await visit.run(url, limit)
            retire = not visit.has_reported and result.status in (FileStatus.CRASH, FileStatus.TIMEOUT)
            return result
        except NeedsUserError:
            retire = False
            raise
        finally:
            running.retired |= retire
            # Closing takes time, and no test has to wait for it.
            task = asyncio.ensure_future(self._tidy(running, visit.context))
            self._tidying.add(task)
            task.add_done_callback(self._tidying.discard)

    async def close(self) -> None:
        """Close all browsers."""
        for task in self._tidying:
            task.cancel()
        await asyncio.gather(*self._tidying, *map(self._end, list(self._all)), return_exceptions=True)

    async def _take(self, *, alone: bool) -> _Running:
        async with self._starting:
            running = self._shared
            if alone or running is None or running.retired or not running.browser.is_connected():
                running = _Running(await self._launch(), retired=alone)
                self._all.add(running)
                if not alone:
                    self._shared = running
            return running

    async def _tidy(self, running: _Running, context: Any) -> None:
        if context is not None and not await _ends(context.close()):
            running.retired = True
        running.visits -= 1
        if running.retired and running.visits == 0:
            await self._end(running)

    async def _end(self, running: _Running) -> None:
        # A browser that is gone already, or does not answer, ends with its driver.
        await _ends(running.browser.close())
        self._all.discard(running)


class DevtoolsPool(BrowserPool):
    """Browsers of the Chromium family that are driven directly; they cannot act as a user."""

    def __init__(self, binary: Path, flags: Sequence[str], remedy: str, *, keeps_pages: bool) -> None:
        super().__init__(keeps_pages=keeps_pages)
        self._arguments = binary, flags, remedy

    async def _launch(self) -> AttachingBrowser:
        return await AttachingBrowser.launch(*self._arguments)

    def _visit(self, browser: AttachingBrowser, test: str, scripts: Sequence[str]) -> Visit:
        return DevtoolsVisit(browser, test, scripts)


class PlaywrightPool(BrowserPool):
    """Browsers of any kind, which can do everything that a test asks for."""

    def __init__(self, target: Target, binary: Path | None) -> None:
        super().__init__(keeps_pages=True)
        self._target = target
        self._binary = binary
        self._playwright: Any = None

    async def _launch(self) -> Any:
        launch = self._target.engine.launch
        if self._playwright is not None:
            # If no browser starts, Playwright's driver may have died.
            with suppress(Exception):
                return await launch(self._playwright, self._binary, NAMES, for_tests=True)
            await _ends(self._playwright.stop())
        self._playwright = await start_playwright()
        return await launch(self._playwright, self._binary, NAMES, for_tests=True)

    def _visit(self, browser: Any, test: str, scripts: Sequence[str]) -> Visit:
        return PlaywrightVisit(self._target, browser, test, scripts)

    async def close(self) -> None:
        """Close all browsers, and the driver."""
        try:
            await super().close()
        finally:
            if self._playwright is not None:
                await _ends(self._playwright.stop())


def make_pools(target: Target) -> list[BrowserPool]:
    """Return the pools of a product, fastest first; the last one can do everything. Raises :class:`UnavailableError`."""
    binary = target.find_binary()
    pools: list[BrowserPool] = []
    flags = target.engine.devtools_flags(NAMES, for_tests=True)
    # A page that is bound to an origin is opened by another page, of Playwright's.
    if flags is not None and binary is not None and not target.binds_page_to_origin:
        shell = target.engine.find_shell(target.binary, binary)
        programs = [(binary, True)] if shell is None else [(shell, False), (binary, True)]
        pools += [DevtoolsPool(path, flags, target.engine.remedy, keeps_pages=keeps) for path, keeps in programs]
    return [*pools, PlaywrightPool(target, binary)]


async def _ends(closing: Coroutine[Any, Any, None]) -> bool:
    """Close something, and return whether that succeeds in time."""
    with suppress(Exception):
        # Not wait_for: in Python 3.11 it can lose an interrupt.
        async with asyncio.timeout(CLOSING):
            await closing
            return True
    return False
