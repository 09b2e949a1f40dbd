"""``modelcontext forms``: the tools that the forms of a page offer."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from modelcontext.ground.files import is_url
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verbs
from modelcontext.people.cli.output import print_json, results_console
from modelcontext.people.forms.check import check_page
from modelcontext.people.forms.live import read_url
from modelcontext.people.forms.reading import SourceError, read_file
from modelcontext.people.reports.form_parameters import print_page


@verbs(epilog="\b\nExample:\n  modelcontext forms check contact.html")
def command() -> None:
    """Help people who write forms that are tools."""


@command.command(
    epilog="\b\nExamples:\n  modelcontext forms check contact.html\n  modelcontext forms check https://shop.example/ --json"
)
@click.argument("source", metavar="FILE|URL")
@click.option(
    "--binary", metavar="PATH", help="With a URL: the executable of the browser.  [default: the installed browser]"
)
@options.as_json
def check(source: str, binary: str | None, as_json: bool) -> None:
    """Show the tools that the forms of a page offer, and their problems.

    For each form with toolname or tooldescription the report says whether it is a tool, and why. It lists the
    parameters that its controls become, the controls that are not parameters, and the problems, each with advice.
    docs/forms.md has the list of problems and the shape of --json.

    The command parses a FILE itself: no script runs, and it needs no browser. Chromium opens a URL (http or https), and
    the command reads the trees of its documents after its scripts have run. The report lists each frame separately.

    Exit code 0: no problem; 1: problems; 2: wrong usage, or the file, the page or the browser is not available.
    """
    if not is_url(source) and "://" in source:
        raise click.UsageError(
            f"{source} is not a URL that can be opened: give one with http or https, or the path of a file"
        )
    if not is_url(source) and binary is not None:
        raise click.UsageError("--binary is for a URL")
    with exit_on_problems(codes={SourceError: USAGE}, as_json=as_json):
        sources = asyncio.run(read_url(source, binary=binary)) if is_url(source) else [read_file(Path(source))]
        page = check_page(sources)
    if as_json:
        print_json({"source": source, **page.to_data()})
    else:
        print_page(page, results_console())
    sys.exit(FOUND if any(page.problems) else 0)
