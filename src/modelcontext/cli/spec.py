"""``modelcontext spec``: build the specification, extract from it, compare it, and check that the code follows it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Console

from modelcontext.cli import spec_coverage, spec_drift
from modelcontext.cli.spec_drift import root_option
from modelcontext.revisions.registry import CURRENT, FILES, RevisionFiles
from modelcontext.specification import SpecificationError
from modelcontext.specification.text.algorithms import repository_root

if TYPE_CHECKING:
    from modelcontext.specification.text.problems import Problem

T = TypeVar("T")

_verbose = click.option("--verbose", is_flag=True, help="Say where the time goes.")
_revision = click.option(
    "--revision", type=click.Choice(list(FILES)), help="Only this revision.  [default: every revision]"
)


def _check_name(ctx: click.Context, param: click.Parameter, name: str) -> str:
    # A package that begins with r and a digit is that of a name that begins with the digit.
    if not re.fullmatch(r"(?!r\d)[0-9a-z]+(-[0-9a-z]+)*", name):
        raise click.BadParameter(
            f'"{name}" is no name of a revision: small letters and digits, with hyphens', ctx, param
        )
    if name in FILES:
        raise click.BadParameter(f"there is a revision {name} already; a frozen one changes no more", ctx, param)
    return name


@click.group(help="Build, extract from, check and compare the specification. Everything works offline.")
def command() -> None:
    pass


command.add_command(spec_drift.drift)
command.add_command(spec_drift.diff)
command.add_command(spec_coverage.coverage)


@command.command(
    epilog="\b\nExample:\n  modelcontext spec build\n  modelcontext spec build --revision 2026-03",
    help="Build the text of a revision with Bikeshed, offline; every warning is an error.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the HTML.  [default: build/index.html, or build/REVISION/index.html of an earlier one]",
)
@click.option(
    "--revision", type=click.Choice(list(FILES)), default=CURRENT.name, show_default=True, help="Which revision."
)
@root_option
@_verbose
def build(output: Path | None, revision: str, root: Path | None, verbose: bool) -> None:
    from modelcontext.files import write_whole
    from modelcontext.specification.text.bikeshed import build

    files = FILES[revision]

    def run(root: Path) -> Path:
        html = build(root / files.text, root / files.cache)
        target = output or root / files.output
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, html)
        return target

    target = _run(run, root, verbose)
    click.echo(f"wrote {target}")


@command.command(
    epilog="\b\nExample:\n  modelcontext spec extract\n  modelcontext spec extract --check",
    help=(
        "Write what is extracted from the text of each revision: the algorithms, the IDL and the Python classes of its"
        " dictionaries."
    ),
)
@click.option("--check", is_flag=True, help="Write nothing; the exit code is 1 if a file would change.")
@_revision
@root_option
@_verbose
def extract(check: bool, revision: str | None, root: Path | None, verbose: bool) -> None:
    _require_readers()
    from modelcontext.files import write_whole
    from modelcontext.specification.code.check import check_extracts
    from modelcontext.specification.text.extraction import extract
    from modelcontext.specification.text.locations import SourceLines

    def run_one(root: Path, files: RevisionFiles) -> list[Problem]:
        extraction = extract(root, files)
        text = SourceLines(files.text, root, extraction.specification.algorithms)
        problems = list(check_extracts(root, extraction, text))
        if not check:
            for problem in problems:
                path = root / problem.place.path
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, extraction.files[problem.place.path])
        return problems

    def run(root: Path) -> list[Problem]:
        return [problem for files in _chosen(revision) for problem in run_one(root, files)]

    problems = _run(run, root, verbose)
    if check:
        _finish(problems, "the committed extracts are what the texts give")
    for problem in problems:
        click.echo(f"wrote {problem.place.path}")
    if not problems:
        click.echo("nothing has changed")


@command.command(
    epilog="\b\nExample:\n  modelcontext spec check\n  modelcontext spec check --json | jq '.problems[].file'",
    help=(
        "Compare the text of each revision with the step comments and signatures of its Python code, the IDL with the"
        " algorithms behind it, and the committed extracts with fresh ones; count the comment tags. Exit code 0: all"
        " agree; 1: there are problems; 2: it could not be checked."
    ),
)
@click.option("as_json", "--json", is_flag=True, help="Print one JSON object.")
@_revision
@root_option
@_verbose
def check(as_json: bool, revision: str | None, root: Path | None, verbose: bool) -> None:
    _require_readers()
    from modelcontext.specification.code.check import CheckedRevision, check

    def run(root: Path) -> dict[str, CheckedRevision]:
        return {files.name: check(root, files) for files in _chosen(revision)}

    reports = _run(run, root, verbose, as_json)
    problems = [problem for report in reports.values() for problem in report.problems]
    if as_json:
        content = {
            "revisions": {
                name: {"algorithms": report.algorithms, "steps": report.steps, "tags": report.tags}
                for name, report in reports.items()
            },
            "problems": [problem.to_json() for problem in problems],
        }
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
        raise SystemExit(1 if problems else 0)
    agreements = [
        f"{name}: {report.algorithms} algorithms with {report.steps} steps agree with the code; tags: "
        + ", ".join(f"{tag} {count}" for tag, count in report.tags.items())
        for name, report in reports.items()
    ]
    _finish(problems, "\n".join(agreements))


@command.command(
    epilog="\b\nExample:\n  modelcontext spec freeze 2026-10",
    help=(
        "Freeze the current revision as NAME: copy its text, code, programs, tests and expectations to where they stand"
        " beside it and change no more. Both are checked, and nothing is written if there is a problem. Exit code 0: it is"
        " there; 1: problems; 2:"
        " wrong usage, or NAME is there already."
    ),
)
@click.argument("name", callback=_check_name)
@root_option
@_verbose
def freeze(name: str, root: Path | None, verbose: bool) -> None:
    _require_readers()
    from modelcontext.specification.code.freeze import freeze

    written, problems = _run(lambda root: freeze(root, name), root, verbose)
    for problem in problems:
        click.echo(str(problem))
    if problems:
        click.echo("nothing was written", err=True)
        raise SystemExit(1)
    for path in written:
        click.echo(f"wrote {path}")


def _chosen(revision: str | None) -> list[RevisionFiles]:
    return list(FILES.values()) if revision is None else [FILES[revision]]


def _run(action: Callable[[Path], T], root: Path | None, verbose: bool, as_json: bool = False) -> T:
    """Run an action on the checkout; what is wrong with the text is a problem, a missing program is none."""
    started = time.perf_counter()
    try:
        with Console(stderr=True).status("reading the specification"):
            result = action((root or repository_root()).resolve())
    except SpecificationError as error:
        _report(error, as_json)
        raise SystemExit(2 if error.environment else 1) from None
    except OSError as error:
        click.echo(f"{error.filename}: {error.strerror}", err=True)
        raise SystemExit(2) from None
    if verbose:
        click.echo(f"took {time.perf_counter() - started:.2f} s", err=True)
    return result


def _report(error: SpecificationError, as_json: bool) -> None:
    if as_json:
        path = str(error.path) if error.path else None
        click.echo(json.dumps({"error": {"file": path, "line": error.line, "message": error.message}}, indent=2))
        return
    where = [str(part) for part in (error.path, error.line) if part is not None]
    click.echo(": ".join([*([":".join(where)] if where else []), error.message]), err=True)


def _require_readers() -> None:
    try:
        import lxml.html  # noqa: F401
    except ModuleNotFoundError:
        click.echo("lxml is not installed, which reads the built text: pip install 'modelcontext[spec]'", err=True)
        raise SystemExit(2) from None


def _finish(problems: list[Problem], agreement: str) -> None:
    for problem in problems:
        click.echo(str(problem))
    if problems:
        click.echo(f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'}", err=True)
        raise SystemExit(1)
    click.echo(agreement)
