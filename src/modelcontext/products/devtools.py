"""Chromium by its DevTools protocol, over a pipe: for pages that need nothing but to be opened, faster than by Playwright.

What Playwright adds to a page (an isolated world in each frame, every request of the network twice on its way) costs more
than a short test does.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from modelcontext.problems import UnavailableError

# Seconds that starting a browser, and ending one, may take.
STARTING = 60.0
ENDING = 5.0
# A picture of a page is the largest message.
_LARGEST = 1 << 28
# The pipe has to be at the descriptors 3 and 4, which may be taken.
_INHERIT = (
    "import fcntl, os, sys; read, write, *command = sys.argv[1:];"
    "read, write = (fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in (read, write));"
    "os.dup2(read, 3); os.dup2(write, 4); os.execv(command[0], command)"
)

Listener = Callable[[str, Mapping[str, Any]], None]
Prepare = Callable[["Session", Mapping[str, Any]], None]
# To pages, frames of other processes and workers, before anything in them has run.
_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
_DISCOVER = {"discover": True, "filter": [{"type": "page"}, {"type": "iframe"}]}


class ProtocolError(Exception):
    """The browser refused a command, or is gone."""


class Session:
    """Commands to one target (page, frame or worker) and its events, or commands to the browser itself."""

    def __init__(self, browser: DevtoolsBrowser, identifier: str | None) -> None:
        self._browser = browser
        self._identifier = identifier

    def send(self, method: str, **parameters: Any) -> asyncio.Future[dict[str, Any]]:
        """Send a command at once; what it gives is an answer, or raises :class:`ProtocolError`."""
        return self._browser.send(self._identifier, method, parameters)

    def listen(self, listener: Listener) -> None:
        """Hear its events, by method and parameters, from now on; ``Target.detachedFromTarget`` is the last one."""
        assert self._identifier is not None
        self._browser.listeners[self._identifier] = listener


class Context:
    """A browser context: what is in it shares nothing with others.

    ``targets`` are its pages and its frames of other processes by identifier, each ``page`` or ``iframe``. ``crash`` is set
    when one of them has crashed; ``crashed`` says what those are that did.
    """

    def __init__(self, browser: DevtoolsBrowser, identifier: str, prepare: Prepare) -> None:
        self.prepare = prepare
        self.targets: dict[str, str] = {}
        self.crashed: set[str] = set()
        self.crash = asyncio.Event()
        self._browser = browser
        self._identifier = identifier

    async def open_page(self, url: str = "about:blank", *, is_drawn: bool = True) -> str:
        """Open a page; its identifier as a target is returned. Raises :class:`ProtocolError`.

        Only the headless shell knows pages that are not drawn unless somebody asks.
        """
        options = {} if is_drawn else {"enableBeginFrameControl": True}
        answer = await self._browser.root.send(
            "Target.createTarget", url=url, browserContextId=self._identifier, **options
        )
        target: str = answer["targetId"]
        return target

    def lose(self, target: str, *, crashed: bool) -> None:
        """Note that a target is gone, or that it has crashed."""
        if crashed:
            self.crashed.add(self.targets[target])
            self.crash.set()
        else:
            del self.targets[target]

    async def close_page(self, target: str) -> None:
        """Close a page. Raises :class:`ProtocolError`."""
        await self._browser.root.send("Target.closeTarget", targetId=target)

    async def close(self) -> None:
        """Close everything in it. Raises :class:`ProtocolError`."""
        await self._browser.root.send("Target.disposeBrowserContext", browserContextId=self._identifier)
        del self._browser.contexts[self._identifier]


class DevtoolsBrowser:
    """One browser; made by :func:`launch`. ``version`` is its version, ``root`` the session of the browser itself.

    ``process`` leads a process group of its own, ``folder`` has the browser's profile. ``attaches`` says that there is a
    session with each target, which waits for it; where it is not so, contexts know what targets they have.
    """

    version = ""

    def __init__(
        self, process: asyncio.subprocess.Process, folder: tempfile.TemporaryDirectory[str], *, attaches: bool
    ) -> None:
        self.root = Session(self, None)
        self.listeners: dict[str, Listener] = {}
        self.contexts: dict[str, Context] = {}
        self.process = process
        self.folder = folder
        self._attaches = attaches
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._source: asyncio.ReadTransport | None = None
        self._writer: asyncio.WriteTransport | None = None

    async def connect(self, read: int, write: int) -> None:
        """Take over the ends of the pipe. Raises :class:`ProtocolError`, and ``TimeoutError``."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=_LARGEST)
        pipe = os.fdopen(read, "rb", buffering=0)
        self._source, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write, "wb", buffering=0))
        self._reading = asyncio.ensure_future(self._read(reader))
        async with asyncio.timeout(STARTING):
            product = (await self.root.send("Browser.getVersion"))["product"]
            if self._attaches:
                await self.root.send("Target.setAutoAttach", **_ATTACH)
            else:
                await self.root.send("Target.setDiscoverTargets", **_DISCOVER)
        self.version = product.partition("/")[2]

    async def new_context(self, prepare: Prepare = lambda session, information: None) -> Context:
        """A fresh context. Raises :class:`ProtocolError`.

        ``prepare`` gets each session with a target in it (page, frame of another process, worker), and what the browser
        says of that; a target that is attached to by itself waits until it is told to run.
        """
        answer = await self.root.send("Target.createBrowserContext", disposeOnDetach=True)
        identifier: str = answer["browserContextId"]
        context = self.contexts[identifier] = Context(self, identifier, prepare)
        return context

    async def attach(self, target: str) -> Session:
        """A session with a target. Raises :class:`ProtocolError`."""
        answer = await self.root.send("Target.attachToTarget", targetId=target, flatten=True)
        return Session(self, answer["sessionId"])

    def is_connected(self) -> bool:
        """Whether the browser is there."""
        return self._reading is not None and not self._reading.done()

    def send(self, session: str | None, method: str, parameters: Mapping[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """Send a command, as :meth:`Session.send`."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        # Not everybody waits for an answer, and then nobody needs to know that there was none.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self._writer is None or not self.is_connected():
            answer.set_exception(ProtocolError("the browser is gone"))
            return answer
        number = next(self._numbers)
        self._answers[number] = answer
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        self._writer.write(json.dumps(message).encode() + b"\0")
        return answer

    async def close(self) -> None:
        """End the browser, by force if it does not otherwise."""
        self.root.send("Browser.close")
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDING):
                    await self.process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            for pipe in (self._source, self._writer):
                if pipe is not None:
                    pipe.close()
            if self._reading is not None:
                self._reading.cancel()
                await asyncio.gather(self._reading, return_exceptions=True)
            await self.process.wait()
            self.folder.cleanup()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    self._take(json.loads((await reader.readuntil(b"\0"))[:-1]))
        finally:
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(ProtocolError("the browser is gone"))
            self._answers.clear()
            for identifier in list(self.listeners):
                self._detach(identifier)

    def _take(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"id": number}:
                self._take_answer(self._answers.pop(number), message)
            case {"method": "Target.attachedToTarget", "params": {"sessionId": identifier, "targetInfo": information}}:
                session = Session(self, identifier)
                if self._attaches:
                    session.send("Target.setAutoAttach", **_ATTACH)
                # One without a context is the browser's own.
                context = self.contexts.get(information.get("browserContextId"))
                (context.prepare if context is not None else _let_run)(session, information)
            case {"method": "Target.targetCreated", "params": {"targetInfo": information}}:
                context = self.contexts.get(information.get("browserContextId"))
                if context is not None:
                    context.targets[information["targetId"]] = information["type"]
            case {
                "method": "Target.targetCrashed" | "Target.targetDestroyed" as method,
                "params": {"targetId": target},
            }:
                for context in self.contexts.values():
                    if target in context.targets:
                        context.lose(target, crashed=method == "Target.targetCrashed")
            case {"method": "Target.detachedFromTarget", "params": {"sessionId": identifier}}:
                self._detach(identifier)
            case {"method": method, "params": parameters, "sessionId": identifier} if identifier in self.listeners:
                self.listeners[identifier](method, parameters)

    def _detach(self, identifier: str) -> None:
        listener = self.listeners.pop(identifier, None)
        if listener is not None:
            listener("Target.detachedFromTarget", {})

    def _take_answer(self, answer: asyncio.Future[dict[str, Any]], message: Mapping[str, Any]) -> None:
        if answer.done():
            return
        if "error" in message:
            answer.set_exception(ProtocolError(message["error"].get("message", "the browser refused a command")))
        else:
            answer.set_result(message["result"])


def _let_run(session: Session, _information: Mapping[str, Any]) -> None:
    session.send("Runtime.runIfWaitingForDebugger")


async def launch(binary: Path, flags: Sequence[str], remedy: str, *, attaches: bool = True) -> DevtoolsBrowser:
    """Start a browser. Raises :class:`UnavailableError`."""
    # A browser that is killed can still be writing there.
    folder = tempfile.TemporaryDirectory(prefix="modelcontext-", ignore_cleanup_errors=True)
    theirs, write = os.pipe()
    read, their_end = os.pipe()
    command = [str(binary), *flags, "--remote-debugging-pipe", f"--user-data-dir={folder.name}", "--no-startup-window"]
    said = Path(folder.name, "said.txt")
    with said.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-S", "-E", "-c", _INHERIT, str(theirs), str(their_end), *command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=output,
            pass_fds=(theirs, their_end),
            # An interrupt from the keyboard is for this process, which then closes the browser.
            start_new_session=True,
        )
    os.close(theirs)
    os.close(their_end)
    browser = DevtoolsBrowser(process, folder, attaches=attaches)
    try:
        await browser.connect(read, write)
    except (ProtocolError, TimeoutError):
        lines = [line for line in said.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        await browser.close()
        raise UnavailableError(f"{binary} does not start: {(lines or ['it ends at once'])[0]}", remedy) from None
    except BaseException:
        await browser.close()
        raise
    return browser
