"""A visit: one test is open in a context, until it has reported or cannot report."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.results import FileStatus, Result, SubtestStatus, from_report
from modelcontext.running.products.limits import end, within

if TYPE_CHECKING:
    from modelcontext.judging.wpt.visit.kept import Kept, Prepared

# Seconds that a picture of a page may take.
PICTURE = 2.0
# Seconds after which a browser that does not open a context or page counts as lost.
OPENING = 60.0
# Facts about a document: whether it has testharness.js, its URL, the status of the response, its text.
_LOOK = """[
  typeof add_completion_callback === "function",
  location.href,
  performance.getEntriesByType("navigation")[0].responseStatus,
  document.documentElement.textContent,
]"""


class LostError(Exception):
    """The browser is gone, and with it every test that was running in it."""


class Visit(ABC):
    """One visit to the test at a path, in a context of those that are kept, or in a new one. It has to be closed in any case.

    ``has_reported`` tells whether the result is what testharness.js has reported.
    """

    def __init__(self, kept: Kept[Any], browser: Any, test: str, scripts: Sequence[str]) -> None:
        self.has_reported = False
        self._kept = kept
        self._url = ""
        self._prepared: Prepared | None = None
        self._browser = browser
        self._test = test
        self._scripts = scripts
        self._documents = 0
        self._tasks: set[asyncio.Future[Any]] = set()
        self._ended: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

    async def run(self, url: str, limit: float) -> Result:
        """Open the test and wait, for at most ``limit`` seconds from its answer on. Raises :class:`LostError`."""
        try:
            result = await self._run(url, limit)
            if result.status not in (FileStatus.OK, FileStatus.PRECONDITION_FAILED):
                result = replace(result, screenshot=await self._picture())
        except Exception as error:
            if not self._is_of_the_browser(error):
                raise
            self.has_reported = False
            result = Result(self._test, FileStatus.ERROR, str(error).splitlines()[0])
        finally:
            await end(self._tasks)
        if not self.has_reported and not await self._answers():
            raise LostError
        return result

    async def _run(self, url: str, limit: float) -> Result:
        try:
            await within(OPENING, self._enter(url))
        except TimeoutError:
            raise LostError from None
        loading = self._spawn(self._load(url))
        # testharness.js measures from its own start, which a busy machine can delay by many seconds.
        await asyncio.wait({loading, self._ended}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        try:
            return await within(limit, self._ended)
        except TimeoutError:
            return Result(self._test, FileStatus.TIMEOUT, f"no result within {limit:g} seconds")

    async def close(self) -> None:
        """Close all that the test has opened, and the context, unless it can serve another test."""
        prepared, self._prepared = self._prepared, None
        if prepared is None:
            return
        prepared.visit = None
        # Clearing tells whether the browser still answers.
        with contextlib.suppress(Exception):
            if self._has_ended() and await self._kept.put_back(prepared, self._browser, self._url, self._scripts):
                return
        await prepared.context.close()

    def _has_ended(self) -> bool:
        """Return whether the test has come to its end, so that none of its steps run any more."""
        statuses = [subtest.status for subtest in self._ended.result().subtests] if self.has_reported else []
        return bool(statuses) and not {SubtestStatus.TIMEOUT, SubtestStatus.NOTRUN} & {*statuses}

    def stop(self, status: FileStatus, message: str) -> None:
        """End the visit with this result, unless it has one."""
        if not self._ended.done():
            self._ended.set_result(Result(self._test, status, message))

    def note_crash(self) -> None:
        """End the visit, because a page has crashed."""
        self.stop(FileStatus.CRASH, "the renderer process crashed")

    async def _enter(self, url: str) -> None:
        self._url = url
        self._prepared = prepared = await self._kept.take(self._browser, url, self._scripts)
        prepared.visit = self
        prepared.tests += 1
        await self._open(prepared, url)

    @abstractmethod
    async def _new_context(self) -> Any:
        """Make a context that is not prepared, which has ``close``."""

    @abstractmethod
    async def _open(self, prepared: Any, url: str) -> None:
        """Make a page in the prepared context where the URL can be opened."""

    @abstractmethod
    async def _go(self, url: str) -> None:
        """Begin to load the test. Raises an error of the browser if that fails."""

    @abstractmethod
    async def _evaluate(self, expression: str) -> Any:
        """Return the JSON value of an expression in the current document."""

    @abstractmethod
    async def _take_picture(self) -> bytes:
        """Return the page as a JPEG."""

    @abstractmethod
    def _is_of_the_browser(self, error: Exception) -> bool:
        """Return whether the exception comes from the browser or its driver."""

    async def _picture(self) -> bytes | None:
        # A page that is closed, has crashed or is in a loop does not draw.
        with contextlib.suppress(Exception):
            return await within(PICTURE, self._take_picture())
        return None

    async def _answers(self) -> bool:
        """Return whether the browser still works, because the event of a lost page can come before that of a lost browser."""
        with contextlib.suppress(Exception):
            await within(OPENING, self._open_and_close())
            return True
        return False

    async def _open_and_close(self) -> None:
        await (await self._new_context()).close()

    def _spawn(self, work: Any) -> asyncio.Future[Any]:
        task: asyncio.Future[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        return task

    def _report(self, report: dict[str, Any]) -> None:
        if not self._ended.done():
            self.has_reported = True
            self._ended.set_result(from_report(self._test, report))

    def _closed(self) -> None:
        self.stop(FileStatus.ERROR, "the test closed its own page")

    async def _load(self, url: str) -> None:
        try:
            await self._go(url)
        except Exception as error:
            # A page that crashes or closes itself also ends its navigation; those events say more, so they come first.
            message = f"the test did not load: {str(error).splitlines()[0]}"
            asyncio.get_running_loop().call_later(1.0, self.stop, FileStatus.ERROR, message)

    def _loaded(self) -> None:
        self._documents += 1
        if not self._ended.done():
            self._spawn(self._look(is_first=self._documents == 1))

    async def _look(self, *, is_first: bool) -> None:
        # A test may reload itself or navigate to a second page, which then reports.
        with contextlib.suppress(Exception):
            has_harness, address, status, text = await self._evaluate(_LOOK)
            if not has_harness and not is_first:
                self.stop(FileStatus.ERROR, f"the test navigated away, to {address}")
            elif not has_harness and status >= 400:
                self.stop(FileStatus.ERROR, f"the server answered {status}: {text}")
