"""``modelcontext page``: the model as the API of a real page."""

from __future__ import annotations

import json
from pathlib import Path

import click

from modelcontext.cli import options
from modelcontext.cli.exit_codes import exit_on_problems
from modelcontext.products import page
from modelcontext.revisions.registry import CURRENT, FILES, REVISIONS


@click.group(epilog="\b\nExample:\n  modelcontext page build build/site")
def command() -> None:
    """The algorithms as the API of a real page, by way of Python in the page (Pyodide)."""


@command.command(epilog="\b\nExample:\n  modelcontext page build build/site\n  python -m http.server -d build/site")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--revision",
    type=click.Choice(list(FILES)),
    default=CURRENT.name,
    show_default=True,
    help="The revision of the specification.",
)
@options.as_json
def build(out: Path, revision: str, as_json: bool) -> None:
    """Write everything that a page needs into the folder OUT, which any static server can host.

    bootstrap.html starts Python. A window that it opens, of the same origin, finds the API when init.js is its first script.
    Documents of other origins need nothing more, except in the revision 2026-03: there the first window has to have a frame
    with the bootstrap.html of each of these origins.
    Exit code 0, or 2 if something is missing: Pyodide comes from npm.
    """
    with exit_on_problems("the folder may be incomplete"):
        page.build(out, REVISIONS[revision])
    files = sorted(path for path in out.rglob("*") if path.is_file())
    size = sum(path.stat().st_size for path in files)
    if as_json:
        names = [path.relative_to(out).as_posix() for path in files]
        click.echo(json.dumps({"out": str(out), "files": names, "bytes": size}))
    else:
        click.echo(f"{out}: {len(files)} files, {size / 1e6:.1f} MB")
