"""The servers that are compared: how each is started, and how its client lists and calls a page's tools."""

from __future__ import annotations

import asyncio
import contextlib
import json
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

from mcp import Client, StdioServerParameters, types

from modelcontext.problems import UnavailableError
from modelcontext.products.registry import make_target

if TYPE_CHECKING:
    from benchmarks.mcp_clients.demo import DemoPage

HERE = Path(__file__).parent


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
    """``modelcontext mcp URL``."""

    async def open(self) -> None:
        """Do nothing: the page is open from the start."""

    async def tools(self) -> dict[str, str]:
        return {tool.name: tool.model_dump_json() for tool in (await self.client.list_tools()).tools}

    async def call(self, name: str) -> types.CallToolResult:
        return await self.client.call_tool(name, {}, progress_callback=self.note_progress)


class Playwright(Ours):
    """@playwright/mcp, or playwright's own verb mcp: each tool of the page is a tool of the server."""

    async def open(self) -> None:
        await self.client.call_tool("browser_navigate", {"url": self.page.url})

    async def tools(self) -> dict[str, str]:
        return {name: text for name, text in (await super().tools()).items() if name.startswith("webmcp_")}


class DevTools(Session):
    """chrome-devtools-mcp: one tool lists the tools of the page, and another calls one."""

    number = 0

    async def open(self) -> None:
        result = await self.client.call_tool("new_page", {"url": self.page.url})
        numbers = [int(number) for number in re.findall(r"^(\d+):", text_of(result), re.MULTILINE)]
        self.number = max(numbers)

    async def tools(self) -> dict[str, str]:
        text = text_of(await self.client.call_tool("list_webmcp_tools", {"pageId": self.number}))
        tools: dict[str, str] = {}
        for line in text.splitlines():
            if (found := re.search(r'name="([^"]+)"', line)) is not None:
                tools.setdefault(found[1], line)
        return tools

    async def call(self, name: str) -> types.CallToolResult:
        arguments = {"pageId": self.number, "toolName": name, "input": "{}"}
        return await self.client.call_tool("execute_webmcp_tool", arguments, progress_callback=self.note_progress)


@dataclass(frozen=True)
class Server:
    """A server: its name with its version, and the session of its clients."""

    name: str
    session: type[Session]
    package: str = ""
    #: The words of its program before the options.
    verb: tuple[str, ...] = ()

    def parameters(self, page: DemoPage, folder: Path, packages: Path) -> StdioServerParameters:
        """Return how to start the server, in a folder of its own. Raises :class:`UnavailableError`."""
        binary = make_target("chromium").find_binary() or "chromium"
        if not self.package:
            command = str(Path(sys.executable).with_name("modelcontext"))
            return StdioServerParameters(command=command, args=["mcp", page.url], cwd=folder, env=dict(os.environ))
        program = packages / "node_modules" / self.package
        if self.session is DevTools:
            arguments = [
                str(program / "build/src/bin/chrome-devtools-mcp.js"),
                *("--headless", "--isolated", "--executablePath", str(binary)),
                *("--chromeArg=--no-sandbox", "--chromeArg=--enable-features=WebMCP"),
                *("--categoryExperimentalWebmcp", "--no-usage-statistics"),
            ]
        else:
            options = {
                "headless": True,
                "executablePath": str(binary),
                "chromiumSandbox": False,
                "args": ["--enable-features=WebMCP"],
            }
            configuration = {"browser": {"browserName": "chromium", "isolated": True, "launchOptions": options}}
            (folder / "configuration.json").write_text(json.dumps(configuration))
            arguments = [str(program / "cli.js"), *self.verb, "--config", str(folder / "configuration.json")]
        environment = {**os.environ, "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"}
        return StdioServerParameters(command="node", args=arguments, cwd=folder, env=environment)

    @contextlib.asynccontextmanager
    async def opened(self, page: DemoPage, packages: Path) -> AsyncIterator[Session]:
        """Start the server, connect a client, and open the demo page."""
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
                session = self.session(client, page)
                await session.open()
                for told in ("loaded", "NEAR loaded", "FAR loaded"):
                    if not await page.tells(told):
                        raise TimeoutError(f"the demo page did not tell: {told}")
                yield session


SERVERS = [
    Server("modelcontext mcp", Ours),
    Server("chrome-devtools-mcp 1.11.0", DevTools, "chrome-devtools-mcp"),
    Server("@playwright/mcp 0.0.83", Playwright, "@playwright/mcp"),
    Server("playwright 1.65.1", Playwright, "playwright", ("mcp",)),
]


def text_of(result: types.CallToolResult) -> str:
    """Return the text of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


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
