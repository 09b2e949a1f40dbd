"""Lists of tools: the names by which clients call the tools of one or more pages, and their definitions in the protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcp import types

from modelcontext_agent.exposure.aliases import LONGEST, SUFFIX
from modelcontext_agent.exposure.formats import BINDING, ExposedTool, expose, written
from modelcontext_agent.exposure.providers import Provider

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.pages.contract import AgentPage


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as it is listed to a client: its name there, the key of its page, and the page's tool as it was then."""

    name: str
    page: str
    exposed: ExposedTool

    @property
    def tool(self) -> PageTool:
        """The page's tool."""
        return self.exposed.tool

    @property
    def meta(self) -> dict[str, Any]:
        """The member ``_meta`` that says which tool of which document this is."""
        return {BINDING: {**self._written["_meta"][BINDING], "page": self.page}}

    @property
    def definition(self) -> types.Tool:
        """The tool in a ``tools/list`` result."""
        return types.Tool.model_validate({**self._written, "_meta": self.meta})

    @property
    def _written(self) -> dict[str, Any]:
        [definition] = written([replace(self.exposed, alias=self.name)], Provider.MCP)
        return definition


ToolList = Mapping[str, ListedTool]


async def read(pages: Mapping[str, AgentPage]) -> ToolList:
    """Return the tools of all pages, read anew, by their names."""
    return listing_of({page: await pages[page].tools() for page in pages})


def listing_of(tools: Mapping[str, Sequence[PageTool]]) -> ToolList:
    """Return the tools of pages by their names.

    Where two tools of a page have one name, because the digits of their suffixes are equal, the first has it, and the
    other is left out: a frame must not be able to take the list away from all others.

    Args:
        tools: the tools of each page, by its key. A single page's tools keep their aliases; with several, each name begins
            with the key of its page.
    """
    listing: dict[str, ListedTool] = {}
    for page, exposed in _exposed(tools):
        name = exposed.alias if len(tools) == 1 else name_in_page(page, exposed.alias)
        listing.setdefault(name, ListedTool(name, page, exposed))
    return listing


def name_in_page(page: str, alias: str) -> str:
    """Return the name of a tool among the tools of several pages.

    Args:
        page: the key of the page, which has no underscore.
        alias: the alias of the tool in its page.
    """
    name = f"{page}_{alias}"
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - SUFFIX - 1]}_{hashlib.sha256(name.encode('ascii')).hexdigest()[:SUFFIX]}"


def _exposed(tools: Mapping[str, Sequence[PageTool]]) -> Iterable[tuple[str, ExposedTool]]:
    for page, of_page in tools.items():
        for tool in of_page:
            [exposed] = expose([tool], Provider.MCP)
            yield page, exposed
