"""Transports: how clients reach a server, over standard input and output or over HTTP on this machine."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import anyio
import uvicorn
from mcp import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse

from modelcontext_agent.guard import bearer, is_token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from modelcontext_agent.mcp.page_server import PageServer

#: The path of the one endpoint.
PATH = "/mcp"
#: Seconds that calls and open streams have to end when the server stops.
_GRACE = 1


async def serve_stdio(server: PageServer) -> None:
    """Serve one client over standard input and output, until the end of the input."""
    # The library's thread cannot be interrupted while it waits for a line. So it reads what another thread passes on.
    entrance, exit_ = socket.socketpair()
    with closing(entrance), closing(exit_):
        threading.Thread(target=_pass_on, args=(sys.stdin.fileno(), entrance), daemon=True).start()
        serving = asyncio.ensure_future(_serve_lines(server, exit_))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            # The library drops an answer that it is about to write when its input ends.
            await server.answered(_GRACE)
            entrance.shutdown(socket.SHUT_WR)
            await asyncio.wait([serving])
            raise


async def _serve_lines(server: PageServer, input_: socket.socket) -> None:
    with input_.makefile("r", encoding="utf-8", errors="replace") as lines:
        async with stdio_server(stdin=anyio.wrap_file(lines)) as (reading, writing):
            await server.server.run(reading, writing, server.server.create_initialization_options())


def _pass_on(source: int, sink: socket.socket) -> None:
    # The other end has gone when the server has ended.
    with suppress(OSError):
        while chunk := os.read(source, 65_536):
            sink.sendall(chunk)
        sink.shutdown(socket.SHUT_WR)


async def serve_http(server: PageServer, listening: socket.socket, token: str) -> None:
    """Serve clients that have the token over HTTP, until an interrupt."""
    with closing(listening):
        app = http_app(server, listening.getsockname()[1], token)
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=_GRACE)
        uvicorn_server = uvicorn.Server(config)
        serving = asyncio.ensure_future(uvicorn_server.serve(sockets=[listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            # What is answered just now is sent.
            uvicorn_server.should_exit = True
            await asyncio.wait([serving])
            raise


def http_app(server: PageServer, port: int, token: str) -> ASGIApp:
    """Return the application that serves clients which have the token, and no page of a browser.

    Args:
        server: the server.
        port: the port on which it is reached; a request under another name is refused, as a page's would be after it
            pointed its own name at this machine.
        token: each request has it as ``Authorization: Bearer TOKEN``.
    """
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    return _Guarded(server.server.streamable_http_app(streamable_http_path=PATH, transport_security=security), token)


class _Guarded:
    """An application behind a token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_token(bearer(scope), self._token):
            words = "This server wants the header “Authorization: Bearer TOKEN”, with the token of its start.\n"
            headers = {"WWW-Authenticate": "Bearer"}
            await PlainTextResponse(words, status_code=401, headers=headers)(scope, receive, send)
            return
        await self._app(scope, receive, send)
