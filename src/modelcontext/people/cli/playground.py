"""``modelcontext playground``: a page for stepping through programs and scripts, with the specification beside them."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import click
from rich.console import Console

from modelcontext.ground.checkout import path_in, project_root
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import exit_on_problems
from modelcontext.people.cli.groups import verbs
from modelcontext.running.serving.http import Server

#: The folder of the playground that this machine serves.
_FOLDER = Path("build/playground")


@verbs(
    invoke_without_command=True,
    epilog="\b\nExamples:\n  modelcontext playground\n  modelcontext playground build ~/public/playground",
)
@options.port
@options.pyodide
@options.text
@click.pass_context
def command(ctx: click.Context, port: int, pyodide: Path | None, by_text: bool) -> None:
    """Build the playground and serve it on this machine, until Ctrl+C.

    The page shows a program next to the specification, and marks the current step. Below, it shows the state, the event
    log, and a slider over the run. Everything runs in the page, and the page sends no data.
    """
    if ctx.invoked_subcommand is not None:
        return
    with exit_on_problems("the playground was not served"):
        folder = path_in(project_root(), _FOLDER)
        _build(folder, pyodide)
        with Server(port, {"/": folder}) as server:
            click.echo(f"http://127.0.0.1:{server.port}/ (stop with Ctrl+C)")
            try:
                Event().wait()
            except KeyboardInterrupt:
                click.echo("stopped", err=True)


@command.command(epilog="\b\nExample:\n  modelcontext playground build ~/public/playground")
@click.argument("out", type=options.NEW_FOLDER)
@options.pyodide
@options.text
def build(out: Path, pyodide: Path | None, by_text: bool) -> None:
    """Write the playground into the folder OUT; any static server can host this folder.

    The folder contains Python (from the npm package pyodide), the model, the text of each revision and the examples. If
    Node.js is installed, it also contains a snapshot of Python's memory, which makes the page start faster.
    """
    with exit_on_problems("the folder may be incomplete"):
        _build(out, pyodide)
    click.echo(f"wrote {out}")


def _build(out: Path, pyodide: Path | None) -> None:
    from modelcontext.people.playground.build import build_playground

    with Console(stderr=True).status("building the playground"):
        build_playground(project_root(), out, pyodide)
