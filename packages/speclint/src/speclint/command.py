"""The command ``speclint``: findings as text or JSON, and exit codes."""

from __future__ import annotations

import json
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from speclint.linting import lint
from speclint.rules import RULES, RULES_BY_NAME
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from speclint.finding import LintFinding
    from speclint.linting import Report

#: Exit codes.
FOUND: Final = 1
USAGE: Final = 2
UNREADABLE: Final = 3
INTERRUPTED: Final = 130

_EXAMPLES = ("index.bs", "~/streams --rule untested-null", "index.bs --json | jq '.findings[].rule'")


class _Command(click.Command):
    """A command whose examples name the program that was called, and which an interrupt ends as shells have it."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(f"{_program()}: interrupted", err=True)
            sys.exit(INTERRUPTED)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for example in _EXAMPLES:
                formatter.write_text(f"{ctx.command_path} {example}")


@click.command(cls=_Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--rule", "rules", multiple=True, help="Only findings of this rule; may be given several times.")
@click.option("--suppressed", is_flag=True, help="Also show the findings that the text suppresses, with the reasons.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(files: tuple[Path, ...], rules: tuple[str, ...], suppressed: bool, as_json: bool) -> None:
    """Find defects in the algorithms of a Bikeshed source, or of the index.bs of a folder.

    Each finding has the file, the line, the step, the rule, the decisions that lead to the step, and what to do.
    The README of speclint has the rules. speclint reads the source itself, so it needs neither Bikeshed nor a network.

    A comment beside a step suppresses a finding: <!-- lint: RULE: the reason -->.

    \b
    Exit code 0: no finding
              1: findings
              2: wrong usage, or a file is missing
              3: no finding, but a text or a part of it cannot be read
    """  # noqa: D301 - click needs the escaped character
    for rule in rules:
        if rule not in (*RULES, *RULES_BY_NAME):
            raise click.UsageError(f"there is no rule {rule}: the rules are {', '.join((*RULES, *RULES_BY_NAME))}")
    found: list[dict[str, object]] = []
    taken_back: list[dict[str, object]] = []
    unread: list[TextError] = []
    problem: dict[str, object] | None = None
    for file in files:
        path = file / "index.bs" if os.path.isdir(file) else file
        try:
            report = lint(path, rules)
        except (TextError, RecursionError) as error:
            problem = _problem(error, path)
            break
        findings = [one for one in report.findings if not rules or one.rule in rules]
        found += [one.to_json(str(path)) for one in findings]
        taken_back += [one.to_json(str(path)) | {"reason": reason} for one, reason in report.suppressed]
        unread += report.text.unread
        if not as_json:
            _print(str(path), report, findings, rules, suppressed=suppressed)
    if as_json:
        not_read = [{"file": str(one.path), "line": one.line, "message": one.message} for one in unread]
        results = {"findings": found, "suppressed": taken_back, "notRead": not_read}
        click.echo(json.dumps(results | ({} if problem is None else {"error": problem}), indent=2))
    if problem is not None:
        where = ":".join(str(problem[key]) for key in ("file", "line") if problem[key] is not None)
        click.echo(f"{_program()}: {where}: {problem['message']}", err=True)
        sys.exit(int(str(problem["exitCode"])))
    if found:
        sys.exit(FOUND)
    sys.exit(UNREADABLE if unread else 0)


def _problem(error: TextError | RecursionError, path: Path) -> dict[str, object]:
    """Return what keeps a text from being read, as data."""
    if isinstance(error, RecursionError):
        # No text that a person wrote is nested by the thousand.
        error = TextError("the text is nested too deeply to be read", path)
    code = USAGE if error.environment else UNREADABLE
    return {"message": error.message, "file": str(error.path), "line": error.line, "exitCode": code}


def _program() -> str | None:
    return click.get_current_context().find_root().info_name


def _print(name: str, report: Report, findings: list[LintFinding], rules: tuple[str, ...], *, suppressed: bool) -> None:
    for finding in findings:
        click.echo("\n".join(finding.lines(name)))
    taken_back = [(finding, reason) for finding, reason in report.suppressed if not rules or finding.rule in rules]
    if suppressed:
        for finding, reason in taken_back:
            click.echo("\n".join([*finding.lines(name), f"    suppressed: {reason}"]))
    for error in report.text.unread:
        click.echo(f"{error} [not read]", err=True)
    count = len(findings)
    words = f"{count} {'finding' if count == 1 else 'findings'}, {len(taken_back)} suppressed by the text"
    algorithms = len(report.text.algorithms)
    steps = sum(1 for algorithm in report.text.algorithms for _ in algorithm.walk())
    click.echo(f"{name}: {words}; {algorithms} algorithms with {steps} steps", err=True)


def main() -> None:
    """Run the command."""
    # A name of a file can have bytes that are no text, and a terminal can lack letters.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            command(prog_name="speclint", standalone_mode=True)
        finally:
            sys.stdout.flush()
    except OSError as error:
        print(f"speclint: the results cannot be written: {error.strerror}", file=sys.stderr)
        # What standard output does not take is not tried again when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(USAGE)
