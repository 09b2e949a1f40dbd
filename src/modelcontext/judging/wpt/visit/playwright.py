"""Visits by Playwright, in every browser and with all actions that tests ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.results import FileStatus
from modelcontext.judging.wpt.visit.driver import Driver
from modelcontext.judging.wpt.visit.kept import Kept, Prepared
from modelcontext.judging.wpt.visit.visit import Visit
from modelcontext.running.products.engine import is_driver_gone

if TYPE_CHECKING:
    from modelcontext.running.products.target import Target


class PreparedContext(Prepared):
    """A context of Playwright's in which tests can be visited.

    It is no longer sound once a page has crashed or the product has failed.
    """

    def watch(self, page: Any) -> None:
        """End the visit when a page crashes."""
        page.on("crash", lambda _: self._note_crash())

    def note_fault(self, message: str) -> None:
        """End the visit, because the product itself has failed."""
        self.is_sound = False
        if self.visit is not None:
            self.visit.stop(FileStatus.ERROR, message)

    def _note_crash(self) -> None:
        self.is_sound = False
        if self.visit is not None:
            self.visit.note_crash()


class KeptContexts(Kept[PreparedContext]):
    """The contexts of a product that serve one test after another.

    Only a product whose API takes long to start in a context has such (see :meth:`Target.clears`). Its tests share cookies
    and storage, as in other runners of such tests; windows, documents and tools are those of one test.
    """

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target

    async def make(self, browser: Any, scripts: Sequence[str]) -> PreparedContext:
        """Return a new context."""
        context = await browser.new_context(ignore_https_errors=True)
        for script in scripts:
            await context.add_init_script(script)
        await context.expose_binding("modelcontextDrive", Driver(self.target, context).act)
        prepared = PreparedContext(context)
        context.on("page", prepared.watch)
        return prepared

    async def clear(self, prepared: PreparedContext) -> bool:
        """Close the pages that a test has opened, if the product allows it."""
        return await self.target.clears(prepared.context)


class PlaywrightVisit(Visit):
    """A visit in a browser that Playwright drives."""

    _kept: KeptContexts

    def __init__(self, kept: KeptContexts, browser: Any, test: str, scripts: Sequence[str]) -> None:
        super().__init__(kept, browser, test, scripts)
        self._page: Any = None

    async def _new_context(self) -> Any:
        return await self._browser.new_context(ignore_https_errors=True)

    async def _open(self, prepared: PreparedContext, url: str) -> None:
        self._page = page = await self._kept.target.open_page(prepared.context, url, prepared.note_fault)
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
