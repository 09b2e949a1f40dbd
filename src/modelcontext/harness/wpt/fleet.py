"""The browsers of a run: one that all workers share, and a fresh one in its place when something has gone wrong in it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcontext.harness.wpt.hosts import NAMES
from modelcontext.products.base import UnavailableError
from modelcontext.products.engine import start_playwright
from modelcontext.products.target import Target

# Seconds that closing a context or a browser may take.
CLOSING = 5.0


@dataclass(eq=False)
class Running:
    """One browser; ``browser`` is Playwright's. It closes once it is ``retired`` and nobody uses it."""

    browser: Any
    users: int = 0
    retired: bool = False


class Fleet:
    """Starts browsers and closes them. ``version`` is that of what runs, once there is one."""

    def __init__(self, target: Target, binary: Path | None) -> None:
        self.version = ""
        self._target = target
        self._binary = binary
        self._playwright: Any = None
        self._current: Running | None = None
        self._all: set[Running] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Start Playwright and the first browser. Raises :class:`UnavailableError`."""
        self._playwright = await start_playwright()
        self._current = await self._launch()
        self.version = self._target.version(self._current.browser)

    async def take(self, *, alone: bool) -> Running:
        """A browser to use, ``alone`` or with others. Raises :class:`UnavailableError`."""
        if alone:
            async with self._starting:
                running = await self._relaunch()
            running.retired = True
        else:
            async with self._starting:
                if self._current is None or self._current.retired or not self._current.browser.is_connected():
                    self._current = await self._relaunch()
                running = self._current
        running.users += 1
        return running

    def give_back(self, running: Running, context: Any, *, retire: bool) -> None:
        """Close what was used, behind the caller's back; with ``retire`` nobody new uses that browser."""
        running.retired |= retire
        task = asyncio.ensure_future(self._tidy(running, context))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Close everything."""
        try:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, *map(self._close, list(self._all)), return_exceptions=True)
        finally:
            if self._playwright is not None:
                await _ends(self._playwright.stop())

    async def _launch(self) -> Running:
        running = Running(await self._target.engine.launch(self._playwright, self._binary, NAMES, for_tests=True))
        self._all.add(running)
        return running

    async def _relaunch(self) -> Running:
        """A browser when there was one before: where none starts, the reason may be that Playwright's driver is gone."""
        from playwright.async_api import Error

        try:
            return await self._launch()
        except Exception as error:
            if not isinstance(error, (Error, UnavailableError)) and type(error) is not Exception:
                raise
        await _ends(self._playwright.stop())
        self._playwright = await start_playwright()
        return await self._launch()

    async def _tidy(self, running: Running, context: Any) -> None:
        if context is not None and not await _ends(context.close()):
            running.retired = True
        running.users -= 1
        if running.retired and running.users == 0:
            await self._close(running)

    async def _close(self, running: Running) -> None:
        # A browser that is gone already, or does not answer, ends with Playwright.
        await _ends(running.browser.close())
        self._all.discard(running)


async def _ends(closing: Coroutine[Any, Any, None]) -> bool:
    with contextlib.suppress(Exception):
        # Not wait_for: in Python 3.11 it can lose an interrupt.
        async with asyncio.timeout(CLOSING):
            await closing
            return True
    return False
