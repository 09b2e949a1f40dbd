"""Live pages: what a page's scripts, its frames and its user can do to one."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext_agent.pages.contract import CallEnd
from modelcontext_agent.pages.live_page import LivePage, open_live_page
from packages.agent.tests.pages.stages import ChromiumStage, live_stage, tool

if TYPE_CHECKING:
    from modelcontext.running.serving.http import Server
    from packages.agent.tests.pages.conftest import InBrowser

REPLACED = """() => {
  JSON.stringify = () => "{}";
  Promise.prototype.then = () => { throw new Error("replaced"); };
  Object.defineProperty(document, "modelContext", { value: { getTools: async () => [] } });
}"""
NESTED = """() => {
  let inputSchema = {};
  for (let level = 0; level < 3000; level += 1) inputSchema = { not: inputSchema };
  document.modelContext.registerTool({ name: "odd", description: "d", inputSchema, execute() {} });
}"""
LARGE = "document.modelContext.registerTool({ name: 'odd', description: 'x'.repeat(300_000), execute() {} })"


def test_page_that_replaces_what_the_script_needs_changes_nothing(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.register("top", "echo")
            await stage.tab.evaluate(REPLACED)
            found = await tool(stage.page, "top", "echo")
            assert (await stage.page.call("echo", found.binding, {"n": 1})).output == {"in": "top", "input": {"n": 1}}

    in_browser(steps)


def test_page_does_not_see_the_script(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.page.tools()
            seen = await stage.tab.evaluate("Object.keys(window).filter((name) => name.startsWith('modelcontext'))")
            assert seen == []

    in_browser(steps)


def test_frame_that_does_not_answer_counts_as_one_without_tools(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.register("top", "echo")
            await stage.register("child", "echo")
            await tool(stage.page, "child", "echo")
            await stage.tab.frames[1].evaluate("setTimeout(() => { for (;;); }, 0)")
            page = LivePage(stage.tab, patience=3)
            assert [tool.frame for tool in await page.tools()] == ["main"]
            await page.close()
            await stage.remove_child()

    in_browser(steps)


def test_listing_that_is_cancelled_at_once_leaves_nothing_behind(
    in_browser: InBrowser, recwarn: pytest.WarningsRecorder
) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            for turns in range(5):
                listing = asyncio.ensure_future(stage.page.tools())
                for _ in range(turns):
                    await asyncio.sleep(0)
                listing.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await listing
            gc.collect()
            assert [str(warning.message) for warning in recwarn] == []

    in_browser(steps)


def test_call_of_a_busy_frame_goes_on_when_another_frame_changes(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            page = LivePage(stage.tab, patience=0.5)
            await stage.tab.evaluate("addEventListener('message', () => (window.began = true))")
            # The message leaves when the task is over.
            busy = "const until = Date.now() + 1500; while (Date.now() < until); resolve();"
            told = f"top.postMessage(0, '*'); return new Promise((resolve) => setTimeout(() => {{ {busy} }}, 0));"
            register = (
                f"document.modelContext.registerTool({{ name: 'busy', description: 'd', execute() {{ {told} }} }})"
            )
            await stage.tab.frames[1].evaluate(register)
            found = await tool(stage.page, "child", "busy")
            call = asyncio.ensure_future(page.call("busy", found.binding, {}))
            began = asyncio.ensure_future(stage.tab.wait_for_function("window.began"))
            await asyncio.wait([began, call], return_when=asyncio.FIRST_COMPLETED)
            assert began.done(), call
            await stage.tab.evaluate("document.documentElement.append(document.createElement('iframe'))")
            assert (await call).end is CallEnd.DONE
            await page.close()

    in_browser(steps)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (NESTED, "is nested more than 64 levels deep, or is no definition"),
        (LARGE, "has 300,059 characters, and 262,144 is the limit"),
    ],
    ids=["nested too deeply", "too large"],
)
def test_definition_that_is_nested_too_deeply_or_too_large_is_left_out_with_one_warning(
    script: str, why: str, in_browser: InBrowser, caplog: pytest.LogCaptureFixture
) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.register("top", "echo")
            await stage.tab.evaluate(script)
            for _ in range(2):
                assert [tool.name for tool in await stage.page.tools()] == ["echo"]
            assert isinstance(stage.page, LivePage)
            [(beginning, reason)] = stage.page.left_out
            assert reason == why
            assert beginning.startswith('{"name":"odd"')

    in_browser(steps)
    [words] = [record.getMessage() for record in caplog.records]
    assert f"is left out: its definition {why}" in words


def test_frame_that_goes_to_another_site_keeps_its_name(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.register("child", "echo")
            before = await tool(stage.page, "child", "echo")
            await stage.tab.frames[1].goto(before.url.replace("//b.", "//c."))
            await stage.register("child", "echo")
            after = await tool(stage.page, "child", "echo")
            assert after.frame == before.frame
            assert after.origin == server.origins["C"]
            assert (await stage.page.call("echo", before.binding, {})).end is CallEnd.DOCUMENT_GONE

    in_browser(steps)


@pytest.mark.parametrize("begun", [False, True], ids=["before the call", "while the call runs"])
def test_document_of_a_tab_that_is_closed_is_gone(in_browser: InBrowser, begun: bool) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.register("top", "never", "never")
            found = await tool(stage.page, "top", "never")
            call = asyncio.ensure_future(stage.page.call("never", found.binding, {})) if begun else None
            if begun:
                await stage.running("top", "never")
            await stage.tab.close()
            result = await (call or stage.page.call("never", found.binding, {}))
            assert result.end is CallEnd.DOCUMENT_GONE
            assert await stage.page.tools() == []

    in_browser(steps)


@pytest.mark.usefixtures("starts_a_browser")
def test_page_that_cannot_be_opened_is_told_without_a_traceback() -> None:
    async def steps() -> None:
        with pytest.raises(UnavailableError, match=r"http://127\.0\.0\.1:1/ cannot be opened"):
            async with open_live_page("http://127.0.0.1:1/"):
                pass

    asyncio.run(steps())


FRAMES = """() => {
  for (const name of ["", "ads", ""]) {
    const frame = document.createElement("iframe");
    frame.name = name;
    frame.allow = "tools *";
    frame.src = location.href.replace(/\\?.*/, "").replace("top.html", "child.html");
    document.documentElement.append(frame);
  }
}"""


def test_frame_has_the_same_name_after_a_reload(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)

            async def names() -> list[str]:
                await stage.tab.evaluate(FRAMES)
                while len(stage.tab.frames) < 5:
                    await stage.tab.wait_for_event("frameattached")
                await stage.page.tools()
                return sorted(stage.page._places)  # type: ignore[attr-defined]

            before = await names()
            assert before == ["frame-1", "frame-2", "frame-4", "frame-ads", "main"]
            await stage.tab.reload()
            assert await names() == before

    in_browser(steps)


def test_call_that_navigates_says_where_the_page_went_and_which_tools_it_has(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.register("top", "t", "never")
            found = await tool(stage.page, "top", "t")
            call = asyncio.ensure_future(stage.page.call("t", found.binding, {}))
            await stage.running("top", "t")
            await stage.tab.reload()
            result = await call
            assert (result.end, result.began) == (CallEnd.DOCUMENT_GONE, True)
            assert result.note.startswith("The page went to <page_text>http")
            assert result.note.endswith("Its tools are now: none.")

    in_browser(steps)


def test_main_frame_that_does_not_answer_is_named(in_browser: InBrowser, caplog: pytest.LogCaptureFixture) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            page = LivePage(stage.tab, patience=0.2)
            busy = asyncio.ensure_future(
                stage.tab.evaluate("{ const end = Date.now() + 1500; while (Date.now() < end); }")
            )
            assert list(await page.tools()) == []
            assert "main" in page.silent
            assert list(await page.tools()) == []
            await busy
            await page.close()

    in_browser(steps)
    # The second look says nothing new.
    [words] = [record.getMessage() for record in caplog.records]
    assert "does not answer, so its tools are unknown" in words


def test_call_that_fails_has_the_words_and_the_place_of_the_exception(
    in_browser: InBrowser, caplog: pytest.LogCaptureFixture
) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with live_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.tab.evaluate("setTimeout(() => { throw new RangeError('before the call'); })")
            throws = "execute() { null.tea; } }); //# sourceURL=https://shop.example/tea.js"
            await stage.tab.evaluate(f"document.modelContext.registerTool({{ name: 't', description: 'd', {throws}")
            found = await tool(stage.page, "top", "t")
            result = await stage.page.call("t", found.binding, {})
            first, heading, line = result.output.splitlines()
            assert (first.partition(":")[0], heading) == ("UnknownError", "The page's console meanwhile:")
            assert "TypeError: Cannot read properties of null (reading 'tea') (https://shop.example/tea.js:1)" in line

    in_browser(steps)
    told = [record.getMessage() for record in caplog.records if record.name.endswith("page_errors")]
    assert len(told) == 2
    assert told[0].startswith("the page's console: Uncaught RangeError: before the call (at ")
