"""Names of the tools of several pages, and pages beside each other."""

from __future__ import annotations

import re
from typing import Any

from mcp import Client

from modelcontext.judging.clients.page_tools import PageTool
from modelcontext_agent.exposure.formats import BINDING
from modelcontext_agent.mcp.listing import listing_of, name_in_page
from modelcontext_agent.mcp.page_server import PageServer
from packages.agent.tests.mcp.connections import run, words
from packages.agent.tests.pages.stages import SimulatedStage


def tool(name: str, **members: Any) -> PageTool:
    return PageTool(name=name, description="", document="d", origin="https://shop.example", **members)


def test_tools_of_a_single_page_keep_their_aliases() -> None:
    assert list(listing_of({"page": [tool("search"), tool("pay")]})) == ["search", "pay"]


def test_names_of_several_pages_begin_with_their_pages() -> None:
    listing = listing_of({"page1": [tool("search")], "page2": [tool("search")]})
    assert list(listing) == ["page1_search", "page2_search"]
    assert [listed.meta[BINDING]["page"] for listed in listing.values()] == ["page1", "page2"]


def test_long_names_of_several_pages_are_cut_and_stay_apart() -> None:
    key = "p" * 16
    names = {name_in_page(key, "a" * 63 + last) for last in "abc"}
    assert len(names) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{64}", name) for name in names)


def test_second_tool_of_one_name_is_left_out_and_takes_no_other_with_it() -> None:
    first = tool("a", frame="frame-1")
    # Two definitions of one place stand for two places whose suffixes happen to be equal.
    second = tool("a", frame="frame-1", title="Another")
    listing = listing_of({"page": [tool("b"), first, second]})
    assert [listed.tool for listed in listing.values()] == [tool("b"), first]


def test_call_goes_to_the_page_that_its_name_says() -> None:
    async def steps() -> None:
        stages = {"page1": SimulatedStage(), "page2": SimulatedStage()}
        for stage in stages.values():
            await stage.register("top", "echo")
        async with (
            PageServer({key: stage.page for key, stage in stages.items()}) as server,
            Client(server.server) as client,
        ):
            listed = (await client.list_tools()).tools
            assert [one.name for one in listed] == ["page1_echo", "page2_echo"]
            await stages["page1"].unregister("top", "echo")
            assert "no longer has a tool" in words(await client.call_tool("page1_echo", {}))
            assert not (await client.call_tool("page2_echo", {})).is_error

    run(steps())
