"""``python -m tools.lab history``: what the lint would have said of the defects that a history repaired."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import click

from modelcontext.judging.impact import Commit, HistoryError, read_history
from modelcontext.people.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.people.cli.output import one_bar, print_json, warn
from speclint import LintFinding, TextError, lint_text

_LAST = 50
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Version:
    """The findings in one version of a text by their identity, and the ids of its algorithms, with "" for its prose."""

    findings: dict[_Key, LintFinding]
    algorithms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A finding that a commit ended, although its algorithm stayed; ``since`` is the first commit that has it, or ""."""

    commit: str
    date: str
    title: str
    rule: str
    algorithm: str
    message: str
    since: str


@click.command()
@click.argument("repository", type=click.Path(path_type=Path))
@click.argument("text", default=Path("index.bs"), type=click.Path(path_type=Path))
@click.option("--last", type=click.IntRange(min=1), default=_LAST, show_default=True, help="The number of commits.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def history(repository: Path, text: Path, last: int, as_json: bool) -> None:
    """List the repairs in a git history that the lint would have asked for, with the first commit that it warns of.

    TEXT is the path of the text in the repository. A repair is a finding that a commit ends while its algorithm stays.
    Exit code 0: the table is printed; 2: wrong usage, or the history cannot be read.
    """
    with exit_on_problems(codes={HistoryError: USAGE}, as_json=as_json):
        commits = read_history(repository, text, last)[::-1]
        rows: list[Repaired] = []
        since: dict[_Key, str] = {}
        before: _Version | None = None
        with one_bar("reading commits", len(commits)) as advance:
            for commit in commits:
                if before is None and commit.before is not None:
                    before = _read(commit, commit.before, text)
                # A version that cannot be read is left out.
                if (after := _read(commit, commit.after, text)) is not None:
                    if before is not None:
                        rows += _repairs(commit, before, after, since)
                    since |= {key: commit.id for key in after.findings if before is None or key not in before.findings}
                    before = after
                advance(1)
    if as_json:
        print_json({"commits": len(commits), "repairs": [asdict(row) for row in rows]})
        return
    click.echo("| repaired by | rule | what the lint says of the text before | since |")
    click.echo("|---|---|---|---|")
    for row in rows:
        said = f"{row.algorithm}: {row.message}" if row.algorithm else row.message
        repaired = f"{row.date} {row.commit} {row.title}"
        click.echo(f"| {_cell(repaired)} | {row.rule} | {_cell(said)} | {row.since or 'before these commits'} |")


def _read(commit: Commit, content: str, path: Path) -> _Version | None:
    try:
        report = lint_text(content, path)
    except (TextError, RecursionError) as error:
        warn(f"{commit.id}: this version is left out: {error}")
        return None
    found = {one.key: one for one in report.findings}
    return _Version(found, frozenset({"", *(one.id for one in report.text.algorithms)}))


def _repairs(commit: Commit, before: _Version, after: _Version, since: dict[_Key, str]) -> list[Repaired]:
    """Return the findings that a commit ended, although their algorithms stayed."""
    return [
        Repaired(commit.id, commit.date, commit.title, one.rule, one.algorithm, one.message, since.get(key, ""))
        for key, one in before.findings.items()
        if key not in after.findings and one.algorithm in after.algorithms
    ]


def _cell(words: str) -> str:
    return words.replace("|", "\\|")
