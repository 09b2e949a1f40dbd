"""The parts that the verbs of ``modelcontext litmus`` share: tests by name, their outcomes, and the bound of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import project_root
from modelcontext.judging.litmus.conditions import ConditionError, parse
from modelcontext.judging.litmus.language import CATALOGUE, Litmus, in_order, read_any, read_catalogue
from modelcontext.judging.litmus.many_tests import explore_all
from modelcontext.people.cli import options
from modelcontext.people.cli.output import one_bar
from modelcontext.programs.program.exploration import BOUND, Exploration

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.people.cli.exit_codes import Interruption
    from modelcontext.programs.program.outcome import Outcome

bound_option = click.option(
    "--bound",
    type=click.IntRange(1),
    default=BOUND,
    show_default=True,
    help="The largest number of runs of the model for one test.",
)


def complete_tests(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of litmus tests, and of their families."""
    folder = project_root() / CATALOGUE
    names = [path.relative_to(folder).with_suffix("").as_posix() for path in folder.glob("*/*.toml")]
    families = {f"{name.partition('/')[0]}" for name in names}
    return sorted(name for name in {*names, *families} if name.startswith(incomplete))


names_argument = click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_tests)


def read_tests(names: Sequence[str], *, others: bool = False) -> list[Litmus]:
    """Return the tests of some names; with ``others`` a name may be that of a program, too."""
    folder = project_root() / CATALOGUE
    return read_any(folder, names, options.programs_by_name()) if others and names else read_catalogue(folder, names)


def one_test(name: str) -> Litmus:
    """Return the test, or the program, of a name; the name of a family is wrong usage."""
    tests = read_tests([name], others=True)
    if len(tests) != 1:
        raise click.UsageError(f"{name} is a family; name one of {', '.join(litmus.name for litmus in tests)}")
    return tests[0]


def explored(
    tests: Sequence[Litmus],
    bound: int,
    pool: Executor | None = None,
    interruption: Interruption | None = None,
    lost: dict[str, str] | None = None,
) -> list[tuple[Litmus, Exploration]]:
    """Return the tests with all their outcomes, or those that were explored before an interrupt.

    A test that reaches a step without a meaning goes into ``lost``, with what the step lacks.
    """
    found: list[tuple[Litmus, Exploration]] = []
    with (
        interruption.kept() if interruption is not None else nullcontext(),
        one_bar("exploring", len(tests)) as advance,
    ):
        for one in explore_all(tests, bound, pool, lambda: advance(1), lost):
            found.append(one)  # noqa: PERF402 (an interrupt keeps the list)
    return found


def show_lost(lost: Mapping[str, str]) -> None:
    """Print the tests that reach a step without a meaning, on standard error."""
    for name, problem in lost.items():
        click.echo(f"modelcontext: {name}: {problem}", err=True)


def chosen_outcome(text: str, found: Exploration) -> Outcome | None:
    """Return the outcome of a number, or the first one that meets a condition; None if none does."""
    outcomes = in_order(list(found.outcomes.values()))
    if text.isdigit():
        if not 1 <= int(text) <= len(outcomes):
            raise click.UsageError(
                f"there is no outcome {text}; `litmus enumerate` lists outcomes 1 to {len(outcomes)}"
            )
        return outcomes[int(text) - 1]
    try:
        condition = parse(text)
    except ConditionError as error:
        raise click.UsageError(str(error)) from None
    return next((outcome for outcome in outcomes if condition.holds(outcome)), None)


def kinds_of(litmus: Litmus, outcome: Outcome) -> list[str]:
    """Return the words of the kinds that an outcome has."""
    return [kind.words for kind in litmus.kinds if kind.has(outcome)]
