"""The servers that are compared: how each is started, and how its client lists and calls a page's tools."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.clients.npm_servers import PACKAGES, DevToolsSession, NpmServer, PlaywrightSession

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters, types

    from modelcontext.judging.clients.npm_servers import NpmSession
    from surveys.mcp_clients.demo import DemoPage

HERE = Path(__file__).parent
#: The name of a page's tool in its line of a listing. Playwright's server lists its own tools as well.
_NAMES = {DevToolsSession: r'name="([^"]+)"', PlaywrightSession: r'^\{"name":"(webmcp_[^"]+)"'}


@dataclass
class Session(ABC):
    """A client connected to a server that has the demo page open."""

    client: Client
    page: DemoPage
    progress: int = 0
    questions: list[str] = field(default_factory=list)
    changes: asyncio.Event = field(default_factory=asyncio.Event)

    @abstractmethod
    async def open(self) -> None:
        """Open the demo page, unless the server has it open."""

    @abstractmethod
    async def tools(self) -> dict[str, str]:
        """Return all that a model is told of each tool, by the name with which it is called."""

    @abstractmethod
    async def call(self, name: str) -> types.CallToolResult:
        """Call a tool by the name of the list."""

    async def note_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Count a message of progress."""
        self.progress += 1


class Ours(Session):
    """A session of ``modelcontext mcp URL``."""

    async def open(self) -> None:
        """Do nothing: the page is open from the start."""

    async def tools(self) -> dict[str, str]:
        return {tool.name: tool.model_dump_json() for tool in (await self.client.list_tools()).tools}

    async def call(self, name: str) -> types.CallToolResult:
        return await self.client.call_tool(name, {}, progress_callback=self.note_progress)


@dataclass
class OfNpm(Session):
    """A session of a server on npm."""

    session: NpmSession = field(kw_only=True)

    async def open(self) -> None:
        await self.session.open(self.page.url)

    async def tools(self) -> dict[str, str]:
        tools: dict[str, str] = {}
        for line in (await self.session.listing()).splitlines():
            if (found := re.search(_NAMES[type(self.session)], line)) is not None:
                tools.setdefault(found[1], line)
        return tools

    async def call(self, name: str) -> types.CallToolResult:
        return await self.session.call(name, {}, self.note_progress)


@dataclass(frozen=True)
class Server:
    """A server: one on npm, or ours."""

    npm: NpmServer | None = None

    @property
    def name(self) -> str:
        """The name with the version."""
        return "modelcontext mcp" if self.npm is None else " ".join(self.npm.package.rsplit("@", 1))

    def parameters(self, page: DemoPage, folder: Path, packages: Path) -> StdioServerParameters:
        """Return how to start the server, in a folder of its own. Raises :class:`UnavailableError`."""
        from mcp import StdioServerParameters

        if self.npm is not None:
            return self.npm.parameters(packages, folder)
        command = str(Path(sys.executable).with_name("modelcontext"))
        return StdioServerParameters(command=command, args=["mcp", page.url], cwd=folder, env=dict(os.environ))

    @contextlib.asynccontextmanager
    async def opened(self, page: DemoPage, packages: Path) -> AsyncIterator[Session]:
        """Start the server, connect a client, and open the demo page."""
        from mcp import Client, types

        session: Session

        async def ask(context: Any, params: Any) -> types.ElicitResult:
            session.questions.append(params.message)
            return types.ElicitResult(action="accept")

        async def hear(message: object) -> None:
            if isinstance(message, types.ToolListChangedNotification):
                session.changes.set()

        with tempfile.TemporaryDirectory() as folder:
            parameters = self.parameters(page, Path(folder), packages)
            async with Client(parameters, mode="legacy", elicitation_callback=ask, message_handler=hear) as client:
                session = Ours(client, page)
                if self.npm is not None:
                    session = OfNpm(client, page, session=self.npm.session(client))
                await session.open()
                for told in ("loaded", "NEAR loaded", "FAR loaded"):
                    if not await page.tells(told):
                        raise TimeoutError(f"the demo page did not tell: {told}")
                yield session


SERVERS = [
    Server(),
    Server(PACKAGES["chrome-devtools-mcp"]),
    Server(NpmServer("@playwright/mcp@0.0.83", "cli.js", PlaywrightSession)),
    Server(PACKAGES["playwright-mcp"]),
]


def install_packages(folder: Path) -> None:
    """Install the packages of the lock file into a folder, without running their scripts.

    Raises:
        UnavailableError: if Node or the packages cannot be had.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise UnavailableError("Node.js or npm is missing", "install it (Debian and Ubuntu: apt-get install npm)")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["npm gives no reason"]
        raise UnavailableError(
            f"the npm packages cannot be installed: {lines[0]}", "check that npm reaches its registry"
        )
