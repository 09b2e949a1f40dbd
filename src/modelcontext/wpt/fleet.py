"""The browsers of a run: one that all workers share, and a fresh one in its place when something has gone wrong in it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from modelcontext.wpt.ways import Way, ends


@dataclass(eq=False)
class Running:
    """One browser. It closes once it is ``retired`` and nobody uses it."""

    browser: Any
    users: int = 0
    retired: bool = False


class Fleet:
    """Starts browsers in one ``way``, and closes them."""

    def __init__(self, way: Way) -> None:
        self.way = way
        self._current: Running | None = None
        self._all: set[Running] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()

    async def start(self) -> Any:
        """Start the first browser, before anything is taken. Raises :class:`UnavailableError`."""
        self._current = await self._launch()
        return self._current.browser

    async def take(self, *, alone: bool) -> Running:
        """A browser to use, ``alone`` or with others. Raises :class:`UnavailableError`."""
        if alone:
            async with self._starting:
                running = await self._launch()
            running.retired = True
        else:
            async with self._starting:
                if self._current is None or self._current.retired or not self._current.browser.is_connected():
                    self._current = await self._launch()
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
            await self.way.stop()

    async def _launch(self) -> Running:
        running = Running(await self.way.launch())
        self._all.add(running)
        return running

    async def _tidy(self, running: Running, context: Any) -> None:
        if context is not None and not await ends(context.close()):
            running.retired = True
        running.users -= 1
        if running.retired and running.users == 0:
            await self._close(running)

    async def _close(self, running: Running) -> None:
        # A browser that is gone already, or does not answer, ends with what drives it.
        await ends(running.browser.close())
        self._all.discard(running)
