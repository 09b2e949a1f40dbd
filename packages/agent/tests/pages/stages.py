"""Stages: the same page, with one frame of another origin, for each way in which an agent reaches a page.

A test registers tools in ``"top"`` and in ``"child"``, and acts as the page and its user do.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

import uvicorn
from starlette.applications import Starlette

from modelcontext import Browser, Promise
from modelcontext.platform.ecmascript.promise import Promise as JSPromise
from modelcontext.running.serving.http import Server
from modelcontext_agent.pages.live_page import LivePage
from modelcontext_agent.pages.remote_pages import RemotePage, RemotePages
from modelcontext_agent.pages.simulated_page import SimulatedPage

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.pages.contract import AgentPage, ListedPage

TOKEN = "the token of the tests"
PATHS = {"top": "/stage/top.html", "child": "/stage/child.html"}


class Stage(Protocol):
    """A page with a frame of another origin, seen from both sides."""

    page: ListedPage

    async def register(self, where: str, name: str, behavior: str = "echo", **members: Any) -> None:
        """Register a tool: ``echo``, ``throws``, ``rejects``, ``nothing``, ``never`` or ``registers`` (another tool)."""

    async def unregister(self, where: str, name: str) -> None:
        """Unregister a tool."""

    async def navigate(self, where: str) -> None:
        """Go to another document of the same URL."""

    async def remove_child(self) -> None:
        """Remove the frame."""

    async def running(self, where: str, name: str) -> None:
        """Wait until a tool runs."""

    async def aborted(self, where: str, name: str) -> None:
        """Wait until the signal of a call is aborted."""


async def listed(page: AgentPage, is_expected: Callable[[Sequence[PageTool]], bool]) -> Sequence[PageTool]:
    """Return the tools of a page once they are as expected, looking again at each change."""
    changed = asyncio.Event()
    page.on_change(changed.set)
    while True:
        changed.clear()
        tools = await page.tools()
        if is_expected(tools):
            return tools
        await changed.wait()


async def tool(page: AgentPage, where: str, name: str) -> PageTool:
    """Return the tool of that name in the main frame or in the other one, once it is there."""

    def matching(tools: Sequence[PageTool]) -> list[PageTool]:
        return [tool for tool in tools if tool.name == name and (tool.frame == "main") == (where == "top")]

    [found] = matching(await listed(page, lambda tools: len(matching(tools)) == 1))
    return found


class SimulatedStage:
    """The stage in the simulated browser."""

    def __init__(self) -> None:
        self.browser = Browser()
        self._documents = {"top": self.browser.open("https://shop.example/")}
        self._documents["child"] = self._documents["top"].add_frame("https://helper.example/", allow="tools")
        self._signals: dict[tuple[str, str], Any] = {}
        self._running = defaultdict[tuple[str, str], asyncio.Event](asyncio.Event)
        self._registrations: dict[tuple[str, str], Any] = {}
        self.page: ListedPage = SimulatedPage(self.browser, self._documents["top"])

    async def register(self, where: str, name: str, behavior: str = "echo", **members: Any) -> None:
        document = self._documents[where]
        controller = self._registrations[where, name] = document.new_abort_controller()
        execute = self._behavior(where, name, behavior)
        members = {"description": "d", **members}
        members["input_schema"] = members.pop("inputSchema", {"type": "object"})
        document.model_context.register_tool(name=name, execute=execute, signal=controller.signal, **members).wait()

    def _behavior(self, where: str, name: str, behavior: str) -> Callable[..., Any]:
        document = self._documents[where]

        def throws(input: object) -> None:
            raise ValueError("no")

        async def rejects(input: object) -> None:
            raise ValueError("no")

        async def never(input: object, signal: Any) -> None:
            self._signals[where, name] = signal
            self._running[where, name].set()
            await Promise(self.browser, JSPromise(document._html.realm))

        def registers(input: object) -> None:
            document.model_context.register_tool(name=f"{name}.next", description="d", execute=lambda input: "next")

        behaviors: dict[str, Callable[..., Any]] = {
            "echo": lambda input: {"in": where, "input": input},
            "nothing": lambda input: None,
            "throws": throws,
            "rejects": rejects,
            "never": never,
            "registers": registers,
        }
        return behaviors[behavior]

    async def unregister(self, where: str, name: str) -> None:
        self._registrations[where, name].abort()
        self.browser.run_until_idle()

    async def navigate(self, where: str) -> None:
        document = self._documents[where]
        document.navigate(document.url)
        self.browser.run_until_idle()
        self._documents[where] = document.current

    async def remove_child(self) -> None:
        self._documents["child"].remove()
        self.browser.run_until_idle()

    async def running(self, where: str, name: str) -> None:
        await self._running[where, name].wait()

    async def aborted(self, where: str, name: str) -> None:
        # Nothing takes time here: the browser has run until it was idle.
        assert self._signals[where, name].aborted


class ChromiumStage:
    """The stage in Chromium; ``page`` is chosen by who makes the stage."""

    page: ListedPage

    def __init__(self, tab: Any) -> None:
        self.tab = tab

    async def _call(self, where: str, method: str, *arguments: Any) -> None:
        frame = self._frame(where)
        await frame.evaluate("([method, args]) => stage[method](...args)", [method, list(arguments)])

    def _frame(self, where: str) -> Any:
        return self.tab.main_frame if where == "top" else self.tab.frames[1]

    async def register(self, where: str, name: str, behavior: str = "echo", **members: Any) -> None:
        await self._call(where, "register", where, name, behavior, members)

    async def unregister(self, where: str, name: str) -> None:
        await self._call(where, "unregister", name)

    async def navigate(self, where: str) -> None:
        frame = self._frame(where)
        await frame.goto(frame.url)

    async def remove_child(self) -> None:
        await self.tab.evaluate("document.querySelector('iframe').remove()")

    async def running(self, where: str, name: str) -> None:
        await self._frame(where).wait_for_function("name => stage.signals[name]", arg=name)

    async def aborted(self, where: str, name: str) -> None:
        await self._frame(where).wait_for_function("name => stage.signals[name].aborted", arg=name)


class RemoteStage(ChromiumStage):
    """The stage of a remote page; ``came`` has the pages that come after it."""

    came: asyncio.Queue[RemotePage]


@contextlib.asynccontextmanager
async def simulated_stage(browser: Any, server: Server) -> AsyncIterator[Stage]:
    """Make the stage of a simulated page."""
    stage = SimulatedStage()
    yield stage
    await stage.page.close()


@contextlib.asynccontextmanager
async def live_stage(browser: Any, server: Server) -> AsyncIterator[Stage]:
    """Make the stage of a live page."""
    async with _tab(browser, server) as tab:
        stage = ChromiumStage(tab)
        stage.page = LivePage(tab)
        yield stage
        await stage.page.close()


@contextlib.asynccontextmanager
async def remote_stage(browser: Any, server: Server) -> AsyncIterator[Stage]:
    """Make the stage of a remote page, which connects to an application on a port of its own."""
    pages = RemotePages(token=TOKEN, allowed_origins=[server.origins["A"], server.origins["B"]])
    async with serve(pages) as address:
        came: asyncio.Queue[RemotePage] = asyncio.Queue()
        pages.on_page(came.put_nowait)
        async with _tab(browser, server, {"agent": f"{address}/pages/remote.js", "token": TOKEN}) as tab:
            stage = RemoteStage(tab)
            stage.page, stage.came = await came.get(), came
            yield stage
            await stage.page.close()


STAGES: Mapping[str, Callable[[Any, Server], contextlib.AbstractAsyncContextManager[Stage]]] = {
    "simulated": simulated_stage,
    "live": live_stage,
    "remote": remote_stage,
}


@contextlib.asynccontextmanager
async def serve(pages: RemotePages) -> AsyncIterator[str]:
    """Serve the application of remote pages on a free port, and return its origin."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        # Connections wait until the server takes them.
        listening.listen()
        config = uvicorn.Config(Starlette(routes=pages.routes()), log_level="warning", lifespan="off")
        server = uvicorn.Server(config)
        task = asyncio.ensure_future(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            await pages.close()
            server.should_exit = True
            await task


@contextlib.asynccontextmanager
async def _tab(browser: Any, server: Server, query: Mapping[str, str] | None = None) -> AsyncIterator[Any]:
    context = await browser.new_context()
    tab = await context.new_page()
    child = f"{server.origins['B']}{PATHS['child']}?{urlencode(query or {})}"
    await tab.goto(f"{server.origins['A']}{PATHS['top']}?{urlencode({**(query or {}), 'child': child})}")
    yield tab
    await context.close()


def stage_server() -> Server:
    """Return a server of the stage's pages."""
    return Server(folders={"/stage/": Path(__file__).parent / "stage"})
