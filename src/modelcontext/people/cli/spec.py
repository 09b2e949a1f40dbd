"""``modelcontext spec``: build the specification, extract and generate from it, compare, lint and check it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from modelcontext.ground.checkout import path_in, require_checkout
from modelcontext.ground.files import write_whole
from modelcontext.people.cli import command_of, is_installed, options
from modelcontext.people.cli.groups import Verbs
from modelcontext.people.cli.spec_texts import chosen, every_revision, finish, reading
from modelcontext.spec.revisions.registry import FILES

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.problems import Problem

#: The verbs that import a revision: module and function. `spec generate` has to run where its files are missing or broken.
_FUNCTIONS: Final = {
    "diff": ("spec_drift", "diff"),
    "drift": ("spec_drift", "drift"),
    "impact": ("spec_impact", "impact"),
    "coverage": ("spec_coverage", "coverage"),
}
#: Those of other distributions.
_ELSEWHERE: Final = {
    **dict.fromkeys(("generate", "check", "try", "read", "beside", "renumber", "proposals"), "modelcontext-prose"),
    "issues": "modelcontext-filing",
}


class _Verbs(Verbs):
    """The verbs of texts, of which each imports what it needs. ``lint`` is the command of speclint."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        there = [name for name, distribution in _ELSEWHERE.items() if is_installed(distribution)]
        return [*super().list_commands(ctx), *there, "lint", *_FUNCTIONS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "lint":
            from speclint.command import command as lint

            return lint
        if cmd_name in _ELSEWHERE:
            found: click.Command | None = command_of(_ELSEWHERE[cmd_name], f"spec.{cmd_name}")
        elif cmd_name in _FUNCTIONS:
            module, function = _FUNCTIONS[cmd_name]
            found = getattr(import_module(f"modelcontext.people.cli.{module}"), function)
        else:
            found = super().get_command(ctx, cmd_name)
        return found


@click.group(cls=_Verbs)
def command() -> None:
    """Build, check and compare the specification. Everything works offline."""


@command.command(epilog="\b\nExample:\n  modelcontext spec build\n  modelcontext spec build --revision 2026-03")
@click.option(
    "--output",
    type=options.NEW_FILE,
    help="The HTML file to write.  [default: build/index.html; for an earlier revision build/REVISION/index.html]",
)
@options.one_revision
@options.root
def build(output: Path | None, revision: str, root: Path) -> None:
    """Build the text of a revision with Bikeshed, offline; every warning is an error.

    Exit code 0: done; 1: the text has an error; 2: Bikeshed is missing, or the file cannot be written.
    """
    from modelcontext.spec.specification.text.bikeshed import build

    files = FILES[revision]
    target = output or path_in(root, files.output)
    with reading():
        write_whole(target, build(root / files.text, path_in(root, files.cache)))
    click.echo(f"wrote {target}")


@command.command(epilog="\b\nExample:\n  modelcontext spec extract\n  modelcontext spec extract --check")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change.")
@every_revision
@options.root
def extract(check: bool, revision: str | None, root: Path) -> None:
    """Extract algorithms.json, the IDL and the classes of dictionaries from the text of each revision.

    Exit code 0: done; 1: the text has an error, or --check finds a file that would change; 2: a file cannot be read or
    written.
    """
    from modelcontext.spec.specification.text.extraction import extract
    from modelcontext.spec.specification.text.locations import SourceLines

    problems: list[Problem] = []
    with reading():
        if not check:
            require_checkout(root, "`spec extract` without --check")
        for files in chosen(revision):
            extraction = extract(root, files)
            text = SourceLines(files.text, root, extraction.specification.algorithms)
            for problem in extraction.problems(root, text):
                problems.append(problem)
                if not check:
                    write_whole(root / problem.place.path, extraction.files[problem.place.path])
    if check:
        finish(problems, "the committed extracts agree with the texts")
    for problem in problems:
        click.echo(f"wrote {problem.place.path}")
    if not problems:
        click.echo("nothing has changed")
