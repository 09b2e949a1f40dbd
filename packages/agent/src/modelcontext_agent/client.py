"""The bridge between an agent's page and a chat: it runs the chat's calls in the page, over the same HTTP as any client.

A client holds no state of the chat: what is waited for is announced again whenever it connects.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import quote

import httpx2

from modelcontext.judging.clients.page_tools import Binding, PageTool, digest_of_tools
from modelcontext.judging.clients.policy import approval_of
from modelcontext_agent.chat.chat_errors import (
    BadRequestError,
    ChatError,
    ConflictError,
    NotFoundError,
    TooLargeError,
    ToolsNeededError,
)
from modelcontext_agent.chat.following import ChatEventMessage
from modelcontext_agent.exposure.framing import cut
from modelcontext_agent.pages.endings import took_too_long

if TYPE_CHECKING:
    from modelcontext_agent.pages.contract import AgentPage

#: The characters of JSON in one result that a client sends: enough for the largest image that a model is shown.
LONGEST_RESULT = 8_000_000

_BEGUN = "The call was begun by a client that has gone. It may have run, in part or in full. It was not run again."
_BROKEN = "The page could not be asked: {}"

_logger = logging.getLogger(__name__)


class ServerError(ChatError):
    """Raised where the server cannot be reached, refuses the token, or fails."""

    status = 502


class Chats(Protocol):
    """The chats that a page takes part in: a :class:`ChatService` of this process, or :class:`ChatClient` over HTTP."""

    async def chat(self, chat_id: str) -> dict[str, Any]:
        """Return a chat."""

    async def transcript(self, chat_id: str) -> list[dict[str, Any]]:
        """Return what was said and called."""

    async def create_chat(self, *, model: str, instructions: str = "", dynamic_tools: Any = None) -> str:
        """Make a chat, and return its id."""

    async def add_message(self, chat_id: str, text: str) -> Any:
        """Add a person's message."""

    async def set_tools(self, chat_id: str, tools: Any) -> str:
        """Store the tools that the page offers now, and return their digest."""

    async def begin_calls(self, chat_id: str, tool_call_ids: Sequence[str]) -> list[str]:
        """Mark calls as begun, and return those that may run."""

    async def submit_tool_results(
        self, chat_id: str, results: Any, tools: Any = None, tools_digest: str | None = None, *, partial: bool = False
    ) -> None:
        """Store the results of all calls that the chat waits for, or of some of them if they are ``partial``."""

    async def approve(
        self,
        chat_id: str,
        tool_call_id: str,
        decision: Literal["approve", "deny"],
        message: str = "",
        approval_digest: str | None = None,
    ) -> None:
        """Store a person's decision about a call."""

    def events(self, chat_id: str, after: int = 0) -> AsyncGenerator[ChatEventMessage, None]:
        """Yield the events after the id ``after``, without an end."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """The question whether a call may run: what it is, where it stands, and what it is given. ``args`` is JSON text.

    ``reasons`` say why a person is asked, and ``flows_from`` has the other origins whose words may be in the arguments.
    """

    chat_id: str
    tool_call_id: str
    tool: PageTool
    args: str
    reasons: tuple[str, ...] = ()
    flows_from: tuple[str, ...] = ()


#: A person's decision, with words for the model. The task is cancelled when the call is decided elsewhere, or has ended.
Approver = Callable[[ApprovalRequest], Awaitable[tuple[Literal["approve", "deny"], str]]]


class ChatClient:
    """The chats of a server, over HTTP.

    Every method raises the error of :mod:`modelcontext_agent.chat.chat_errors` that the server answers with, or
    :class:`ServerError`.
    """

    def __init__(self, http: httpx2.AsyncClient, *, reconnect_after: timedelta = timedelta(seconds=1)) -> None:
        """Make a client.

        Args:
            http: a client with the address of the server and its token, as :func:`connect` makes it.
            reconnect_after: the time before a stream of events that broke is opened again.
        """
        self._http = http
        self._reconnect_after = reconnect_after

    async def create_chat(
        self, *, model: str = "", instructions: str = "", dynamic_tools: Any = None, message: str | None = None
    ) -> str:
        """Make a chat, and return its id. Without a model it has the server's."""
        body = {"instructions": instructions, "dynamic_tools": dynamic_tools, "message": message}
        answer = await self._ask("POST", "/chats", {**body, "model": model} if model else body)
        return str(answer["id"])

    async def chat(self, chat_id: str) -> dict[str, Any]:
        """Return a chat with its transcript."""
        return dict(await self._ask("GET", _path(chat_id)))

    async def transcript(self, chat_id: str) -> list[dict[str, Any]]:
        """Return what was said and called."""
        return list((await self.chat(chat_id))["transcript"])

    async def add_message(
        self, chat_id: str, text: str, busy_behavior: Literal["queue", "interrupt"] = "queue"
    ) -> None:
        """Add a person's message."""
        await self._ask("POST", _path(chat_id, "messages"), {"text": text, "busy_behavior": busy_behavior})

    async def chats(self, limit: int = 50) -> list[dict[str, Any]]:
        """Return the chats, the one that changed last first: ids, states, models, times and first messages."""
        return list((await self._ask("GET", f"/chats?limit={limit}", None))["chats"])

    async def advisor_config(self) -> dict[str, Any]:
        """Return the configuration of the advisor, with all its members."""
        return dict(await self._ask("GET", "/chats/config/advisor", None))

    async def update_advisor_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Store the configuration of the advisor, and return it. The client's token must be the administrator's."""
        return dict(await self._ask("PUT", "/chats/config/advisor", dict(config)))

    async def interrupt(self, chat_id: str) -> None:
        """Stop the turn."""
        await self._ask("POST", _path(chat_id, "interrupt"), {})

    async def set_tools(self, chat_id: str, tools: Any) -> str:
        """Store the tools that the page offers now, and return their digest."""
        return str((await self._ask("PUT", _path(chat_id, "tools"), {"tools": tools}))["tools_digest"])

    async def begin_calls(self, chat_id: str, tool_call_ids: Sequence[str]) -> list[str]:
        """Mark calls as begun, and return those that may run."""
        answer = await self._ask("POST", _path(chat_id, "begun-calls"), {"tool_call_ids": list(tool_call_ids)})
        return list(answer["may_run"])

    async def submit_tool_results(
        self, chat_id: str, results: Any, tools: Any = None, tools_digest: str | None = None, *, partial: bool = False
    ) -> None:
        """Store the results of all calls that the chat waits for, or of some of them if they are ``partial``."""
        body = {"results": results, "tools": tools, "tools_digest": tools_digest, "partial": partial}
        await self._ask("POST", _path(chat_id, "tool-results"), body)

    async def approve(
        self,
        chat_id: str,
        tool_call_id: str,
        decision: Literal["approve", "deny"],
        message: str = "",
        approval_digest: str | None = None,
    ) -> None:
        """Store a person's decision about a call."""
        decided = {"tool_call_id": tool_call_id, "decision": decision, "message": message}
        body = {**decided, "approval_digest": approval_digest}
        await self._ask("POST", _path(chat_id, "approvals"), body)

    async def events(self, chat_id: str, after: int = 0) -> AsyncGenerator[ChatEventMessage, None]:
        """Yield the events after the id ``after``, without an end. A stream that breaks is opened again where it broke."""
        while True:
            try:
                async with self._http.sse(
                    _path(chat_id, "events"),
                    headers={"Last-Event-ID": str(after)},
                    # The server sends a comment every 15 s.
                    timeout=httpx2.Timeout(10, read=60),
                    max_event_size=None,
                ) as source:
                    if not source.response.is_success:
                        await source.response.aread()
                        raise _error(source.response)
                    async for event in source:
                        is_stored = int(event.id or after) > after
                        after = max(after, int(event.id or after))
                        yield ChatEventMessage(event.event, event.json(), after, is_stored)
            except httpx2.TransportError as error:
                _logger.info("the events of the chat %s broke off: %s", chat_id, error)
            await asyncio.sleep(self._reconnect_after.total_seconds())

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        try:
            response = await self._http.request(method, path, **({} if body is None else {"json": body}))
        except httpx2.TransportError as error:
            words = f"the server of the chat cannot be reached: {error or type(error).__name__}"
            raise ServerError(words) from error
        if not response.is_success:
            raise _error(response)
        return response.json() if response.content else None


def _path(chat_id: str, *rest: str) -> str:
    return "/".join(("/chats", quote(chat_id, safe=""), *rest))


def _error(response: httpx2.Response) -> ChatError:
    """Return the error that an answer means."""
    try:
        error = response.json()["error"]
        message, kind = str(error["message"]), error.get("kind")
    except (ValueError, KeyError, TypeError):
        return ServerError(f"the server answered {response.status_code}, which is not an answer of a chat server")
    if kind == "tools_needed":
        return ToolsNeededError(message)
    kinds = {cls.status: cls for cls in (BadRequestError, NotFoundError, ConflictError, TooLargeError)}
    return kinds.get(response.status_code, ServerError)(message)


def connect(url: str, token: str) -> httpx2.AsyncClient:
    """Return the HTTP client for a server's address and token. Its user closes it."""
    return httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False)


class PageClient:
    """A page that takes part in chats: its tools are theirs, and it runs their calls.

    Use :meth:`attend` for a chat that exists, in a task of its own; cancelling the task aborts the calls in the page.
    """

    def __init__(
        self,
        page: AgentPage,
        chats: Chats,
        *,
        approve: Approver | None = None,
        call_limit: timedelta = timedelta(seconds=30),
        longest_result: int = LONGEST_RESULT,
    ) -> None:
        """Make a client.

        Args:
            page: the page.
            chats: the chats: those of a server, or of a service in this process.
            approve: asks a person about a call; None leaves that to another client, such as the chat page.
            call_limit: the time that a call in the page has.
            longest_result: the characters of JSON in a result; what is longer is cut, visibly.
        """
        self.page = page
        self.chats = chats
        self._approve = approve
        self._call_limit = call_limit
        self._longest_result = longest_result
        self._changed: set[asyncio.Event] = set()
        #: The tasks that answer calls, of all chats.
        self.answering: set[asyncio.Task[None]] = set()
        page.on_change(self._note_change)

    def _note_change(self) -> None:
        for event in self._changed:
            event.set()

    async def create_chat(self, *, model: str = "", instructions: str = "") -> str:
        """Make a chat with the tools that the page offers now, and return its id."""
        tools = [tool.to_json() for tool in await self.page.tools()]
        return await self.chats.create_chat(model=model, instructions=instructions, dynamic_tools=tools)

    async def attend(
        self,
        chat_id: str,
        *,
        until: Callable[[ChatEventMessage], bool] = lambda _event: False,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Run a chat's calls in the page, until an event is the one that ``until`` wants.

        Args:
            chat_id: the chat.
            until: is asked about each event from now on, after the client has begun to act on it.
            ready: is called when no event is missed any more.

        Raises:
            ChatError: if the chat does not exist, or the server refuses the client.
        """
        chat = await self.chats.chat(chat_id)
        changed = asyncio.Event()
        changed.set()
        self._changed.add(changed)
        try:
            async with asyncio.TaskGroup() as group:
                attendance = _Attendance(self, chat_id, group, chat["tools_digest"])
                following = group.create_task(attendance.follow_page(changed))
                ready()
                async with aclosing(self.chats.events(chat_id, chat["last_event"])) as events:
                    async for event in events:
                        attendance.take(event)
                        if until(event):
                            break
                following.cancel()
                attendance.stop()
        except ExceptionGroup as group_of_errors:
            raise group_of_errors.exceptions[0] from None
        finally:
            self._changed.discard(changed)

    async def say(self, chat_id: str, text: str) -> list[dict[str, Any]]:
        """Send a message, run the calls of its turn, and return the transcript of the chat once the turn is over.

        A worker must be at work meanwhile, in this process or another one.

        Raises:
            ChatError: if the chat or its server refuses the message or the client.
        """
        ready = asyncio.Event()
        attending = asyncio.create_task(self.attend(chat_id, until=lambda event: event.type == "done", ready=ready.set))
        try:
            beginning = asyncio.create_task(ready.wait())
            await asyncio.wait({attending, beginning}, return_when=asyncio.FIRST_COMPLETED)
            beginning.cancel()
            if ready.is_set():
                await self.chats.add_message(chat_id, text)
            await attending
        finally:
            attending.cancel()
            await asyncio.wait({attending})
        return await self.chats.transcript(chat_id)

    async def answered(self) -> None:
        """Wait until no call is being answered."""
        if self.answering:
            await asyncio.wait(self.answering)

    async def run(self, announced: Mapping[str, Any]) -> dict[str, Any]:
        """Run a call that was announced, if the page still has its tool, and return its result for the server."""
        name, seconds = announced["tool_name"], self._call_limit.total_seconds()
        binding = Binding(**announced["binding"])
        try:
            async with asyncio.timeout(seconds) as limit:
                end = await self.page.call(name, binding, json.loads(announced["args"]))
        except TimeoutError as error:
            too_long = took_too_long(name, seconds, is_seen=self.page.is_seen).output
            return _failure(announced, too_long if limit.expired() else _BROKEN.format(error))
        except Exception as error:
            # A page's own failures are results; this one is of the way to it.
            _logger.warning("the call of %s failed on its way to the page", name, exc_info=True)
            return _failure(announced, _BROKEN.format(f"{type(error).__name__}: {error}"))
        result = {"tool_call_id": announced["tool_call_id"], "is_error": end.is_error, "binding": announced["binding"]}
        return {**result, "output": self._bounded(end.output), "by_host": not end.is_by_page, "note": end.note}

    def _bounded(self, output: Any) -> Any:
        try:
            text = json.dumps(output, ensure_ascii=False, allow_nan=False)
        except (ValueError, TypeError, RecursionError) as error:
            return f"[the page's result is not JSON that can be sent: {error}]"
        if len(text) <= self._longest_result:
            return output
        return cut(output if isinstance(output, str) else text, self._longest_result // 2)

    async def decide(self, chat_id: str, announced: Mapping[str, Any]) -> None:
        """Ask a person about a call, and send the decision."""
        if self._approve is None:
            return
        tool = PageTool.from_json(announced["tool"])
        reasons, flows = tuple(announced["ask_reasons"]), tuple(announced["flows_from"])
        request = ApprovalRequest(chat_id, announced["tool_call_id"], tool, announced["args"], reasons, flows)
        decision, message = await self._approve(request)
        # Another person may have been faster, or the turn has been stopped.
        with suppress(ConflictError):
            # The digest of what was shown here, and not of what the chat may have by now.
            shown = approval_of(tool, request.args).digest
            await self.chats.approve(chat_id, request.tool_call_id, decision, message, shown)


class _Attendance:
    """One stretch of attending a chat: the tasks that run its calls, and the digest of the tools that the chat knows."""

    def __init__(self, client: PageClient, chat_id: str, group: asyncio.TaskGroup, digest: str) -> None:
        self._client = client
        self._chats = client.chats
        self._chat_id = chat_id
        self._group = group
        self._digest = digest
        #: The tasks, by the calls that they answer or ask about, and the type of the event that announced them.
        self._tasks: dict[tuple[str, frozenset[str]], asyncio.Task[None]] = {}

    def take(self, event: ChatEventMessage) -> None:
        """Act on an event."""
        if event.type in ("action_required", "approval_required"):
            calls = event.data["tool_calls"]
            ids = frozenset(call["tool_call_id"] for call in calls)
            # What is announced again is under way already, perhaps with calls that have results by now.
            if not any(type == event.type and ids <= known for type, known in self._tasks):
                key = (event.type, ids)
                work = self._answer(calls) if event.type == "action_required" else self._decide(calls)
                task = self._tasks[key] = self._group.create_task(work)
                task.add_done_callback(lambda _task: self._tasks.pop(key, None))
                self._client.answering.add(task)
                task.add_done_callback(self._client.answering.discard)
        elif event.type == "status" and event.data["status"] != "requires_action":
            # The turn was stopped, the deadline is over, or another client has answered.
            self.stop()

    def stop(self) -> None:
        """Abort the calls that run in the page."""
        for task in list(self._tasks.values()):
            task.cancel()

    async def follow_page(self, changed: asyncio.Event) -> None:
        """Send the page's tools whenever they have changed."""
        while True:
            await changed.wait()
            changed.clear()
            tools = await self._client.page.tools()
            if digest_of_tools(tools) == self._digest:
                continue
            try:
                self._digest = await self._chats.set_tools(self._chat_id, [tool.to_json() for tool in tools])
            except (BadRequestError, TooLargeError) as error:
                _logger.warning("the chat %s does not take the tools of the page: %s", self._chat_id, error)

    async def _decide(self, calls: Sequence[Mapping[str, Any]]) -> None:
        for call in calls:
            await self._client.decide(self._chat_id, call)

    async def _answer(self, calls: Sequence[Mapping[str, Any]]) -> None:
        """Run calls one after the other, and send each result at once: a turn that is stopped keeps those that are there.

        A page that answers too late sends nothing.
        """
        with suppress(ConflictError):
            for number, call in enumerate(calls, 1):
                if call["begun"] and not call["read_only"]:
                    result = _failure(call, _BEGUN)
                elif await self._chats.begin_calls(self._chat_id, [call["tool_call_id"]]):
                    result = await self._client.run(call)
                else:
                    # Another client is at work on it.
                    return
                try:
                    if number < len(calls):
                        await self._chats.submit_tool_results(self._chat_id, [result], partial=True)
                    else:
                        await self._send(result)
                except TooLargeError as error:
                    failure = _failure(call, f"The call ran, but its result cannot be sent: {error}")
                    await self._chats.submit_tool_results(self._chat_id, [failure], partial=True)

    async def _send(self, result: Mapping[str, Any]) -> None:
        """Send the last result of a step, with the page's tools if they have changed."""
        tools = await self._client.page.tools()
        digest = digest_of_tools(tools)
        try:
            try:
                await self._chats.submit_tool_results(self._chat_id, [result], None, digest)
            except ToolsNeededError:
                definitions = [tool.to_json() for tool in tools]
                await self._chats.submit_tool_results(self._chat_id, [result], definitions, digest)
            self._digest = digest
        except BadRequestError as error:
            _logger.warning("the chat %s does not take the tools of the page: %s", self._chat_id, error)
            await self._chats.submit_tool_results(self._chat_id, [result])


def _failure(call: Mapping[str, Any], words: str) -> dict[str, Any]:
    result = {"tool_call_id": call["tool_call_id"], "is_error": True, "output": words, "by_host": True}
    return {**result, "binding": call["binding"]}
