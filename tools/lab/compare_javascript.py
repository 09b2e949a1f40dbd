"""``python -m tools.lab javascript``: generated scripts without WebMCP, in the simulated browser and in others."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.output import bar, print_json
from modelcontext.running.products import BROWSERS, SIMULATED
from tools.lab.javascript import grammar
from tools.lab.javascript.comparison import compare
from tools.lab.javascript.hosts import BrowserHost, LayerHost, SimulatedBrowserHost, page

if TYPE_CHECKING:
    from tools.lab.javascript.comparison import Comparison
    from tools.lab.javascript.hosts import ScriptHost

#: The most lines of a host that are shown.
_MOST_LINES = 12


@click.command(
    epilog="\b\nExamples:\n  python -m tools.lab javascript --product chromium --examples 5000 --seed 1"
    "\n  python -m tools.lab javascript --seed 1 --script 17 > 17.html",
)
@click.option(
    "--product",
    "products",
    type=click.Choice(BROWSERS),
    multiple=True,
    help="A browser to compare as well; may be given several times.",
)
@click.option("--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]")
@click.option(
    "--examples", type=click.IntRange(1), default=1000, show_default=True, help="The number of scripts to run."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="The seed of the scripts: the same seed gives the same scripts.",
)
@click.option(
    "--script",
    "wanted",
    metavar="NUMBER",
    type=click.IntRange(0),
    help="Run nothing; print the script of this number as a page, which `modelcontext js` and browsers run.",
)
@options.as_json
def javascript(
    products: tuple[str, ...], binary: str | None, examples: int, seed: int, wanted: int | None, as_json: bool
) -> None:
    """Run generated scripts without WebMCP in several hosts, and shrink each script whose lines differ.

    The scripts are about promises, thenables, events, abort signals, timers, messages, structured clones, JSON and URLs, and
    show only orders that the standards promise. The hosts are the simulated browser under two schedules, the model's own layer
    in Python (for the scripts that it can say), and the browsers that are named.

    Exit code 0: there are no differences; 1: there are some; 2: a host is missing.
    """
    if wanted is not None:
        return click.echo(page(grammar.numbered_script(seed, wanted), "console.log"))
    if binary is not None and len(products) != 1:
        raise click.UsageError("--binary is one browser: name its product with --product, and no other one")
    with exit_on_problems(as_json=as_json), ExitStack() as stack, bar() as progress:
        hosts: dict[str, ScriptHost] = {SIMULATED: stack.enter_context(SimulatedBrowserHost()), "layer": LayerHost()}
        hosts["another schedule"] = stack.enter_context(SimulatedBrowserHost(seed))
        hosts |= {name: stack.enter_context(BrowserHost(name, binary)) for name in dict.fromkeys(products)}
        task = progress.add_task("scripts", total=examples)

        def advance(comparison: Comparison) -> None:
            words = f"{len(comparison.differences)} differences"
            progress.update(task, completed=comparison.scripts, description=words)

        comparison = compare(hosts, seed, examples, advance)
    versions = {name: host.version for name, host in hosts.items()}
    if as_json:
        found = [difference.to_data() for difference in comparison.differences]
        counts = {"compared": dict(comparison.compared), "known": dict(comparison.known)}
        print_json({"seed": seed, "scripts": comparison.scripts, "hosts": versions, **counts, "differences": found})
    else:
        _print(comparison, versions)
    sys.exit(FOUND if comparison.differences else 0)


def _print(comparison: Comparison, versions: dict[str, str]) -> None:
    first, *others = versions
    click.echo(f"{first} ({versions[first]}): {comparison.scripts} scripts")
    for name in others:
        click.echo(f"{name} ({versions[name]}): {comparison.compared[name]} of them")
    for name, count in comparison.known.most_common():
        click.echo(f"  known, {count} times: {name}")
    for difference in comparison.differences:
        script = difference.script
        click.echo(f"\nScript {difference.number} ({difference.scripts} like it; {script.family}), shrunk:")
        click.echo(grammar.javascript(script.tree))
        for name, lines in difference.lines.items():
            click.echo(f"  {name}:")
            for line in lines[:_MOST_LINES]:
                click.echo(f"    {line}")
            if len(lines) > _MOST_LINES:
                click.echo(f"    and {len(lines) - _MOST_LINES} more lines")
    click.echo(f"\n{len(comparison.differences)} differences")
