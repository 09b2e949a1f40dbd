"""The endpoints of chats. Each one reads its body, asks the service, and answers with JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from modelcontext_agent.chat.chat_errors import BadRequestError, NotFoundError
from modelcontext_agent.server.bodies import LARGEST, read_body, string
from modelcontext_agent.server.events import send_events

if TYPE_CHECKING:
    from starlette.requests import Request

    from modelcontext_agent.chat.service import ChatService


class ChatHost(Protocol):
    """A page beside the server, which offers its tools to every chat whose client brings none, and answers its calls."""

    async def tools(self) -> list[dict[str, Any]]:
        """Return the tools that the page offers now, as :meth:`PageTool.to_json` has them."""

    def attend(self, chat_id: str) -> None:
        """Answer the calls of a chat from now on, unless that is being done."""

    async def attend_again(self, chat_id: str) -> None:
        """Do the same for a chat from before, which may know other tools than the page offers now."""


@dataclass(frozen=True, slots=True)
class ChatEndpoints:
    """The endpoints of a service's chats. ``models`` has the names that a chat may choose; the first is the default."""

    service: ChatService
    models: Sequence[str]
    host: ChatHost | None = None

    def routes(self) -> list[Route]:
        """Return the routes."""
        chat = "/chats/{chat_id}"
        return [
            Route("/chats", self.list, methods=["GET"]),
            Route("/chats", self.create, methods=["POST"]),
            Route(chat, self.show, methods=["GET"]),
            Route(f"{chat}/messages", self.add_message, methods=["POST"]),
            Route(f"{chat}/tools", self.set_tools, methods=["PUT"]),
            Route(f"{chat}/begun-calls", self.begin_calls, methods=["POST"]),
            Route(f"{chat}/tool-results", self.submit_tool_results, methods=["POST"]),
            Route(f"{chat}/approvals", self.approve, methods=["POST"]),
            Route(f"{chat}/interrupt", self.interrupt, methods=["POST"]),
            Route(f"{chat}/events", self.events, methods=["GET"]),
        ]

    async def create(self, request: Request) -> Response:
        """Make a chat: ``{"model", "instructions", "dynamic_tools", "message"}``, and all may be absent."""
        body = await read_body(request, ("model", "instructions", "dynamic_tools", "message"), largest=LARGEST)
        model = string(body, "model", self.models[0])
        if model not in self.models:
            raise BadRequestError(f"the model “{model[:100]}” is not served; choose one of: {', '.join(self.models)}")
        message = None if body.get("message") is None else string(body, "message")
        instructions = string(body, "instructions", "")
        tools = body.get("dynamic_tools")
        host = self.host if tools is None else None
        if host is not None:
            tools = await host.tools()
        chat_id = await self.service.create_chat(
            model=model, instructions=instructions, dynamic_tools=tools, message=message, is_attended=host is not None
        )
        if host is not None:
            host.attend(chat_id)
        return JSONResponse(await self.service.chat(chat_id), 201, {"Location": f"/chats/{chat_id}"})

    async def list(self, request: Request) -> Response:
        """List the chats: ``{"chats"}``, the one that changed last first, as many as the query's ``limit``."""
        limit = request.query_params.get("limit", "50")
        if not limit.isdecimal():
            raise BadRequestError(f"the limit is {json.dumps(limit[:20])}; use a whole number")
        return JSONResponse({"chats": await self.service.chats(int(limit[:9]))})

    async def show(self, request: Request) -> Response:
        """Show a chat with its transcript."""
        chat_id = _id(request)
        chat = await self.service.chat(chat_id)
        return JSONResponse({**chat, "transcript": await self.service.transcript(chat_id)})

    async def add_message(self, request: Request) -> Response:
        """Add a person's message: ``{"text", "busy_behavior"}``."""
        body = await read_body(request, ("text", "busy_behavior"), required=["text"])
        busy_behavior: Any = body.get("busy_behavior", "queue")
        chat_id = _id(request)
        if self.host is not None and await self.service.is_attended(chat_id):
            # The server may have been started anew since the chat was made.
            await self.host.attend_again(chat_id)
        state = await self.service.add_message(chat_id, body["text"], busy_behavior)
        return JSONResponse({"state": state.value}, 202)

    async def set_tools(self, request: Request) -> Response:
        """Take the tools that the page offers now: ``{"tools"}``."""
        body = await read_body(request, ["tools"], required=["tools"], largest=LARGEST)
        return JSONResponse({"tools_digest": await self.service.set_tools(_id(request), body["tools"])})

    async def begin_calls(self, request: Request) -> Response:
        """Mark calls as begun: ``{"tool_call_ids"}``. The answer has those that may run, under ``may_run``."""
        body = await read_body(request, ["tool_call_ids"], required=["tool_call_ids"])
        ids = body["tool_call_ids"]
        if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids) or len(set(ids)) < len(ids):
            raise BadRequestError("“tool_call_ids” is not a list of different strings")
        return JSONResponse({"may_run": await self.service.begin_calls(_id(request), ids)})

    async def submit_tool_results(self, request: Request) -> Response:
        """Take the results of the calls that the chat waits for: ``{"results", "tools", "tools_digest", "partial"}``."""
        members = ("results", "tools", "tools_digest", "partial")
        body = await read_body(request, members, required=["results"], largest=LARGEST)
        await self.service.submit_tool_results(_id(request), **body)
        return Response(status_code=204)

    async def approve(self, request: Request) -> Response:
        """Take a person's decision about a call: ``{"tool_call_id", "decision", "message", "approval_digest"}``."""
        members = ("tool_call_id", "decision", "message", "approval_digest")
        body = await read_body(request, members, required=members[:2])
        decision: Any = body["decision"]
        message = string(body, "message", "")
        digest = string(body, "approval_digest") if body.get("approval_digest") is not None else None
        await self.service.approve(_id(request), string(body, "tool_call_id"), decision, message, digest)
        return Response(status_code=204)

    async def interrupt(self, request: Request) -> Response:
        """Stop the turn of a chat."""
        await read_body(request, ())
        state = await self.service.interrupt(_id(request))
        return JSONResponse({"state": state.value})

    async def events(self, request: Request) -> Response:
        """Send the events of a chat; see :mod:`modelcontext_agent.server.events`."""
        return await send_events(self.service, _id(request), request.headers.get("last-event-id", "0"))


def _id(request: Request) -> str:
    chat_id = str(request.path_params["chat_id"])
    if len(chat_id) > 64:
        raise NotFoundError("there is no chat of this id")
    return chat_id
