"""``modelcontext site``: the specification and all that is known about it, as a folder of pages."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from modelcontext.ground.checkout import CARRIED
from modelcontext.ground.problems import UnavailableError
from modelcontext.ground.words import counted
from modelcontext.judging.coverage import ReachError, read_recorded
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext.spec.revisions.registry import CURRENT


@verb(
    epilog="\b\nExample:\n  modelcontext site build/site\n  modelcontext site build/site --recorded build/reached.json"
)
@click.argument("out", metavar="DIR", type=options.NEW_FOLDER)
@click.option(
    "--recorded",
    multiple=True,
    type=options.NEW_FILE,
    help="A file of `python -m tools.lab reach`, with the steps that the suite reaches; may be given several times.",
)
@click.option(
    "--without-python",
    is_flag=True,
    help="Leave out the pages that run Python: the playground, and a page for each proposal.",
)
@options.pyodide
@options.as_json
@options.root
def command(
    out: Path, recorded: tuple[Path, ...], without_python: bool, pyodide: Path | None, as_json: bool, root: Path
) -> None:
    """Write the specification as a site into the folder DIR: each step with its tests, programs, deviations and Issues.

    The pages work from a file system, without a server. They have the text, the builds of browsers, the
    deviations, the Issues, the litmus tests with pictures of schedules, the clients, the proposals and the docs. The pages
    that run Python need a server: `python3 -m http.server -d DIR` suffices.

    Exit code 0: done, and no link is broken; 1: a link is broken; 2: wrong usage, or something is missing.
    """
    with exit_on_problems("the folder may be incomplete", codes={ReachError: USAGE}):
        if root == CARRIED:
            raise UnavailableError(
                "the docs are in a checkout of this project, but this folder is not in a checkout",
                "change to a checkout",
            )
        from modelcontext_site.building import read_knowledge, write_site
        from modelcontext_site.links import broken_links
        from modelcontext_site.playable import PLAY, PLAYGROUND, write_playable

        in_pages = [one for path in recorded for one in read_recorded(path, CURRENT.name)]
        with Console(stderr=True).status("making the site") as status:
            counts: dict[str, int] = {}

            def progress(part: str) -> None:
                counts[part] = counts.get(part, 0) + 1
                status.update(f"{part}: {counts[part]}")

            for part in () if without_python else write_playable(root, out, pyodide):
                status.update(f"packing Python: {part}")
            knowledge = read_knowledge(root, in_pages, progress)
            pages = write_site(root, out, knowledge, progress, has_python=not without_python)
            status.update("checking the links")
            broken = list(broken_links(out, (PLAYGROUND, PLAY)))
    if as_json:
        print_json({"out": str(out), "pages": len(pages), "broken": [vars(one) for one in broken]})
    else:
        for one in broken:
            click.echo(str(one))
        click.echo(f"{out / 'index.html'}: {counted(len(pages), 'page')}, {counted(len(broken), 'broken link')}")
    sys.exit(FOUND if broken else 0)
