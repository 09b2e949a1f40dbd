"""Each era's own ways: notices of changes, progress, and rounds of questions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import MCPError, types

from modelcontext_agent.mcp.page_server import PROGRESS_INTERVAL, PageServer
from packages.agent.tests.mcp.connections import ERAS, TRANSPORTS, Person, connected, run, words
from packages.agent.tests.pages.stages import SimulatedStage

MODERN = "2026-07-28"


class Pauses:
    """Pauses that end when a test says so."""

    def __init__(self) -> None:
        self.lengths: list[float] = []
        self._ends: asyncio.Queue[None] = asyncio.Queue()

    async def pause(self, seconds: float) -> None:
        self.lengths.append(seconds)
        await self._ends.get()

    def end_one(self) -> None:
        self._ends.put_nowait(None)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_client_of_the_handshake_era_is_told_when_tools_change(transport: str) -> None:
    async def steps() -> None:
        told: asyncio.Queue[Any] = asyncio.Queue()
        stage = SimulatedStage()
        async with (
            PageServer({"page": stage.page}) as server,
            connected(server, "legacy", transport, message_handler=told.put) as client,
        ):
            assert client.server_capabilities.tools == types.ToolsCapability(list_changed=True)
            await client.list_tools()
            await stage.register("top", "a")
            assert isinstance(await told.get(), types.ToolListChangedNotification)
            await stage.unregister("top", "a")
            assert isinstance(await told.get(), types.ToolListChangedNotification)
            await stage.register("top", "b")
            await told.get()
            await stage.navigate("top")
            await stage.register("top", "b")
            assert isinstance(await told.get(), types.ToolListChangedNotification)

    run(steps())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_client_of_2026_is_told_in_its_own_stream_when_tools_change(transport: str) -> None:
    async def steps() -> None:
        stage = SimulatedStage()
        async with (
            PageServer({"page": stage.page}) as server,
            connected(server, "auto", transport) as client,
            client.listen(tools_list_changed=True) as subscription,
        ):
            assert client.server_capabilities.tools == types.ToolsCapability(list_changed=True)
            events = aiter(subscription)
            await stage.register("top", "a")
            await anext(events)
            assert [tool.name for tool in (await client.list_tools()).tools] == ["a"]
            await stage.navigate("top")
            await anext(events)
            assert (await client.list_tools()).tools == []

    run(steps())


def test_all_clients_are_told_of_a_change_that_one_of_them_saw_first() -> None:
    async def steps() -> None:
        told = asyncio.Event()
        stage = SimulatedStage()

        async def handle(message: object) -> None:
            told.set()

        async with (
            PageServer({"page": stage.page}) as server,
            connected(server, "legacy", message_handler=handle) as client,
            connected(server, MODERN) as other,
        ):
            await client.list_tools()
            await stage.register("top", "a")
            await other.list_tools()
            await told.wait()

    run(steps())


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("era", ERAS)
def test_progress_is_told_again_and_again_while_a_tool_runs(era: str, transport: str) -> None:
    async def steps() -> None:
        pauses, stage = Pauses(), SimulatedStage()
        told: asyncio.Queue[float] = asyncio.Queue()
        await stage.register("top", "never", "never")

        async def note(progress: float, total: float | None, message: str | None) -> None:
            assert message is not None
            assert message.startswith("The tool “")
            await told.put(progress)

        async with (
            PageServer({"page": stage.page}, pause=pauses.pause) as server,
            connected(server, era, transport) as client,
        ):
            await client.list_tools()
            call = asyncio.ensure_future(client.call_tool("never", {}, progress_callback=note))
            assert await told.get() == 0
            pauses.end_one()
            assert await told.get() == 1
            await stage.navigate("top")
            assert (await call).is_error
            assert set(pauses.lengths) == {PROGRESS_INTERVAL}

    run(steps())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_answer_to_a_question_of_2026_counts_once_and_for_these_arguments(transport: str) -> None:
    async def steps() -> None:
        stage = SimulatedStage()
        await stage.register("top", "pay", annotations={"consequentialHint": True})
        async with (
            PageServer({"page": stage.page}) as server,
            connected(server, MODERN, transport, Person()) as client,
        ):
            await client.list_tools()
            asked = await client.session.call_tool("pay", {"amount": 1}, allow_input_required=True)
            assert isinstance(asked, types.InputRequiredResult)
            assert asked.request_state is not None
            assert asked.request_state.startswith("v1.")
            [key] = asked.input_requests or {}
            answer: dict[str, Any] = {
                "input_responses": {key: types.ElicitResult(action="accept")},
                "request_state": asked.request_state,
            }
            with pytest.raises(MCPError, match="requestState"):
                await client.call_tool("pay", {"amount": 1_000}, **answer)
            assert not (await client.call_tool("pay", {"amount": 1}, **answer)).is_error
            again = await client.call_tool("pay", {"amount": 1}, **answer)
            assert again.is_error
            assert "was used already" in words(again)

    run(steps())


def test_answer_without_an_answer_counts_as_none() -> None:
    async def steps() -> None:
        stage = SimulatedStage()
        await stage.register("top", "pay", annotations={"consequentialHint": True})
        async with PageServer({"page": stage.page}) as server, connected(server, MODERN, person=Person()) as client:
            await client.list_tools()
            asked = await client.session.call_tool("pay", {}, allow_input_required=True)
            assert isinstance(asked, types.InputRequiredResult)
            result = await client.call_tool("pay", {}, request_state=asked.request_state)
            assert result.is_error
            assert "gave no answer" in words(result)

    run(steps())
