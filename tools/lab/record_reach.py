"""``python -m tools.lab reach``: the steps of the specification that the tests in the format of web-platform-tests reach."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import exit_on_problems
from modelcontext.people.cli.output import one_bar
from modelcontext.running.products.registry import SIMULATED, make_target
from tools.lab.page_reach import record_suite
from tools.lab.simulated_reach import record_simulated

if TYPE_CHECKING:
    from modelcontext.judging.coverage import Reach


@click.command(
    epilog="\b\nExamples:\n  python -m tools.lab reach --output build/reached.json"
    "\n  python -m tools.lab reach --product simulated --output build/reached.json webmcp/imperative"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--product",
    type=click.Choice(["page", SIMULATED]),
    default="page",
    show_default=True,
    help="Where the tests run: in a page of Chromium, or in the simulated browser, which is faster and lacks some parts.",
)
@options.one_revision
@click.option("--output", type=options.NEW_FILE, required=True, help="The file to write.")
def reach(paths: tuple[str, ...], product: str, revision: str, output: Path) -> None:
    """Run the suite, or each test at a PATH, and write the steps and sides of conditions that each test reaches.

    `modelcontext spec coverage --recorded FILE` counts what is written, and `modelcontext spec impact` reads it.

    Exit code 0: done; 2: something is missing on this machine, or a test does not exist; 130: interrupted.
    """
    if product == SIMULATED and revision != (simulated := make_target(SIMULATED).revision):
        raise click.UsageError(f"the simulated browser runs the suite of the revision {simulated} only")
    root = project_root()
    with exit_on_problems(), one_bar("running tests", None) as advance:
        if product == SIMULATED:
            reached = record_simulated(root, paths, finished=lambda result: advance(1))
        else:
            reached = record_suite(root, revision, paths, finished=lambda result: advance(1))
        write_recorded(output, revision, reached)
    click.echo(f"wrote {output}: {counted(len(reached), 'test')}", err=True)


def write_recorded(path: Path, revision: str, reached: Sequence[Reach]) -> None:
    """Write the reach of tests in the form that :func:`modelcontext.judging.coverage.read_recorded` reads.

    Raises:
        WriteError: if the file cannot be written.
    """
    content = {"revision": revision, "tests": {test.name: sorted(test.keys) for test in reached}}
    write_whole(path, json.dumps(content, indent=1) + "\n")
