"""Findings about tools in the Static Analysis Results Interchange Format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from modelcontext_agent.checking.tool_finding import RULES
from speclint.sarif import sarif_document, sarif_result

if TYPE_CHECKING:
    from modelcontext_agent.checking.tool_finding import ToolFinding


def as_sarif(findings: Sequence[ToolFinding]) -> dict[str, object]:
    """Return findings as a SARIF document."""
    names = sorted({finding.rule for finding in findings})
    rules = [
        {"id": name, "shortDescription": {"text": RULES.get(name, f"a problem of a form: {name}")}} for name in names
    ]
    results = [_result(finding) for finding in findings]
    return sarif_document("modelcontext agent check", "modelcontext-agent", rules, results)


def _result(finding: ToolFinding) -> dict[str, object]:
    where = " ".join(part for part in (finding.tool, finding.place) if part)
    message = f"{where + ': ' if where else ''}{finding.message}. What to do: {finding.advice}"
    identity = (finding.rule, finding.tool, finding.place, finding.message)
    return sarif_result(finding.rule, finding.level.value, message, (finding.source, finding.line), where, identity)
