"""Fixtures of the tests of chats and of what joins in: databases, a clock that a test moves, and a server of PostgreSQL."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext_agent.chat.database import create_tables, open_database
from modelcontext_agent.chat.tables import metadata
from packages.agent.tests.chat.helpers import Clock

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or (
    [Path(found).parent] if (found := shutil.which("initdb")) else []
)


@pytest.fixture
def anyio_backend() -> str:
    """Return the event loop of the tests that are coroutines."""
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a database; the test runs on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'chats.db'}"
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
async def engine(url: str) -> AsyncIterator[AsyncEngine]:
    """Yield the engine of an empty database with tables."""
    engine = open_database(url)
    if engine.dialect.name == "postgresql":
        async with engine.begin() as connection:
            await connection.run_sync(metadata.drop_all)
    await create_tables(engine)
    yield engine
    await engine.dispose()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Start PostgreSQL on a Unix socket in a folder of its own, and yield the URL of its database."""
    if not POSTGRES:
        pytest.skip("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    as_user: list[str] = []
    # Not a folder of pytest's: those are for the user of the tests alone.
    folder = Path(tempfile.mkdtemp(prefix="modelcontext-pg-"))
    if os.geteuid() == 0:
        # The server refuses to run as root.
        names = {user.pw_name for user in pwd.getpwall()}
        user = next((name for name in ("postgres", "nobody") if name in names), None)
        if user is None or shutil.which("runuser") is None:
            pytest.skip("PostgreSQL does not run as root, and there is no user for it; run the tests as another user")
        as_user = ["runuser", "-u", user, "--"]
        shutil.chown(folder, user)
    binaries, data = POSTGRES[-1], folder / "data"
    initdb = [*as_user, str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", "chats", "--no-sync"]
    subprocess.run(initdb, check=True, capture_output=True, cwd="/")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c max_connections=60"
    control = [*as_user, str(binaries / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
    subprocess.run([*control, "-o", options, "start"], check=True, stdout=subprocess.DEVNULL, cwd="/")
    try:
        yield f"postgresql://chats@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, stdout=subprocess.DEVNULL, cwd="/")
        shutil.rmtree(folder)
