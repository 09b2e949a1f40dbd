"""The ways to visit a test: by which program, driven by what. The quickest that can do what the test needs is taken."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from modelcontext.problems import UnavailableError
from modelcontext.products.devtools.browser import AttachingBrowser
from modelcontext.products.engine import start_playwright
from modelcontext.products.target import Target
from modelcontext.wpt.server.hosts import NAMES
from modelcontext.wpt.visit.devtools import DevtoolsVisit
from modelcontext.wpt.visit.playwright import PlaywrightVisit
from modelcontext.wpt.visit.visit import Visit

# Seconds that closing a context, a browser or Playwright may take.
CLOSING = 5.0


class Way(ABC):
    """One way. ``keeps_pages`` says whether there is a back/forward cache."""

    keeps_pages: bool

    @abstractmethod
    async def launch(self) -> Any:
        """Start a browser; it has ``version``, ``is_connected`` and ``close``. Raises :class:`UnavailableError`."""

    @abstractmethod
    def visit(self, browser: Any, scripts: Sequence[str]) -> Visit:
        """A visit in such a browser; the scripts run in every document before its own."""

    async def stop(self) -> None:  # noqa: B027 (most have nothing to stop)
        """Leave nothing behind."""


class DevtoolsWay(Way):
    """A Chromium without anything between it and this process."""

    def __init__(self, binary: Path, flags: Sequence[str], remedy: str, *, keeps_pages: bool) -> None:
        self.keeps_pages = keeps_pages
        self._binary = binary
        self._flags = flags
        self._remedy = remedy

    async def launch(self) -> AttachingBrowser:
        """Start it."""
        return await AttachingBrowser.launch(self._binary, self._flags, self._remedy)

    def visit(self, browser: AttachingBrowser, scripts: Sequence[str]) -> Visit:
        """A visit, which does nothing that a user would do."""
        return DevtoolsVisit(browser, scripts)


class PlaywrightWay(Way):
    """Any browser, and everything that a test can ask for."""

    def __init__(self, target: Target, binary: Path | None) -> None:
        self.keeps_pages = True
        self._target = target
        self._binary = binary
        self._playwright: Any = None

    async def launch(self) -> Any:
        """Start a browser, and Playwright before the first; where none starts, its driver may be what is gone."""
        from playwright.async_api import Error

        if self._playwright is None:
            self._playwright = await start_playwright()
            return await self._launch()
        try:
            return await self._launch()
        except Exception as error:
            if not isinstance(error, (Error, UnavailableError)) and type(error) is not Exception:
                raise
        await ends(self._playwright.stop())
        self._playwright = await start_playwright()
        return await self._launch()

    async def _launch(self) -> Any:
        return await self._target.engine.launch(self._playwright, self._binary, NAMES, for_tests=True)

    def visit(self, browser: Any, scripts: Sequence[str]) -> Visit:
        """A visit."""
        return PlaywrightVisit(self._target, browser, scripts)

    async def stop(self) -> None:
        """Stop Playwright."""
        if self._playwright is not None:
            await ends(self._playwright.stop())


def ways(target: Target, binary: Path | None) -> list[Way]:
    """What there is for a product, quickest first. The last one can do everything."""
    found: list[Way] = []
    flags = target.engine.devtools_flags(NAMES, for_tests=True)
    # A page that is bound to an origin is opened by another one, which is Playwright's.
    if flags is not None and binary is not None and not target.binds_page_to_origin:
        shell = target.engine.find_shell(target.binary, binary)
        programs = [(binary, True)] if shell is None else [(shell, False), (binary, True)]
        found = [DevtoolsWay(path, flags, target.engine.remedy, keeps_pages=keeps) for path, keeps in programs]
    return [*found, PlaywrightWay(target, binary)]


async def ends(closing: Coroutine[Any, Any, None]) -> bool:
    """Whether something closes within the time that it may take."""
    with suppress(Exception):
        # Not wait_for: in Python 3.11 it can lose an interrupt.
        async with asyncio.timeout(CLOSING):
            await closing
            return True
    return False
