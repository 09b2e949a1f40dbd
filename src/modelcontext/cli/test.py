"""``modelcontext test``: tests in the format of web-platform-tests."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from modelcontext.cli import options
from modelcontext.cli.problems import USAGE, exit_on_problems
from modelcontext.harness.corpus import find_checkout
from modelcontext.harness.wpt.discovery import DiscoveryError, Test, find_tests, take_shard
from modelcontext.harness.wpt.expectations import Expectations, Finding, find, find_strays, load_expectations
from modelcontext.harness.wpt.results import FileStatus, Result
from modelcontext.harness.wpt.runner import run_tests
from modelcontext.harness.wpt.server import TestServer
from modelcontext.harness.wpt.tree import checkout_tree, foreign_tree
from modelcontext.products.base import UnavailableError
from modelcontext.specification import load_algorithms

SUITE = "webmcp"


def _read_shard(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    number, _, count = value.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise click.BadParameter(f'"{value}" is no part of a whole; the second of three parts is 2/3', ctx, param)
    return int(number), int(count)


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog="\b\nExample:\n  modelcontext test\n  modelcontext test webmcp/imperative/get-tools.https.html --json\n"
    "  modelcontext test --wpt ~/wpt webmcp/imperative"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--product", type=click.Choice(["chromium"]), default="chromium", show_default=True, help="Where to run.")
@options.binary
@click.option(
    "--wpt",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Run the tests of this checkout of web-platform-tests, with its own resources.",
)
@click.option(
    "--inject", type=_FILE, multiple=True, metavar="FILE", help="A script to run in every page before its own."
)
@click.option("--repeat", type=click.IntRange(1), default=1, metavar="N", help="Run everything so many times.")
@click.option("--shard", callback=_read_shard, default="1/1", metavar="I/N", help="Run only part I of N.")
@click.option(
    "--expectations",
    type=_FILE,
    help="The file of known results.  [default: wpt_tests/expectations/wpt-PRODUCT.toml; none with --wpt or --inject]",
)
@options.as_json
def command(
    paths: tuple[str, ...],
    product: str,
    binary: str | None,
    wpt: Path | None,
    inject: tuple[Path, ...],
    repeat: int,
    shard: tuple[int, int],
    expectations: Path | None,
    as_json: bool,
) -> None:
    """Run tests in the format of web-platform-tests.

    PATHs are files or folders, as seen from here or below the root of the tests. Exit code 0 if every result is the
    expected one, 1 if one is not, 2 if the tests could not be run.
    """
    with exit_on_problems():
        try:
            if wpt is not None:
                tree = foreign_tree(wpt)
            else:
                checkout = find_checkout()
                if checkout is None:
                    raise DiscoveryError("there is no checkout of this project here; name one of tests with --wpt")
                tree = checkout_tree(checkout)
                if expectations is None and not inject:
                    expectations = checkout / f"wpt_tests/expectations/wpt-{product}.toml"
            tests = find_tests(tree.root, paths or (SUITE,))
        except DiscoveryError as error:
            click.echo(f"modelcontext: {error}", err=True)
            sys.exit(USAGE)
        steps = {f"{algorithm.id} {step.number}" for algorithm in load_algorithms() for step in algorithm.steps}
        known = load_expectations(expectations, steps) if expectations is not None else {}
        chosen = take_shard(tests, *shard)
        try:
            with TestServer(tree) as server:
                version, rounds = _run(chosen, server, repeat, binary, inject)
        except UnavailableError as error:
            if as_json:
                notrun = [Result(test.path, FileStatus.NOTRUN, error.reason) for test in chosen]
                click.echo(_as_json(product, None, [notrun], []))
            raise
        findings = _findings(rounds, known)
        if not paths:
            findings += find_strays({test.path for test in tests}, known)
        if as_json:
            click.echo(_as_json(product, version, rounds, findings))
        else:
            _print(Console(), product, version, rounds, findings, known)
    sys.exit(1 if findings else 0)


def _run(
    tests: Sequence[Test], server: TestServer, repeat: int, binary: str | None, inject: Sequence[Path]
) -> tuple[str, list[list[Result]]]:
    version = ""
    # Progress belongs to standard error, so that --json and pipes get the result only.
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("tests", total=len(tests) * repeat)

        def started(of: str) -> None:
            nonlocal version
            version = of

        def finished(result: Result) -> None:
            progress.update(task, advance=1, description=escape(result.test))

        results = run_tests([*tests] * repeat, server, binary=binary, inject=inject, started=started, finished=finished)
    return version, [results[start : start + len(tests)] for start in range(0, len(results), len(tests) or 1)]


def _findings(rounds: Sequence[Sequence[Result]], known: Expectations) -> list[Finding]:
    findings = dict.fromkeys(finding for results in rounds for finding in find(results, known))
    for runs in zip(*rounds, strict=True):
        seen = [result.statuses() for result in runs]
        for subtest in dict.fromkeys(name for statuses in seen for name in statuses):
            statuses = [one.get(subtest, "missing") for one in seen]
            if len(set(statuses)) > 1:
                findings[Finding(runs[0].test, subtest, f"differs from run to run: {', '.join(statuses)}")] = None
    return list(findings)


def _as_json(product: str, version: str | None, rounds: Sequence[Sequence[Result]], findings: Sequence[Finding]) -> str:
    data = {
        "product": product,
        "version": version,
        "results": [result.to_data() for results in rounds for result in results],
        "findings": [{"test": one.test, "subtest": one.subtest, "finding": one.text} for one in findings],
    }
    return json.dumps(data, indent=2)


def _print(
    console: Console,
    product: str,
    version: str,
    rounds: Sequence[Sequence[Result]],
    findings: Sequence[Finding],
    known: Expectations,
) -> None:
    table = Table(title=f"{product} {version}", title_justify="left", box=None, pad_edge=False)
    for heading in ("test", "file", "subtests"):
        table.add_column(heading, justify="right" if heading == "subtests" else "left", no_wrap=heading != "test")
    last = rounds[-1]
    unexpected = {finding.test for finding in findings}
    for result in last:
        style = "red" if result.test in unexpected else None
        table.add_row(result.test, result.status, f"{result.passed()}/{len(result.subtests)}", style=style)
    console.print(table)
    for finding in findings:
        console.print(f"UNEXPECTED {finding}", style="red", markup=False, highlight=False, soft_wrap=True)
    counts = Counter(subtest.status for result in last for subtest in result.subtests)
    expected = sum((result.test, name) in known for result in last for name in result.statuses())
    console.print(
        f"{len(last)} files, {counts.total()} subtests: "
        + (", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "none")
        + f"; {expected} known deviations, {len(findings)} unexpected"
        + (f"; {len(rounds)} runs" if len(rounds) > 1 else ""),
        highlight=False,
        soft_wrap=True,
    )
