"""The command ``speclint``: findings for people and programs, and exit codes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from speclint.baseline import Baseline, read_baseline
from speclint.fixing import mend
from speclint.lint_results import (
    LintResults,
    annotation,
    annotation_of_error,
    as_json,
    as_sarif,
)
from speclint.linting import lint
from speclint.rules import RULES, RULES_BY_NAME
from speclint.text.content import is_at_commit, read_content
from speclint.text.source import is_built
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from speclint.finding import LintFinding
    from speclint.linting import Report

#: Exit codes.
FOUND: Final = 1
USAGE: Final = 2
UNREADABLE: Final = 3
INTERRUPTED: Final = 130

_EXAMPLES = (
    "index.bs",
    "~/streams --rule untested-null",
    "index.bs --json > known.json",
    "index.bs --baseline known.json --github",
    "index.bs --fix",
    "HEAD~1:index.bs",
)


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


@click.command(cls=_Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--rule", "rules", multiple=True, help="Only findings of this rule; may be given several times.")
@click.option("--suppressed", is_flag=True, help="Also show the findings that the text suppresses, with the reasons.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Leave out the findings in this file, which --json has printed.",
)
@click.option("--fix", is_flag=True, help="Repair in the files what needs no judgement, and show the other findings.")
@click.version_option(package_name="speclint", prog_name="speclint")
@click.option("--json", "form", flag_value="json", help="Print one JSON document.")
@click.option("--sarif", "form", flag_value="sarif", help="Print one SARIF document.")
@click.option("--github", "form", flag_value="github", help="Print annotations for a pull request on GitHub.")
def command(
    files: tuple[Path, ...],
    rules: tuple[str, ...],
    suppressed: bool,
    baseline: Path | None,
    fix: bool,
    form: str | None,
) -> None:
    """Find defects in the algorithms of a Bikeshed source, of a built page, or of the index.bs of a folder.

    FILE may also be REV:path in the git repository of the working directory.

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
    results = LintResults()
    path = baseline or files[0]
    try:
        one = len(files) == 1
        known = Baseline({}, is_of_one_text=one) if baseline is None else read_baseline(baseline, is_of_one_text=one)
        for file in files:
            path = file / "index.bs" if os.path.isdir(file) else file
            if fix:
                _fix(path, rules)
            report = lint(path, rules)
            findings = [one for one in report.findings if not rules or one.rule in rules]
            new = known.new(str(path), findings)
            results.findings += [(str(path), one) for one in new]
            results.suppressed += [(str(path), one, reason) for one, reason in report.suppressed]
            results.unread += report.text.unread
            _print(str(path), report, new, len(findings) - len(new), rules, form, suppressed=suppressed)
    except (TextError, RecursionError) as error:
        results.problem = _problem(error, path)
    else:
        gone = 0 if rules else known.gone
        if gone:
            count = "1 finding" if gone == 1 else f"{gone} findings"
            click.echo(
                f"{baseline}: {count} of this baseline {'is' if gone == 1 else 'are'} gone; write the baseline again",
                err=True,
            )
    if form in ("json", "sarif"):
        click.echo(json.dumps(as_json(results) if form == "json" else as_sarif(results), indent=2))
    if (problem := results.problem) is not None:
        where = ":".join(str(problem[key]) for key in ("file", "line") if problem[key] is not None)
        click.echo(f"{_program()}: {where}: {problem['message']}", err=True)
        sys.exit(int(str(problem["exitCode"])))
    if results.findings:
        sys.exit(FOUND)
    sys.exit(UNREADABLE if results.unread else 0)


def _fix(path: Path, rules: tuple[str, ...]) -> None:
    """Mend a file, and tell what was mended."""
    content = read_content(path)
    if is_at_commit(path):
        raise TextError("this is a text at a commit: --fix mends files", path, environment=True)
    if is_built(content):
        raise TextError("this is a built page: mend its source", path, environment=True)
    mended = mend(content, lint(path), rules)
    if mended.content == content:
        return
    try:
        # A file is replaced as a whole, so that an interrupt destroys nothing.
        target = path.resolve()
        new = target.with_name(f".{target.name}.mended")
        new.write_bytes(mended.content.encode())
        shutil.copymode(target, new)
        new.replace(target)
    except OSError as error:
        raise TextError(f"the text cannot be written: {error.strerror}", path, environment=True) from None
    for finding in mended.findings:
        click.echo(f"{path}:{finding.line}: mended: {finding.message} [{finding.rule}]", err=True)


def _problem(error: TextError | RecursionError, path: Path) -> dict[str, object]:
    """Return what keeps a text from being read, as data."""
    if isinstance(error, RecursionError):
        # No text that a person wrote is nested by the thousand.
        error = TextError("the text is nested too deeply to be read", path)
    code = USAGE if error.environment else UNREADABLE
    return {"message": error.message, "file": str(error.path), "line": error.line, "exitCode": code}


def _program() -> str | None:
    return click.get_current_context().find_root().info_name


def _print(
    name: str,
    report: Report,
    findings: list[LintFinding],
    known: int,
    rules: tuple[str, ...],
    form: str | None,
    *,
    suppressed: bool,
) -> None:
    """Print the findings of one text; a document for programs is printed at the end, for all texts."""
    if form in ("json", "sarif"):
        return
    taken_back = [(finding, reason) for finding, reason in report.suppressed if not rules or finding.rule in rules]
    for finding in findings:
        click.echo(annotation(name, finding) if form == "github" else "\n".join(finding.lines(name)))
    if suppressed and form is None:
        for finding, reason in taken_back:
            click.echo("\n".join([*finding.lines(name), f"    suppressed: {reason}"]))
    for error in report.text.unread:
        click.echo(annotation_of_error(error) if form == "github" else f"{error} [not read]", err=form is None)
    count = len(findings)
    words = f"{count} {'finding' if count == 1 else 'findings'}, {len(taken_back)} suppressed by the text"
    if known:
        words += f", {known} in the baseline"
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
