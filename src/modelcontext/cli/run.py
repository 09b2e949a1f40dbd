"""``modelcontext run``: programs on products, held against the allowed outcomes."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from modelcontext.cli import options
from modelcontext.cli.problems import USAGE, exit_on_problems
from modelcontext.harness.corpus import read_case
from modelcontext.harness.matrix import disagreement
from modelcontext.harness.verdicts import UNSOUND, Judge, Standing
from modelcontext.products import Product, UnavailableError, make_product
from modelcontext.products.base import Observation
from modelcontext.program.notation import DIALECTS
from modelcontext.program.outcome import describe


@click.command(epilog="\b\nExample:\n  modelcontext run wpt_tests/programs/results/undefined.toml --product chromium")
@click.argument("programs", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.product
@options.binary
@options.port
@options.as_json
@click.option("--observe", is_flag=True, help="Only say what was observed; judge nothing.")
@click.option(
    "--revision",
    type=click.Choice(list(DIALECTS)),
    help="Read the programs as ones of this revision.  [default: the one that each of them names]",
)
def command(
    programs: tuple[Path, ...],
    products: tuple[str, ...],
    binary: str | None,
    port: int,
    as_json: bool,
    observe: bool,
    revision: str | None,
) -> None:
    """Run PROGRAMS (.toml or .json files) on products and hold each outcome against the allowed ones.

    Exit code 0 if every outcome is allowed, 1 if one is not, 2 if something could not be run or judged.
    """
    with exit_on_problems():
        cases = [read_case(path) for path in programs]
        if revision is not None:
            cases = [replace(case, program=case.program.of_revision(revision)) for case in cases]
        judge = Judge()
        results = []
        standings = set()
        with ExitStack() as stack:
            running = _launch(stack, products, binary, port)
            for case in cases:
                listing = None if observe else judge.listing(case.program)
                result: dict[str, Any] = {"program": str(case.path), "title": case.program.title, "products": {}}
                if listing is not None:
                    result["allowed"] = [outcome.to_data() for outcome in listing.outcomes]
                    result["allowed_is_complete"] = listing.complete
                results.append(result)
                if not as_json:
                    click.echo(f"{case.path}: {case.program.title}")
                    if listing is not None:
                        more = "" if listing.complete else ", and perhaps more"
                        click.echo(f"  the specification allows {len(listing.outcomes)} outcome(s){more}")
                        if len(listing.outcomes) == 1:
                            click.echo("\n".join(f"    {line}" for line in describe(listing.outcomes[0])))
                for product in running:
                    observation = product.run(case.program)
                    cell = _observed(observation)
                    result["products"][product.name] = cell
                    words = str(observation.ending)
                    if not observe:
                        verdict = judge.judge(case.program, observation)
                        standings.add(verdict.standing)
                        words = {Standing.PASS: "allowed", Standing.FAIL: "NOT allowed"}.get(
                            verdict.standing, verdict.standing.upper()
                        )
                        cell["standing"] = verdict.standing
                        if verdict.standing is Standing.FAIL:
                            cell |= {"place": verdict.place, "observed": verdict.observed, "steps": verdict.steps}
                            words += f"\n    {disagreement(verdict)}"
                            words += "".join(f"\n    {step}" for _, step in verdict.allowed if step is not None)
                        elif verdict.observed:
                            words += f": {verdict.observed}"
                    if not as_json:
                        click.echo(f"  {product.name} {product.version}: {words}")
                        if observation.outcome is not None:
                            click.echo("\n".join(f"    {line}" for line in describe(observation.outcome)))
                        elif observation.detail and observe:
                            click.echo(f"    {observation.detail}")
        if as_json:
            click.echo(json.dumps({"programs": results}, indent=2))
    if standings & UNSOUND:
        sys.exit(USAGE)
    sys.exit(1 if Standing.FAIL in standings else 0)


def _launch(stack: ExitStack, names: tuple[str, ...], binary: str | None, port: int) -> list[Product]:
    running = []
    for name in names:
        product = make_product(name, binary=binary, port=port)
        try:
            running.append(stack.enter_context(product))
        except UnavailableError as error:
            raise UnavailableError(f"{name} is NOTRUN: {error.reason}", error.remedy) from None
    return running


def _observed(observation: Observation) -> dict[str, Any]:
    return {
        "ending": observation.ending,
        "detail": observation.detail,
        "outcome": observation.outcome.to_data() if observation.outcome is not None else None,
        "seconds": round(observation.seconds, 4),
    }
