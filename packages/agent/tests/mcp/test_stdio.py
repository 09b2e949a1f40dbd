"""The server over standard input and output: the official client, and lines that no client should send."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from packages.agent.tests.mcp.connections import ERAS, Person, run, words

pytestmark = pytest.mark.usefixtures("takes_long")

ARGUMENTS = [str(Path(__file__).with_name("simulated_stdio.py"))]
MODERN = "2026-07-28"
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """A process that serves over standard input and output; requests go to it line by line."""

    def __init__(self, process: Process) -> None:
        self.process = process

    def send(self, line: str | bytes | dict[str, Any]) -> None:
        data = json.dumps(line) if isinstance(line, dict) else line
        assert self.process.stdin is not None
        self.process.stdin.write((data.encode() if isinstance(data, str) else data) + b"\n")

    async def answer_to(self, id_: int) -> dict[str, Any]:
        """Return the answer to a request, and forget what comes before it."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == id_ and "method" not in message:
                return message
        raise EOFError("the server has ended")

    async def ask(self, id_: int, method: str, params: Any, *, modern: bool = False) -> dict[str, Any]:
        if modern:
            params = {**params, "_meta": ENVELOPE}
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        return await self.answer_to(id_)

    async def greet(self) -> None:
        await self.ask(0, "initialize", INITIALIZE)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})


async def ended(process: Process) -> None:
    """End a process that has not ended by itself, and close its pipes."""
    if process.returncode is None:
        process.kill()
    await process.communicate()


@contextlib.asynccontextmanager
async def started() -> AsyncIterator[Server]:
    """Start a server, and check in the end that it ended well and printed no traceback."""
    process = await asyncio.create_subprocess_exec(sys.executable, *ARGUMENTS, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    try:
        yield Server(process)
        _, errors = await process.communicate(b"")
        assert b"Traceback" not in errors, errors.decode()
        assert process.returncode == 0
    finally:
        await ended(process)


@pytest.mark.parametrize("era", ERAS)
def test_official_client_lists_calls_cancels_and_asks_over_stdio(era: str) -> None:
    async def steps() -> None:
        person = Person()
        program = StdioServerParameters(command=sys.executable, args=ARGUMENTS)
        told: asyncio.Queue[float] = asyncio.Queue()

        async def note(progress: float, total: float | None, message: str | None) -> None:
            await told.put(progress)

        async with Client(program, mode=era, elicitation_callback=person.ask) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["aborted", "echo", "never", "pay"]
            assert '"input": {"n": 1}' in words(await client.call_tool("echo", {"n": 1}))
            call = asyncio.ensure_future(client.call_tool("never", {}, progress_callback=note))
            assert await told.get() == 0
            call.cancel()
            while "[true]" not in words(await client.call_tool("aborted", {})):
                pass
            assert not (await client.call_tool("pay", {})).is_error
            assert len(person.questions) == 1

    run(steps())


@pytest.mark.parametrize("modern", [False, True], ids=["2025", "2026"])
def test_bad_requests_get_errors_and_the_server_goes_on(modern: bool) -> None:
    async def steps() -> None:
        async with started() as server:
            if not modern:
                await server.greet()
            assert "result" in await server.ask(1, "tools/list", {}, modern=modern)
            bad: list[tuple[str, Any]] = [
                ("tools/call", {"name": "absent"}),
                ("tools/call", {"name": "echo", "arguments": [1]}),
                ("tools/call", {"name": "echo", "arguments": "text"}),
                ("tools/call", {"name": 5}),
                ("tools/call", {}),
                ("tools/list", {"cursor": "2"}),
                ("tools/list", {"cursor": {}}),
                ("absent/method", {}),
                ("tools/call", {"name": "pay", "requestState": "made up", "inputResponses": {"consent": 1}}),
            ]
            for number, (method, params) in enumerate(bad, 2):
                answer = await server.ask(number, method, params, modern=modern)
                is_refused = "result" in answer and answer["result"].get("isError", False)
                assert "error" in answer or is_refused, (method, params, answer)
            answer = await server.ask(100, "tools/call", {"name": "echo", "arguments": {}}, modern=modern)
            assert not answer["result"].get("isError", False)

    run(steps())


def test_lines_that_are_no_messages_are_passed_over() -> None:
    async def steps() -> None:
        async with started() as server:
            for line in (b"", b"{", b"\xff\xfe\x00", b"[]", b"5", b'"text"', b"[" * 100_000, b'{"jsonrpc": "1.0"}'):
                server.send(line)
            await server.greet()
            server.send(b'{"jsonrpc": "2.0", "id": 7}')
            server.send(b'{"jsonrpc": "2.0", "id": 8, "result": {}}')
            server.send(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 999}}')
            server.send(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []}')
            assert "result" in await server.ask(9, "tools/list", {})

    run(steps())


def test_mutated_messages_neither_end_nor_block_the_server() -> None:
    random = Random(1)
    messages = [
        {"jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": {"name": "echo", "arguments": {"n": 1}}},
        {"jsonrpc": "2.0", "id": 51, "method": "tools/list", "params": {}},
        {"jsonrpc": "2.0", "id": 52, "method": "tools/call", "params": {"name": "pay", "_meta": {"progressToken": 1}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 50}},
        {"jsonrpc": "2.0", "id": 53, "method": "initialize", "params": INITIALIZE},
    ]

    def mutated() -> bytes:
        line = bytearray(json.dumps(random.choice(messages)).encode())
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(line))
            line[place : place + random.randint(0, 4)] = random.randbytes(random.randint(0, 3)).replace(b"\n", b"")
        return bytes(line)

    async def steps() -> None:
        async with started() as server:
            await server.greet()
            for _ in range(300):
                server.send(mutated())
            assert "result" in await server.ask(1_000, "tools/list", {})

    run(steps())


def test_server_ends_when_its_input_ends_while_a_tool_runs() -> None:
    async def steps() -> None:
        async with started() as server:
            await server.greet()
            await server.ask(1, "tools/list", {})
            params = {"name": "never", "_meta": {"progressToken": 1}}
            server.send({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
            assert server.process.stdout is not None
            assert b"notifications/progress" in await server.process.stdout.readline()

    run(steps())


def test_interrupt_ends_a_server_that_waits_for_input() -> None:
    # A shell starts its jobs in the background deaf to interrupts, and so would be the server of tests that run there.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    async def steps() -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, *ARGUMENTS, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        try:
            await Server(process).greet()
            process.send_signal(signal.SIGINT)
            assert await process.wait() != 0
        finally:
            await ended(process)

    run(steps())
