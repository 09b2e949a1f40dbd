"""The servers on npm that offer a page's tools: how each is started, and what a client asks of it.

A client opens a page, lists the page's tools, and calls one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.problems import UnavailableError
from modelcontext.running.products.registry import make_target

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters, types
    from mcp.shared.dispatcher import ProgressFnT


class NpmSession(ABC):
    """A client connected to a server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @staticmethod
    @abstractmethod
    def options(binary: str, scratch: Path) -> list[str]:
        """Return the options of the server's program: a browser without windows, whose pages have WebMCP."""

    @abstractmethod
    async def open(self, url: str) -> None:
        """Open a page."""

    @abstractmethod
    async def look(self) -> None:
        """Have the server look at the page, unless it does so by itself."""

    @abstractmethod
    async def listing(self) -> str:
        """Return all that a model is told of the tools, in a line or more for each."""

    @abstractmethod
    def name_of(self, tool: str) -> str:
        """Return the name with which a tool of the page is called."""

    @abstractmethod
    async def call(
        self, name: str, arguments: Mapping[str, Any], progress: ProgressFnT | None = None
    ) -> types.CallToolResult:
        """Call a tool by the name of :meth:`name_of`."""


class DevToolsSession(NpmSession):
    """A client of chrome-devtools-mcp: one tool lists the tools of the page, and another calls one."""

    _page = 0

    @staticmethod
    def options(binary: str, scratch: Path) -> list[str]:
        flags = ["--headless", "--isolated", "--executablePath", binary, "--chromeArg=--no-sandbox"]
        features = ["--chromeArg=--enable-features=WebMCP", "--categoryExperimentalWebmcp", "--no-usage-statistics"]
        return [*flags, *features]

    async def open(self, url: str) -> None:
        opened = text_of(await self._client.call_tool("new_page", {"url": url}))
        self._page = max(map(int, re.findall(r"^(\d+):", opened, re.MULTILINE)))

    async def look(self) -> None:
        """Do nothing: the server looks whenever it lists."""

    async def listing(self) -> str:
        return text_of(await self._client.call_tool("list_webmcp_tools", {"pageId": self._page}))

    def name_of(self, tool: str) -> str:
        return tool

    async def call(
        self, name: str, arguments: Mapping[str, Any], progress: ProgressFnT | None = None
    ) -> types.CallToolResult:
        given = {"pageId": self._page, "toolName": name, "input": json.dumps(arguments)}
        return await self._client.call_tool("execute_webmcp_tool", given, progress_callback=progress)


class PlaywrightSession(NpmSession):
    """A client of Playwright's server: each tool of the page is a tool of the server."""

    @staticmethod
    def options(binary: str, scratch: Path) -> list[str]:
        launch = {
            "headless": True,
            "executablePath": binary,
            "chromiumSandbox": False,
            "args": ["--enable-features=WebMCP"],
        }
        configuration = {"browser": {"browserName": "chromium", "isolated": True, "launchOptions": launch}}
        file = scratch / "configuration.json"
        file.write_text(json.dumps(configuration), encoding="utf-8")
        return ["--config", str(file)]

    async def open(self, url: str) -> None:
        await self._client.call_tool("browser_navigate", {"url": url})

    async def look(self) -> None:
        await self._client.call_tool("browser_snapshot", {})

    async def listing(self) -> str:
        return "\n".join(tool.model_dump_json() for tool in (await self._client.list_tools()).tools)

    def name_of(self, tool: str) -> str:
        return f"webmcp_{tool}"

    async def call(
        self, name: str, arguments: Mapping[str, Any], progress: ProgressFnT | None = None
    ) -> types.CallToolResult:
        return await self._client.call_tool(name, dict(arguments), progress_callback=progress)


@dataclass(frozen=True, slots=True)
class NpmServer:
    """A package with a server: its name and version on npm, its program with a verb, and how a client uses it."""

    package: str
    program: str
    session: type[NpmSession]
    verb: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the package without its version."""
        return self.package.rpartition("@")[0]

    def parameters(self, folder: Path, scratch: Path) -> StdioServerParameters:
        """Return how to start the server that npm has installed in a folder; what it writes goes to another one.

        Raises:
            UnavailableError: if Node.js or the package is missing.
        """
        from mcp import StdioServerParameters

        node = shutil.which("node")
        program = folder / "node_modules" / self.name / self.program
        if node is None or not program.is_file():
            missing = "Node.js" if node is None else f"{self.package} in {folder / 'node_modules'}"
            remedy = f"install it: npm install --prefix FOLDER {self.package}, and name the FOLDER with --packages"
            raise UnavailableError(f"{missing} is missing", remedy)
        binary = str(make_target("chromium").find_binary() or "chromium")
        return StdioServerParameters(
            command=node,
            args=[str(program), *self.verb, *self.session.options(binary, scratch)],
            cwd=scratch,
            env={**os.environ, "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"},
        )


def text_of(result: types.CallToolResult) -> str:
    """Return the text of a result."""
    return "\n".join(part.text for part in result.content if part.type == "text")


#: The packages of the clients, by the names of these clients.
PACKAGES: Final[Mapping[str, NpmServer]] = {
    "chrome-devtools-mcp": NpmServer(
        "chrome-devtools-mcp@1.11.0", "build/src/bin/chrome-devtools-mcp.js", DevToolsSession
    ),
    "playwright-mcp": NpmServer("playwright@1.65.1", "cli.js", PlaywrightSession, ("mcp",)),
}
