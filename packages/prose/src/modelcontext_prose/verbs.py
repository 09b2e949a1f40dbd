"""``modelcontext spec generate`` and ``modelcontext spec check``: the files of a revision follow its text."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from modelcontext.ground.checkout import require_checkout
from modelcontext.ground.files import write_whole
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext.people.cli.spec_texts import chosen, every_revision, finish, reading


@verb(epilog="\b\nExample:\n  modelcontext spec generate\n  modelcontext spec generate --check")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change.")
@every_revision
@options.root
def generate(check: bool, revision: str | None, root: Path) -> None:
    """Write the Python of each revision from its text: the algorithms, the structs, and the state of objects.

    If the compiler does not understand a step, or can read a step in two ways, the command writes nothing.

    Exit code 0: done; 1: the compiler does not understand a step, or --check finds a file that would change; 2: a file
    cannot be read or written.
    """
    from modelcontext_prose.generation import generate

    with reading():
        if not check:
            require_checkout(root, "`spec generate` without --check")
        generations = [generate(root, files) for files in chosen(revision)]
        problems = [problem for one in generations for problem in one.problems]
        outdated = [problem for one in generations for problem in one.outdated]
        if check or problems:
            finish([*problems, *outdated] if check else problems, "the generated files agree with the texts")
            return
        for one in generations:
            for path in (problem.place.path for problem in one.outdated):
                if path in one.files:
                    write_whole(root / path, one.files[path])
                    click.echo(f"wrote {path}")
            for path in one.superfluous:
                (root / path).unlink()
                click.echo(f"removed {path}")
    if not outdated:
        click.echo("nothing has changed")


@verb(epilog="\b\nExample:\n  modelcontext spec check\n  modelcontext spec check --json | jq '.problems[].file'")
@options.as_json
@every_revision
@options.root
def check(as_json: bool, revision: str | None, root: Path) -> None:
    """Check that the files of each revision agree with its text, and name the file and line of each difference.

    The command generates Python, extracts and IDL again, and compares them with the committed files. It also compares the
    IDL with the algorithms of its members, and the algorithms of clients with their texts, and counts the comment tags.

    Exit code 0: all agree; 1: there are problems; 2: the check could not run.
    """
    from modelcontext_prose.checking import check
    from modelcontext_prose.clients.client_texts import check_clients

    with reading(as_json=as_json):
        reports = {files.name: check(root, files) for files in chosen(revision)}
        clients = check_clients(root) if any(files.is_current for files in chosen(revision)) else []
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
    finish(problems, "\n".join(agreements))
