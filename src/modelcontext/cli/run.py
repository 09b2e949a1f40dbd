"""``modelcontext run``: programs on products, held against the allowed outcomes."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from modelcontext.cli import options
from modelcontext.cli.problems import USAGE, exit_on_problems
from modelcontext.harness.corpus import Case, read_case
from modelcontext.harness.matrix import disagreement
from modelcontext.harness.verdicts import UNSOUND, Judge, Standing
from modelcontext.products import BROWSERS, DEFAULT_PRODUCTS, PRODUCTS, Product, UnavailableError, make_product
from modelcontext.products.base import Observation
from modelcontext.program.notation import DIALECTS
from modelcontext.program.outcome import describe


@click.command(epilog="\b\nExample:\n  modelcontext run wpt_tests/programs/results/undefined.toml --product chromium")
@click.argument("programs", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.products()
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

    Without --product they run on the model and on the browser that implements their revision: Chromium the current one,
    Firefox 2026-03.

    Exit code 0 if every outcome is allowed, 1 if one is not, 2 if something could not be run or judged.
    """
    with exit_on_problems():
        cases = [read_case(path) for path in programs]
        if revision is not None:
            cases = [replace(case, program=case.program.of_revision(revision)) for case in cases]
        chosen = _choose(products, cases, binary, port)
        judge = Judge()
        results = []
        standings = set()
        with ExitStack() as stack:
            running = _launch(stack, chosen)
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
                    if not product.implements(case.program.revision):
                        continue
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


def _choose(names: tuple[str, ...], cases: Sequence[Case], binary: str | None, port: int) -> list[Product]:
    """The products to run on. One that was named has to implement the revision of every program."""
    defaults = dict.fromkeys(name for case in cases for name in DEFAULT_PRODUCTS[case.program.revision])
    products = [make_product(name, binary=binary, port=port) for name in names or defaults]
    browsers = [product.name for product in products if product.name in BROWSERS]
    if binary is not None and len(browsers) > 1:
        raise click.UsageError(
            f"--binary is one browser, and {' and '.join(browsers)} are not: name one with --product"
        )
    for product in products if names else ():
        for case in cases:
            revision = case.program.revision
            if not product.implements(revision):
                others = [name for name in PRODUCTS if make_product(name).implements(revision)]
                raise click.UsageError(
                    f"{case.path} is a program of the revision {revision}, which {product.name} does not implement: "
                    f"run it on {' or '.join(others)}"
                )
    return products


def _launch(stack: ExitStack, products: Sequence[Product]) -> list[Product]:
    running = []
    for product in products:
        try:
            running.append(stack.enter_context(product))
        except UnavailableError as error:
            raise UnavailableError(f"{product.name} is NOTRUN: {error.reason}", error.remedy) from None
    return running


def _observed(observation: Observation) -> dict[str, Any]:
    return {
        "ending": observation.ending,
        "detail": observation.detail,
        "outcome": observation.outcome.to_data() if observation.outcome is not None else None,
        "seconds": round(observation.seconds, 4),
    }
