"""Tabs for the pages of lanes: those that Playwright drives, and those of a Chromium in which nothing follows frames.

Playwright follows every frame of its pages, for which the browser makes another JavaScript world in each. Where frames
come and go by the thousand, that is half of the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from modelcontext.running.products.devtools.browser import DevtoolsContext, DevtoolsSession, WatchingBrowser
from modelcontext.running.products.devtools.pipe import ProtocolError
from modelcontext.running.products.limits import closes, within
from modelcontext.running.products.program_page import PlaywrightBrowser, ProgramPage, Tab
from modelcontext.running.products.target import origin_of
from modelcontext.running.serving.http import HOSTS
from modelcontext.running.serving.turns import FOLDER

#: Seconds after which a process counts as one that hangs.
ANSWERING = 2.0


class DevtoolsTab(Tab):
    """A page of Chromium's in a context of its own; in the headless shell it need not be drawn, which is less work."""

    _page: DevtoolsSession

    def __init__(self, browser: WatchingBrowser, *, is_drawn: bool = True) -> None:
        self.crashed = asyncio.Event()
        self._browser = browser
        self._is_drawn = is_drawn
        self._context: DevtoolsContext | None = None
        self._lasting: list[str] = []

    async def call(self, expression: str) -> Any:
        """Evaluate an expression, and wait for its promise."""
        answer = await self._page.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise ProtocolError(answer["result"].get("description", "the page threw a value without a description"))
        return answer["result"].get("value")

    async def close_popups(self) -> None:
        """Close the pages that programs have opened."""
        assert self._context is not None
        for target, kind in list(self._context.targets.items()):
            if kind == "page" and target not in self._lasting:
                with contextlib.suppress(ProtocolError):  # The page has closed itself.
                    await self._context.close_page(target)

    async def _open_first(self, url: str) -> None:
        """Load the first page of a new context."""
        if self._context is not None:
            # A page that hangs ends with the browser.
            await closes(self._context.close())
        self._context = await self._browser.new_context()
        self.crashed = self._context.crash
        target, self._page = await self._load(url, "Page.domContentEventFired")
        self._lasting = [target]

    async def _load(self, url: str, awaited: str) -> tuple[str, DevtoolsSession]:
        assert self._context is not None
        target = await self._context.open_page(is_drawn=self._is_drawn)
        page = await self._browser.attach(target)
        loaded: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def hear(event: str, parameters: Mapping[str, Any]) -> None:
            if loaded.done():
                return
            if event == awaited:
                loaded.set_result(None)
            elif event in ("Inspector.targetCrashed", "Target.detachedFromTarget"):
                loaded.set_exception(ProtocolError("the page is gone"))

        page.listen(hear)
        await page.send("Page.enable")
        await page.send("Page.navigate", url=url)
        await loaded
        # Otherwise the browser would report every frame.
        await page.send("Page.disable")
        return target, page


class KeepingTab(DevtoolsTab):
    """A tab that keeps another page besides its own."""

    _kept: Sequence[DevtoolsSession] = ()

    async def open(self, url: str, beside: str) -> None:
        """Replace both pages by new ones."""
        await self._open_first(url)
        assert self._context is not None
        target, _ = await self._load(beside, "Page.loadEventFired")
        self._lasting.append(target)
        frames = [target for target, kind in self._context.targets.items() if kind == "iframe"]
        self._kept = [await self._browser.attach(frame) for frame in frames]

    async def open_again(self, url: str) -> bool:
        """Replace the page by a new one in the same context, unless a process of the other page has crashed."""
        assert self._context is not None
        if "iframe" in self._context.crashed:
            return False
        page, *others = self._lasting
        await self._context.close_page(page)
        self._context.crashed.clear()
        self._context.crash.clear()
        target, self._page = await self._load(url, "Page.domContentEventFired")
        self._lasting = [target, *others]
        return True

    async def is_sound(self) -> bool:
        """Return whether the processes of the page, and of the frames of the other page, all answer."""
        asked = [process.send("Runtime.evaluate", expression="0") for process in (self._page, *self._kept)]
        try:
            await within(ANSWERING, asyncio.gather(*asked))
        except (ProtocolError, TimeoutError):
            return False
        return True


class OpenedTab(DevtoolsTab):
    """A tab for product ``page``, whose page is a window that the one with Python has opened.

    It is never certainly sound, because an exception of Python itself lasts.
    """

    async def open(self, url: str, beside: str) -> None:
        """Open a new window with Python, and the page from it."""
        await self._open_first(f"{origin_of(url)}{FOLDER}bootstrap.html")
        await super().call(_OPEN.replace("URL", json.dumps(url)))
        assert self._context is not None
        self._lasting = list(self._context.targets)

    async def call(self, expression: str) -> Any:
        """Evaluate an expression in the page; an exception of Python itself becomes an ``error``."""
        return await super().call(f"Promise.race([opened.{expression}, fault])")


#: Opens the page, and waits until it reports that it has loaded. A fault is reported once, and lasts.
_OPEN = """(async () => {
  await modelcontextReady;
  window.fault = new Promise((resolve) => {
    window.modelcontextFault = (message) => resolve({ error: message });
  });
  const loaded = new Promise((resolve) => addEventListener("message", ({ data }) => data === "loaded" && resolve()));
  window.opened = open(URL);
  await loaded;
})()"""


@dataclass(frozen=True)
class Tabs:
    """The tabs of lanes.

    Attributes:
        browser: the product's own browser, or another one beside it.
        make: makes a tab.
        keep_beside: whether a tab keeps another page, so that its own can write the top document of a program into a
            frame, which saves a navigation.
        need_scripts: whether every document has to load the product's scripts.
    """

    browser: PlaywrightBrowser | WatchingBrowser
    make: Callable[[], Tab]
    keep_beside: bool = False
    need_scripts: bool = False

    async def close(self) -> None:
        """Stop the browser that was started for the tabs, if any."""
        if isinstance(self.browser, WatchingBrowser):
            await self.browser.close()


async def tabs_for(browser: PlaywrightBrowser) -> Tabs:
    """Return the tabs of a product, without Playwright if it is a Chromium. Raises :class:`UnavailableError`."""
    target = browser.target
    flags = target.engine.devtools_flags([HOSTS["insecure"]], for_tests=False)
    if flags is None:
        return Tabs(browser, partial(ProgramPage, browser))
    binary = browser.find_binary()
    shell = target.engine.find_shell(target.binary, binary)
    beside = await WatchingBrowser.launch(shell or binary, flags, target.engine.remedy)
    if target.binds_page_to_origin:
        return Tabs(beside, partial(OpenedTab, beside), need_scripts=True)
    make = partial(KeepingTab, beside, is_drawn=shell is None)
    return Tabs(beside, make, keep_beside=True, need_scripts=True)
