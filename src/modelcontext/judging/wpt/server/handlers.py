"""Handlers written in Python: files whose ``main(request, response)`` answers, as in web-platform-tests.

They belong to the tests that run, and are trusted as much. They have the part of wptserve's interface that such handlers
use: ``method``, ``url``, ``url_parts``, ``GET``, ``POST``, ``headers``, ``cookies``, ``body`` and ``server.stash`` of the
request, with names and values as bytes; ``status``, ``content`` and ``headers`` of the response. A handler returns
content, headers and content, or status, headers and content; or it returns nothing and sets them.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.requests import Request


class HandlerError(Exception):
    """A handler cannot answer; the message says why."""


@dataclass(frozen=True)
class Stash:
    """Values that handlers keep between requests until one takes them. Keys are UUIDs, and belong to a path."""

    path: str = "/"
    lock: threading.RLock = field(default_factory=threading.RLock)
    _values: dict[tuple[str, str], Any] = field(default_factory=dict)

    def put(self, key: str | bytes, value: Any, path: str | None = None) -> None:
        """Keep a value. Raises ``KeyError`` if there is one for the key."""
        with self.lock:
            place = self._place(key, path)
            if value is None:
                raise ValueError("a stash cannot keep None")
            if place in self._values:
                raise KeyError(f"the stash has a value for {key!r} already")
            self._values[place] = value

    def take(self, key: str | bytes, path: str | None = None) -> Any:
        """Remove a value and return it, or ``None``."""
        with self.lock:
            return self._values.pop(self._place(key, path), None)

    def _place(self, key: str | bytes, path: str | None) -> tuple[str, str]:
        text = key.decode() if isinstance(key, bytes) else str(key)
        return path or self.path, str(uuid.UUID(text))


class Values(Mapping[bytes, bytes]):
    """Names with one value or several, of which indexing gives the first."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]], *, fold: bool = False) -> None:
        self._fold = fold
        self._values: dict[bytes, list[Any]] = {}
        for name, value in pairs:
            self._values.setdefault(self._name(name), []).append(value)

    def _name(self, name: str | bytes) -> bytes:
        data = name.encode() if isinstance(name, str) else name
        return data.lower() if self._fold else data

    def __getitem__(self, name: str | bytes) -> bytes:
        value: bytes = self._values[self._name(name)][0]
        return value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, (str, bytes)) and self._name(name) in self._values

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def first(self, name: str | bytes, default: Any = None) -> Any:
        """Return the first value of a name, or the default."""
        return self._values.get(self._name(name), [default])[0]

    def get_list(self, name: str | bytes) -> list[bytes]:
        """Return every value of a name."""
        return list(self._values.get(self._name(name), []))


class HandlerRequest:
    """The request that handlers get."""

    def __init__(self, request: Request, body: bytes, stash: Stash) -> None:
        self.method = request.method
        self.url = str(request.url)
        self.url_parts: SplitResult = urlsplit(self.url)
        self.request_path = request.url.path
        self.body = body
        self.headers = Values(request.headers.raw, fold=True)
        self.GET = Values(parse_qsl(request.url.query.encode(), keep_blank_values=True))
        is_form = self.headers.first("content-type", b"").startswith(b"application/x-www-form-urlencoded")
        self.POST = Values(parse_qsl(body, keep_blank_values=True) if is_form else [])
        cookies = SimpleCookie(self.headers.first("cookie", b"").decode("latin-1"))
        self.cookies = Values((name.encode(), cookie.value.encode()) for name, cookie in cookies.items())
        self.server = SimpleNamespace(stash=stash)


class HandlerHeaders:
    """The headers of a response."""

    def __init__(self) -> None:
        self.pairs: list[tuple[bytes, bytes]] = []

    def set(self, name: str | bytes, value: Any) -> None:
        """Replace a header."""
        self.pairs = [pair for pair in self.pairs if pair[0].lower() != _bytes(name).lower()]
        self.append(name, value)

    def append(self, name: str | bytes, value: Any) -> None:
        """Add a header."""
        self.pairs.append((_bytes(name), _bytes(value)))

    def update(self, pairs: Iterable[tuple[str | bytes, Any]]) -> None:
        """Replace several headers."""
        for name, value in pairs:
            self.set(name, value)


class HandlerResponse:
    """The response that handlers get."""

    def __init__(self) -> None:
        self.status: int | tuple[int, str | bytes] = 200
        self.headers = HandlerHeaders()
        self.content: str | bytes | Sequence[str | bytes] = b""


def answer_of_handler(file: Path, request: Request, body: bytes, stash: Stash) -> Response:
    """Return the answer of the handler in a file, with the stash of all handlers. Raises :class:`HandlerError`."""
    own_stash = replace(stash, path=request.url.path)
    response = HandlerResponse()
    try:
        return _response(_main(file)(HandlerRequest(request, body, own_stash), response), response)
    except HandlerError:
        raise
    except Exception as error:
        # The test gets every error of its own code.
        raise HandlerError(f"the handler failed: {type(error).__name__}: {error}") from error


def _main(file: Path) -> Callable[[HandlerRequest, HandlerResponse], Any]:
    # Compiled here and not imported, so that no file is written beside it and a changed file counts at once.
    namespace: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    exec(compile(file.read_bytes(), str(file), "exec"), namespace)
    main = namespace.get("main")
    if not callable(main):
        raise HandlerError("this handler has no function main(request, response)")
    return main  # type: ignore[no-any-return]


def _response(returned: Any, response: HandlerResponse) -> Response:
    if isinstance(returned, tuple):
        *given, headers, response.content = returned
        response.headers.update(headers)
        if given:
            (response.status,) = given
    elif returned is not None:
        response.content = returned
    status = response.status[0] if isinstance(response.status, tuple) else response.status
    content = response.content
    body = b"".join(map(_bytes, content)) if isinstance(content, (list, tuple)) else _bytes(content)
    answer = Response(body, int(status))
    answer.raw_headers += [
        (name.lower(), value) for name, value in response.headers.pairs if name.lower() != b"content-length"
    ]
    return answer


def _bytes(value: Any) -> bytes:
    match value:
        case bytes():
            return value
        case str():
            return value.encode()
        case int():
            return str(value).encode()
        case dict():
            return json.dumps(value).encode()
    raise HandlerError(f"a handler returned {type(value).__name__}, which is neither text nor bytes")
