"""The result of a conformance run as one self-contained web page, which needs neither network nor scripts."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from typing import TYPE_CHECKING, Any

from modelcontext.conformance.judge import Standing, Verdict
from modelcontext.program.outcome import Line, describe, divergence, lines
from modelcontext.reports.matrix import LEGEND, CellKind, FileEntry, ProgramEntry, groups
from modelcontext.reports.templates import render
from modelcontext.specification import Algorithm, Step, load_algorithms
from modelcontext.wpt.metadata import page_help, page_title
from modelcontext.wpt.results import FileStatus, Result

if TYPE_CHECKING:
    from modelcontext.conformance.run import Row
    from modelcontext.reports.conformance import Conformance
    from modelcontext.wpt.suite import SuiteRun

#: More allowed outcomes than this are counted and not shown.
MOST_SHOWN = 8


def as_html(conformance: Conformance) -> str:
    """Return the page."""
    matrix = groups(conformance)
    entries = [entry for group in matrix for section in group.sections for entry in section.entries]
    findings: list[tuple[str, str | None, str, str]] = [
        (one.program, None, one.product, one.text) for report in conformance.corpora for one in report.surprises
    ]
    findings += [(one.test, one.subtest, run.target.name, one.text) for run in conformance.runs for one in run.findings]
    steps = _Steps()
    return render(
        "report.html",
        versions=conformance.versions,
        unavailable=conformance.unavailable,
        findings=findings,
        unsteady=[surprise for report in conformance.corpora for surprise in report.unsteady],
        keys={entry.subject: entry.key for entry in reversed(entries)},
        groups=matrix,
        entries=entries,
        details={
            entry.key: _program(entry, steps) if isinstance(entry, ProgramEntry) else _file(entry, steps)
            for entry in entries
        },
        legend=LEGEND,
        algorithms=steps.named(),
        version=metadata.version("modelcontext"),
    )


@dataclass(frozen=True)
class _Deviation:
    """The facts about one result that is not a pass, or not the expected one; the page leaves out empty texts.

    ``screenshot`` is a JPEG in base64.
    """

    product: str
    kind: CellKind
    word: str
    facts: Sequence[tuple[str, str | None]]
    steps: Sequence[tuple[Algorithm, Step]] = ()
    subtest: str | None = None
    link: str | None = None
    screenshot: str | None = None


class _Steps:
    """The steps that the page names, so that their algorithms can be shown."""

    def __init__(self) -> None:
        self._algorithms: dict[str, dict[str, Algorithm]] = {}
        self._named: set[tuple[str, str]] = set()

    def algorithms(self, revision: str, names: Iterable[str]) -> list[Algorithm]:
        """Return those of the named algorithms that exist."""
        if revision not in self._algorithms:
            self._algorithms[revision] = {algorithm.id: algorithm for algorithm in load_algorithms(revision)}
        known = [name for name in names if name in self._algorithms[revision]]
        self._named |= {(revision, name) for name in known}
        return [self._algorithms[revision][name] for name in known]

    def step(self, revision: str, step: str) -> tuple[Algorithm, Step]:
        """Return a step, given as ``algorithm number``, with its algorithm."""
        name, _, number = step.partition(" ")
        [algorithm] = self.algorithms(revision, [name])
        return algorithm, next(one for one in algorithm.steps if one.number == number)

    def named(self) -> list[tuple[str, Algorithm]]:
        """Return the named algorithms with their revisions, in the order of the text."""
        return [
            (revision, algorithm)
            for revision, algorithms in self._algorithms.items()
            for name, algorithm in algorithms.items()
            if (revision, name) in self._named
        ]


def _program(entry: ProgramEntry, steps: _Steps) -> dict[str, Any]:
    row = entry.row
    program = row.case.program
    return {
        "title": program.title,
        "note": program.note,
        "about": steps.algorithms(program.revision, program.algorithms),
        "deviations": [
            _departure(entry, product, verdict, steps)
            for product, verdict in row.verdicts.items()
            if verdict.standing is not Standing.PASS or entry.cells[product].kind is not CellKind.PASS
        ],
        "source": row.case.path.read_text(encoding="utf-8").strip(),
        "allowed": _shown(row),
        "allowed_summary": _summary(row),
        "observed": [
            {"product": " and ".join(products), "lines": seen} for seen, products in _alike(row, entry.cells).items()
        ],
        "subtests": [],
    }


def _departure(entry: ProgramEntry, product: str, verdict: Verdict, steps: _Steps) -> _Deviation:
    cell = entry.cells[product]
    expectation = entry.report.expectation(entry.row, product)
    facts: list[tuple[str, str | None]] = [
        ("At", verdict.place),
        ("Allowed", verdict.allowed_text),
        ("Observed", verdict.observed),
    ]
    followed = list(verdict.steps)
    if expectation is not None:
        facts += [("Who is wrong", expectation.reason), ("Known", expectation.note)]
        if cell.kind is CellKind.UNEXPECTED:
            facts.append(("Expected", expectation.observed))
        followed += [expectation.step] if expectation.step not in followed else []
    return _Deviation(
        product,
        cell.kind,
        cell.word,
        facts,
        [steps.step(entry.row.case.program.revision, step) for step in followed],
        link=expectation.link if expectation is not None else None,
    )


def _alike(row: Row, cells: Mapping[str, Any]) -> dict[tuple[Line, ...], list[str]]:
    """Return the distinct observations, each with the products that took part and showed it."""
    alike: dict[tuple[Line, ...], list[str]] = {}
    for product in cells:
        if product in row.verdicts and row.verdicts[product].standing is not Standing.NOTRUN:
            alike.setdefault(tuple(_observed(row, row.verdicts[product])), []).append(product)
    return alike


def _observed(row: Row, verdict: Verdict) -> list[Line]:
    """Return the lines of an observation; those where a forbidden outcome leaves the nearest allowed one are marked."""
    if verdict.observation is None or verdict.observation.outcome is None:
        return [Line(verdict.observed)]
    outcome = verdict.observation.outcome
    parting = None
    if verdict.standing is Standing.FAIL and row.listing is not None:
        parting = divergence(outcome, row.listing.outcomes)
    return [replace(line, is_marked=(line.log, line.index) == parting) for line in lines(outcome)]


def _shown(row: Row) -> list[str]:
    outcomes = row.listing.outcomes[:MOST_SHOWN] if row.listing is not None else ()
    return ["\n".join(describe(outcome)) for outcome in outcomes]


def _summary(row: Row) -> str:
    if row.listing is None:
        return "The model cannot say what is allowed"
    count = len(row.listing.outcomes)
    words = "One outcome is allowed" if count == 1 else f"{count} outcomes are allowed"
    if not row.listing.complete:
        words = f"At least {count} outcomes are allowed (the listing stopped after {row.listing.runs} runs)"
    return words + (f"; {MOST_SHOWN} of them" if count > MOST_SHOWN else "")


def _file(entry: FileEntry, steps: _Steps) -> dict[str, Any]:
    run, result = entry.results[0]
    source = _source(run, result)
    names = dict.fromkeys(itertools.chain.from_iterable(result.statuses() for _, result in entry.results))
    ran = [(run, result) for run, result in entry.results if result.status is not FileStatus.NOTRUN]
    return {
        "title": page_title(source),
        "note": "",
        "about": steps.algorithms(run.target.revision, page_help(source)),
        "deviations": [deviation for run, result in ran for deviation in _deviations(run, result, steps)],
        "subtests": [(name, [_status(run, result, name) for run, result in ran]) for name in names if name is not None],
        "ran": [run.target.name for run, _ in ran],
        "source": "",
    }


def _source(run: SuiteRun, result: Result) -> str:
    """Return the text of the page or script of a test."""
    for path in (result.test.partition("?")[0], result.test.partition("?")[0].removesuffix(".html") + ".js"):
        file = run.tree.find(path)
        if file is not None:
            return file.read_text(encoding="utf-8", errors="replace")
    return ""


def _kind(run: SuiteRun, result: Result, subtest: str | None) -> CellKind:
    if any((one.test, one.subtest) == (result.test, subtest) for one in run.findings):
        return CellKind.UNEXPECTED
    return CellKind.KNOWN if (result.test, subtest) in run.known else CellKind.PASS


def _status(run: SuiteRun, result: Result, subtest: str) -> tuple[CellKind, str]:
    status = result.statuses().get(subtest)
    if status is None:
        return CellKind.NONE, "none"
    return _kind(run, result, subtest), status


def _deviations(run: SuiteRun, result: Result, steps: _Steps) -> Iterable[_Deviation]:
    messages = result.messages()
    for subtest, status in result.statuses().items():
        kind = _kind(run, result, subtest)
        if kind is CellKind.PASS:
            continue
        expectation = run.known.get((result.test, subtest))
        facts = [("Message", messages[subtest])]
        if expectation is not None:
            facts += [("Who is wrong", expectation.reason), ("Known", expectation.note)]
            facts.append(("Reproducer", (expectation.reproducer or "").removeprefix("../")))
        if kind is CellKind.UNEXPECTED:
            texts = [one.text for one in run.findings if (one.test, one.subtest) == (result.test, subtest)]
            facts.append(("Unexpected", "\n".join(text.removesuffix(f": {messages[subtest]}") for text in texts)))
        yield _Deviation(
            run.target.name,
            kind,
            f"{status} ({kind})",
            facts,
            [steps.step(run.target.revision, expectation.step)] if expectation is not None else [],
            subtest,
            expectation.link if expectation is not None else None,
            base64.b64encode(result.screenshot).decode() if result.screenshot and subtest is None else None,
        )
    for one in run.findings:
        if one.test == result.test and one.subtest not in messages:
            facts = [("Unexpected", one.text)]
            yield _Deviation(run.target.name, CellKind.UNEXPECTED, "missing", facts, subtest=one.subtest)
