"""``modelcontext agent gateway``: a provider whose streams have the quirks of gateways, for clients of any program."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING

import click

from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext_agent.models.fakes.quirks import QUIRKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext_agent.models.fakes.quirks import StreamQuirk
    from modelcontext_agent.models.fakes.quirky_gateway import QuirkyGateway, Stream

_KINDS = ("anthropic", "openai", "openai-responses", "google")


@verb(
    epilog="\b\nExamples:\n  modelcontext agent gateway\n"
    "  modelcontext agent gateway --format anthropic --quirk one-id --quirk breaks-off"
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(_KINDS),
    default="openai",
    show_default=True,
    help="Use the format of this provider.",
)
@click.option(
    "--quirk",
    "names",
    type=click.Choice([quirk.name for quirk in QUIRKS]),
    multiple=True,
    help="Send streams with this quirk only. May be repeated.  [default: each quirk of the format]",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: any free one]")
def command(kind: str, names: tuple[str, ...], port: int) -> None:
    """Serve a model whose streams have the quirks of gateways, and say what your client has understood.

    Point your client to the printed address, with any key and any model, and begin as many chats as the command says.
    Each answer calls two of the tools that your client offers. The next request of the chat shows how your client
    understood the calls. If an answer breaks off, your client must run none of its calls. The command ends after the last
    chat, or after an interrupt.

    Exit code 0: all calls were understood; 1: some were not; 2: wrong usage, or the port is not available; 130: interrupted
    before the last chat.
    """
    from modelcontext_agent.models.fakes.quirks import quirks_of

    offered = quirks_of(kind)
    unknown = [name for name in names if name not in {quirk.name for quirk in offered}]
    if unknown:
        has = ", ".join(quirk.name for quirk in offered)
        raise click.UsageError(f"the format {kind} does not have the quirk {unknown[0]}; it has {has}")
    quirks = [quirk for quirk in offered if not names or quirk.name in names]
    with exit_on_problems("the gateway has ended"):
        try:
            gateway = asyncio.run(_serve(kind, quirks, port))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
    sys.exit(FOUND if any(stream.problem for stream in gateway.streams) else 0)


async def _serve(kind: str, quirks: Sequence[StreamQuirk], port: int) -> QuirkyGateway:
    from modelcontext_agent.checking.trying import made_up
    from modelcontext_agent.loopback import listen, serving
    from modelcontext_agent.models.fakes.fake_server import WIRES
    from modelcontext_agent.models.fakes.quirky_gateway import QuirkyGateway

    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    judged = asyncio.Event()

    def tell(stream: Stream) -> None:
        click.echo(f"{stream.name}: {stream.problem or 'understood'}")
        judged.set()

    # A client may come back late after an answer that broke off, so these are the first.
    mixtures = [[quirk] for quirk in sorted(quirks, key=lambda quirk: quirk.is_whole)]
    gateway = QuirkyGateway(WIRES[kind](), mixtures, made_up, tell)
    async with serving(gateway, listen(port)) as address:
        click.echo(f"{address}{gateway.wire.base} (begin {len(quirks)} chats)")
        try:
            while not gateway.is_done:
                await judged.wait()
                judged.clear()
        finally:
            for stream in gateway.streams:
                if stream.problem is None and not stream.is_whole:
                    click.echo(f"{stream.name}: none of its calls ran")
    return gateway
