"""``modelcontext js``: a page of JavaScript in the simulated browser, under one schedule or several."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from modelcontext.cli import options
from modelcontext.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.cli.output import print_json
from modelcontext.products.simulated import start_process
from modelcontext.revisions.registry import REVISIONS
from modelcontext.scripting.outcomes import PageError, PageOutcome, outcomes


@click.command(
    epilog="\b\nExamples:\n  modelcontext js page.html\n  modelcontext js demo/ --schedules 200\n"
    "  modelcontext js script.js --seed 17"
)
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE|FOLDER")
@click.option(
    "--schedules", type=click.IntRange(0), default=0, metavar="N", help="Run under N sampled schedules as well."
)
@click.option("--seed", type=click.IntRange(1), metavar="K", help="Run under this sampled schedule only.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=10.0,
    show_default=True,
    help="The time after which a script that runs is taken for an endless loop.",
)
@options.one_revision
@options.as_json
def command(path: Path, schedules: int, seed: int | None, seconds: float, revision: str, as_json: bool) -> None:
    """Run a page of JavaScript in the simulated browser, and show what it does.

    FILE is a page (.html) or a script (.js), FOLDER has an index.html. V8 runs the scripts; documents, event loops, time and
    every free choice are the model's, so that the same schedule gives the same run. Shown are the lines of the console,
    exceptions that no script has handled, and what the page has reached for and is not there.

    By default there is one run, first in, first out. With --schedules each outcome is shown once, with its schedules; --seed
    runs one of them again.

    Exit code 0: every run came to its end without an unhandled exception; 1: one did not; 2: wrong usage, or no such page.
    """
    if seed is not None and schedules:
        raise click.UsageError("--seed is one schedule, and --schedules are many: give one of them")
    seeds: list[int | None] = [None, *range(1, schedules + 1)] if seed is None else [seed]
    chosen = REVISIONS[revision]
    with exit_on_problems(codes={PageError: USAGE}, as_json=as_json):
        found = outcomes(lambda: start_process(chosen), chosen, path, seeds, seconds=seconds)
    if as_json:
        print_json({"page": str(path), "outcomes": [outcome.to_data() for outcome in found]})
    else:
        for number, outcome in enumerate(found, 1):
            if len(seeds) > 1:
                click.echo(f"Outcome {number} of {len(found)}: {len(outcome.seeds)} of {len(seeds)} schedules")
                click.echo(f"  {_schedules(outcome.seeds)}")
            _print(outcome, "  " if len(seeds) > 1 else "")
    sys.exit(0 if all(outcome.is_clean for outcome in found) else FOUND)


def _schedules(seeds: Sequence[int | None]) -> str:
    named = ["first in, first out" if seed is None else f"--seed {seed}" for seed in seeds[:3]]
    return ", ".join(named) + (f" and {len(seeds) - 3} more" if len(seeds) > 3 else "")


def _print(outcome: PageOutcome, indent: str) -> None:
    for level, text in outcome.console:
        click.echo(f"{indent}{text}" if level == "log" else f"{indent}{level}: {text}")
    for error in outcome.errors:
        click.echo(f"{indent}unhandled: {error}")
    for name in outcome.missing:
        click.echo(f"{indent}missing: {name} is not in the simulated browser")
    if outcome.ended is not None:
        click.echo(f"{indent}{outcome.ended}")
