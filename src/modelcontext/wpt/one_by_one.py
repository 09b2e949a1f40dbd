"""Running single tests when somebody asks for them, in browsers that stay open in between."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import TracebackType
from typing import Self

from modelcontext.products.target import Target
from modelcontext.wpt.discovery import Test
from modelcontext.wpt.results import Result
from modelcontext.wpt.runner import Session
from modelcontext.wpt.server.server import TestServer
from modelcontext.wpt.tree import Tree


class Browsers:
    """A context manager: one browser for each product, one server for each tree, each started when it is first needed.

    ``versions`` are those of the products that were started, by name.
    """

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self._runner = asyncio.Runner()
        self._sessions: dict[str, Session] = {}
        self._servers: dict[tuple[Path, str], TestServer] = {}

    def run(self, test: Test, tree: Tree, target: Target) -> Result:
        """Run one test. Raises :class:`UnavailableError`, and ``KeyboardInterrupt``."""
        return self._runner.run(self._run(test, self._server(tree, target), target))

    async def _run(self, test: Test, server: TestServer, target: Target) -> Result:
        session = self._sessions.get(target.name)
        if session is None:
            session = Session(target, target.find_binary(), target.scripts())
            self._sessions[target.name] = session
            self.versions[target.name] = await session.launch()
        return await session.run(test, server)

    def _server(self, tree: Tree, target: Target) -> TestServer:
        key = tree.root, target.name
        if key not in self._servers:
            self._servers[key] = TestServer(tree.with_folders(target.folders())).__enter__()
        return self._servers[key]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._runner:
            for session in self._sessions.values():
                self._runner.run(session.close())
        for server in self._servers.values():
            server.__exit__(None, None, None)
