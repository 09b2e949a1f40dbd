"""Parts of the verbs that read the texts of the revisions: the choice of revisions, the errors, the list of problems."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console

from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.spec.revisions.registry import FILES, RevisionFiles
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.problems import Problem

#: The option ``--revision`` of a verb that else reads every text.
every_revision: Final = click.option(
    "--revision", type=options.REVISION, help="Only this revision.  [default: every revision]"
)


@contextmanager
def reading(*, as_json: bool = False) -> Iterator[None]:
    """Read the specification: an error in its text is a finding, another obstacle is one of the environment."""
    with (
        exit_on_problems(codes={SpecificationError: FOUND, OSError: USAGE}, as_json=as_json),
        Console(stderr=True).status("reading the specification"),
    ):
        yield


@contextmanager
def sources() -> Iterator[None]:
    """Read sources: what keeps the lint from reading one is an error of the specification, as for every verb."""
    from speclint import TextError

    try:
        yield
    except TextError as error:
        raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None


def chosen(revision: str | None) -> list[RevisionFiles]:
    """Return the files of one revision, or of each."""
    return list(FILES.values()) if revision is None else [FILES[revision]]


def finish(problems: list[Problem], agreement: str) -> None:
    """Print the problems, and exit with 1 if there are any; else print that all agree."""
    for problem in problems:
        click.echo(str(problem))
    if problems:
        click.echo(f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'}", err=True)
        sys.exit(FOUND)
    click.echo(agreement)
