"""``modelcontext spec impact``: the consequences of a changed text for tests and known deviations."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import click

from modelcontext.ground.words import counted
from modelcontext.judging.coverage import ReachError
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, UNREADABLE, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar, print_json, warn
from modelcontext.people.cli.spec_texts import sources
from modelcontext.spec.revisions.registry import FILES
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.judging.impact import Commit, Impact, Record

_RECORDED = Path("build", "reached.json")
_LAST = 20
#: Names of tests of one kind that are printed without --all.
_SHOWN = 8
#: Characters of a paragraph that are printed; --json has all.
_WIDTH = 160


@verb(
    epilog="\b\nExamples:\n  modelcontext spec impact ~/pull-request/index.bs\n"
    "  modelcontext spec impact --commits . --last 5\n  modelcontext spec impact other.bs --json | jq '.tests.litmus'"
)
@click.argument("other", required=False, type=click.Path(path_type=Path))
@click.option(
    "--commits",
    metavar="REPO",
    type=click.Path(path_type=Path),
    help="Print a table that compares each commit of this git repository with the previous commit.",
)
@click.option("--last", type=click.IntRange(min=1), help="With --commits: the number of commits.  [default: 20]")
@click.option(
    "--recorded",
    type=options.NEW_FILE,
    help="A file of `python -m tools.lab reach`, with the steps that the suite reaches.  [default: build/reached.json, if it"
    " exists]",
)
@click.option("--all", "every", is_flag=True, help="Name all tests, and not only some of each kind.")
@options.one_revision
@options.as_json
@options.root
def impact(
    other: Path | None,
    commits: Path | None,
    last: int | None,
    recorded: Path | None,
    every: bool,
    revision: str,
    as_json: bool,
    root: Path,
) -> None:
    """Show the effects of a changed text, OTHER, on the tests and known deviations of our text.

    The report lists the changed steps, the changed prose, and the programs, litmus tests and test files that reach the
    steps. It also lists the known deviations at the steps, and the new findings of the lint. A test reaches an added step
    if the test runs the previous step. If OTHER is our own text, the command compares it with the text of the last
    commit, so you can edit index.bs and see the effects. With --commits, OTHER is the path of the text in the given
    repository (index.bs). The command compares each commit with the previous commit, and uses the current tests and
    deviations.

    \b
    Exit code 0: the steps, the normative prose and the IDL are the same; 1: some of them differ
              2: wrong usage, a file or a repository is missing
              3: a text is not Bikeshed source, has no algorithms, or has broken markup
    """  # noqa: D301 - click needs the escaped character
    from modelcontext.judging.impact import HistoryError, Record, committed, impact_of, own_algorithms, read_history
    from speclint.text.content import read_content

    if other is None and commits is None:
        raise click.UsageError("name the changed text, or a repository with --commits")
    if last is not None and commits is None:
        raise click.UsageError("--last needs --commits")
    codes: dict[type[Exception], int] = {SpecificationError: UNREADABLE, RecursionError: UNREADABLE}
    with exit_on_problems(codes={**codes, HistoryError: USAGE, ReachError: USAGE}, as_json=as_json), sources():
        if commits is not None:
            history = read_history(commits, other or Path("index.bs"), last or _LAST)
            record = _record(root, revision, recorded, read_content(root / FILES[revision].text))
            rows = [_row(commit, record) for commit in history]
        else:
            assert other is not None
            path = other / "index.bs" if other.is_dir() else other
            content = read_content(path)
            # What cannot be read is refused before the tests run.
            own_algorithms(content, path)
            own = root / FILES[revision].text
            ours = committed(own) if path.resolve() == own.resolve() else read_content(own)
            # A text that is the same has no step whose tests are asked for.
            record = _record(root, revision, recorded, ours) if content != ours else Record((), (), ())
            result = impact_of(ours, content, record, path)
    if commits is not None:
        _show_history(rows, as_json=as_json)
        sys.exit(FOUND if any(isinstance(one, str) or one.is_change for _, one in rows) else 0)
    if as_json:
        print_json(result.to_json(str(path)))
    else:
        _print(result, str(path), every=every)
    sys.exit(FOUND if result.is_change else 0)


def _record(root: Path, revision: str, recorded: Path | None, ours: str) -> Record:
    """Return the record of the tests and deviations of this checkout, with the steps of our text."""
    from modelcontext.judging.conformance.explored import Explorations
    from modelcontext.judging.coverage import measured, programs_of, read_recorded
    from modelcontext.judging.impact import Record, own_algorithms, read_deviations

    text = root / FILES[revision].text
    programs, tests = [*programs_of(root, revision)], []
    with one_bar("running in the model", len(programs)) as advance:
        for one in measured(programs, Explorations(root)):
            tests.append(one)
            advance(1)
    if recorded is not None:
        tests += read_recorded(recorded, revision)
    elif not (path := root / _RECORDED).is_file():
        warn(
            f"test files are not counted: record them with `python -m tools.lab reach --output {_RECORDED}`, in a checkout"
        )
    else:
        try:
            tests += list(read_recorded(path, revision))
        except ReachError as error:
            warn(f"no test file is counted: {error}")
    return Record(own_algorithms(ours, text), tests, read_deviations(root, revision))


def _row(commit: Commit, record: Record) -> tuple[Commit, Impact | str]:
    from modelcontext.judging.impact import impact_of

    if commit.before is None:
        return commit, "the text is new"
    try:
        with sources():
            return commit, impact_of(commit.before, commit.after, record, Path(commit.id))
    except SpecificationError as error:
        return commit, error.message


def _show_history(rows: Sequence[tuple[Commit, Impact | str]], *, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {"commit": commit.id, "title": commit.title}
                | ({"problem": one} if isinstance(one, str) else one.to_json(commit.id))
                for commit, one in rows
            ]
        )
        return
    names = ("steps", "unmatched", "prose", "programs", "litmus", "test files", "deviations", "lint")
    click.echo("commit    " + "".join(f"{name:>12}" for name in names) + "  title")
    for commit, one in rows:
        if isinstance(one, str):
            click.echo(f"{commit.id:10}" + "".join(f"{'-':>12}" for _ in names) + f"  {commit.title} ({one})")
            continue
        kinds = ("programs", "litmus", "wpt")
        numbers = [len(one.tests[kind]) if kind in one.record.kinds else "-" for kind in kinds]
        cells = [
            len(one.changes),
            one.unmatched,
            len(one.prose),
            # Nothing is known of the tests and deviations if no step was found here.
            *(numbers if one.is_matched else ["-"] * len(numbers)),
            len(one.deviations) if one.is_matched else "-",
            f"+{len(one.new_findings)} -{len(one.gone_findings)}",
        ]
        click.echo(f"{commit.id:10}" + "".join(f"{cell:>12}" for cell in cells) + f"  {commit.title}")


def _print(result: Impact, name: str, *, every: bool) -> None:
    for change, steps in result.changes:
        place = f" step {' is now '.join(dict.fromkeys(filter(None, (change.step, change.new_step))))}"
        click.echo(f"{change.algorithm}{place if place.strip() != 'step' else ''}: {change.kind}")
        for sign, text in (("-", change.before), ("+", change.after)):
            if text is not None:
                click.echo(f"    {sign} {text}")
        for line in _tests(result.record.tests_of(steps), every=every):
            click.echo(f"    {line}")
        if not steps:
            click.echo("    our text has no such step, so its tests are unknown")
    _print_prose(result)
    if not result.changes:
        click.echo("no step is changed")
        return
    counts = Counter(change.kind for change, _ in result.changes)
    click.echo(f"\nchanges: {len(result.changes)}, " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    if result.unmatched:
        click.echo(f"changes of steps that our text does not have: {result.unmatched}; their tests are unknown")
    for line in _tests(result.tests, every=every):
        click.echo(line)
    click.echo("`modelcontext spec try` shows which of these have other outcomes")
    click.echo(f"known deviations that depend on these steps: {len(result.deviations)}")
    for one in result.deviations:
        click.echo(f"    {one.kind} {one.name}: {one.step}")
    for words, findings in (("new", result.new_findings), ("gone", result.gone_findings)):
        click.echo(f"{words} findings of the lint: {len(findings)}")
        for finding in findings:
            click.echo("\n".join(f"    {line}" for line in finding.lines(name)))


def _print_prose(result: Impact) -> None:
    if result.is_idl_changed:
        click.echo("the IDL is changed: `modelcontext spec drift` compares the IDL of a checkout with ours")
    if result.prose:
        click.echo(f"normative prose outside of algorithms: {len(result.prose)} changed; check its impact by hand")
    for one in result.prose:
        click.echo(f"    {'+' if one.kind == 'added' else '-'} line {one.line}: {shorten(one.text, _WIDTH)}")


def _tests(tests: dict[str, list[str]], *, every: bool) -> Iterator[str]:
    for kind, word in (("programs", "program"), ("litmus", "litmus test"), ("wpt", "test file")):
        names = tests[kind]
        if names:
            rest = 0 if every else len(names) - _SHOWN
            shown = names[:_SHOWN] if rest > 0 else names
            more = f" and {rest} more; --all names them" if rest > 0 else ""
            yield f"reached by {counted(len(names), word)}: {', '.join(shown)}{more}"
