"""``modelcontext run``: programs on products, held against the allowed outcomes."""

from __future__ import annotations

import json
from pathlib import Path

import click

from modelcontext.cli.problems import exit_on_problems
from modelcontext.products.chromium import Chromium
from modelcontext.program import language
from modelcontext.program.outcome import describe


@click.command(
    epilog="Example: modelcontext run wpt_tests/programs/execute/undefined-result.toml --product chromium --observe"
)
@click.argument("programs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--observe", is_flag=True, help="Only print what was observed; judge nothing.")
@click.option("--product", "products", multiple=True, default=["chromium"], help="Where to run.")
@click.option("--binary", help="The Chromium to run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    programs: tuple[Path, ...], observe: bool, products: tuple[str, ...], binary: str | None, as_json: bool
) -> None:
    """Run PROGRAMS (.toml or .json) and print what was observed."""
    with exit_on_problems():
        read = [language.load(path) for path in programs]
        with Chromium(binary) as product:
            for program in read:
                observation = product.run(program)
                if as_json:
                    outcome = observation.outcome.to_data() if observation.outcome is not None else None
                    click.echo(
                        json.dumps({"program": program.source, "ending": observation.ending, "outcome": outcome})
                    )
                    continue
                click.echo(f"{program.source}: {observation.ending} {observation.detail}".rstrip())
                for line in describe(observation.outcome) if observation.outcome is not None else ():
                    click.echo(f"  {line}")
