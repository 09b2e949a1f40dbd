"""Pools of browsers, in which tests are visited; each starts its browsers in one way.

All visits of a pool share a browser, which a fresh one replaces after something has gone wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.results import FileStatus
from modelcontext.judging.wpt.server.hosts import NAMES
from modelcontext.judging.wpt.visit.devtools import DevtoolsVisit, KeptTabs, NeedsUserError
from modelcontext.judging.wpt.visit.playwright import KeptContexts, PlaywrightVisit
from modelcontext.running.products.devtools.browser import AttachingBrowser
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.limits import closes, end

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import Result
    from modelcontext.judging.wpt.visit.visit import Visit
    from modelcontext.running.products.target import Target


@dataclass(eq=False)
class _Running:
    """One browser, which closes once it is ``retired`` and has no visits."""

    browser: Any
    retired: bool
    visits: int = 0


class BrowserPool:
    """The browsers of one binary, driven in one way.

    Args:
        launch: starts a browser with ``version``, ``is_connected`` and ``close``; raises :class:`UnavailableError`.
        make_visit: makes a visit in such a browser to a test, by its path, with scripts that run in every document before
            its own.
        keeps_pages: whether the browsers have a back/forward cache.
    """

    def __init__(
        self,
        launch: Callable[[], Awaitable[Any]],
        make_visit: Callable[[Any, str, Sequence[str]], Visit],
        *,
        keeps_pages: bool,
    ) -> None:
        self.keeps_pages = keeps_pages
        self._launch = launch
        self._make_visit = make_visit
        self._shared: _Running | None = None
        self._all: set[_Running] = set()
        self._tidying: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()

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
        visit = self._make_visit(running.browser, test, scripts)
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
            task = asyncio.ensure_future(self._tidy(running, visit))
            self._tidying.add(task)
            task.add_done_callback(self._tidying.discard)

    async def close(self) -> None:
        """Close all browsers."""
        await end(list(self._tidying))
        await asyncio.gather(*map(self._end, list(self._all)), return_exceptions=True)

    async def _take(self, *, alone: bool) -> _Running:
        async with self._starting:
            running = self._shared
            if alone or running is None or running.retired or not running.browser.is_connected():
                running = _Running(await self._launch(), retired=alone)
                self._all.add(running)
                if not alone:
                    self._shared = running
            return running

    async def _tidy(self, running: _Running, visit: Visit) -> None:
        if not await closes(visit.close()):
            running.retired = True
        running.visits -= 1
        if running.retired and running.visits == 0:
            await self._end(running)

    async def _end(self, running: _Running) -> None:
        # A browser that is gone already, or does not answer, ends with its driver.
        await closes(running.browser.close())
        self._all.discard(running)


class PlaywrightPool(BrowserPool):
    """Browsers of any kind, which can do everything that a test asks for."""

    def __init__(self, target: Target, binary: Path | None) -> None:
        super().__init__(self._start_browser, partial(PlaywrightVisit, KeptContexts(target)), keeps_pages=True)
        self._engine = target.engine
        self._binary = binary
        self._playwright: Any = None

    async def _start_browser(self) -> Any:
        launch = self._engine.launch
        if self._playwright is not None:
            # If no browser starts, Playwright's driver may have died.
            with suppress(Exception):
                return await launch(self._playwright, self._binary, NAMES, for_tests=True)
            await closes(self._playwright.stop())
        self._playwright = await start_playwright()
        return await launch(self._playwright, self._binary, NAMES, for_tests=True)

    async def close(self) -> None:
        """Close all browsers, and the driver."""
        try:
            await super().close()
        finally:
            if self._playwright is not None:
                await closes(self._playwright.stop())


def make_pools(target: Target) -> list[BrowserPool]:
    """Return the pools of a product, fastest first; the last one can do everything. Raises :class:`UnavailableError`."""
    binary = target.find_binary()
    pools: list[BrowserPool] = []
    flags = target.engine.devtools_flags(NAMES, for_tests=True)
    # A page that is bound to an origin is opened by another page, of Playwright's.
    if flags is not None and binary is not None and not target.binds_page_to_origin:
        shell = target.engine.find_shell(target.binary, binary)
        programs = [(binary, True)] if shell is None else [(shell, False), (binary, True)]
        # Browsers that are driven directly are faster; they cannot act as a user.
        for path, keeps in programs:
            launch = partial(AttachingBrowser.launch, path, flags, target.engine.remedy)
            # A back/forward cache would keep documents of the tests before.
            make_visit = partial(DevtoolsVisit, KeptTabs(reuses=not keeps))
            pools.append(BrowserPool(launch, make_visit, keeps_pages=keeps))
    return [*pools, PlaywrightPool(target, binary)]
