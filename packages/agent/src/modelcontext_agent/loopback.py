"""Serving an application on this machine, with uvicorn, beside other tasks of the event loop."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import uvicorn

from modelcontext.ground.problems import PortError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

#: The seconds that open streams have to end when the server stops.
_GRACE = 1


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signals: they are the program's, which serves beside other work."""
        yield


def listen(port: int) -> socket.socket:
    """Return a socket that listens on the loopback address; port 0 takes any free one.

    Raises:
        PortError: if the port cannot be had.
    """
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortError(
                f"port {port} is in use; stop the program that listens there, or choose another port"
            ) from None
        raise PortError(f"cannot listen on port {port}: {error.strerror}; choose another port") from None


@asynccontextmanager
async def serving(app: ASGIApp, listening: socket.socket) -> AsyncIterator[str]:
    """Serve an application while the block runs, and give its address. Streams that are open at the end are cut off.

    Args:
        app: the application.
        listening: what :func:`listen` returned; it is closed at the end.
    """
    with listening:
        config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=_GRACE)
        server = _Server(config)
        task = asyncio.create_task(server.serve([listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task
