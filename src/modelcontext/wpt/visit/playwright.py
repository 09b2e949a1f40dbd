"""Visits by Playwright, in every browser and with all actions that tests ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from modelcontext.products.engine import is_driver_gone
from modelcontext.wpt.results import FileStatus
from modelcontext.wpt.visit.driver import Driver
from modelcontext.wpt.visit.visit import Visit

if TYPE_CHECKING:
    from modelcontext.products.target import Target


class PlaywrightVisit(Visit):
    """A visit in a browser that Playwright drives."""

    def __init__(self, target: Target, browser: Any, test: str, scripts: Sequence[str]) -> None:
        super().__init__(browser, test, scripts)
        self._target = target
        self._page: Any = None

    async def _new_context(self) -> Any:
        return await self._browser.new_context(ignore_https_errors=True)

    async def _open(self, url: str) -> None:
        for script in self._scripts:
            await self.context.add_init_script(script)
        driver = Driver(self._target, self.context)
        await self.context.expose_binding("modelcontextDrive", driver.act)
        self._page = page = await self._target.open_page(self.context, url, self._fault)
        await page.expose_binding("modelcontextReport", self._receive)
        page.on("crash", lambda _: self._crashed())
        page.on("close", lambda _: self._closed())
        page.on("domcontentloaded", lambda _: self._loaded())
        self.context.on("page", lambda other: other.on("crash", lambda _: self._crashed()))

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

    def _fault(self, message: str) -> None:
        self._end(FileStatus.ERROR, f"the product itself failed: {message}")
