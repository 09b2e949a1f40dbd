"""The contract of an agent's page, held by all of them: simulated, live and remote."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.judging.clients.page_tools import Binding
from modelcontext_agent.pages.contract import CallEnd, CallResult
from packages.agent.tests.pages.stages import Stage, listed, tool

if TYPE_CHECKING:
    from packages.agent.tests.pages.conftest import OnPage


async def begin(stage: Stage, where: str, name: str) -> asyncio.Task[CallResult]:
    """Return the task of a call whose tool runs."""
    found = await tool(stage.page, where, name)
    task = asyncio.ensure_future(stage.page.call(name, found.binding, {}))
    await stage.running(where, name)
    return task


def test_tools_of_all_frames_are_listed_with_their_definitions_and_places(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}
        annotations = {"readOnlyHint": True, "consequentialHint": True}
        await stage.register("child", "a", inputSchema=schema, annotations=annotations, title="A tool")
        await stage.register("top", "c")
        await stage.register("top", "b", description="says b")
        tools = await listed(stage.page, lambda tools: len(tools) == 3)
        assert [(tool.name, tool.description, tool.title) for tool in tools] == [
            ("b", "says b", ""),
            ("c", "d", ""),
            ("a", "d", "A tool"),
        ]
        main, _, child = tools
        assert main.frame == "main"
        assert child.frame == "frame-1"
        assert main.document != child.document
        assert main.url.startswith(f"{main.origin}/")
        assert child.url.startswith(f"{child.origin}/")
        assert main.origin != child.origin
        assert (main.input_schema, child.input_schema) == ({"type": "object"}, schema)
        assert (child.hints.read_only, child.hints.consequential) == (True, True)
        assert (child.hints.untrusted_content, child.hints.debugging) == (False, False)
        assert [tool.binding for tool in await stage.page.tools()] == [tool.binding for tool in tools]

    on_page(steps)


def test_call_gives_the_tool_its_arguments_and_returns_its_value(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "echo")
        found = await tool(stage.page, "top", "echo")
        given = {"text": "“quoted” \u2028 \N{GRINNING FACE}", "list": [1, 2.5, None, True], "__proto__": {"x": 1}}
        result = await stage.page.call("echo", found.binding, given)
        assert result == CallResult(CallEnd.DONE, {"in": "top", "input": given})
        assert not result.is_error

    on_page(steps)


def test_tool_that_returns_nothing_gives_none(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "nothing", "nothing")
        found = await tool(stage.page, "top", "nothing")
        assert await stage.page.call("nothing", found.binding, {}) == CallResult(CallEnd.DONE, None)

    on_page(steps)


@pytest.mark.parametrize("behavior", ["throws", "rejects"])
def test_tool_that_throws_or_rejects_fails_in_the_words_of_the_browser(on_page: OnPage, behavior: str) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "t", behavior)
        result = await stage.page.call("t", (await tool(stage.page, "top", "t")).binding, {})
        assert result.end is CallEnd.FAILED
        assert result.is_error
        assert isinstance(result.output, str)
        assert "UnknownError" in result.output

    on_page(steps)


def test_many_calls_run_at_once(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "echo")
        found = await tool(stage.page, "top", "echo")
        results = await asyncio.gather(*(stage.page.call("echo", found.binding, {"n": n}) for n in range(20)))
        assert [result.output["input"]["n"] for result in results] == list(range(20))

    on_page(steps)


@pytest.mark.parametrize("where", ["top", "child"])
def test_cancelling_a_call_aborts_the_signal_of_the_tool(on_page: OnPage, where: str) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register(where, "never", "never")
        task = await begin(stage, where, "never")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await stage.aborted(where, "never")

    on_page(steps)


def test_limit_of_time_around_a_call_aborts_the_signal_of_the_tool(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "never", "never")
        found = await tool(stage.page, "top", "never")

        async def call() -> None:
            async with asyncio.timeout(None) as limit:
                waiting = asyncio.ensure_future(stage.running("top", "never"))
                waiting.add_done_callback(lambda _: limit.reschedule(asyncio.get_running_loop().time()))
                await stage.page.call("never", found.binding, {})

        with pytest.raises(TimeoutError):
            await call()
        await stage.aborted("top", "never")

    on_page(steps)


@pytest.mark.parametrize("where", ["top", "child"])
def test_call_ends_when_its_document_navigates(on_page: OnPage, where: str) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register(where, "never", "never")
        task = await begin(stage, where, "never")
        await stage.navigate(where)
        result = await task
        assert result.end is CallEnd.DOCUMENT_GONE
        assert "Nobody knows how far the call came." in result.output

    on_page(steps)


def test_call_in_a_frame_ends_when_the_page_navigates(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("child", "never", "never")
        task = await begin(stage, "child", "never")
        await stage.navigate("top")
        assert (await task).end is CallEnd.DOCUMENT_GONE

    on_page(steps)


def test_call_ends_when_its_frame_is_removed(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("child", "never", "never")
        task = await begin(stage, "child", "never")
        await stage.remove_child()
        assert (await task).end is CallEnd.DOCUMENT_GONE

    on_page(steps)


@pytest.mark.parametrize("where", ["top", "child"])
def test_equal_tool_of_another_document_of_the_same_url_is_refused(on_page: OnPage, where: str) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register(where, "echo")
        before = await tool(stage.page, where, "echo")
        await stage.navigate(where)
        await stage.register(where, "echo")
        after = await tool(stage.page, where, "echo")
        assert (after.digest, after.origin, after.url, after.frame) == (
            before.digest,
            before.origin,
            before.url,
            before.frame,
        )
        assert after.document != before.document
        result = await stage.page.call("echo", before.binding, {})
        assert result.end is CallEnd.DOCUMENT_GONE
        assert "Nothing ran." in result.output
        assert (await stage.page.call("echo", after.binding, {})).end is CallEnd.DONE

    on_page(steps)


@pytest.mark.parametrize(
    "members",
    [
        {"description": "other"},
        {"title": "other"},
        {"inputSchema": {"type": "object", "required": ["n"]}},
        {"annotations": {"readOnlyHint": True}},
        {"annotations": {"consequentialHint": True}},
    ],
    ids=["description", "title", "schema", "readOnlyHint", "consequentialHint"],
)
def test_tool_that_is_registered_again_otherwise_is_refused(on_page: OnPage, members: dict[str, Any]) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "echo")
        before = await tool(stage.page, "top", "echo")
        await stage.unregister("top", "echo")
        await stage.register("top", "echo", **members)
        result = await stage.page.call("echo", before.binding, {})
        assert result.end is CallEnd.TOOL_CHANGED
        assert "Nothing ran" in result.output
        after = await tool(stage.page, "top", "echo")
        assert (await stage.page.call("echo", after.binding, {})).end is CallEnd.DONE

    on_page(steps)


def test_tool_that_is_registered_again_equally_is_the_same(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "echo")
        before = await tool(stage.page, "top", "echo")
        await stage.unregister("top", "echo")
        await stage.register("top", "echo")
        assert (await stage.page.call("echo", before.binding, {})).end is CallEnd.DONE

    on_page(steps)


def test_unregistered_tool_is_refused(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "echo")
        before = await tool(stage.page, "top", "echo")
        await stage.unregister("top", "echo")
        result = await stage.page.call("echo", before.binding, {})
        assert result.end is CallEnd.TOOL_GONE
        assert "no longer has a tool “echo”" in result.output

    on_page(steps)


def test_tools_of_one_name_in_two_frames_are_never_mixed_up(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        for where in ("top", "child"):
            await stage.register(where, "echo")
        top, child = await tool(stage.page, "top", "echo"), await tool(stage.page, "child", "echo")
        assert top.digest == child.digest
        assert (await stage.page.call("echo", top.binding, {})).output["in"] == "top"
        assert (await stage.page.call("echo", child.binding, {})).output["in"] == "child"
        await stage.unregister("top", "echo")
        assert (await stage.page.call("echo", top.binding, {})).end is CallEnd.TOOL_GONE
        assert (await stage.page.call("echo", child.binding, {})).output["in"] == "child"

    on_page(steps)


def test_binding_that_mixes_two_documents_is_refused(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        for where in ("top", "child"):
            await stage.register(where, "echo")
        top, child = await tool(stage.page, "top", "echo"), await tool(stage.page, "child", "echo")
        mixed = [
            Binding(child.document, top.origin, top.frame, top.digest),
            Binding(top.document, child.origin, top.frame, top.digest),
            Binding(top.document, top.origin, child.frame, top.digest),
            Binding(top.document, top.origin, "frame-99", top.digest),
        ]
        for binding in mixed:
            assert (await stage.page.call("echo", binding, {})).end is CallEnd.DOCUMENT_GONE

    on_page(steps)


def test_tool_that_another_tool_registers_appears(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "first", "registers")
        first = await tool(stage.page, "top", "first")
        assert (await stage.page.call("first", first.binding, {})).end is CallEnd.DONE
        assert [tool.name for tool in await stage.page.tools()] == ["first", "first.next"]

    on_page(steps)


@pytest.mark.parametrize("act", ["register", "unregister", "navigate", "remove"])
def test_change_is_told(on_page: OnPage, act: str) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("child", "known")
        await tool(stage.page, "child", "known")
        changed = asyncio.Event()
        stage.page.on_change(changed.set)
        if act == "register":
            await stage.register("child", "other")
        elif act == "unregister":
            await stage.unregister("child", "known")
        elif act == "navigate":
            await stage.navigate("child")
        else:
            await stage.remove_child()
        await changed.wait()

    on_page(steps)


def test_close_cancels_the_calls_that_run(on_page: OnPage) -> None:
    async def steps(stage: Stage) -> None:
        await stage.register("top", "never", "never")
        task = await begin(stage, "top", "never")
        await stage.page.close()
        result = await task
        assert result.end is CallEnd.CANCELLED
        await stage.aborted("top", "never")
        again = await stage.page.call("never", Binding("", "", "main", ""), {})
        assert again.end is CallEnd.CANCELLED

    on_page(steps)
