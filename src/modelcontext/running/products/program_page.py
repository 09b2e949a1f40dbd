"""The part of a product that lives on Playwright's event loop: the browser, and the pages that run programs."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from modelcontext.programs.program import outcome as outcomes
from modelcontext.running.products.base import Ending, Observation
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.limits import closes, end
from modelcontext.running.products.target import Target, origin_of
from modelcontext.running.serving.http import HOSTS

# Seconds between two checks for the return of a page that has left.
AWAY = 0.05
# A promise that resolves when the coordinator in the page says that the run is over.
RESULT = "window[Symbol.for('modelcontext.result')]"

S = TypeVar("S")
T = TypeVar("T")


async def in_turn(work: Callable[[S], Awaitable[T]], items: Iterable[S], count: int) -> list[T]:
    """Do the work for all items, for ``count`` of them at a time; begin, and return the results, in their order."""
    rest = enumerate(items)
    results: dict[int, T] = {}

    async def work_on() -> None:
        for number, item in rest:
            results[number] = await work(item)

    working = [asyncio.create_task(work_on()) for _ in range(count)]
    try:
        await asyncio.gather(*working)
    finally:
        await end(working)
    return [results[number] for number in sorted(results)]


class PlaywrightBrowser:
    """A browser that Playwright drives. ``scripts`` run in every document; ``version`` is that of the product."""

    def __init__(self, playwright: Any, browser: Any, target: Target, scripts: Sequence[str]) -> None:
        self.version = target.version(browser)
        self.target = target
        self._playwright = playwright
        self._browser = browser
        self._scripts = scripts

    @classmethod
    async def start(cls, target: Target, scripts: Sequence[str]) -> PlaywrightBrowser:
        """Start the browser of a product. Raises :class:`UnavailableError`."""
        binary = target.find_binary()
        playwright = await start_playwright()
        try:
            browser = await target.engine.launch(playwright, binary, [HOSTS["insecure"]])
        except BaseException:
            await playwright.stop()
            raise
        return cls(playwright, browser, target, scripts)

    def find_binary(self) -> Path:
        """Return the binary that runs, which may be Playwright's own."""
        return self.target.find_binary() or Path(getattr(self._playwright, self.target.engine.name).executable_path)

    def is_connected(self) -> bool:
        """Return whether the browser is running and reachable."""
        return bool(self._browser.is_connected())

    async def new_context(self) -> Any:
        """Make a Playwright context with the scripts."""
        context = await self._browser.new_context()
        for script in self._scripts:
            await context.add_init_script(script)
        return context

    async def close(self) -> None:
        """Stop the browser."""
        try:
            # A browser that takes longer, or has lost its driver, ends with the driver.
            await closes(self._browser.close())
        finally:
            await self._playwright.stop()


class Tab(ABC):
    """A page that stays.

    ``crashed`` is set when a process of it has ended, or with a message in ``fault`` when the product itself has failed.
    """

    crashed: asyncio.Event
    fault = ""

    @abstractmethod
    async def open(self, url: str, beside: str) -> None:
        """Replace the page by a new one with that URL.

        A tab that keeps another page, which shares the processes of its sites, loads that one from ``beside``.
        """

    async def open_again(self, url: str) -> bool:
        """Replace the page after a crash and keep the other page. Return whether that can be done."""
        return False

    @abstractmethod
    async def call(self, expression: str) -> Any:
        """Evaluate an expression, and wait for its promise. Raises an error of Playwright or of the protocol."""

    async def is_sound(self) -> bool:
        """Return whether certainly nothing in the tab hangs, after a program that did not end."""
        return False

    @abstractmethod
    async def close_popups(self) -> None:
        """Close the pages that programs have opened."""

    async def result_of(self, run: Coroutine[Any, Any, dict[str, Any]], patience: float) -> dict[str, Any] | None:
        """Return the result of a run in the tab, or ``None`` if it has none after ``patience`` seconds.

        A crash, and a fault of the product, is a result in the form of those that the coordinator in the page reports.
        """
        crash = asyncio.ensure_future(self.crashed.wait())
        running = asyncio.ensure_future(run)
        try:
            await asyncio.wait({crash, running}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if crash.done() and self.fault:
                return {Ending.ERROR: self.fault}
            if crash.done():
                return {Ending.CRASH: "the renderer process crashed"}
            return running.result() if running.done() else None
        finally:
            await end([crash, running])


def observation_of(result: Mapping[str, Any]) -> Observation:
    """Return the observation of a result, which has an outcome as JSON or a detail, by the ending."""
    if Ending.OUTCOME in result:
        return Observation(Ending.OUTCOME, outcomes.loads(result[Ending.OUTCOME]), cut=tuple(result.get("cut", ())))
    ending = next(ending for ending in Ending if ending in result)
    return Observation(ending, detail=str(result[ending]))


class ProgramPage(Tab):
    """A page that runs programs one after the other, replaced after a crash or a hang.

    ``error`` is the first uncaught exception after :meth:`open`.
    """

    def __init__(self, browser: PlaywrightBrowser) -> None:
        self.crashed = asyncio.Event()
        self.error = ""
        self._browser = browser
        self._target = browser.target
        self._context: Any = None
        self._page: Any = None
        self._evaluate: Callable[[str], Awaitable[Any]]
        self._lasting: Sequence[Any] = ()
        self._opened_for = ""
        self._leaves = False

    def abandon(self) -> None:
        """Give the next program a new page."""
        self._page = None

    async def open(self, url: str, beside: str = "") -> None:
        """Replace the page by a new one with that URL."""
        await self._replace(url)
        self._page.once("pageerror", self._note_error)
        await self._page.goto(url)

    async def call(self, expression: str) -> Any:
        """Evaluate an expression in the page, and wait for its promise. Raises an error of Playwright."""
        return await self._evaluate(expression)

    async def close_popups(self) -> None:
        """Close the pages that those of the product have opened."""
        for page in self._context.pages:
            if page not in self._lasting:
                await page.close()

    async def close(self) -> None:
        """Close the context. One that hangs or is gone already ends with the browser."""
        if self._context is not None:
            await closes(self._context.close())

    async def observe(self, url: str, patience: float, *, leaves: bool = False) -> Observation:
        """Run the program whose top document has that URL, for at most ``patience`` seconds.

        With ``leaves`` the document goes into the back/forward cache and comes back.
        """
        from playwright.async_api import Error

        other_origin = self._target.binds_page_to_origin and self._opened_for != origin_of(url)
        if self._page is None or leaves or self._leaves or other_origin:
            await self._replace(url, leaves=leaves)
        try:
            result = await self.result_of(self._run(url, leaves), patience)
        except Error as error:
            result = {Ending.ERROR: error.message.splitlines()[0]}
        if result is None:
            result = {Ending.TIMEOUT: f"the run did not come to rest in {patience:g} seconds"}
        if Ending.OUTCOME not in result:
            self.abandon()
        return observation_of(result)

    async def _replace(self, url: str, *, leaves: bool = False) -> None:
        """Replace the page by one with nothing of the old one, for documents of the origin of that URL.

        With ``leaves`` they can go into the back/forward cache.
        """
        if leaves and self._leaves and self._page is not None and self._opened_for == origin_of(url):
            # The documents in the cache go with their page.
            await self._page.close()
            self._page = await self._context.new_page()
        else:
            await self.close()
            self.crashed.clear()
            self._context = await self._browser.new_context()
            self.fault = ""
            self._page = await self._target.open_page(self._context, url, self._note_fault, leaves=leaves)
            self._lasting = list(self._context.pages)
            self._opened_for = origin_of(url)
            self._leaves = leaves
            self._page.on("crash", lambda _page: self.crashed.set())
            self._context.on("page", lambda popup: popup.on("crash", lambda _popup: self.crashed.set()))
        self._evaluate = await self._target.engine.evaluator(self._context, self._page)

    def _note_error(self, error: Any) -> None:
        self.error = f"{error.name}: {error.message}"

    def _note_fault(self, message: str) -> None:
        self.fault = self.fault or message
        self.crashed.set()

    async def _run(self, url: str, leaves: bool) -> dict[str, Any]:
        await self._page.goto(url, wait_until="domcontentloaded")
        if leaves:
            return await self._result_after_leaving()
        result: dict[str, Any] = await self._evaluate(RESULT)
        await self.close_popups()
        return result

    async def _result_after_leaving(self) -> dict[str, Any]:
        """Wait for a result, again and again: waiting ends when the document leaves, and another document has none."""
        from playwright.async_api import Error

        while True:
            with contextlib.suppress(Error):
                result: dict[str, Any] | None = await self._evaluate(RESULT)
                if result:
                    return result
            await asyncio.sleep(AWAY)
