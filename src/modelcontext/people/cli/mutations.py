"""``modelcontext test --mutations``: mutations of the API, and the subtests that notice them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.markup import escape

from modelcontext.judging.wpt.metadata import page_help
from modelcontext.judging.wpt.mutations import (
    BaselineError,
    Mutation,
    MutationError,
    Trial,
    load_mutations,
    try_mutations,
)
from modelcontext.judging.wpt.runner import TestSession, default_workers, with_session
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.people.cli.exit_codes import USAGE
from modelcontext.people.cli.output import bar, print_json, results_console

if TYPE_CHECKING:
    from rich.console import Console

    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.results import Result
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.people.cli.suites import SuitePlan
    from modelcontext.running.products import Target

#: The number of subtests of a file that are shown with a mutation.
SHOWN = 3

F = TypeVar("F", bound=Callable[..., Any])


def options(function: F) -> F:
    """Add the options of ``modelcontext test`` that are about mutations."""
    for option in (
        click.option("--every-file", is_flag=True, help="Run all files with each mutation. This takes hours."),
        click.option(
            "--mutation",
            "chosen_mutations",
            multiple=True,
            metavar="NAME",
            help="Try the mutation ALGORITHM/NAME, or all of ALGORITHM/; may be given several times.",
        ),
        click.option("--mutations", is_flag=True, help="Say which mutations of the API the tests notice."),
    ):
        function = option(function)
    return function


def chosen(everything: bool, names: Sequence[str], *, every_file: bool) -> Sequence[Mutation] | None:
    """Return the mutations that the options ask for; None if they do not ask for mutations."""
    if not everything and not names:
        if every_file:
            raise click.UsageError("--every-file goes with --mutations, or with --mutation.")
        return None
    try:
        return load_mutations(() if everything else names)
    except MutationError as error:
        raise click.UsageError(f"{error}.") from None


def hold(
    mutations: Sequence[Mutation], plan: SuitePlan, *, workers: int | None, every_file: bool, as_json: bool
) -> int:
    """Hold the planned tests against the mutations, print which subtests notice which, and return the exit code.

    Raises:
        UnavailableError: if the product is missing.
    """
    tree, target = plan.tree, plan.target
    try:
        with TestServer(tree) as server, bar() as progress:
            runs = progress.add_task("tests", total=None)
            decided = progress.add_task("mutations", total=len(mutations))

            async def run(session: TestSession, test: Test) -> Result:
                result = await session.run(test, server)
                progress.update(runs, advance=1, description=escape(result.test))
                return result

            async def work(session: TestSession) -> tuple[str, list[Trial]]:
                return session.version, await try_mutations(
                    mutations,
                    plan.tests,
                    {test.path: _algorithms(test, tree) for test in plan.tests},
                    plan.known,
                    partial(run, session),
                    workers=workers or 2 * default_workers(),
                    exhaustive=every_file,
                    decided=lambda trial: progress.update(decided, advance=1),
                )

            version, trials = with_session(target, work)
    except BaselineError as error:
        for finding in error.findings:
            click.echo(f"UNEXPECTED {finding}", err=True)
        click.echo(f"modelcontext: {error}", err=True)
        return USAGE
    if as_json:
        print_json(_as_data(target, version, trials))
    else:
        _print(results_console(), f"{target.name} {version}", trials, exhaustive=every_file)
    return 1 if any(not trial.catches for trial in trials) else 0


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
        f"\n{len(trials)} mutations, {len(trials) - len(survivors)} noticed by {len(subtests)} subtests in"
        f" {len({test for test, _ in subtests})} files, {len(survivors)} survived",
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
