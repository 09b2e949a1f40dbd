"""``modelcontext findings``: the findings of fuzzing, the reports of defects, and FINDINGS.md."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from modelcontext.ground.checkout import MADE_FINDINGS, project_root, require_checkout
from modelcontext.ground.files import write_whole
from modelcontext.judging.profiles import PROFILES, load_profile
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext_filing.checking import check_pages
from modelcontext_filing.findings_document import (
    DOCUMENT,
    findings_document,
    keep_builds,
    keep_version,
    rewrite,
    stale_files,
)
from modelcontext_filing.made import WITHHELD, make_reports
from modelcontext_fuzz.campaign import read_settings
from modelcontext_fuzz.document import FOLDER, explanation
from modelcontext_fuzz.findings import FindingsError, free_name, keep_finding, load_findings


@verb(
    epilog="\b\nExamples:\n  modelcontext findings --add build/fuzz/chromium-1\n  modelcontext findings --check --run\n"
    "  modelcontext findings --output webmcp-findings"
)
@click.option(
    "--add",
    "campaigns",
    multiple=True,
    type=options.FOLDER,
    help="Add the new findings of the campaign in this folder; may be given several times.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Change no file; exit code 1 if FINDINGS.md is out of date or a finding is no longer true.",
)
@click.option(
    "--output",
    type=options.NEW_FOLDER,
    metavar="DIR",
    help=f"Write the reports into this new folder, and change no other file.  [default: {MADE_FINDINGS}; none with --check]",
)
@click.option(
    "--withheld",
    is_flag=True,
    help=f"Write the pages of crashes into {WITHHELD}, which git ignores, and change no other file.",
)
@click.option(
    "--run",
    is_flag=True,
    help="Also open the page of each defect. The page must show the defect in the product, and an allowed outcome in the "
    "model. Without --check, also store the version of the product that shows the defect.",
)
@click.option(
    "--builds",
    is_flag=True,
    help="Also run the program of each finding in the builds of Chromium that `modelcontext setup` has installed, and keep "
    "since when it is shown.",
)
@options.as_json
def command(
    campaigns: tuple[Path, ...],
    check: bool,
    output: Path | None,
    withheld: bool,
    run: bool,
    builds: bool,
    as_json: bool,
) -> None:
    """Write FINDINGS.md, and make the report of each defect.

    A finding is a program, as small as possible, whose outcome in a browser is not allowed by the specification. The
    folder wpt_tests/findings has the programs, and the defects that they show. A report is a text for the vendor, a page
    of plain JavaScript and a test. FINDINGS.md lists the defects, and the Issues of the texts. Outside of a checkout,
    give --check or --output.

    Exit code 0: every finding has an explanation, and every file is up to date; 1: an explanation is missing, or a
    file is out of date.
    """
    if campaigns and (check or withheld or output is not None):
        raise click.UsageError("--add changes a checkout: leave out --check, --output and --withheld.")
    if output is not None and output.is_dir() and any(output.iterdir()):
        raise click.UsageError(f"{output} already has files: name a new folder.")
    if builds and (check or withheld or output is not None):
        raise click.UsageError("--builds changes a checkout; --check, --output and --withheld do not.")
    changes = not check and not withheld and output is None
    added, stale, wrong = [], [], []
    with exit_on_problems():
        root = project_root()
        if changes:
            require_checkout(root, "`modelcontext findings` without --check or --output")
            added = [name for campaign in campaigns for name in _add(root, campaign)]
            wrong = list(check_pages(root, on_shown=partial(keep_version, root))) if run else []
            if builds:
                keep_builds(root)
            rewrite(root)
            write_whole(root / DOCUMENT, _document(root))
            output = root / MADE_FINDINGS
            shutil.rmtree(output, ignore_errors=True)
        elif run:
            wrong = list(check_pages(root))
        if check:
            stale = [str(path.relative_to(root)) for path in stale_files(root, _document(root))]
        if output is not None:
            make_reports(root, output)
        if withheld:
            make_reports(root, root / WITHHELD, withheld=True)
    if as_json:
        print_json({"stale": stale, "added": added, "wrong": wrong})
    else:
        for name in stale:
            click.echo(f"{name} is out of date; run `modelcontext findings`", err=True)
        for problem in wrong:
            click.echo(problem, err=True)
        for name in added:
            click.echo(f"added {name}")
        if changes:
            click.echo(f"wrote {DOCUMENT}")
        if output is not None:
            click.echo(f"made {MADE_FINDINGS if changes else output}")
        if withheld:
            click.echo(f"made {WITHHELD}")
        if run and not wrong:
            click.echo("every page shows its defect in its product, and an allowed outcome in the model")
    sys.exit(FOUND if stale or wrong else 0)


def _document(root: Path) -> str:
    try:
        return findings_document(root)
    except FindingsError as error:
        click.echo(f"modelcontext findings: {error}", err=True)
        sys.exit(FOUND)


def _add(root: Path, campaign: Path) -> list[str]:
    """Copy the findings of a campaign that have neither the cause nor the program of one in the checkout.

    Raises:
        FindingsError: if the folder is not that of a campaign.
    """
    read_settings(campaign)
    added = []
    for finding in load_findings(campaign / "findings"):
        folder = root / FOLDER / finding.product
        profiles = [load_profile(name) for name, product in PROFILES.items() if product == finding.product]
        known = load_findings(folder)
        if any(other.cause == finding.cause or other.program == finding.program for other in known):
            continue
        quirks = next((explanation(profile, finding) for profile in profiles), ())
        click.echo(f"{finding.name}: {', '.join(quirks) or 'not explained'}", err=True)
        name = free_name("-and-".join(quirks) or finding.name, [other.name for other in known])
        keep_finding(replace(finding, name=name), folder / name)
        added.append(f"{FOLDER}/{finding.product}/{name}")
    return added
