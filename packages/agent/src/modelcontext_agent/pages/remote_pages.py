"""Remote pages: a page in somebody's browser that loads ``remote.js`` from here, and so becomes an agent's page.

    <script src="http://127.0.0.1:8000/pages/remote.js" data-token="…"></script>

Frames load the same script without the token. Messages go to the page as server-sent events, and its answers are posted.
The script runs among the page's own, which can lie to it about their own document, and about no other: the server takes the
origin from the browser, and names documents itself. Its last step is a lookup by name, as
:mod:`modelcontext_agent.pages.doors` tells.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from modelcontext.ground.joining import function_of_modules
from modelcontext.judging.clients.page_tools import MAIN_FRAME
from modelcontext_agent.guard import BodyError, bearer, is_token, json_object, read_body, refusal
from modelcontext_agent.pages.doors import PATIENCE, DocumentTools, Door, DoorClosedError, PageWithDoors

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

#: The largest body that a page may post, in bytes.
LARGEST_BODY = 2**25
# Connections without a stream yet, unused tickets, and tabs without a connection, of which each the oldest are forgotten.
_KEPT = 100
# The characters of the word by which a document names itself.
_WORD = 32
_FRAME = re.compile(r"frame(-\d{1,6}){1,20}")


@dataclass(eq=False)
class _Connection:
    """A connected document, which is a :class:`Door`."""

    page: RemotePage
    frame: str
    origin: str
    document: str
    queue: asyncio.Queue[dict[str, Any] | None] = field(default_factory=asyncio.Queue)
    asks: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    is_closed: bool = False
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def list(self) -> DocumentTools:
        answer = await self._ask({"kind": "list"})
        members = answer if isinstance(answer, dict) else {}
        url, definitions = members.get("url"), members.get("definitions")
        is_own = isinstance(url, str) and url.startswith(f"{self.origin}/")
        return DocumentTools(
            document=self.document,
            origin=self.origin,
            url=str(url) if is_own else self.origin,
            definitions=[text for text in definitions if isinstance(text, str)]
            if isinstance(definitions, list)
            else [],
        )

    async def call(self, call: Mapping[str, str]) -> Mapping[str, Any]:
        end = await self._ask({"kind": "call", "call": dict(call)})
        return end if isinstance(end, dict) else {}

    async def cancel(self, call: str) -> None:
        self.queue.put_nowait({"kind": "cancel", "call": call})

    def answer(self, ask: object, value: Any) -> None:
        future = self.asks.get(ask) if isinstance(ask, int) else None
        if future is not None and not future.done():
            future.set_result(value)

    def close(self) -> None:
        self.is_closed = True
        self.queue.put_nowait(None)
        for future in self.asks.values():
            if not future.done():
                future.set_exception(DoorClosedError("the document has gone"))

    async def _ask(self, message: dict[str, Any]) -> Any:
        if self.is_closed:
            raise DoorClosedError("the document has gone")
        number = next(self._numbers)
        future = self.asks[number] = asyncio.get_running_loop().create_future()
        self.queue.put_nowait({**message, "ask": number})
        try:
            return await future
        finally:
            del self.asks[number]


class RemotePage(PageWithDoors):
    """A tab in somebody's browser, with the frames that have the script. It goes on when the tab goes to another document."""

    is_seen = True

    def __init__(self, *, patience: float = PATIENCE) -> None:
        super().__init__(patience=patience)
        self._connections: dict[str, _Connection] = {}
        self._was_connected = False

    @property
    def is_closed(self) -> bool:
        """True after :meth:`close`; the tab is another page when it connects again."""
        return self._is_closed

    @property
    def is_connected(self) -> bool:
        """True while the main frame is connected."""
        return MAIN_FRAME in self._connections

    async def close(self) -> None:
        """Let go of the page, which is told so."""
        await super().close()
        for connection in list(self._connections.values()):
            self.detach(connection)

    async def _doors(self) -> Mapping[str, Door]:
        return dict(self._connections)

    async def _door(self, frame: str) -> Door | None:
        return self._connections.get(frame)

    def attach(self, connection: _Connection) -> bool:
        """Let a document have its frame, and return whether it is the page's first; the one before is told to leave."""
        before = self._connections.get(connection.frame)
        if before is not None:
            before.queue.put_nowait({"kind": "leave"})
            self.detach(before)
        self._connections[connection.frame] = connection
        self._changed()
        is_first, self._was_connected = not self._was_connected, True
        return is_first

    def detach(self, connection: _Connection) -> None:
        """Forget a document that has gone; with the main frame's, those of all frames go."""
        if self._connections.get(connection.frame) is not connection:
            return
        del self._connections[connection.frame]
        connection.close()
        if connection.frame == MAIN_FRAME:
            for other in list(self._connections.values()):
                self.detach(other)
        self._changed()

    def changed(self) -> None:
        """Note that a document's tools have changed."""
        self._changed()


class RemotePages:
    """The pages that are connected, and the application to which they connect.

    Args:
        token: the word that lets a page connect.
        allowed_origins: the serialized origins whose documents may connect.
        patience: seconds after which a document that does not answer counts as one without tools.
    """

    def __init__(self, *, token: str, allowed_origins: Sequence[str], patience: float = PATIENCE) -> None:
        self._token = token
        self._allowed_origins = frozenset(allowed_origins)
        self._patience = patience
        self._tabs: dict[str, RemotePage] = {}
        self._waiting: dict[str, _Connection] = {}
        self._open: dict[str, _Connection] = {}
        self._tickets: dict[str, tuple[RemotePage, str, str]] = {}
        self._listeners: list[Callable[[RemotePage], None]] = []

    @property
    def pages(self) -> Sequence[RemotePage]:
        """The pages that are connected now."""
        return [page for page in self._tabs.values() if page.is_connected]

    def on_page(self, listener: Callable[[RemotePage], None]) -> None:
        """Call ``listener`` with each page that is new."""
        self._listeners.append(listener)

    def routes(self, path: str = "/pages") -> list[Mount]:
        """Return the routes of the application, below a path."""
        allowed = sorted(self._allowed_origins)
        cors = Middleware(
            CORSMiddleware,
            allow_origins=allowed,
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type"],
        )
        routes = [
            Route("/remote.js", _send_script),
            Route("/connect", self._connect, methods=["POST"]),
            Route("/tickets", self._make_ticket, methods=["POST"]),
            Route("/messages", self._send_messages),
            Route("/answers", self._take_answer, methods=["POST"]),
        ]
        guard = Middleware(_Guard, allowed_origins=self._allowed_origins)
        return [Mount(path, app=Starlette(routes=routes, middleware=[guard, cors]))]

    async def close(self) -> None:
        """Let go of all pages, and end their streams."""
        for page in list(self._tabs.values()):
            await page.close()
        self._tabs.clear()

    async def _connect(self, request: Request) -> Response:
        """Make a connection for who has the token, or a ticket for this very origin."""
        origin = request.headers.get("origin", "")
        secret = bearer(request.scope) or ""
        body = await _body(request)
        page, frame, expected = self._tickets.pop(secret, (None, MAIN_FRAME, origin))
        if page is None and not is_token(secret, self._token):
            raise HTTPException(401, "the token is not the server's; correct data-token of the script")
        if not origin or origin != expected:
            raise HTTPException(403, "the ticket is for another origin")
        connection = _Connection(page or self._page_of(body.get("tab")), frame, origin, _document(body, origin, frame))
        key = secrets.token_urlsafe(24)
        self._waiting[key] = connection
        _forget_oldest(self._waiting)
        return JSONResponse({"connection": key})

    async def _make_ticket(self, request: Request) -> Response:
        """Make a ticket for a frame, which only the main frame can ask for."""
        connection = self._connection(request, bearer(request.scope) or "")
        body = await _body(request)
        frame, origin = body.get("frame"), body.get("origin")
        if connection.frame != MAIN_FRAME or not isinstance(frame, str) or not _FRAME.fullmatch(frame):
            raise HTTPException(400, "only a main frame gets tickets, each for a named frame such as “frame-1”")
        if origin not in self._allowed_origins:
            raise HTTPException(403, f"documents of {origin} may not connect")
        ticket = secrets.token_urlsafe(24)
        self._tickets[ticket] = (connection.page, frame, origin)
        _forget_oldest(self._tickets)
        return JSONResponse({"ticket": ticket})

    async def _send_messages(self, request: Request) -> Response:
        key = request.query_params.get("connection", "")
        connection = self._waiting.pop(key, None)
        if connection is None or request.headers.get("origin", connection.origin) != connection.origin:
            raise HTTPException(403, "the connection is over; connect again")
        return EventSourceResponse(self._messages(key, connection))

    async def _messages(self, key: str, connection: _Connection) -> AsyncIterator[dict[str, str]]:
        page = connection.page
        self._open[key] = connection
        is_new = page.attach(connection)
        for listener in list(self._listeners) if is_new else []:
            listener(page)
        try:
            while (message := await connection.queue.get()) is not None:
                yield {"data": json.dumps(message)}
        finally:
            del self._open[key]
            page.detach(connection)

    async def _take_answer(self, request: Request) -> Response:
        connection = self._connection(request, bearer(request.scope) or "")
        body = await _body(request)
        if body.get("changed") is True:
            connection.page.changed()
        else:
            connection.answer(body.get("ask"), body.get("value"))
        return JSONResponse({})

    def _connection(self, request: Request, key: str) -> _Connection:
        connection = self._open.get(key)
        if connection is None or request.headers.get("origin", connection.origin) != connection.origin:
            raise HTTPException(403, "the connection is over; connect again")
        return connection

    def _page_of(self, tab: object) -> RemotePage:
        if not isinstance(tab, str) or len(tab) > 64:
            raise HTTPException(400, "“tab” must be a word of at most 64 characters")
        page = self._tabs.pop(tab, None)
        if page is None or page.is_closed:
            page = RemotePage(patience=self._patience)
        self._tabs[tab] = page
        for name in [name for name, other in self._tabs.items() if not other.is_connected][:-_KEPT]:
            del self._tabs[name]
        return page


class _Guard:
    """Answers only requests of this machine whose origin, if a browser tells it, may connect."""

    def __init__(self, app: ASGIApp, allowed_origins: frozenset[str]) -> None:
        self._app = app
        self._allowed_origins = allowed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reason = refusal(scope, self._allowed_origins)
        await (self._app if reason is None else Response(reason, 403))(scope, receive, send)


def _document(body: Mapping[str, Any], origin: str, frame: str) -> str:
    """Return the id of a document that connects, which is the same when it connects again, also to a server of later.

    The document says a word that nobody can guess. Origin and frame go in as well, so that it can lie about its own
    documents only.
    """
    word = body.get("document")
    if not isinstance(word, str) or len(word) != _WORD:
        return secrets.token_hex(8)
    return hashlib.sha256(json.dumps([origin, frame, word]).encode()).hexdigest()[:16]


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON object that a page posted. Raises HTTPException where it is none, or is too large."""
    try:
        return json_object(await read_body(request, LARGEST_BODY))
    except BodyError as error:
        raise HTTPException(error.status, str(error)) from None


def _forget_oldest(kept: dict[str, Any]) -> None:
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


async def _send_script(request: Request) -> Response:
    return Response(script(), media_type="text/javascript", headers={"Cache-Control": "no-store"})


@cache
def script() -> str:
    """Return the script that a page loads."""
    modules = function_of_modules(Path(__file__).parent / "script" / "remote.js", "link")
    element = "document.currentScript"
    return f"({modules})({{ src: {element}.src, token: {element}.dataset.token }});\n"
