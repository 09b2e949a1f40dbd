"""``modelcontext page``: the model as the API of a real page."""

from __future__ import annotations

from pathlib import Path

import click

from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import exit_on_problems
from modelcontext.people.cli.groups import verbs
from modelcontext.people.cli.output import print_json
from modelcontext.running.products import page
from modelcontext.spec.revisions.registry import REVISIONS


@verbs(epilog="\b\nExample:\n  modelcontext page build build/site")
def command() -> None:
    """Make the model the API of a real page: Python runs in the page (Pyodide)."""


@command.command(epilog="\b\nExample:\n  modelcontext page build build/site\n  python -m http.server -d build/site")
@click.argument("out", type=options.NEW_FOLDER)
@options.one_revision
@options.pyodide
@options.as_json
@options.text
def build(out: Path, revision: str, pyodide: Path | None, as_json: bool, by_text: bool) -> None:
    """Write a folder OUT with all files that a page needs; any static server can host this folder.

    bootstrap.html starts Python. If bootstrap.html opens a window of the same origin whose first script is init.js, this
    window has the API. Documents of other origins need no setup, except in the revision 2026-03: there the first window
    needs a frame with the bootstrap.html of each of these origins.

    Exit code 0: done; 2: a package is missing (Pyodide comes from npm).
    """
    with exit_on_problems("the folder may be incomplete"):
        page.build(out, REVISIONS[revision], pyodide)
    files = sorted(path for path in out.rglob("*") if path.is_file())
    size = sum(path.stat().st_size for path in files)
    if as_json:
        names = [path.relative_to(out).as_posix() for path in files]
        print_json({"out": str(out), "files": names, "bytes": size})
    else:
        click.echo(f"{out}: {counted(len(files), 'file')}, {size / 1e6:.1f} MB")
