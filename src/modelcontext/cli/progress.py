"""Progress of a run on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


def bar() -> Progress:
    """A bar for each task, gone when all are done; nothing where there is no terminal.

    It belongs to standard error, so that --json and pipes get the result only.
    """
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def one_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar for one task; what is given takes how much more is done."""
    with bar() as progress:
        yield partial(progress.advance, progress.add_task(title, total=total))
