"""``modelcontext litmus``: programs with a race, and all the outcomes that they may have.

Each verb makes one dictionary for each test. ``--json`` prints it, and :mod:`litmus_lines` turns it into lines.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelcontext.ground.checkout import project_root, require_checkout
from modelcontext.ground.files import write_whole
from modelcontext.judging.conformance.expectations import vocabulary
from modelcontext.judging.conformance.pools import cluster_pool, local_pool
from modelcontext.judging.litmus.check import Steps, problems_of_kinds, problems_of_promoted, problems_of_steps
from modelcontext.judging.litmus.conditions import ConditionError, InOrder, parse
from modelcontext.judging.litmus.expectations import KnownDeviation, known_deviations
from modelcontext.judging.litmus.language import CATALOGUE, Litmus, in_order, outcomes_text, read_any, read_catalogue
from modelcontext.judging.litmus.many_tests import explore_all
from modelcontext.judging.litmus.sample import Sample, disturbance, sample, tally
from modelcontext.judging.litmus.steered import missing
from modelcontext.judging.litmus.steered import steer as steer_to
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.litmus_injected import hold
from modelcontext.people.cli.litmus_lines import enumerated_lines, explained_lines, sampled_lines, steered_total
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext.programs.program.exploration import BOUND, Exploration, decisive_choice
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome, OutcomeError, describe, describe_entry, loads
from modelcontext.running.products import SIMULATED
from modelcontext.running.products.browser_product import BrowserProduct
from modelcontext.spec.specification import load_algorithms

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.running.products import Product

_bound = click.option(
    "--bound",
    type=click.IntRange(1),
    default=BOUND,
    show_default=True,
    help="The most runs of the model for one test; a search that needs more is cut off.",
)


@click.group()
def command() -> None:
    """Enumerate, explain, promote and sample the outcomes of programs with a race.

    The tests are those of wpt_tests/litmus. NAME is family/name, a family, or a path; without a NAME, all tests are meant.
    """


@command.command("enumerate", epilog="\b\nExample:\n  modelcontext litmus enumerate abort-resolve")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_bound
@options.workers
@options.cluster
@options.as_json
def enumerate_outcomes(names: tuple[str, ...], bound: int, workers: int, cluster: str | None, as_json: bool) -> None:
    """List all outcomes that the specification allows, and check what the tests say about them.

    A NAME is that of a litmus test or a family; or a program, by its path or name, about which nothing is said.

    Exit code 0: kinds, promoted outcomes and steps are right; 1: one of them is wrong; 2: a search was cut off.
    """
    with exit_on_problems(), ExitStack() as stack:
        pool: Executor | None = None
        if cluster is not None:
            pool = stack.enter_context(cluster_pool(cluster))
        elif workers > 1:
            pool = stack.enter_context(local_pool(workers))
        steps = {algorithm.id: [step.number for step in algorithm.steps] for algorithm in load_algorithms()}
        tests = []
        for litmus, found in _explored(_read(names, others=True), bound, pool):
            tests.append(_enumerated(litmus, found, steps))
            if not as_json:
                click.echo("\n".join(enumerated_lines(tests[-1])))
    if as_json:
        print_json({"bound": bound, "tests": tests})
    if not all(test["complete"] for test in tests):
        sys.exit(USAGE)
    sys.exit(FOUND if any(test["problems"] for test in tests) else 0)


@command.command(epilog="\b\nExample:\n  modelcontext litmus explain abort-resolve/in-flight 'call: fulfilled'")
@click.argument("name")
@click.argument("outcome")
@_bound
@options.as_json
def explain(name: str, outcome: str, bound: int, as_json: bool) -> None:
    """Show a schedule that leads to an outcome, or say that none does.

    NAME is that of a litmus test, or a program, by its path or name.

    OUTCOME is a number from `litmus enumerate`, a condition such as 'call: fulfilled' (docs/litmus.md), or a .json file with
    an outcome.

    Exit code 0: a schedule leads to it; 1: no schedule does; 2: the search was cut off.
    """
    with exit_on_problems():
        tests = _read([name], others=True)
        if len(tests) != 1:
            raise click.UsageError(f"{name} is a family; name one of {', '.join(litmus.name for litmus in tests)}")
        [litmus] = tests
        chosen: Outcome | None
        if outcome.endswith(".json"):
            chosen = _read_outcome(Path(outcome))
            membership = judge(litmus.program, chosen, bound=bound)
            kind, schedule = membership.kind, membership.schedule
            effort = f"{membership.runs:,} runs along this outcome"
        else:
            [(_, found)] = _explored([litmus], bound)
            chosen = _chosen(outcome, found)
            schedule = found.schedule_to(chosen.canonical) if chosen is not None else None
            kind = "allowed" if chosen is not None else "forbidden" if found.complete else "undecided"
            effort = _effort(found)
    data: dict[str, Any] = {
        "test": litmus.name,
        "verdict": kind,
        "effort": effort,
        "schedule": schedule,
        "replay": None,
    }
    if chosen is None:
        data["unseen"] = _unseen(outcome, found)
        condition = parse(outcome)
        data["in_different_logs"] = isinstance(condition, InOrder) and condition.is_apart(found.outcomes.values())
    if schedule is not None and chosen is not None:
        choices = f" --schedule {','.join(map(str, schedule))}" if schedule else ""
        data |= {"outcome": chosen.to_data(), "replay": f"modelcontext trace {litmus.path}{choices}"}
        if not outcome.endswith(".json"):
            data["decisive"] = decisive_choice(litmus.program, chosen, bound=bound)
    if as_json:
        print_json(data)
    else:
        click.echo("\n".join(explained_lines(data, bound)))
    sys.exit({"allowed": 0, "forbidden": FOUND}.get(kind, USAGE))


@command.command(epilog="\b\nExample:\n  modelcontext litmus promote abort-resolve")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_bound
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if something would be written.")
def promote(names: tuple[str, ...], bound: int, check: bool) -> None:
    """Write the allowed outcomes to files beside the tests, and show the changes.

    Exit code 0: done; 1: --check has found a change; 2: a search was cut off.
    """
    with exit_on_problems("what was shown before is written"):
        if not check:
            require_checkout(project_root(), "`litmus promote` without --check")
        changed = False
        for litmus, found in _explored(_read(names), bound):
            if not found.complete:
                problem = (
                    f"the search was cut off at {bound} runs, so there is nothing to promote; make the program smaller"
                )
                raise ProgramError(str(litmus.path), "", problem)
            outcomes = list(found.outcomes.values())
            text = outcomes_text(outcomes)
            before = litmus.promoted() or []
            if litmus.outcomes_path.is_file() and litmus.outcomes_path.read_text(encoding="utf-8") == text:
                click.echo(f"{litmus.name}: {len(outcomes)} outcomes, as before")
                continue
            changed = True
            click.echo(f"{litmus.name}: {len(before)} outcomes before, {len(outcomes)} now")
            problems = list(problems_of_kinds(litmus, in_order(outcomes)))
            for sign, some, others in (("-", before, outcomes), ("+", outcomes, before)):
                for outcome in in_order([outcome for outcome in some if outcome not in others]):
                    click.echo("\n".join(f"  {sign} {line}" for line in describe(outcome)))
            for problem in problems:
                click.echo(f"  WRONG {problem}")
            if not check:
                write_whole(litmus.outcomes_path, text)
    sys.exit(FOUND if check and changed else 0)


@command.command(epilog="\b\nExample:\n  modelcontext litmus run abort-resolve --product chromium --repeat 200")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.products("chromium")
@options.port
@click.option(
    "--repeat",
    type=click.IntRange(1),
    help="The runs of each test [200], or of each outcome with --steer [10].",
)
@click.option("--steer", is_flag=True, help="Bring about each outcome: make documents wait as in the model's schedule.")
@click.option("--until-shown", is_flag=True, help="With --steer, end the runs to an outcome when one has shown it.")
@click.option(
    "--outcome", help="With --steer, only this outcome, as in `litmus explain`; also print what waits for what."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of delays and schedules.")
@click.option("--undisturbed", is_flag=True, help="Run without delays and load, or first in, first out.")
@options.frames
@click.option("--all", "every", is_flag=True, help="With --inject and product simulated: run under every schedule.")
@click.option("--schedule", metavar="LIST", help="With --inject and product simulated: run once, under this schedule.")
@_bound
@options.as_json
def run(
    names: tuple[str, ...],
    chosen: options.Chosen,
    port: int,
    repeat: int | None,
    steer: bool,
    until_shown: bool,
    outcome: str | None,
    seed: int,
    undisturbed: bool,
    frames: bool,
    every: bool,
    schedule: str | None,
    bound: int,
    as_json: bool,
) -> None:
    """Run tests many times on products, with delays and load, and count how often each allowed outcome is seen.

    Products simulated and model have no delays: each of their runs has a schedule of its own.

    With --steer the runs are not left to chance: each allowed outcome in turn is the aim of some runs, in which documents
    wait for each other as in a schedule of the model that shows it.

    Known deviations of a product are in wpt_tests/expectations/litmus-PRODUCT.toml. With --inject none is known.

    With --all and --product simulated the script of --inject stands in the place of the API, and each test runs under every
    schedule, at most --bound runs of them, or else under sampled ones. Each outcome that is not allowed is shown with its
    smallest schedule, which --schedule runs again.

    Exit code 0: every outcome is allowed or known; 1: one is not; 2: a test could not be run or judged.
    """
    if every or schedule is not None:
        if not chosen.inject or tuple(chosen.products) != (SIMULATED,):
            raise click.UsageError("--all and --schedule go with --inject FILE --product simulated")
        with exit_on_problems():
            hold(_read(names), chosen.inject, bound, schedule, as_json=as_json)
    if outcome is not None and not steer:
        raise click.UsageError("--outcome says where to steer; it needs --steer")
    if until_shown and not steer:
        raise click.UsageError("--until-shown ends runs to an outcome; it needs --steer")
    if steer and frames:
        raise click.UsageError("--steer runs each program in a page of its own; leave out --frames")
    with exit_on_problems(), ExitStack() as stack:
        tests = _read(names)
        if outcome is not None and len(tests) != 1:
            raise click.UsageError(
                f"--outcome is of one test; name one of {', '.join(litmus.name for litmus in tests)}"
            )
        known = {name: _known(name) if not chosen.inject else {} for name in chosen.products}
        scripts = [disturbance(seed)] if not undisturbed and not steer else []
        schedules = seed if not undisturbed else None
        running = [
            options.launched(stack, chosen.product(name, port, in_frames=frames, scripts=scripts, seed=schedules))
            for name in chosen.products
        ]
        results: list[dict[str, Any]] = []
        for litmus, found in _explored(tests, bound):
            for product in running:
                if not product.implements(litmus.program.revision):
                    continue
                deviations = known[product.name].get(litmus.name, ())
                if steer:
                    results.append(_steered(litmus, product, found, repeat or 10, outcome, deviations, until_shown))
                else:
                    with one_bar(f"{litmus.name} on {product.name}", repeat or 200) as advance:
                        sampled = sample(litmus, product, found, repeat or 200, advance, deviations)
                    results.append(_sampled(litmus, product, found, sampled))
                if not as_json:
                    click.echo("\n".join(sampled_lines(results[-1])))
        if as_json:
            print_json({"seed": None if undisturbed or steer else seed, "tests": results})
        elif steer and len(results) > 1:
            click.echo(steered_total(results))
    if any(test["not_judged"] for test in results):
        sys.exit(USAGE)
    sys.exit(FOUND if any(test["outside"] for test in results) else 0)


def _read(names: Sequence[str], *, others: bool = False) -> list[Litmus]:
    folder = project_root() / CATALOGUE
    return read_any(folder, names, options.programs_by_name()) if others and names else read_catalogue(folder, names)


def _known(product: str) -> Mapping[str, Sequence[KnownDeviation]]:
    path = project_root() / f"wpt_tests/expectations/litmus-{product}.toml"
    return known_deviations(path, vocabulary(product, "current"))


def _explored(tests: Sequence[Litmus], bound: int, pool: Executor | None = None) -> list[tuple[Litmus, Exploration]]:
    with one_bar("exploring", len(tests)) as advance:
        return list(explore_all(tests, bound, pool, lambda: advance(1)))


def _chosen(text: str, found: Exploration) -> Outcome | None:
    outcomes = in_order(list(found.outcomes.values()))
    if text.isdigit():
        if not 1 <= int(text) <= len(outcomes):
            raise click.UsageError(f"there is no outcome {text}; `litmus enumerate` has 1 to {len(outcomes)}")
        return outcomes[int(text) - 1]
    try:
        condition = parse(text)
    except ConditionError as error:
        raise click.UsageError(str(error)) from None
    return next((outcome for outcome in outcomes if condition.holds(outcome)), None)


def _unseen(text: str, found: Exploration) -> dict[str, Sequence[str]]:
    """Return the facts of a condition that no outcome has an entry for, with the first two words of each entry."""
    outcomes = list(found.outcomes.values())
    lines = [describe_entry(entry) for outcome in outcomes for log in outcome.logs.values() for entry in log]
    beginnings = sorted({" ".join(line.split()[:2]) for line in lines})
    unseen = [fact for fact in parse(text).facts if not any(any(fact.places(outcome)) for outcome in outcomes)]
    return {fact.words: beginnings for fact in unseen}


def _read_outcome(path: Path) -> Outcome:
    try:
        return loads(path.read_text(encoding="utf-8"))
    except (OSError, OutcomeError) as error:
        raise click.UsageError(f"{path}: {error}") from None


def _effort(found: Exploration) -> str:
    extent = "complete" if found.complete else f"undecided, cut off at {found.bound:,} runs"
    return (
        f"{len(found.outcomes)} outcomes, {extent}: {found.covered:,} schedules in {found.states:,} states and "
        f"{found.transitions:,} transitions; {found.runs:,} runs, {found.blocked:,} of them in vain; {found.seconds:.1f} s"
    )


def _kinds(litmus: Litmus, outcome: Outcome) -> list[str]:
    return [kind.words for kind in litmus.kinds if kind.has(outcome)]


def _enumerated(litmus: Litmus, found: Exploration, steps: Steps) -> dict[str, Any]:
    outcomes = in_order(list(found.outcomes.values()))
    problems = list(problems_of_steps(litmus, steps))
    if found.complete and litmus.says_something:
        problems += [*problems_of_kinds(litmus, outcomes), *problems_of_promoted(litmus, outcomes)]
    return {
        "test": litmus.name,
        "title": litmus.program.title,
        "race": litmus.race,
        "complete": found.complete,
        "bound": found.bound,
        "runs": found.runs,
        "blocked": found.blocked,
        "states": found.states,
        "transitions": found.transitions,
        "schedules": found.covered,
        "seconds": round(found.seconds, 3),
        "effort": _effort(found),
        "outcomes": [outcome.to_data() for outcome in outcomes],
        "kinds": [_kinds(litmus, outcome) for outcome in outcomes],
        "problems": problems,
    }


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
            {"times": sampled.seen[one.canonical], "outcome": one.to_data(), "kinds": _kinds(litmus, one)}
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
    if not isinstance(product, BrowserProduct):
        raise click.UsageError(f"product {product.name} has no processes that could wait; steer a browser")
    outcomes = in_order(list(found.outcomes.values()))
    chosen = outcomes
    if outcome is not None:
        aim = _chosen(outcome, found)
        if aim is None:
            raise click.UsageError(f"no outcome of {litmus.name} meets {outcome!r}; `litmus enumerate` lists them")
        chosen = [aim]
    with one_bar(f"{litmus.name} on {product.name}", repeat * len(chosen)) as advance:
        steered = list(steer_to(litmus, product, found, chosen, repeat, advance, until_shown=until_shown))
    observations = [observation for one in steered for observation in one.observations]
    shown = [observation.outcome for observation in observations if observation.outcome is not None]
    data = _sampled(litmus, product, found, tally(litmus, observations, found, deviations))
    data["steered"] = [
        {
            "outcome": outcomes.index(one.outcome) + 1,
            "kinds": _kinds(litmus, one.outcome),
            "runs": len(one.observations),
            "hits": list(one.hits),
            "missing": None if one.hits else missing(one.outcome, shown),
            "waits": list(one.timetable.waits()),
        }
        for one in steered
    ]
    data["is_one"] = outcome is not None
    return data
