"""Output of verbs: results on standard output, progress on standard error where that is a terminal."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from modelcontext.ground.files import WriteError, write_whole
from modelcontext.people.reports.stand_ins import texts_in_use

if TYPE_CHECKING:
    from pathlib import Path

_WIDTH_OF_PIPES: Final = 200
#: The seconds between two lines about progress where there is no terminal.
_BETWEEN_LINES: Final = 60


def warn(problem: str) -> None:
    """Tell of a problem that does not end the command, on standard error."""
    click.echo(f"modelcontext: warning: {problem}", err=True)


def print_json(data: object) -> None:
    """Print one JSON document; an object names the text that stands in for a revision."""
    click.echo(json.dumps({**texts_in_use(), **data} if isinstance(data, Mapping) else data, indent=2))


def results_console(*, highlight: bool = True) -> Console:
    """Return the console of standard output; in a pipe, lines are long enough that no cell of a table is cut."""
    is_narrow = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(width=_WIDTH_OF_PIPES if is_narrow else None, highlight=highlight)


def write_reports(reports: Mapping[Path | None, Callable[[], str]]) -> list[WriteError]:
    """Write the reports that are wanted, and return the problems of those that cannot be written.

    Reports are written before anything is printed, whose reader may leave; what cannot be written is still printed.
    """
    problems = []
    for path, text in reports.items():
        if path is not None:
            try:
                write_whole(path, text())
            except WriteError as error:
                problems.append(error)
    return problems


def bar() -> Progress:
    """Return a display with a bar for each task, which disappears at the end; it shows nothing without a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def one_bar(title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar for one task; the function that is given counts that many more as done.

    Without a terminal there is no bar, but a line now and then, so that a log shows that the work goes on.
    """
    said = time.monotonic()
    with bar() as progress:
        task = progress.add_task(title, total=total)

        def advance(count: int) -> None:
            nonlocal said
            progress.advance(task, count)
            if progress.disable and time.monotonic() - said >= _BETWEEN_LINES:
                said = time.monotonic()
                whole = "" if total is None else f" of {total:,}"
                click.echo(f"{title}: {progress.tasks[0].completed:,.0f}{whole}", err=True)

        yield advance
