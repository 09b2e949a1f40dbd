"""The result of a conformance run as one self-contained web page, which needs neither network nor scripts."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined

from modelcontext.conformance.judge import Standing, Verdict
from modelcontext.program.outcome import Line, describe, divergence, lines
from modelcontext.reports.matrix import LEGEND, CellKind, FileEntry, Group, MatrixEntry, ProgramEntry, combined, groups
from modelcontext.specification import Algorithm, load_algorithms
from modelcontext.wpt.metadata import page_help, page_title
from modelcontext.wpt.results import FileStatus, Result

if TYPE_CHECKING:
    from modelcontext.conformance.run import Row, Surprise
    from modelcontext.reports.conformance import Conformance
    from modelcontext.wpt.suite import SuiteRun

#: More allowed outcomes than this are counted and not shown.
MOST_SHOWN = 8


def as_html(conformance: Conformance) -> str:
    """Return the page."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(files("modelcontext.reports").joinpath("report.html").read_text("utf-8"))
    matrix = groups(conformance)
    steps = _Steps()
    shown = [_group(conformance, group, steps) for group in matrix]
    page = template.render(
        products=[_product(conformance, matrix, product) for product in conformance.products],
        unavailable=conformance.unavailable,
        findings=list(_findings(conformance, matrix)),
        unsteady=[_surprise(matrix, surprise) for report in conformance.corpora for surprise in report.unsteady],
        groups=shown,
        count=_counts(matrix),
        legend=LEGEND,
        algorithms=steps.named(),
        version=metadata.version("modelcontext"),
    )
    # Names and messages may have lone surrogates, which UTF-8 cannot represent.
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True)
class _Deviation:
    """The facts about one result that is not a pass, or not the expected one."""

    product: str
    kind: CellKind
    word: str
    subtest: str | None
    facts: Sequence[tuple[str, str]]
    steps: Sequence[Mapping[str, str]]
    link: str | None
    screenshot: str | None


class _Steps:
    """The steps that the page names, so that their algorithms can be shown."""

    def __init__(self) -> None:
        self._algorithms: dict[str, dict[str, Algorithm]] = {}
        self._named: set[tuple[str, str]] = set()

    def algorithm(self, revision: str, name: str) -> dict[str, str] | None:
        """Return a link to an algorithm, if it exists."""
        algorithm = self._of(revision).get(name)
        if algorithm is None:
            return None
        self._named.add((revision, name))
        return {"key": f"{revision}-{name}", "name": algorithm.name}

    def step(self, revision: str, step: str) -> dict[str, str]:
        """Return a link to a step, given as ``algorithm number``."""
        name, _, number = step.partition(" ")
        algorithm = self._of(revision)[name]
        self._named.add((revision, name))
        text = next(one.text for one in algorithm.steps if one.number == number)
        return {"key": f"{revision}-{name}-{number}", "name": algorithm.name, "number": number, "text": text}

    def named(self) -> list[dict[str, Any]]:
        """Return the named algorithms, in the order of the text."""
        return [
            {"key": f"{revision}-{name}", "revision": revision, "algorithm": algorithm}
            for revision, algorithms in self._algorithms.items()
            for name, algorithm in algorithms.items()
            if (revision, name) in self._named
        ]

    def _of(self, revision: str) -> dict[str, Algorithm]:
        if revision not in self._algorithms:
            self._algorithms[revision] = {algorithm.id: algorithm for algorithm in load_algorithms(revision)}
        return self._algorithms[revision]


def _product(conformance: Conformance, matrix: Iterable[Group], product: str) -> dict[str, Any]:
    cells = [(group.title, combined(entry.cells[product] for entry in group.entries)) for group in matrix]
    return {
        "name": product,
        "version": conformance.versions[product],
        "cells": [(title, cell) for title, cell in cells if cell.kind is not CellKind.NONE],
    }


def _findings(conformance: Conformance, matrix: Sequence[Group]) -> Iterable[dict[str, Any]]:
    for report in conformance.corpora:
        for surprise in report.surprises:
            yield _surprise(matrix, surprise)
    for run in conformance.runs:
        for unexpected in run.findings:
            name = unexpected.test + (f": {unexpected.subtest}" if unexpected.subtest is not None else "")
            key = _key(matrix, unexpected.test)
            yield {"key": key, "name": name, "product": run.target.name, "text": unexpected.text}


def _surprise(matrix: Sequence[Group], surprise: Surprise) -> dict[str, Any]:
    name = surprise.case
    return {"key": _key(matrix, name), "name": name, "product": surprise.product, "text": surprise.text}


def _key(matrix: Iterable[Group], name: str) -> str | None:
    """Return the key of the row of a program or file; an expectation may name one that does not exist."""
    for group in matrix:
        for entry in group.entries:
            match entry:
                case ProgramEntry(row=row) if row.case.name == name:
                    return entry.key
                case FileEntry(results=[(_, result), *_]) if result.test == name:
                    return entry.key
    return None


def _group(conformance: Conformance, group: Group, steps: _Steps) -> dict[str, Any]:
    return {
        "title": group.title,
        "unit": group.unit,
        "key": f"{group.unit}-{group.revision}",
        "count": len(group.entries),
        "cells": _cells(group.entries),
        "sections": [
            {
                "name": name,
                "key": f"{group.unit}-{group.revision}-{name}",
                "cells": _cells(entries),
                "state": _state(entries),
                "entries": [_entry(entry, steps) for entry in entries],
            }
            for name, entries in group.sections
        ],
    }


def _counts(matrix: Iterable[Group]) -> dict[str, int]:
    entries = [entry for group in matrix for entry in group.entries]
    return {
        "everything": len(entries),
        "deviations": sum(entry.deviates for entry in entries),
        "surprises": sum(entry.is_surprising for entry in entries),
    }


def _cells(entries: Sequence[MatrixEntry]) -> list[Any]:
    return [combined(entry.cells[product] for entry in entries) for product in entries[0].cells]


def _state(entries: Sequence[MatrixEntry]) -> str:
    """Return the CSS classes for the filter."""
    if any(entry.is_surprising for entry in entries):
        return "deviates surprises"
    return "deviates" if any(entry.deviates for entry in entries) else ""


def _entry(entry: MatrixEntry, steps: _Steps) -> dict[str, Any]:
    shown = {
        "key": entry.key,
        "name": entry.name,
        "section": entry.section,
        "cells": list(entry.cells.values()),
        "state": _state([entry]),
    }
    match entry:
        case ProgramEntry():
            return {**shown, **_program(entry, steps)}
        case FileEntry():
            return {**shown, **_file(entry, steps)}
    raise TypeError(entry)


def _program(entry: ProgramEntry, steps: _Steps) -> dict[str, Any]:
    row = entry.row
    program = row.case.program
    about = [steps.algorithm(program.revision, name) for name in program.algorithms]
    return {
        "title": program.title,
        "note": program.note,
        "about": [one for one in about if one is not None],
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
    revision = entry.row.case.program.revision
    expectation = entry.report.expectation(entry.row, product)
    facts = [("At", verdict.place), ("Allowed", verdict.allowed_text), ("Observed", verdict.observed)]
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
        None,
        [(term, text) for term, text in facts if text],
        [steps.step(revision, step) for step in followed],
        expectation.link if expectation is not None else None,
        None,
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
    return [
        replace(line, is_marked=parting is not None and (line.log, line.index) == (parting.log, parting.index))
        for line in lines(outcome)
    ]


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
    about = [steps.algorithm(run.target.revision, anchor) for anchor in page_help(source)]
    names = dict.fromkeys(itertools.chain.from_iterable(result.statuses() for _, result in entry.results))
    ran = [(run, result) for run, result in entry.results if result.status is not FileStatus.NOTRUN]
    return {
        "title": page_title(source),
        "note": "",
        "about": [one for one in about if one is not None],
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
        facts = [("Message", messages[subtest] or "")]
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
            subtest,
            [(term, text) for term, text in facts if text],
            [steps.step(run.target.revision, expectation.step)] if expectation is not None else [],
            expectation.link if expectation is not None else None,
            _picture(result) if subtest is None else None,
        )

    for one in run.findings:
        if one.test == result.test and one.subtest not in messages:
            yield _Deviation(
                run.target.name, CellKind.UNEXPECTED, "missing", one.subtest, [("Unexpected", one.text)], [], None, None
            )


def _picture(result: Result) -> str | None:
    if result.screenshot is None:
        return None
    return "data:image/jpeg;base64," + base64.b64encode(result.screenshot).decode()
