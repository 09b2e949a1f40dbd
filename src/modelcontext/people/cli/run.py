"""``modelcontext run``: programs on products, judged by the allowed outcomes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.words import counted
from modelcontext.judging.conformance.corpus import Case, read_case
from modelcontext.judging.conformance.expectations import Expectation, file_about, load_expectations, vocabulary
from modelcontext.judging.conformance.repetition import ShownObservation, count, run_often
from modelcontext.judging.conformance.verdict import LIST_BOUND, UNSOUND, Standing, Verdicts
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext.people.reports.terminal import disagreement
from modelcontext.programs.program.outcome import Outcome, describe
from modelcontext.programs.program.reading import of_revision
from modelcontext.running.products import PRODUCTS, Product, default_products, make_product
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext.spec.specification.text.published import published_step, published_steps

#: The number of allowed outcomes that are printed.
_MOST_LISTED: Final = 6


@verb(
    epilog="\b\nExample:\n  modelcontext run results/undefined --product chromium"
    "\n  modelcontext run wpt_tests/programs/races/*.toml --product page --repeat 200 --frames"
)
@click.argument(
    "programs", nargs=-1, required=True, callback=options.find_programs, shell_complete=options.complete_programs
)
@options.products(configured=True)
@options.port
@options.as_json
@click.option(
    "--repeat", type=click.IntRange(1), default=1, show_default=True, help="The number of runs of each program."
)
@options.frames
@click.option("--observe", is_flag=True, help="Print the observed outcomes, without a verdict.")
@click.option(
    "--revision",
    type=options.REVISION,
    help="Run all programs with this revision.  [default: the revision that each program names]",
)
@options.text
def command(
    programs: tuple[Path, ...],
    chosen: options.Chosen,
    port: int,
    as_json: bool,
    repeat: int,
    frames: bool,
    observe: bool,
    revision: str | None,
    by_text: bool,
) -> None:
    """Run PROGRAMS on products, and say whether the specification allows each outcome.

    A program is a .toml or .json file, or the name of a program or litmus test of this project: results/undefined.

    Without --product, programs run on the model and on the browser that implements their revision: Chromium for the
    current revision, Firefox for 2026-03.

    With --text the programs run with another text. If the compiler does not understand a step of this text, a program
    that reaches this step ends there.

    With --repeat each program runs many times. The command counts each different outcome, and judges it once.

    Exit code 0: every outcome is allowed; 1: an outcome is not allowed; 2: a program could not be run or judged.
    """
    with exit_on_problems():
        cases = [read_case(path) for path in programs]
        if by_text:
            revision = CURRENT.name
        if revision is not None:
            cases = [replace(case, program=of_revision(case.program, revision)) for case in cases]
        products = _choose(chosen, cases, frames, port)
        # With scripts of the user's, by another revision or text, nothing is known.
        known = _Known(() if chosen.inject or revision else (product.name for product in products))
        verdicts = Verdicts()
        results = []
        standings = set()
        interruption = Interruption()
        with ExitStack() as stack:
            running, absent = options.launched_if_possible(stack, products)
            with interruption.kept():
                for case in cases:
                    listing = None if observe else verdicts.listing(case.program)
                    result: dict[str, Any] = {"program": str(case.path), "title": case.program.title, "products": {}}
                    if listing is not None:
                        result["allowed"] = [outcome.to_data() for outcome in listing.outcomes]
                        result["allowed_is_complete"] = listing.complete
                    results.append(result)
                    if not as_json:
                        click.echo(f"{case.path}: {case.program.title}")
                        if listing is not None:
                            more = (
                                ""
                                if listing.complete
                                else f", and perhaps more: the search reached its limit of {LIST_BOUND:,} runs, and"
                                f" `litmus enumerate {case.path}` searches longer"
                            )
                            click.echo(f"  the specification allows {counted(len(listing.outcomes), 'outcome')}{more}")
                            click.echo("".join(_listed(listing.outcomes)), nl=False)
                    for product in running:
                        its, program = case.program.revision, product.reads(case.program)
                        if program is None:
                            continue
                        with one_bar(f"{case.name} on {product.name}", repeat) as advance:
                            observations = run_often(program, product, repeat, advance)
                        with product.text():
                            counted_runs = count(program, observations, None if observe else verdicts)
                        cells = []
                        for shown in counted_runs:
                            expected = known.expected(case, product.name, shown)
                            cells.append(_cell(shown, expected, its))
                            if shown.verdict is not None:
                                standings.add(shown.verdict.standing)
                            if not as_json:
                                click.echo(f"  {product.name} {product.version}: {_words(shown, repeat, its)}")
                                if expected is not None:
                                    click.echo(f"    {_known(expected, its)}")
                                click.echo("".join(f"    {line}\n" for line in _observed(shown)), nl=False)
                        result["products"][product.name] = cells[0] | ({"others": cells[1:]} if cells[1:] else {})
        if as_json:
            print_json({"programs": results, "interrupted": interruption.happened})
    options.show_absent(absent)
    interruption.end(f"{len(cases) - len(results)} of {counted(len(cases), 'program')} did not run")
    if absent or standings & UNSOUND:
        sys.exit(USAGE)
    sys.exit(FOUND if Standing.FAIL in standings else 0)


def _choose(chosen: options.Chosen, cases: Sequence[Case], frames: bool, port: int) -> list[Product]:
    """Return the products to run on.

    Raises:
        click.UsageError: if a named product does not implement the revision of a program.
    """
    defaults = dict.fromkeys(name for case in cases for name in default_products(case.program.revision))
    products = [
        chosen.product(name, port, in_frames=frames) for name in chosen.or_else(chosen.default or tuple(defaults))
    ]
    for product in products if chosen.named else ():
        for case in cases:
            revision = case.program.revision
            if not product.implements(revision):
                others = [name for name in PRODUCTS if make_product(name).implements(revision)]
                raise click.UsageError(
                    f"{case.path} is a program of the revision {revision}, which {product.name} does not implement: "
                    f"run it on {' or '.join(others)}"
                )
    return products


class _Known:
    """The known deviations of the project's own programs."""

    def __init__(self, products: Iterable[str]) -> None:
        self._folder = (project_root() / "wpt_tests").resolve()
        self._by_path: dict[tuple[Path, str], Expectation] = {}
        for name in products:
            for folder in sorted(self._folder.glob("expectations*")):
                programs, file = (
                    folder.with_name(folder.name.replace("expectations", "programs")),
                    file_about(folder, name),
                )
                for program, one in load_expectations(file, vocabulary(name, *FILES)).items():
                    self._by_path[programs / program, name] = one

    def expected(self, case: Case, product: str, shown: ShownObservation) -> Expectation | None:
        """Return the known deviation that a run has shown, if it is one."""
        verdict = shown.verdict
        if verdict is None or verdict.standing is not Standing.FAIL:
            return None
        expected = self._by_path.get((case.path.resolve().with_suffix(""), product))
        return expected if expected is not None and expected.observed == verdict.observed else None


def _listed(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the allowed outcomes, of which a few can be read."""
    for number, outcome in enumerate(outcomes[:_MOST_LISTED], 1):
        if len(outcomes) > 1:
            yield f"    {number}:\n"
        yield from (f"    {line}\n" for line in describe(outcome))
    if len(outcomes) > _MOST_LISTED:
        yield f"    and {len(outcomes) - _MOST_LISTED} more; --json has all of them\n"


def _known(expected: Expectation, revision: str) -> str:
    published = published_step(revision, expected.step)
    beside = f", {published} of the published text" if published is not None else ""
    return f"known {replace(expected, step=expected.step + beside).words}"


def _words(shown: ShownObservation, repeat: int, revision: str) -> str:
    verdict = shown.verdict
    times = f" ({shown.times} of {repeat} runs)" if repeat > 1 else ""
    if verdict is None:
        return f"{shown.observation.ending}{times}"
    if verdict.standing is Standing.PASS:
        return f"allowed{times}"
    if verdict.standing is not Standing.FAIL:
        return verdict.standing.upper() + times + (f": {verdict.observed}" if verdict.observed else "")
    lines = [
        f"NOT allowed{times}",
        disagreement(verdict),
        *(str(step) for _, step in verdict.allowed if step is not None),
    ]
    if published := published_steps(revision, verdict.steps):
        lines.append(f"in the published text: {', '.join(published)}")
    return "\n    ".join(lines)


def _observed(shown: ShownObservation) -> list[str]:
    observation = shown.observation
    if observation.outcome is not None:
        return describe(observation.outcome)
    return [observation.detail] if observation.detail and shown.verdict is None else []


def _cell(shown: ShownObservation, expected: Expectation | None, revision: str) -> dict[str, Any]:
    observation, verdict = shown.observation, shown.verdict
    cell: dict[str, Any] = {
        "ending": observation.ending,
        "detail": observation.detail,
        "outcome": observation.outcome.to_data() if observation.outcome is not None else None,
        "seconds": round(observation.seconds, 4),
        "times": shown.times,
    }
    if verdict is not None:
        cell["standing"] = verdict.standing
        if verdict.standing is Standing.FAIL:
            cell |= {"place": verdict.place, "observed": verdict.observed, "steps": verdict.steps}
            cell["published"] = published_steps(revision, verdict.steps)
    if expected is not None:
        published = published_step(revision, expected.step)
        known = {"reason": expected.reason, "step": expected.step, "published": published, "note": expected.note}
        cell["known"] = known
    return cell
