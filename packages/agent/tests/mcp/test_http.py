"""The server over HTTP: who may ask, and when a page is hung up on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import httpx
import pytest

from modelcontext.ground.problems import PortError
from modelcontext_agent.loopback import listen
from modelcontext_agent.mcp.page_server import PageServer
from packages.agent.tests.mcp.connections import TOKEN, run, served
from packages.agent.tests.pages.stages import SimulatedStage

AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
ACCEPT = {"Accept": "application/json, text/event-stream"}
MODERN = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}

Ask = Callable[..., Awaitable[httpx.Response]]


def on_server(steps: Callable[[Ask], Awaitable[None]]) -> None:
    """Run steps with a function that asks a server for its tools; headers of the test replace those of a good request."""

    async def all_steps() -> None:
        stage = SimulatedStage()
        await stage.register("top", "echo")
        async with (
            PageServer({"page": stage.page}) as server,
            served(server) as url,
            httpx.AsyncClient(headers={**AUTHORIZED, **ACCEPT, **MODERN}) as client,
        ):

            async def ask(headers: dict[str, str] | None = None, content: bytes | None = None) -> httpx.Response:
                if content is None:
                    return await client.post(url, json=LIST, headers=headers)
                return await client.post(url, content=content, headers={"Content-Type": "application/json"})

            await steps(ask)

    run(all_steps())


def test_first_request_of_a_client_of_2026_lists_the_tools() -> None:
    async def steps(ask: Ask) -> None:
        response = await ask()
        assert response.status_code == 200
        result = response.json()["result"]
        assert ([tool["name"] for tool in result["tools"]], result["ttlMs"], result["cacheScope"]) == (
            ["echo"],
            0,
            "private",
        )

    on_server(steps)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer another"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Host": "attacker.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "https://attacker.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
    ],
)
def test_request_without_the_token_or_of_a_page_is_refused(headers: dict[str, str], status: int) -> None:
    async def steps(ask: Ask) -> None:
        assert (await ask(headers)).status_code == status

    on_server(steps)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"5", b"[" * 100_000, b'{"jsonrpc": "2.0", "id": 1}', b"\xff"])
def test_body_that_is_no_message_is_a_bad_request(content: bytes) -> None:
    async def steps(ask: Ask) -> None:
        assert (await ask(content=content)).status_code == 400
        assert (await ask()).status_code == 200

    on_server(steps)


def test_occupied_port_is_an_error_that_says_what_to_do() -> None:
    with listen(0) as listening, pytest.raises(PortError, match="is in use; stop the program that listens there"):
        listen(listening.getsockname()[1])
