"""The guard of the server: who may ask, and headers that keep its answers where they belong.

The server speaks for pages and for a person, so it answers only this machine, and only who has its token. A page of
somebody's browser is on this machine too: it is kept out by its ``Origin``, and by ``Host`` where it has pointed a name of its
own at this machine.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from modelcontext_agent.exposure.framing import cut

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The names under which this machine is asked.
HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})

#: The characters of the longest message to who is refused.
LONGEST_MESSAGE = 300
#: What needs no token: the chat page, which holds no secret.
OPEN_PATH, OPEN_PREFIX = "/", "/page/"
#: What needs the token of the administrator.
ADMIN_PREFIX = "/chats/config/"

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def problem(status: int, message: str, kind: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the answer to a request that is refused: ``{"error": {"message", "kind"}}``; the message is one line."""
    # It may quote what the request had.
    line = cut(" ".join(message.split()), LONGEST_MESSAGE)
    return JSONResponse({"error": {"message": line, "kind": kind}}, status, headers)


class Guard:
    """An application behind its token.

    Args:
        app: the application.
        token: the token of clients.
        admin_token: the token of who may change the configuration, or None if nobody may. It is a client's token too.
        allowed_origins: the origins, beside the server's own, whose documents may ask.
    """

    def __init__(self, app: ASGIApp, *, token: str, admin_token: str | None, allowed_origins: Sequence[str]) -> None:
        self._app = app
        self._token = token
        self._admin_token = admin_token
        self._allowed_origins = frozenset(allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or let the application answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refused = self._refusal(scope)
        await (refused or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        client = scope.get("client")
        if client is None or not _is_loopback(client[0]):
            return problem(403, "only this machine may ask", "forbidden")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or _name_of(hosts[0]) not in HOSTS:
            return problem(403, "ask this server as 127.0.0.1 or localhost", "forbidden")
        origin = headers.get("origin")
        if origin is not None and origin not in {f"{scope['scheme']}://{hosts[0]}", *self._allowed_origins}:
            return problem(403, "documents of this origin may not ask this server", "forbidden")
        path = scope["path"]
        if path == OPEN_PATH or path.startswith(OPEN_PREFIX):
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        is_bearer = scheme.lower() == "bearer"
        is_admin = is_bearer and _same(given, self._admin_token)
        if not is_admin and not (is_bearer and _same(given, self._token)):
            words = "send the header “Authorization: Bearer TOKEN”, with the token that the server printed"
            return problem(401, words, "unauthorized", {"WWW-Authenticate": "Bearer"})
        if not is_admin and path.startswith(ADMIN_PREFIX):
            return problem(403, "this needs the token of the administrator", "forbidden")
        return None


def _same(given: str, token: str | None) -> bool:
    """Return whether a token is the right one, in a time that tells nothing."""
    return token is not None and hmac.compare_digest(given.strip().encode(), token.encode())


def _name_of(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
