"""``modelcontext playground``: the page in which one steps through programs, with the specification beside it."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import click
from rich.console import Console

from modelcontext.cli import options
from modelcontext.cli.exit_codes import exit_on_problems
from modelcontext.serving.http import Server
from modelcontext.specification.text.algorithms import repository_root

#: Where it is built when it is only to be looked at.
_FOLDER = Path("build/playground")


@click.group(
    invoke_without_command=True,
    epilog="\b\nExamples:\n  modelcontext playground\n  modelcontext playground build ~/public/playground",
)
@options.port
@click.pass_context
def command(ctx: click.Context, port: int) -> None:
    """Build the playground and serve it on this machine, until it is interrupted.

    On the left stands a program, on the right the specification with the step that is being executed; below, the state,
    the event log, and a slider that goes through the run. Everything runs in the page; nothing is sent anywhere.
    """
    if ctx.invoked_subcommand is not None:
        return
    with exit_on_problems("the playground was not served"):
        folder = repository_root() / _FOLDER
        _build(folder)
        with Server(port, {"/": folder}) as server:
            click.echo(f"http://127.0.0.1:{server.port}/ (stop with Ctrl+C)")
            try:
                Event().wait()
            except KeyboardInterrupt:
                click.echo("stopped", err=True)


@command.command(epilog="\b\nExample:\n  modelcontext playground build ~/public/playground")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def build(out: Path) -> None:
    """Write the playground into the folder OUT, which any static server can host.

    It has everything that it needs in it: Python (from the npm package pyodide), the model, the text of each revision and
    the examples. With Node.js there is also a snapshot of Python's memory, with which the page starts sooner.
    """
    with exit_on_problems("the folder may have a part of the files"):
        _build(out)
    click.echo(f"wrote {out}")


def _build(out: Path) -> None:
    from modelcontext.playground.build import build_playground

    with Console(stderr=True).status("building the playground"):
        build_playground(repository_root(), out)
