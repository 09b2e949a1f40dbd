"""The result of a check of forms on a terminal: for each form its parameters, what is left out, and the problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from modelcontext.ground.words import counted
from modelcontext.people.forms.page_report import SPECIFICATION
from modelcontext.people.forms.texts import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from modelcontext.people.forms.page_report import (
        DecidingStep,
        DocumentReport,
        ElementPlace,
        FormProblem,
        FormReport,
        LeftOut,
        PageReport,
        ParameterReport,
    )

#: Of a longer list the rest is counted.
MOST_LISTED: Final = 50
#: Of more choices the rest is counted.
MOST_CHOICES: Final = 6

#: Words for the algorithms that decide.
ALGORITHMS: Final[Mapping[str, str]] = {
    "offers-a-tool": "tool",
    "update-the-tool-of-a-form": "update",
    "determine-the-parameter-kind": "kind",
    "synthesize-a-parameter-schema": "schema",
}

#: Words that are not wider than a column.
_SOURCES: Final[Mapping[str, str]] = {"toolparamdescription": "attribute", "aria-description": "aria"}
_LONGEST_PATTERN: Final = 40


def print_page(page: PageReport, console: Console) -> None:
    """Print the result of a check."""
    for document in page.documents:
        _print_document(document, console, is_alone=len(page.documents) == 1)
    forms = [form for document in page.documents for form in document.forms]
    if forms:
        words = ", ".join(f"{word} is #{algorithm}" for algorithm, word in ALGORITHMS.items())
        _say(console, f"[dim]* is required. Decided by steps of {SPECIFICATION} ({words})[/]\n")
    tools = sum(form.tool is not None for form in forms)
    problems = sum(1 for _ in page.problems)
    style = "red" if problems else "green"
    counts = f"{counted(len(forms), 'form')}, {counted(tools, 'tool')}, {counted(problems, 'problem')}"
    _say(console, f"[{style}]{counts}[/]")


def schema_in_words(schema: dict[str, Any] | None) -> str:
    """Return the schema of a parameter in words."""
    if schema is None:
        return "not known here"
    if schema["type"] == "array":
        return f"any of {_choices(schema['items']['enum'])}"
    if "enum" in schema:
        return f"one of {_choices(schema['enum'])}"
    if schema["type"] == "boolean":
        return "true or false"
    if schema["type"] == "number":
        return "number" + _limits(schema)
    if schema.get("format") == "date":
        return "date, YYYY-MM-DD"
    pattern = schema.get("pattern")
    return "text" if pattern is None else f"text like {shortened(pattern, _LONGEST_PATTERN)}"


def _print_document(document: DocumentReport, console: Console, *, is_alone: bool) -> None:
    if not is_alone:
        console.rule(escape(shortened(f"{document.name} {document.url or ''}", console.width - 8)), align="left")
    if not document.forms:
        _say(console, "No form has toolname or tooldescription.\n")
    for form in document.forms:
        _print_form(form, console)
    _print_problems(document.problems, console, "Problems of the document")
    for note in document.notes:
        _say(console, f"[dim]Note: {escape(visible(note))}[/]\n")


def _print_form(form: FormReport, console: Console) -> None:
    tool, facts = form.tool, Table.grid(padding=(0, 2))
    facts.add_column(style="dim")
    facts.add_column(overflow="fold")
    if tool is None:
        _say(console, f"[bold]{escape(form.place.element)}[/] [red]is not a tool[/]")
        step = f" ({_short(form.step)})" if form.step is not None else ""
        facts.add_row("why", escape(visible(form.reason)) + step)
    else:
        title = f" ({shortened(tool.title)})" if tool.title else ""
        _say(console, f"[bold]{escape(visible(tool.name) + title)}[/] [green]is a tool[/]")
        facts.add_row("says", escape(shortened(tool.description, 400)) or "(nothing)")
        facts.add_row("submitted", escape(tool.submission))
    if form.place.line is not None:
        facts.add_row("where", f"line {form.place.line}")
    console.print(Padding(facts, (0, 0, 1, 2)))
    if form.parameters:
        _print_parameters(form.parameters, console)
    elif tool is not None:
        _say(console, "  It has no parameters.\n")
    if form.left_out:
        _print_left_out(form.left_out, console)
    _print_problems(form.problems, console, "Problems")


def _print_parameters(parameters: Sequence[ParameterReport], console: Console) -> None:
    table = _table("parameter", "control", "schema", "description", "decided by")
    for parameter in parameters[:MOST_LISTED]:
        word = _SOURCES.get(parameter.source, parameter.source)
        source = f"\n[dim](from {word})[/]" if word else ""
        if parameter.unread:
            source += f"\n[dim](not read: {', '.join(parameter.unread)})[/]"
        table.add_row(
            escape(shortened(parameter.name) or '""') + "[red]*[/]" * parameter.required,
            escape(_places(parameter.controls)),
            escape(schema_in_words(parameter.schema)),
            escape(shortened((parameter.schema or {}).get("description", "") or "none", 120)) + source,
            "\n".join(map(_short, parameter.steps)),
        )
    _print_table(table, len(parameters), console)


def _print_left_out(controls: Sequence[LeftOut], console: Console) -> None:
    table = _table("left out", "control", "why", "decided by")
    for control in controls[:MOST_LISTED]:
        name = escape(shortened(control.name)) or "[dim]no name[/]"
        table.add_row(name, escape(_places([control.place])), escape(visible(control.reason)), _short(control.step))
    _print_table(table, len(controls), console)


def _print_problems(problems: Sequence[FormProblem], console: Console, title: str) -> None:
    if not problems:
        return
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="yellow", no_wrap=True)
    grid.add_column(overflow="fold")
    for problem in problems[:MOST_LISTED]:
        grid.add_row(problem.code.value, escape(f"{problem.place}: {visible(problem.message)}; {problem.advice}"))
    _say(console, f"  [bold]{title}[/]")
    _print_table(grid, len(problems), console)


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", style="dim" if heading == "decided by" else "")
    return table


def _print_table(table: Table, count: int, console: Console) -> None:
    """Print a table that has the first of ``count`` rows."""
    rest = count - MOST_LISTED
    console.print(Padding(table, (0, 0, 0 if rest > 0 else 1, 2)))
    if rest > 0:
        _say(console, f"  and {rest:,} more; --json prints all\n")


def _places(places: Sequence[ElementPlace]) -> str:
    first = places[0]
    kind = first.kind if len(places) == 1 else f"{len(places):,} x {first.kind}"
    return kind + (f"\nline {first.line}" if first.line is not None else "")


def _choices(values: Sequence[str]) -> str:
    shown = ", ".join(f'"{shortened(value, 24)}"' for value in values[:MOST_CHOICES])
    rest = len(values) - MOST_CHOICES
    return shown + (f" and {rest:,} more" if rest > 0 else "")


def _limits(schema: Mapping[str, Any]) -> str:
    words = {"minimum": " from", "maximum": " to", "multipleOf": ", multiple of"}
    return "".join(f"{word} {schema[key]}" for key, word in words.items() if key in schema)


def _short(step: DecidingStep) -> str:
    """Return a step, with a link, by the word that :data:`ALGORITHMS` has for the algorithm."""
    return f"[link={step.url}]{ALGORITHMS.get(step.algorithm, step.algorithm)} {step.number}[/link]"


def _say(console: Console, markup: str) -> None:
    console.print(markup, highlight=False)
