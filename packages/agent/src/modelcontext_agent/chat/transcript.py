"""The transcript of a chat: its conversation with the calls of page and built-in tools, for people and programs.

An item is one of these JSON objects:

* ``{"role": "user", "text"}``
* ``{"role": "assistant", "text", "tool_calls"}``, and each call is ``{"tool_call_id", "tool_name", "alias", "args",
  "origin", "frame", "created_at", "result"}``. ``args`` is JSON text. ``result`` is None while the call is open, or else
  ``{"output", "is_error", "created_at"}``. Times are null where they were not stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

from modelcontext_agent.chat import store
from modelcontext_agent.chat.tables import tool_calls

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def transcript_of(connection: AsyncConnection, chat_id: str) -> list[dict[str, Any]]:
    """Return the transcript of a chat that exists."""
    record = await store.read_record(connection, chat_id)
    history = await store.read_history(connection, record.head_id) if record is not None else []
    query = sa.select(tool_calls).where(tool_calls.c.chat_id == chat_id)
    rows = (await connection.execute(query.order_by(tool_calls.c.step, tool_calls.c.position))).mappings()
    # A provider may use an id again in a later step.
    calls: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        calls.setdefault(row["tool_call_id"], []).append(dict(row))
    items: list[dict[str, Any]] = []
    open_calls: dict[str, dict[str, Any]] = {}
    for entry in history:
        message = entry.message
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, UserPromptPart) and isinstance(part.content, str):
                    items.append({"role": "user", "text": part.content})
                elif isinstance(part, ToolReturnPart) and part.tool_call_id in open_calls:
                    _close(open_calls.pop(part.tool_call_id), part)
        elif isinstance(message, ModelResponse):
            item = _answer(message, calls)
            open_calls = {call["tool_call_id"]: call for call in item["tool_calls"]}
            items.append(item)
    return items


def _answer(message: ModelResponse, calls: Mapping[str, list[Mapping[str, Any]]]) -> dict[str, Any]:
    text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
    return {"role": "assistant", "text": text, "tool_calls": list(_calls(message, calls))}


def _calls(message: ModelResponse, calls: Mapping[str, list[Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    for part in message.parts:
        if not isinstance(part, ToolCallPart):
            continue
        known = calls.get(part.tool_call_id)
        row: Mapping[str, Any] = known.pop(0) if known else {}
        tool = row.get("tool") or {}
        result = None
        if row.get("result_at") is not None:
            result = {"output": row["output"], "is_error": row["is_error"], "created_at": row["result_at"].isoformat()}
        created_at = row.get("created_at")
        yield {
            "tool_call_id": part.tool_call_id,
            "tool_name": row.get("name", part.tool_name),
            "alias": part.tool_name,
            "args": row.get("args", part.args_as_json_str()),
            "origin": tool.get("origin"),
            "frame": tool.get("frame"),
            "created_at": None if created_at is None else created_at.isoformat(),
            "result": result,
        }


def _close(call: dict[str, Any], part: ToolReturnPart) -> None:
    """Give a call without a row the result that the conversation has."""
    if call["result"] is None:
        output = part.model_response_str()
        call["result"] = {"output": output, "is_error": part.outcome != "success", "created_at": None}
