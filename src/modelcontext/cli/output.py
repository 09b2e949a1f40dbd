"""Output of verbs: results on standard output, progress on standard error where that is a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


def warn(problem: str) -> None:
    """Tell of a problem that does not end the command, on standard error."""
    click.echo(f"modelcontext: warning: {problem}", err=True)


def print_json(data: object) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(data, indent=2))


def bar() -> Progress:
    """Return a display with a bar for each task, which disappears at the end; it shows nothing without a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def one_bar(title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar for one task; the function that is given counts that many more as done."""
    with bar() as progress:
        yield partial(progress.advance, progress.add_task(title, total=total))
