"""``modelcontext spec lint``: static analysis of the algorithms of a specification."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from modelcontext.cli import options
from modelcontext.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.cli.output import one_bar, print_json
from modelcontext.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.lint import LintFinding, Report

UNREADABLE = 3


@click.command(
    epilog="\b\nExamples:\n  modelcontext spec lint index.bs\n  modelcontext spec lint ~/webmcp/index.bs --rule untested-null"
    "\n  modelcontext spec lint index.bs --json | jq '.findings[].rule'"
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--rule", "rules", multiple=True, help="Only findings of this rule; may be given several times.")
@click.option(
    "--trial", is_flag=True, help="Plant defects in each text, and show for each rule how many of them are noticed."
)
@click.option("--suppressed", is_flag=True, help="Also show what the text takes back, with the reasons.")
@options.as_json
def lint(files: tuple[Path, ...], rules: tuple[str, ...], trial: bool, suppressed: bool, as_json: bool) -> None:
    """Find defects in the algorithms of a Bikeshed source, or of its folder.

    Each finding has the file, the line, the step, the rule, the decisions that lead to the step, and what to do.
    docs/lint.md has the rules. The source is read as it stands: Bikeshed, its data and a network are not needed.

    A comment beside a step takes a finding back: <!-- lint: RULE: the reason -->.

    \b
    Exit code 0: nothing is found
              1: something is found
              2: wrong usage, or a file is missing
              3: a text is no Bikeshed source, has no algorithms, or its markup is broken
    """  # noqa: D301 - click needs the escaped character
    from modelcontext.lint import RULES, lint

    for rule in rules:
        if rule not in RULES:
            raise click.UsageError(f"there is no rule {rule}: the rules are {', '.join(RULES)}")
    if trial:
        _try_out(files, as_json=as_json)
        return
    codes: dict[type[Exception], int] = {SpecificationError: UNREADABLE, RecursionError: UNREADABLE}
    found: list[dict[str, object]] = []
    taken_back: list[dict[str, object]] = []
    with exit_on_problems(codes=codes, as_json=as_json):
        for file in files:
            path = file / "index.bs" if file.is_dir() else file
            with Console(stderr=True).status(f"reading {path}"):
                report = lint(path)
            findings = [one for one in report.findings if not rules or one.rule in rules]
            found += [one.to_json(str(path)) for one in findings]
            taken_back += [one.to_json(str(path)) | {"reason": reason} for one, reason in report.suppressed]
            if not as_json:
                _print(str(path), report, findings, rules, suppressed=suppressed)
    if as_json:
        print_json({"findings": found, "suppressed": taken_back})
    sys.exit(FOUND if found else 0)


def _try_out(files: tuple[Path, ...], *, as_json: bool) -> None:
    """Judge mutations of the texts, and print the numbers of each rule, and the mutations that nothing noticed."""
    from modelcontext.lint.text.source import read_content
    from modelcontext.lint.trial import Noticed, judge, tally
    from modelcontext.lint.trial.mutators import mutations

    verdicts: list[Noticed] = []
    with exit_on_problems(codes={SpecificationError: UNREADABLE}, as_json=as_json):
        for file in files:
            text = read_content(file / "index.bs" if file.is_dir() else file)
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
    click.echo("| rule | meant for it | of these noticed | noticed by it | by it alone |\n|---|---:|---:|---:|---:|")
    for row in rows:
        click.echo(f"| {row.rule} | {row.meant} | {row.noticed} | {row.by_it} | {row.alone} |")
    click.echo(f"| all | {len(verdicts)} | {len(verdicts) - len(missed)} | | {sum(row.alone for row in rows)} |")
    for one in missed:
        click.echo(f"not noticed: {one.mutator}: {one.place}")


def _print(name: str, report: Report, findings: list[LintFinding], rules: tuple[str, ...], *, suppressed: bool) -> None:
    for finding in findings:
        click.echo("\n".join(lines_of(name, finding)))
    taken_back = [(finding, reason) for finding, reason in report.suppressed if not rules or finding.rule in rules]
    if suppressed:
        for finding, reason in taken_back:
            click.echo("\n".join([*lines_of(name, finding), f"    taken back: {reason}"]))
    count = len(findings)
    words = f"{count} {'finding' if count == 1 else 'findings'}, {len(taken_back)} taken back by the text"
    algorithms = len(report.text.algorithms)
    steps = sum(1 for algorithm in report.text.algorithms for _ in algorithm.walk())
    click.echo(f"{name}: {words}; {algorithms} algorithms with {steps} steps", err=True)


def lines_of(name: str, finding: LintFinding) -> list[str]:
    """Return a finding as lines of text."""
    where = " step ".join(part for part in (finding.algorithm, finding.step) if part)
    lines = [f"{name}:{finding.line}: {where + ': ' if where else ''}{finding.message} [{finding.rule}]"]
    if finding.path:
        lines.append(f"    the way there: {'; '.join(finding.path)}")
    lines.append(f"    what to do: {finding.remedy}")
    return lines
