"""``modelcontext test``: tests in the format of web-platform-tests."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from modelcontext.checkout import project_root
from modelcontext.cli import mutations as trial
from modelcontext.cli import options
from modelcontext.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.cli.progress import bar
from modelcontext.files import write_whole
from modelcontext.products import BROWSERS, Target
from modelcontext.reports.conformance import Conformance
from modelcontext.reports.html_report import as_html
from modelcontext.reports.junit import as_junit
from modelcontext.reports.wptreport import as_wptreport
from modelcontext.wpt.discovery import Test, find_tests, take_shard
from modelcontext.wpt.expectations import Expectations, UnexpectedResult, find_strays
from modelcontext.wpt.suite import SUITES, SuiteRun, known_results, run_suite
from modelcontext.wpt.tree import Tree, checkout_tree, foreign_tree

if TYPE_CHECKING:
    from rich.progress import TaskID

    from modelcontext.wpt.results import Result

_OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command(
    epilog="\b\nExample:\n  modelcontext test\n  modelcontext test webmcp/imperative/get-tools.https.html --json\n"
    "  modelcontext test --product chromium --product polyfill\n  modelcontext test --wpt ~/wpt webmcp/imperative\n"
    "  modelcontext test --mutation find-a-tool-to-execute/"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.products("chromium", among=BROWSERS)
@click.option(
    "--wpt",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Run the tests of this checkout of web-platform-tests, with its own resources.",
)
@click.option("--repeat", type=click.IntRange(1), default=1, metavar="N", help="Run everything so many times.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="How many tests run at a time.  [default: one more than there are processors]",
)
@options.shard
@click.option(
    "--expectations",
    type=options.FILE,
    help="The file of known results.  [default: wpt_tests/expectations/wpt-PRODUCT.toml; none with --wpt or --inject]",
)
@click.option("--wptreport", type=_OUTPUT, metavar="FILE", help="Write wptreport.json, as wptrunner does.")
@click.option("--junit", type=_OUTPUT, metavar="FILE", help="Write JUnit XML.")
@click.option("--html", type=_OUTPUT, metavar="FILE", help="Write a web page that is complete in itself.")
@trial.options
@options.as_json
def command(
    paths: tuple[str, ...],
    chosen: options.Chosen,
    wpt: Path | None,
    repeat: int,
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

    PATHs are files or folders, as seen from here or below the root of the tests; if there are none, the tests are those
    of the revision that the product implements. Exit code 0 if every result is the expected one, 1 if one is not, 2 if a
    product is not there or the tests could not be run.

    With --mutations the tests are on trial, and not the product: each mutation breaks one rule of the API, and some
    subtest has to notice it. Exit code 0 if every mutation is noticed, 1 if one survives.
    """
    asked = trial.ask(mutations, chosen_mutations, every_file=every_file)
    if asked is not None and (
        set(chosen.products) != {"chromium"} or repeat > 1 or chosen.inject or wptreport or junit or html
    ):
        raise click.UsageError(
            "Mutations are made of Chromium's API; --repeat, --inject, --wptreport, --junit and --html do not go with them."
        )
    if wptreport is not None and len(chosen.products) > 1:
        raise click.UsageError("A wptreport.json is about one product: name one with --product.")
    with exit_on_problems():
        targets = [chosen.target(name) for name in chosen.products]
        plans = [_plan(target, paths, wpt, expectations, shard) for target in targets]
        if asked is not None:
            [plan] = plans
            sys.exit(
                trial.hold(asked, plan.target, plan.tree, plan.tests, plan.known, workers=workers, as_json=as_json)
            )
        runs = _run(plans, repeat, workers)
        if as_json:
            click.echo(json.dumps({"products": [_as_data(run) for run in runs]}, indent=2))
        else:
            for run in runs:
                _print(Console(), run)
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


@dataclass(frozen=True)
class _Plan:
    """What to run on one product. ``strays`` are expectations about tests that are not there."""

    target: Target
    tree: Tree
    tests: Sequence[Test]
    known: Expectations
    strays: Sequence[UnexpectedResult]


def _plan(
    target: Target, paths: Sequence[str], wpt: Path | None, expectations: Path | None, shard: tuple[int, int]
) -> _Plan:
    """Raises :class:`DiscoveryError`, :class:`ExpectationError` and :class:`UnavailableError`."""
    if wpt is not None:
        tree = foreign_tree(wpt)
    else:
        root = project_root()
        tree = checkout_tree(root, target.revision)
        if expectations is None and not target.inject:
            expectations = root / f"wpt_tests/expectations/wpt-{target.name}.toml"
    tests = find_tests(tree.root, paths or (SUITES[target.revision],))
    known = known_results(expectations, target) if expectations is not None else {}
    strays = [] if paths else find_strays({test.path for test in tests}, known)
    return _Plan(target, tree, take_shard(tests, *shard), known, strays)


def _run(plans: Sequence[_Plan], repeat: int, workers: int | None) -> list[SuiteRun]:
    runs = []
    with bar() as progress:
        for plan in plans:
            task = progress.add_task(plan.target.name, total=len(plan.tests) * repeat)

            def finished(result: Result, task: TaskID = task, name: str = plan.target.name) -> None:
                progress.update(task, advance=1, description=escape(f"{name} {result.test}"))

            run = run_suite(
                plan.tests,
                plan.tree,
                plan.target,
                known=plan.known,
                repeat=repeat,
                workers=workers,
                finished=finished,
            )
            runs.append(replace(run, findings=[*run.findings, *plan.strays]) if run.version is not None else run)
    return runs


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
