"""``modelcontext spec drift`` and ``modelcontext spec diff``: the differences between two texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text as Line

from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, NOTHING, UNREADABLE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json, results_console
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.spec.specification.comparison.differences import TextDifference
    from modelcontext.spec.specification.comparison.drift import Drift, Text


_IDL_ENDINGS = (".idl", ".webidl")
_STYLES = {"=": "", "-": "red strike", "+": "green"}
_SIGNS = {"=": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}


@verb(
    epilog="\b\nExample:\n  modelcontext spec drift\n  modelcontext spec drift ~/webmcp/index.bs --allowed known.toml\n"
    "  modelcontext spec drift 2026-03 --json"
)
@click.argument("other", required=False)
@click.option(
    "--revision",
    type=options.REVISION,
    default=CURRENT.name,
    show_default=True,
    help="The revision to compare with OTHER.",
)
@click.option(
    "--allowed",
    type=options.FILE,
    metavar="FILE",
    help="The known differences, each with its reason.  [default: spec/drift.toml; none if OTHER is given]",
)
@options.as_json
@options.root
def drift(other: str | None, revision: str, allowed: Path | None, as_json: bool, root: Path) -> None:
    """Show the differences between our specification and OTHER.

    OTHER is the Bikeshed source of a specification (an index.bs, or its folder), a file of IDL, or the name of a revision.
    Without OTHER, the command compares our IDL with the published IDL, in the npm package @webref/idl.

    The command compares declarations of IDL, and algorithms step by step. It matches algorithms by the id
    of their dfn, and steps by the words that they share. "+" marks a line that only OTHER has, and "-" a line
    that only our text has.

    \b
    Exit code 0: there are no differences, or only allowed ones
              1: something differs, or an allowed difference no longer exists
              2: wrong usage, or Bikeshed or lxml is not installed
              3: a text, or the file of allowed differences, cannot be read
              4: there is nothing to compare: the npm package is not installed, or OTHER
                 has neither IDL nor algorithms
    """  # noqa: D301 - click needs the escaped character
    from modelcontext.spec.specification.comparison.drift import ALLOWED, published_text, revision_text

    if other is None and allowed is None and revision == CURRENT.name and (root / ALLOWED).is_file():
        allowed = root / ALLOWED
    _show(
        lambda: revision_text(root, FILES[revision]),
        lambda: published_text(root) if other is None else _other_text(other, root),
        allowed,
        as_json,
    )


@verb(epilog="\b\nExample:\n  modelcontext spec diff 2026-03 current\n  modelcontext spec diff 2026-03 current --json")
@click.argument("old", type=options.REVISION)
@click.argument("new", type=options.REVISION)
@options.as_json
@options.root
def diff(old: str, new: str, as_json: bool, root: Path) -> None:
    """Show the changes from revision OLD to revision NEW, in the IDL and step by step.

    Exit code 0: there are no changes; 1: there are changes; 2: wrong usage; 3: a text cannot be read.
    """
    from modelcontext.spec.specification.comparison.drift import revision_text

    _show(lambda: revision_text(root, FILES[old]), lambda: revision_text(root, FILES[new]), None, as_json)


def _other_text(other: str, root: Path) -> Text:
    from modelcontext.spec.specification.comparison.drift import bikeshed_text, idl_text, revision_text

    if other in FILES:
        return revision_text(root, FILES[other])
    path = Path(other)
    if path.is_dir():
        path = path / "index.bs"
    if not path.is_file():
        raise click.UsageError(f"{other} is neither a file nor a revision; the revisions are {', '.join(FILES)}")
    if path.suffix in _IDL_ENDINGS:
        return idl_text(path)
    with Console(stderr=True).status(f"building {path}"):
        return bikeshed_text(path)


def _show(our_text: Callable[[], Text], their_text: Callable[[], Text], allowed: Path | None, as_json: bool) -> None:
    from modelcontext.spec.specification.comparison.drift import (
        NothingToCompareError,
        compare,
        find_drift,
        load_allowed,
    )

    codes = {SpecificationError: UNREADABLE, RecursionError: UNREADABLE, NothingToCompareError: NOTHING}
    with exit_on_problems(codes=codes, as_json=as_json):
        ours, theirs = our_text(), their_text()
        found = find_drift(compare(ours, theirs), load_allowed(allowed) if allowed is not None else [])
    if as_json:
        print_json(_data(ours, theirs, found))
    else:
        _print(ours, theirs, found, allowed)
    sys.exit(FOUND if found else 0)


def _data(ours: Text, theirs: Text, found: Drift) -> dict[str, Any]:
    return {
        "ours": ours.name,
        "other": theirs.name,
        "compared": ["idl"] + (["algorithms"] if ours.algorithms is not None and theirs.algorithms is not None else []),
        "differences": [difference.to_json() for difference in found.differences],
        "allowed": [difference.to_json() | {"reason": entry.reason} for difference, entry in found.allowed],
        "outdated": [asdict(entry) for entry in found.outdated],
    }


def _print(ours: Text, theirs: Text, found: Drift, allowed: Path | None) -> None:
    console = results_console(highlight=False)
    # Long lines are broken on a terminal only: a pipe gets each as one line.
    console.soft_wrap = not console.is_terminal
    console.print(Line(f"--- {ours.name}\n+++ {theirs.name}", style="bold"))
    reasons = {id(difference): entry.reason for difference, entry in found.allowed}
    everything = [*found.differences, *(difference for difference, _ in found.allowed)]
    for part, heading in (("idl", "IDL"), ("algorithms", "Algorithms")):
        differences = [difference for difference in everything if difference.part == part]
        if differences:
            console.print(Line(f"\n{heading}", style="bold"))
        for subject, group in groupby(differences, key=lambda difference: difference.subject):
            _print_line(console, 2, Line(subject, style="bold"))
            for difference in group:
                for indent, line in _lines(difference, marks=not console.is_terminal):
                    _print_line(console, indent, line)
                if id(difference) in reasons:
                    _print_line(console, 6, Line(f"allowed: {reasons[id(difference)]}", style="dim"))
    for entry in found.outdated:
        place = f"{allowed}:{entry.line}: {entry.subject}: {entry.change}"
        console.print(Line(f"\n{place}: this is no longer a difference; remove the entry"))
    counts = [f"{_counted(len(found.differences), 'difference')}, {len(found.allowed)} allowed"]
    if found.outdated:
        counts.append(f"{_counted(len(found.outdated), 'entry', 'entries')} out of date")
    if ours.algorithms is None or theirs.algorithms is None:
        counts.append("only the IDL was compared")
    console.print(Line("\n" + "; ".join(counts)))


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _print_line(console: Console, indent: int, line: Line) -> None:
    if console.is_terminal:
        console.print(Padding(line, (0, 0, 0, indent), expand=False))
    else:
        console.print(Line(" " * indent) + line)


def _lines(difference: TextDifference, *, marks: bool) -> Iterator[tuple[int, Line]]:
    """Yield the lines of a difference with their indents; words are marked by color, or as ``git diff --word-diff`` does."""
    sides = [(side, text) for side, text in (("-", difference.ours), ("+", difference.other)) if text is not None]
    numbers = [number for number in (difference.step, difference.other_step) if number is not None]
    is_one_sided = difference.change in ("added", "removed")
    if difference.part == "algorithms" and numbers and len(sides) == 1:
        [(side, text)] = sides
        yield 4, Line(f"{side} {numbers[0]}. {text}", style=_STYLES[side])
    elif difference.part == "algorithms" and numbers:
        yield 4, Line(f"step {' is now '.join(dict.fromkeys(numbers))}, {difference.change}:")
        yield 6, _words(difference, marks=marks)
    elif difference.part == "algorithms" and is_one_sided:
        yield 4, Line(f"the whole algorithm is {difference.change}: {difference.other or difference.ours}")
    else:
        if not is_one_sided:
            yield 4, Line(f"{difference.change}:")
        for side, text in sides:
            yield 6, Line(f"{side} {text}", style=_STYLES[side])


def _words(difference: TextDifference, *, marks: bool) -> Line:
    line = Line()
    for run in difference.words:
        before, after = _SIGNS[run.side] if marks else ("", "")
        line.append(f"{before}{run.text}{after}", style=_STYLES[run.side])
    return line
