"""``modelcontext spec coverage``: the steps of the specification that the tests reach."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from modelcontext.ground.checkout import path_in, require_checkout
from modelcontext.ground.files import write_whole
from modelcontext.judging.conformance.explored import Explorations
from modelcontext.judging.coverage import (
    Coverage,
    Reach,
    ReachError,
    measured,
    programs_of,
    read_reasons,
    read_recorded,
)
from modelcontext.judging.coverage.floors import check_floors, low_floors, raise_floors, read_floors
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar, print_json, results_console
from modelcontext.people.reports.tables import print_table
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import FILES, REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.coverage import Tally


@verb(
    epilog="\b\nExamples:\n  modelcontext spec coverage\n  modelcontext spec coverage --html build/coverage.html"
    "\n  modelcontext spec coverage --recorded build/reached.json --check"
)
@options.one_revision
@click.option(
    "--recorded",
    multiple=True,
    type=options.NEW_FILE,
    help="A file of `python -m tools.lab reach`, with the steps that the suite reaches; may be given several times.",
)
@click.option("--html", type=options.NEW_FILE, help="Write the text as HTML, and mark each step.")
@options.as_json
@click.option(
    "--check",
    is_flag=True,
    help="Exit code 1 if no test reaches a step that a program can reach, or if a number is below its floor.",
)
@click.option(
    "--raise", "raise_", is_flag=True, help="Raise the committed floors (minimum numbers) to the current numbers."
)
@options.root
def coverage(
    revision: str,
    recorded: tuple[Path, ...],
    html: Path | None,
    as_json: bool,
    check: bool,
    raise_: bool,
    root: Path,
) -> None:
    """Show which steps of the specification, and which sides of their conditions, the tests reach.

    Programs and litmus tests run in the model, each under every schedule. The tests in the format of
    web-platform-tests run in Chromium, on the same algorithms in a page; --recorded counts the steps that they reached.

    spec/REVISION/unreachable.toml lists the steps that no program can reach, with the reasons. spec/REVISION/coverage.toml
    has the floors: the numbers that each kind of tests must reach.

    Exit code 0: done; 1: --check has problems; 2: wrong usage, or a file cannot be read.
    """
    with exit_on_problems(codes={ReachError: USAGE}):
        if raise_:
            require_checkout(root, "--raise")
        # Measuring takes long: what writing needs is asked for before.
        write = _writer() if html is not None else None
        files = FILES[revision]
        found = inventory(REVISIONS[revision].package)
        reasons = read_reasons(root, files, found)
        in_pages = [one for path in recorded for one in read_recorded(path, revision)]
        reached = [*_measured(root, revision), *in_pages]
        result = Coverage(revision, found, reasons, reached)
        if write is not None and html is not None:
            write(result, root, html)
        path = root / files.floors
        changed = raise_floors(result, path) if raise_ else False
        floors = read_floors(path)
        problems = _problems(result, floors) if check else []
    if as_json:
        print_json({**result.to_data(), "problems": problems})
    else:
        _print(result)
        for problem in problems:
            click.echo(problem)
    if html is not None:
        click.echo(f"wrote {html}", err=True)
    if check and (low := low_floors(result, floors)):
        click.echo(f"{' and '.join(low)} reach more than their floors: --raise raises the floors", err=True)
    if changed:
        click.echo(f"wrote {path.relative_to(root)}", err=True)
    sys.exit(FOUND if problems else 0)


def _measured(root: Path, revision: str) -> Iterator[Reach]:
    programs = list(programs_of(root, revision))
    with one_bar("running in the model", len(programs)) as advance:
        for one in measured(programs, Explorations(root)):
            yield one
            advance(1)


def _problems(result: Coverage, floors: dict[str, dict[str, int]]) -> list[str]:
    return [
        *(
            f"not reached: {key}; write a program that reaches it, or say in unreachable.toml why no program can"
            for key in result.missed()
        ),
        *(
            f"reached: {key}; unreachable.toml says that no program can reach it"
            for key in result.reached_against_reason()
        ),
        *check_floors(result, floors),
    ]


def _print(result: Coverage) -> None:
    table = Table(title=f"Revision {result.revision}: steps and sides of conditions reached", title_justify="left")
    table.add_column("algorithm", overflow="fold")
    for kind in (*result.kinds, "all"):
        table.add_column(kind, justify="right")
    for algorithm in (*dict.fromkeys(step.algorithm for step in result.inventory.steps), None):
        if algorithm is None:
            table.add_section()
        tallies = [result.tally(kind, algorithm) for kind in (*result.kinds, None)]
        table.add_row(algorithm or "all", *map(_cell, tallies))
    console = results_console()
    print_table(table, console)
    for key in result.missed():
        console.print(f"not reached: {key}", highlight=False)
    excused = [key for key in map(str, result.inventory.steps) if key in result.reasons]
    console.print(
        f"{len(excused)} steps cannot be reached by any program; unreachable.toml has the reasons.", highlight=False
    )


def _cell(tally: Tally) -> str:
    return f"{tally.steps}/{tally.of_steps}  {tally.sides}/{tally.of_sides}" if tally.of_steps else "-"


def _writer() -> Callable[[Coverage, Path, Path], None]:
    """Return what writes the built text with marked steps. Raises :class:`ModuleNotFoundError` without lxml."""
    from modelcontext.judging.coverage.overlay import overlay
    from modelcontext.spec.specification.text.bikeshed import build

    def write(result: Coverage, root: Path, path: Path) -> None:
        files = FILES[result.revision]
        write_whole(path, overlay(result, build(root / files.text, path_in(root, files.cache))))

    return write
