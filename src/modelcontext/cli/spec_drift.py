"""``modelcontext spec drift`` and ``modelcontext spec diff``: what differs between two texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text as Line

from modelcontext.revisions.registry import CURRENT, FILES
from modelcontext.specification import SpecificationError
from modelcontext.specification.text.algorithms import repository_root

if TYPE_CHECKING:
    from modelcontext.specification.comparison.differences import TextDifference, Words
    from modelcontext.specification.comparison.drift import Allowed, Drift, Text

DRIFT = 1
USAGE = 2
UNREADABLE = 3
NOTHING = 4

_IDL_ENDINGS = (".idl", ".webidl")
_STYLES = {"=": "", "-": "red strike", "+": "green"}
_SIGNS = {"=": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}

root_option = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The checkout to read.  [default: the one this package runs from]",
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_REVISION = click.Choice(list(FILES))


@click.command(
    epilog="\b\nExample:\n  modelcontext spec drift\n  modelcontext spec drift ~/webmcp/index.bs --allowed known.toml\n"
    "  modelcontext spec drift 2026-03 --json"
)
@click.argument("other", required=False)
@click.option("--revision", type=_REVISION, default=CURRENT.name, show_default=True, help="Our side.")
@click.option(
    "--allowed",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The known differences, each with its reason.  [default: spec/drift.toml; none if OTHER is given]",
)
@_as_json
@root_option
def drift(other: str | None, revision: str, allowed: Path | None, as_json: bool, root: Path | None) -> None:
    """Say what differs between our specification and OTHER.

    OTHER is the Bikeshed source of a specification (an index.bs, or the folder of one), a file of IDL, or the name of a
    revision. Without it, our IDL is held against the one that is published as the npm package @webref/idl.

    IDL is compared by what it declares, algorithms step by step: they are matched by the id of their dfn, their steps
    by the words they share. "+" is what only OTHER has, "-" what only we have.

    \b
    Exit code 0: nothing differs but what is allowed
              1: something differs, or an allowed difference is none any more
              2: wrong usage, or Bikeshed or lxml is not installed
              3: a text, or the file of allowed differences, cannot be read
              4: there is nothing to compare: the npm package is not installed, or OTHER
                 has neither IDL nor algorithms
    """
    from modelcontext.specification.comparison.drift import (
        ALLOWED,
        compare,
        find_drift,
        load_allowed,
        published_text,
        revision_text,
    )

    with _exit_codes(as_json):
        checkout = (root or repository_root()).resolve()
        ours = revision_text(checkout, FILES[revision])
        if other is None:
            theirs = published_text(checkout)
            if allowed is None and revision == CURRENT.name and (checkout / ALLOWED).is_file():
                allowed = checkout / ALLOWED
        else:
            theirs = _other_text(other, checkout)
        known = load_allowed(allowed) if allowed is not None else []
        found = find_drift(compare(ours, theirs), known)
    _finish(ours, theirs, found, allowed, as_json)


@click.command(
    epilog="\b\nExample:\n  modelcontext spec diff 2026-03 current\n  modelcontext spec diff 2026-03 current --json"
)
@click.argument("old", type=_REVISION)
@click.argument("new", type=_REVISION)
@_as_json
@root_option
def diff(old: str, new: str, as_json: bool, root: Path | None) -> None:
    """Say what has changed from revision OLD to revision NEW, in the IDL and step by step.

    Exit code 0: nothing; 1: something; 2: wrong usage; 3: a text cannot be read.
    """
    from modelcontext.specification.comparison.drift import Drift, compare, revision_text

    with _exit_codes(as_json):
        checkout = (root or repository_root()).resolve()
        ours, theirs = revision_text(checkout, FILES[old]), revision_text(checkout, FILES[new])
        found = Drift(compare(ours, theirs))
    _finish(ours, theirs, found, None, as_json)


def _other_text(other: str, checkout: Path) -> Text:
    from modelcontext.specification.comparison.drift import bikeshed_text, idl_text, revision_text

    if other in FILES:
        return revision_text(checkout, FILES[other])
    path = Path(other)
    if path.is_dir():
        path = path / "index.bs"
    if not path.is_file():
        raise click.UsageError(f"{other}: there is no such file, and the revisions are {', '.join(FILES)}")
    if path.suffix in _IDL_ENDINGS:
        return idl_text(path)
    with Console(stderr=True).status(f"building {path}"):
        return bikeshed_text(path)


@contextmanager
def _exit_codes(as_json: bool) -> Iterator[None]:
    from modelcontext.specification.comparison.drift import NothingToCompareError

    try:
        yield
    except SpecificationError as error:
        path = str(error.path) if error.path else None
        where = ":".join(str(part) for part in (path, error.line) if part is not None)
        message = f"{where}: {error.message}" if where else error.message
        code = USAGE if error.environment else UNREADABLE
    except NothingToCompareError as error:
        message, code = str(error), NOTHING
    except RecursionError:
        # Of a parser: no text that somebody wrote is nested by the thousand.
        message, code = "the text is nested too deeply to be read", UNREADABLE
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed, which reads the built text: pip install 'modelcontext[spec]'"
        code = USAGE
    else:
        return
    if as_json:
        click.echo(json.dumps({"error": {"message": message, "exitCode": code}}, indent=2, ensure_ascii=False))
    click.echo(f"modelcontext: {message}", err=True)
    sys.exit(code)


def _finish(ours: Text, theirs: Text, found: Drift, allowed: Path | None, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_data(ours, theirs, found), indent=2, ensure_ascii=False))
    else:
        _print(ours, theirs, found, allowed)
    sys.exit(DRIFT if found else 0)


def _data(ours: Text, theirs: Text, found: Drift) -> dict[str, Any]:
    return {
        "ours": ours.name,
        "other": theirs.name,
        "compared": ["idl"] + (["algorithms"] if ours.algorithms is not None and theirs.algorithms is not None else []),
        "differences": [difference.to_json() for difference in found.differences],
        "allowed": [difference.to_json() | {"reason": entry.reason} for difference, entry in found.allowed],
        "outdated": [_entry(entry) for entry in found.outdated],
    }


def _entry(entry: Allowed) -> dict[str, object]:
    return {
        "part": entry.part,
        "subject": entry.subject,
        "change": entry.change,
        "ours": entry.ours,
        "other": entry.other,
        "line": entry.line,
    }


def _print(ours: Text, theirs: Text, found: Drift, allowed: Path | None) -> None:
    console = Console(highlight=False)
    # Lines are broken where somebody reads them on a screen, and nowhere else.
    console.soft_wrap = not console.is_terminal
    console.print(Line(f"--- {ours.name}", style="bold"))
    console.print(Line(f"+++ {theirs.name}", style="bold"))
    printer = _Printer(console)
    reasons = {id(difference): entry.reason for difference, entry in found.allowed}
    everything = [*found.differences, *(difference for difference, _ in found.allowed)]
    for part, heading in (("idl", "IDL"), ("algorithms", "Algorithms")):
        differences = [difference for difference in everything if difference.part == part]
        if differences:
            console.print()
            console.print(Line(heading, style="bold"))
        for subject, group in groupby(differences, key=lambda difference: difference.subject):
            printer.line(2, Line(subject, style="bold"))
            for difference in group:
                printer.difference(difference)
                if id(difference) in reasons:
                    printer.line(6, Line(f"allowed: {reasons[id(difference)]}", style="dim"))
    for entry in found.outdated:
        where = f"{allowed}:{entry.line}"
        console.print(
            Line(f"\n{where}: {entry.subject}: {entry.change}: this is no difference now; take the entry out")
        )
    console.print()
    counts = [f"{_counted(len(found.differences), 'difference')}, {len(found.allowed)} allowed"]
    if found.outdated:
        counts.append(f"{_counted(len(found.outdated), 'entry', 'entries')} out of date")
    if ours.algorithms is None or theirs.algorithms is None:
        counts.append("only the IDL was compared")
    console.print(Line("; ".join(counts)))


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


class _Printer:
    """Prints differences; in colours on a terminal, else with the marks of ``git diff --word-diff``."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def line(self, indent: int, line: Line) -> None:
        if self._console.is_terminal:
            self._console.print(Padding(line, (0, 0, 0, indent), expand=False))
        else:
            self._console.print(Line(" " * indent) + line)

    def difference(self, difference: TextDifference) -> None:
        if difference.part == "idl":
            self._idl(difference)
            return
        if difference.step is None and difference.other_step is None:
            self._algorithm(difference)
            return
        numbers = [number for number in (difference.step, difference.other_step) if number is not None]
        if difference.ours is None or difference.other is None:
            side = "+" if difference.ours is None else "-"
            self.line(4, Line(f"{side} {numbers[0]}. {difference.other or difference.ours}", style=_STYLES[side]))
            return
        place = " is now ".join(dict.fromkeys(numbers))
        self.line(4, Line(f"step {place}, {difference.change}:"))
        self.line(6, self._words(difference.words))

    def _idl(self, difference: TextDifference) -> None:
        if difference.change not in ("added", "removed"):
            self.line(4, Line(f"{difference.change}:"))
        self._sides(difference)

    def _algorithm(self, difference: TextDifference) -> None:
        match difference.change:
            case "added" | "removed":
                self.line(4, Line(f"the whole algorithm is {difference.change}: {difference.other or difference.ours}"))
            case _:
                self.line(4, Line(f"{difference.change}:"))
                self._sides(difference)

    def _sides(self, difference: TextDifference) -> None:
        for side, text in (("-", difference.ours), ("+", difference.other)):
            if text is not None:
                self.line(6, Line(f"{side} {text}", style=_STYLES[side]))

    def _words(self, words: list[Words]) -> Line:
        line = Line()
        for run in words:
            if self._console.is_terminal:
                line.append(run.text, style=_STYLES[run.side])
            else:
                before, after = _SIGNS[run.side]
                line.append(f"{before}{run.text}{after}")
        return line
