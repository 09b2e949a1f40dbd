"""``modelcontext agent serve``: chats over HTTP on this machine, with a page for people."""

from __future__ import annotations

import asyncio
import secrets
import signal
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from modelcontext.ground.files import read_toml
from modelcontext.ground.problems import UnavailableError
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.models import Model

    from modelcontext_agent.pages.contract import AgentPage
    from modelcontext_agent.pages.live_page import LivePage
    from modelcontext_agent.webhooks.outbox import Webhook

#: The seconds in which pages of browsers connect again after a restart: they try each second.
_RECONNECTING = 2.5

_UNSERVED = "the server has ended; the database keeps the chats"


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the verb, by the names that it gives them."""

    models: tuple[str, ...]
    database: str
    page: str | None
    origins: tuple[str, ...]
    frame_origins: tuple[str, ...]
    port: int
    token: str | None
    admin_token: str | None
    webhooks_file: Path | None
    allow_private: bool
    instructions: str
    rounds: int
    deadline: float
    call_limit: float
    store: bool
    headed: bool
    binary: str | None


@verb(
    epilog="\b\nExamples:\n  modelcontext agent serve --model scripted:answers.toml --page https://shop.example/\n"
    "  modelcontext agent serve --model anthropic:claude-sonnet-4-5 --database postgresql://localhost/chats"
)
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    required=True,
    help="A model that chats may have: anthropic:MODEL, openai:MODEL, openai-responses:MODEL, google:MODEL or"
    " scripted:FILE. May be repeated; the first one is the default.",
)
@click.option(
    "--database",
    metavar="URL",
    default="sqlite:///chats.db",
    show_default=True,
    help="Where chats are stored: sqlite:///FILE, or postgresql://…",
)
@click.option("--page", metavar="FILE|URL", help="Open this page in Chromium: new chats have its tools.")
@click.option(
    "--allow-origin",
    "origins",
    metavar="ORIGIN",
    multiple=True,
    callback=lambda _context, _parameter, values: tuple(map(_origin, values)),
    help="Let pages of this origin connect with the script /pages/remote.js: new chats have the tools of the latest page.",
)
@click.option(
    "--frame-origin",
    "frame_origins",
    metavar="ORIGIN",
    multiple=True,
    callback=lambda _context, _parameter, values: tuple(map(_origin, values)),
    help="Let pages of this origin show the chat page in a frame. These pages get a message after each call.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: any free one]")
@click.option(
    "--token",
    envvar="MODELCONTEXT_AGENT_TOKEN",
    show_envvar=True,
    help="The token that clients must send.  [default: a new one, which the command prints]",
)
@click.option(
    "--admin-token",
    envvar="MODELCONTEXT_AGENT_ADMIN_TOKEN",
    show_envvar=True,
    help="The token of a client that may change the configuration.  [default: no client may]",
)
@click.option(
    "--webhooks",
    "webhooks_file",
    type=options.FILE,
    help="A TOML file of [[webhooks]] to notify of calls and pauses. Each table has name, url, secret, events and tools.",
)
@click.option(
    "--private-webhooks", "allow_private", is_flag=True, help="Allow webhooks to this machine and its network."
)
@click.option(
    "--instructions", default="", metavar="TEXT", help="The instructions for the model, at the beginning of each chat."
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="The largest number of rounds of calls in a turn.",
)
@click.option(
    "--deadline",
    type=click.FloatRange(1),
    default=300,
    show_default=True,
    help="How many seconds the page, or a person who approves a call, has to answer.",
)
@click.option(
    "--call-limit",
    type=click.FloatRange(1),
    default=30,
    show_default=True,
    help="How many seconds a call in the page may take. A form that a person submits needs more time.",
)
@click.option(
    "--store/--no-store", default=True, help="For openai-responses: whether OpenAI keeps the answers.  [default: store]"
)
@click.option("--headed", is_flag=True, help="Show the window of the page, in which a person can submit forms.")
@click.option("--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]")
def command(**given: Any) -> None:
    """Run a chat server on this machine, for people and for other programs, until an interrupt.

    The printed address opens the chat page. Other programs send the token as “Authorization: Bearer TOKEN”.

    Exit code 1: the page or its browser has ended; 2: a model, database, page or port is not available; 130: interrupted.
    """
    from modelcontext_agent.models.canned_answers import CannedAnswersError
    from modelcontext_agent.models.model_names import MissingKeyError, ModelNameError
    from modelcontext_agent.pages.loss import BrokenPageError

    codes = dict.fromkeys((MissingKeyError, ModelNameError, CannedAnswersError), USAGE)
    with exit_on_problems(_UNSERVED, {**codes, BrokenPageError: FOUND}):
        try:
            asyncio.run(_serve(_Options(**given)))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _origin(value: str) -> str:
    """Return an origin as browsers write it; a URL with more than an origin is refused, since no more would be looked at."""
    from modelcontext.platform.html.origin import serialization
    from modelcontext.platform.html.url import url_origin, url_parser

    url = url_parser(value)
    origin = serialization(url_origin(url)) if url is not None else ""
    if url is None or url.href != f"{origin}/":
        raise click.BadParameter(
            f"“{value}” is not an origin; write it like https://shop.example or http://localhost:8000"
        )
    return origin


async def _serve(options: _Options) -> None:
    from modelcontext_agent.advisor.capability import NAME, Advisor
    from modelcontext_agent.advisor.routes import advisor_routes
    from modelcontext_agent.attending import Attendant
    from modelcontext_agent.chat.config import ChatConfig
    from modelcontext_agent.chat.database import create_tables, open_database
    from modelcontext_agent.chat.runner import Runner
    from modelcontext_agent.chat.service import ChatService
    from modelcontext_agent.loopback import listen, serving
    from modelcontext_agent.metrics import ToolMetrics
    from modelcontext_agent.models.model_names import build_model
    from modelcontext_agent.pages.live_page import open_live_page
    from modelcontext_agent.pages.loss import run_unless_lost
    from modelcontext_agent.pages.remote_pages import RemotePages
    from modelcontext_agent.server.app import create_app
    from modelcontext_agent.webhooks.deliverer import Deliverer, webhook_client
    from modelcontext_agent.webhooks.outbox import Outbox

    # An exception in the midst of the event loop would leave no way to close the browser.
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, cast("asyncio.Task[None]", asyncio.current_task()).cancel
    )
    # A chat may also have been made by a server with other models: its turn fails then if there is no such model.
    built = {name: build_model(name, store=options.store) for name in options.models}

    def model(name: str) -> Model:
        return built.get(name) or build_model(name, store=options.store)

    webhooks = _read_webhooks(options.webhooks_file, options.allow_private) if options.webhooks_file is not None else ()
    token = options.token or secrets.token_urlsafe(24)
    async with AsyncExitStack() as stack:
        listening = stack.enter_context(listen(options.port))
        engine = open_database(options.database)
        stack.push_async_callback(engine.dispose)
        await create_tables(engine)
        live: LivePage | None = None
        if options.page is not None:
            live = await stack.enter_async_context(
                open_live_page(options.page, binary=options.binary, headed=options.headed)
            )
            if live.problem is not None:
                warn(f"{live.problem}; chats get the tools of this page anyway")
        remote = RemotePages(token=token, allowed_origins=options.origins)

        def pages() -> Sequence[AgentPage]:
            return [live] if live is not None else list(reversed(remote.pages))

        metrics = ToolMetrics()
        advisor = Advisor(engine, model, metrics)
        config = ChatConfig(
            deadline=timedelta(seconds=options.deadline),
            max_rounds=options.rounds,
            instructions=options.instructions,
            capabilities=[advisor],
            builtin_names=frozenset({NAME}),
            receivers=[Outbox(webhooks)] if webhooks else [],
        )
        service = ChatService(engine, config=config)
        stack.push_async_callback(service.notices.close)
        host = await stack.enter_async_context(
            Attendant(service, pages, call_limit=timedelta(seconds=options.call_limit))
        )
        app = create_app(
            service,
            token=token,
            models=options.models,
            admin_token=options.admin_token,
            frame_origins=options.frame_origins,
            host=host,
            routes=advisor_routes(engine, metrics, model),
            unguarded=remote.routes(),
        )
        address = await stack.enter_async_context(serving(app, listening))
        stack.push_async_callback(remote.close)
        client = await stack.enter_async_context(webhook_client())
        click.echo(f"{address}/#token={token} (stop with Ctrl+C)")

        async def attend_again() -> None:
            # A page of somebody's browser needs a moment to connect again.
            if live is None and options.origins:
                await asyncio.sleep(_RECONNECTING)
            for chat_id in await service.attended_chats():
                await host.attend_again(chat_id)

        async def work() -> None:
            # A step is to have the tools that its page offers now.
            await attend_again()
            async with asyncio.TaskGroup() as group:
                group.create_task(Runner(service, model).run_forever())
                group.create_task(Deliverer(engine, webhooks, client).run_forever())

        async def lost(page: LivePage) -> str:
            reason = await page.lost()
            # The calls that ran have ended with this reason, which the model is to read.
            await host.answered()
            return f"{reason}; {_UNSERVED}"

        await run_unless_lost(work(), [lost(live)] if live is not None else [])


def _read_webhooks(path: Path, allow_private: bool) -> tuple[Webhook, ...]:
    from modelcontext_agent.webhooks.outbox import read_webhooks

    data = read_toml(path)
    try:
        return read_webhooks(data.get("webhooks", []), allow_private=allow_private)
    except ValueError as error:
        raise UnavailableError(f"{path} names no webhooks: {error}", "mend the file") from None
