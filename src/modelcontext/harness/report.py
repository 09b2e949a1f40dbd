"""The result of a run as one self-contained web page, and as data."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from importlib import metadata
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from modelcontext.harness.matrix import mark
from modelcontext.harness.run import Report, Row
from modelcontext.harness.verdicts import Standing, Verdict
from modelcontext.program.outcome import Line, describe, difference, lines

#: More allowed outcomes than this are counted and not shown.
MOST_SHOWN = 8


def as_html(report: Report) -> str:
    """The page: it needs no network and no script."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    template = environment.from_string(files("modelcontext.harness").joinpath("report.html").read_text("utf-8"))
    rows = [_row(report, row) for row in report.rows]
    sections: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        sections.setdefault(row["section"], []).append(row)
    return template.render(
        products=[_product(report, product) for product in report.products],
        findings=report.findings,
        unsteady=report.unsteady,
        disagreements=[_disagreement(report, *item) for item in report.disagreements],
        rows=rows,
        sections=list(sections.items()),
        version=metadata.version("modelcontext"),
    )


def as_data(report: Report) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "sound": not report.unsound,
        "products": dict(report.versions),
        "findings": [
            {"program": finding.case, "product": finding.product, "text": finding.text} for finding in report.findings
        ],
        "unsteady": [
            {"program": finding.case, "product": finding.product, "text": finding.text} for finding in report.unsteady
        ],
        "programs": [
            {
                "name": row.case.name,
                "title": row.case.program.title,
                "allowed": [outcome.to_data() for outcome in row.listing.outcomes] if row.listing is not None else None,
                "allowed_is_complete": row.listing.complete if row.listing is not None else None,
                "products": {product: _cell(report, row, product) for product in report.products},
            }
            for row in report.rows
        ],
    }


def as_json(report: Report) -> str:
    """The same as JSON text."""
    return json.dumps(as_data(report), indent=1) + "\n"


def _cell(report: Report, row: Row, product: str) -> dict[str, Any]:
    verdict = row.verdicts[product]
    expectation = report.expectation(row, product)
    observation = verdict.observation
    cell: dict[str, Any] = {"standing": verdict.standing, "known": expectation.reason if expectation else None}
    if observation is not None:
        cell["outcome"] = observation.outcome.to_data() if observation.outcome is not None else None
        cell["seconds"] = round(observation.seconds, 4)
    if verdict.standing is not Standing.PASS:
        cell |= {"place": verdict.place, "observed": verdict.observed, "allowed": verdict.allowed_text}
        cell["steps"] = list(verdict.steps)
    return cell


def _kind(report: Report, row: Row, product: str) -> str:
    standing = row.verdicts[product].standing
    return "known" if standing is Standing.FAIL and report.expectation(row, product) is not None else str(standing)


def _marks(report: Report, row: Row) -> list[dict[str, str]]:
    return [
        {"product": product, "word": mark(report, row, product)[0], "kind": _kind(report, row, product)}
        for product in report.products
    ]


def _product(report: Report, product: str) -> dict[str, Any]:
    counts = Counter((mark(report, row, product)[0], _kind(report, row, product)) for row in report.rows)
    return {
        "name": product,
        "version": report.versions[product],
        "marks": [{"word": word, "kind": kind, "count": count} for (word, kind), count in counts.most_common()],
    }


def _disagreement(report: Report, row: Row, product: str, verdict: Verdict) -> dict[str, Any]:
    return {
        "name": row.case.name,
        "title": row.case.program.title,
        "product": product,
        "word": mark(report, row, product)[0],
        "kind": _kind(report, row, product),
        "place": verdict.place,
        "allowed": verdict.allowed_text,
        "observed": verdict.observed,
        "steps": list(dict.fromkeys(step for _, step in verdict.allowed if step is not None)),
        "expectation": report.expectation(row, product),
    }


def _row(report: Report, row: Row) -> dict[str, Any]:
    observed = [{"product": product, "lines": _observed(row, verdict)} for product, verdict in row.verdicts.items()]
    return {
        "name": row.case.name,
        "short": row.case.name.rpartition("/")[2],
        "section": row.case.section or "programs",
        "title": row.case.program.title,
        "note": row.case.program.note,
        "algorithms": row.case.program.algorithms,
        "source": row.case.path.read_text(encoding="utf-8").strip(),
        "marks": _marks(report, row),
        "failed": any(verdict.standing is Standing.FAIL for verdict in row.verdicts.values()),
        "allowed": _shown(row),
        "allowed_summary": _summary(row),
        "observed": observed,
    }


def _observed(row: Row, verdict: Verdict) -> list[Line]:
    """The lines of what was observed; those where a forbidden outcome leaves the nearest allowed one are marked."""
    if verdict.observation is None or verdict.observation.outcome is None:
        return [Line(verdict.observed)]
    outcome = verdict.observation.outcome
    parting = None
    if verdict.standing is Standing.FAIL and row.listing is not None:
        parting = difference(outcome, row.listing.outcomes)
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
