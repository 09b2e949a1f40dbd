"""``modelcontext litmus``: programs with a race, and all the outcomes that they may have."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from modelcontext.checkout import project_root, require_checkout
from modelcontext.cli import options
from modelcontext.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.cli.progress import one_bar
from modelcontext.conformance.expectations import vocabulary
from modelcontext.conformance.pools import cluster_pool, local_pool
from modelcontext.files import write_whole
from modelcontext.litmus.check import Steps, problems_of_kinds, problems_of_promoted, problems_of_steps
from modelcontext.litmus.conditions import ConditionError, parse
from modelcontext.litmus.expectations import KnownDeviation, known_deviations
from modelcontext.litmus.exploration import explore_all
from modelcontext.litmus.language import CATALOGUE, Litmus, in_order, outcomes_text, read_catalogue
from modelcontext.litmus.sample import Sample, disturbance, sample
from modelcontext.program.explore import BOUND, Exploration, judge
from modelcontext.program.language import ProgramError
from modelcontext.program.outcome import Outcome, OutcomeError, describe, loads
from modelcontext.program.outcome import from_data as outcome_from_data
from modelcontext.specification import load_algorithms

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.products import Product

T = TypeVar("T")

#: Where it stands what products are known to do otherwise.
EXPECTATIONS = Path("wpt_tests/expectations")

_bound = click.option(
    "--bound",
    type=click.IntRange(1),
    default=BOUND,
    show_default=True,
    help="How many runs of the model to spend on one test.",
)


@click.group()
def command() -> None:
    """Programs with a race, and all the outcomes that they may have.

    NAME is family/name, a family, or a path; without one, all tests of wpt_tests/litmus are meant.
    """


@command.command(epilog="\b\nExample:\n  modelcontext litmus enumerate abort-resolve")
@click.argument("names", nargs=-1, metavar="NAME...")
@_bound
@options.workers
@options.cluster
@options.as_json
def enumerate(names: tuple[str, ...], bound: int, workers: int, cluster: str | None, as_json: bool) -> None:
    """List the allowed outcomes, and hold the tests against them.

    Exit code 0 if kinds, promoted outcomes and steps are right, 1 if something is not, 2 if a search was cut off.
    """
    with exit_on_problems(), ExitStack() as stack:
        pool: Executor | None = None
        if cluster is not None:
            pool = stack.enter_context(cluster_pool(cluster))
        elif workers > 1:
            pool = stack.enter_context(local_pool(workers))
        steps = {algorithm.id: [step.number for step in algorithm.steps] for algorithm in load_algorithms()}
        tests = []
        for litmus, found in _explored(_read(names), bound, pool):
            tests.append(_data(litmus, found, steps))
            if not as_json:
                _print_enumerated(tests[-1])
    if as_json:
        click.echo(json.dumps({"bound": bound, "tests": tests}, indent=2))
    if not all(test["complete"] for test in tests):
        sys.exit(USAGE)
    sys.exit(1 if any(test["problems"] for test in tests) else 0)


def _print_enumerated(test: Mapping[str, Any]) -> None:
    click.echo(f"{test['test']}: {test['title']}")
    click.echo(f"  race: {test['race']}")
    click.echo(f"  {test['effort']}")
    for (number, outcome), kinds in zip(_numbered(test["outcomes"]), test["kinds"], strict=True):
        click.echo(f"  outcome {number}" + (f": {'; '.join(kinds)}" if kinds else ""))
        click.echo("\n".join(f"    {line}" for line in describe(outcome_from_data(outcome))))
    for problem in test["problems"]:
        click.echo(f"  WRONG {problem}")


@command.command(epilog="\b\nExample:\n  modelcontext litmus explain abort-resolve/in-flight 'call: fulfilled'")
@click.argument("name")
@click.argument("outcome")
@_bound
@options.as_json
def explain(name: str, outcome: str, bound: int, as_json: bool) -> None:
    """Show how an outcome comes about, or that it cannot.

    OUTCOME is a number from `litmus enumerate`, a condition such as 'call: fulfilled' (docs/litmus.md), or a .json file with
    an outcome. Exit code 0 with a schedule that shows it, 1 if no schedule does, 2 if the search was cut off.
    """
    with exit_on_problems():
        tests = _read([name])
        if len(tests) != 1:
            raise click.UsageError(f"{name} is a family; name one of {', '.join(litmus.name for litmus in tests)}")
        [litmus] = tests
        found_outcome: Outcome | None
        if outcome.endswith(".json"):
            observed = _read_outcome(Path(outcome))
            membership = judge(litmus.program, observed, bound=bound)
            kind, found_outcome, schedule = membership.kind, observed, membership.schedule
            effort = f"{membership.runs:,} runs along this outcome"
        else:
            [(_, found)] = _explored([litmus], bound)
            found_outcome = _chosen(outcome, found)
            effort = _effort(found)
            schedule = found.schedules[found_outcome.canonical] if found_outcome is not None else None
            kind = "allowed" if schedule is not None else "forbidden" if found.complete else "undecided"
    schedule_text = ",".join(map(str, schedule)) if schedule is not None else None
    replay = f"modelcontext trace {litmus.path}" + (f" --schedule {schedule_text}" if schedule_text else "")
    if as_json:
        data: dict[str, Any] = {
            "test": litmus.name,
            "verdict": kind,
            "effort": effort,
            "schedule": schedule,
            "replay": None,
        }
        if schedule is not None and found_outcome is not None:
            data |= {"outcome": found_outcome.to_data(), "replay": replay}
        click.echo(json.dumps(data, indent=2))
    elif schedule is not None and found_outcome is not None:
        click.echo(f"allowed: {effort}")
        click.echo("\n".join(describe(found_outcome)))
        click.echo(f"schedule: {schedule_text or '(no free choice)'}\nreplay:   {replay}")
    elif kind == "forbidden":
        click.echo(f"forbidden: no schedule shows this. The search was complete: {effort}")
    else:
        click.echo(f"undecided: the search was cut off at --bound {bound}: {effort}")
    sys.exit({"allowed": 0, "forbidden": 1}.get(kind, USAGE))


@command.command(epilog="\b\nExample:\n  modelcontext litmus promote abort-resolve")
@click.argument("names", nargs=-1, metavar="NAME...")
@_bound
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if something would be written.")
def promote(names: tuple[str, ...], bound: int, check: bool) -> None:
    """Write the allowed outcomes beside the tests, and show what changes."""
    with exit_on_problems("what was shown before is written"):
        if not check:
            require_checkout("`litmus promote` without --check")
        tests = _read(names)
        changed = False
        for litmus, found in _explored(tests, bound):
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
            for sign, some, others in (("-", before, outcomes), ("+", outcomes, before)):
                for outcome in in_order([outcome for outcome in some if outcome not in others]):
                    click.echo("\n".join(f"  {sign} {line}" for line in describe(outcome)))
            if not check:
                write_whole(litmus.outcomes_path, text)
    sys.exit(1 if check and changed else 0)


@command.command(epilog="\b\nExample:\n  modelcontext litmus run abort-resolve --product chromium --repeat 200")
@click.argument("names", nargs=-1, metavar="NAME...")
@options.products("chromium")
@options.port
@click.option("--repeat", type=click.IntRange(1), default=200, show_default=True, help="How often to run each test.")
@click.option("--seed", type=int, default=1, show_default=True, help="What the delays depend on.")
@click.option("--undisturbed", is_flag=True, help="Without delays and load.")
@options.frames
@_bound
@options.as_json
def run(
    names: tuple[str, ...],
    chosen: options.Chosen,
    port: int,
    repeat: int,
    seed: int,
    undisturbed: bool,
    frames: bool,
    bound: int,
    as_json: bool,
) -> None:
    """Run tests again and again on products, with delays and load, and count which allowed outcomes show.

    What a product is known to do otherwise stands in wpt_tests/expectations/litmus-PRODUCT.toml.
    With --inject nothing is known.

    Exit code 0 if every outcome is allowed or known, 1 if one is not, 2 if something could not be run or judged.
    """
    with exit_on_problems(), ExitStack() as stack:
        tests = _read(names)
        known = {name: _known(name) if not chosen.inject else {} for name in chosen.products}
        scripts = [disturbance(seed)] if not undisturbed else []
        running = [
            options.launched(stack, chosen.product(name, port, in_frames=frames, scripts=scripts))
            for name in chosen.products
        ]
        results: list[dict[str, Any]] = []
        samples: list[Sample] = []
        for litmus, found in _explored(tests, bound):
            for product in running:
                if not product.implements(litmus.program.revision):
                    continue
                deviations = known[product.name].get(litmus.name, ())
                with one_bar(f"{litmus.name} on {product.name}", repeat) as advance:
                    sampled = sample(litmus, product, found, repeat, advance, deviations)
                samples.append(sampled)
                if as_json:
                    results.append(_sample_data(litmus, product, found, sampled))
                else:
                    _print_sample(litmus, product, found, sampled)
        if as_json:
            click.echo(json.dumps({"seed": None if undisturbed else seed, "tests": results}, indent=2))
    if any(sampled.unsound for sampled in samples):
        sys.exit(USAGE)
    sys.exit(1 if any(sampled.outside for sampled in samples) else 0)


def _read(names: Sequence[str]) -> list[Litmus]:
    return read_catalogue(project_root() / CATALOGUE, names)


def _known(product: str) -> Mapping[str, Sequence[KnownDeviation]]:
    return known_deviations(project_root() / EXPECTATIONS / f"litmus-{product}.toml", vocabulary(product, "current"))


def _explored(tests: Sequence[Litmus], bound: int, pool: Executor | None = None) -> list[tuple[Litmus, Exploration]]:
    with one_bar("exploring", len(tests)) as advance:
        return list(explore_all(tests, bound, pool, lambda: advance(1)))


def _numbered(items: Sequence[T]) -> list[tuple[int, T]]:
    return list(zip(range(1, len(items) + 1), items, strict=True))


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


def _data(litmus: Litmus, found: Exploration, steps: Steps) -> dict[str, Any]:
    outcomes = in_order(list(found.outcomes.values()))
    problems = list(problems_of_steps(litmus, steps))
    if found.complete:
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
        "kinds": [[kind.words for kind in litmus.kinds if kind.has(outcome)] for outcome in outcomes],
        "problems": problems,
    }


def _print_sample(litmus: Litmus, product: Product, found: Exploration, sampled: Sample) -> None:
    words = "allowed" if found.complete else "known"
    click.echo(f"{litmus.name} on {product.name} {product.version}: {sampled.runs} runs")
    shown = sum(1 for text in found.outcomes if sampled.seen[text])
    click.echo(f"  {shown} of {len(found.outcomes)} {words} outcomes were seen")
    for number, outcome in _numbered(in_order(list(found.outcomes.values()))):
        kinds = "; ".join(kind.words for kind in litmus.kinds if kind.has(outcome))
        click.echo(f"  {sampled.seen[outcome.canonical]:>6} times outcome {number}" + (f": {kinds}" if kinds else ""))
    for title, counts in (("KNOWN", sampled.known), ("OUTSIDE", sampled.outside), ("NOT JUDGED", sampled.unsound)):
        for text, count in counts.items():
            deviation = sampled.deviations.get(text)
            why = f", though not allowed by {deviation.step}: {deviation.note}" if deviation is not None else ""
            click.echo(f"  {count:>6} times {title}{why}")
            lines = describe(sampled.outcomes[text]) if text in sampled.outcomes else [text]
            click.echo("\n".join(f"           {line}" for line in lines))


def _sample_data(litmus: Litmus, product: Product, found: Exploration, sampled: Sample) -> dict[str, Any]:
    def counted(counts: dict[str, int]) -> list[dict[str, Any]]:
        return [
            {"times": count, "outcome": sampled.outcomes[text].to_data()}
            if text in sampled.outcomes
            else {"times": count, "problem": text}
            for text, count in counts.items()
        ]

    seen = {outcome.canonical: sampled.seen[outcome.canonical] for outcome in in_order(list(found.outcomes.values()))}
    allowed = [{"times": count, "outcome": found.outcomes[text].to_data()} for text, count in seen.items()]
    return {
        "test": litmus.name,
        "product": product.name,
        "version": product.version,
        "runs": sampled.runs,
        "allowed": allowed,
        "allowed_is_complete": found.complete,
        "known": counted(sampled.known),
        "outside": counted(sampled.outside),
        "not_judged": counted(sampled.unsound),
    }
