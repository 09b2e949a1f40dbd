"""Freezing the current revision, ``python -m tools.freeze NAME``: making a copy of all its files that never changes."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import require_checkout
from modelcontext.ground.files import write_whole
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.spec.revisions.registry import CURRENT, FILES, RevisionFiles, files_of
from modelcontext.spec.specification.text.algorithms import SpecificationError
from modelcontext.spec.specification.text.extraction import PLATFORM_IDL, extract
from modelcontext_prose.checking import check
from modelcontext_prose.generation import generate
from modelcontext_prose.tags import TAGS

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.problems import Problem

# In the tests of the current revision: the path of the suite on a server, and the links to its text.
_SUITE = re.compile(rf"(?<!\w)/{CURRENT.suite.name}/")
_HELP = "https://webmachinelearning.github.io/webmcp/"


def freeze(root: Path, name: str) -> tuple[list[Path], list[Problem]]:
    """Freeze the current revision as ``name`` in the checkout ``root``.

    The copy has its text, programs and tests, the code that is made of the text, and the expectations for the product that
    implements it, the model in a page. The current revision and the copy are checked before anything is written.

    Returns:
        The files that were written, and the problems. With problems nothing is written.

    Raises:
        SpecificationError: if a file of that name exists, or the text cannot be built or read.
    """
    files = files_of(name)
    folders = (files.folder, files.package, files.programs, files.expectations, files.suite)
    for path in folders:
        if (root / path).exists():
            raise SpecificationError(
                "this is there already: a frozen revision does not change; choose another name",
                root / path,
                environment=True,
            )
    problems = check(root).problems
    if problems:
        return [], problems
    with tempfile.TemporaryDirectory() as folder:
        staging = Path(folder)
        _write(staging / PLATFORM_IDL, (root / PLATFORM_IDL).read_text(encoding="utf-8"))
        _copy_text_and_make_code(root, staging, files)
        problems = check(staging, files).problems
        if problems:
            return [], problems
        tests = _copy_tests(root, staging, files)
        written = [*(path.relative_to(staging) for where in folders for path in _files_below(staging / where)), *tests]
        for path in written:
            _write(root / path, (staging / path).read_text(encoding="utf-8"))
        # The built text, so that the next check need not build it.
        shutil.copytree(staging / files.cache, root / files.cache, dirs_exist_ok=True)
    return written, []


def _files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def _copy_text_and_make_code(root: Path, staging: Path, files: RevisionFiles) -> None:
    text = (root / CURRENT.text).read_text(encoding="utf-8")
    _write(staging / files.text, _frozen_text(text, files.name))
    for own, current in (
        (files.unreachable, CURRENT.unreachable),
        (files.marks, CURRENT.marks),
        (files.weights, CURRENT.weights),
    ):
        _write(staging / own, (root / current).read_text(encoding="utf-8"))
    for path, content in (*extract(staging, files).files.items(), *generate(staging, files).files.items()):
        _write(staging / path, content)
    # The other kinds of tests exist for the current revision only, or run in a browser.
    floors = re.split(r"(?m)^(?=\[)", (root / CURRENT.floors).read_text(encoding="utf-8"))
    kept = [part for part in floors if not part.startswith("[") or part.startswith("[programs]")]
    _write(staging / files.floors, "".join(kept).rstrip("\n") + "\n")
    _write_ceilings(staging, files)


def _frozen_text(text: str, name: str) -> str:
    text, shortnames = re.subn(r"(?m)^Shortname: (\S+)$", rf"Shortname: \1-{name}", text, count=1)
    later = "!Later: the current revision, which goes on from this one, replaces it"
    text, revisions = re.subn(r"(?m)^!Revision: .*$", f"!Revision: {name}\n{later}", text, count=1)
    if not shortnames or not revisions:
        raise SpecificationError("the metadata have no line `Shortname:` or no line `!Revision:`: add it", CURRENT.text)
    return text


def _write_ceilings(staging: Path, files: RevisionFiles) -> None:
    """Write the number of each comment tag as its ceiling."""
    path = staging / files.ceilings
    head = f"# How often each comment tag may occur in {files.package.as_posix()}. These numbers only ever fall.\n"
    _write(path, head)
    counts = check(staging, files).tags
    _write(path, head + "".join(f"{tag} = {counts[tag]}\n" for tag in TAGS))


def _copy_tests(root: Path, staging: Path, files: RevisionFiles) -> list[Path]:
    """Copy programs, tests and expectations; return the copies outside of the folders of the new revision."""
    for path in _files_below(root / CURRENT.programs):
        program = path.read_text(encoding="utf-8")
        program = re.sub(r"(?m)^(title = .*)$", rf'\1\nrevision = "{files.name}"', program, count=1)
        _write(staging / files.programs / path.relative_to(root / CURRENT.programs), program)
    for path in _files_below(root / CURRENT.suite):
        target = files.suite / path.relative_to(root / CURRENT.suite)
        test = _SUITE.sub(f"/{files.suite.name}/", path.read_text(encoding="utf-8"))
        _write(staging / target, test.replace(_HELP, Path(os.path.relpath(files.text, target.parent)).as_posix()))
    page, of_tests = CURRENT.expectations / "page.toml", CURRENT.expectations / f"wpt-{files.page}.toml"
    for source, target in (
        (page, files.expectations / f"{files.page}.toml"),
        (page.with_name(f"wpt-{page.name}"), of_tests),
    ):
        if (root / source).is_file():
            known = _SUITE.sub(f"/{files.suite.name}/", (root / source).read_text(encoding="utf-8"))
            _write(staging / target, known)
    return [of_tests] if (staging / of_tests).is_file() else []


def _check_name(ctx: click.Context, param: click.Parameter, name: str) -> str:
    # A package whose name begins with r and a digit belongs to a revision whose name begins with this digit.
    if not re.fullmatch(r"(?!r\d)[0-9a-z]+(-[0-9a-z]+)*", name):
        raise click.BadParameter(
            f'"{name}" is not a name of a revision: small letters and digits, with hyphens', ctx, param
        )
    if name in FILES:
        raise click.BadParameter(f"there is a revision {name} already; a frozen one does not change", ctx, param)
    return name


@click.command(
    epilog="\b\nExample:\n  python -m tools.freeze 2026-10", context_settings={"help_option_names": ["-h", "--help"]}
)
@click.argument("name", callback=_check_name)
@options.root
def command(name: str, root: Path) -> None:
    """Freeze the current revision as NAME: copy its text, programs, tests and expectations, and make the code of the copy.

    The files of a frozen revision never change.

    The command checks the original and the copy, and writes nothing if there is a problem.

    Exit code 0: the revision is written; 1: there are problems; 2: wrong usage, or NAME exists.
    """
    with exit_on_problems(codes={SpecificationError: FOUND, OSError: USAGE}):
        require_checkout(root, "`python -m tools.freeze`")
        written, problems = freeze(root, name)
    for problem in problems:
        click.echo(str(problem))
    if problems:
        click.echo("nothing was written", err=True)
        sys.exit(FOUND)
    for path in written:
        click.echo(f"wrote {path}")


if __name__ == "__main__":
    command(prog_name="python -m tools.freeze")
