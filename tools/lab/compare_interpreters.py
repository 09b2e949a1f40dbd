"""``python -m tools.lab interpreters``: the two interpreters of programs against each other, schedule by schedule."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click

from modelcontext.ground.checkout import project_root
from modelcontext.judging.conformance.corpus import CORPORA, read_case, read_corpus
from modelcontext.judging.litmus.language import CATALOGUE
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext.programs.program.exploration import BOUND
from tools.lab.interpreters import Agreement, Interpreters


@click.command(
    epilog="\b\nExamples:\n  python -m tools.lab interpreters --schedules 200 results/undefined"
    "\n  python -m tools.lab interpreters --complete abort-resolve/in-flight"
)
@click.argument("programs", nargs=-1, callback=options.find_programs)
@click.option(
    "--schedules",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    metavar="N",
    help="The number of sampled schedules of each program, besides first in, first out.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of the first of them.")
@click.option("--complete", is_flag=True, help="Also take every transition of each program's state space.")
@click.option(
    "--bound",
    type=click.IntRange(1),
    default=BOUND,
    show_default=True,
    help="With --complete: the most runs of the model.",
)
@options.as_json
def interpreters(
    programs: tuple[Path, ...], schedules: int, seed: int, complete: bool, bound: int, as_json: bool
) -> None:
    """Run PROGRAMS in Python and in JavaScript under the same schedules, and compare choices and outcomes.

    The interpreter in Python has the values of the model; the one in JavaScript is that of pages, and runs in V8. Both have
    the documents, event loops and tasks of the model. Without PROGRAMS all programs and litmus tests are compared.

    Exit code 0: both always make the same choices and show the same outcome; 1: they differ; 2: a state space was cut off, or
    Node.js is missing.
    """
    results: list[dict[str, Any]] = []
    agreements: list[Agreement] = []
    with exit_on_problems(), Interpreters() as both:
        folders = [project_root() / folder for folder in (*CORPORA, CATALOGUE)]
        cases = [read_case(path) for path in programs] or [case for one in folders for case in read_corpus(one)]
        with one_bar("comparing", len(cases)) as advance:
            for case in cases:
                seeds = range(seed, seed + schedules)
                agreement = both.compare(case.program, seeds, complete=complete, bound=bound)
                agreements.append(agreement)
                results.append({"program": case.name, **dataclasses.asdict(agreement)})
                advance(1)
                for difference in () if as_json else agreement.differences[:1]:
                    click.echo(f"DIFFERENT {case.name}: schedule {','.join(map(str, difference.schedule))}")
                    click.echo(f"  Python:     {difference.python}\n  JavaScript: {difference.javascript}")
                if not as_json and agreement.complete is False:
                    click.echo(f"UNDECIDED {case.name}: the search reached its limit of {bound:,} runs")
                if not as_json and agreement.overlapping:
                    click.echo(
                        f"{case.name}: {agreement.overlapping} outcomes are not compared, which need tasks of two event loops "
                        "at one time"
                    )
    if as_json:
        print_json({"programs": results})
    else:
        different = sum(1 for agreement in agreements if agreement.differences)
        runs = sum(agreement.schedules for agreement in agreements)
        click.echo(f"{len(agreements)} programs, {runs:,} schedules: {different} programs differ")
        if complete:
            click.echo(f"{sum(1 for agreement in agreements if agreement.complete)} of the state spaces are complete")
    if any(agreement.differences for agreement in agreements):
        sys.exit(FOUND)
    sys.exit(USAGE if any(agreement.complete is False for agreement in agreements) else 0)
