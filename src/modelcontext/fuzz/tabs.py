"""Where lanes have their page: a tab that Playwright looks after, or one of Chromium that it does not know of.

Playwright follows every frame of its pages, for which the browser makes another JavaScript world in each; where frames come
and go by the thousand, that is half of the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from modelcontext.products.browser import CLOSING, Session
from modelcontext.products.page import FOLDER
from modelcontext.products.target import origin_of


class Tab(Protocol):
    """A page that stays. ``crashed`` is set when its process has ended."""

    crashed: asyncio.Event

    async def open(self, url: str) -> None:
        """Go on in a new page, at that address."""

    async def open_again(self, url: str) -> bool:
        """Replace the page by a new one after a crash; what is beside it stays. Returns whether that can be done."""

    async def keep(self, url: str) -> None:
        """Load another page beside it, which stays as long and shares the processes of its sites."""

    async def call(self, expression: str) -> Any:
        """Evaluate an expression, and wait for its promise. Raises Playwright's ``Error`` if that fails."""

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

    async def close(self) -> None:
        """Close the page."""
        if self._session._context is not None:
            await asyncio.wait_for(self._session._context.close(), CLOSING)


class ChromiumTab:
    """A page of Chromium's that Playwright does not know of, in a context of its own, over the protocol for debuggers."""

    #: Whether the page is hidden: then no tab of the user interface has to follow what it does.
    hidden: ClassVar[bool] = True

    def __init__(self, session: Session) -> None:
        self._browser = session._browser
        self._protocol: Any = None
        self._context = ""
        self._target = ""
        self._session = ""
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self.crashed = asyncio.Event()

    async def open(self, url: str) -> None:
        """Go on in a new page, at that address."""
        await self._leave()
        if self._protocol is None:
            self._protocol = await self._browser.new_browser_cdp_session()
            self._protocol.on("Target.receivedMessageFromTarget", self._hear)
        send = self._protocol.send
        self._context = (await send("Target.createBrowserContext", {"disposeOnDetach": True}))["browserContextId"]
        await self._show(url)

    async def open_again(self, url: str) -> bool:
        """Go on in a new page of the same context, at that address."""
        await self._protocol.send("Target.closeTarget", {"targetId": self._target})
        await self._show(url)
        return True

    async def keep(self, url: str) -> None:
        """Load another page beside it."""
        await self._create(url)

    async def _show(self, url: str) -> None:
        self.crashed.clear()
        self._target = await self._create("about:blank")
        attached = await self._protocol.send("Target.attachToTarget", {"targetId": self._target, "flatten": False})
        self._session = attached["sessionId"]
        await self._ask("Page.enable")
        loaded = self._expect(_LOADED)
        await self._ask("Page.navigate", url=url)
        await loaded
        await self._ask("Page.disable")

    async def _create(self, url: str) -> str:
        target = {"url": url, "browserContextId": self._context, "hidden": self.hidden}
        created: Mapping[str, str] = await self._protocol.send("Target.createTarget", target)
        return created["targetId"]

    async def call(self, expression: str) -> Any:
        """Evaluate an expression, and wait for its promise."""
        from playwright.async_api import Error

        answer = await self._ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        result = answer.get("result", {})
        if "exceptionDetails" in result or "result" not in result:
            raise Error(str(answer.get("error") or result.get("exceptionDetails")))
        return result["result"].get("value")

    async def close(self) -> None:
        """Close the page."""
        if self._protocol is not None:
            await self._leave()
            await asyncio.wait_for(self._protocol.detach(), CLOSING)
            self._protocol = None

    async def _leave(self) -> None:
        if self._context:
            # A page that hangs is left behind and ends with the browser.
            dispose = self._protocol.send("Target.disposeBrowserContext", {"browserContextId": self._context})
            with contextlib.suppress(Exception):
                await asyncio.wait_for(dispose, CLOSING)
        self._context = ""
        self._answers.clear()

    async def _ask(self, method: str, **parameters: Any) -> Mapping[str, Any]:
        number = next(self._numbers)
        answer = self._expect(number)
        message = json.dumps({"id": number, "method": method, "params": parameters})
        await self._protocol.send("Target.sendMessageToTarget", {"sessionId": self._session, "message": message})
        return await answer

    def _expect(self, number: int) -> asyncio.Future[Mapping[str, Any]]:
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        return answer

    def _hear(self, event: Mapping[str, Any]) -> None:
        if event["sessionId"] != self._session:
            return
        message = json.loads(event["message"])
        method = message.get("method")
        if method == "Inspector.targetCrashed":
            self.crashed.set()
        number = _LOADED if method == "Page.domContentEventFired" else message.get("id")
        answer = self._answers.pop(number, None)
        if answer is not None and not answer.done():
            answer.set_result(message)


class OpenedTab(ChromiumTab):
    """The same for product ``page``: the page is a window that the one with Python has opened."""

    hidden = False

    async def open(self, url: str) -> None:
        """Go on in a new page, at that address."""
        await super().open(f"{origin_of(url)}{FOLDER}bootstrap.html")
        await super().call(_OPEN.replace("URL", json.dumps(url)))

    async def open_again(self, url: str) -> bool:
        """Nothing is done: the page has to be opened as the first time."""
        return False

    async def keep(self, url: str) -> None:
        """Nothing is done: the page has those frames itself."""

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
#: The number under which the end of parsing is expected; those of messages are positive.
_LOADED = 0
