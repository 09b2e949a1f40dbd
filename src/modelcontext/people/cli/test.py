"""``modelcontext test``: tests in the format of web-platform-tests."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from modelcontext.ground.words import counted
from modelcontext.judging.wpt.suite import SuiteInterrupted
from modelcontext.people.cli import command_of, options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import bar, print_json, results_console, write_reports
from modelcontext.people.cli.suites import plan_at
from modelcontext.people.reports.conformance import Conformance
from modelcontext.people.reports.html_report import as_html
from modelcontext.people.reports.junit import as_junit
from modelcontext.people.reports.tables import print_table
from modelcontext.people.reports.unexpected import unexpected_lines
from modelcontext.people.reports.wptreport import as_wptreport
from modelcontext.running.products import RUN_THE_TEXT, SIMULATED, named_products

if TYPE_CHECKING:
    from rich.console import Console

    from modelcontext.judging.wpt.expectations import KnownResult
    from modelcontext.judging.wpt.suite import SuiteRun


@verb(
    epilog="\b\nExample:\n  modelcontext test\n  modelcontext test webmcp/imperative/get-tools.https.html --json\n"
    "  modelcontext test --product chromium --product polyfill\n  modelcontext test --wpt ~/wpt webmcp/imperative\n"
    "  modelcontext test --product simulated --schedules 20 webmcp/imperative"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.products("chromium", among=lambda: named_products(tested=True), configured=True)
@options.wpt
@click.option("--all", "every", is_flag=True, help="Print every known deviation, and every unexpected result.")
@options.as_json
@options.compare
@click.option("--html", type=options.NEW_FILE, metavar="FILE", help="Write the results as one self-contained web page.")
@click.option("--junit", type=options.NEW_FILE, metavar="FILE", help="Write JUnit XML.")
@click.option("--wptreport", type=options.NEW_FILE, metavar="FILE", help="Write wptreport.json, as wptrunner does.")
@click.option("--repeat", type=click.IntRange(1), default=1, metavar="N", help="Run all tests N times.")
@options.workers_of_tests
@options.shard
@click.option(
    "--expectations",
    type=options.FILE,
    help="The file of known results.  [default: wpt_tests/expectations/wpt-PRODUCT.toml; none with --wpt or --inject]",
)
@click.option(
    "--schedules",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="With product simulated: also run all tests under N sampled schedules.",
)
@click.option(
    "--seed", type=click.IntRange(1), metavar="K", help="With product simulated: run under this sampled schedule only."
)
@options.text
def command(
    paths: tuple[str, ...],
    chosen: options.Chosen,
    wpt: Path | None,
    every: bool,
    as_json: bool,
    compare: Path | None,
    html: Path | None,
    junit: Path | None,
    wptreport: Path | None,
    repeat: int,
    workers: int | None,
    shard: tuple[int, int],
    expectations: Path | None,
    schedules: int,
    seed: int | None,
    by_text: bool,
) -> None:
    """Run tests in the format of web-platform-tests.

    Each PATH is a file or folder, relative to the working directory, or to wpt_tests (with --wpt, to DIR). Your own tests
    can be in any folder. The command serves them from the working directory, with testharness.js. The known deviations do
    not apply to your own tests. Without a PATH, all tests of the product's revision run. --wpt runs the tests of another
    checkout of web-platform-tests. If you give a PATH, the command also lists the known deviations.

    After an interrupt the command prints and writes the results so far, and the other tests are NOTRUN.

    Exit code 0: every result is as expected; 1: a result is unexpected; 2: a product is missing, or the tests could
    not be run; 130: interrupted.
    """
    if (schedules or seed) and chosen.products != (SIMULATED,):
        option = "--schedules" if schedules else "--seed"
        raise click.UsageError(
            f"{option} is only for product {SIMULATED}: you cannot choose a schedule on the other products."
        )
    if schedules and seed:
        raise click.UsageError("--seed runs one schedule, and --schedules runs many: give only one of the two.")
    if by_text and not {*chosen.products} <= {*RUN_THE_TEXT}:
        raise click.UsageError(
            f"--text is for {' and '.join(RUN_THE_TEXT)}: the other products do not run a text of the specification."
        )
    if wptreport is not None and len(chosen.products) > 1:
        raise click.UsageError("A wptreport.json describes one product: name one with --product.")
    interruption = Interruption()
    with exit_on_problems():
        old = command_of("modelcontext-builds", "compare.old")(compare) if compare is not None else None
        plans = [
            plan_at(chosen.target(name), paths, wpt, expectations, shard, is_known=not by_text)
            for name in chosen.products
        ]
        runs: list[SuiteRun] = []
        with interruption.kept(), bar() as progress:
            for plan in plans:
                try:
                    runs.append(plan.run(progress, repeat=repeat, workers=workers, sampled=schedules, seed=seed))
                except SuiteInterrupted as stop:
                    runs.append(stop.run)
                    raise
        missing = _missing(runs, [plan.target.name for plan in plans]) if interruption.happened else None
        problems = write_reports(
            {
                wptreport: lambda: as_wptreport(*runs),
                junit: lambda: as_junit(runs),
                html: lambda: as_html(Conformance([run.target.name for run in runs], [], runs, missing=missing)),
            }
        )
        data: dict[str, Any] = {"interrupted": interruption.happened, "products": list(map(_as_data, runs))}
        comparison = old.compared(data) if old is not None else None
        if as_json:
            print_json(data | ({"compared": comparison.to_data()} if comparison is not None else {}))
        else:
            for run in runs:
                _print(results_console(), run, is_listed=bool(paths) or every, every=every)
            for line in comparison.lines(every=every) if comparison is not None else ():
                click.echo(line)
        for run in runs:
            if run.unavailable is not None:
                click.echo(
                    f"modelcontext: {run.target.name} is NOTRUN: {run.unavailable.reason}\n"
                    f"  what to do: {run.unavailable.remedy}",
                    err=True,
                )
        for problem in problems:
            raise problem
    interruption.end(f"{missing}; the command shows the results so far, and writes them to the files that you named")
    if any(run.unavailable is not None for run in runs):
        sys.exit(USAGE)
    sys.exit(FOUND if any(run.findings for run in runs) else 0)


def _missing(runs: Sequence[SuiteRun], products: Sequence[str]) -> str:
    """Return what an interrupt has left out."""
    left = [f"{run.not_run} of {counted(len(run.rounds[-1]), 'file')} on {run.target.name}" for run in runs]
    left += [f"every file on {name}" for name in products[len(runs) :]]
    return f"NOTRUN: {', '.join(left)}"


def _as_data(run: SuiteRun) -> dict[str, Any]:
    return {
        "product": run.target.name,
        "version": run.version,
        "results": [result.to_data() for results in run.rounds for result in results],
        "findings": [{"test": one.test, "subtest": one.subtest, "finding": one.text} for one in run.findings],
        "known": [
            {
                "test": test,
                "subtest": subtest,
                "status": one.status,
                "reason": one.reason,
                "step": one.step,
                "note": one.note,
            }
            for (test, subtest), one in _known(run)
        ],
    }


def _known(run: SuiteRun) -> Sequence[tuple[tuple[str, str | None], KnownResult]]:
    """Return the known deviations of the last round."""
    shown = {(one.test, name): status for one in run.rounds[-1] for name, status in one.statuses().items()}
    return [
        (where, run.known[where])
        for where, status in shown.items()
        if where in run.known and run.known[where].status == status
    ]


def _print(console: Console, run: SuiteRun, *, is_listed: bool, every: bool) -> None:
    title = f"{run.target.name} {run.version or 'is NOTRUN'}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("test", "file", "subtests"):
        table.add_column(heading, justify="right" if heading == "subtests" else "left", no_wrap=heading != "test")
    last = run.rounds[-1]
    unexpected = {finding.test for finding in run.findings}
    for result in last:
        style = "red" if result.test in unexpected else None
        table.add_row(result.test, result.status, f"{result.passed()}/{len(result.subtests)}", style=style)
    print_table(table, console)
    known = _known(run)
    for (test, subtest), one in known if is_listed else ():
        what = test if subtest is None else f'{test}: "{subtest}"'
        console.print(f"known {one.status} {what} {one.words}", markup=False, highlight=False, soft_wrap=True)
    for line in unexpected_lines(run.findings, "UNEXPECTED", every=every):
        console.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
    counts = Counter(subtest.status for result in last for subtest in result.subtests)
    console.print(
        f"{counted(len(last), 'file')}, {counted(counts.total(), 'subtest')}: "
        + (", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "none")
        + f"; {counted(len(known), 'known deviation')}, {len(run.findings):,} unexpected"
        + (f"; {len(run.rounds)} runs" if len(run.rounds) > 1 else ""),
        highlight=False,
        soft_wrap=True,
    )
