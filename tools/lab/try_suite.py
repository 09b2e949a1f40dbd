"""``python -m tools.lab mutations``: the suite on trial, by mutations of the API."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from modelcontext.ground.words import counted
from modelcontext.judging.wpt.metadata import page_help
from modelcontext.judging.wpt.runner import TestSession, default_workers, with_session
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.output import bar, print_json, results_console
from modelcontext.people.cli.suites import plan_at
from modelcontext.running.products import make_target
from tools.lab.mutations import BaselineError, Mutation, Trial, load_mutations, try_mutations

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.results import Result
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.people.cli.suites import SuitePlan
    from modelcontext.running.products import Target

#: The number of subtests of a file that are shown with a mutation.
SHOWN = 3


@click.command(
    epilog="\b\nExamples:\n  python -m tools.lab mutations"
    "\n  python -m tools.lab mutations --mutation find-a-tool-to-execute/"
    "\n  python -m tools.lab mutations --wpt ~/wpt webmcp/imperative"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--mutation",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only the mutation ALGORITHM/NAME, or all of ALGORITHM/; may be given several times.",
)
@click.option("--every-file", is_flag=True, help="Run all files with each mutation. This takes hours.")
@options.wpt
@click.option(
    "--expectations",
    type=options.FILE,
    help="The file of known results.  [default: wpt_tests/expectations/wpt-chromium.toml; none with --wpt]",
)
@options.binary
@options.workers_of_tests
@options.shard
@options.as_json
def mutations(
    paths: tuple[str, ...],
    names: tuple[str, ...],
    every_file: bool,
    wpt: Path | None,
    expectations: Path | None,
    binary: str | None,
    workers: int | None,
    shard: tuple[int, int],
    as_json: bool,
) -> None:
    """Say which broken rules of the API the tests notice.

    The tests are on trial instead of the browser: each mutation breaks one rule of the API in Chromium, and a subtest has to
    notice it. A PATH is as for `modelcontext test`.

    An interrupt ends the trials; those that were decided by then are printed.

    Exit code 0: every mutation is noticed; 1: one survives; 2: Chromium is missing, or the tests fail without any mutation;
    130: interrupted.
    """
    with exit_on_problems():
        chosen = load_mutations(names)
        plan = plan_at(make_target("chromium", binary=binary), paths, wpt, expectations, shard)
        code = _hold(chosen, plan, workers=workers, every_file=every_file, as_json=as_json)
    sys.exit(code)


def _hold(
    mutations: Sequence[Mutation], plan: SuitePlan, *, workers: int | None, every_file: bool, as_json: bool
) -> int:
    """Hold the planned tests against the mutations, print which subtests notice which, and return the exit code.

    Raises:
        UnavailableError: if the product is missing.
    """
    tree, target = plan.tree, plan.target
    interruption, trials, version = Interruption(), [], ""
    try:
        with TestServer(tree) as server, bar() as progress:
            runs = progress.add_task("tests", total=None)
            decided = progress.add_task("mutations", total=len(mutations))

            async def run(session: TestSession, test: Test) -> Result:
                result = await session.run(test, server)
                progress.update(runs, advance=1, description=escape(result.test))
                return result

            def decide(trial: Trial) -> None:
                trials.append(trial)
                progress.update(decided, advance=1)

            async def work(session: TestSession) -> None:
                nonlocal version
                version = session.version
                await try_mutations(
                    mutations,
                    plan.tests,
                    {test.path: _algorithms(test, tree) for test in plan.tests},
                    plan.known,
                    partial(run, session),
                    workers=workers or 2 * default_workers(),
                    exhaustive=every_file,
                    decided=decide,
                )

            with interruption.kept():
                with_session(target, work)
    except BaselineError as error:
        for finding in error.findings:
            click.echo(f"UNEXPECTED {finding}", err=True)
        click.echo(f"modelcontext: {error}", err=True)
        return USAGE
    place = {mutation.name: number for number, mutation in enumerate(mutations)}
    trials.sort(key=lambda trial: place[trial.mutation.name])
    if as_json:
        print_json(_as_data(target, version, trials))
    else:
        _print(results_console(), f"{target.name} {version}", trials, exhaustive=every_file)
    interruption.end(f"{len(mutations) - len(trials)} of {counted(len(mutations), 'mutation')} are not decided")
    return FOUND if any(not trial.catches for trial in trials) else 0


def _algorithms(test: Test, tree: Tree) -> list[str]:
    file = tree.find(test.path.partition("?")[0])
    return page_help(file.read_text(encoding="utf-8")) if file is not None else []


def _as_data(target: Target, version: str, trials: Sequence[Trial]) -> dict[str, Any]:
    return {
        "product": target.name,
        "version": version,
        "mutations": [
            {
                "name": trial.mutation.name,
                "algorithm": trial.mutation.algorithm,
                "rule": trial.mutation.rule,
                "summary": trial.mutation.summary,
                "caught": bool(trial.catches),
                "subtests": [asdict(catch) for catch in trial.catches],
                "unconfirmed": [asdict(catch) for catch in trial.unconfirmed],
                "files": trial.files,
                "failed": trial.failed,
            }
            for trial in trials
        ],
        "survivors": [trial.mutation.name for trial in trials if not trial.catches],
    }


def _print(console: Console, product: str, trials: Sequence[Trial], *, exhaustive: bool) -> None:
    def say(text: str, style: str | None = None) -> None:
        console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    say(product, "bold")
    for algorithm, group in itertools.groupby(trials, key=lambda trial: trial.mutation.algorithm):
        say(f"\n{algorithm}", "bold")
        for trial in group:
            _print_trial(say, trial, exhaustive=exhaustive)
    survivors = [trial for trial in trials if not trial.catches]
    subtests = {(catch.test, catch.subtest) for trial in trials for catch in trial.catches}
    say(
        f"\n{counted(len(trials), 'mutation')}, {len(trials) - len(survivors)} noticed by"
        f" {counted(len(subtests), 'subtest')} in {counted(len({test for test, _ in subtests}), 'file')},"
        f" {len(survivors)} survived",
        "red" if survivors else "green",
    )
    for trial in survivors:
        say(f"SURVIVED {trial.mutation.name} ({trial.mutation.rule}): {trial.mutation.summary}", "red")


def _print_trial(say: Callable[[str, str | None], None], trial: Trial, *, exhaustive: bool) -> None:
    mutation = trial.mutation
    name = mutation.name.partition("/")[2]
    say(f"  {name} ({mutation.rule}): {mutation.summary}", None if trial.catches else "red")
    for test, catches in itertools.groupby(trial.catches, key=lambda catch: catch.test):
        titles = [f'"{catch.subtest}"' for catch in catches]
        shown = titles if exhaustive else titles[:SHOWN]
        more = f" and {len(titles) - len(shown)} more" if len(titles) > len(shown) else ""
        say(f"      {test}: {', '.join(shown)}{more}", "dim")
    if not trial.catches:
        say(f"      SURVIVED all {trial.files} files", "red")
    for catch in trial.unconfirmed:
        say(f'      noticed only once by {catch.test}: "{catch.subtest}"', "yellow")
    if exhaustive and trial.failed * 2 > trial.files:
        say(f"      breaks more than one rule? {trial.failed} of {trial.files} files notice it", "yellow")
