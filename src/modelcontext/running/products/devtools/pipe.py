"""The process of a browser, and the pipe for commands, answers and events."""

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

# Seconds that ending a browser may take.
ENDING = 5.0
# The limit of a message; a picture of a page is the largest one.
_LARGEST = 1 << 28
# The pipe has to be at the descriptors 3 and 4, which may be taken here.
_INHERIT = (
    "import fcntl, os, sys; read, write, *command = sys.argv[1:];"
    "read, write = (fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in (read, write));"
    "os.dup2(read, 3); os.dup2(write, 4); os.execv(command[0], command)"
)
# The file in the folder with the browser's standard error.
_STDERR = "stderr.txt"

Message = Mapping[str, Any]


class ProtocolError(Exception):
    """The browser refused a command, or is gone."""


class Pipe:
    """The process of a browser with the pipe to it, once started.

    ``process`` leads a process group of its own; ``folder`` has the browser's profile. ``hear`` is called with each
    event, and ``end`` when the browser is gone.
    """

    process: asyncio.subprocess.Process

    def __init__(self, hear: Callable[[Message], None], end: Callable[[], None]) -> None:
        # A killed browser can still write to the folder.
        self.folder = tempfile.TemporaryDirectory(prefix="modelcontext-", ignore_cleanup_errors=True)
        self._hear = hear
        self._end = end
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def start(self, binary: Path, flags: Sequence[str]) -> None:
        """Start the browser."""
        theirs, write = os.pipe()
        read, their_end = os.pipe()
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=_LARGEST)
        source = os.fdopen(read, "rb", buffering=0)
        self._source, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write, "wb", buffering=0))
        folder = f"--user-data-dir={self.folder.name}"
        command = [str(binary), *flags, "--remote-debugging-pipe", folder, "--no-startup-window"]
        output = os.open(Path(self.folder.name, _STDERR), os.O_WRONLY | os.O_CREAT)
        try:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-S", "-E", "-c", _INHERIT, str(theirs), str(their_end), *command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=output,
                pass_fds=(theirs, their_end),
                # An interrupt from the keyboard is for this process, which then closes the browser.
                start_new_session=True,
            )
        finally:
            for end in (theirs, their_end, output):
                os.close(end)
        self._reading = asyncio.ensure_future(self._read(reader))

    def is_connected(self) -> bool:
        """Return whether the browser is running and reachable."""
        # A child of a killed browser can hold the other pipe open for a while.
        return not (self._reading.done() or self._writer.is_closing())

    def send(
        self, method: str, parameters: Mapping[str, Any], session: str | None = None
    ) -> asyncio.Future[dict[str, Any]]:
        """Send a command at once, and return its future answer, which may be a :class:`ProtocolError`."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        # Not every caller waits for the answer; then a failure is not of interest either.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        if not self.is_connected():
            answer.set_exception(ProtocolError("the browser is gone"))
            return answer
        number = next(self._numbers)
        self._answers[number] = answer
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        self._writer.write(json.dumps(message).encode() + b"\0")
        return answer

    def complaint(self) -> str:
        """Return the first line that the browser has written to its standard error."""
        text = Path(self.folder.name, _STDERR).read_text(encoding="utf-8", errors="replace")
        return next((line for line in text.splitlines() if line.strip()), "it ends at once")

    async def close(self) -> None:
        """End the browser, by force if necessary."""
        self.send("Browser.close", {})
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDING):
                    await self.process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self._source.close()
            self._writer.close()
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            await self.process.wait()
            self.folder.cleanup()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    message = json.loads((await reader.readuntil(b"\0"))[:-1])
                    if "id" in message:
                        _answer(self._answers.pop(message["id"]), message)
                    else:
                        self._hear(message)
        finally:
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(ProtocolError("the browser is gone"))
            self._answers.clear()
            self._end()


def _answer(answer: asyncio.Future[dict[str, Any]], message: Message) -> None:
    if answer.done():
        return
    if "error" in message:
        answer.set_exception(ProtocolError(message["error"].get("message", "the browser refused a command")))
    else:
        answer.set_result(message["result"])
