"""``modelcontext compare``: two results of the same tests, by what came and what was mended, one line for each cause."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext_builds.report_lines import ReportLine, Results, read_results

#: The results of one cause, and the characters of a message, that are shown.
MOST_OF_A_CAUSE: Final = 5
MOST_CHARACTERS: Final = 200


@dataclass(frozen=True)
class Change:  # Of a result; the patches of texts have others.
    """One cause of results that became ``new`` (failures), ``changed`` or ``fixed``, and the names of these results."""

    kind: str
    cause: str
    names: Sequence[str]


def changes(old: Results, new: Results) -> list[Change]:
    """Return what differs in the results that both have, or only the new one; first new failures, then by their number."""
    groups: dict[tuple[str, str], list[str]] = {}
    for key, (kind, cause) in _changed(old, new):
        groups.setdefault((kind, cause), []).append(key)
    found = [Change(kind, cause, names) for (kind, cause), names in groups.items()]
    order = ("new", "changed", "fixed")
    return sorted(found, key=lambda one: (order.index(one.kind), -len(one.names), one.cause))


def _changed(old: Results, new: Results) -> Iterator[tuple[str, tuple[str, str]]]:
    for key, now in new.items():
        before = old.get(key, ReportLine("absent"))
        if before.cause == now.cause:
            continue
        if now.is_good:
            if key in old:
                yield key, ("fixed", before.cause)
        else:
            yield key, ("new" if before.is_good or key not in old else "changed", now.cause)


@verb(epilog="\b\nExample:\n  modelcontext test --json > new.json\n  modelcontext compare old.json new.json")
@click.argument("old", type=options.FILE)
@click.argument("new", type=options.FILE)
@click.option("--all", "every", is_flag=True, help="Print every result, and whole messages.")
@options.as_json
def command(old: Path, new: Path, every: bool, as_json: bool) -> None:
    """Compare two results of tests or programs: OLD and NEW, each what `test --json` prints, or a conformance.json.

    Results that fail for one cause are one line: their messages are the same but for quotations and numbers.

    Exit code 0: nothing fails in NEW that did not fail so in OLD; 1: something does.
    """
    with exit_on_problems():
        before, after = read_results(old), read_results(new)
        found = changes(before, after)
        gone = [name for name in before if name not in after]
        if as_json:
            print_json({"changes": [vars(one) for one in found], "gone": gone})
        else:
            _print(found, every=every)
            counts = {
                kind: sum(len(one.names) for one in found if one.kind == kind) for kind in ("new", "changed", "fixed")
            }
            words = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
            click.echo(f"{counted(len(after), 'result')}: {words}, {len(gone):,} gone")
    sys.exit(FOUND if any(one.kind != "fixed" for one in found) else 0)


def _print(found: Sequence[Change], *, every: bool) -> None:
    for one in found:
        cause = one.cause if every or len(one.cause) <= MOST_CHARACTERS else f"{one.cause[:MOST_CHARACTERS]}…"
        click.echo(f"{one.kind}, {counted(len(one.names), 'result')}: {' '.join(cause.split())}")
        for name in one.names if every else one.names[:MOST_OF_A_CAUSE]:
            click.echo(f"    {name}")
        if not every and len(one.names) > MOST_OF_A_CAUSE:
            click.echo(f"    and {len(one.names) - MOST_OF_A_CAUSE:,} more; --all prints all of them")
