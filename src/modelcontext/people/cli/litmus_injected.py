"""``modelcontext litmus inject``: a script in the place of the API, held against the text under every schedule."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelcontext.ground.words import counted
from modelcontext.judging.litmus.many_tests import explore_all
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.litmus_tests import bound_option, names_argument, read_tests, show_lost
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext.programs.program.exploration import BOUND, Exploration
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.program.outcome import from_data as outcome_from_data
from modelcontext.running.products import SIMULATED, make_target

if TYPE_CHECKING:
    from modelcontext.judging.litmus.injected import HeldTest
    from modelcontext.judging.litmus.language import Litmus


@verb(
    epilog="\b\nExample:\n  modelcontext litmus inject polyfill.js\n"
    "  modelcontext litmus inject polyfill.js abort-resolve/in-flight --schedule 0,1"
)
@click.argument("script", type=options.FILE, metavar="FILE")
@names_argument
@click.option("--schedule", metavar="LIST", help="Run once, under this schedule.")
@bound_option
@options.as_json
@options.text
def inject(
    script: Path, names: tuple[str, ...], schedule: str | None, bound: int, as_json: bool, by_text: bool
) -> None:
    """Compare a script that implements the API with the text, under every schedule.

    The script FILE runs in the simulated browser and takes the place of the browser's own API. Each test runs under every
    schedule. If this takes more than --bound runs, the test runs under sampled schedules instead. The command shows each
    outcome that is not allowed, with its smallest schedule; --schedule runs that schedule again. After an interrupt the
    command shows the tests that have ended.

    Exit code 0: every outcome is allowed; 1: an outcome is not allowed; 2: wrong usage, or the search could not find all
    allowed outcomes of a test; 130: interrupted.
    """
    from modelcontext.judging.litmus.injected import (
        Injected,
    )  # The other verbs of this group need no engine of scripts.

    interruption = Interruption()
    results: list[dict[str, Any]] = []
    lost: dict[str, str] = {}
    answers = options.schedule(schedule, "--schedule") if schedule is not None else None
    given = click.get_current_context().params
    words = options.words_of_text(given["text"], given["glosses"]) if by_text else ""
    with exit_on_problems():
        target = make_target(SIMULATED, inject=[script])
        tests = [litmus for litmus in read_tests(names) if litmus.program.revision == target.revision]
        with Injected(target.revision, target.scripts()) as injected, interruption.kept():
            for litmus in tests:
                if answers is not None:
                    outcome = injected.replay(litmus, answers)
                    results.append({"test": litmus.name, "outcome": outcome.to_data()})
                    if not as_json:
                        click.echo("\n".join([litmus.name, *(f"  {line}" for line in describe(outcome))]))
                    continue
                for _, allowed in explore_all([litmus], BOUND, lost=lost):
                    with one_bar(litmus.name, bound) as advance:
                        held = injected.hold(litmus, allowed, bound, lambda advance=advance: advance(1))  # type: ignore[misc]
                    results.append(_held(litmus, allowed, held, script, words))
                    if not as_json:
                        click.echo("\n".join(_lines(results[-1])))
        if as_json:
            print_json({"tests": results, "not_explored": lost, "interrupted": interruption.happened})
        elif answers is None:
            inside = sum(1 for one in results if not one["outside"])
            complete = sum(1 for one in results if one["complete"])
            click.echo(
                f"{counted(len(results), 'test')}, {complete} of them complete: {inside} show only allowed outcomes"
            )
    show_lost(lost)
    interruption.end(f"{len(results) + len(lost)} of {counted(len(tests), 'test')} have ended")
    if answers is not None:
        sys.exit(0)
    if lost or not all(one["allowed_is_complete"] for one in results):
        sys.exit(USAGE)
    sys.exit(FOUND if any(one["outside"] for one in results) else 0)


def _held(litmus: Litmus, allowed: Exploration, held: HeldTest, script: Path, text: str) -> dict[str, Any]:
    def replay(schedule: Sequence[int]) -> str:
        answers = ",".join(map(str, schedule)) or "0"
        return shlex.join(["modelcontext", "litmus", "inject", str(script), litmus.name, "--schedule", answers]) + text

    return {
        "test": litmus.name,
        "complete": held.complete,
        "runs": held.runs,
        "schedules": held.covered,
        "allowed": len(allowed.outcomes),
        "allowed_is_complete": allowed.complete,
        "inside": len(held.inside),
        "outside": [
            {"outcome": outcome.to_data(), "schedule": list(schedule), "replay": replay(schedule)}
            for outcome, schedule in held.outside
        ],
    }


def _lines(test: Mapping[str, Any]) -> Iterator[str]:
    extent = "every schedule" if test["complete"] else "undecided, sampled"
    yield (
        f"{test['test']}: {extent}, {counted(test['runs'], 'run')}: {test['inside']} of"
        f" {counted(test['allowed'], 'allowed outcome')}, {len(test['outside'])} outside"
    )
    for one in test["outside"]:
        yield f"  OUTSIDE {one['replay']}"
        yield from (f"    {line}" for line in describe(outcome_from_data(one["outcome"])))
