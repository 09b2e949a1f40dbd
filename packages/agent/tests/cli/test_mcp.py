"""``modelcontext mcp`` with a page that is answered with an error, and with a browser that ends."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from packages.agent.tests.cli.sites import MortalBrowser, status_site
from packages.agent.tests.mcp.connections import words
from packages.agent.tests.mcp.test_stdio import Server, ended

pytestmark = pytest.mark.usefixtures("starts_a_browser", "takes_long")

PROGRAM = str(Path(sys.executable).with_name("modelcontext"))
# Seconds after which a test counts as hung.
PATIENCE = 120


@pytest.mark.parametrize("pages", [1, 2])
def test_call_that_runs_when_the_browser_ends_is_answered_and_the_server_ends_with_1(
    tmp_path: Path, pages: int
) -> None:
    browser = MortalBrowser(tmp_path)

    async def steps(site: str) -> None:
        urls = [f"{site}/"] * pages
        process = await asyncio.create_subprocess_exec(
            PROGRAM, "mcp", "--binary", browser.binary, *urls, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        try:
            server = Server(process)
            await server.greet()
            name = "never" if pages == 1 else "page2_never"
            # A page may still be loading.
            while name not in [tool["name"] for tool in (await server.ask(1, "tools/list", {}))["result"]["tools"]]:
                pass
            params = {"name": name, "_meta": {"progressToken": 1}}
            server.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
            assert process.stdout is not None
            assert b"notifications/progress" in await process.stdout.readline()
            browser.kill()
            result = (await server.answer_to(2))["result"]
            _, errors = await process.communicate()
        finally:
            await ended(process)
        lost = f"the page {site}/ is gone: its browser has ended, or its tab was closed"
        assert result["isError"]
        assert f"The tool “never” cannot be reached: {lost}." in result["content"][0]["text"]
        assert errors.decode() == f"modelcontext: {lost}\n"
        assert process.returncode == 1

    async def in_time(site: str) -> None:
        async with asyncio.timeout(PATIENCE):
            await steps(site)

    with status_site() as site:
        asyncio.run(in_time(site))


def test_server_over_http_tells_of_an_answer_with_an_error_and_of_a_browser_that_ended(tmp_path: Path) -> None:
    browser = MortalBrowser(tmp_path)

    async def steps(site: str) -> None:
        process = await asyncio.create_subprocess_exec(
            PROGRAM, "mcp", "--http", "0", "--token", "t", "--binary", browser.binary, f"{site}/500", stderr=PIPE
        )
        try:
            assert process.stderr is not None
            warning, line = [(await process.stderr.readline()).decode() for _ in range(2)]
            assert f"warning: {site}/500 answered 500 Internal Server Error" in warning
            url = line.split(" ")[0]
            async with (
                create_mcp_http_client({"Authorization": "Bearer t"}) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                assert len((await client.list_tools()).tools) == 2
                begun = asyncio.Event()

                async def note(progress: float, total: float | None, message: str | None) -> None:
                    begun.set()

                calling = asyncio.ensure_future(client.call_tool("never", {}, progress_callback=note))
                await begun.wait()
                browser.kill()
                result = await calling
            errors = (await process.stderr.read()).decode()
            assert await process.wait() == 1
        finally:
            await ended(process)
        assert result.is_error
        assert "its browser has ended" in words(result)
        assert errors == f"modelcontext: the page {site}/500 is gone: its browser has ended, or its tab was closed\n"

    async def in_time(site: str) -> None:
        async with asyncio.timeout(PATIENCE):
            await steps(site)

    with status_site() as site:
        asyncio.run(in_time(site))
