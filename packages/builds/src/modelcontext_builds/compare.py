"""Comparisons of two results of the same tests: what is new and what was fixed, one line for each cause.

``modelcontext compare`` compares two files. ``test --compare`` and ``conformance --compare`` compare their run with a file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext_builds.report_lines import ReportLine, Results, read_results, results_in

#: The results of one cause, and the characters of a message, that are shown.
MOST_OF_A_CAUSE: Final = 5
MOST_CHARACTERS: Final = 200
#: The kinds of changes, in the order in which they are told.
KINDS: Final = ("new", "changed", "fixed")


@dataclass(frozen=True)
class Change:  # Of a result; the patches of texts have others.
    """One cause of results that became ``new`` (failures), ``changed`` or ``fixed``, and the names of these results.

    ``since`` says, by name, since which build of Chromium a failure shows so, as far as the checkout has it.
    """

    kind: str
    cause: str
    names: Sequence[str]
    since: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparedRuns:
    """Two results of the same tests: the changes, the names that only the old one has, and the number of the new ones."""

    changes: Sequence[Change]
    gone: Sequence[str]
    total: int

    @property
    def is_worse(self) -> bool:
        """True if something fails that did not fail so before."""
        return any(one.kind != "fixed" for one in self.changes)

    def to_data(self) -> Mapping[str, Any]:
        """Return the comparison as JSON data."""
        return {"changes": [vars(one) for one in self.changes], "gone": self.gone}

    def lines(self, *, every: bool = False) -> Iterator[str]:
        """Yield the comparison in words; with ``every`` result, and whole messages."""
        for one in self.changes:
            cause = one.cause if every or len(one.cause) <= MOST_CHARACTERS else f"{one.cause[:MOST_CHARACTERS]}…"
            yield f"{one.kind}, {counted(len(one.names), 'result')}: {' '.join(cause.split())}"
            for name in one.names if every else one.names[:MOST_OF_A_CAUSE]:
                yield f"    {name}" + (f" (since {one.since[name]})" if name in one.since else "")
            if not every and len(one.names) > MOST_OF_A_CAUSE:
                yield f"    and {len(one.names) - MOST_OF_A_CAUSE:,} more; --all prints all of them"
        counts = {kind: sum(len(one.names) for one in self.changes if one.kind == kind) for kind in KINDS}
        words = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
        yield f"{counted(self.total, 'result')}: {words}, {len(self.gone):,} gone"


@dataclass(frozen=True)
class OldResults:
    """The results of a file, with which a run is compared when it is over. Raises :class:`ResultsError`."""

    path: Path
    results: Results = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", read_results(self.path))

    def compared(self, data: Mapping[str, Any]) -> ComparedRuns:
        """Return the comparison with the JSON data of a run."""
        return compared(self.results, results_in(data))


def compared(old: Results, new: Results) -> ComparedRuns:
    """Return what differs in the results that both have, or only the new one; first new failures, then by their number."""
    groups: dict[tuple[str, str], list[str]] = {}
    for key, (kind, cause) in _changed(old, new):
        groups.setdefault((kind, cause), []).append(key)
    found = []
    for (kind, cause), names in groups.items():
        since = {name: build for name in names if kind != "fixed" and (build := _since(new[name])) is not None}
        found.append(Change(kind, cause, names, since))
    found.sort(key=lambda one: (KINDS.index(one.kind), -len(one.names), one.cause))
    return ComparedRuns(found, [name for name in old if name not in new], len(new))


def _changed(old: Results, new: Results) -> Iterator[tuple[str, tuple[str, str]]]:
    for key, now in new.items():
        before = old.get(key, ReportLine("absent"))
        if before.cause == now.cause:
            continue
        if now.is_good:
            if key in old:
                yield key, ("fixed", before.cause)
        else:
            yield key, ("new" if before.is_good or key not in old else "changed", now.cause)


def _since(line: ReportLine) -> str | None:
    """Return the first of the builds, up to its own, that show a result of Chromium; ``None`` if the checkout has none."""
    return _first_builds().get((line.product, line.name))


@cache
def _first_builds() -> Mapping[tuple[str, str], str]:
    from modelcontext_builds.record import FACTS, first_builds, read_record  # It takes long to import.

    root = project_root()
    return first_builds(read_record(root)) if (root / FACTS).is_file() else {}


@verb(epilog="\b\nExample:\n  modelcontext test --json > new.json\n  modelcontext compare old.json new.json")
@click.argument("old", type=options.FILE)
@click.argument("new", type=options.FILE)
@click.option("--all", "every", is_flag=True, help="Print every result, and do not shorten messages.")
@options.as_json
def command(old: Path, new: Path, every: bool, as_json: bool) -> None:
    """Compare two results of tests or programs. OLD and NEW are files that `test --json` has printed, or conformance.json.

    Results that fail for the same cause share one line: their messages differ only in quotations and numbers.

    Exit code 0: each failure in NEW is also in OLD; 1: a failure is new.
    """
    with exit_on_problems():
        found = compared(read_results(old), read_results(new))
        if as_json:
            print_json(found.to_data())
        else:
            for line in found.lines(every=every):
                click.echo(line)
    sys.exit(FOUND if found.is_worse else 0)
