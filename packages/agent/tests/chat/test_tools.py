"""Tests of dynamic tools: the rules of a set, refreshed sets, and the binding of calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.judging.clients.page_tools import Hints, PageTool, digest_of_tools
from modelcontext_agent.chat.chat_errors import BadRequestError, ConflictError, TooLargeError, ToolsNeededError
from modelcontext_agent.chat.config import ChatConfig
from modelcontext_agent.chat.service import ChatService
from modelcontext_agent.chat.tools import read_tools, refusal
from packages.agent.tests.chat.helpers import Call, Clock, World, page_tool, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

CONFIG = ChatConfig(builtin_names=frozenset({"advisor"}))


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("search", "the tools are not a list"),
        ([1], "tool 0 is not an object"),
        ([{"name": ""}], "tool 0 has an empty name"),
        ([{}], "tool 0 is not well formed: a tool needs “name”"),
        ([{"name": 3}], "tool 0 is not well formed: a tool needs “name”"),
        ([{"name": "a", "annotations": []}], "tool 0 is not well formed: “annotations”"),
        ([{"name": "a", "inputSchema": float("inf")}], "tool 0 is not well formed"),
        ([{"name": "a"}, {"name": "a"}], "two tools of the frame “main” are named “a”"),
        ([{"name": "advisor"}], "the name “advisor” of tool 0 belongs to a built-in tool"),
        ([{"name": f"t{number}"} for number in range(251)], "251 tools are too many; a chat takes 250 at most"),
    ],
)
def test_bad_sets_of_tools_are_refused(tools: Any, words: str) -> None:
    with pytest.raises(BadRequestError, match=words):
        read_tools(tools, CONFIG)


def test_set_with_too_many_bytes_is_too_large() -> None:
    with pytest.raises(TooLargeError, match="a chat takes 1000000 at most"):
        read_tools([{"name": "a", "description": "x" * 1_000_000}], CONFIG)


def test_absent_set_is_empty_and_250_tools_of_one_name_in_each_of_two_frames_pass() -> None:
    assert read_tools(None, CONFIG) == ()
    tools = [{"name": f"t{number}", "frame": frame} for number in range(125) for frame in ("main", "f2")]
    assert len(read_tools(tools, CONFIG)) == 250


def test_tool_that_is_no_pages_has_an_empty_document() -> None:
    [tool] = read_tools([{"name": "a", "description": None}], CONFIG)
    assert tool == PageTool(name="a", description="", document="", origin="")


TOOL = page_tool()


@pytest.mark.parametrize(
    ("ran", "now", "words"),
    [
        (None, [TOOL], None),
        (None, [replace(TOOL, url="https://shop.example/b")], None),
        (None, [], "the document of https://shop.example that offered it has gone"),
        (None, [replace(TOOL, document="d2")], "the document of https://shop.example that offered it has gone"),
        (None, [replace(TOOL, name="other")], "no longer offers the tool"),
        (None, [replace(TOOL, description="Pays.")], "has changed the definition"),
        (None, [replace(TOOL, hints=Hints(consequential=True))], "has changed the definition"),
        (TOOL.binding, [], None),
        (TOOL.binding, [replace(TOOL, document="d2")], None),
        (replace(TOOL.binding, document="d2"), [TOOL], "the document of https://shop.example that offered it has gone"),
        (replace(TOOL.binding, origin="https://evil.example"), [TOOL], "has gone"),
        (replace(TOOL.binding, digest="sha256:0"), [TOOL], "has changed the definition"),
    ],
)
def test_result_is_refused_unless_it_is_of_the_tool_that_was_called(ran: Any, now: Any, words: str | None) -> None:
    reason = refusal(TOOL, ran, now)
    assert reason is None if words is None else words in str(reason)


async def _paused(engine: AsyncEngine, clock: Clock, tool: PageTool = TOOL) -> tuple[World, str]:
    shop = world(engine, clock, [Call("search", {}, "c1")], ["done"])
    return shop, await shop.start(tool)


@pytest.mark.anyio
async def test_result_after_a_navigation_becomes_an_error_that_the_model_reads(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop, chat_id = await _paused(engine, clock)
    fresh = [replace(TOOL, document="d2").to_json()]
    await shop.service.submit_tool_results(chat_id, [{"tool_call_id": "c1", "output": "secret"}], tools=fresh)
    await shop.runner.run_until_idle()
    [(_, content, outcome)] = shop.script.results
    assert outcome == "failed"
    assert "has gone, because the page navigated" in content
    assert "secret" not in str(await shop.service.transcript(chat_id))


@pytest.mark.anyio
async def test_results_with_the_digest_of_other_tools_are_a_conflict_until_the_tools_come(
    engine: AsyncEngine, clock: Clock
) -> None:
    shop, chat_id = await _paused(engine, clock)
    results = [{"tool_call_id": "c1", "output": 1, "binding": TOOL.binding.to_json()}]
    tools = [TOOL, page_tool("buy")]
    digest = digest_of_tools(tools)
    with pytest.raises(ToolsNeededError, match="send them as “tools”") as refused:
        await shop.service.submit_tool_results(chat_id, results, tools_digest=digest)
    assert isinstance(refused.value, ConflictError)
    assert await shop.state(chat_id) == "requires_action"
    sent = [tool.to_json() for tool in tools]
    await shop.service.submit_tool_results(chat_id, results, tools=sent, tools_digest=digest)
    await shop.runner.run_until_idle()
    assert shop.script.offered == [["search"], ["search", "buy"]]
    assert shop.script.results == [("c1", "1", "success")]


@pytest.mark.anyio
async def test_results_with_the_known_digest_pass(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await _paused(engine, clock)
    results = [{"tool_call_id": "c1", "output": 1}]
    await shop.service.submit_tool_results(chat_id, results, tools_digest=digest_of_tools([TOOL]))
    with pytest.raises(BadRequestError, match="tools_digest is not a string"):
        await shop.service.submit_tool_results(chat_id, results, tools_digest=3)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_next_step_offers_the_tools_that_were_set_meanwhile(engine: AsyncEngine, clock: Clock) -> None:
    shop, chat_id = await _paused(engine, clock)
    digest = await shop.service.set_tools(chat_id, [TOOL.to_json(), page_tool("pay").to_json()])
    assert digest == digest_of_tools([TOOL, page_tool("pay")])
    await shop.answer(chat_id, c1=1)
    assert shop.script.offered[-1] == ["search", "pay"]


@pytest.mark.anyio
async def test_tool_with_a_name_that_no_provider_takes_is_called_by_its_alias(
    engine: AsyncEngine, clock: Clock
) -> None:
    tool = page_tool("shop.search", frame="f2")
    service = ChatService(engine, now=clock)
    chat_id = await service.create_chat(model="m", dynamic_tools=[tool.to_json()], message="hi")
    from modelcontext_agent.exposure.aliases import alias_of

    shop = world(engine, clock, [Call(alias_of(tool), {}, "c1")], ["done"])
    await shop.runner.run_until_idle()
    [call] = (await shop.events(chat_id, "action_required"))[0]["tool_calls"]
    assert (call["tool_name"], call["alias"]) == ("shop.search", alias_of(tool))
    [told] = await shop.events(chat_id, "tool_call")
    assert (told["tool_name"], told["origin"], told["frame"]) == ("shop.search", "https://shop.example", "f2")
