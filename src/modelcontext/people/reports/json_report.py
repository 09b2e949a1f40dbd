"""The result of a conformance run in JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from modelcontext.judging.conformance.verdict import Standing
from modelcontext.people.reports.stand_ins import texts_in_use
from modelcontext.spec.specification.text.published import published_steps

if TYPE_CHECKING:
    from modelcontext.judging.clients.survey import Survey
    from modelcontext.judging.conformance.run import CorpusReport, Row
    from modelcontext.people.reports.conformance import Conformance


def as_json(conformance: Conformance, **more: Any) -> str:
    """Return all results, and what is to stand beside them, as JSON text."""
    return json.dumps(as_data(conformance) | more, indent=1) + "\n"


def as_data(conformance: Conformance) -> dict[str, Any]:
    """Return all results as JSON data. A product is listed under a program or test only if it took part.

    An item of ``clients`` counts the complete spaces that touch on the property, and has the breach of each adversary.
    """
    tests: dict[str, dict[str, Any]] = {}
    for run in conformance.runs:
        for result in run.results:
            entry = {"test": result.test, "revision": run.target.revision, "products": {}}
            seen = result.to_data()
            tests.setdefault(seen.pop("test"), entry)["products"][run.target.name] = seen
    return {
        **texts_in_use(),
        "sound": conformance.is_sound,
        "interrupted": conformance.missing,
        "products": dict(conformance.versions),
        "not_run": [
            {"product": product, "reason": error.reason, "remedy": error.remedy}
            for product, error in conformance.unavailable
        ],
        "findings": [
            *(asdict(one) for report in conformance.corpora for one in report.surprises),
            *(asdict(finding) | {"product": run.target.name} for run in conformance.runs for finding in run.findings),
        ],
        "unsteady": [asdict(one) for report in conformance.corpora for one in report.unsteady],
        "programs": [
            {
                "name": row.case.name,
                "revision": row.case.program.revision,
                "title": row.case.program.title,
                "allowed": [outcome.to_data() for outcome in row.listing.outcomes] if row.listing is not None else None,
                "allowed_is_complete": row.listing.complete if row.listing is not None else None,
                "products": {product: _cell(report, row, product) for product in row.verdicts},
            }
            for report in conformance.corpora
            for row in report.rows
        ],
        "tests": [tests[test] for test in sorted(tests)],
        "clients": _clients(conformance.survey) if conformance.survey is not None else None,
    }


def _cell(report: CorpusReport, row: Row, product: str) -> dict[str, Any]:
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
        cell["published"] = published_steps(row.case.program.revision, verdict.steps)
    return cell


def _clients(survey: Survey) -> list[dict[str, Any]]:
    return [
        {
            "client": client,
            "property": name,
            "spaces": cell.spaces,
            "broken": {adversary: words for adversary, (_, words) in cell.broken.items()},
            "gaps": dict(cell.gaps),
            "undecided": cell.undecided,
        }
        for (client, name), cell in survey.cells.items()
    ]
