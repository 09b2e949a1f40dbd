"""A receiver of webhooks: a server on the loopback interface that keeps the exact bytes it was sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

#: In place of a status: the connection is closed without an answer, or no answer comes.
CLOSE, HANG = 0, -1


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A server that answers by path: with the next status of the path's script, and 204 after them."""

    scripts: dict[str, list[int]] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)
    port: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def at(self, path: str) -> list[Received]:
        return [request for request in self.received if request.path == path]

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Receiver]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            body = await reader.readexactly(int(headers["content-length"]))
            path = head[0].split(" ")[1]
            self.received.append(Received(path, headers, body))
            self.arrived.set()
            script = self.scripts.get(path)
            status = script.pop(0) if script else 204
            if status == HANG:
                await reader.read()
            elif status != CLOSE:
                location = b"location: http://127.0.0.1:1/\r\n" if 300 <= status < 400 else b""
                answer = b"HTTP/1.1 %d X\r\n%scontent-length: 0\r\nconnection: close\r\n\r\n"
                writer.write(answer % (status, location))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
