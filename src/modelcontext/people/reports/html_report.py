"""The result of a conformance run as one self-contained web page, which needs neither network nor scripts."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from typing import TYPE_CHECKING, Any

from modelcontext.ground.words import counted
from modelcontext.judging.conformance.verdict import Standing, Verdict
from modelcontext.judging.wpt.metadata import page_help, page_title
from modelcontext.judging.wpt.results import FileStatus, Result
from modelcontext.people.reports.clients import survey_in_html
from modelcontext.people.reports.matrix import LEGEND, CellKind, FileEntry, ProgramEntry, groups
from modelcontext.people.reports.named_steps import NamedSteps
from modelcontext.people.reports.stand_ins import texts_in_use
from modelcontext.people.reports.templates import render
from modelcontext.programs.program.outcome import Line, describe, divergence, lines
from modelcontext.spec.specification.text.published import published_step

if TYPE_CHECKING:
    from modelcontext.judging.conformance.run import Row
    from modelcontext.judging.wpt.suite import SuiteRun
    from modelcontext.people.reports.conformance import Conformance
    from modelcontext.spec.specification import Algorithm, Step

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
    steps = NamedSteps()
    return render(
        "report.html",
        versions=conformance.versions,
        text=texts_in_use().get("text"),
        missing=conformance.missing,
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
        survey=survey_in_html(conformance.survey, steps) if conformance.survey is not None else None,
        algorithms=steps.named(),
        published_step=published_step,
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


def _program(entry: ProgramEntry, steps: NamedSteps) -> dict[str, Any]:
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


def _departure(entry: ProgramEntry, product: str, verdict: Verdict, steps: NamedSteps) -> _Deviation:
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
        followed += [expectation.step] if expectation.step not in ("", *followed) else []
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
        return "The model cannot compute the allowed outcomes"
    count = len(row.listing.outcomes)
    words = "One outcome is allowed" if count == 1 else f"{count} outcomes are allowed"
    if not row.listing.complete:
        cut = f"the listing stopped after {counted(row.listing.runs, 'run')}"
        words = f"At least {counted(count, 'outcome is', 'outcomes are')} allowed ({cut})"
    return words + (f"; {MOST_SHOWN} of them" if count > MOST_SHOWN else "")


def _file(entry: FileEntry, steps: NamedSteps) -> dict[str, Any]:
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


def _deviations(run: SuiteRun, result: Result, steps: NamedSteps) -> Iterable[_Deviation]:
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
            [steps.step(run.target.revision, expectation.step)] if expectation is not None and expectation.step else [],
            subtest,
            expectation.link if expectation is not None else None,
            base64.b64encode(result.screenshot).decode() if result.screenshot and subtest is None else None,
        )
    for one in run.findings:
        if one.test == result.test and one.subtest not in messages:
            facts = [("Unexpected", one.text)]
            yield _Deviation(run.target.name, CellKind.UNEXPECTED, "missing", facts, subtest=one.subtest)
