"""``python -m tools.lab races``: generated races, explored, and held against texts with one small fault."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.judging.litmus.races.enumeration import Setting
from modelcontext.people.cli.exit_codes import FOUND, Interruption, exit_on_problems
from modelcontext.people.cli.output import one_bar
from tools.lab.mutants.reasons import UNNOTICED, read_unnoticed
from tools.lab.races.exploring import PARTS, Record
from tools.lab.races.noticing import Noticed, Trials, subjects_of
from tools.lab.races.report import PAGE, ExploredPart, page_of

if TYPE_CHECKING:
    from modelcontext.judging.litmus.races.classes import ExploredRace
    from modelcontext.judging.litmus.races.enumeration import Race


@click.command()
@click.option("--check", is_flag=True, help="Write no file; exit code 1 if the page is out of date.")
def races(*, check: bool) -> None:
    """Explore the races of two and three actions, and find the smallest set that notices mutants of the text.

    The first run takes an hour. build/races.json and build/race-mutants.json keep what has been done, also after an
    interrupt. The command writes docs/races.md.

    Exit code 0: done; 1: --check, and the page is out of date; 130: interrupted.
    """
    interruption = Interruption()
    root = project_root()
    parts: list[ExploredPart] = []
    noticed: list[Noticed] = []
    for_mutants: list[tuple[Race, ExploredRace]] = []
    with exit_on_problems(), interruption.kept():
        record = Record(root)
        for part in PARTS:
            combinations, count, found = part.races()
            with one_bar(f"{part.count} actions, {part.scene}", len(found)) as advance:
                parts.append(ExploredPart(part, combinations, count, list(record.explore(found, part.bound, advance))))
            if part.count == 2 and part.scene is not Setting.FRAME:
                for_mutants += zip(found, parts[-1].explored, strict=True)
        subjects = subjects_of(for_mutants)
        trials = Trials(root, subjects)
        with one_bar("trying mutants", len(trials.mutants)) as advance:
            noticed += trials.run(advance)
    interruption.end("the page is not written; another run goes on from here")
    page = page_of(parts, noticed, len(subjects), read_unnoticed(UNNOTICED, trials.made))
    if not check:
        with exit_on_problems():
            write_whole(root / PAGE, page)
    elif not (root / PAGE).is_file() or (root / PAGE).read_text(encoding="utf-8") != page:
        click.echo(f"{PAGE} is out of date; run `python -m tools.lab races`", err=True)
        sys.exit(FOUND)
