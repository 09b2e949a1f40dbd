"""``modelcontext agent demo``: a page's tools, a chat that pauses for them, and a model with canned answers."""

from __future__ import annotations

import asyncio
import sys

import click

from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext_agent.demo.fake_providers import PROVIDERS


@verb(
    epilog="\b\nExamples:\n  modelcontext agent demo --simulated\n  modelcontext agent demo --provider anthropic --json"
)
@click.option(
    "--provider",
    type=click.Choice(list(PROVIDERS)),
    help="Use the real adapter for this provider, with a fake of the provider on this machine.",
)
@click.option("--simulated", "is_simulated", is_flag=True, help="Use a page in the simulated browser.")
@click.option("--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]")
@options.as_json
def command(provider: str | None, is_simulated: bool, binary: str | None, as_json: bool) -> None:
    """Let a model use the tools of a shop, and print the messages, the tools that ran, and the pauses of the chat.

    The shop is a page in Chromium with a frame of another origin. One of its tools registers another tool. Another tool
    needs the consent of a person, which the demo gives. The model gives canned answers, so the demo needs no network and
    no key.

    Exit code 0: the chat ended; 1: the chat failed; 2: wrong usage, or something is missing.
    """
    from modelcontext_agent.demo.demo_run import run_demo
    from modelcontext_agent.demo.words import lines_of

    if is_simulated and binary is not None:
        raise click.UsageError("--simulated needs no browser, so leave out --binary")
    with exit_on_problems(as_json=as_json):
        run = asyncio.run(run_demo(provider=provider, is_simulated=is_simulated, binary=binary))
    if as_json:
        print_json(run.to_json())
    else:
        click.echo("\n".join(lines_of(run)))
    sys.exit(FOUND if run.has_failed else 0)
