"""The matrix of a run: its rows, by section, and the words in its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import quote

from modelcontext.judging.conformance.verdict import Standing
from modelcontext.judging.wpt.results import FileStatus, Result
from modelcontext.running.products import TESTED
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from modelcontext.judging.conformance.run import CorpusReport, Row
    from modelcontext.judging.wpt.suite import SuiteRun
    from modelcontext.people.reports.conformance import Conformance


class CellKind(StrEnum):
    """The statement of a cell, the worst last."""

    #: The row does not run on this product.
    NONE = "none"
    PASS = "pass"
    #: The result deviates, as the expectations say.
    KNOWN = "known"
    NOTRUN = "notrun"
    #: The run itself failed or was cut off, which says nothing about the product.
    UNSOUND = "unsound"
    #: The result differs from the expectations.
    UNEXPECTED = "unexpected"


@dataclass(frozen=True)
class Cell:
    """The word for one or more rows on one product, where ``passed`` of ``total`` programs or subtests pass.

    ``known`` and ``unexpected`` count deviations, also of whole files.
    """

    kind: CellKind
    word: str
    passed: int = 0
    total: int = 0
    known: int = 0
    unexpected: int = 0
    unsound: int = 0


OTHER_REVISION = Cell(CellKind.NONE, "other revision")
NO_PAGE = Cell(CellKind.NONE, "-")
LEGEND = {
    OTHER_REVISION.word: "the product implements another revision of the specification",
    NO_PAGE.word: "a test needs a page in a browser, and the product has none",
    "known": "deviates from the specification; the expectations have the reason",
    "unexpected": "differs from the expectations: a deviation is new, or is gone",
}


@dataclass(frozen=True)
class MatrixRow:
    """One row, with a cell for each product. ``key`` names it in the whole matrix, ``name`` where it stands."""

    key: str
    name: str
    cells: Mapping[str, Cell]

    @property
    def deviates(self) -> bool:
        """True if any product deviates."""
        return any(cell.kind not in (CellKind.NONE, CellKind.PASS) for cell in self.cells.values())

    @property
    def is_surprising(self) -> bool:
        """True if any product differs from the expectations."""
        return any(cell.kind in (CellKind.UNEXPECTED, CellKind.UNSOUND) for cell in self.cells.values())


@dataclass(frozen=True)
class MatrixEntry(MatrixRow):
    """The row of a program or a file of tests; ``subject`` is its name in expectations."""

    subject: str
    section: str


@dataclass(frozen=True)
class ProgramEntry(MatrixEntry):
    """The row of a program."""

    report: CorpusReport
    row: Row


@dataclass(frozen=True)
class FileEntry(MatrixEntry):
    """The row of a file of tests, with its results on the products that ran it."""

    results: Sequence[tuple[SuiteRun, Result]]


@dataclass(frozen=True)
class MatrixSection(MatrixRow):
    """The row that sums up the rows of one section."""

    entries: Sequence[ProgramEntry | FileEntry]


@dataclass(frozen=True)
class Group(MatrixRow):
    """The row that sums up all rows of one kind and revision."""

    unit: str
    revision: str
    sections: Sequence[MatrixSection]


def groups(conformance: Conformance) -> list[Group]:
    """Return the whole matrix."""
    found = []
    for report in conformance.corpora:
        for revision in dict.fromkeys(row.case.program.revision for row in report.rows):
            rows = [row for row in report.rows if row.case.program.revision == revision]
            entries = [_program(conformance, report, row) for row in rows]
            found.append(_group("Programs", "programs", revision, entries))
    for revision in dict.fromkeys(run.target.revision for run in conformance.runs):
        runs = [run for run in conformance.runs if run.target.revision == revision]
        found.append(_group("Tests", "subtests", revision, _files(conformance, runs)))
    return found


def _group(title: str, unit: str, revision: str, entries: Sequence[ProgramEntry | FileEntry]) -> Group:
    key = f"{unit}-{revision}"
    name = f"{title} (current revision)" if revision == CURRENT.name else f"{title} (revision {revision})"
    sections = [
        MatrixSection(f"{key}-{section}", section, _summed(rows), rows)
        for section, rows in ((section, list(rows)) for section, rows in groupby(entries, lambda entry: entry.section))
    ]
    return Group(key, name, _summed(entries), unit, revision, sections)


def _summed(rows: Sequence[MatrixRow]) -> dict[str, Cell]:
    return {product: _combined(row.cells[product] for row in rows) for product in rows[0].cells}


def _combined(cells: Iterable[Cell]) -> Cell:
    """Return the cell that sums up several rows."""
    cells = list(cells)
    kind = max((cell.kind for cell in cells), key=list(CellKind).index)
    if kind is CellKind.NONE:
        return cells[0]
    passed, total = sum(cell.passed for cell in cells), sum(cell.total for cell in cells)
    counts = {name: sum(getattr(cell, name) for cell in cells) for name in ("unexpected", "unsound", "known")}
    if kind is CellKind.NOTRUN and total == 0:
        return Cell(kind, "NOTRUN")
    return Cell(kind, f"{passed}/{total}" + _counted(**counts), passed, total, **counts)


def _counted(unexpected: int, unsound: int, known: int) -> str:
    words = [("unexpected", unexpected), ("not judged", unsound), ("known", known)]
    text = ", ".join(f"{count} {word}" for word, count in words if count)
    return f" ({text})" if text else ""


def _program(conformance: Conformance, report: CorpusReport, row: Row) -> ProgramEntry:
    cells = {
        product: _verdict_cell(report, row, product) if product in row.verdicts else OTHER_REVISION
        for product in conformance.products
    }
    revision, name = row.case.program.revision, row.case.name
    section = row.case.section or "programs"
    return ProgramEntry(quote(f"{revision}/{name}"), name.rpartition("/")[2], cells, name, section, report, row)


def _verdict_cell(report: CorpusReport, row: Row, product: str) -> Cell:
    is_expected = not any((one.product, one.program) == (product, row.case.name) for one in report.surprises)
    match row.verdicts[product].standing:
        case Standing.PASS if is_expected:
            return Cell(CellKind.PASS, "pass", 1, 1)
        case Standing.PASS:
            return Cell(CellKind.UNEXPECTED, "pass (unexpected)", 1, 1, unexpected=1)
        case Standing.FAIL if is_expected:
            expectation = report.expectation(row, product)
            assert expectation is not None
            return Cell(CellKind.KNOWN, f"known ({expectation.reason})", 0, 1, known=1)
        case Standing.FAIL:
            return Cell(CellKind.UNEXPECTED, "FAIL (unexpected)", 0, 1, unexpected=1)
        case Standing.NOTRUN:
            return Cell(CellKind.NOTRUN, "NOTRUN")
        case standing:
            return Cell(CellKind.UNSOUND, standing.upper(), 0, 1, unsound=1)


def _files(conformance: Conformance, runs: Sequence[SuiteRun]) -> list[FileEntry]:
    results: dict[str, list[tuple[SuiteRun, Result]]] = {}
    for run in runs:
        for result in run.results:
            results.setdefault(result.test, []).append((run, result))
    entries = []
    # A build of a browser is tested if it has run tests.
    tested = {*TESTED, *(run.target.name for run in conformance.runs)}
    for test, seen in sorted(results.items()):
        cells = {product: OTHER_REVISION if product in tested else NO_PAGE for product in conformance.products}
        cells |= {run.target.name: _result_cell(run, result) for run, result in seen}
        folder, _, name = test.lstrip("/").partition("?")[0].rpartition("/")
        name += test[len(folder) + len(name) + 2 :]
        entries.append(FileEntry(quote(test), name, cells, test, folder, seen))
    return entries


def _result_cell(run: SuiteRun, result: Result) -> Cell:
    if result.status is FileStatus.NOTRUN:
        return Cell(CellKind.NOTRUN, "NOTRUN")
    surprises = {finding.subtest for finding in run.findings if finding.test == result.test}
    known = len({name for name in result.statuses() if (result.test, name) in run.known} - surprises)
    kind = CellKind.UNEXPECTED if surprises else CellKind.KNOWN if known else CellKind.PASS
    passed, total = result.passed(), len(result.subtests)
    words = [] if result.status is FileStatus.OK else [str(result.status)]
    if total or result.status is FileStatus.OK:
        words.append(f"{passed}/{total}")
    return Cell(kind, " ".join(words) + _counted(len(surprises), 0, known), passed, total, known, len(surprises))
