"""``modelcontext findings``: the findings of fuzzing, as folders in the checkout and as FINDINGS.md."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from modelcontext.checkout import project_root, require_checkout
from modelcontext.cli import options
from modelcontext.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.cli.output import print_json
from modelcontext.fuzz.document import (
    DOCUMENT,
    FOLDER,
    FindingsError,
    explanation,
    findings_document,
    rewrite,
    stale_files,
)
from modelcontext.fuzz.findings import free_name, load_findings, write_finding
from modelcontext.fuzz.rerun import rerun
from modelcontext.profiles import PROFILES, load_profile


@click.command(
    epilog="\b\nExamples:\n  modelcontext findings --add build/fuzz/chromium-1\n  modelcontext findings --check --run"
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
    help="Change nothing; exit code 1 if FINDINGS.md is out of date or a finding does not hold.",
)
@click.option(
    "--run",
    is_flag=True,
    help="Also run every finding's test: it has to fail on the product of the finding, and to pass on the model.",
)
@options.as_json
def command(campaigns: tuple[Path, ...], check: bool, run: bool, as_json: bool) -> None:
    """Write FINDINGS.md from the findings in wpt_tests/findings, the profiles of browsers, and the Issues of the texts.

    A finding is a smallest program on which a browser leaves the outcomes that the specification allows, with a test in
    the format of web-platform-tests. --check is all that works outside of a checkout.

    Exit code 0: every finding is explained and every file up to date; 1: not.
    """
    with exit_on_problems():
        root = project_root()
        if not check:
            require_checkout(root, "`modelcontext findings` without --check")
        added = [] if check else [name for campaign in campaigns for name in _add(root, campaign)]
        if not check:
            rewrite(root)
        stale = [str(path.relative_to(root)) for path in stale_files(root)]
        try:
            text = findings_document(root)
        except FindingsError as error:
            click.echo(f"modelcontext findings: {error}", err=True)
            sys.exit(FOUND)
        wrong = list(rerun(root)) if run else []
    path = root / DOCUMENT
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        stale.append(str(DOCUMENT))
    if not check:
        path.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"stale": stale, "added": added, "wrong": wrong})
    else:
        for name in stale if check else ():
            click.echo(f"{name} is out of date; run `modelcontext findings`", err=True)
        for problem in wrong:
            click.echo(problem, err=True)
        if not check:
            click.echo("\n".join([*(f"added {name}" for name in added), f"wrote {DOCUMENT}"]))
        if run and not wrong:
            click.echo("every test fails on the product of its finding, and passes on the model")
    sys.exit(FOUND if (check and stale) or wrong else 0)


def _add(root: Path, campaign: Path) -> list[str]:
    """Copy the findings of a campaign that have neither the cause nor the program of one in the checkout."""
    added = []
    for finding in load_findings(campaign / "findings"):
        folder = root / FOLDER / finding.product
        profiles = [load_profile(name) for name, product in PROFILES.items() if product == finding.product]
        known = load_findings(folder)
        if any(other.cause == finding.cause or other.program == finding.program for other in known):
            continue
        quirks = [explanation(profile, finding) for profile in profiles]
        click.echo(f"{finding.name}: {', '.join(quirks[0]) if quirks and quirks[0] else 'not explained'}", err=True)
        name = free_name(finding.name, [other.name for other in known])
        write_finding(replace(finding, name=name), folder / name)
        added.append(f"{FOLDER}/{finding.product}/{name}")
    return added
