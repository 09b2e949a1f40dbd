"""The database of chats: a file of SQLite, or PostgreSQL by its URL, through the same statements."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from modelcontext.ground.problems import UnavailableError
from modelcontext_agent.chat.tables import metadata

#: Seconds for which a writer of SQLite waits for another writer.
SQLITE_BUSY_TIMEOUT = 60

REMEDY = "use sqlite:///FILE, or postgresql://USER@HOST/NAME of a server that runs"

DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}


def open_database(url: str) -> AsyncEngine:
    """Return an engine for the database that ``url`` names. It connects when it is first used.

    A transaction that is begun with ``engine.begin()`` may write: SQLite begins it with BEGIN IMMEDIATE, so that two
    writers never meet half-way. :func:`readers` gives the engine for those that only read.

    Args:
        url: ``sqlite:///FILE``, ``sqlite://`` (in memory), or ``postgresql://…``.

    Raises:
        UnavailableError: if the URL names no database of these kinds, or a file that is none.
    """
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise UnavailableError(f"“{url}” is not a URL of a database", REMEDY) from error
    dialect = parsed.drivername.split("+")[0]
    if dialect not in DRIVERS:
        raise UnavailableError(f"the database “{dialect}” is not supported", REMEDY)
    parsed = parsed.set(drivername=DRIVERS[dialect])
    if dialect != "sqlite":
        return create_async_engine(parsed, pool_pre_ping=True)
    in_memory = parsed.database in (None, "", ":memory:")
    if not in_memory and not Path(parsed.database or "").absolute().parent.is_dir():
        folder = Path(parsed.database or "").absolute().parent
        raise UnavailableError(f"the folder {folder} of the database does not exist", f"mkdir -p {folder}")
    if not in_memory:
        _require_database(parsed)
    engine = create_async_engine(
        parsed,
        connect_args={"timeout": SQLITE_BUSY_TIMEOUT, "isolation_level": None},
        poolclass=AsyncAdaptedQueuePool,
        # A database in memory lives as long as its one connection. A file has one writer at a time.
        pool_size=1 if in_memory else 4,
        max_overflow=0,
    )

    @sa.event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @sa.event.listens_for(engine.sync_engine, "begin")
    def begin(connection: sa.Connection) -> None:
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    @sa.event.listens_for(engine.sync_engine, "invalidate")
    def roll_back(connection: Any, _record: Any, _error: BaseException | None) -> None:
        # This connection is closed next: its task was canceled in the midst of a statement. But SQLite ends the transaction of
        # a closed connection only when its cursors are gone, and the traceback of the task may hold one. Nobody could write.
        connection.rollback()

    return engine


def _require_database(url: sa.URL) -> None:
    """Make sure that a file of SQLite can be opened; a new file is for its owner only, and so are those beside it.

    The thread of an asynchronous connection that cannot be opened may outlive the event loop, and then prints a traceback.
    """
    # Only a new one: to close a file that another engine of this process has open would end the locks that SQLite has on it.
    with contextlib.suppress(OSError):
        os.close(os.open(url.database or "", os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))
    try:
        with sa.create_engine(url.set(drivername="sqlite"), poolclass=sa.NullPool).connect() as connection:
            connection.exec_driver_sql("PRAGMA schema_version")
    except sa.exc.DBAPIError as error:
        raise UnavailableError(f"the database {url.database} cannot be opened: {error.orig}", REMEDY) from None


def readers(engine: AsyncEngine) -> AsyncEngine:
    """Return the engine of ``engine`` for transactions that only read: they wait for no writer."""
    return engine.execution_options(reads=True)


async def create_tables(engine: AsyncEngine) -> None:
    """Create the tables that are missing.

    Raises:
        UnavailableError: if the database cannot be opened.
    """
    try:
        async with engine.begin() as connection:
            await connection.run_sync(metadata.create_all)
    except (OSError, sa.exc.DBAPIError, sqlite3.Error) as error:
        raise UnavailableError(f"the database {engine.url!r} cannot be opened: {error}", REMEDY) from error
