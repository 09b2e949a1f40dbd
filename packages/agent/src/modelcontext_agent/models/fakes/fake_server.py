"""The server of a fake provider: one format, one file of canned answers, on a free port of the loopback address."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from modelcontext_agent.loopback import listen, serving
from modelcontext_agent.models.canned_answers import Attempts, CannedAnswers, CannedFailure, words
from modelcontext_agent.models.fakes.anthropic import AnthropicWire
from modelcontext_agent.models.fakes.gemini import GeminiWire
from modelcontext_agent.models.fakes.openai_chat import OpenAIChatWire
from modelcontext_agent.models.fakes.openai_responses import OpenAIResponsesWire
from modelcontext_agent.models.fakes.wire import RequestError, Said, Wire, say

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

#: The formats, by the kind of model that ``build_model`` makes for them.
WIRES: dict[str, type[Wire]] = {
    wire.kind: wire for wire in (AnthropicWire, OpenAIChatWire, OpenAIResponsesWire, GeminiWire)
}


@dataclass
class FakeProvider:
    """A provider that gives canned answers. ``requests`` has the bodies of all requests so far."""

    canned: CannedAnswers
    wire: Wire
    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    _attempts: Attempts = field(default_factory=Attempts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request: an ASGI application."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        if request.method != "POST" or not re.fullmatch(self.wire.path, request.url.path):
            await self._refuse(404, None, f"{request.url.path} is not found")(scope, receive, send)
            return
        try:
            body = json.loads(await request.body())
            asked = self.wire.asked(body, request.url.path)
            answer = self.canned.answer(asked.position)
        except RequestError as error:
            await self._refuse(400, error.code, str(error))(scope, receive, send)
            return
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            await self._refuse(400, None, f"{type(error).__name__}: {error}")(scope, receive, send)
            return
        self.requests.append(body)
        failure = answer.failure(self._attempts.next("", asked.position) if answer.failures else 0)
        if failure is not None and failure.status is not None and not (failure.after and asked.stream):
            refused = self._refuse(failure.status, failure.code, failure.message, failure.retry_after)
            await refused(scope, receive, send)
        elif failure is None and not asked.stream:
            await asyncio.sleep(self.canned.delay)
            await JSONResponse(self.wire.whole(say(self.canned, answer, asked), body))(scope, receive, send)
        else:
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
            )
            if failure is not None:
                await self._break_off(failure, body, receive, send)
                return
            for event in self.wire.streamed(say(self.canned, answer, asked), body):
                await asyncio.sleep(self.canned.delay)
                await send({"type": "http.response.body", "body": event.encode(), "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    def _refuse(self, status: int, code: str | None, message: str, retry_after: float | None = None) -> Response:
        headers = {} if retry_after is None else {"retry-after": str(math.ceil(retry_after))}
        return JSONResponse(self.wire.refusal(status, code, message, retry_after), status, headers)

    async def _break_off(self, failure: CannedFailure, body: dict[str, Any], receive: Receive, send: Send) -> None:
        if failure.after:
            for event in self.wire.streamed(Said(tuple(words(failure.after)), complete=False), body):
                await send({"type": "http.response.body", "body": event.encode(), "more_body": True})
        if failure.status is not None:
            await send({"type": "http.response.body", "body": self.wire.break_off(failure).encode()})
        elif failure.stall:
            await send({"type": "http.response.body", "body": b"", "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
        # Else the response is not ended, and the server drops the connection.


@asynccontextmanager
async def fake_provider(kind: str, canned: CannedAnswers) -> AsyncGenerator[FakeProvider]:
    """Serve a provider until the context ends.

    Args:
        kind: ``anthropic``, ``openai``, ``openai-responses`` or ``google``.
        canned: the answers.
    """
    fake = FakeProvider(canned=canned, wire=WIRES[kind]())
    async with serving(fake, listen(0)) as address:
        fake.base_url = f"{address}{fake.wire.base}"
        yield fake
