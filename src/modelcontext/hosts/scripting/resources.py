"""Requests of pages and the answers of servers, without a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from typing import TypeAlias


@dataclass(frozen=True)
class Request:
    """A request of a page."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """The answer of a server; the names of headers are in lower case."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)

    def header(self, name: str) -> str:
        """Return the combined value of a header, "" if there is none."""
        return ", ".join(value for key, value in self.headers if key == name)

    def text(self) -> str:
        """Return the body as a text, in the encoding that the server names."""
        message = Message()
        message["content-type"] = self.header("content-type") or "text/plain"
        try:
            return self.body.decode(message.get_content_charset("utf-8"), errors="replace")
        except LookupError:
            return self.body.decode(errors="replace")


#: Answers requests.
Server: TypeAlias = Callable[[Request], Answer]
