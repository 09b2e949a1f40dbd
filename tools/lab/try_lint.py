"""``python -m tools.lab lint``: the lint on trial."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from modelcontext.people.cli.exit_codes import exit_on_problems
from modelcontext.people.cli.output import one_bar, print_json
from speclint import TextError
from speclint.command import UNREADABLE
from speclint.text.content import read_content
from tools.lab.lint_trial.defects import mutations
from tools.lab.lint_trial.noticing import Noticed, judge, tally


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def lint(files: tuple[Path, ...], as_json: bool) -> None:
    """Plant defects in Bikeshed sources, and show for each rule of the lint how many of them are noticed.

    Defects that nothing noticed are listed. Exit code 0: the trial ran; 3: a text cannot be read.
    """
    verdicts: list[Noticed] = []
    with exit_on_problems(codes={TextError: UNREADABLE}, as_json=as_json):
        for file in files:
            text = read_content(file)
            some = mutations(text, file)
            with one_bar(f"planting defects in {file}", len(some)) as advance:
                for verdict in judge(text, some):
                    verdicts.append(verdict)
                    advance(1)
    rows = tally(verdicts)
    missed = [one.mutation for one in verdicts if not one.rules]
    if as_json:
        unnoticed = [{"mutator": one.mutator, "place": one.place} for one in missed]
        print_json({"planted": len(verdicts), "rules": [asdict(row) for row in rows], "unnoticed": unnoticed})
        return
    titles = (
        "rule",
        "defects for the rule",
        "of these, noticed",
        "defects that the rule notices",
        "that only it notices",
    )
    click.echo(f"| {' | '.join(titles)} |")
    click.echo("|---|---:|---:|---:|---:|")
    for row in rows:
        click.echo(f"| {row.rule} | {row.meant} | {row.noticed} | {row.by_it} | {row.alone} |")
    click.echo(f"| all | {len(verdicts)} | {len(verdicts) - len(missed)} | | {sum(row.alone for row in rows)} |")
    for one in missed:
        click.echo(f"not noticed: {one.mutator}: {one.place}")
