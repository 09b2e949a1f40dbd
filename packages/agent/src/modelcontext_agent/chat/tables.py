"""The tables of chats. Every string that a page, a person or a model chose stands in a JSON column.

A column of text on PostgreSQL cannot hold U+0000, and JSON escapes it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


# None is NULL here, and not the JSON value null.
_OPTIONAL = sa.JSON(none_as_null=True)


class Instant(sa.types.TypeDecorator[datetime]):
    """A moment in UTC, stored as microseconds since 1970, so that SQLite and PostgreSQL store and compare it exactly."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> int | None:
        """Return the number to store."""
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        """Return the moment that is stored."""
        return None if value is None else _EPOCH + timedelta(microseconds=value)


chats = sa.Table(
    "chats",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    # The chat that asked for this one; null where a person did.
    sa.Column("parent", sa.Text, sa.ForeignKey("chats.id"), nullable=True),
    sa.Column("instructions", sa.JSON, nullable=False),
    # PageTool.to_json() of each, as the page offered them last, and their digest.
    sa.Column("tools", sa.JSON, nullable=False),
    sa.Column("tools_digest", sa.Text, nullable=False),
    # [origin, frame, name] of each tool that was consequential at some time: it asks first forever.
    sa.Column("consequential", sa.JSON, nullable=False),
    # The turn (a message and what follows it), the step in the chat, the rounds of tool calls in the turn, and the
    # attempts at the present step that failed.
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("rounds", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    # The message with the results of the paused step that were there at once.
    sa.Column("held", _OPTIONAL, nullable=True),
    sa.Column("error", _OPTIONAL, nullable=True),
    sa.Column("last_event", sa.Integer, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    # While pending: no worker takes it before. While requires_action: the page must have answered. With a lease: its end.
    sa.Column("due_at", Instant, nullable=True),
    sa.Column("lease", sa.Text, nullable=True),
    sa.Index("chats_by_state", "state", "due_at"),
)

queue = sa.Table(
    "queue",
    metadata,
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("text", sa.JSON, nullable=False),
)

tool_calls = sa.Table(
    "tool_calls",
    metadata,
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("tool_call_id", sa.JSON, nullable=False),
    # The name that the model used, the page's or the built-in tool's own, and the arguments as the model wrote them.
    sa.Column("alias", sa.JSON, nullable=False),
    sa.Column("name", sa.JSON, nullable=False),
    sa.Column("args", sa.JSON, nullable=False),
    # PageTool.to_json() as the model was shown it; null for a built-in tool.
    sa.Column("tool", _OPTIONAL, nullable=True),
    # A value of calls.CallStatus.
    sa.Column("status", sa.Text, nullable=False),
    # For a call of the page: the reasons to ask a person, and the other origins whose words the model had read.
    sa.Column("ask_reasons", sa.JSON, nullable=False),
    sa.Column("flows_from", sa.JSON, nullable=False),
    sa.Column("created_at", Instant, nullable=True),
    # A client has said that it begins the call.
    sa.Column("begun_at", Instant, nullable=True),
    sa.Column("result_at", Instant, nullable=True),
    sa.Column("is_error", sa.Boolean, nullable=True),
    # The output as it came, and the part of the message to the model, where it is not in `held`.
    sa.Column("output", sa.JSON, nullable=True),
    sa.Column("part", _OPTIONAL, nullable=True),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), primary_key=True),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
)

conversations = sa.Table(
    "conversations",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("scope", sa.Text, nullable=True),
    sa.Column("revision", sa.Text, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    # The whole ConversationRecord.
    sa.Column("record", sa.JSON, nullable=False),
)

entries = sa.Table(
    "entries",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("parent_id", sa.Text, nullable=True),
    # The conversation that added it: its whole history is read in one query.
    sa.Column("conversation_id", sa.Text, nullable=False, index=True),
    sa.Column("message", sa.JSON, nullable=False),
)

#: The chats whose calls the page beside the server answers.
attended = sa.Table(
    "attended",
    metadata,
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), primary_key=True),
)

#: Values of the whole installation, by key.
settings = sa.Table(
    "settings",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.JSON, nullable=False),
)
