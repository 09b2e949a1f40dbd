"""``modelcontext spec proposals``: the pages of the proposals."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from modelcontext.ground.checkout import require_checkout
from modelcontext.ground.files import read_text, write_whole
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, UNREADABLE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar
from modelcontext.spec.specification import SpecificationError


@verb(
    epilog="\b\nExamples:\n  modelcontext spec proposals --check\n  modelcontext spec proposals handles --quick\n"
    "  modelcontext spec proposals handles --answer 2b >handles-2b.bs"
)
@click.argument("names", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit code 1 if a page is out of date.")
@click.option("--quick", is_flag=True, help="Do not compute the last part of each page, which takes minutes.")
@click.option("--answer", metavar="NUMBER", help="Only print the text of one proposal with an answer, such as 2b.")
@options.root
def proposals(names: tuple[str, ...], only_check: bool, quick: bool, answer: str | None, root: Path) -> None:
    """Write the pages of proposals: their outcomes, the answers to their questions, and what they change.

    NAMES are folders of spec/proposals; without one, all pages are written.

    Exit code 0: done; 1: with --check, a page is out of date; 2: wrong usage; 3: a patch does not apply, or the compiler
    does not understand its steps.
    """
    from modelcontext.judging.conformance.explored import Explorations
    from modelcontext_prose.proposals.effects import EFFECTS, cells_of_client, effects_of, in_words
    from modelcontext_prose.proposals.page import page, page_of
    from modelcontext_prose.proposals.proposal import every_program, read_proposals

    with exit_on_problems(codes={SpecificationError: UNREADABLE}):
        chosen = read_proposals(root, names)
        if unknown := set(names) - {one.name for one in chosen}:
            known = ", ".join(one.name for one in read_proposals(root))
            raise click.UsageError(f"there is no proposal {min(unknown)!r}; there are {known}")
        if answer is not None:
            if len(chosen) != 1:
                raise click.UsageError("--answer needs the name of one proposal")
            click.echo(chosen[0].text_of(chosen[0].answer(answer)).content, nl=False)
            return
        if not only_check:
            require_checkout(root, "`spec proposals` without --check")
        programs = {} if quick else every_program(root)
        before_change = None if quick else cells_of_client()
        explorations = Explorations(root)
        stale = []
        with one_bar("exploring", len(chosen)) as advance, ExitStack() as stack:
            stack.callback(explorations.keep)
            for one in chosen:
                path = root / page_of(one)
                before = read_text(path) if path.exists() else ""
                last = before[before.find(EFFECTS) :] if EFFECTS in before else f"{EFFECTS}\n"
                if before_change is not None:
                    workers = os.cpu_count() or 1
                    last = in_words(effects_of(one, programs, explorations, before_change, workers))
                text = page(one, last)
                advance(1)
                if text != before:
                    stale.append(str(page_of(one)))
                    if not only_check:
                        write_whole(path, text)
                        click.echo(f"wrote {page_of(one)}")
    if only_check and stale:
        click.echo(f"run `modelcontext spec proposals`: {', '.join(stale)}", err=True)
        sys.exit(FOUND)
