"""The result of a run on a terminal: the matrix of programs and products, then one line per disagreement."""

from __future__ import annotations

from collections import Counter

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from modelcontext.harness.expectations import Expectation
from modelcontext.harness.run import Report, Row
from modelcontext.harness.verdicts import Standing, Verdict

_MARKS = {
    Standing.PASS: ("pass", "green"),
    Standing.FAIL: ("FAIL", "red"),
    Standing.UNDECIDED: ("undecided", "yellow"),
    Standing.ERROR: ("ERROR", "red"),
    Standing.NOTRUN: ("NOTRUN", "yellow"),
}


def mark(report: Report, row: Row, product: str) -> tuple[str, str]:
    """The word for a cell, and its colour."""
    verdict = row.verdicts[product]
    if verdict.standing is Standing.FAIL:
        expectation = report.expectation(row, product)
        if expectation is not None:
            return f"known ({expectation.reason})", "yellow"
    return _MARKS[verdict.standing]


def print_matrix(report: Report, console: Console) -> None:
    """Print the matrix by sections."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("program")
    for product in report.products:
        table.add_column(product, justify="left", no_wrap=True)
    section = None
    for row in report.rows:
        if row.case.section != section:
            section = row.case.section
            table.add_row(f"[bold]{escape(section or 'programs')}[/]")
        cells = [mark(report, row, product) for product in report.products]
        name = row.case.name.rpartition("/")[2]
        table.add_row("  " + escape(name), *(f"[{colour}]{word}[/]" for word, colour in cells))
    console.print(table)


def disagreement(verdict: Verdict, expectation: Expectation | None = None) -> str:
    """One line: what the specification allows, the step it follows from, and what the product did instead.

    An expectation adds the step that the product does not follow, which may be an earlier one.
    """
    line = f"{verdict.place}: allowed is {verdict.allowed_text}"
    if verdict.steps:
        line += f" (by {', '.join(verdict.steps)})"
    line += f"; observed: {verdict.observed}"
    if expectation is not None and expectation.step not in verdict.steps:
        line += f" (not followed: {expectation.step})"
    return line


def print_summary(report: Report, console: Console) -> None:
    """Print the disagreements, what made the run unsound, the findings, and the counts."""
    if report.disagreements:
        console.print("[bold]Disagreements with the specification[/]")
        for row, product, verdict in report.disagreements:
            word, colour = mark(report, row, product)
            line = f"{product} {row.case.name} — {disagreement(verdict, report.expectation(row, product))}"
            console.print(f"  [{colour}]{word}[/] {escape(line)}", soft_wrap=True, highlight=False)
        console.print()
    for product, error in report.unavailable.items():
        console.print(f"[yellow]NOTRUN[/] {product}: {escape(error.reason)}", soft_wrap=True)
        console.print(f"  what to do: {escape(error.remedy)}", soft_wrap=True)
    for row, product, verdict in report.unsound:
        if product not in report.unavailable:
            line = f"{product} {row.case.name}: {verdict.observed}"
            console.print(f"[red]{verdict.standing}[/] {escape(line)}", soft_wrap=True, highlight=False)
    for finding in report.unsteady:
        line = f"{finding.product} {finding.case} — {finding.text}"
        console.print(f"[yellow]unsteady[/] {escape(line)}", soft_wrap=True, highlight=False)
    for finding in report.findings:
        line = f"{finding.product} {finding.case} — {finding.text}"
        console.print(f"[red]finding[/] {escape(line)}", soft_wrap=True, highlight=False)
    for product in report.products:
        counts = Counter(mark(report, row, product)[0] for row in report.rows)
        words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        console.print(f"[bold]{product}[/] {escape(report.versions[product])}: {words}", highlight=False)
