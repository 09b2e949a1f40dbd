"""A chat whose row is locked: the one place where a chat changes.

All changes of one transaction are stored together, with the events that tell of them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

from modelcontext.judging.clients.page_tools import PageTool
from modelcontext.judging.clients.policy import approval_of
from modelcontext_agent.chat import store
from modelcontext_agent.chat.calls import CallStatus, announcement, answer, calls_of_step, return_part, update_call
from modelcontext_agent.chat.chat_errors import ConflictError, NotFoundError
from modelcontext_agent.chat.hooks import ChatEventRecord
from modelcontext_agent.chat.notices import PENDING, Notices, events_of, interrupt_of
from modelcontext_agent.chat.states import ChatEvent, ChatState, TransitionError, transition
from modelcontext_agent.chat.tables import chats, events, queue

if TYPE_CHECKING:
    from datetime import datetime

    from pydantic_ai.usage import RunUsage
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from modelcontext_agent.chat.config import ChatConfig


class LockedChat:
    """A chat in a transaction that holds the lock of its row. :func:`lock` makes one."""

    def __init__(self, connection: AsyncConnection, row: dict[str, Any], config: ChatConfig, now: datetime) -> None:
        self.connection = connection
        self.row = row
        self.config = config
        self.now = now
        self._changes: dict[str, Any] = {}
        self._events: list[ChatEventRecord] = []

    @property
    def id(self) -> str:
        """The id of the chat."""
        return str(self.row["id"])

    @property
    def state(self) -> ChatState:
        """The state of the chat."""
        return ChatState(self.row["state"])

    @property
    def tools(self) -> tuple[PageTool, ...]:
        """The tools that the page offered last."""
        return tuple(PageTool.from_json(tool) for tool in self.row["tools"])

    def set(self, **values: Any) -> None:
        """Change columns of the row."""
        self.row.update(values)
        self._changes.update(values)

    def emit(self, type: str, data: Mapping[str, Any], at: datetime | None = None) -> None:
        """Store an event with the next number."""
        number = self.row["last_event"] + 1
        self.set(last_event=number)
        self._events.append(ChatEventRecord(self.id, number, type, dict(data), at or self.now))

    def move(self, event: ChatEvent, due_at: datetime | None = None) -> None:
        """Change the state as ``event`` demands, and tell of it.

        Args:
            event: what happened.
            due_at: the end of the lease or of the wait that begins.

        Raises:
            ConflictError: if the state does not permit the event.
        """
        try:
            after = transition(self.state, event)
        except TransitionError as error:
            raise ConflictError(f"{error}; look at the chat before you try again") from error
        if after is not self.state:
            self.set(state=after.value)
            # A worker that is told to stop keeps its lease until it has stopped.
            if after is not ChatState.INTERRUPTING:
                self.set(due_at=due_at, lease=None)
            self.emit("status", {"status": after.value, "reason": event.value, "turn": self.row["turn"]})

    async def append(self, *messages: ModelMessage, usage: RunUsage | None = None) -> None:
        """Append messages to the conversation."""
        await store.append(self.connection, self.id, messages, usage)

    async def begin_turn(self, text: str | None = None) -> None:
        """Append the queued messages, and ``text``, to the conversation, for a new turn."""
        texts = await self.queued()
        await self.connection.execute(sa.delete(queue).where(queue.c.chat_id == self.id))
        texts += [] if text is None else [text]
        # One request with a part for each: the provider sees them in order.
        await self.append(ModelRequest(parts=[UserPromptPart(text, timestamp=self.now) for text in texts]))
        self.set(turn=self.row["turn"] + 1, rounds=0, attempt=0, error=None)

    async def end_turn(self, event: ChatEvent, **data: Any) -> None:
        """End the turn: tell of it, and begin the next one if messages are queued."""
        self.emit("done", {"turn": self.row["turn"], "interrupted": False, "failed": False, **data})
        self.set(attempt=0)
        if not await self.queued():
            self.move(event)
            return
        await self.begin_turn()
        if event is ChatEvent.FINISHED:
            self.move(ChatEvent.FINISHED_WITH_QUEUE)
        else:
            self.move(event)
            self.move(ChatEvent.MESSAGE)

    async def enqueue(self, text: str) -> None:
        """Put a message in the queue."""
        position = len(await self.queued())
        row = {"chat_id": self.id, "position": position, "text": text}
        await self.connection.execute(sa.insert(queue).values(row))

    async def queued(self) -> list[str]:
        """Return the queued messages, the first one first."""
        query = sa.select(queue.c.text).where(queue.c.chat_id == self.id).order_by(queue.c.position)
        return list(await self.connection.scalars(query))

    async def calls(self) -> list[dict[str, Any]]:
        """Return the rows of the calls of the latest step, in call order."""
        return await calls_of_step(self.connection, self.id, self.row["step"])

    async def finish_call(self, call: dict[str, Any], output: Any, content: Any, outcome: Any) -> None:
        """Store the result of a call of the page, and tell of it.

        Args:
            call: its row.
            output: the output, a JSON value.
            content: what the model sees.
            outcome: pydantic-ai's word for the end: success, failed, denied or interrupted.
        """
        # A clock may be set back; a result never comes before its call.
        at = max(self.now, call["created_at"] or self.now)
        is_error = outcome != "success"
        await update_call(
            self.connection,
            call,
            status=CallStatus.DONE.value,
            result_at=at,
            is_error=is_error,
            output=output,
            part=return_part(call, content, outcome, at),
        )
        self.tell_result(call)

    def tell_result(self, call: Mapping[str, Any]) -> None:
        """Tell of the result of a call whose row has it."""
        at = call["result_at"].isoformat()
        result = {"tool_call_id": call["tool_call_id"], "is_error": call["is_error"], "output": call["output"]}
        tool = PageTool.from_json(call["tool"]) if call["tool"] is not None else None
        # Whose words the output is; without an origin it is a built-in tool's.
        label = {
            "origin": tool.origin if tool is not None else None,
            "untrusted_content": tool is not None and tool.hints.untrusted_content,
        }
        self.emit("tool_result", {**result, **label, "created_at": at})
        summary = {"tool_call_id": call["tool_call_id"], "tool_name": call["name"], "output": call["output"]}
        self.emit("tool:failed" if call["is_error"] else "tool:succeeded", {**summary, "created_at": at})

    async def refuse_open_calls(self, words: str) -> None:
        """Give each open call of the paused step an error result of these words, and answer the model."""
        for call in await self.calls():
            if call["status"] != CallStatus.DONE.value:
                await self.finish_call(call, words, words, "interrupted")
        await self.answer_calls()

    async def answer_calls(self) -> None:
        """Append the message that answers all calls of the paused step to the conversation."""
        await self.append(answer(await self.calls(), self.row["held"]))
        self.set(held=None)

    def announce(self, calls: Sequence[Mapping[str, Any]]) -> bool:
        """Tell what the paused step waits for. Return False if it waits for nothing."""
        found = announcements(calls)
        for type, data in found:
            self.emit(type, data)
            if type == "action_required":
                self.emit("chat:requires_action", data)
        return bool(found)

    async def flush(self) -> None:
        """Store the changes and the events, and let the receivers of events see them."""
        if self._changes:
            self._changes["updated_at"] = self.now
            await self.connection.execute(sa.update(chats).where(chats.c.id == self.id).values(self._changes))
        if self._events:
            rows = [
                {
                    "chat_id": event.chat_id,
                    "id": event.id,
                    "type": event.type,
                    "data": event.data,
                    "created_at": event.created_at,
                }
                for event in self._events
            ]
            await self.connection.execute(sa.insert(events), rows)
            for receiver in self.config.receivers:
                await receiver(self.connection, self._events)

    def tell(self, notices: Notices) -> None:
        """Tell the listeners of this process what was stored."""
        if self._events:
            notices.tell(events_of(self.id))
        if self.state is ChatState.PENDING:
            notices.tell(PENDING)
        if self.state is ChatState.INTERRUPTING:
            notices.tell(interrupt_of(self.id))


def announcements(calls: Sequence[Mapping[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the events that tell what a paused step waits for: approvals, and then the page."""
    to_approve = [call for call in calls if call["status"] == CallStatus.APPROVAL.value]
    if to_approve:
        return [("approval_required", {"tool_calls": [_question(call) for call in to_approve]})]
    to_run = [announcement(call) for call in calls if call["status"] == CallStatus.PENDING.value]
    return [("action_required", {"tool_calls": to_run})] if to_run else []


def _question(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call as a person is asked about it: with the reasons, and with all that the approval will be for."""
    approval = approval_of(PageTool.from_json(call["tool"]), call["args"]).to_json()
    return {**announcement(call), "tool": call["tool"], "ask_reasons": call["ask_reasons"], "approval": approval}


@asynccontextmanager
async def lock(
    engine: AsyncEngine, chat_id: str, config: ChatConfig, now: Callable[[], datetime], notices: Notices
) -> AsyncIterator[LockedChat]:
    """Lock a chat for the time of the block. At its end all changes are stored; an exception stores none.

    Raises:
        NotFoundError: if there is no such chat.
    """
    if "\0" in chat_id or not chat_id.isascii():
        raise NotFoundError("there is no chat of this id")
    async with engine.begin() as connection:
        query = sa.select(chats).where(chats.c.id == chat_id).with_for_update()
        row = (await connection.execute(query)).mappings().one_or_none()
        if row is None:
            raise NotFoundError(f"there is no chat {chat_id}")
        chat = LockedChat(connection, dict(row), config, now())
        yield chat
        await chat.flush()
    chat.tell(notices)
