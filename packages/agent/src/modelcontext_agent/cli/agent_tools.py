"""``modelcontext agent tools``: the tools of a page in the words of a provider."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from modelcontext.judging.clients.page_tools import MAIN_FRAME
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json, warn
from modelcontext_agent.exposure.providers import Provider

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.exposure.formats import ExposedTool


@verb(
    epilog="\b\nExamples:\n  modelcontext agent tools https://shop.example/ --format anthropic\n"
    "  modelcontext agent tools dist/index.html\n"
    "  modelcontext agent tools http://localhost:8000/ --format gemini --explain"
)
@click.argument("source", metavar="FILE|URL")
@click.option(
    "--format",
    "provider",
    type=click.Choice([provider.value for provider in Provider]),
    default=Provider.MCP.value,
    show_default=True,
    help="Show the tools in the format of this provider.",
)
@click.option(
    "--explain", is_flag=True, help="Print the changes for this provider, with reasons, instead of the tools."
)
@click.option(
    "--headed",
    is_flag=True,
    help="Show the window of the page. Some pages register their tools only in a visible window.",
)
@click.option("--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]")
def command(source: str, provider: str, explain: bool, headed: bool, binary: str | None) -> None:
    """Open a page in Chromium, and print its tools in the format of a provider. A FILE is served from its folder.

    The list has the tools of all frames, including frames of other origins. The output is the member "tools" of a
    request; with --format mcp, it is the member "tools" of a tools/list result. --explain shows the name of each tool
    for the provider, its frame, and each change of its schema: reworded (the same meaning), annotation (words for
    people are left out), widened (the provider's schema accepts more values than the page's schema) or replaced (the
    page's schema was not for an object).

    Exit code 0: done; 1: the page or its browser has ended; 2: wrong usage, or the page or the browser cannot be opened.
    """
    from modelcontext_agent.exposure.aliases import AliasCollisionError
    from modelcontext_agent.exposure.formats import expose, written
    from modelcontext_agent.pages.loss import BrokenPageError

    chosen = Provider(provider)
    with exit_on_problems(codes={AliasCollisionError: USAGE, BrokenPageError: FOUND}):
        exposed = expose(asyncio.run(_read(source, binary, headed)), chosen)
        if explain:
            _explain(exposed)
        else:
            if not exposed:
                warn("the page has no tools")
            print_json(written(exposed, chosen))


async def _read(source: str, binary: str | None, headed: bool) -> Sequence[PageTool]:
    from modelcontext_agent.pages.live_page import open_live_page
    from modelcontext_agent.pages.loss import BrokenPageError
    from modelcontext_agent.pages.settling import settled_tools

    async with open_live_page(source, binary=binary, headed=headed) as page:
        if page.problem is not None:
            warn(f"{page.problem}; these are the tools of this page anyway")
        tools = await settled_tools(page)
        if page.loss is not None:
            raise BrokenPageError(page.loss)
        if MAIN_FRAME in page.silent:
            raise BrokenPageError(f"the tools of {source} cannot be read")
        return tools


def _explain(exposed: Sequence[ExposedTool]) -> None:
    from modelcontext_agent.exposure.framing import visible

    if not exposed:
        click.echo("The page has no tools.")
    console = Console(highlight=False)
    for one in exposed:
        tool = one.tool
        alias = "" if one.alias == tool.name else f", goes by {one.alias}"
        console.print(Text(visible(tool.name), "bold") + Text(visible(f"{alias} ({tool.origin}, {tool.frame})")))
        table = Table("schema", "change", "why")
        for column in table.columns:
            column.overflow = "fold"
        for change in one.changes:
            cells = (change.path or "the whole", change.kind.value, change.message)
            table.add_row(*(Text(visible(cell)) for cell in cells))
        console.print(table if one.changes else "  change: none")
