"""The model compared with a tool registry without a specification, and with itself at other sizes.

    python -m benchmarks.model

Prints a table of medians and ratios. The other registry is the official MCP SDK: an in-memory client and server with ten
tools at most. One round trip adds a tool and calls it once.
"""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Callable

from mcp.client import Client
from mcp.server import MCPServer
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import in_turn
from modelcontext import Browser
from modelcontext.hosts.world import World
from modelcontext.platform.ecmascript.values import Accessor, JSFunction, JSObject, JSValue
from modelcontext.platform.html import loading
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import from_data

ROUND_TRIPS = 300
EXECUTIONS = 300


class ModelRegistry:
    """One document of the model, called through its bindings as a page would call it."""

    def __init__(self) -> None:
        self.world = World()
        self.world.enter()
        response = loading.Response("https://a.test/")
        self.document = loading.create_a_new_top_level_traversable(self.world.user_agent, response)
        context = self.world.boundary.get(self.document, "modelContext")
        assert isinstance(context, PlatformObject)
        self.context = context
        self._execute = JSFunction(self.document.realm, lambda this, arguments: "ok")
        self._registered = 0

    def register_and_execute(self) -> None:
        """Register one more tool, and execute it."""
        self._registered += 1
        name = f"tool{self._registered % 10}-{self._registered}"
        realm = self.document.realm
        tool = JSObject(realm, {"name": name, "description": "d", "execute": self._execute})
        self._call("registerTool", tool)
        self.execute(name)

    def execute(self, name: str) -> None:
        """Execute a tool."""
        realm = self.document.realm
        window = self.document.window.proxy
        members: dict[str, JSValue | Accessor] = {"name": name, "description": "", "origin": "https://a.test"}
        members["window"] = window
        self._call("executeTool", JSObject(realm, members), JSObject(realm, {"x": 1}))

    def list_tools(self) -> None:
        """List all tools."""
        self._call("getTools")

    def _call(self, operation: str, *arguments: JSObject) -> None:
        def script() -> None:
            self.world.boundary.call(self.context, operation, arguments)

        self.world.enter()
        self.world.user_agent.run_script_now(self.document, script)
        self.world.user_agent.run_until_idle()


def model_round_trips() -> int:
    """Register and execute ``ROUND_TRIPS`` tools in a fresh model."""
    registry = ModelRegistry()
    for _ in range(ROUND_TRIPS):
        registry.register_and_execute()
    return ROUND_TRIPS


def sdk_round_trips() -> int:
    """Add and call ``ROUND_TRIPS`` tools of a fresh MCP server, through the SDK's in-memory client."""

    async def run() -> None:
        server = MCPServer("benchmark")
        async with Client(server) as client:
            for number in range(ROUND_TRIPS):
                name = f"tool{number % 10}"
                if number >= 10:
                    server.remove_tool(name)  # So that the registry stays small.
                server.add_tool(answer, name=name, description="d")
                await client.call_tool(name, {"x": 1})

    asyncio.run(run())
    return ROUND_TRIPS


def answer(x: int) -> str:
    """Answer."""
    return "ok"


def executions(count: int) -> Callable[[], int]:
    """Return a function that executes tools in a registry of ``count`` tools."""
    registry = ModelRegistry()
    for _ in range(count):
        registry.register_and_execute()

    def run() -> int:
        for _ in range(EXECUTIONS):
            registry.execute(f"tool{count % 10}-{count}")
        return EXECUTIONS

    return run


def listings(count: int) -> Callable[[], int]:
    """Return a function that lists ``count`` tools; a call is one tool in one list."""
    registry = ModelRegistry()
    for _ in range(count):
        registry.register_and_execute()
    lists = max(1, 2_000 // count)

    def run() -> int:
        for _ in range(lists):
            registry.list_tools()
        return lists * count

    return run


def explorations(racing: int) -> Callable[[], int]:
    """Return a function that explores a program with ``racing`` registrations; a call is one run of the program."""
    steps = [
        {"do": "registerTool", "tool": {"name": f"t{number}", "description": "d"}, "wait": False}
        for number in range(racing)
    ]
    documents = {"top": {}, "frame": {"parent": "top"}}
    listen: list[dict[str, object]] = [{"do": "listen", "type": "toolchange"}]
    program = from_data({"title": "races", "documents": documents, "script": {"top": listen + steps, "frame": listen}})
    return lambda: allowed_outcomes(program, bound=3_000, naive=True).runs


def bytes_per_document() -> float:
    """Return the memory of one more frame of a page, in bytes."""
    browser = Browser()
    page = browser.open("https://a.test/")
    page.add_frame("https://a.test/first")
    gc.collect()
    tracemalloc.start()
    frames = [page.add_frame(f"https://a.test/{number}") for number in range(1_000)]
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / len(frames)


def main() -> None:
    """Measure, and print the table."""
    table = Table(
        "measured", "median", "against", "median ", "ratio", "aim", title="The model, side by side in one run"
    )
    model, sdk = in_turn([model_round_trips, sdk_round_trips])
    table.add_row(
        "register + execute, model",
        f"{model.median * 1e6:.0f} µs",
        "add + call, MCP SDK in memory",
        f"{sdk.median * 1e6:.0f} µs",
        f"{sdk.median / model.median:.1f} times faster",
        "10 (floor 5)",
    )
    few, many = in_turn([executions(10), executions(10_000)])
    table.add_row(
        "executeTool, 10,000 tools",
        f"{many.median * 1e6:.0f} µs",
        "10 tools",
        f"{few.median * 1e6:.0f} µs",
        f"{many.median / few.median:.2f}",
        "1.1 (ceiling 1.3)",
    )
    lists = in_turn([listings(10), listings(1_000), listings(10_000)], rounds=3)
    for count, measured in zip((1_000, 10_000), lists[1:], strict=True):
        table.add_row(
            f"getTools per tool, {count:,} tools",
            f"{measured.median * 1e6:.1f} µs",
            "10 tools",
            f"{lists[0].median * 1e6:.1f} µs",
            f"{measured.median / lists[0].median:.2f}",
            "",
        )
    two, three = in_turn([explorations(2), explorations(3)], rounds=3)
    table.add_row(
        "schedules a second, 3 racing actions",
        f"{1 / three.median:,.0f}",
        "2 racing actions",
        f"{1 / two.median:,.0f}",
        f"{two.median / three.median:.2f}",
        "",
    )
    table.add_row("memory of a document", f"{bytes_per_document() / 1024:.1f} KiB", "", "", "", "")
    Console().print(table)


if __name__ == "__main__":
    main()
