"""``modelcontext litmus run`` and ``steer``: tests on products, many times."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.words import counted
from modelcontext.judging.conformance.expectations import vocabulary
from modelcontext.judging.litmus.expectations import KnownDeviation, known_deviations
from modelcontext.judging.litmus.language import Litmus, in_order
from modelcontext.judging.litmus.sample import Sample, disturbance, sample, tally
from modelcontext.judging.litmus.steered import missing
from modelcontext.judging.litmus.steered import steer as steer_to
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.litmus_lines import sampled_lines, steered_total
from modelcontext.people.cli.litmus_tests import (
    bound_option,
    chosen_outcome,
    explored,
    kinds_of,
    names_argument,
    read_tests,
    show_lost,
)
from modelcontext.people.cli.output import one_bar, print_json

if TYPE_CHECKING:
    from modelcontext.ground.problems import UnavailableError
    from modelcontext.programs.program.exploration import Exploration
    from modelcontext.running.products import Product


@verb(epilog="\b\nExample:\n  modelcontext litmus run abort-resolve --product chromium --repeat 200")
@names_argument
@options.products("chromium", configured=True)
@click.option(
    "--repeat", type=click.IntRange(1), default=200, show_default=True, help="The number of runs of each test."
)
@options.frames
@options.as_json
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of delays and schedules.")
@click.option(
    "--undisturbed",
    is_flag=True,
    help="Add no delays and no processor load; in the model, run tasks first in, first out.",
)
@bound_option
@options.port
@options.text
def run(
    names: tuple[str, ...],
    chosen: options.Chosen,
    repeat: int,
    frames: bool,
    as_json: bool,
    seed: int,
    undisturbed: bool,
    bound: int,
    port: int,
    by_text: bool,
) -> None:
    """Run tests many times on products, with delays and load, and count the runs that show each allowed outcome.

    The products simulated and model have no delays. Each of their runs has a random schedule.

    The known deviations of a product are in wpt_tests/expectations/litmus-PRODUCT.toml. They do not apply with --inject or
    --text. After an interrupt the command shows the tests that have ended.

    Exit code 0: every outcome is allowed or known; 1: an outcome is neither; 2: a test could not be run or judged; 130:
    interrupted.
    """

    def run_one(
        litmus: Litmus, product: Product, found: Exploration, deviations: Sequence[KnownDeviation]
    ) -> dict[str, Any]:
        with one_bar(f"{litmus.name} on {product.name}", repeat) as advance:
            sampled = sample(litmus, product, found, repeat, advance, deviations)
        return _sampled(litmus, product, found, sampled)

    with exit_on_problems(), ExitStack() as stack:
        tests = read_tests(names)
        scripts = [] if undisturbed else [disturbance(seed)]
        schedules = None if undisturbed else seed
        products = [
            chosen.product(name, port, in_frames=frames, scripts=scripts, seed=schedules) for name in chosen.products
        ]
        running, absent = options.launched_if_possible(stack, products)
        is_known = not chosen.inject and not by_text
        about = {"seed": schedules}
        _run(tests, running, bound, run_one, about, absent=absent, as_json=as_json, is_known=is_known)


@verb(
    epilog="\b\nExample:\n  modelcontext litmus steer abort-resolve\n"
    "  modelcontext litmus steer abort-resolve/in-flight --outcome 'call: fulfilled'"
)
@names_argument
@options.products("chromium")
@click.option(
    "--repeat", type=click.IntRange(1), default=10, show_default=True, help="The number of runs for each outcome."
)
@click.option(
    "--until-shown", is_flag=True, help="Go on to the next outcome after the first run that shows the current outcome."
)
@click.option(
    "--outcome",
    help="Steer only to this outcome, as in `litmus explain`; also print which step waits for which other step.",
)
@options.as_json
@bound_option
@options.port
@options.text
def steer(
    names: tuple[str, ...],
    chosen: options.Chosen,
    repeat: int,
    until_shown: bool,
    outcome: str | None,
    as_json: bool,
    bound: int,
    port: int,
    by_text: bool,
) -> None:
    """Steer a browser to each outcome: its documents wait for each other in the order of a schedule with this outcome.

    The command makes some runs for each allowed outcome. After an interrupt it shows the tests that have ended.

    Exit code 0: every outcome is allowed or known; 1: an outcome is neither; 2: a test could not be run or judged; 130:
    interrupted.
    """

    def steer_one(
        litmus: Litmus, product: Product, found: Exploration, deviations: Sequence[KnownDeviation]
    ) -> dict[str, Any]:
        return _steered(litmus, product, found, repeat, outcome, deviations, until_shown)

    with exit_on_problems(), ExitStack() as stack:
        tests = read_tests(names)
        if outcome is not None and len(tests) != 1:
            raise click.UsageError(
                f"--outcome needs one test; name one of {', '.join(litmus.name for litmus in tests)}"
            )
        products = [chosen.product(name, port) for name in chosen.products]
        running, absent = options.launched_if_possible(stack, products)
        is_known = not chosen.inject and not by_text
        _run(tests, running, bound, steer_one, {}, absent=absent, as_json=as_json, is_known=is_known, is_steered=True)


def _run(
    tests: Sequence[Litmus],
    running: Sequence[Product],
    bound: int,
    run_one: Callable[[Litmus, Product, Exploration, Sequence[KnownDeviation]], dict[str, Any]],
    about: Mapping[str, Any],
    *,
    absent: Sequence[UnavailableError],
    as_json: bool,
    is_known: bool,
    is_steered: bool = False,
) -> NoReturn:
    """Run tests on products that are launched, show each result, and exit; known deviations apply if it ``is_known``.

    Others are ``absent``, which is said at the end.
    """
    known = {product.name: _known(product.name) if is_known else {} for product in running}
    lost: dict[str, str] = {}
    results: list[dict[str, Any]] = []
    interruption = Interruption()
    with interruption.kept():
        for litmus, found in explored(tests, bound, lost=lost):
            for product in running:
                with product.text():
                    for own, its in _as_read(litmus, found, product, bound, lost):
                        deviations = known[product.name].get(litmus.name, ())
                        results.append(run_one(own, product, its, deviations))
                        if not as_json:
                            click.echo("\n".join(sampled_lines(results[-1])))
    if as_json:
        print_json({**about, "tests": results, "not_explored": lost, "interrupted": interruption.happened})
    elif is_steered and len(results) > 1:
        click.echo(steered_total(results))
    show_lost(lost)
    options.show_absent(absent)
    ended = len({result["test"] for result in results}) + len(lost)
    interruption.end(f"{ended} of {counted(len(tests), 'test')} have ended")
    if lost or absent or any(test["not_judged"] for test in results):
        sys.exit(USAGE)
    sys.exit(FOUND if any(test["outside"] for test in results) else 0)


def _as_read(
    litmus: Litmus, found: Exploration, product: Product, bound: int, lost: dict[str, str]
) -> Sequence[tuple[Litmus, Exploration]]:
    """Return a test as the product reads it, with its outcomes by the text that the product is held against, if it can."""
    program = product.reads(litmus.program)
    if program is litmus.program:
        return [(litmus, found)]
    return explored([replace(litmus, program=program)], bound, lost=lost) if program is not None else []


def _known(product: str) -> Mapping[str, Sequence[KnownDeviation]]:
    path = project_root() / f"wpt_tests/expectations/litmus-{product}.toml"
    return known_deviations(path, vocabulary(product, "current"))


def _sampled(litmus: Litmus, product: Product, found: Exploration, sampled: Sample) -> dict[str, Any]:
    def counted(counts: Mapping[str, int]) -> Iterator[dict[str, Any]]:
        for text, count in counts.items():
            shown = sampled.outcomes.get(text)
            one: dict[str, Any] = {"times": count}
            one |= {"outcome": shown.to_data()} if shown is not None else {"problem": text}
            if deviation := sampled.deviations.get(text):
                one |= {"step": deviation.step, "note": deviation.note}
            yield one

    return {
        "test": litmus.name,
        "product": product.name,
        "version": product.version,
        "runs": sampled.runs,
        "allowed": [
            {"times": sampled.seen[one.canonical], "outcome": one.to_data(), "kinds": kinds_of(litmus, one)}
            for one in in_order(list(found.outcomes.values()))
        ],
        "allowed_is_complete": found.complete,
        "known": list(counted(sampled.known)),
        "outside": list(counted(sampled.outside)),
        "not_judged": list(counted(sampled.unsound)),
    }


def _steered(
    litmus: Litmus,
    product: Product,
    found: Exploration,
    repeat: int,
    outcome: str | None,
    deviations: Sequence[KnownDeviation],
    until_shown: bool,
) -> dict[str, Any]:
    if not product.is_steerable:
        raise click.UsageError(f"product {product.name} cannot make documents wait; steer a browser")
    outcomes = in_order(list(found.outcomes.values()))
    chosen = outcomes
    if outcome is not None:
        aim = chosen_outcome(outcome, found)
        if aim is None:
            raise click.UsageError(f"no outcome of {litmus.name} matches {outcome!r}; `litmus enumerate` lists them")
        chosen = [aim]
    with one_bar(f"{litmus.name} on {product.name}", repeat * len(chosen)) as advance:
        steered = list(steer_to(litmus, product, found, chosen, repeat, advance, until_shown=until_shown))
    observations = [observation for one in steered for observation in one.observations]
    shown = [observation.outcome for observation in observations if observation.outcome is not None]
    data = _sampled(litmus, product, found, tally(litmus, observations, found, deviations))
    data["steered"] = [
        {
            "outcome": outcomes.index(one.outcome) + 1,
            "kinds": kinds_of(litmus, one.outcome),
            "runs": len(one.observations),
            "hits": list(one.hits),
            "missing": None if one.hits else missing(one.outcome, shown),
            "waits": list(one.timetable.waits()),
        }
        for one in steered
    ]
    data["is_one"] = outcome is not None
    return data
