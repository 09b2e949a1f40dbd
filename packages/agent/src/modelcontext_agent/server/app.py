"""The application of the server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from modelcontext_agent.chat.chat_errors import ChatError, ToolsNeededError
from modelcontext_agent.server.chats import ChatEndpoints
from modelcontext_agent.server.markdown import send_html
from modelcontext_agent.server.token_guard import TokenGuard, problem

if TYPE_CHECKING:
    from starlette.requests import Request

    from modelcontext_agent.chat.service import ChatService
    from modelcontext_agent.server.chats import ChatHost

_PAGE = Path(__file__).parent / "page"
_KINDS = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 409: "conflict", 413: "too_large"}


def create_app(
    service: ChatService,
    *,
    token: str,
    models: Sequence[str],
    admin_token: str | None = None,
    allowed_origins: Sequence[str] = (),
    frame_origins: Sequence[str] = (),
    host: ChatHost | None = None,
    routes: Sequence[BaseRoute] = (),
    unguarded: Sequence[BaseRoute] = (),
) -> Starlette:
    """Return the application that serves chats, and a page for people, on this machine.

    Args:
        service: the chats.
        token: the token that each request carries, but those for the chat page.
        models: the names of the models that a chat may have; the first one is the default.
        admin_token: the token of who may change the configuration; None means nobody.
        allowed_origins: the serialized origins, beside the server's own, whose documents may ask.
        frame_origins: the serialized origins whose pages may have the chat page in a frame.
        host: the page whose tools the chats have whose clients bring none.
        routes: further routes behind the guard.
        unguarded: routes with a guard of their own, as remote pages have them.
    """
    guard = Middleware(
        TokenGuard,
        token=token,
        admin_token=admin_token,
        allowed_origins=allowed_origins,
        frame_origins=frame_origins,
    )
    page = [
        Route("/", _send_page),
        Route("/markdown", send_html, methods=["POST"]),
        Mount("/page", StaticFiles(directory=_PAGE)),
    ]
    guarded = Starlette(
        routes=[*routes, *ChatEndpoints(service, models, host).routes(), *page],
        middleware=[guard],
        exception_handlers={ChatError: _refuse, HTTPException: _refuse_path, Exception: _fail},
    )
    # A path is right or wrong; a redirect would only confuse who asks.
    guarded.router.redirect_slashes = False
    return Starlette(routes=[*unguarded, Mount("/", guarded)])


async def _send_page(request: Request) -> Response:
    return FileResponse(_PAGE / "index.html")


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, ChatError)
    kind = "tools_needed" if isinstance(error, ToolsNeededError) else _KINDS[error.status]
    return problem(error.status, str(error), kind)


async def _refuse_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = _KINDS.get(error.status_code, "bad_request")
    headers = dict(error.headers) if error.headers else None
    words = {404: "this server has no such path", 405: f"this path does not take {request.method}"}
    return problem(error.status_code, words.get(error.status_code, error.detail), kind, headers)


async def _fail(request: Request, error: Exception) -> Response:
    # The server's log has the rest.
    return problem(500, "the server failed; look at its log", "internal")
