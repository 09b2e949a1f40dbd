"""The chats as their clients see them: pages that run tools, people who write, approve and interrupt.

Each method is one transaction that holds the lock of the chat's row. It stores all of its changes, or raises a
:class:`modelcontext_agent.chat.chat_errors.ChatError` and stores none.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from pydantic_ai.conversation_store import ConversationRecord

from modelcontext.ground.words import counted
from modelcontext.judging.clients.page_tools import Binding, PageTool, digest_of_tools
from modelcontext.judging.clients.policy import approval_of
from modelcontext_agent.chat import store
from modelcontext_agent.chat.calls import CallStatus, calls_of_step, update_call
from modelcontext_agent.chat.chat_errors import (
    BadRequestError,
    ConflictError,
    NotFoundError,
    TooLargeError,
    ToolsNeededError,
)
from modelcontext_agent.chat.config import ChatConfig
from modelcontext_agent.chat.database import readers
from modelcontext_agent.chat.following import ChatEventMessage, follow
from modelcontext_agent.chat.hooks import ChatEventRecord
from modelcontext_agent.chat.locked import LockedChat, announcements, lock
from modelcontext_agent.chat.notices import Notices
from modelcontext_agent.chat.states import ChatEvent, ChatState
from modelcontext_agent.chat.tables import attended, chats, events, queue, tool_calls
from modelcontext_agent.chat.tools import binding_of, read_tools, refusal, well_formed
from modelcontext_agent.chat.transcript import transcript_of
from modelcontext_agent.exposure.framing import frame_output, reports_error

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

INTERRUPTED = "The call was interrupted before its result came. It may have run in part."
TIMED_OUT = "The page did not answer in time. The call may have run, in part or in full."
_UNDER_WAY = (ChatState.PENDING.value, ChatState.RUNNING.value, ChatState.REQUIRES_ACTION.value)
#: The most chats of a list, and the characters of each one's first message there.
MOST_LISTED = 500
LONGEST_TITLE = 200
#: The characters of a client's own words beside an output.
LONGEST_NOTE = 4_000

_GONE = (
    "The call of “{}” did not run: it was refused before anybody was asked, because the document of {} that offered the tool"
    " has gone. Look at the tools that are offered now."
)
DENIED = "A person denied this call. It did not run."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A result that a client sent: any JSON value, and the binding of the tool that ran, where the client says it.

    ``by_host`` is True if the output is the client's own words, and not the page's. ``note`` is what the client says
    beside the page's output.
    """

    tool_call_id: str
    output: Any
    is_error: bool
    binding: Binding | None
    by_host: bool = False
    note: str = ""


class ChatService:
    """The chats of a database."""

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        config: ChatConfig | None = None,
    ) -> None:
        self.engine = engine
        self.now = now
        self.config = config or ChatConfig()
        self.notices = Notices()
        self._readers = readers(engine)

    def lock(self, chat_id: str) -> AbstractAsyncContextManager[LockedChat]:
        """Lock a chat for a transaction; see :func:`modelcontext_agent.chat.locked.lock`."""
        return lock(self.engine, chat_id, self.config, self.now, self.notices)

    async def create_chat(
        self,
        *,
        model: str,
        instructions: str = "",
        dynamic_tools: Any = None,
        message: str | None = None,
        parent: str | None = None,
        is_attended: bool = False,
    ) -> str:
        """Make a chat, and return its id.

        Args:
            model: the name of the model, as the runner's function knows it.
            instructions: what the model is told before the first message.
            dynamic_tools: a list of ``PageTool.to_json()``, or None.
            message: the first message, if the model is to answer at once.
            parent: the chat that asks for this one; None where a person does.
            is_attended: True if the page beside the server answers its calls, also after the server was started anew.

        Raises:
            BadRequestError: if a tool breaks a rule, or the message is empty.
            NotFoundError: if there is no such parent.
            TooLargeError: if tools or message are too large.
        """
        tools = read_tools(dynamic_tools, self.config)
        if message is not None:
            message = self._text(message)
        chat_id, now = uuid.uuid4().hex, self.now()
        row = {
            "id": chat_id,
            "state": ChatState.WAITING.value,
            "model": model,
            "parent": parent,
            "instructions": well_formed(instructions),
            "consequential": [],
            **_tool_columns(tools, []),
            **dict.fromkeys(("turn", "step", "rounds", "attempt", "last_event"), 0),
            "created_at": now,
            "updated_at": now,
        }
        async with self.engine.begin() as connection:
            if parent is not None:
                await self._row(connection, parent)
            await connection.execute(sa.insert(chats).values(row))
            record = ConversationRecord(conversation_id=chat_id, head_id=None)
            await store.write_record(connection, record, (), None)
            if is_attended:
                await connection.execute(sa.insert(attended).values(chat_id=chat_id))
        if message is not None:
            await self.add_message(chat_id, message)
        return chat_id

    async def chats(self, limit: int = 50) -> list[dict[str, Any]]:
        """Return the chats as JSON objects, the one that changed last first: id, state, model, times, first message.

        Raises:
            BadRequestError: if the limit is not from 1 to 500.
        """
        if not 1 <= limit <= MOST_LISTED:
            raise BadRequestError(f"limit is {limit}, but must be from 1 to {MOST_LISTED}")
        query = sa.select(chats).where(chats.c.parent.is_(None)).order_by(chats.c.updated_at.desc(), chats.c.id)
        async with self._readers.begin() as connection:
            rows = [dict(row) for row in (await connection.execute(query.limit(limit))).mappings()]
            first = sa.select(events).where(events.c.chat_id.in_([row["id"] for row in rows]), events.c.id == 1)
            said = {row["chat_id"]: row["data"] for row in (await connection.execute(first)).mappings()}
        return [
            {
                **{name: row[name] for name in ("id", "state", "model")},
                "created_at": row["created_at"].isoformat(),
                "updated_at": row["updated_at"].isoformat(),
                "first_message": str(said.get(row["id"], {}).get("text", ""))[:LONGEST_TITLE],
            }
            for row in rows
        ]

    async def attended_chats(self) -> list[str]:
        """Return the chats that a page beside the server answers, and in which something is under way."""
        query = sa.select(chats.c.id).where(
            chats.c.id.in_(sa.select(attended.c.chat_id)), chats.c.state.in_(_UNDER_WAY)
        )
        async with self._readers.begin() as connection:
            return list(await connection.scalars(query.order_by(chats.c.updated_at)))

    async def is_attended(self, chat_id: str) -> bool:
        """Return whether a page beside the server answers a chat."""
        async with self._readers.begin() as connection:
            return (
                await connection.scalar(sa.select(attended.c.chat_id).where(attended.c.chat_id == chat_id)) is not None
            )

    async def add_message(
        self, chat_id: str, text: str, busy_behavior: Literal["queue", "interrupt"] = "queue"
    ) -> ChatState:
        """Add a person's message, and return the state after it.

        Args:
            chat_id: the chat.
            text: the message.
            busy_behavior: with a turn under way, ``queue`` answers the message after it, and ``interrupt`` stops the turn.

        Raises:
            BadRequestError: if the message is empty, or ``busy_behavior`` is neither.
            ConflictError: if too many messages are queued.
            NotFoundError: if there is no such chat.
            TooLargeError: if the message is too long.
        """
        text = self._text(text)
        if busy_behavior not in ("queue", "interrupt"):
            raise BadRequestError(f"busy_behavior is {json.dumps(busy_behavior)}; use queue or interrupt")
        event = ChatEvent.MESSAGE if busy_behavior == "queue" else ChatEvent.INTERRUPTING_MESSAGE
        async with self.lock(chat_id) as chat:
            state = chat.state
            queued = await chat.queued()
            if len(queued) >= self.config.max_queue:
                raise ConflictError(
                    f"{counted(len(queued), 'message is', 'messages are')} queued; wait for the answers, or interrupt the chat"
                )
            chat.emit("message", {"role": "user", "text": text, "turn": chat.row["turn"]})
            stops = busy_behavior == "interrupt" and state in (ChatState.PENDING, ChatState.REQUIRES_ACTION)
            if stops or state in (ChatState.WAITING, ChatState.ERROR):
                if state is ChatState.REQUIRES_ACTION:
                    await chat.refuse_open_calls(INTERRUPTED)
                if stops:
                    chat.emit("done", {"turn": chat.row["turn"], "interrupted": True, "failed": False})
                await chat.begin_turn(text)
                chat.set(due_at=None)
            else:
                await chat.enqueue(text)
            chat.move(event)
            return chat.state

    async def set_tools(self, chat_id: str, tools: Any) -> str:
        """Store the tools that the page offers now, and return their digest. The next step shows them to the model.

        Raises:
            BadRequestError: if a tool breaks a rule.
            NotFoundError: if there is no such chat.
            TooLargeError: if the tools are too large.
        """
        read = read_tools(tools, self.config)
        async with self.lock(chat_id) as chat:
            chat.set(**_tool_columns(read, chat.row["consequential"]))
            await self._refuse_gone(chat)
            return str(chat.row["tools_digest"])

    async def _refuse_gone(self, chat: LockedChat) -> None:
        """End the calls that a person is asked about, and whose frame has another document by now: they cannot run."""
        if chat.state is not ChatState.REQUIRES_ACTION:
            return
        calls = await chat.calls()
        documents: dict[str, set[str]] = {}
        for offered in chat.tools:
            documents.setdefault(offered.frame, set()).add(offered.document)
        gone: list[tuple[dict[str, Any], str]] = []
        for call in calls:
            tool = PageTool.from_json(call["tool"]) if call["status"] == CallStatus.APPROVAL.value else None
            if tool is not None and tool.document and tool.document not in documents.get(tool.frame, {tool.document}):
                gone.append((call, _GONE.format(tool.name, tool.origin or "the page")))
        for call, reason in gone:
            await chat.finish_call(call, reason, reason, "failed")
        if not gone or any(call["status"] == CallStatus.APPROVAL.value for call in calls):
            return
        if not chat.announce(calls):
            await chat.answer_calls()
            chat.move(ChatEvent.RESULTS)

    async def submit_tool_results(
        self, chat_id: str, results: Any, tools: Any = None, tools_digest: str | None = None, *, partial: bool = False
    ) -> None:
        """Store the results of all calls that the chat waits for, and let a worker go on.

        Args:
            chat_id: the chat.
            results: a list of ``{"tool_call_id", "output", "is_error", "binding", "by_host", "note"}``; only the first two
                must be there. See :class:`ToolResult`.
            tools: the tools that the page offers now, if they changed.
            tools_digest: or else the digest of these tools.
            partial: True if results may be missing. Those that are there are stored, also if the turn is stopped, and the
                chat waits for the others.

        Raises:
            BadRequestError: if results are malformed, double, missing or not asked for.
            ConflictError: if the chat waits for no results, or has them already.
            NotFoundError: if there is no such chat.
            TooLargeError: if the results are too large.
            ToolsNeededError: if the digest is not that of the tools that the chat knows.
        """
        read = read_results(results, self.config)
        now_offered = None if tools is None else read_tools(tools, self.config)
        if tools_digest is not None and not isinstance(tools_digest, str):
            raise BadRequestError("tools_digest is not a string; leave it out, or send the digest of the tools")
        if not isinstance(partial, bool):
            raise BadRequestError(f"partial is {json.dumps(partial, default=repr)}; use true or false")
        async with self.lock(chat_id) as chat:
            if chat.state is not ChatState.REQUIRES_ACTION:
                raise ConflictError(f"the chat is {chat.state} and waits for no results")
            calls = await chat.calls()
            if any(call["status"] == CallStatus.APPROVAL.value for call in calls):
                raise ConflictError("a person has to approve a call first; wait for the event action_required")
            await self._check_ids(chat, calls, read, partial=partial)
            if now_offered is not None:
                chat.set(**_tool_columns(now_offered, chat.row["consequential"]))
            if tools_digest not in (None, chat.row["tools_digest"]):
                raise ToolsNeededError("the tools of the page have changed; send them as “tools” with the results")
            for call in calls:
                if call["status"] == CallStatus.PENDING.value and call["tool_call_id"] in read:
                    await self._finish(chat, call, read[call["tool_call_id"]])
            if all(call["status"] == CallStatus.DONE.value for call in calls):
                await chat.answer_calls()
                chat.move(ChatEvent.RESULTS)

    async def _check_ids(
        self, chat: LockedChat, calls: Sequence[Mapping[str, Any]], read: Mapping[str, ToolResult], *, partial: bool
    ) -> None:
        open_ids = {call["tool_call_id"] for call in calls if call["status"] == CallStatus.PENDING.value}
        unexpected = sorted(read.keys() - open_ids)
        if unexpected:
            query = sa.select(tool_calls.c.tool_call_id).where(tool_calls.c.chat_id == chat.id)
            known = set(await chat.connection.scalars(query))
            if known.issuperset(unexpected):
                raise ConflictError(
                    f"the results of {', '.join(unexpected)} have already arrived; the first results count"
                )
            raise BadRequestError(f"no call waits for the results of {', '.join(unexpected)}; leave them out")
        missing = sorted(open_ids - read.keys())
        if missing and not partial:
            raise BadRequestError(
                f"the results of {', '.join(missing)} are missing; send all results at once, or set “partial” to true"
            )

    async def _finish(self, chat: LockedChat, call: dict[str, Any], result: ToolResult) -> None:
        tool = PageTool.from_json(call["tool"])
        reason = refusal(tool, result.binding, chat.tools)
        if reason is not None:
            await chat.finish_call(call, reason, reason, "failed")
            return
        is_error = result.is_error or (not result.by_host and reports_error(result.output))
        if result.by_host:
            words = result.output if isinstance(result.output, str) else json.dumps(result.output, ensure_ascii=False)
            content: Any = f"{words} {result.note}".strip()
        else:
            content = frame_output(tool, result.output, is_error=is_error, note=result.note)
        await chat.finish_call(call, result.output, content, "failed" if is_error else "success")

    async def begin_calls(self, chat_id: str, tool_call_ids: Sequence[str]) -> list[str]:
        """Mark calls as begun, and return those that the client may run.

        A call that a client began before is not run a second time, because nobody knows how far it came; only a tool
        with ``readOnlyHint`` may run again. A client answers such a call with an error result.

        Raises:
            ConflictError: if the chat does not wait for one of them.
            NotFoundError: if there is no such chat.
        """
        async with self.lock(chat_id) as chat:
            calls = {call["tool_call_id"]: call for call in await chat.calls()}
            may_run = []
            for tool_call_id in tool_call_ids:
                call = calls.get(tool_call_id)
                waits = chat.state is ChatState.REQUIRES_ACTION
                if call is None or not waits or call["status"] != CallStatus.PENDING.value:
                    raise ConflictError(f"the chat does not wait for the call {json.dumps(tool_call_id)}")
                if call["begun_at"] is None or PageTool.from_json(call["tool"]).hints.read_only:
                    may_run.append(tool_call_id)
                await update_call(chat.connection, call, begun_at=call["begun_at"] or chat.now)
            return may_run

    async def approve(
        self,
        chat_id: str,
        tool_call_id: str,
        decision: Literal["approve", "deny"],
        message: str = "",
        approval_digest: str | None = None,
    ) -> None:
        """Store a person's decision about a call.

        Args:
            chat_id: the chat.
            tool_call_id: the call.
            decision: ``approve`` or ``deny``.
            message: the person's words for the model, with a denial.
            approval_digest: that of the approval that the person was shown, where the client says it. A provider may use
                an id again, and a late decision must not meet another call.

        Raises:
            BadRequestError: if the decision is neither, or no call has the id.
            ConflictError: if the call needs no approval, or has one, or is not the one that the person was shown.
            NotFoundError: if there is no such chat.
        """
        if decision not in ("approve", "deny"):
            raise BadRequestError(f"the decision is {json.dumps(decision)}; use approve or deny")
        words = well_formed(message).strip()
        async with self.lock(chat_id) as chat:
            if chat.state is not ChatState.REQUIRES_ACTION:
                raise ConflictError(f"the chat is {chat.state}, and no call of it is waiting for an approval")
            calls = await chat.calls()
            call = next((call for call in calls if call["tool_call_id"] == tool_call_id), None)
            if call is None:
                raise BadRequestError(f"no call of the latest step has the id {json.dumps(tool_call_id)}")
            if call["status"] != CallStatus.APPROVAL.value:
                raise ConflictError(f"the call {json.dumps(tool_call_id)} is not waiting for an approval")
            tool = PageTool.from_json(call["tool"])
            if approval_digest not in (None, approval_of(tool, call["args"]).digest):
                raise ConflictError(
                    f"the call {json.dumps(tool_call_id)} has changed since the person saw it; look at it again"
                )
            # A person approved the tool that was shown, and no other one.
            reason = refusal(tool, None, chat.tools)
            if decision == "deny":
                words = f"{DENIED} They said: {words}" if words else DENIED
                await chat.finish_call(call, words, words, "denied")
            elif reason is not None:
                await chat.finish_call(call, reason, reason, "failed")
            else:
                await update_call(chat.connection, call, status=CallStatus.PENDING.value)
            chat.emit("approval", {"tool_call_id": tool_call_id, "decision": decision})
            if any(call["status"] == CallStatus.APPROVAL.value for call in calls):
                return
            if chat.announce(calls):
                chat.set(due_at=chat.now + self.config.deadline)
            else:
                await chat.answer_calls()
                chat.move(ChatEvent.RESULTS)

    async def interrupt(self, chat_id: str) -> ChatState:
        """Stop the present turn, and return the state after it. Queued messages come next.

        Raises:
            NotFoundError: if there is no such chat.
        """
        async with self.lock(chat_id) as chat:
            if chat.state is ChatState.REQUIRES_ACTION:
                await chat.refuse_open_calls(INTERRUPTED)
            if chat.state in (ChatState.REQUIRES_ACTION, ChatState.PENDING):
                await chat.end_turn(ChatEvent.INTERRUPT, interrupted=True)
            elif chat.state is ChatState.RUNNING:
                chat.move(ChatEvent.INTERRUPT)
            return chat.state

    async def expire_deadlines(self) -> int:
        """Give the calls of every chat whose page did not answer in time an error result. Return their number."""
        late = (chats.c.state == ChatState.REQUIRES_ACTION.value) & (chats.c.due_at <= self.now())
        async with self._readers.begin() as connection:
            ids = list(await connection.scalars(sa.select(chats.c.id).where(late)))
        expired = 0
        for chat_id in ids:
            async with self.lock(chat_id) as chat:
                due_at = chat.row["due_at"]
                # Another process may have been faster.
                if chat.state is ChatState.REQUIRES_ACTION and due_at is not None and due_at <= chat.now:
                    await chat.refuse_open_calls(TIMED_OUT)
                    chat.move(ChatEvent.DEADLINE)
                    expired += 1
        return expired

    async def chat(self, chat_id: str) -> dict[str, Any]:
        """Return a chat as a JSON object: state, model, counts, tools and their digest, queue, error, open calls.

        Raises:
            NotFoundError: if there is no such chat.
        """
        async with self._readers.begin() as connection:
            row = await self._row(connection, chat_id)
            calls = await calls_of_step(connection, chat_id, row["step"])
            waiting = sa.select(queue.c.text).where(queue.c.chat_id == chat_id).order_by(queue.c.position)
            queued = list(await connection.scalars(waiting))
        paused = row["state"] == ChatState.REQUIRES_ACTION.value
        return {
            **{name: row[name] for name in ("id", "state", "model", "turn", "step", "error", "tools", "tools_digest")},
            "created_at": row["created_at"].isoformat(),
            "updated_at": row["updated_at"].isoformat(),
            "deadline": row["due_at"].isoformat() if paused else None,
            "last_event": row["last_event"],
            "queue": queued,
            "waits_for": [{"type": type, **data} for type, data in announcements(calls)] if paused else [],
        }

    async def transcript(self, chat_id: str) -> list[dict[str, Any]]:
        """Return what was said and called, as JSON objects; see :mod:`modelcontext_agent.chat.transcript`.

        Raises:
            NotFoundError: if there is no such chat.
        """
        async with self._readers.begin() as connection:
            await self._row(connection, chat_id)
            return await transcript_of(connection, chat_id)

    async def events_after(self, chat_id: str, last_id: int = 0, limit: int = 1000) -> list[ChatEventRecord]:
        """Return the events after the one with the id ``last_id``, ``limit`` at most.

        Raises:
            NotFoundError: if there is no such chat.
        """
        query = sa.select(events).where(events.c.chat_id == chat_id, events.c.id > last_id).order_by(events.c.id)
        async with self._readers.begin() as connection:
            await self._row(connection, chat_id)
            rows = (await connection.execute(query.limit(limit))).mappings()
            return [ChatEventRecord(**row) for row in rows]

    def events(self, chat_id: str, after: int = 0) -> AsyncGenerator[ChatEventMessage, None]:
        """Yield the events after the id ``after``, without an end; see :func:`modelcontext_agent.chat.following.follow`."""
        return follow(self, chat_id, after)

    async def _row(self, connection: AsyncConnection, chat_id: str) -> Mapping[str, Any]:
        if "\0" in chat_id or not chat_id.isascii():
            raise NotFoundError("there is no chat of this id")
        row = (await connection.execute(sa.select(chats).where(chats.c.id == chat_id))).mappings().one_or_none()
        if row is None:
            raise NotFoundError(f"there is no chat {chat_id}")
        return dict(row)

    def _text(self, text: Any) -> str:
        if not isinstance(text, str) or not text.strip():
            raise BadRequestError("the message is empty; send some text")
        if len(text) > self.config.max_message_characters:
            raise TooLargeError(
                f"the message has {len(text)} characters; {self.config.max_message_characters} is the limit"
            )
        return str(well_formed(text))


def read_results(data: Any, config: ChatConfig) -> dict[str, ToolResult]:
    """Return the results that a client sent, by the id of their call.

    Raises:
        BadRequestError: if they are malformed, or there are none, or two of one id.
        TooLargeError: if they are too large together.
    """
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        raise BadRequestError("the results are not a list")
    if not data:
        raise BadRequestError("there are no results; send one for each call")
    results: dict[str, ToolResult] = {}
    size = 0
    for index, item in enumerate(data):
        if not isinstance(item, Mapping) or not isinstance(item.get("tool_call_id"), str):
            raise BadRequestError(f"result {index} needs “tool_call_id” as a string")
        place = f"result {index}"
        if "output" not in item:
            raise BadRequestError(f"{place} has no “output”; send null if the tool returned nothing")
        for member in ("is_error", "by_host"):
            if not isinstance(given := item.get(member, False), bool):
                raise BadRequestError(f"{place}: “{member}” is {json.dumps(given, default=repr)}; use true or false")
        note = item.get("note", "")
        if not isinstance(note, str) or len(note) > LONGEST_NOTE:
            raise BadRequestError(f"{place}: “note” must be a string with {LONGEST_NOTE} characters at most")
        try:
            output = well_formed(item["output"])
            size += len(json.dumps(output, allow_nan=False))
        except (ValueError, TypeError, RecursionError) as error:
            raise BadRequestError(f"{place}: the output is not JSON: {error}") from error
        if size > config.max_results_bytes:
            raise TooLargeError(f"the results have more than {config.max_results_bytes} bytes; send less")
        tool_call_id = item["tool_call_id"]
        if tool_call_id in results:
            raise BadRequestError(f"two results have the id {json.dumps(tool_call_id)}; send one for each call")
        binding = binding_of(item.get("binding"), place)
        results[tool_call_id] = ToolResult(
            tool_call_id, output, item.get("is_error", False), binding, item.get("by_host", False), well_formed(note)
        )
    return results


def _tool_columns(tools: Sequence[PageTool], consequential: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the columns that hold a tool set. A tool that was ever consequential stays so, whatever its page says later."""
    ever = {tuple(place) for place in consequential}
    ever |= {(tool.origin, tool.frame, tool.name) for tool in tools if tool.hints.consequential}
    return {
        "tools": [tool.to_json() for tool in tools],
        "tools_digest": digest_of_tools(tools),
        "consequential": sorted(map(list, ever)),
    }
