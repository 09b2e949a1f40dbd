"""Browsers at the other end of the pipe: one kind attaches to each target, the other only keeps a list of them."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from modelcontext.ground.problems import UnavailableError
from modelcontext.running.products.devtools.pipe import Message, Pipe, ProtocolError

# Seconds that starting a browser may take.
STARTING = 60.0

Listener = Callable[[str, Mapping[str, Any]], None]
Prepare = Callable[["DevtoolsSession", Mapping[str, Any]], None]
# To pages, frames of other processes and workers, before anything in them has run.
_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
_DISCOVER = {"discover": True, "filter": [{"type": "page"}, {"type": "iframe"}]}


class DevtoolsSession:
    """Commands to one target (page, frame or worker) and its events."""

    def __init__(self, browser: DevtoolsBrowser, identifier: str) -> None:
        self._browser = browser
        self._identifier = identifier

    def send(self, method: str, **parameters: Any) -> asyncio.Future[dict[str, Any]]:
        """Send a command at once, and return its future answer, which may be a :class:`ProtocolError`."""
        return self._browser.pipe.send(method, parameters, self._identifier)

    def listen(self, listener: Listener) -> None:
        """Call the listener with method and parameters of each event; ``Target.detachedFromTarget`` is the last one."""
        self._browser.listeners[self._identifier] = listener


class DevtoolsContext:
    """A browser context, whose pages share nothing with other contexts.

    An attaching browser calls ``prepare`` for each target (page, frame of another process, worker), with a session and
    its information; the target waits until it is told to run. A watching browser keeps a list: ``targets`` has the type
    (``page`` or ``iframe``) of pages and frames of other processes, by identifier. ``crash`` is set when one of them has
    crashed; ``crashed`` has the types of those that did.
    """

    def __init__(self, browser: DevtoolsBrowser, identifier: str, prepare: Prepare | None) -> None:
        self.prepare = prepare
        self.targets: dict[str, str] = {}
        self.crashed: set[str] = set()
        self.crash = asyncio.Event()
        self._browser = browser
        self._identifier = identifier

    async def open_page(self, url: str = "about:blank", *, is_drawn: bool = True) -> str:
        """Open a page, and return its identifier as a target. Raises :class:`ProtocolError`.

        Only the headless shell has pages that are not drawn by themselves.
        """
        options = {} if is_drawn else {"enableBeginFrameControl": True}
        answer = await self._browser.send("Target.createTarget", url=url, browserContextId=self._identifier, **options)
        target: str = answer["targetId"]
        return target

    async def close_page(self, target: str) -> None:
        """Close a page. Raises :class:`ProtocolError`."""
        await self._browser.send("Target.closeTarget", targetId=target)

    async def close(self) -> None:
        """Close the context with its pages. Raises :class:`ProtocolError`."""
        await self._browser.send("Target.disposeBrowserContext", browserContextId=self._identifier)
        del self._browser.contexts[self._identifier]


class DevtoolsBrowser(ABC):
    """One browser, made by :meth:`launch`, with its ``contexts`` and the ``listeners`` of sessions by identifier."""

    version: str

    def __init__(self) -> None:
        self.pipe = Pipe(self.hear, self.lose)
        self.contexts: dict[str, DevtoolsContext] = {}
        self.listeners: dict[str, Listener] = {}

    @classmethod
    async def launch(cls, binary: Path, flags: Sequence[str], remedy: str) -> Self:
        """Start a browser. Raises :class:`UnavailableError`."""
        browser = cls()
        await browser.pipe.start(binary, flags)
        try:
            async with asyncio.timeout(STARTING):
                browser.version = (await browser.send("Browser.getVersion"))["product"].partition("/")[2]
                await browser.follow_targets()
        except (ProtocolError, TimeoutError):
            complaint = browser.pipe.complaint()
            await browser.close()
            raise UnavailableError(f"{binary} does not start: {complaint}", remedy) from None
        except BaseException:
            await browser.close()
            raise
        return browser

    def send(self, method: str, **parameters: Any) -> asyncio.Future[dict[str, Any]]:
        """Send a command to the browser itself, as :meth:`DevtoolsSession.send` does to a target."""
        return self.pipe.send(method, parameters)

    def is_connected(self) -> bool:
        """Return whether the browser is running and reachable."""
        return self.pipe.is_connected()

    async def close(self) -> None:
        """End the browser, by force if necessary."""
        await self.pipe.close()

    async def new_context(self, prepare: Prepare | None = None) -> DevtoolsContext:
        """Make a context. Raises :class:`ProtocolError`."""
        answer = await self.send("Target.createBrowserContext", disposeOnDetach=True)
        identifier: str = answer["browserContextId"]
        context = self.contexts[identifier] = DevtoolsContext(self, identifier, prepare)
        return context

    @abstractmethod
    async def follow_targets(self) -> None:
        """Ask the browser for events about targets. Raises :class:`ProtocolError`."""

    def hear(self, message: Message) -> None:
        """Handle an event."""
        match message:
            case {"method": "Target.detachedFromTarget", "params": {"sessionId": identifier}}:
                self._detach(identifier)
            case {"method": method, "params": parameters, "sessionId": identifier} if identifier in self.listeners:
                self.listeners[identifier](method, parameters)

    def lose(self) -> None:
        """Tell all listeners that the browser is gone."""
        for identifier in list(self.listeners):
            self._detach(identifier)

    def _detach(self, identifier: str) -> None:
        listener = self.listeners.pop(identifier, None)
        if listener is not None:
            listener("Target.detachedFromTarget", {})


class AttachingBrowser(DevtoolsBrowser):
    """A browser in which each target has a session from its beginning, and waits until it is told to run."""

    async def follow_targets(self) -> None:
        """Attach to every target."""
        await self.send("Target.setAutoAttach", **_ATTACH)

    def hear(self, message: Message) -> None:
        """Handle an event."""
        match message:
            case {"method": "Target.attachedToTarget", "params": {"sessionId": identifier, "targetInfo": information}}:
                session = DevtoolsSession(self, identifier)
                session.send("Target.setAutoAttach", **_ATTACH)
                # A target without a context is the browser's own.
                context = self.contexts.get(information.get("browserContextId"))
                if context is not None and context.prepare is not None:
                    context.prepare(session, information)
                else:
                    session.send("Runtime.runIfWaitingForDebugger")
            case _:
                super().hear(message)


class WatchingBrowser(DevtoolsBrowser):
    """A browser whose contexts list their targets; sessions are attached on demand."""

    async def attach(self, target: str) -> DevtoolsSession:
        """Return a session with a target. Raises :class:`ProtocolError`."""
        answer = await self.send("Target.attachToTarget", targetId=target, flatten=True)
        return DevtoolsSession(self, answer["sessionId"])

    async def follow_targets(self) -> None:
        """Ask for events about every page and frame of another process."""
        await self.send("Target.setDiscoverTargets", **_DISCOVER)

    def hear(self, message: Message) -> None:
        """Handle an event."""
        match message:
            case {"method": "Target.targetCreated", "params": {"targetInfo": information}}:
                context = self.contexts.get(information.get("browserContextId"))
                if context is not None:
                    context.targets[information["targetId"]] = information["type"]
            case {
                "method": "Target.targetCrashed" | "Target.targetDestroyed" as method,
                "params": {"targetId": target},
            }:
                for context in self.contexts.values():
                    if target in context.targets and method == "Target.targetCrashed":
                        context.crashed.add(context.targets[target])
                        context.crash.set()
                    elif target in context.targets:
                        del context.targets[target]
            case _:
                super().hear(message)
