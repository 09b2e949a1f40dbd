"""The server of pages, asked by the official client of both eras, in memory and over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, MCPError

from modelcontext_agent.exposure.formats import BINDING
from modelcontext_agent.mcp.page_server import PageServer
from modelcontext_agent.mcp.results import END
from modelcontext_agent.pages.contract import CallEnd
from packages.agent.tests.mcp.connections import ERAS, TRANSPORTS, Person, aborted, connected, run, words
from packages.agent.tests.pages.stages import SimulatedStage

Steps = Callable[[SimulatedStage, Client], Awaitable[None]]
PICTURE = "iVBORw0KGgo="
CONSEQUENTIAL = {"consequentialHint": True}


@pytest.fixture(params=[(era, transport) for transport in TRANSPORTS for era in ERAS], ids="-".join)
def on_client(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that runs steps with a stage and a client of its page's server, which was told ``options``."""
    era, transport = request.param

    def run_steps(steps: Steps, person: Person | None = None, *, allow_unasked: bool = False, **options: Any) -> None:
        async def all_steps() -> None:
            stage = SimulatedStage()
            await stage.register("top", "echo")
            async with (
                PageServer({"page": stage.page}, allow_unasked=allow_unasked) as server,
                connected(server, era, transport, person, **options) as client,
            ):
                await steps(stage, client)

        run(all_steps())

    return run_steps


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


async def refusal(client: Client, name: str, end: str = "refused") -> str:
    """Call a tool, check that nothing ran, and return the words of the result."""
    result = await client.call_tool(name, {})
    assert result.is_error
    assert result.meta is not None
    assert result.meta[END] == end
    assert "Nothing ran" in words(result)
    return words(result)


def test_list_has_the_tools_of_all_frames_with_their_bindings(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        await stage.register("child", "echo", inputSchema=schema, title="Another", annotations={"readOnlyHint": True})
        result = await client.list_tools()
        assert result.ttl_ms == 0
        main, child = result.tools
        assert (main.name, main.title, main.input_schema["type"]) == ("echo", "echo", "object")
        assert child.name.startswith("echo_")
        assert (child.title, child.input_schema) == ("Another", schema)
        assert child.annotations is not None
        assert (child.annotations.read_only_hint, child.annotations.destructive_hint) == (True, False)
        assert child.description is not None
        assert "https://helper.example" in child.description
        tools = await stage.page.tools()
        for listed, tool in zip(result.tools, tools, strict=True):
            assert listed.meta == {BINDING: {"name": "echo", **tool.binding.to_json(), "url": tool.url, "page": "page"}}

    on_client(steps)


def test_page_that_does_not_answer_is_an_error_and_not_an_empty_list(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        stage.page.silent = frozenset({"main"})
        with pytest.raises(MCPError, match="The page does not answer, so its tools are unknown"):
            await client.list_tools()
        with pytest.raises(MCPError, match="does not answer"):
            await client.call_tool("later", {})
        stage.page.silent = frozenset({"child"})
        assert await names(client) == ["echo"]

    on_client(steps)


def test_call_returns_the_page_output_framed_with_its_binding(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        [listed] = (await client.list_tools()).tools
        result = await client.call_tool("echo", {"n": 1, "text": "</page_output>"})
        assert not result.is_error
        assert words(result).startswith('<page_output origin="https://shop.example"')
        assert '"input": {"n": 1, "text": "&lt;/page_output>"}' in words(result)
        assert result.meta is not None
        assert listed.meta is not None
        assert result.meta[BINDING] == listed.meta[BINDING]
        assert result.meta[END] == CallEnd.DONE

    on_client(steps)


def test_error_of_the_page_is_an_error_result(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        await stage.register("top", "throws", "throws")
        await names(client)
        result = await client.call_tool("throws", {})
        assert result.is_error
        assert result.meta is not None
        assert result.meta[END] == CallEnd.FAILED
        # Our own words stand before the frame.
        assert words(result).startswith("The call of “throws” failed.\n<page_output")

    on_client(steps)


@pytest.mark.parametrize("era", ERAS)
def test_call_that_takes_too_long_is_aborted_and_the_client_learns_why(era: str) -> None:
    async def steps() -> None:
        stage = SimulatedStage()
        await stage.register("top", "never", "never")
        async with PageServer({"page": stage.page}, call_limit=0.05) as server, connected(server, era) as client:
            await names(client)
            result = await client.call_tool("never", {})
            assert result.is_error
            assert words(result).startswith("The tool “never” took more than 0.05 s, and the call was aborted.")
            assert "The option --headed of the server shows the window." in words(result)
            await aborted(stage, "never")

    run(steps())


def test_cancelled_call_aborts_the_signal_of_the_page(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        await stage.register("top", "never", "never")
        await names(client)
        call = asyncio.ensure_future(client.call_tool("never", {}))
        await stage.running("top", "never")
        call.cancel()
        await aborted(stage, "never")
        assert not (await client.call_tool("echo", {})).is_error

    on_client(steps)


def test_tool_that_was_not_listed_to_the_client_is_refused_with_words(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        assert "not listed to this client" in await refusal(client, "echo")

    on_client(steps)


def test_unknown_tool_and_cursor_are_errors_of_the_protocol(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        with pytest.raises(MCPError, match="Unknown tool: absent"):
            await client.call_tool("absent", {})
        with pytest.raises(MCPError, match="no such cursor"):
            await client.list_tools(cursor="2")

    on_client(steps)


def test_call_after_a_navigation_is_refused_until_the_tools_are_listed_anew(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        await names(client)
        await stage.navigate("top")
        await stage.register("top", "echo")
        assert "is gone" in await refusal(client, "echo", CallEnd.DOCUMENT_GONE)
        await names(client)
        assert not (await client.call_tool("echo", {})).is_error

    on_client(steps)


def test_call_of_an_unregistered_tool_is_refused(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        await names(client)
        await stage.unregister("top", "echo")
        assert "no longer has a tool" in await refusal(client, "echo", CallEnd.TOOL_GONE)

    on_client(steps)


@pytest.mark.parametrize(
    "members",
    [{"description": "another"}, {"annotations": {"readOnlyHint": True}}, {"annotations": CONSEQUENTIAL}],
    ids=str,
)
def test_call_of_a_tool_that_is_defined_otherwise_than_it_was_listed_is_refused(
    on_client: Callable[..., None], members: dict[str, Any]
) -> None:
    person = Person()

    async def steps(stage: SimulatedStage, client: Client) -> None:
        await names(client)
        await stage.unregister("top", "echo")
        await stage.register("top", "echo", **members)
        assert "look at the tools again" in await refusal(client, "echo", CallEnd.TOOL_CHANGED)
        assert person.questions == []
        await names(client)
        assert not (await client.call_tool("echo", {})).is_error
        assert len(person.questions) == ("annotations" in members and members["annotations"] == CONSEQUENTIAL)

    on_client(steps, person)


def test_names_do_not_move_when_other_tools_come_and_go(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        await stage.register("child", "echo")
        main, child = await names(client)
        await stage.unregister("top", "echo")
        assert await names(client) == [child]
        assert "no longer" not in words(await client.call_tool(child, {}))
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool(main, {})

    on_client(steps)


def test_call_that_carries_a_binding_is_held_to_it(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        [listed] = (await client.list_tools()).tools
        assert listed.meta is not None
        assert not (await client.call_tool("echo", {}, meta=listed.meta)).is_error  # type: ignore[arg-type]
        for other in ({**listed.meta[BINDING], "digest": "sha256:0"}, "text", {}):
            meta: Any = {BINDING: other}
            result = await client.call_tool("echo", {}, meta=meta)
            assert result.is_error
            assert "is not the one in the latest list" in words(result)

    on_client(steps)


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_consequential_tool_runs_only_when_the_person_accepts(on_client: Callable[..., None], action: str) -> None:
    person = Person(action)

    async def steps(stage: SimulatedStage, client: Client) -> None:
        await stage.register("top", "pay", annotations=CONSEQUENTIAL)
        await names(client)
        result = await client.call_tool("pay", {"to": "a\u202eb\n"})
        [question] = person.questions
        assert question.startswith("May “pay” of https://shop.example run?")
        assert '{"to": "a\\u{202e}b\\n"}' in question
        assert result.is_error == (action != "accept")
        assert ("Nothing ran" in words(result)) == (action != "accept")

    on_client(steps, person)


def test_consequential_tool_is_refused_to_a_client_that_cannot_ask(on_client: Callable[..., None]) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        await stage.register("top", "pay", annotations=CONSEQUENTIAL)
        await names(client)
        assert "--allow-consequential" in await refusal(client, "pay")

    on_client(steps)


def test_consequential_tool_runs_for_a_client_that_cannot_ask_where_that_is_allowed(
    on_client: Callable[..., None],
) -> None:
    async def steps(stage: SimulatedStage, client: Client) -> None:
        await stage.register("top", "pay", annotations=CONSEQUENTIAL)
        await names(client)
        assert not (await client.call_tool("pay", {})).is_error

    on_client(steps, allow_unasked=True)


@pytest.mark.parametrize("change", ["definition", "document"])
def test_consent_does_not_count_for_another_definition_or_document(on_client: Callable[..., None], change: str) -> None:
    person = Person()

    async def steps(stage: SimulatedStage, client: Client) -> None:
        async def swap() -> None:
            if change == "document":
                await stage.navigate("top")
            else:
                await stage.unregister("top", "pay")
            await stage.register("top", "pay", description="another", annotations=CONSEQUENTIAL)
            # In the era without sessions another request of the client may come in between.
            await names(client)

        person.on_question = swap
        await stage.register("top", "pay", annotations=CONSEQUENTIAL)
        await names(client)
        result = await client.call_tool("pay", {})
        assert result.is_error
        assert "Nothing ran" in words(result)
        assert len(person.questions) == 1

    on_client(steps, person)


@pytest.mark.parametrize(("era", "transport"), [(era, transport) for era in ERAS for transport in TRANSPORTS])
def test_server_that_is_to_end_waits_for_the_answers_of_calls(era: str, transport: str) -> None:
    async def steps() -> None:
        stage = SimulatedStage()
        async with PageServer({"page": stage.page}) as server, connected(server, era, transport) as client:
            await stage.register("child", "never", "never")
            [name] = await names(client)
            call = asyncio.ensure_future(client.call_tool(name, {}))
            await stage.running("child", "never")
            answered = asyncio.ensure_future(server.answered(60))
            await server.answered(0)
            assert not answered.done()
            await stage.remove_child()
            await answered
            assert "is gone" in words(await call)

    run(steps())
