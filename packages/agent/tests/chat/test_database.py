"""Tests of the database: its URLs, and the ways in which SQLite is used."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from modelcontext.ground.problems import UnavailableError
from modelcontext_agent.chat import database
from modelcontext_agent.chat.database import create_tables, open_database, readers
from modelcontext_agent.chat.service import ChatService

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("url", "words"), [("no url", "is not a URL"), ("mysql://x/y", "“mysql” is not supported")])
def test_url_of_another_kind_is_refused(url: str, words: str) -> None:
    with pytest.raises(UnavailableError, match=words):
        open_database(url)


def test_sqlite_file_in_a_folder_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        UnavailableError, match=r"the folder /nowhere of the database does not exist \(mkdir -p /nowhere\)"
    ):
        open_database("sqlite:////nowhere/chats.db")


async def test_server_that_does_not_answer_is_told_with_a_remedy() -> None:
    engine = open_database("postgresql://x@127.0.0.1:1/x")
    with pytest.raises(UnavailableError, match="cannot be opened"):
        await create_tables(engine)
    await engine.dispose()


async def test_sqlite_is_in_wal_and_writers_begin_immediately(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'chats.db'}")
    statements: list[str] = []

    @sa.event.listens_for(engine.sync_engine, "before_cursor_execute")
    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    async with engine.begin() as connection:
        assert await connection.scalar(sa.text("PRAGMA journal_mode")) == "wal"
        # A reader does not wait for the writer.
        async with readers(engine).begin() as reader:
            await reader.scalar(sa.text("SELECT 1"))
    assert [statement for statement in statements if statement.startswith("BEGIN")] == ["BEGIN IMMEDIATE", "BEGIN"]
    await engine.dispose()


async def test_database_in_memory_serves_a_chat() -> None:
    engine = open_database("sqlite://")
    await create_tables(engine)
    service = ChatService(engine)
    chat_id = await service.create_chat(model="m", message="hi")
    assert (await service.chat(chat_id))["state"] == "pending"
    await engine.dispose()


def test_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "chats.db"
    open_database(f"sqlite:///{file}")
    assert file.stat().st_mode & 0o777 == 0o600


async def test_task_that_is_canceled_between_a_statement_and_its_rows_leaves_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SQLITE_BUSY_TIMEOUT", 1)
    engine = open_database(f"sqlite:///{tmp_path / 'chats.db'}")
    loop, tasks = asyncio.get_running_loop(), list[asyncio.Task[None]]()

    @sa.event.listens_for(engine.sync_engine, "connect")
    def add_function(connection: Any, _record: Any) -> None:
        # The thread of the connection calls it before it gives the statement's result to the loop.
        connection.create_function(
            "cancel_all", 0, lambda: [loop.call_soon_threadsafe(task.cancel) for task in tasks] and 1
        )

    async def read_rows() -> None:
        async with engine.begin() as connection:
            await connection.execute(sa.text("SELECT cancel_all() UNION ALL SELECT 2"))

    tasks.append(asyncio.create_task(read_rows()))
    # The exception, with the cursor in its traceback, lives until the end of the test.
    with pytest.raises(asyncio.CancelledError) as canceled:
        await tasks[0]
    async with engine.begin() as connection:
        assert await connection.scalar(sa.text("SELECT 1")) == 1
    assert canceled.tb is not None
    await engine.dispose()
