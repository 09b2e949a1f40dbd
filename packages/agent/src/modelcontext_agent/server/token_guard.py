"""The guard of the server: tokens for its paths, and headers that keep its answers where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse

from modelcontext_agent.exposure.framing import cut
from modelcontext_agent.guard import bearer, is_token, refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The characters of the longest message to who is refused.
LONGEST_MESSAGE = 300
#: What needs no token: the chat page, which holds no secret.
OPEN_PATH, OPEN_PREFIX = "/", "/page/"
#: What needs the token of the administrator.
ADMIN_PREFIX = "/chats/config/"

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
        " base-uri 'none'; form-action 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def problem(status: int, message: str, kind: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the answer to a request that is refused: ``{"error": {"message", "kind"}}``; the message is one line."""
    # It may quote what the request had.
    line = cut(" ".join(message.split()), LONGEST_MESSAGE)
    return JSONResponse({"error": {"message": line, "kind": kind}}, status, headers)


class TokenGuard:
    """An application behind its token.

    Args:
        app: the application.
        token: the token of clients.
        admin_token: the token of who may change the configuration, or None if nobody may. It is a client's token too.
        allowed_origins: the origins, beside the server's own, whose documents may ask.
        frame_origins: the origins whose pages may have the chat page in a frame.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        admin_token: str | None,
        allowed_origins: Sequence[str],
        frame_origins: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._token = token
        self._admin_token = admin_token
        self._allowed_origins = frozenset(allowed_origins)
        ancestors = " ".join(frame_origins) or "'none'"
        policy = f"{_HEADERS['Content-Security-Policy']}; frame-ancestors {ancestors}"
        self._headers = {**_HEADERS, "Content-Security-Policy": policy}
        if not frame_origins:
            self._headers["X-Frame-Options"] = "DENY"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or let the application answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refused = self._refusal(scope)
        await (refused or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        reason = refusal(scope, self._allowed_origins)
        if reason is not None:
            return problem(403, reason, "forbidden")
        path = scope["path"]
        if path == OPEN_PATH or path.startswith(OPEN_PREFIX):
            return None
        given = bearer(scope)
        is_admin = is_token(given, self._admin_token)
        if not is_admin and not is_token(given, self._token):
            words = "send the header “Authorization: Bearer TOKEN”, with the token that the server printed"
            return problem(401, words, "unauthorized", {"WWW-Authenticate": "Bearer"})
        if not is_admin and path.startswith(ADMIN_PREFIX) and scope["method"] not in ("GET", "HEAD"):
            return problem(403, "this needs the token of the administrator", "forbidden")
        return None
