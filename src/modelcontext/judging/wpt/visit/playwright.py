"""Visits by Playwright, in every browser and with all actions that tests ask for."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.results import FileStatus
from modelcontext.judging.wpt.visit.driver import Driver
from modelcontext.judging.wpt.visit.visit import Visit
from modelcontext.running.products.engine import is_driver_gone
from modelcontext.running.products.target import origin_of

if TYPE_CHECKING:
    from modelcontext.running.products.target import Target

# The number of tests that one context serves at most, because their documents leave memory behind.
MOST_TESTS = 25


@dataclass(eq=False)
class PreparedContext:
    """A context of Playwright's in which tests can be visited.

    ``visit`` is there now, ``tests`` counts all, and ``is_sound`` is false once a page has crashed or the product has failed.
    """

    context: Any
    visit: PlaywrightVisit | None = None
    tests: int = 0
    is_sound: bool = True

    def watch(self, page: Any) -> None:
        """End the visit when a page crashes."""
        page.on("crash", lambda _: self._note_crash())

    def note_fault(self, message: str) -> None:
        """End the visit, because the product itself has failed."""
        self.is_sound = False
        if self.visit is not None:
            self.visit.note_fault(message)

    def _note_crash(self) -> None:
        self.is_sound = False
        if self.visit is not None:
            self.visit.note_crash()


class KeptContexts:
    """The contexts that have served a test of a product and can serve another one.

    Only a product whose API takes long to start in a context has such (see :meth:`Target.clears`). Its tests share cookies
    and storage, as in other runners of such tests; windows, documents and tools are those of one test.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self._kept: dict[tuple[Any, ...], list[PreparedContext]] = {}

    async def take(self, browser: Any, origin: str, scripts: Sequence[str]) -> PreparedContext:
        """Return a context of a browser for a test of an origin. The scripts run in every document before its own."""
        kept = self._kept.setdefault((browser, origin, *scripts), [])
        if kept:
            return kept.pop()
        context = await browser.new_context(ignore_https_errors=True)
        for script in scripts:
            await context.add_init_script(script)
        await context.expose_binding("modelcontextDrive", Driver(self.target, context).act)
        prepared = PreparedContext(context)
        context.on("page", prepared.watch)
        return prepared

    async def put_back(self, prepared: PreparedContext, browser: Any, origin: str, scripts: Sequence[str]) -> bool:
        """Clear a context for another test, and return whether that was possible."""
        if prepared.tests >= MOST_TESTS or not await self.target.clears(prepared.context) or not prepared.is_sound:
            return False
        self._kept[(browser, origin, *scripts)].append(prepared)
        return True


class PlaywrightVisit(Visit):
    """A visit in a browser that Playwright drives."""

    def __init__(self, contexts: KeptContexts, browser: Any, test: str, scripts: Sequence[str]) -> None:
        super().__init__(browser, test, scripts)
        self._contexts = contexts
        self._prepared: PreparedContext | None = None
        self._origin = ""
        self._page: Any = None

    def note_fault(self, message: str) -> None:
        """End the visit, because the product itself has failed."""
        self._end(FileStatus.ERROR, message)

    def note_crash(self) -> None:
        """End the visit, because a page has crashed."""
        self._crashed()

    async def close(self) -> None:
        """Close all that the test has opened, and the context, unless it can serve another test."""
        prepared, self._prepared = self._prepared, None
        if prepared is None:
            return
        prepared.visit = None
        # Closing tells whether the browser still answers.
        with contextlib.suppress(Exception):
            if self.has_reported and await self._contexts.put_back(
                prepared, self._browser, self._origin, self._scripts
            ):
                return
        await super().close()

    async def _new_context(self) -> Any:
        return await self._browser.new_context(ignore_https_errors=True)

    async def _enter(self, url: str) -> None:
        self._origin = origin_of(url)
        self._prepared = prepared = await self._contexts.take(self._browser, self._origin, self._scripts)
        self.context = prepared.context
        prepared.visit = self
        prepared.tests += 1
        await self._open(url)

    async def _open(self, url: str) -> None:
        assert self._prepared is not None
        self._page = page = await self._contexts.target.open_page(self.context, url, self._prepared.note_fault)
        await page.expose_binding("modelcontextReport", self._receive)
        page.on("close", lambda _: self._closed())
        page.on("domcontentloaded", lambda _: self._loaded())

    async def _go(self, url: str) -> None:
        await self._page.goto(url, wait_until="commit")

    async def _evaluate(self, expression: str) -> Any:
        return await self._page.evaluate(expression)

    async def _take_picture(self) -> bytes:
        picture: bytes = await self._page.screenshot(type="jpeg", quality=40)
        return picture

    def _is_of_the_browser(self, error: Exception) -> bool:
        from playwright.async_api import Error

        return isinstance(error, Error) or is_driver_gone(error)

    def _receive(self, source: dict[str, Any], report: dict[str, Any]) -> None:
        # Frames of a test can load testharness.js, too; only the page's own report counts.
        if source["frame"] == self._page.main_frame:
            self._report(report)
