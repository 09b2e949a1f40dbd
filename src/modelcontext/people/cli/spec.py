"""``modelcontext spec``: build the specification, extract from it, compare it, lint it, and check that the code follows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from modelcontext.ground.checkout import path_in, require_checkout
from modelcontext.ground.files import write_whole
from modelcontext.people.cli import options, spec_coverage, spec_drift, spec_impact, spec_issues
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import Verbs
from modelcontext.people.cli.output import print_json
from modelcontext.spec.revisions.registry import FILES, RevisionFiles
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.problems import Problem

_revision = click.option("--revision", type=options.REVISION, help="Only this revision.  [default: every revision]")


@contextmanager
def _reading(*, as_json: bool = False) -> Iterator[None]:
    """Read the specification: an error in its text is a finding, another obstacle is one of the environment."""
    with (
        exit_on_problems(codes={SpecificationError: FOUND, OSError: USAGE}, as_json=as_json),
        Console(stderr=True).status("reading the specification"),
    ):
        yield


class _Verbs(Verbs):
    """The verbs of texts; ``lint`` is the command of speclint, which only this verb imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = super().list_commands(ctx)
        place = names.index("check") + 1
        return [*names[:place], "lint", *names[place:]]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "lint":
            from speclint.command import command as lint

            return lint
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Verbs)
def command() -> None:
    """Build, check and compare the specification. Everything works offline."""


@command.command(epilog="\b\nExample:\n  modelcontext spec build\n  modelcontext spec build --revision 2026-03")
@click.option(
    "--output",
    type=options.NEW_FILE,
    help="The HTML file to write.  [default: build/index.html, or build/REVISION/index.html of an earlier one]",
)
@options.one_revision
@options.root
def build(output: Path | None, revision: str, root: Path) -> None:
    """Build the text of a revision with Bikeshed, offline; every warning is an error.

    Exit code 0: it is written; 1: the text has an error; 2: Bikeshed is missing, or the file cannot be written.
    """
    from modelcontext.spec.specification.text.bikeshed import build

    files = FILES[revision]
    target = output or path_in(root, files.output)
    with _reading():
        write_whole(target, build(root / files.text, path_in(root, files.cache)))
    click.echo(f"wrote {target}")


@command.command(epilog="\b\nExample:\n  modelcontext spec extract\n  modelcontext spec extract --check")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change.")
@_revision
@options.root
def extract(check: bool, revision: str | None, root: Path) -> None:
    """Extract from the text of each revision: algorithms.json, the IDL, the classes of its dictionaries.

    Exit code 0: done; 1: the text has an error, or --check finds a file that would change; 2: the command could not do it.
    """
    from modelcontext.spec.specification.code.check import check_extracts
    from modelcontext.spec.specification.text.extraction import extract
    from modelcontext.spec.specification.text.locations import SourceLines

    problems: list[Problem] = []
    with _reading():
        if not check:
            require_checkout(root, "`spec extract` without --check")
        for files in _chosen(revision):
            extraction = extract(root, files)
            text = SourceLines(files.text, root, extraction.specification.algorithms)
            for problem in check_extracts(root, extraction, text):
                problems.append(problem)
                if not check:
                    write_whole(root / problem.place.path, extraction.files[problem.place.path])
    if check:
        _finish(problems, "the committed extracts agree with the texts")
    for problem in problems:
        click.echo(f"wrote {problem.place.path}")
    if not problems:
        click.echo("nothing has changed")


@command.command(
    epilog="\b\nExample:\n  modelcontext spec check\n  modelcontext spec check --json | jq '.problems[].file'"
)
@options.as_json
@_revision
@options.root
def check(as_json: bool, revision: str | None, root: Path) -> None:
    """Check that the code of each revision follows its text, and name the file, line and step of each difference.

    The check compares the text with the step comments and signatures of the Python code, the IDL with the algorithms behind
    it, the committed extracts with new ones, and the algorithms of clients with the texts beside them. It also counts the
    comment tags.

    Exit code 0: all agree; 1: there are problems; 2: the check could not run.
    """
    from modelcontext.judging.clients.texts import check_clients
    from modelcontext.spec.specification.code.check import check

    with _reading(as_json=as_json):
        reports = {files.name: check(root, files) for files in _chosen(revision)}
        clients = check_clients(root) if any(files.is_current for files in _chosen(revision)) else []
    problems = [*(problem for report in reports.values() for problem in report.problems), *clients]
    if as_json:
        revisions = {
            name: {"algorithms": report.algorithms, "steps": report.steps, "tags": report.tags}
            for name, report in reports.items()
        }
        print_json({"revisions": revisions, "problems": [problem.to_json() for problem in problems]})
        sys.exit(FOUND if problems else 0)
    agreements = [
        f"{name}: {report.algorithms} algorithms with {report.steps} steps agree with the code; tags: "
        + ", ".join(f"{tag} {count}" for tag, count in report.tags.items())
        for name, report in reports.items()
    ]
    _finish(problems, "\n".join(agreements))


for other in (spec_drift.diff, spec_drift.drift, spec_impact.impact, spec_issues.issues, spec_coverage.coverage):
    command.add_command(other)


def _chosen(revision: str | None) -> list[RevisionFiles]:
    return list(FILES.values()) if revision is None else [FILES[revision]]


def _finish(problems: list[Problem], agreement: str) -> None:
    for problem in problems:
        click.echo(str(problem))
    if problems:
        click.echo(f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'}", err=True)
        sys.exit(FOUND)
    click.echo(agreement)
