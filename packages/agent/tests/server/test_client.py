"""Tests of the bridge between a page and a chat: calls, results, tools that change, approvals, interrupts, limits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext import Browser, Document
from modelcontext_agent.chat.chat_errors import BadRequestError, NotFoundError
from modelcontext_agent.client import ApprovalRequest, ChatClient, PageClient, ServerError, connect
from modelcontext_agent.pages.contract import CallEnd, CallResult
from modelcontext_agent.pages.simulated_page import SimulatedPage
from packages.agent.tests.chat.helpers import Call, Clock, World, page_tool, world
from packages.agent.tests.server.helpers import TOKEN, served

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from modelcontext.judging.clients.page_tools import Binding, PageTool

pytestmark = pytest.mark.anyio


class Shop:
    """A shop in the simulated browser, whose tools note their calls."""

    def __init__(self) -> None:
        self.browser = Browser()
        self.document: Document = self.browser.open("https://shop.example/")
        self.calls: list[tuple[str, Any]] = []
        self.page = SimulatedPage(self.browser, self.document)

    def register(self, name: str, execute: Callable[[Any], Any] = lambda input: None, **members: Any) -> None:
        def run(input: Any) -> Any:
            self.calls.append((name, input))
            return execute(input)

        self.document.model_context.register_tool(name=name, description="d", execute=run, **members).wait()
        self.browser.run_until_idle()


class WaitingPage:
    """A page whose one tool runs until the test lets it go on."""

    def __init__(self, tool: PageTool, *, is_seen: bool = False) -> None:
        self.tool = tool
        self.is_seen = is_seen
        self.began = asyncio.Event()
        self.ended = asyncio.Event()
        self.aborted = asyncio.Event()

    async def tools(self) -> Sequence[PageTool]:
        return [self.tool]

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        self.began.set()
        try:
            await self.ended.wait()
        except asyncio.CancelledError:
            self.aborted.set()
            raise
        return CallResult(CallEnd.DONE, "done")

    def on_change(self, listener: Callable[[], None]) -> None:
        pass

    async def close(self) -> None:
        pass


@asynccontextmanager
async def chats_of(world: World, way: str = "http") -> AsyncIterator[Any]:
    """Give the chats of a world to a client, with a worker beside them."""
    async with served(world) as address:
        if way == "service":
            yield world.service
        else:
            async with connect(address, TOKEN) as http:
                yield ChatClient(http)


@pytest.mark.parametrize("way", ["http", "service"])
async def test_client_runs_calls_in_the_page_and_the_turn_ends(engine: AsyncEngine, clock: Clock, way: str) -> None:
    shop = Shop()
    shop.register("search", lambda input: {"hits": [input["q"]]})
    shop.register("nothing")
    chats = world(
        engine, clock, ["Let me see.", Call("search", {"q": "tea"}, "c1"), Call("nothing", {}, "c2")], ["Tea."]
    )
    async with chats_of(chats, way) as given:
        client = PageClient(shop.page, given)
        chat_id = await client.create_chat(model="scripted")
        transcript = await client.say(chat_id, "Tea?")
    assert [item["text"] for item in transcript] == ["Tea?", "Let me see.", "Tea."]
    assert shop.calls == [("search", {"q": "tea"}), ("nothing", {})]
    results = [call["result"] for call in transcript[1]["tool_calls"]]
    assert [(result["output"], result["is_error"]) for result in results] == [({"hits": ["tea"]}, False), (None, False)]


async def test_tool_that_registers_another_makes_it_known_with_its_result(engine: AsyncEngine, clock: Clock) -> None:
    shop = Shop()
    shop.register("open", lambda _: shop.document.model_context.register_tool(name="add", description="d", execute=len))
    chats = world(engine, clock, [Call("open", {}, "c1")], [Call("add", {}, "c2")], ["Done."])
    async with chats_of(chats) as given:
        client = PageClient(shop.page, given)
        transcript = await client.say(await client.create_chat(), "Open it.")
    assert chats.script.offered == [["open"], ["add", "open"], ["add", "open"]]
    assert transcript[-1]["text"] == "Done."


async def test_tools_that_change_between_turns_are_sent_at_once(engine: AsyncEngine, clock: Clock) -> None:
    shop = Shop()
    shop.register("search")
    chats = world(engine, clock, ["Hello."])
    sent = asyncio.Event()

    class Noting(ChatClient):
        async def set_tools(self, chat_id: str, tools: Any) -> str:
            digest = await super().set_tools(chat_id, tools)
            sent.set()
            return digest

    async with served(chats) as address, connect(address, TOKEN) as http:
        client = PageClient(shop.page, Noting(http))
        chat_id = await client.create_chat()
        ready = asyncio.Event()
        attending = asyncio.create_task(client.attend(chat_id, ready=ready.set))
        await ready.wait()
        shop.register("buy")
        await sent.wait()
        attending.cancel()
        await client.say(chat_id, "hi")
    assert chats.script.offered == [["buy", "search"]]


async def test_call_of_a_tool_that_changed_since_it_was_shown_does_not_run(engine: AsyncEngine, clock: Clock) -> None:
    shop = Shop()
    shop.register("search")
    [tool] = await shop.page.tools()
    binding = {**tool.binding.to_json(), "digest": "sha256:of another definition"}
    async with chats_of(world(engine, clock)) as given:
        client = PageClient(shop.page, given)
        call = {"tool_call_id": "c1", "tool_name": "search", "args": "{}", "binding": binding}
        result = await client.run(call)
    assert shop.calls == []
    assert (result["is_error"], result["binding"], "Nothing ran" in result["output"]) == (True, binding, True)


async def test_interrupt_aborts_the_call_in_the_page(engine: AsyncEngine, clock: Clock) -> None:
    page = WaitingPage(page_tool())
    chats = world(engine, clock, [Call("search", {}, "c1")])
    async with chats_of(chats) as given:
        client = PageClient(page, given)
        chat_id = await client.create_chat()
        saying = asyncio.create_task(client.say(chat_id, "go"))
        await page.began.wait()
        await given.interrupt(chat_id)
        await page.aborted.wait()
        transcript = await saying
    assert "interrupted" in transcript[1]["tool_calls"][0]["result"]["output"]


async def test_finished_call_of_a_step_keeps_its_result_when_the_turn_is_stopped(
    engine: AsyncEngine, clock: Clock
) -> None:
    page = WaitingPage(page_tool())
    page.ended.set()
    calls = [Call("search", {"n": number}, f"c{number}") for number in (1, 2)]
    chats = world(engine, clock, calls, ["I know."])
    async with chats_of(chats) as given:

        class Stopping(PageClient):
            async def run(self, announced: Any) -> dict[str, Any]:
                if announced["tool_call_id"] == "c2":
                    page.ended.clear()
                    await given.interrupt(chat_id)
                return await super().run(announced)

        client = Stopping(page, given)
        chat_id = await client.create_chat()
        await client.say(chat_id, "go")
        transcript = await client.say(chat_id, "What came of it?")
    outputs = [call["result"]["output"] for call in transcript[1]["tool_calls"]]
    assert (outputs[0], "interrupted" in outputs[1]) == ("done", True)
    assert [(id, outcome) for id, _, outcome in chats.script.results] == [("c1", "success"), ("c2", "interrupted")]


async def test_call_that_is_announced_again_while_it_runs_is_not_begun_again(engine: AsyncEngine, clock: Clock) -> None:
    page = WaitingPage(page_tool())
    calls = [Call("search", {"n": number}, f"c{number}") for number in (1, 2)]
    chats = world(engine, clock, calls, ["Good."])
    async with served(chats) as address, connect(address, TOKEN) as http:
        given = ChatClient(http, reconnect_after=timedelta(0))
        again = asyncio.Event()

        class Breaking(PageClient):
            async def run(self, call: Any) -> dict[str, Any]:
                if call["tool_call_id"] == "c2":
                    # All connections break, so that the second call is announced anew.
                    await http._transport.aclose()
                    await again.wait()
                page.ended.set()
                return await super().run(call)

        class Noting(ChatClient):
            async def events(self, chat_id: str, after: int = 0) -> Any:
                async for event in given.events(chat_id, after):
                    yield event
                    if [call["tool_call_id"] for call in event.data.get("tool_calls", ())] == ["c2"]:
                        again.set()

        client = Breaking(page, Noting(http))
        transcript = await client.say(await client.create_chat(), "go")
    assert [call["result"]["output"] for call in transcript[1]["tool_calls"]] == ["done", "done"]


@pytest.mark.parametrize(
    ("is_seen", "why"), [(False, "option --headed of the server"), (True, "waits in the page's window")]
)
async def test_call_that_takes_too_long_is_aborted_and_the_model_learns_why_a_form_may_not_end(
    engine: AsyncEngine, clock: Clock, is_seen: bool, why: str
) -> None:
    page = WaitingPage(page_tool(), is_seen=is_seen)
    chats = world(engine, clock, [Call("search", {}, "c1")], ["Pity."])
    async with chats_of(chats) as given:
        client = PageClient(page, given, call_limit=timedelta(milliseconds=1))
        transcript = await client.say(await client.create_chat(), "go")
    result = transcript[1]["tool_calls"][0]["result"]
    assert page.aborted.is_set()
    assert (result["is_error"], "more than 0.001 s" in result["output"], why in result["output"]) == (True, True, True)


async def test_cancelled_client_aborts_its_calls_and_the_next_one_does_not_run_them_again(
    engine: AsyncEngine, clock: Clock
) -> None:
    page = WaitingPage(page_tool())
    chats = world(engine, clock, [Call("search", {}, "c1")], ["Pity."])
    async with chats_of(chats) as given:
        client = PageClient(page, given)
        chat_id = await client.create_chat()
        saying = asyncio.create_task(client.say(chat_id, "go"))
        await page.began.wait()
        saying.cancel()
        await page.aborted.wait()
        page.began.clear()
        await client.attend(chat_id, until=lambda event: event.type == "done")
        transcript = await given.transcript(chat_id)
    assert not page.began.is_set()
    assert "begun by a client that has gone" in transcript[1]["tool_calls"][0]["result"]["output"]


async def test_call_that_only_reads_is_run_again_by_the_next_client(engine: AsyncEngine, clock: Clock) -> None:
    page = WaitingPage(page_tool(read_only=True))
    chats = world(engine, clock, [Call("search", {}, "c1")], ["Good."])
    async with chats_of(chats) as given:
        client = PageClient(page, given)
        chat_id = await client.create_chat()
        saying = asyncio.create_task(client.say(chat_id, "go"))
        await page.began.wait()
        saying.cancel()
        await page.aborted.wait()
        page.ended.set()
        await client.attend(chat_id, until=lambda event: event.type == "done")
        transcript = await given.transcript(chat_id)
    assert transcript[1]["tool_calls"][0]["result"]["output"] == "done"


async def test_one_of_two_clients_runs_a_call(engine: AsyncEngine, clock: Clock) -> None:
    shop = Shop()
    shop.register("search", lambda _: "found")
    chats = world(engine, clock, [Call("search", {}, "c1")], ["Good."])
    async with chats_of(chats) as given:
        clients = [PageClient(shop.page, given) for _ in range(2)]
        chat_id = await clients[0].create_chat()
        ready = [asyncio.Event() for _ in clients]
        ends = [
            asyncio.create_task(client.attend(chat_id, until=lambda event: event.type == "done", ready=one.set))
            for client, one in zip(clients, ready, strict=True)
        ]
        await asyncio.gather(*(one.wait() for one in ready))
        await given.add_message(chat_id, "go")
        await asyncio.gather(*ends)
    assert shop.calls == [("search", {})]


@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_person_decides_whether_a_consequential_call_runs(
    engine: AsyncEngine, clock: Clock, decision: Any
) -> None:
    shop = Shop()
    shop.register("buy", lambda _: "bought", annotations={"consequentialHint": True})
    asked: list[ApprovalRequest] = []

    async def approve(request: ApprovalRequest) -> tuple[Any, str]:
        asked.append(request)
        return decision, "Too dear."

    chats = world(engine, clock, [Call("buy", {"n": 1}, "c1")], ["Well."])
    async with chats_of(chats) as given:
        client = PageClient(shop.page, given, approve=approve)
        transcript = await client.say(await client.create_chat(), "go")
    [request] = asked
    assert (request.tool.name, request.tool.origin, request.args) == ("buy", "https://shop.example", '{"n":1}')
    output = transcript[1]["tool_calls"][0]["result"]["output"]
    assert shop.calls == ([("buy", {"n": 1})] if decision == "approve" else [])
    assert output == "bought" if decision == "approve" else "They said: Too dear." in output


async def test_result_that_is_too_long_is_cut_visibly_and_images_stay_whole(engine: AsyncEngine, clock: Clock) -> None:
    image = {"content": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}]}
    shop = Shop()
    shop.register("text", lambda _: "x" * 5000)
    shop.register("list", lambda _: ["y" * 50] * 100)
    shop.register("screenshot", lambda _: image)
    calls = [Call("text", {}, "c1"), Call("list", {}, "c2"), Call("screenshot", {}, "c3")]
    chats = world(engine, clock, calls, ["Good."])
    async with chats_of(chats) as given:
        client = PageClient(shop.page, given, longest_result=1000)
        transcript = await client.say(await client.create_chat(), "go")
    text, items, screenshot = (call["result"]["output"] for call in transcript[1]["tool_calls"])
    assert text.endswith("[cut: 5,000 characters in all]")
    assert items.startswith('["yyy')
    assert "[cut: " in items
    assert len(text) <= 500
    assert screenshot == image


async def test_tool_set_that_chats_refuse_is_reported_and_results_are_sent_without_it(
    engine: AsyncEngine, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    shop = Shop()
    shop.register(
        "search", lambda _: shop.document.model_context.register_tool(name="weigh", description="d", execute=len)
    )
    chats = world(engine, clock, [Call("search", {}, "c1")], ["Good."], builtin_names=frozenset({"weigh"}))
    async with chats_of(chats) as given:
        client = PageClient(shop.page, given)
        transcript = await client.say(await client.create_chat(), "go")
    assert transcript[-1]["text"] == "Good."
    assert "belongs to a built-in tool" in caplog.text


async def test_errors_of_the_server_are_the_errors_of_chats(engine: AsyncEngine, clock: Clock) -> None:
    chats = world(engine, clock)
    page = WaitingPage(page_tool())
    async with served(chats) as address:
        async with connect(address, TOKEN) as http:
            given = ChatClient(http)
            with pytest.raises(NotFoundError):
                await PageClient(page, given).attend("none")
            with pytest.raises(BadRequestError, match="not served"):
                await given.create_chat(model="unknown")
        async with connect(address, "wrong") as http:
            with pytest.raises(ServerError, match="send the header"):
                await PageClient(page, ChatClient(http)).create_chat()
    async with connect(address, TOKEN) as http:
        with pytest.raises(ServerError, match="cannot be reached"):
            await ChatClient(http).chat("none")


async def test_stream_that_breaks_is_opened_again_where_it_broke(engine: AsyncEngine, clock: Clock) -> None:
    chats = world(engine, clock)
    chat_id = await chats.service.create_chat(model="m", message="one")
    async with served(chats) as address, connect(address, TOKEN) as http:
        given = ChatClient(http, reconnect_after=timedelta(0))
        events = given.events(chat_id)
        first = await anext(events)
        # All connections break.
        await http._transport.aclose()
        rest = [await anext(events) for _ in range(2)]
        await events.aclose()
    assert [event.id for event in (first, *rest)] == [1, 2, 3]
