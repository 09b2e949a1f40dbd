"""The result of a run on a terminal: the matrix, then a line for each result that needs one."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from rich import box
from rich.markup import escape
from rich.table import Table

from modelcontext.people.reports.clients import kept_properties, spaces_in_words
from modelcontext.people.reports.matrix import LEGEND, CellKind, FileEntry, MatrixRow, groups
from modelcontext.people.reports.tables import print_table
from modelcontext.people.reports.unexpected import unexpected_lines

if TYPE_CHECKING:
    from rich.console import Console

    from modelcontext.judging.conformance.expectations import Expectation
    from modelcontext.judging.conformance.verdict import Verdict
    from modelcontext.people.reports.conformance import Conformance

_COLOURS = {
    CellKind.NONE: "dim",
    CellKind.PASS: "green",
    CellKind.KNOWN: "yellow",
    CellKind.NOTRUN: "yellow",
    CellKind.UNSOUND: "red",
    CellKind.UNEXPECTED: "red",
}


def print_matrix(conformance: Conformance, console: Console, *, every: bool) -> None:
    """Print the matrix: the counts of each section, its files, and its surprising programs or ``every`` one."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("", overflow="fold")
    headings = [
        [product, *(version.split(" on ") if version is not None else ["NOTRUN"])]
        for product, version in conformance.versions.items()
    ]
    for heading in zip(*zip_longest(*headings, fillvalue=""), strict=True):
        first, *others = map(escape, heading)
        table.add_column("\n".join([first, *(f"[not bold]{other}[/]" for other in others)]), no_wrap=True)
    for group in groups(conformance):
        _add(table, f"[bold]{escape(group.name)}[/]", group)
        for section in group.sections:
            _add(table, f"  [bold]{escape(section.name)}[/]", section)
            for entry in section.entries:
                if every or entry.is_surprising or isinstance(entry, FileEntry):
                    _add(table, f"    {escape(entry.name)}", entry)
        table.add_section()
    print_table(table, console)
    for word, meaning in LEGEND.items():
        console.print(f"{word}: {meaning}", style="dim", highlight=False)
    if not every:
        console.print("This list leaves out programs with the expected result; --all prints them, too.", style="dim")
    console.print()


def _add(table: Table, name: str, row: MatrixRow) -> None:
    table.add_row(name, *(f"[{_COLOURS[cell.kind]}]{escape(cell.word)}[/]" for cell in row.cells.values()))


def disagreement(verdict: Verdict, expectation: Expectation | None = None) -> str:
    """Return one line with the allowed entries, the steps from which they follow, and the observed entry.

    An expectation adds the step that the product does not follow, which may be an earlier one.
    """
    line = f"{verdict.place}: allowed is {verdict.allowed_text}"
    if verdict.steps:
        line += f" (by {', '.join(verdict.steps)})"
    line += f"; observed: {verdict.observed}"
    if expectation is not None and expectation.step not in ("", *verdict.steps):
        line += f" (not followed: {expectation.step})"
    return line


def print_summary(conformance: Conformance, console: Console, *, every: bool) -> None:
    """Print results that are missing, unsteady or unexpected, and the counts; with ``every`` known deviations, too."""

    def say(style: str, word: str, line: str) -> None:
        console.print(f"[{style}]{word}[/] {escape(line)}", soft_wrap=True, highlight=False)

    for report in conformance.corpora if every else ():
        surprising = {(surprise.product, surprise.program) for surprise in report.surprises}
        for row, product, verdict in report.disagreements:
            expectation = report.expectation(row, product)
            if expectation is not None and (product, row.case.name) not in surprising:
                line = f"{product} {row.case.name} — {disagreement(verdict, expectation)}"
                say("yellow", f"known ({expectation.reason})", line)
    for product, error in conformance.unavailable:
        say("yellow", "NOTRUN", f"{product}: {error.reason}\n  what to do: {error.remedy}")
    for report in conformance.corpora:
        for row, product, verdict in report.unsound:
            if product not in report.unavailable:
                say("red", verdict.standing, f"{product} {row.case.name}: {verdict.observed}")
        for surprise in report.unsteady:
            say("yellow", "unsteady", f"{surprise.product} {surprise.program} — {surprise.text}")
        verdicts = {(product, row.case.name): verdict for row, product, verdict in report.disagreements}
        for surprise in report.surprises:
            seen = verdicts.get((surprise.product, surprise.program))
            more = f"; {disagreement(seen)}" if seen is not None else ""
            say("red", "unexpected", f"{surprise.product} {surprise.program} — {surprise.text}{more}")
    for run in conformance.runs:
        for line in unexpected_lines(run.findings, f"unexpected {run.target.name}", every=every):
            console.print(line, style="red", markup=False, soft_wrap=True, highlight=False)
    for product, version in conformance.versions.items():
        cells = [(group.name, group.cells[product]) for group in groups(conformance)]
        counts = [f"{name}: {cell.word}" for name, cell in cells if cell.kind is not CellKind.NONE]
        console.print(f"[bold]{product}[/] {escape(version or '')}  {escape('; '.join(counts))}", highlight=False)
    if conformance.survey is not None:
        console.print(f"[bold]clients[/] in the model: {spaces_in_words(conformance.survey)}", highlight=False)
        for one in kept_properties(conformance.survey):
            console.print(f"[bold]{one.client}[/]  {escape(one.words)}", highlight=False)
