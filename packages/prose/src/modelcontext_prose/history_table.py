"""The table of ``modelcontext spec try --commits``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from modelcontext.judging.conformance.pools import local_pool
from modelcontext.people.cli.exit_codes import FOUND, Interruption
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext_prose.history import HistoryRow, rows, texts_of

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

_LAST: Final = 20
_COLUMNS: Final = ("steps", "algorithms", "changed", "first", "without")
#: Names of changed programs that are printed below a commit; --json has all.
_SHOWN: Final = 5


def show_history(
    place: Path,
    path: Path,
    last: int | None,
    between: str | None,
    own: Path,
    programs: Mapping[str, Program],
    workers: int,
    *,
    as_json: bool,
) -> NoReturn:
    """Show the history of a text by outcomes, and end.

    Raises:
        HistoryError: if the history cannot be read.
        SpecificationError: if a text in a folder cannot be read.
    """
    interruption = Interruption()
    commits = texts_of(place, path, last or _LAST, between, own)
    found: list[HistoryRow] = []
    with ExitStack() as stack:
        pool = stack.enter_context(local_pool(workers)) if workers > 1 and len(programs) > 1 else None
        stack.enter_context(interruption.kept())
        advance = stack.enter_context(one_bar("trying", len(commits)))
        for row in rows(commits, path, programs, pool):
            found.append(row)
            advance(1)
    if as_json:
        print_json({"commits": [row.to_json() for row in reversed(found)], "interrupted": interruption.happened})
    else:
        _print(found[::-1], len(programs))
    interruption.end(f"{len(commits) - len(found)} of {len(commits)} commits are not tried")
    sys.exit(FOUND if any(row.problem or row.changed or row.found for row in found) else 0)


def _print(found: Sequence[HistoryRow], programs: int) -> None:
    click.echo(f"{'commit':10}{'date':12}" + "".join(f"{name:>12}" for name in _COLUMNS) + "  title")
    for row in found:
        cells = ["-"] * len(_COLUMNS)
        if row.problem is None:
            understood = ("/".join(map(str, one)) for one in (row.steps, row.algorithms))
            counts = ("-" if one is None else str(len(one)) for one in (row.changed, row.found, row.lost))
            cells = [*understood, *counts]
        why = f" ({row.problem})" if row.problem else ""
        click.echo(
            f"{row.commit.id:10}{row.commit.date:12}"
            + "".join(f"{one:>12}" for one in cells)
            + f"  {row.commit.title}{why}"
        )
        if row.changed:
            more = f" and {len(row.changed) - _SHOWN} more" if len(row.changed) > _SHOWN else ""
            click.echo(f"{'':22}changed: {', '.join(row.changed[:_SHOWN])}{more}")
    click.echo(
        f"of {programs} programs: changed: other outcomes than with the previous text; first: a result for the first "
        f"time; without: no result"
    )
