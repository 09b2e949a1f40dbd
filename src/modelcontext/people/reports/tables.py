"""Tables on a terminal, in which names stay whole: a person copies them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.measure import Measurement

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDEST: Final = 10_000
#: The most characters between two columns.
_BETWEEN_COLUMNS: Final = 3


def print_table(table: Table, console: Console) -> None:
    """Print a table. Where a terminal is too narrow for its words, lines are longer than the terminal: no word is broken."""
    wide = console.options.update(max_width=_WIDEST)
    fixed, words = 1, [0]
    for column in table.columns:
        cells = [Measurement.get(console, wide, cell) for cell in (*column.cells, column.header)]
        longest_word, longest = max(cell.minimum for cell in cells), max(cell.maximum for cell in cells)
        column.no_wrap = column.no_wrap or longest_word == longest
        words.append(0 if column.no_wrap else longest_word)
        fixed += _BETWEEN_COLUMNS + (longest if column.no_wrap else 0)
    # The columns that are left share the rest of a line in equal parts.
    console.width = max(console.width, fixed + max(words) * sum(1 for word in words if word))
    console.print(table)
