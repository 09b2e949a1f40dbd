"""The messages of chats as pydantic-ai keeps conversations: a log of entries, each of which points to the one before."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa
from pydantic import TypeAdapter
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.usage import RunUsage

from modelcontext_agent.chat.database import readers
from modelcontext_agent.chat.tables import conversations, entries

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


class ChatStore(ConversationStore):
    """A store of conversations in the database of the chats; the id of a chat is the id of its conversation.

    A deleted conversation keeps its entries: a concurrent save may be about to point to them.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._readers = readers(engine)

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return the record of a conversation, or None if there is none."""
        async with self._readers.begin() as connection:
            return await read_record(connection, conversation_id)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return the records, or those of a scope, the newest first."""
        query = sa.select(conversations.c.record).order_by(conversations.c.updated_at.desc()).limit(limit)
        if scope is not None:
            query = query.where(conversations.c.scope == scope)
        async with self._readers.begin() as connection:
            return [_records().validate_python(record) for record in await connection.scalars(query)]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Store a record and its new entries, all or nothing.

        Raises:
            ConversationConflict: if another revision is stored, or an entry is missing.
        """
        async with self._engine.begin() as connection:
            await write_record(connection, record, new_entries, expected_revision)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Delete a record. Its entries stay.

        Raises:
            ConversationConflict: if another revision is stored, or none.
        """
        one = (conversations.c.id == conversation_id) & (conversations.c.revision == expected_revision)
        async with self._engine.begin() as connection:
            if (await connection.execute(sa.delete(conversations).where(one))).rowcount != 1:
                raise ConversationConflict(conversation_id)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return an entry.

        Raises:
            LookupError: if there is none.
        """
        async with self._readers.begin() as connection:
            return await read_entry(connection, entry_id)

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """Return the entries up to ``head_id``, in order, or the last ``limit`` of them.

        Raises:
            LookupError: if one is missing.
        """
        async with self._readers.begin() as connection:
            return await read_history(connection, head_id, limit=limit)


async def read_record(connection: AsyncConnection, conversation_id: str) -> ConversationRecord | None:
    """Return the record of a conversation, or None if there is none."""
    query = sa.select(conversations.c.record).where(conversations.c.id == conversation_id)
    record = await connection.scalar(query)
    return None if record is None else _records().validate_python(record)


async def write_record(
    connection: AsyncConnection,
    record: ConversationRecord,
    new_entries: Sequence[ConversationEntry],
    expected_revision: str | None,
) -> None:
    """Store a record and its new entries in a transaction.

    Raises:
        ConversationConflict: if another revision is stored, or an entry is missing.
    """
    row = {
        "id": record.conversation_id,
        "scope": record.scope,
        "revision": record.revision,
        "updated_at": record.updated_at,
        "record": _records().dump_python(record, mode="json"),
    }
    # The row decides, under its lock, and before anything else is read.
    if expected_revision is None:
        try:
            await connection.execute(sa.insert(conversations).values(row))
        except sa.exc.IntegrityError as error:
            raise ConversationConflict(record.conversation_id) from error
    else:
        one = (conversations.c.id == record.conversation_id) & (conversations.c.revision == expected_revision)
        if (await connection.execute(sa.update(conversations).where(one).values(row))).rowcount != 1:
            raise ConversationConflict(record.conversation_id)
    if record.head_id is not None and all(entry.id != record.head_id for entry in new_entries):
        known = sa.select(entries.c.id).where(entries.c.id == record.head_id)
        if await connection.scalar(known) is None:
            raise ConversationConflict(record.conversation_id)
    if new_entries:
        rows = [
            {
                "id": entry.id,
                "parent_id": entry.parent_id,
                "conversation_id": record.conversation_id,
                "message": to_json(entry.message),
            }
            for entry in new_entries
        ]
        await connection.execute(sa.insert(entries), rows)


async def append(
    connection: AsyncConnection, conversation_id: str, messages: Sequence[ModelMessage], usage: RunUsage | None = None
) -> None:
    """Append messages to a conversation, and add to its usage, in a transaction.

    Raises:
        ConversationConflict: if it changed since the transaction read it.
        LookupError: if there is no such conversation.
    """
    record = await read_record(connection, conversation_id)
    if record is None:
        raise LookupError(conversation_id)
    new_entries: list[ConversationEntry] = []
    head_id = record.head_id
    for message in messages:
        new_entries.append(ConversationEntry(parent_id=head_id, message=message))
        head_id = new_entries[-1].id
    fresh = ConversationRecord(
        conversation_id=conversation_id, head_id=head_id, usage=record.usage + (usage or RunUsage())
    )
    updated = dataclasses.replace(
        record, head_id=head_id, usage=fresh.usage, revision=fresh.revision, updated_at=fresh.updated_at
    )
    await write_record(connection, updated, new_entries, record.revision)


async def replace_newest(connection: AsyncConnection, conversation_id: str, message: ModelMessage) -> None:
    """Write another form of the newest message of a conversation, in a transaction."""
    record = await read_record(connection, conversation_id)
    if record is not None:
        query = sa.update(entries).where(entries.c.id == record.head_id)
        await connection.execute(query.values(message=to_json(message)))


async def read_entry(connection: AsyncConnection, entry_id: str) -> ConversationEntry:
    """Return an entry.

    Raises:
        LookupError: if there is none.
    """
    row = (await connection.execute(sa.select(entries).where(entries.c.id == entry_id))).one_or_none()
    if row is None:
        raise LookupError(entry_id)
    return _entry(row)


async def read_history(
    connection: AsyncConnection, head_id: str | None, *, limit: int | None = None
) -> list[ConversationEntry]:
    """Return the entries up to ``head_id``, in order, or the last ``limit`` of them.

    Raises:
        LookupError: if one is missing.
    """
    found: dict[str, ConversationEntry] = {}
    history: list[ConversationEntry] = []
    entry_id = head_id
    while entry_id is not None and (limit is None or len(history) < limit):
        if entry_id not in found:
            # Most entries of a history were added by one conversation: read them all at once.
            owner = sa.select(entries.c.conversation_id).where(entries.c.id == entry_id).scalar_subquery()
            rows = (await connection.execute(sa.select(entries).where(entries.c.conversation_id == owner))).all()
            found |= {row.id: _entry(row) for row in rows}
        if entry_id not in found:
            raise LookupError(entry_id)
        history.append(found[entry_id])
        entry_id = found[entry_id].parent_id
    return history[::-1]


def to_json(message: ModelMessage) -> Any:
    """Return a message as a JSON value; files in it are base64 there, and files again when it is read."""
    return ModelMessagesTypeAdapter.dump_python([message], mode="json")[0]


def from_json(value: Any) -> ModelMessage:
    """Return the message that :func:`to_json` described."""
    return ModelMessagesTypeAdapter.validate_python([value])[0]


def _entry(row: Any) -> ConversationEntry:
    return ConversationEntry(id=row.id, parent_id=row.parent_id, message=from_json(row.message))


@cache
def _records() -> TypeAdapter[ConversationRecord]:
    return cast("TypeAdapter[ConversationRecord]", TypeAdapter(ConversationRecord))
