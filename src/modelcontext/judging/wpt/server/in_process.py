"""The tests' server as a function: the same rules, without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from modelcontext.ground.problems import UnavailableError
from modelcontext.hosts.scripting.resources import Answer, Request, Server

if TYPE_CHECKING:
    from modelcontext.judging.wpt.server.hosts import Ports
    from modelcontext.judging.wpt.tree import Tree

PORTS: Ports = {"http": (8000, 8001), "https": (8443, 8444)}


def server_of(tree: Tree) -> Server:
    """Return a server with the rules of the tests' server.

    Raises:
        UnavailableError: if its packages are not installed.
    """
    try:
        from starlette.requests import Request as ServerRequest
    except ModuleNotFoundError as error:
        raise UnavailableError(
            f"the package {error.name} is not installed", "pip install 'modelcontext[wpt]'"
        ) from None
    from modelcontext.judging.wpt.server.answers import answer
    from modelcontext.judging.wpt.server.handlers import Stash

    stash = Stash()

    def serve(request: Request) -> Answer:
        parts = urlsplit(request.url)
        headers = [(name.lower().encode(), value.encode()) for name, value in request.headers]
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "scheme": parts.scheme,
            "server": (parts.hostname, parts.port),
            "root_path": "",
            "path": parts.path,
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "headers": [(b"host", parts.netloc.encode()), *headers],
        }
        response = answer(ServerRequest(scope), request.body, tree, PORTS, stash)
        pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in response.raw_headers]
        return Answer(response.status_code, tuple(pairs), bytes(response.body))

    return serve
