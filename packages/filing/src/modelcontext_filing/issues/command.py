"""``modelcontext spec issues``: the Issues of a text, and one of them as a text that is ready to be filed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.table import Table

from modelcontext.judging.profiles import PROFILES
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json, results_console
from modelcontext.people.reports.tables import print_table
from modelcontext.spec.revisions.registry import FILES


def _effects_on_clients(reading: str) -> Iterator[str]:
    """Yield what a reading does to the properties that clients of page tools have."""
    from modelcontext.judging.clients.adversaries import adversaries
    from modelcontext.judging.clients.catalogue import CLIENTS
    from modelcontext.judging.clients.cells import cells_of
    from modelcontext.judging.clients.checking import check_all
    from modelcontext.judging.clients.report import changes_of_cells, changes_of_gaps

    before, after = (
        cells_of(check_all(CLIENTS.values(), adversaries().values(), readings=readings))
        for readings in ((), (reading,))
    )
    yield "## Properties of clients\n"
    yield "In all spaces of `modelcontext properties check`, computed. Breaches that no client can exclude:\n"
    yield from changes_of_gaps(before, after)
    yield "\nOther cells that differ:\n"
    yield from changes_of_cells(before, after)


@verb(
    epilog="\b\nExamples:\n  modelcontext spec issues\n  modelcontext spec issues --markdown 17\n"
    "  modelcontext spec issues --markdown 50 --effects > issue.md"
)
@click.option("--markdown", "number", type=int, metavar="N", help="Write the Issue with this number as Markdown.")
@click.option(
    "--effects",
    is_flag=True,
    help="With --markdown: also compute the effects of the readings on programs and clients; takes minutes.",
)
@options.one_revision
@options.as_json
@options.root
def issues(number: int | None, effects: bool, revision: str, as_json: bool, root: Path) -> None:
    """List the Issues of the specification, or write one with its place, a page, outcomes and a proposed change.

    spec/current/issues.toml adds programs, readings and changes to the Issues of the text. The model computes the outcomes.
    For an Issue about a product, or one without anything to file, --markdown says so.

    Exit code 0: done; 2: wrong usage, or a file cannot be read.
    """
    from modelcontext.judging.issues.dossier import read_dossiers
    from modelcontext.judging.issues.text import read_issues
    from modelcontext_filing.issues.markdown import markdown

    if effects and number is None:
        raise click.UsageError("--effects belongs to --markdown N: give both.")
    if as_json and number is not None:
        raise click.UsageError("--json lists all Issues, and --markdown writes one: leave out one of the two options.")
    files = FILES[revision]
    with exit_on_problems():
        found = read_issues(root, files)
        dossiers = read_dossiers(root, files)
        if number is not None:
            issue = next((one for one in found if one.number == number), None)
            if issue is None:
                raise click.UsageError(f"{files.text.as_posix()} has no Issue {number}; `spec issues` lists them.")
            if number not in dossiers:
                raise click.UsageError(
                    f"Issue {number} has no program and no change in {files.issues}: add one of them there."
                )
            if report := dossiers[number].report:
                product, _, quirk = report.partition("/")
                raise click.UsageError(
                    f"Issue {number} is a report about {PROFILES[product]}, and not for the editors of the text:"
                    f" `modelcontext findings` has it under {quirk}."
                )
            if reason := dossiers[number].unfiled:
                raise click.UsageError(f"There is nothing to file about Issue {number}: {reason}")
            titles = {one: dossier.title for one, dossier in dossiers.items()}
            click.echo(markdown(root, issue, dossiers[number], titles, effects=effects))
            if effects and dossiers[number].proposed:
                click.echo("\n".join(_effects_on_clients(dossiers[number].proposed)))
            return
    rows = [
        {
            "number": issue.number,
            "title": dossier.title if dossier else "",
            "stands": dossier.stands if dossier else "",
            "thread": dossier.thread if dossier else "",
            "report": dossier.report if dossier else "",
            "unfiled": dossier.unfiled if dossier else "",
            "steps": list(dict.fromkeys((*issue.steps, *(dossier.steps if dossier else ())))),
            "test": dossier.test if dossier else "",
            "words": issue.words,
        }
        for issue in sorted(found, key=lambda issue: issue.number)
        for dossier in [dossiers.get(issue.number)]
    ]
    if as_json:
        print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("Issue", justify="right")
    for name in ("title", "stands", "for", "steps", "test"):
        table.add_column(name, overflow="fold")
    for issue, row in zip(sorted(found, key=lambda issue: issue.number), rows, strict=True):
        title = str(row["title"]) or issue.words
        reader = str(row["report"] or ("nobody" if row["unfiled"] else row["thread"]))
        table.add_row(str(issue.number), title, str(row["stands"]), reader, ", ".join(issue.steps), str(row["test"]))
    print_table(table, results_console())
