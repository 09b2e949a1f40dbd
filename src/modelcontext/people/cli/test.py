"""``modelcontext test``: tests in the format of web-platform-tests."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.judging.wpt.tree import checkout_tree, foreign_tree, tree_around
from modelcontext.people.cli import mutations as mutating
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.people.cli.output import bar, print_json, results_console
from modelcontext.people.cli.suites import SuitePlan, expectations_file, plan_suite
from modelcontext.people.reports.conformance import Conformance
from modelcontext.people.reports.html_report import as_html
from modelcontext.people.reports.junit import as_junit
from modelcontext.people.reports.wptreport import as_wptreport
from modelcontext.running.products import SIMULATED, TESTED

if TYPE_CHECKING:
    from rich.console import Console

    from modelcontext.judging.wpt.expectations import KnownResult
    from modelcontext.judging.wpt.suite import SuiteRun
    from modelcontext.running.products import Target


@click.command(
    epilog="\b\nExample:\n  modelcontext test\n  modelcontext test webmcp/imperative/get-tools.https.html --json\n"
    "  modelcontext test --product chromium --product polyfill\n  modelcontext test --wpt ~/wpt webmcp/imperative\n"
    "  modelcontext test --product simulated --schedules 20 webmcp/imperative\n"
    "  modelcontext test --mutation find-a-tool-to-execute/\n  modelcontext test --audit --wpt ~/wpt webmcp --html audit.html"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.products("chromium", among=lambda: TESTED)
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
    metavar="N",
    help="With product simulated: run all tests under N sampled schedules as well.  [default: none; with --audit 20]",
)
@click.option("--seed", type=click.IntRange(1), metavar="K", help="With product simulated: one sampled schedule only.")
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
@mutating.options
@click.option("--audit", is_flag=True, help="Say which tests are wrong: hold each subtest against the text.")
@options.as_json
def command(
    paths: tuple[str, ...],
    chosen: options.Chosen,
    wpt: Path | None,
    repeat: int,
    schedules: int | None,
    seed: int | None,
    workers: int | None,
    shard: tuple[int, int],
    expectations: Path | None,
    wptreport: Path | None,
    junit: Path | None,
    html: Path | None,
    mutations: bool,
    chosen_mutations: tuple[str, ...],
    every_file: bool,
    audit: bool,
    as_json: bool,
) -> None:
    """Run tests in the format of web-platform-tests.

    Each PATH is a file or folder, relative to the working directory, or to wpt_tests (with --wpt, to DIR). Files of your
    own can stand anywhere: they are served from the working directory, with testharness.js beside them, and no deviation of
    theirs is known. Without a PATH, all tests of the revision that the product implements run. --wpt runs those of another
    checkout, for example an upstream one. Known deviations are listed where a PATH is given.

    Exit code 0: every result is the expected one; 1: a result is unexpected; 2: a product is missing, or the tests could
    not be run.

    With --mutations the tests are on trial instead of the product: each mutation breaks one rule of the API in Chromium,
    and a subtest has to notice it. Exit code 0: every mutation is noticed; 1: one survives.

    With --audit the tests are on trial, too: each subtest runs under many schedules of the simulated browser, and on product
    page and Chromium, or the products that are named. Exit code 0: no test is wrong; 1: one contradicts the text, relies on
    an order that the text does not promise, or needs what it does not have.
    """
    asked = mutating.chosen(mutations, chosen_mutations, every_file=every_file)
    if audit:
        if (
            asked is not None
            or repeat > 1
            or seed
            or chosen.inject
            or chosen.binary
            or wptreport
            or junit
            or expectations
        ):
            raise click.UsageError(
                "--audit holds tests against the text; --mutations, --repeat, --seed, --inject, --binary, --expectations, "
                "--wptreport and --junit do not go with it."
            )
        from modelcontext.people.cli import audit as audits  # It takes long to import, and few runs need it.

        with exit_on_problems():
            products = audits.targets(chosen)
            plan = _plan(chosen.target(SIMULATED), paths, wpt, None, shard)
            code = audits.hold(plan, products, sampled=schedules, workers=workers, wpt=wpt, html=html, as_json=as_json)
        sys.exit(code)
    if (schedules or seed) and chosen.products != (SIMULATED,):
        option = "--schedules" if schedules else "--seed"
        raise click.UsageError(f"{option} is for product {SIMULATED} alone: only there a schedule can be chosen.")
    if schedules and seed:
        raise click.UsageError("--seed is one schedule, and --schedules are many: give one of them.")
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
            sys.exit(mutating.hold(asked, plan, workers=workers, every_file=every_file, as_json=as_json))
        with bar() as progress:
            runs = [
                plan.run(progress, repeat=repeat, workers=workers, sampled=schedules or 0, seed=seed) for plan in plans
            ]
        if as_json:
            print_json({"products": [_as_data(run) for run in runs]})
        else:
            for run in runs:
                _print(results_console(), run, is_listed=bool(paths))
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
    own = checkout_tree(root, target.revision)
    tree = tree_around(own, paths)
    known = expectations or (expectations_file(root, target) if tree is own else None)
    return plan_suite(target, tree, known, paths, shard)


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


def _print(console: Console, run: SuiteRun, *, is_listed: bool) -> None:
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
    known = _known(run)
    for (test, subtest), one in known if is_listed else ():
        what = test if subtest is None else f'{test}: "{subtest}"'
        words = f"known {one.status} {what} ({one.reason}; {one.step}): {one.note}"
        console.print(words, markup=False, highlight=False, soft_wrap=True)
    for finding in run.findings:
        console.print(f"UNEXPECTED {finding}", style="red", markup=False, highlight=False, soft_wrap=True)
    counts = Counter(subtest.status for result in last for subtest in result.subtests)
    console.print(
        f"{len(last)} files, {counts.total()} subtests: "
        + (", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "none")
        + f"; {len(known)} known deviations, {len(run.findings)} unexpected"
        + (f"; {len(run.rounds)} runs" if len(run.rounds) > 1 else ""),
        highlight=False,
        soft_wrap=True,
    )
