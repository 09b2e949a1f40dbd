"""The chats as their workers see them: claims and leases, and the storing of steps.

Each function is one transaction under the lock of the chat's row. A worker whose lease has ended gets
:class:`modelcontext_agent.chat.chat_errors.LeaseLostError`, and nothing that it brings is stored.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from pydantic_ai.exceptions import ModelAPIError

from modelcontext.judging.clients.policy import flows_from, reasons_to_ask, same_place
from modelcontext_agent.chat import store
from modelcontext_agent.chat.calls import (
    CallStatus,
    answer,
    insert_calls,
    origins_of_results,
    part_to_json,
    return_part,
)
from modelcontext_agent.chat.chat_errors import LeaseLostError
from modelcontext_agent.chat.database import readers
from modelcontext_agent.chat.hooks import StepContext
from modelcontext_agent.chat.loop import TOO_MANY_ROUNDS, StepInput, StepOutput
from modelcontext_agent.chat.owners import is_orphan, new_lease
from modelcontext_agent.chat.service import INTERRUPTED
from modelcontext_agent.chat.states import ChatEvent, ChatState
from modelcontext_agent.chat.tables import chats
from modelcontext_agent.exposure.aliases import by_alias
from modelcontext_agent.models.provider_errors import ErrorKind, ModelFailure
from modelcontext_agent.models.retries import Retry

if TYPE_CHECKING:
    from modelcontext_agent.chat.locked import LockedChat
    from modelcontext_agent.chat.service import ChatService

_logger = logging.getLogger(__name__)

#: The states in which a worker holds a lease.
HELD = (ChatState.RUNNING.value, ChatState.INTERRUPTING.value)


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's hold on a chat: the token of its lease."""

    chat_id: str
    lease: str


@asynccontextmanager
async def _held(service: ChatService, claim: Claim) -> AsyncIterator[LockedChat]:
    async with service.lock(claim.chat_id) as chat:
        if chat.row["lease"] != claim.lease:
            raise LeaseLostError(f"the lease on the chat {claim.chat_id} has ended")
        yield chat


async def claim_chat(service: ChatService, lease: timedelta) -> Claim | None:
    """Claim the pending chat that has waited longest, or return None if there is none."""
    now = service.now()
    due = (chats.c.state == ChatState.PENDING.value) & (chats.c.due_at.is_(None) | (chats.c.due_at <= now))
    query = sa.select(chats.c.id).where(due).order_by(chats.c.updated_at, chats.c.id)
    async with readers(service.engine).begin() as connection:
        ids = list(await connection.scalars(query.limit(20)))
    for chat_id in ids:
        async with service.lock(chat_id) as chat:
            # Another worker may have been faster.
            due_at = chat.row["due_at"]
            if chat.state is ChatState.PENDING and (due_at is None or due_at <= chat.now):
                claim = Claim(chat_id, new_lease())
                chat.move(ChatEvent.CLAIMED, chat.now + lease)
                chat.set(lease=claim.lease)
                return claim
    return None


async def expire_leases(service: ChatService) -> int:
    """Take the chats of workers that have not been heard of, and return their number."""
    late = chats.c.state.in_(HELD) & (chats.c.due_at <= service.now())
    async with readers(service.engine).begin() as connection:
        ids = list(await connection.scalars(sa.select(chats.c.id).where(late)))
    expired = 0
    for chat_id in ids:
        async with service.lock(chat_id) as chat:
            if chat.row["state"] in HELD and chat.row["due_at"] <= chat.now:
                await _lose(chat)
                expired += 1
    return expired


async def take_orphans(service: ChatService) -> int:
    """Take the chats of workers whose process has ended, and return their number: nobody else will."""
    query = sa.select(chats.c.id, chats.c.lease).where(chats.c.state.in_(HELD) & chats.c.lease.is_not(None))
    async with readers(service.engine).begin() as connection:
        found = [(row.id, row.lease) for row in await connection.execute(query)]
    taken = 0
    for chat_id, lease in found:
        if not is_orphan(lease):
            continue
        async with service.lock(chat_id) as chat:
            if chat.row["lease"] == lease:
                await _lose(chat)
                taken += 1
    return taken


async def release(service: ChatService, claim: Claim) -> None:
    """Give a chat back, without a step: another worker takes it at once."""
    async with _held(service, claim) as chat:
        await _lose(chat)


async def _lose(chat: LockedChat) -> None:
    if chat.state is ChatState.INTERRUPTING:
        await chat.end_turn(ChatEvent.LEASE_EXPIRED, interrupted=True)
    else:
        chat.move(ChatEvent.LEASE_EXPIRED)


async def renew(service: ChatService, claim: Claim, lease: timedelta) -> ChatState:
    """Renew a lease, and return the state: INTERRUPTING tells the worker to stop.

    Raises:
        LeaseLostError: if the lease has ended.
    """
    async with _held(service, claim) as chat:
        chat.set(due_at=chat.now + lease)
        return chat.state


async def read_step(
    service: ChatService, claim: Claim, emit: Callable[[str, Mapping[str, Any]], None]
) -> StepInput | None:
    """Return the state that the next step begins with, or None if the chat has been told to stop.

    Raises:
        LeaseLostError: if the lease has ended.
    """
    async with _held(service, claim) as chat:
        if chat.state is ChatState.INTERRUPTING:
            return None
        record = await store.read_record(chat.connection, chat.id)
        history = await store.read_history(chat.connection, record.head_id) if record is not None else []
        context = StepContext(
            chat_id=chat.id,
            child=chat.row["parent"] is not None,
            turn=chat.row["turn"],
            step=chat.row["step"] + 1,
            rounds=chat.row["rounds"],
            attempt=chat.row["attempt"],
            tools=by_alias(chat.tools),
            emit=emit,
            now=service.now,
        )
        messages = [entry.message for entry in history]
        return StepInput(messages, chat.row["instructions"], chat.row["model"], context)


async def store_events(
    service: ChatService, claim: Claim, found: Sequence[tuple[str, Mapping[str, Any], datetime]]
) -> None:
    """Store events of a step under way.

    Raises:
        LeaseLostError: if the lease has ended.
    """
    async with _held(service, claim) as chat:
        for type, data, at in found:
            chat.emit(type, data, at)


async def store_step(service: ChatService, claim: Claim, output: StepOutput) -> ChatState:
    """Store a step whole, and return the state: RUNNING if the next step follows at once.

    Raises:
        LeaseLostError: if the lease has ended.
    """
    async with _held(service, claim) as chat:
        if chat.state is ChatState.INTERRUPTING:
            await _store_interrupted(chat, output)
        elif output.too_many_rounds:
            words = TOO_MANY_ROUNDS.format(chat.config.max_rounds)
            await _store_answer(chat, output, words)
            await _fail(chat, _no_answer(chat.config.max_rounds, words))
        elif output.open_calls:
            await _pause(chat, output)
        else:
            await _store_answer(chat, output, INTERRUPTED)
            if output.request is None:
                await chat.end_turn(ChatEvent.FINISHED)
        return chat.state


async def store_interrupted(service: ChatService, claim: Claim, output: StepOutput | None) -> ChatState:
    """Store what an interrupted step has so far: its text, its calls, and error results for the open ones.

    Raises:
        LeaseLostError: if the lease has ended.
    """
    async with _held(service, claim) as chat:
        await _store_interrupted(chat, output)
        return chat.state


async def store_failure(service: ChatService, claim: Claim, error: Exception, provider: str) -> ChatState:
    """Store the failure of a step: a later attempt, if it may mend the failure, or the end of the turn.

    Args:
        service: the chats.
        claim: the worker's hold on the chat.
        error: what the step raised.
        provider: the provider as ``Model.system`` names it.

    Raises:
        LeaseLostError: if the lease has ended.
    """
    retries = service.config.retries
    failure = retries.classify(error, provider=provider)
    async with _held(service, claim) as chat:
        attempt = chat.row["attempt"]
        if chat.state is ChatState.INTERRUPTING:
            await _store_interrupted(chat, None)
            return chat.state
        delay = retries.delay(failure, attempt)
        if delay is None:
            if failure.kind is ErrorKind.GENERIC and not isinstance(error, ModelAPIError):
                # The message to the person points to the log.
                _logger.error("a turn of the chat %s failed", chat.id, exc_info=error)
            await _fail(chat, failure)
            return chat.state
        # The wait is a row: no task sleeps, and a crash does not shorten it.
        retry = Retry(attempt + 1, delay, failure, chat.now + timedelta(seconds=delay))
        chat.set(attempt=retry.attempt)
        chat.move(ChatEvent.RETRY, retry.retrying_at)
        chat.emit("retry", retry.to_json())
        return chat.state


async def _fail(chat: LockedChat, failure: ModelFailure) -> None:
    error = failure.to_json()
    chat.emit("error", error)
    chat.emit("chat:error", error)
    await chat.end_turn(ChatEvent.FAILED, failed=True)
    if chat.state is ChatState.ERROR:
        chat.set(error=error)


def _no_answer(max_rounds: int, detail: str) -> ModelFailure:
    fact = f"The model came to no answer in {max_rounds} rounds of tool calls."
    return ModelFailure(
        kind=ErrorKind.GENERIC,
        message=f"{fact} Ask for less at once, or raise the limit (--rounds).",
        fact=fact,
        detail=detail,
        provider="",
        retryable=False,
        status_code=None,
        retry_after=None,
    )


async def _store_interrupted(chat: LockedChat, output: StepOutput | None) -> None:
    if output is not None and output.response is not None and output.response.parts:
        await _store_answer(chat, output, INTERRUPTED)
    await chat.end_turn(ChatEvent.FINISHED, interrupted=True)


async def _store_answer(chat: LockedChat, output: StepOutput, words: str) -> None:
    """Append an answer of the model to the conversation, with results for all of its calls: ``words`` for the open ones."""
    held = None if output.request is None else store.to_json(output.request)
    rows = _begin_step(chat, output)
    for row in rows:
        if row["result_at"] is None:
            at = max(chat.now, row["created_at"])
            row |= {"status": CallStatus.DONE.value, "result_at": at, "is_error": True, "output": words}
            row["part"] = return_part(row, words, "interrupted", at)
    known = {call.part.tool_call_id: call for call in output.calls}
    if output.request is None:
        # The step was cut off: the results that are there stand in no message yet.
        for row in rows:
            call = known[row["tool_call_id"]]
            if row["part"] is None and call.result is not None:
                row["part"] = part_to_json(call.result)
    await insert_calls(chat.connection, rows)
    assert output.response is not None
    messages = [output.response]
    await _store_sent(chat, output)
    if rows or output.request is not None:
        await chat.append(*messages, answer(rows, held), usage=output.usage)
    else:
        await chat.append(*messages, usage=output.usage)
    for row in rows:
        chat.tell_result(row)


async def _pause(chat: LockedChat, output: StepOutput) -> None:
    """Store a step that waits for the page, with the results that are there; they are never made again."""
    ever = {tuple(place) for place in chat.row["consequential"]}
    read = await origins_of_results(chat.connection, chat.id)
    rows = _begin_step(chat, output)
    for row in rows:
        if row["result_at"] is None:
            tool = output.context.tools[row["alias"]]
            was = (tool.origin, tool.frame, tool.name) in ever
            reasons = reasons_to_ask(tool, same_place(tool, chat.tools), ever_consequential=was)
            asks = bool(reasons) or chat.config.needs_approval(tool)
            row["status"] = (CallStatus.APPROVAL if asks else CallStatus.PENDING).value
            row |= {"ask_reasons": list(reasons), "flows_from": flows_from(tool.origin, read)}
    await insert_calls(chat.connection, rows)
    assert output.response is not None
    await _store_sent(chat, output)
    await chat.append(output.response, usage=output.usage)
    chat.set(held=None if output.request is None else store.to_json(output.request))
    for row in rows:
        if row["result_at"] is not None:
            chat.tell_result(row)
    chat.move(ChatEvent.PAUSED, chat.now + chat.config.deadline)
    chat.announce(rows)


async def _store_sent(chat: LockedChat, output: StepOutput) -> None:
    # An answer is made for the messages exactly as they were sent: a provider that keeps it continues from no others.
    if output.sent is not None:
        await store.replace_newest(chat.connection, chat.id, output.sent)


def _begin_step(chat: LockedChat, output: StepOutput) -> list[dict[str, Any]]:
    """Count the step, tell of its answer, and return the rows of its calls."""
    step = chat.row["step"] + 1
    chat.set(step=step, attempt=0, rounds=chat.row["rounds"] + 1)
    chat.emit("message", {"role": "assistant", "text": output.text, "turn": chat.row["turn"], "step": step})
    return [_call_row(chat.id, step, position, output) for position in range(len(output.calls))]


def _call_row(chat_id: str, step: int, position: int, output: StepOutput) -> dict[str, Any]:
    call = output.calls[position]
    tool = output.context.tools.get(call.part.tool_name)
    result = call.result
    return {
        "chat_id": chat_id,
        "step": step,
        "position": position,
        "tool_call_id": call.part.tool_call_id,
        "alias": call.part.tool_name,
        "name": tool.name if tool is not None else call.part.tool_name,
        "args": call.args,
        "tool": tool.to_json() if tool is not None else None,
        "status": CallStatus.DONE.value,
        "ask_reasons": [],
        "flows_from": [],
        "created_at": call.created_at,
        "begun_at": None,
        "result_at": call.result_at,
        "is_error": None if result is None else result.outcome != "success",
        "output": None if result is None else part_to_json(result)["parts"][0]["content"],
        "part": None,
    }
