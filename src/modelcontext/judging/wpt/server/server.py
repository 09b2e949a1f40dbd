"""A server of tests over HTTP and HTTPS on the loopback address, under the names of web-platform-tests.

The browser has to be told that these names lead here. The certificate is made for the run, and no browser trusts it.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from typing import TYPE_CHECKING, Self

from modelcontext.ground.problems import PortError, UnavailableError
from modelcontext.judging.wpt.server.hosts import HOST, NAMES, Ports
from modelcontext.running.serving.turns import TURNS, Turns

if TYPE_CHECKING:
    from starlette.requests import Request

    from modelcontext.judging.wpt.tree import Tree

REMEDY = "pip install 'modelcontext[wpt]'"
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")


class TestServer:
    """A server of the files of a tree, on a thread of its own; a context manager."""

    __test__ = False  # for pytest, which takes the name for that of a test

    def __init__(self, tree: Tree) -> None:
        try:
            import trustme
            import uvicorn
            from starlette.applications import Starlette
            from starlette.concurrency import run_in_threadpool
            from starlette.responses import Response
            from starlette.routing import Route
        except ModuleNotFoundError as error:
            raise UnavailableError(f"the package {error.name} is not installed", REMEDY) from None

        from modelcontext.judging.wpt.server.answers import answer
        from modelcontext.judging.wpt.server.handlers import Stash

        self._sockets = [_listen() for _ in range(4)]
        numbers = [int(listening.getsockname()[1]) for listening in self._sockets]
        self.ports: Ports = {"http": numbers[:2], "https": numbers[2:]}

        stash = Stash()
        turns = Turns()

        async def endpoint(request: Request) -> Response:
            body = await request.body()
            return await run_in_threadpool(answer, request, body, tree, self.ports, stash)

        async def turn(request: Request) -> Response:
            if request.method == "POST":
                turns.tell(request.url.path, await request.body())
                return Response(status_code=204)
            told = await run_in_threadpool(turns.wait, request.url.path)
            return Response(told, 404 if told is None else 200, {"Cache-Control": "no-store"}, "application/json")

        routes = [
            Route(TURNS + "{name}", turn, methods=["GET", "POST"]),
            Route("/{path:path}", endpoint, methods=METHODS),
        ]
        application = Starlette(routes=routes)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trustme.CA().issue_cert(*NAMES).configure_cert(context)

        def server(secure: bool) -> uvicorn.Server:
            return uvicorn.Server(
                uvicorn.Config(
                    application,
                    log_config=None,
                    log_level="critical",
                    access_log=False,
                    lifespan="off",
                    ws="none",
                    proxy_headers=False,
                    server_header=False,
                    timeout_graceful_shutdown=1,
                    ssl_context_factory=(lambda config, default: context) if secure else None,
                )
            )

        self._servers = [server(False), server(True)]
        self._thread = threading.Thread(target=self._run, name="tests server", daemon=True)

    def url(self, path: str, *, secure: bool) -> str:
        """Return the URL of a test."""
        scheme = "https" if secure else "http"
        return f"{scheme}://{HOST}:{self.ports[scheme][0]}{path}"

    def _run(self) -> None:
        async def serve() -> None:
            plain, secure = self._servers
            await asyncio.gather(plain.serve(self._sockets[:2]), secure.serve(self._sockets[2:]))

        asyncio.run(serve())

    def __enter__(self) -> Self:
        # The sockets listen already: a client that connects before the thread is ready only waits.
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.should_exit = True
        self._thread.join()
        for listening in self._sockets:
            listening.close()


def _listen() -> socket.socket:
    listening = socket.socket()
    try:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise PortError(f"cannot listen on the loopback address: {error.strerror or error}") from None
    return listening
