"""``modelcontext mcp`` with Chromium: the demo page of the comparison, asked by the official client of both eras."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from modelcontext_agent.cli.mcp import command
from modelcontext_agent.loopback import listen
from packages.agent.tests.mcp.connections import Person, words
from surveys.mcp_clients.demo import DemoPage, demo_page

pytestmark = pytest.mark.usefixtures("starts_a_browser", "takes_long")

PROGRAM = str(Path(sys.executable).with_name("modelcontext"))
Connect = Callable[[DemoPage, str, Person, asyncio.Event], contextlib.AbstractAsyncContextManager[Client]]

# Seconds after which a test with a browser counts as hung.
PATIENCE = 120


@contextlib.asynccontextmanager
async def over_stdio(page: DemoPage, era: str, person: Person, told: asyncio.Event) -> AsyncIterator[Client]:
    async def hear(message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    program = StdioServerParameters(command=PROGRAM, args=["mcp", page.url])
    async with Client(program, mode=era, elicitation_callback=person.ask, message_handler=hear) as client:
        yield client


@contextlib.asynccontextmanager
async def over_http(page: DemoPage, era: str, person: Person, told: asyncio.Event) -> AsyncIterator[Client]:
    process = await asyncio.create_subprocess_exec(PROGRAM, "mcp", "--http", "0", page.url, stderr=PIPE)
    assert process.stderr is not None
    line = (await process.stderr.readline()).decode()
    found = re.fullmatch(r"(http://127\.0\.0\.1:\d+/mcp) \(Authorization: (Bearer \S+)\)\n", line)
    assert found, line
    try:
        async with (
            create_mcp_http_client({"Authorization": found[2]}) as http,
            Client(
                streamable_http_client(found[1], http_client=http), mode=era, elicitation_callback=person.ask
            ) as client,
            client.listen(tools_list_changed=True) as subscription,
        ):

            async def hear() -> None:
                async for _ in subscription:
                    told.set()

            hearing = asyncio.ensure_future(hear())
            yield client
            hearing.cancel()
    finally:
        process.terminate()
        await process.communicate()
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("era", "connect"), [("legacy", over_stdio), ("2026-07-28", over_http)], ids=["2025-stdio", "2026-http"]
)
def test_live_page_is_listed_called_cancelled_watched_and_refused_after_it_left(era: str, connect: Connect) -> None:
    async def steps(page: DemoPage, client: Client, person: Person, told: asyncio.Event) -> None:
        assert await page.tells("FAR loaded")
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert len([name for name in names if name.startswith("greet")]) == 3
        assert "MAIN greet ran" in words(await client.call_tool("greet", {}))
        [far] = [name for name in names if name.startswith("far_only")]
        assert f'origin="{page.other_origin}"' in words(await client.call_tool(far, {}))

        assert "pay ran" in words(await client.call_tool("pay", {}))
        assert len(person.questions) == 1

        call = asyncio.ensure_future(client.call_tool("slow", {}))
        assert await page.tells("slow runs")
        call.cancel()
        assert await page.tells("slow aborted")

        told.clear()
        await page.order("add", "add done")
        await told.wait()

        await page.order("leave", "NEXT loaded")
        result = await client.call_tool("greet", {})
        assert result.is_error
        assert "is gone" in words(result)

    async def all_steps() -> None:
        person, told = Person(), asyncio.Event()
        async with (
            asyncio.timeout(PATIENCE),
            demo_page() as page,
            connect(page, era, person, told) as client,
        ):
            await steps(page, client, person, told)

    asyncio.run(all_steps())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["http://127.0.0.1:1/"], "http://127.0.0.1:1/ cannot be opened"),
        (["--binary", "/absent", "http://127.0.0.1:1/"], "/absent"),
        ([], "Missing argument 'FILE|URL...'"),
        (["--token", "t", "http://127.0.0.1:1/"], "--token is for clients over HTTP, so give --http PORT as well"),
        (["--http", "70000", "http://127.0.0.1:1/"], "70000 is not in the range"),
    ],
)
def test_verb_that_cannot_serve_says_why_and_ends_with_2(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(command, arguments)
    assert isinstance(result.exception, SystemExit)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_verb_says_that_a_port_is_occupied() -> None:
    with listen(0) as listening:
        port = str(listening.getsockname()[1])
        result = CliRunner().invoke(command, ["--http", port, "http://a.test/"])
    assert result.exit_code == 2
    assert f"port {port} is in use" in result.stderr
