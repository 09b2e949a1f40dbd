"""``modelcontext conformance``: the whole corpus on every product."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from modelcontext.cli import options
from modelcontext.cli.problems import exit_on_problems
from modelcontext.harness import report as reporting
from modelcontext.harness.corpus import PROGRAMS, Case, find_checkout, read_corpus
from modelcontext.harness.expectations import Expectation, load_expectations
from modelcontext.harness.files import write_whole
from modelcontext.harness.matrix import print_matrix, print_summary
from modelcontext.harness.run import Report, Row, run_corpus
from modelcontext.products import Product, make_product
from modelcontext.program.language import ProgramError
from modelcontext.specification import load_algorithms


@click.command(epilog="\b\nExample:\n  modelcontext conformance\n  modelcontext conformance --product chromium --json")
@options.product
@options.binary
@options.port
@options.as_json
@click.option(
    "--programs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help=f"The folder of the corpus.  [default: {PROGRAMS} of the checkout]",
)
@click.option(
    "--expectations",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with the known disagreements.  [default: expectations, beside the corpus]",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for report.html and conformance.json.  [default: build in the checkout]",
)
def command(
    products: tuple[str, ...],
    binary: str | None,
    port: int,
    as_json: bool,
    programs: Path | None,
    expectations: Path | None,
    output: Path | None,
) -> None:
    """Run every program of the corpus on every product and hold each outcome against the allowed ones.

    Prints the matrix and one line per disagreement; writes report.html and conformance.json. Exit code 0 if the run was
    sound and every disagreement was a known one, 1 for a new, changed or vanished disagreement, 2 if a product was
    missing or a run could not be judged.
    """
    with exit_on_problems("the report was not written"):
        checkout = find_checkout()
        if programs is None:
            if checkout is None:
                raise ProgramError(str(PROGRAMS), "", "there is no such folder here; name one with --programs")
            programs = checkout / PROGRAMS
        cases = read_corpus(programs)
        folder = expectations or programs.parent / "expectations"
        steps = {
            f"{algorithm.id} {step.number}"
            for revision in {case.program.revision for case in cases}
            for algorithm in load_algorithms(revision)
            for step in algorithm.steps
        }
        known = {name: load_expectations(folder / f"{name}.toml", steps) for name in products}
        output = output or (checkout or Path.cwd()) / "build"
        running = [make_product(name, binary=binary, port=port) for name in products]
        report = _run(cases, running, known)
        write_whole(output / "report.html", reporting.as_html(report))
        write_whole(output / "conformance.json", reporting.as_json(report))
        if as_json:
            click.echo(reporting.as_json(report), nl=False)
        else:
            console = Console()
            print_matrix(report, console)
            print_summary(report, console)
            console.print(f"report: {output / 'report.html'}", soft_wrap=True, highlight=False)
    sys.exit(report.exit_code)


def _run(cases: list[Case], products: list[Product], known: dict[str, Mapping[str, Expectation]]) -> Report:
    # Progress belongs to standard error, so that --json and pipes get the result only.
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("programs", total=len(cases))

        def advance(row: Row) -> None:
            progress.update(task, advance=1, description=row.case.section or "programs")

        return run_corpus(cases, products, known, advance)
