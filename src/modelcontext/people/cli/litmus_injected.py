"""``modelcontext litmus run --all``: a script in the place of the API, held against the text under every schedule."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from modelcontext.judging.litmus.injected import HeldTest, Injected
from modelcontext.people.cli.exit_codes import FOUND, USAGE
from modelcontext.people.cli.js import answers_of
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext.programs.program.exploration import BOUND, Exploration, allowed_outcomes
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.program.outcome import from_data as outcome_from_data
from modelcontext.running.products import SIMULATED, make_target

if TYPE_CHECKING:
    from modelcontext.judging.litmus.language import Litmus


def hold(
    tests: Sequence[Litmus], inject: Sequence[Path], bound: int, schedule: str | None, *, as_json: bool
) -> NoReturn:
    """Hold a script against tests, or run them under one schedule, and exit.

    Exits with 0 if every outcome is allowed, 1 if one is not, 2 if an allowed set is incomplete.
    """
    target = make_target(SIMULATED, inject=inject)
    results = []
    with Injected(target.revision, target.scripts()) as injected:
        for litmus in tests:
            if litmus.program.revision != target.revision:
                continue
            if schedule is not None:
                outcome = injected.replay(litmus, answers_of(schedule))
                results.append({"test": litmus.name, "outcome": outcome.to_data()})
                if not as_json:
                    click.echo("\n".join([litmus.name, *(f"  {line}" for line in describe(outcome))]))
                continue
            allowed = allowed_outcomes(litmus.program, bound=BOUND)
            with one_bar(litmus.name, bound) as advance:
                held = injected.hold(litmus, allowed, bound, lambda advance=advance: advance(1))  # type: ignore[misc]
            results.append(_held(litmus, allowed, held, inject))
            if not as_json:
                click.echo("\n".join(_lines(results[-1])))
    if as_json:
        print_json({"tests": results})
    elif schedule is None:
        inside = sum(1 for one in results if not one["outside"])
        complete = sum(1 for one in results if one["complete"])
        click.echo(f"{len(results)} tests, {complete} of them complete: {inside} inside the allowed set")
    if schedule is not None:
        sys.exit(0)
    if not all(one["allowed_is_complete"] for one in results):
        sys.exit(USAGE)
    sys.exit(FOUND if any(one["outside"] for one in results) else 0)


def _held(litmus: Litmus, allowed: Exploration, held: HeldTest, inject: Sequence[Path]) -> dict[str, Any]:
    files = " ".join(f"--inject {path}" for path in inject)

    def replay(schedule: Sequence[int]) -> str:
        answers = ",".join(map(str, schedule)) or "0"
        return f"modelcontext litmus run {litmus.name} --product simulated {files} --schedule {answers}"

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
        f"{test['test']}: {extent}, {test['runs']:,} runs: {test['inside']} of {test['allowed']} allowed outcomes,"
        f" {len(test['outside'])} outside"
    )
    for one in test["outside"]:
        yield f"  OUTSIDE {one['replay']}"
        yield from (f"    {line}" for line in describe(outcome_from_data(one["outcome"])))
