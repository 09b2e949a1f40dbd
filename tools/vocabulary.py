"""The page ``docs/vocabulary.md``, made from the phrasebook of speclint: ``python -m tools.vocabulary``."""

from __future__ import annotations

import sys

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from speclint.prose.vocabulary_page import vocabulary_page

PAGE = "docs/vocabulary.md"


@click.command(
    epilog="\b\nExample:\n  python -m tools.vocabulary --check",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if the page is out of date.")
def command(check: bool) -> None:
    """Write the page of the words that a text may use."""
    with exit_on_problems():
        path = project_root() / PAGE
        page = vocabulary_page()
        if not check:
            write_whole(path, page)
        elif path.read_text(encoding="utf-8") != page:
            click.echo(f"{PAGE} is out of date; run `python -m tools.vocabulary`", err=True)
            sys.exit(FOUND)


if __name__ == "__main__":
    command(prog_name="python -m tools.vocabulary")
