"""Opening one test in a context of its own, until it has reported or cannot report any more."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from modelcontext.harness.wpt.driver import Driver
from modelcontext.harness.wpt.results import FileStatus, file_status
from modelcontext.products.target import Target

# Seconds that taking a picture of a page may take.
PICTURE = 2.0
# Seconds after which a browser that gives no context or page is as good as gone.
OPENING = 60.0
HAS_HARNESS = "() => typeof add_completion_callback === 'function'"


class LostError(Exception):
    """The browser is gone, for whatever reason, and with it every test that was under way in it."""


@dataclass(frozen=True)
class Ending:
    """How a visit ended: with a ``report`` of testharness.js, or with a status for which there is none.

    ``screenshot`` is a JPEG of the page, where the file did not end as it should and the page could still be seen.
    """

    status: FileStatus
    message: str | None
    report: dict[str, Any] | None = None
    screenshot: bytes | None = None

    @property
    def is_sound(self) -> bool:
        """Whether the file came to its end."""
        status = self.status if self.report is None else file_status(self.report)
        return status in (FileStatus.OK, FileStatus.PRECONDITION_FAILED)


class Visit:
    """One visit. ``context`` is to be closed after it, however it ended."""

    def __init__(self, target: Target, browser: Any, scripts: Sequence[str]) -> None:
        self.context: Any = None
        self._target = target
        self._browser = browser
        self._scripts = scripts
        self._page: Any = None
        self._documents = 0
        self._tasks: set[asyncio.Future[Any]] = set()
        self._ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()

    async def run(self, url: str, limit: float) -> Ending:
        """Open the test and wait, for ``limit`` seconds at most. Raises :class:`LostError`."""
        from playwright.async_api import Error

        try:
            ending = await self._run(url, limit)
            if not ending.is_sound:
                ending = replace(ending, screenshot=await self._picture())
        except Exception as error:
            # Where Playwright's driver is gone, Playwright raises what has no class of its own.
            if not isinstance(error, Error) and type(error) is not Exception:
                raise
            ending = Ending(FileStatus.ERROR, str(error).splitlines()[0])
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        if ending.report is None and not await self._answers():
            raise LostError
        return ending

    async def _run(self, url: str, limit: float) -> Ending:
        try:
            async with asyncio.timeout(OPENING):
                await self._open(url)
        except TimeoutError:
            raise LostError from None
        going = self._spawn(self._page.goto(url, wait_until="commit"))
        going.add_done_callback(self._note_failure)
        try:
            async with asyncio.timeout(limit):
                return await self._ended
        except TimeoutError:
            return Ending(FileStatus.TIMEOUT, f"no result within {limit:g} seconds")

    async def _open(self, url: str) -> None:
        self.context = await self._browser.new_context(ignore_https_errors=True)
        for script in self._scripts:
            await self.context.add_init_script(script)
        driver = Driver(self._target, self.context)
        await self.context.expose_binding("modelcontextDrive", driver.act)
        self._page = page = await self._target.open_page(self.context, url, self._fault)
        await page.expose_binding("modelcontextReport", self._receive)
        page.on("crash", self._crashed)
        page.on("close", lambda _: self._end(FileStatus.ERROR, "the test closed its own page"))
        page.on("domcontentloaded", self._loaded)
        self.context.on("page", lambda other: other.on("crash", self._crashed))

    async def _picture(self) -> bytes | None:
        # A page that is closed or has crashed cannot be seen, and one that is in a loop does not draw.
        with contextlib.suppress(Exception):
            async with asyncio.timeout(PICTURE):
                picture: bytes = await self._page.screenshot(type="jpeg", quality=40)
                return picture
        return None

    async def _answers(self) -> bool:
        """Whether the browser is still there. (The news that a page is gone can come before the news that all is.)"""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(OPENING):
                await self._open_and_close()
                return True
        return False

    async def _open_and_close(self) -> None:
        await (await self._browser.new_context()).close()

    def _spawn(self, work: Any) -> asyncio.Future[Any]:
        task: asyncio.Future[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        return task

    def _end(self, status: FileStatus, message: str | None, report: dict[str, Any] | None = None) -> None:
        if not self._ended.done():
            self._ended.set_result(Ending(status, message, report))

    def _receive(self, source: dict[str, Any], report: dict[str, Any]) -> None:
        # Frames of a test can load testharness.js too; the result is that of the page itself.
        if source["frame"] == self._page.main_frame:
            self._end(FileStatus.OK, None, report)

    def _crashed(self, _page: Any) -> None:
        self._end(FileStatus.CRASH, "the renderer process crashed")

    def _fault(self, message: str) -> None:
        self._end(FileStatus.ERROR, f"the product itself failed: {message}")

    def _note_failure(self, task: asyncio.Future[Any]) -> None:
        if task.cancelled() or (error := task.exception()) is None:
            return
        # A page that crashes or closes itself while it loads ends the navigation too; those events say more.
        message = f"the test did not load: {str(error).splitlines()[0]}"
        asyncio.get_running_loop().call_later(1.0, self._end, FileStatus.ERROR, message)

    def _loaded(self, _page: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self._spawn(self._look_at_the_next_document())

    async def _look_at_the_next_document(self) -> None:
        # A test may reload itself, or go on in a second page: then that one reports.
        with contextlib.suppress(Exception):
            if not await self._page.evaluate(HAS_HARNESS):
                self._end(FileStatus.ERROR, f"the test navigated away, to {self._page.url}")
