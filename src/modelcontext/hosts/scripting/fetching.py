"""Requests of pages, which a server in this process answers, and the URLs that pages make."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_to_bytes

from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.platform.html.event_loop import TaskSource
from modelcontext.platform.html.origin import serialization
from modelcontext.platform.html.url import url_object, url_origin, url_parser

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.realms import Realms
    from modelcontext.hosts.scripting.resources import Server
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.parallel import ParallelSteps

NETWORKING_TASK_SOURCE: Final = TaskSource("networking task source")
_DATA: Final = re.compile(r"data:(?P<type>[^,]*?)(?P<base64>;\s*base64)?,(?P<body>.*)", re.DOTALL | re.IGNORECASE)


class Fetcher:
    """The requests of one browser."""

    def __init__(self, realms: Realms, server: Server) -> None:
        self._realms = realms
        self._server = server
        self._urls: dict[str, tuple[str, str]] = {}

    def fetch(self, url: str, document: Document | None = None, request: Request | None = None) -> Answer:
        """Return the answer to a request for a URL, by default one with GET."""
        if url.startswith("data:"):
            return _answer_of_data(url)
        if url.startswith("blob:"):
            text, type = self._urls.get(url, ("", ""))
            return Answer(200 if url in self._urls else 404, (("content-type", type),), text.encode())
        return self._server(request or Request(url.partition("#")[0]))

    def fetch_for_script(
        self, document: Document, url: str, method: str, body: str, arrive: Callable[[Any], None]
    ) -> None:
        """Fetch in parallel, and in a task give the facts of the answer, or None if there can be no request."""
        parsed = self.parse_url(url, document)
        url_record = url_parser(parsed) if parsed is not None else None

        def fetch() -> ParallelSteps:
            facts = None
            if parsed is not None and url_record is not None and parsed.startswith(("http:", "https:")):
                answer = self._server(Request(parsed.partition("#")[0], method, (), body.encode()))
                headers = _headers(answer)
                allowed = headers.get("access-control-allow-origin")
                is_own = serialization(url_origin(url_record)) == serialization(document.origin)
                if is_own or allowed in ("*", serialization(document.origin)):
                    facts = {"status": answer.status, "url": parsed, "headers": headers, "text": answer.text()}
            elif parsed is not None:
                answer = self.fetch(parsed)
                facts = {"status": answer.status, "url": parsed, "headers": _headers(answer), "text": answer.text()}
            yield
            document.event_loop.queue_a_task(NETWORKING_TASK_SOURCE, document, lambda: arrive(facts))

        self._realms.user_agent.in_parallel(fetch())

    def create_object_url(self, realm: int, text: str, type: str) -> str:
        """https://w3c.github.io/FileAPI/#dfn-createObjectURL"""
        origin = serialization(self._realms.documents[realm].origin)
        url = f"blob:{origin}/{len(self._urls):08x}-0000-4000-8000-000000000000"
        self._urls[url] = (text, type)
        return url

    def revoke_object_url(self, url: str) -> None:
        """https://w3c.github.io/FileAPI/#dfn-revokeObjectURL"""
        self._urls.pop(url, None)

    def parse_url(self, url: str, document: Document) -> str | None:
        """Return a URL relative to a document's base URL, or None if it cannot be parsed."""
        parsed = url_object(url, self.base_url(document)) or url_object(url)
        return None if parsed is None else str(parsed.href)

    def base_url(self, document: Document) -> str:
        """https://html.spec.whatwg.org/#document-base-url (without elements named base)"""
        if document.url in ("about:srcdoc", "about:blank") and document.container is not None:
            return document.container.document.url
        return document.url


def _headers(answer: Answer) -> dict[str, str]:
    return {name: answer.header(name) for name, _ in answer.headers}


def _answer_of_data(url: str) -> Answer:
    match = _DATA.fullmatch(url.partition("#")[0])
    if match is None:
        return Answer(400)
    body = unquote_to_bytes(match["body"])
    if match["base64"]:
        body = b64decode(body)
    return Answer(200, (("content-type", match["type"] or "text/plain;charset=US-ASCII"),), body)
