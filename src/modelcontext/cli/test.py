"""``modelcontext test``: tests in the format of web-platform-tests."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from modelcontext.checkout import project_root
from modelcontext.cli import mutations as trial
from modelcontext.cli import options
from modelcontext.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.cli.output import bar, print_json, results_console
from modelcontext.cli.suites import SuitePlan, expectations_file, plan_suite
from modelcontext.files import write_whole
from modelcontext.products import SIMULATED, TESTED
from modelcontext.reports.conformance import Conformance
from modelcontext.reports.html_report import as_html
from modelcontext.reports.junit import as_junit
from modelcontext.reports.wptreport import as_wptreport
from modelcontext.wpt.tree import checkout_tree, foreign_tree

if TYPE_CHECKING:
    from rich.console import Console

    from modelcontext.products import Target
    from modelcontext.wpt.suite import SuiteRun


@click.command(
    epilog="\b\nExample:\n  modelcontext test\n  modelcontext test webmcp/imperative/get-tools.https.html --json\n"
    "  modelcontext test --product chromium --product polyfill\n  modelcontext test --wpt ~/wpt webmcp/imperative\n"
    "  modelcontext test --product simulated --schedules 20 webmcp/imperative\n"
    "  modelcontext test --mutation find-a-tool-to-execute/"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.products("chromium", among=TESTED)
@click.option(
    "--wpt",
    type=options.FOLDER,
    metavar="DIR",
    help="Run the tests of this checkout of web-platform-tests, with its own resources.",
)
@click.option("--repeat", type=click.IntRange(1), default=1, metavar="N", help="Run all tests N times.")
@click.option(
    "--schedules",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="With product simulated: run all tests under N sampled schedules as well.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="The number of tests that run at a time.  [default: one more than there are processors]",
)
@options.shard
@click.option(
    "--expectations",
    type=options.FILE,
    help="The file of known results.  [default: wpt_tests/expectations/wpt-PRODUCT.toml; none with --wpt or --inject]",
)
@click.option("--wptreport", type=options.NEW_FILE, metavar="FILE", help="Write wptreport.json, as wptrunner does.")
@click.option("--junit", type=options.NEW_FILE, metavar="FILE", help="Write JUnit XML.")
@click.option("--html", type=options.NEW_FILE, metavar="FILE", help="Write the results as one self-contained web page.")
@trial.options
@options.as_json
def command(
    paths: tuple[str, ...],
    chosen: options.Chosen,
    wpt: Path | None,
    repeat: int,
    schedules: int,
    workers: int | None,
    shard: tuple[int, int],
    expectations: Path | None,
    wptreport: Path | None,
    junit: Path | None,
    html: Path | None,
    mutations: bool,
    chosen_mutations: tuple[str, ...],
    every_file: bool,
    as_json: bool,
) -> None:
    """Run tests in the format of web-platform-tests.

    Each PATH is a file or folder, relative to the working directory, or to wpt_tests (with --wpt, to DIR). Without one,
    all tests of the revision that the product implements run. --wpt runs those of another checkout, for example
    an upstream one.

    Exit code 0: every result is the expected one; 1: a result is unexpected; 2: a product is missing, or the tests could
    not be run.

    With --mutations the tests are on trial instead of the product: each mutation breaks one rule of the API in Chromium,
    and a subtest has to notice it. Exit code 0: every mutation is noticed; 1: one survives.
    """
    if schedules and chosen.products != (SIMULATED,):
        raise click.UsageError(f"--schedules is for product {SIMULATED} alone: only there a schedule can be chosen.")
    asked = trial.chosen(mutations, chosen_mutations, every_file=every_file)
    if asked is not None and (
        set(chosen.products) != {"chromium"} or repeat > 1 or chosen.inject or wptreport or junit or html
    ):
        raise click.UsageError(
            "Mutations change Chromium's API; --repeat, --inject, --wptreport, --junit and --html do not go with them."
        )
    if wptreport is not None and len(chosen.products) > 1:
        raise click.UsageError("A wptreport.json is about one product: name one with --product.")
    with exit_on_problems():
        targets = [chosen.target(name) for name in chosen.products]
        plans = [_plan(target, paths, wpt, expectations, shard) for target in targets]
        if asked is not None:
            [plan] = plans
            sys.exit(trial.hold(asked, plan, workers=workers, every_file=every_file, as_json=as_json))
        with bar() as progress:
            runs = [plan.run(progress, repeat=repeat, workers=workers, sampled=schedules) for plan in plans]
        if as_json:
            print_json({"products": [_as_data(run) for run in runs]})
        else:
            for run in runs:
                _print(results_console(), run)
        for run in runs:
            if run.unavailable is not None:
                click.echo(
                    f"modelcontext: {run.target.name} is NOTRUN: {run.unavailable.reason}\n"
                    f"  what to do: {run.unavailable.remedy}",
                    err=True,
                )
        if wptreport is not None:
            write_whole(wptreport, as_wptreport(*runs))
        if junit is not None:
            write_whole(junit, as_junit(runs))
        if html is not None:
            write_whole(html, as_html(Conformance([run.target.name for run in runs], [], runs)))
    if any(run.unavailable is not None for run in runs):
        sys.exit(USAGE)
    sys.exit(1 if any(run.findings for run in runs) else 0)


def _plan(
    target: Target, paths: Sequence[str], wpt: Path | None, expectations: Path | None, shard: tuple[int, int]
) -> SuitePlan:
    if wpt is not None:
        return plan_suite(target, foreign_tree(wpt), expectations, paths, shard)
    root = project_root()
    tree = checkout_tree(root, target.revision)
    return plan_suite(target, tree, expectations or expectations_file(root, target), paths, shard)


def _as_data(run: SuiteRun) -> dict[str, Any]:
    return {
        "product": run.target.name,
        "version": run.version,
        "results": [result.to_data() for results in run.rounds for result in results],
        "findings": [{"test": one.test, "subtest": one.subtest, "finding": one.text} for one in run.findings],
    }


def _print(console: Console, run: SuiteRun) -> None:
    title = f"{run.target.name} {run.version or 'is NOTRUN'}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in ("test", "file", "subtests"):
        table.add_column(heading, justify="right" if heading == "subtests" else "left", no_wrap=heading != "test")
    last = run.rounds[-1]
    unexpected = {finding.test for finding in run.findings}
    for result in last:
        style = "red" if result.test in unexpected else None
        table.add_row(result.test, result.status, f"{result.passed()}/{len(result.subtests)}", style=style)
    console.print(table)
    for finding in run.findings:
        console.print(f"UNEXPECTED {finding}", style="red", markup=False, highlight=False, soft_wrap=True)
    counts = Counter(subtest.status for result in last for subtest in result.subtests)
    expected = sum((result.test, name) in run.known for result in last for name in result.statuses())
    console.print(
        f"{len(last)} files, {counts.total()} subtests: "
        + (", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "none")
        + f"; {expected} known deviations, {len(run.findings)} unexpected"
        + (f"; {len(run.rounds)} runs" if len(run.rounds) > 1 else ""),
        highlight=False,
        soft_wrap=True,
    )
