"""Visits by Chromium's DevTools protocol, for tests that do not act as a user, which are most."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.visit.visit import Visit
from modelcontext.running.products.devtools.pipe import ProtocolError

if TYPE_CHECKING:
    import asyncio

    from modelcontext.running.products.devtools.browser import AttachingBrowser, DevtoolsContext, DevtoolsSession

_CHANNELS = Path(__file__).with_name("channels.js").read_text(encoding="utf-8")


class NeedsUserError(Exception):
    """The test calls testdriver.js, which this driver does not support."""


class DevtoolsVisit(Visit):
    """A visit in a browser that is driven by the protocol itself. ``run`` also raises :class:`NeedsUserError`."""

    _browser: AttachingBrowser
    _page: DevtoolsSession

    def __init__(self, browser: AttachingBrowser, test: str, scripts: Sequence[str]) -> None:
        super().__init__(browser, test, [_CHANNELS, *scripts])
        self._ready: asyncio.Future[Any] | None = None

    async def _new_context(self) -> DevtoolsContext:
        return await self._browser.new_context(self._prepare)

    async def _open(self, url: str) -> None:
        await self.context.open_page()
        assert self._ready is not None
        # Otherwise a navigation can overtake the preparations.
        await self._ready

    def _prepare(self, session: DevtoolsSession, information: Mapping[str, Any]) -> None:
        """Prepare a new target, which waits for that: a page, a frame of another process, a worker."""
        is_document = information["type"] in ("page", "iframe")
        is_test = is_document and self._ready is None
        if is_document:
            if is_test:
                self._page = session
                session.send("Runtime.addBinding", name="modelcontextReport")
                session.send("Emulation.setFocusEmulationEnabled", enabled=True)
            session.listen(lambda event, parameters: self._hear(session, event, parameters))
            session.send("Page.enable")
            session.send("Inspector.enable")
            # Without it only contexts that exist already get bindings.
            session.send("Runtime.enable")
            session.send("Runtime.addBinding", name="modelcontextDrive")
            for script in self._scripts:
                session.send("Page.addScriptToEvaluateOnNewDocument", source=script, runImmediately=True)
        running = session.send("Runtime.runIfWaitingForDebugger")
        if is_test:
            self._ready = running

    def _hear(self, session: DevtoolsSession, event: str, parameters: Mapping[str, Any]) -> None:
        is_test = session is self._page
        match event:
            case "Runtime.bindingCalled" if parameters["name"] == "modelcontextDrive":
                if not self._ended.done():
                    self._ended.set_exception(NeedsUserError())
            case "Runtime.bindingCalled" if is_test:
                self._report(json.loads(parameters["payload"]))
            case "Inspector.targetCrashed":
                self._crashed()
            case "Page.domContentEventFired" if is_test:
                self._loaded()
            case "Page.javascriptDialogOpening":
                session.send("Page.handleJavaScriptDialog", accept=parameters["type"] == "beforeunload")
            case "Target.detachedFromTarget" if is_test:
                self._closed()

    async def _go(self, url: str) -> None:
        answer = await self._page.send("Page.navigate", url=url)
        if "errorText" in answer:
            raise ProtocolError(answer["errorText"])

    async def _evaluate(self, expression: str) -> Any:
        answer = await self._page.send("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"]["value"]

    async def _take_picture(self) -> bytes:
        answer = await self._page.send("Page.captureScreenshot", format="jpeg", quality=40)
        return base64.b64decode(answer["data"])

    def _is_of_the_browser(self, error: Exception) -> bool:
        return isinstance(error, ProtocolError)
