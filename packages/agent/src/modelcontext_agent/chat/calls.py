"""The calls of a step: their rows, and the message to the model that answers them all in call order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from pydantic_ai.messages import ModelRequest, ModelRequestPart, ToolReturnPart

from modelcontext.judging.clients.page_tools import PageTool
from modelcontext.judging.clients.policy import approval_of
from modelcontext_agent.chat import store
from modelcontext_agent.chat.tables import tool_calls

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.ext.asyncio import AsyncConnection


class CallStatus(StrEnum):
    """The states of a call."""

    #: A person has to approve it.
    APPROVAL = "approval"
    #: The page owes its result.
    PENDING = "pending"
    #: Its result is stored.
    DONE = "done"


async def calls_of_step(connection: AsyncConnection, chat_id: str, step: int) -> list[dict[str, Any]]:
    """Return the rows of a step's calls, in call order."""
    query = (
        sa.select(tool_calls)
        .where(tool_calls.c.chat_id == chat_id, tool_calls.c.step == step)
        .order_by(tool_calls.c.position)
    )
    return [dict(row) for row in (await connection.execute(query)).mappings()]


async def origins_of_results(connection: AsyncConnection, chat_id: str) -> set[str]:
    """Return the origins whose tools have given the model a result, in this turn or before."""
    # A built-in tool has no origin.
    origin = tool_calls.c.tool["origin"].as_string()
    query = sa.select(origin).where(tool_calls.c.chat_id == chat_id, tool_calls.c.result_at.is_not(None)).distinct()
    return {found for found in await connection.scalars(query) if found}


async def insert_calls(connection: AsyncConnection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows of a step's calls."""
    if rows:
        await connection.execute(sa.insert(tool_calls), list(rows))


async def update_call(connection: AsyncConnection, call: dict[str, Any], **values: Any) -> None:
    """Change a call, in its row and in ``call``."""
    one = (tool_calls.c.chat_id == call["chat_id"]) & (tool_calls.c.step == call["step"])
    one &= tool_calls.c.position == call["position"]
    await connection.execute(sa.update(tool_calls).where(one).values(values))
    call.update(values)


def announcement(call: Mapping[str, Any], binding: bool = True) -> dict[str, Any]:
    """Return a call of the page as events tell it: its ids, its arguments as JSON text, and the binding to run it by.

    ``begun`` is true when a client has begun the call: no client may begin it again, unless ``read_only`` is true.
    ``flows_from`` has the other origins whose words the model had read, and may have put into the arguments.
    ``approval_digest`` is that of the approval which fits this call and no other one.
    """
    tool = PageTool.from_json(call["tool"])
    data = {
        "tool_call_id": call["tool_call_id"],
        "tool_name": call["name"],
        "alias": call["alias"],
        "args": call["args"],
        "begun": call["begun_at"] is not None,
        "read_only": tool.hints.read_only,
        "flows_from": call["flows_from"],
        "approval_digest": approval_of(tool, call["args"]).digest,
    }
    return {**data, "binding": tool.binding.to_json()} if binding else data


def return_part(
    call: Mapping[str, Any], content: Any, outcome: Literal["success", "failed", "denied", "interrupted"], at: datetime
) -> Any:
    """Return a message with the result of a call, as a JSON value."""
    part = ToolReturnPart(
        tool_name=call["alias"],
        tool_call_id=call["tool_call_id"],
        content=content,
        outcome=outcome,
        timestamp=at,
    )
    return part_to_json(part)


def part_to_json(part: ToolReturnPart) -> Any:
    """Return a message with one result as a JSON value, as the column ``part`` has it."""
    return store.to_json(ModelRequest(parts=[part]))


def answer(calls: Sequence[Mapping[str, Any]], held: Any) -> ModelRequest:
    """Return the message that answers all calls of a step, in call order.

    Args:
        calls: the rows of the calls, all done.
        held: the message with the results that were there when the step paused, or None; what is no result in it follows.
    """
    parts: list[ModelRequestPart] = []
    held_parts = list(_parts(held))
    for call in calls:
        mine = [part for part in held_parts if _answers(part, call)] if call["part"] is None else _parts(call["part"])
        parts += mine
    parts += [part for part in held_parts if not isinstance(part, ToolReturnPart)]
    return ModelRequest(parts=parts)


def _parts(message: Any) -> Sequence[ModelRequestPart]:
    if message is None:
        return ()
    request = store.from_json(message)
    return request.parts if isinstance(request, ModelRequest) else ()


def _answers(part: ModelRequestPart, call: Mapping[str, Any]) -> bool:
    return isinstance(part, ToolReturnPart) and part.tool_call_id == call["tool_call_id"]
