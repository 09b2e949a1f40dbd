"""The demo's site in Chromium: its tools are those that its description names, and do what they say."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext_agent.demo.site import DemoSite
from modelcontext_agent.pages.contract import CallEnd
from modelcontext_agent.pages.live_page import open_live_page
from packages.agent.tests.pages.stages import listed

if TYPE_CHECKING:
    from modelcontext_agent.pages.live_page import LivePage

pytestmark = pytest.mark.usefixtures("starts_a_browser")


async def call(page: LivePage, name: str, arguments: dict[str, Any]) -> Any:
    [tool] = [tool for tool in await page.tools() if tool.name == name]
    result = await page.call(name, tool.binding, arguments)
    assert result.end is CallEnd.DONE, result
    return result.output


def test_tools_of_the_shop_and_the_parcel_service_work_together() -> None:
    async def steps() -> None:
        with DemoSite() as site:
            async with open_live_page(site.url) as page:
                tools = await listed(page, lambda tools: len(tools) == 4)
                assert [(tool.name, site.origins.index(tool.origin)) for tool in tools] == [
                    ("open_basket", 0),
                    ("place_order", 0),
                    ("search_teas", 0),
                    ("track_parcel", 1),
                ]
                assert [tool.hints.consequential for tool in tools] == [False, True, False, False]
                assert [tool.hints.untrusted_content for tool in tools] == [False, False, False, True]
                found = await call(page, "search_teas", {"kind": "green"})
                assert [tea["name"] for tea in found["teas"]] == ["Sencha", "Gunpowder"]
                assert await call(page, "open_basket", {}) == {"basket": []}
                assert await call(page, "add_to_basket", {"name": "sencha"}) == {
                    "basket": [{"name": "Sencha", "amount": 1}]
                }
                parcel = (await call(page, "place_order", {}))["parcel"]
                assert (await call(page, "track_parcel", {"parcel": parcel}))["at"] == "the depot"

    asyncio.run(steps())
