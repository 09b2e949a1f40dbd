"""Where lanes have their page: a tab that Playwright looks after, or one of Chromium that nothing follows.

Playwright follows every frame of its pages, for which the browser makes another JavaScript world in each; where frames come
and go by the thousand, that is half of the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import Any, Protocol

from modelcontext.products import devtools
from modelcontext.products.browser import CLOSING, Session
from modelcontext.products.devtools import ProtocolError
from modelcontext.products.target import origin_of
from modelcontext.serving.turns import FOLDER

#: Seconds after which a process counts as one that hangs.
ANSWERING = 2.0


class Tab(Protocol):
    """A page that stays. ``crashed`` is set when a process of it has ended."""

    crashed: asyncio.Event

    async def open(self, url: str) -> None:
        """Go on in a new page, at that address."""

    async def open_again(self, url: str) -> bool:
        """Replace the page by a new one after a crash; what is beside it stays. Returns whether that can be done."""

    async def keep(self, url: str) -> None:
        """Load another page beside it, which stays as long and shares the processes of its sites."""

    async def call(self, expression: str) -> Any:
        """Evaluate an expression, and wait for its promise. Raises an error of Playwright or of the protocol."""

    async def is_sound(self) -> bool:
        """Whether it is certain that nothing in it hangs, after a program that did not come to its end."""

    async def close_popups(self) -> None:
        """Close whatever pages those beside it have opened."""

    async def close(self) -> None:
        """Close the page."""


class PlaywrightTab:
    """A page of Playwright's, with the scripts of the product in every document."""

    def __init__(self, session: Session) -> None:
        self._session = type(session)(session._playwright, session._browser, session._target, session._scripts)
        self.crashed = self._session._crashed

    async def open(self, url: str) -> None:
        """Go on in a new page, at that address."""
        await self._session.fresh_page(url)
        await self._session._page.goto(url)

    async def open_again(self, url: str) -> bool:
        """Nothing is done: the page has to be opened as the first time."""
        return False

    async def keep(self, url: str) -> None:
        """Nothing is done: the page has those frames itself."""

    async def call(self, expression: str) -> Any:
        """Evaluate an expression, and wait for its promise."""
        return await self._session._page.evaluate(expression)

    async def is_sound(self) -> bool:
        """It is never certain: nobody can ask the processes of its frames."""
        return False

    async def close_popups(self) -> None:
        """Close whatever pages have been opened."""
        await self._session.close_popups()

    async def close(self) -> None:
        """Close the page."""
        if self._session._context is not None:
            await asyncio.wait_for(self._session._context.close(), CLOSING)


class DevtoolsTab:
    """A page of Chromium's in a context of its own; in the headless shell it need not be drawn, which is less work."""

    def __init__(self, browser: devtools.DevtoolsBrowser, *, is_drawn: bool = True) -> None:
        self._browser = browser
        self._is_drawn = is_drawn
        self._context: devtools.Context | None = None
        self._lasting: list[str] = []
        self._page: devtools.Session | None = None
        self._kept: list[devtools.Session] = []
        self.crashed = asyncio.Event()

    async def open(self, url: str) -> None:
        """Go on in a new page, at that address."""
        await self.close()
        self._context = await self._browser.new_context()
        self.crashed = self._context.crash
        self._lasting = [await self._show(url)]
        self._kept = []

    async def open_again(self, url: str) -> bool:
        """Go on in a new page of the same context, at that address, if nothing has crashed that the page beside it needs."""
        assert self._context is not None
        if "iframe" in self._context.crashed:
            return False
        page, *others = self._lasting
        await self._context.close_page(page)
        self._context.crashed.clear()
        self._context.crash.clear()
        self._lasting = [await self._show(url), *others]
        return True

    async def keep(self, url: str) -> None:
        """Load another page beside it."""
        assert self._context is not None
        target, _ = await self._load(url, "Page.loadEventFired")
        self._lasting.append(target)
        frames = [target for target, kind in self._context.targets.items() if kind == "iframe"]
        self._kept = [await self._browser.attach(frame) for frame in frames]

    async def is_sound(self) -> bool:
        """Whether the processes of the page, and of the frames of the one beside it, all answer."""
        assert self._page is not None
        asked = [process.send("Runtime.evaluate", expression="0") for process in (self._page, *self._kept)]
        try:
            await asyncio.wait_for(asyncio.gather(*asked), ANSWERING)
        except (ProtocolError, TimeoutError):
            return False
        return True

    async def call(self, expression: str) -> Any:
        """Evaluate an expression, and wait for its promise."""
        assert self._page is not None
        answer = await self._page.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise ProtocolError(answer["result"].get("description", "the page has thrown something"))
        return answer["result"].get("value")

    async def close_popups(self) -> None:
        """Close whatever pages have been opened."""
        assert self._context is not None
        for target, kind in list(self._context.targets.items()):
            if kind == "page" and target not in self._lasting:
                with contextlib.suppress(ProtocolError):  # It has closed itself.
                    await self._context.close_page(target)

    async def close(self) -> None:
        """Close the page."""
        if self._context is not None:
            # A page that hangs is left behind and ends with the browser.
            with contextlib.suppress(ProtocolError, TimeoutError):
                await asyncio.wait_for(self._context.close(), CLOSING)
            self._context = None

    async def _show(self, url: str) -> str:
        target, self._page = await self._load(url, "Page.domContentEventFired")
        return target

    async def _load(self, url: str, awaited: str) -> tuple[str, devtools.Session]:
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
        # Or the browser would tell of every frame.
        await page.send("Page.disable")
        return target, page


class OpenedTab(DevtoolsTab):
    """The same for product ``page``: the page is a window that the one with Python has opened."""

    async def open(self, url: str) -> None:
        """Go on in a new page, at that address."""
        await super().open(f"{origin_of(url)}{FOLDER}bootstrap.html")
        await super().call(_OPEN.replace("URL", json.dumps(url)))

    async def open_again(self, url: str) -> bool:
        """Nothing is done: the page has to be opened as the first time."""
        return False

    async def keep(self, url: str) -> None:
        """Nothing is done: the page has those frames itself."""
        assert self._context is not None
        self._lasting = list(self._context.targets)

    async def is_sound(self) -> bool:
        """It is never certain: an exception of Python itself lasts."""
        return False

    async def call(self, expression: str) -> Any:
        """Evaluate an expression in the page; an exception of Python itself becomes an ``error``."""
        return await super().call(f"Promise.race([opened.{expression}, fault])")


#: Opens the page, and waits until it tells that it has loaded. A fault is told once, and lasts.
_OPEN = """(async () => {
  await modelcontextReady;
  window.fault = new Promise((resolve) => {
    window.modelcontextFault = (message) => resolve({ error: `the product itself failed: ${message}` });
  });
  const loaded = new Promise((resolve) => addEventListener("message", ({ data }) => data === "loaded" && resolve()));
  window.opened = open(URL);
  await loaded;
})()"""
