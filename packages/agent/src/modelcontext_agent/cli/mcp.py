"""``modelcontext mcp``: the tools of live pages for clients of the Model Context Protocol."""

from __future__ import annotations

import asyncio
import secrets
import signal
from contextlib import AsyncExitStack
from typing import cast

import click
from click.core import ParameterSource

from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import warn


@verb(
    epilog="\b\nExamples:\n  modelcontext mcp https://shop.example/\n  modelcontext mcp --http 8000 https://shop.example/"
)
@click.argument("sources", metavar="FILE|URL...", nargs=-1, required=True)
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve over HTTP on this port of this machine (0: any free one), and not over standard input and output.",
)
@click.option(
    "--token",
    envvar="MODELCONTEXT_MCP_TOKEN",
    show_envvar=True,
    help="The token that clients must send over HTTP.  [default: a new one, which the command prints]",
)
@click.option(
    "--allow-consequential",
    is_flag=True,
    help="Run tools with consequences also for clients that cannot ask a person. Other clients still ask.",
)
@click.option(
    "--call-limit",
    type=click.FloatRange(1),
    default=300,
    show_default=True,
    help="How many seconds a call may take. Progress messages say what the call waits for.",
)
@click.option("--headed", is_flag=True, help="Show the windows of the pages, in which a person can submit forms.")
@click.option("--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]")
def command(
    sources: tuple[str, ...],
    port: int | None,
    token: str | None,
    allow_consequential: bool,
    call_limit: float,
    headed: bool,
    binary: str | None,
) -> None:
    """Open each page in Chromium, and serve the tools of these pages by the Model Context Protocol.

    A FILE is served from its folder. The server speaks the protocol's revisions 2026-07-28, 2025-11-25 and earlier ones.
    With several pages, the name of each tool begins with page1_, page2_ and so on.

    Exit code 0: the client has ended; 1: a page or its browser has ended; 2: a page or port is not available; 130:
    interrupted.
    """
    from modelcontext_agent.pages.loss import BrokenPageError

    source = click.get_current_context().get_parameter_source("token")
    if port is None and source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--token is for clients over HTTP, so give --http PORT as well")
    with exit_on_problems("the server has ended", {BrokenPageError: FOUND}):
        try:
            asyncio.run(_serve(sources, port, token, allow_consequential, call_limit, headed, binary))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


async def _serve(
    sources: tuple[str, ...],
    port: int | None,
    token: str | None,
    allow_consequential: bool,
    call_limit: float,
    headed: bool,
    binary: str | None,
) -> None:
    from modelcontext_agent.loopback import listen
    from modelcontext_agent.mcp.page_server import PageServer
    from modelcontext_agent.mcp.transports import PATH, serve_http, serve_stdio
    from modelcontext_agent.pages.live_page import open_live_page
    from modelcontext_agent.pages.loss import run_unless_lost

    # An exception in the midst of the event loop would leave no way to close the browser.
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, cast("asyncio.Task[None]", asyncio.current_task()).cancel
    )
    async with AsyncExitStack() as stack:
        listening = listen(port) if port is not None else None
        if listening is not None:
            stack.callback(listening.close)
        pages = {
            f"page{number}": await stack.enter_async_context(open_live_page(source, binary=binary, headed=headed))
            for number, source in enumerate(sources, 1)
        }
        for page in pages.values():
            if page.problem is not None:
                warn(f"{page.problem}; these are the tools of this page anyway")
        server = await stack.enter_async_context(
            PageServer(pages, allow_unasked=allow_consequential, call_limit=call_limit)
        )
        if listening is None:
            serving = serve_stdio(server)
        else:
            token = token or secrets.token_urlsafe(24)
            # Standard error is for people; the line is the one that a client is configured with.
            click.echo(f"http://127.0.0.1:{listening.getsockname()[1]}{PATH} (Authorization: Bearer {token})", err=True)
            serving = serve_http(server, listening, token)
        await run_unless_lost(serving, [page.lost() for page in pages.values()])
