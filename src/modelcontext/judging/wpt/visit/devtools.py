"""Visits by Chromium's DevTools protocol, for tests that do not act as a user, which are most."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.judging.wpt.visit.kept import Kept, Prepared
from modelcontext.judging.wpt.visit.visit import Visit
from modelcontext.running.products.devtools.pipe import ProtocolError
from modelcontext.running.products.limits import within
from modelcontext.running.products.target import origin_of

if TYPE_CHECKING:
    from modelcontext.running.products.devtools.browser import AttachingBrowser, DevtoolsContext, DevtoolsSession

# Seconds that clearing a tab may take.
CLEARING = 2.0
# Whether a document leaves nothing in its tab that navigation keeps. Opening the document removes its frames and all
# listeners. Otherwise those for the end of a document would run late and unseen, while the next test does.
_LEAVES_NOTHING = "document.open(); name === '' && sessionStorage.length === 0"
_CHANNELS = Path(__file__).with_name("channels.js").read_text(encoding="utf-8")


class NeedsUserError(Exception):
    """The test calls testdriver.js, which this driver does not support."""


class PreparedTab(Prepared):
    """A page in a context of its own, with its session.

    It is no longer sound after a crash, after a document of another origin, after a navigation within a document, or after a
    second target (a page, a frame of another process, a worker): their traces are not looked for.
    """

    page: DevtoolsSession

    def __init__(self, scripts: Sequence[str]) -> None:
        super().__init__()
        self.origin = ""
        self.ready: asyncio.Future[Any] | None = None
        self._scripts = [_CHANNELS, *scripts]

    def prepare(self, session: DevtoolsSession, information: Mapping[str, Any]) -> None:
        """Prepare a new target, which waits for that: a page, a frame of another process, a worker."""
        is_document = information["type"] in ("page", "iframe")
        is_first = self.ready is None
        self.is_sound &= is_first
        if is_document:
            if is_first:
                self.page = session
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
        if is_first:
            self.ready = running

    async def clear(self) -> bool:
        """Clear what the document has stored, and return whether it leaves nothing else."""
        answer = await self.page.send("Runtime.evaluate", expression=_LEAVES_NOTHING, returnByValue=True)
        if answer["result"].get("value") is not True:
            return False
        await asyncio.gather(
            self.page.send("Page.resetNavigationHistory"),
            self.page.send("Storage.clearDataForOrigin", origin=self.origin, storageTypes="all"),
            self.page.send("Storage.clearCookies"),
        )
        return True

    def _hear(self, session: DevtoolsSession, event: str, parameters: Mapping[str, Any]) -> None:
        match event:
            case "Inspector.targetCrashed" | "Page.navigatedWithinDocument":
                self.is_sound = False
            case "Page.frameNavigated":
                self.is_sound &= self._is_of_origin(parameters["frame"])
        if isinstance(self.visit, DevtoolsVisit):
            self.visit.hear(session, event, parameters, is_test=session is self.page)

    def _is_of_origin(self, frame: Mapping[str, Any]) -> bool:
        origin: str = frame["securityOrigin"]
        url: str = frame["url"]
        return origin == self.origin or url.startswith("about:")


class KeptTabs(Kept[PreparedTab]):
    """The tabs that serve one test after another, because each shows no trace of the test before it but a longer history.

    A new tab costs more than most tests: a page, and often a process. Tests that look at the history run elsewhere (see
    :class:`Test`).
    """

    def __init__(self, *, reuses: bool) -> None:
        super().__init__()
        self._reuses = reuses

    async def make(self, browser: AttachingBrowser, scripts: Sequence[str]) -> PreparedTab:
        """Return a new tab."""
        tab = PreparedTab(scripts)
        tab.context = await browser.new_context(tab.prepare)
        try:
            await tab.context.open_page()
        except BaseException:
            await tab.context.close()
            raise
        assert tab.ready is not None
        # Otherwise a navigation can overtake the preparations.
        await tab.ready
        return tab

    async def clear(self, prepared: PreparedTab) -> bool:
        """Clear what a test has stored, and return whether it has left nothing else."""
        return self._reuses and await within(CLEARING, prepared.clear())


class DevtoolsVisit(Visit):
    """A visit in a browser that is driven by the protocol itself. ``run`` also raises :class:`NeedsUserError`."""

    _browser: AttachingBrowser
    _page: DevtoolsSession

    async def _new_context(self) -> DevtoolsContext:
        return await self._browser.new_context()

    async def _open(self, prepared: PreparedTab, url: str) -> None:
        prepared.origin = origin_of(url)
        self._page = prepared.page

    def hear(self, session: DevtoolsSession, event: str, parameters: Mapping[str, Any], *, is_test: bool) -> None:
        """Handle an event of the tab; ``is_test`` tells whether it comes from the test's own page."""
        match event:
            case "Runtime.bindingCalled" if parameters["name"] == "modelcontextDrive":
                if not self._ended.done():
                    self._ended.set_exception(NeedsUserError())
            case "Runtime.bindingCalled" if is_test:
                self._report(json.loads(parameters["payload"]))
            case "Inspector.targetCrashed":
                self.note_crash()
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
