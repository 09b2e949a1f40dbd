"""``modelcontext conformance``: every program and every test, on every product; and clients in the model."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import click

from modelcontext.ground.checkout import PROGRAMS, path_in, project_root
from modelcontext.ground.files import check_writable_folder
from modelcontext.ground.problems import UnavailableError
from modelcontext.ground.words import counted
from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.survey import Survey, survey
from modelcontext.judging.conformance.corpus import CORPORA, Case, read_corpus
from modelcontext.judging.conformance.expectations import file_about, load_expectations, vocabulary
from modelcontext.judging.conformance.explored import Explorations
from modelcontext.judging.conformance.pools import local_pool
from modelcontext.judging.conformance.run import CorpusInterrupted, CorpusReport, Row, run_corpus
from modelcontext.judging.conformance.verdict import Verdicts
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.judging.wpt.suite import SuiteInterrupted, SuiteRun, not_run
from modelcontext.judging.wpt.tree import Tree, checkout_tree
from modelcontext.people.cli import command_of, options
from modelcontext.people.cli.exit_codes import Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import bar, one_bar, results_console, write_reports
from modelcontext.people.cli.suites import expectations_file, plan_suite
from modelcontext.people.reports import html_report, json_report
from modelcontext.people.reports.conformance import Conformance
from modelcontext.people.reports.terminal import print_matrix, print_summary
from modelcontext.programs.program.language import ProgramError
from modelcontext.running.products import COMPARED, RUN_THE_TEXT, Target, make_product, named_products
from modelcontext.spec.revisions.registry import CURRENT, FILES

#: The width of the matrix where there is no terminal, in characters.
PIPED = 140


@verb(epilog="\b\nExample:\n  modelcontext conformance\n  modelcontext conformance --product chromium --json")
@options.products(*COMPARED, configured=True)
@options.port
@options.as_json
@options.compare
@click.option("--all", "every", is_flag=True, help="Print every row, and every known deviation.")
@click.option(
    "--builds",
    is_flag=True,
    help="Run builds of browsers, and compare each build with the text that was current when the build was made.",
)
@click.option(
    "--programs",
    type=options.FOLDER,
    help=f"Run only the programs of this folder, and no tests.  [default: {' and '.join(map(str, CORPORA))}, and the tests]",
)
@click.option(
    "--expectations",
    type=options.FOLDER,
    help="The folder with the known deviations for --programs.  [default: the folder expectations next to the programs]",
)
@click.option(
    "--client",
    "clients",
    type=click.Choice(list(CLIENTS)),
    multiple=True,
    help="Check only this client of page tools; may be repeated.  [default: all; none with --product, --programs or --inject]",
)
@click.option(
    "--output",
    type=options.NEW_FOLDER,
    help="The folder for report.html and conformance.json.  [default: build, in the checkout if there is one]",
)
@options.text
def command(
    chosen: options.Chosen,
    port: int,
    as_json: bool,
    compare: Path | None,
    every: bool,
    builds: bool,
    programs: Path | None,
    expectations: Path | None,
    clients: tuple[str, ...],
    output: Path | None,
    by_text: bool,
) -> None:
    """Run all programs and all tests on the model and on every browser, and print the conformance matrix.

    A product conforms in a program if the specification allows the observed outcome. It conforms in a test if all
    assertions of the test hold. Each product runs the programs and tests of the revision that it implements. The command
    also checks clients of page tools in the model, as `modelcontext properties check` does. A property that a client
    breaks does not count as a deviation. The command also writes report.html, for people, and conformance.json, for
    machines.

    Without options, the command first explores all programs and litmus tests, and stores the outcomes in build/explored.
    Later runs of this command, `spec try` and `spec coverage` read them there.

    With --builds the products are the browsers of this machine and the builds that `modelcontext setup chromium --version N`
    has installed.

    Known deviations are in wpt_tests/expectations. With --inject or --text they do not apply, unless --expectations names
    a folder. With --text only the products page and simulated run tests, and the command checks no clients.

    Exit code 0: every deviation is known; 1: a deviation is new, has changed or no longer occurs; 2: a product is
    missing, or a run could not be judged.
    """
    if expectations is not None and programs is None:
        raise click.UsageError("--expectations is only for the programs of --programs: give both.")
    if clients and by_text:
        raise click.UsageError("`modelcontext properties check --text` checks clients: leave out --client.")
    if builds and (programs is not None or chosen.inject or chosen.binary or by_text):
        raise click.UsageError("--builds chooses the programs and texts: leave out options that choose others.")
    products = chosen.products
    interruption = Interruption()
    with exit_on_problems("the report was not written"):
        old = command_of("modelcontext-builds", "compare.old")(compare) if compare is not None else None
        root = project_root()
        output = output or path_in(root, Path("build"))
        check_writable_folder(output)
        if programs is not None:
            corpora = {programs: read_corpus(programs)}
            products = _taking_part(programs, corpora[programs], chosen)
        else:
            folders = [root / folder for folder in ((CURRENT.programs,) if by_text else CORPORA)]
            corpora = {folder: read_corpus(folder) for folder in folders if folder.is_dir()}
        if builds:
            products, corpora = command_of("modelcontext-builds", "conformance.builds")(corpora, chosen.named)
            chosen = replace(chosen, named=products)
        is_whole = programs is None and not chosen.named and not chosen.inject and not by_text
        reports: list[CorpusReport] = []
        runs: list[SuiteRun] = []
        checked = None
        explorations = Explorations(root)
        verdicts = Verdicts(explorations=explorations)
        with interruption.kept():
            try:
                if is_whole:
                    _explore(root, corpora.values(), explorations)
                for folder, cases in corpora.items():
                    found = _run_programs(
                        folder, cases, expectations, products, chosen, port, verdicts, by_text=by_text, builds=builds
                    )
                    reports.append(found)
                for target in _tested(root, chosen, by_text) if programs is None else ():
                    runs.append(_run_tests(root, target, by_text))  # noqa: PERF401 (an interrupt keeps the list)
            except CorpusInterrupted as stop:
                reports.append(stop.report)
                raise
            except SuiteInterrupted as stop:
                runs.append(stop.run)
                raise
            checked = _survey(clients or tuple(CLIENTS)) if clients or is_whole else None
        missing = None
        if interruption.happened:
            targets = [target.name for target in _tested(root, chosen, by_text)] if programs is None else []
            are_checked = bool(clients) or is_whole
            missing = _missing(list(map(len, corpora.values())), reports, runs, targets, are_checked=are_checked)
        conformance = Conformance(products, reports, runs, checked, missing)
        problems = write_reports(
            {
                output / "report.html": lambda: html_report.as_html(conformance),
                output / "conformance.json": lambda: json_report.as_json(conformance),
            }
        )
        comparison = old.compared(json_report.as_data(conformance)) if old is not None else None
        if as_json:
            more = {"compared": comparison.to_data()} if comparison is not None else {}
            click.echo(json_report.as_json(conformance, **more), nl=False)
        else:
            console = results_console()
            if not console.is_terminal and "COLUMNS" not in os.environ:
                console.width = PIPED
            print_matrix(conformance, console, every=every)
            print_summary(conformance, console, every=every)
            for line in comparison.lines(every=every) if comparison is not None else ():
                click.echo(line)
        for problem in problems:
            raise problem
        if not as_json:
            click.echo(f"report: {output / 'report.html'}")
    interruption.end(f"{missing}; the report has the results so far")
    sys.exit(conformance.exit_code)


def _taking_part(folder: Path, cases: Sequence[Case], chosen: options.Chosen) -> tuple[str, ...]:
    """Return the products that implement the revision of a program.

    Raises:
        ProgramError: if one that was named is not among them.
    """
    revisions = {case.program.revision for case in cases}
    idle = [name for name in chosen.products if not any(map(make_product(name).implements, revisions))]
    if idle and chosen.named:
        raise ProgramError(str(folder), "", f"this folder has no program for the revision that {idle[0]} implements")
    return tuple(name for name in chosen.products if name not in idle)


def _explore(root: Path, corpora: Iterable[Sequence[Case]], explorations: Explorations) -> None:
    programs = [case.program for cases in corpora for case in cases]
    if (catalogue := root / CATALOGUE).is_dir():
        programs += [litmus.program for litmus in read_catalogue(catalogue)]
    workers = os.cpu_count() or 1
    with local_pool(workers) as pool, one_bar("exploring", len(programs)) as advance:
        explorations.explore_all(programs, pool, workers, advance)


def _run_programs(
    folder: Path,
    cases: Sequence[Case],
    expectations: Path | None,
    products: Sequence[str],
    chosen: options.Chosen,
    port: int,
    verdicts: Verdicts,
    *,
    by_text: bool,
    builds: bool,
) -> CorpusReport:
    is_known = expectations is not None or not (chosen.inject or by_text)
    if expectations is None:
        beside = folder.with_name(folder.name.replace("programs", "expectations"))
        expectations = beside if beside.is_dir() else folder.parent / "expectations"
    revisions = {case.program.revision for case in cases}
    running = [chosen.product(name, port) for name in products]
    # Programs of other revisions, in their own file, run with builds only.
    kinds = ("", "others-") if builds else ("",)
    known = {
        one.name: {
            program: expectation
            for kind in kinds
            for program, expectation in load_expectations(
                file_about(expectations, one.name, kind), vocabulary(one.name, *revisions)
            ).items()
        }
        for one in running
        if is_known and any(map(one.implements, revisions))
    }
    with bar() as progress:
        task = progress.add_task(folder.name, total=len(cases))

        def advance(row: Row) -> None:
            progress.update(task, advance=1, description=f"{folder.name} {row.case.section}")

        return run_corpus(cases, running, known, advance, verdicts)


def _tested(root: Path, chosen: options.Chosen, by_text: bool) -> list[Target]:
    """Return the targets of which the checkout has tests; by another text only those that run it."""
    names = (name for name in chosen.products if name in (RUN_THE_TEXT if by_text else named_products(tested=True)))
    targets = [chosen.target(name) for name in names]
    return [target for target in targets if (root / FILES[target.revision].suite).is_dir()]


def _run_tests(root: Path, target: Target, by_text: bool) -> SuiteRun:
    known = expectations_file(root, target) if not by_text else None
    with bar() as progress:
        try:
            return plan_suite(target, checkout_tree(root, target.revision), known).run(progress)
        except UnavailableError as error:
            plan = plan_suite(target, Tree(root / PROGRAMS.parent, {}, {}), known)
            return not_run(plan.tests, plan.tree, target, plan.known, error)


def _missing(
    corpora: Sequence[int],
    reports: Sequence[CorpusReport],
    runs: Sequence[SuiteRun],
    products: Sequence[str],
    *,
    are_checked: bool,
) -> str:
    """Return what an interrupt has left out: programs, tests, and clients if they ``are_checked``."""
    programs = sum(report.left for report in reports) + sum(corpora[len(reports) :])
    left = [f"{programs} of {counted(sum(corpora), 'program')}"] if programs else []
    left += [
        f"{run.not_run} of {counted(len(run.rounds[-1]), 'test')} on {run.target.name}" for run in runs if run.not_run
    ]
    left += [f"all tests on {name}" for name in products[len(runs) :]]
    return f"NOTRUN: {', '.join([*left, *(['clients'] if are_checked else [])])}"


def _survey(clients: Sequence[str]) -> Survey:
    with local_pool(os.cpu_count() or 1) as pool, one_bar("clients", len(clients) * len(adversaries())) as advance:
        return survey(clients, pool=pool, advance=advance)
