"""``modelcontext conformance``: every program and every test, on every product."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from modelcontext.checkout import PROGRAMS, path_in, project_root
from modelcontext.cli import options
from modelcontext.cli.exit_codes import exit_on_problems
from modelcontext.cli.progress import bar
from modelcontext.conformance.corpus import CORPORA, Case, read_corpus
from modelcontext.conformance.expectations import load_expectations, vocabulary
from modelcontext.conformance.run import CorpusReport, Row, run_corpus
from modelcontext.files import write_whole
from modelcontext.problems import UnavailableError
from modelcontext.products import BROWSERS, COMPARED, make_product
from modelcontext.program.language import ProgramError
from modelcontext.reports import html_report, json_report
from modelcontext.reports.conformance import Conformance
from modelcontext.reports.terminal import print_matrix, print_summary
from modelcontext.wpt.discovery import find_tests
from modelcontext.wpt.expectations import find_strays
from modelcontext.wpt.suite import SUITES, SuiteRun, known_results, not_run, run_suite
from modelcontext.wpt.tree import Tree, checkout_tree

if TYPE_CHECKING:
    from rich.progress import TaskID

    from modelcontext.wpt.results import Result

#: How wide the matrix is where there is no terminal, in characters.
PIPED = 140


@click.command(epilog="\b\nExample:\n  modelcontext conformance\n  modelcontext conformance --product chromium --json")
@options.products(*COMPARED)
@options.port
@options.as_json
@click.option("--all", "every", is_flag=True, help="Print every row, and everything that is known to deviate.")
@click.option(
    "--programs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help=f"Run only the programs of this folder, and no tests.  [default: {' and '.join(map(str, CORPORA))}, and the tests]",
)
@click.option(
    "--expectations",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with the known disagreements of these programs.  [default: expectations, beside them]",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for report.html and conformance.json.  [default: build, in the checkout if there is one]",
)
def command(
    chosen: options.Chosen,
    port: int,
    as_json: bool,
    every: bool,
    programs: Path | None,
    expectations: Path | None,
    output: Path | None,
) -> None:
    """Run every program and every test on every product of its revision.

    The outcomes of programs are held against those that the specification allows, the results of tests against those
    that they assert. Prints the matrix, and writes report.html and conformance.json. Exit code 0 if the run was sound and
    every deviation was a known one, 1 for a new, changed or vanished deviation, 2 if a product was missing or a run could
    not be judged.

    With --inject nothing is known of the browsers, unless --expectations says so.
    """
    if expectations is not None and programs is None:
        raise click.UsageError("--expectations is about the folder that --programs names.")
    products = chosen.products
    with exit_on_problems("the report was not written"):
        root = project_root()
        if programs is not None:
            corpora = {programs: read_corpus(programs)}
            products = _taking_part(programs, corpora[programs], chosen)
        else:
            folders = [root / folder for folder in CORPORA]
            corpora = {folder: read_corpus(folder) for folder in folders if folder.is_dir()}
        reports = [
            _run_programs(folder, cases, expectations, products, chosen, port) for folder, cases in corpora.items()
        ]
        runs = [] if programs is not None else _run_tests(root, chosen)
        conformance = Conformance(products, reports, runs)
        if as_json:
            click.echo(json_report.as_json(conformance), nl=False)
        else:
            console = Console()
            if not console.is_terminal and "COLUMNS" not in os.environ:
                console.width = PIPED
            print_matrix(conformance, console, every=every)
            print_summary(conformance, console, every=every)
        output = output or path_in(root, Path("build"))
        write_whole(output / "report.html", html_report.as_html(conformance))
        write_whole(output / "conformance.json", json_report.as_json(conformance))
        if not as_json:
            click.echo(f"report: {output / 'report.html'}")
    sys.exit(conformance.exit_code)


def _taking_part(folder: Path, cases: Sequence[Case], chosen: options.Chosen) -> tuple[str, ...]:
    """The products for which there are programs; those that were named have to be among them."""
    revisions = {case.program.revision for case in cases}
    idle = [name for name in chosen.products if not any(map(make_product(name).implements, revisions))]
    if idle and chosen.named:
        raise ProgramError(str(folder), "", f"there is no program here of the revision that {idle[0]} implements")
    return tuple(name for name in chosen.products if name not in idle)


def _run_programs(
    folder: Path,
    cases: Sequence[Case],
    expectations: Path | None,
    products: Sequence[str],
    chosen: options.Chosen,
    port: int,
) -> CorpusReport:
    is_known = expectations is not None or not chosen.inject
    if expectations is None:
        beside = folder.with_name(folder.name.replace("programs", "expectations"))
        expectations = beside if beside.is_dir() else folder.parent / "expectations"
    revisions = {case.program.revision for case in cases}
    running = [chosen.product(name, port) for name in products]
    taking_part = [one.name for one in running if any(map(one.implements, revisions))]
    known = {
        name: load_expectations(expectations / f"{name}.toml", vocabulary(name, *revisions))
        for name in taking_part
        if is_known
    }
    with bar() as progress:
        task = progress.add_task(folder.name, total=len(cases))

        def advance(row: Row) -> None:
            progress.update(task, advance=1, description=f"{folder.name} {row.case.section}")

        return run_corpus(cases, running, known, advance)


def _run_tests(root: Path, chosen: options.Chosen) -> list[SuiteRun]:
    tests_root = root / PROGRAMS.parent
    runs = []
    with bar() as progress:
        for name in chosen.products:
            if name not in BROWSERS:
                continue
            target = chosen.target(name)
            suite = SUITES[target.revision]
            if not (tests_root / suite).is_dir():
                continue
            tests = find_tests(tests_root, [suite])
            known = known_results(tests_root / "expectations" / f"wpt-{name}.toml", target) if not target.inject else {}
            task = progress.add_task(name, total=len(tests))

            def finished(result: Result, task: TaskID = task, name: str = name) -> None:
                progress.update(task, advance=1, description=escape(f"{name} {result.test}"))

            try:
                tree = checkout_tree(root, target.revision)
            except UnavailableError as error:
                runs.append(not_run(tests, Tree(tests_root, {}, {}), target, known, error))
                continue
            run = run_suite(tests, tree, target, known=known, finished=finished)
            strays = find_strays({test.path for test in tests}, known) if run.version is not None else []
            runs.append(replace(run, findings=[*run.findings, *strays]))
    return runs
