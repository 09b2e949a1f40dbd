"""Findings in the Static Analysis Results Interchange Format, for services that show them beside the code."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from modelcontext_agent.checking.tool_finding import RULES, ToolFinding

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(findings: Sequence[ToolFinding]) -> dict[str, Any]:
    """Return findings as a SARIF document."""
    rules = [
        {"id": rule, "shortDescription": {"text": RULES.get(rule, f"a problem of a form: {rule}")}}
        for rule in sorted({finding.rule for finding in findings})
    ]
    driver = {"name": "modelcontext agent check", "version": version("modelcontext-agent"), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True}],
        "results": [_result(finding) for finding in findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: ToolFinding) -> dict[str, Any]:
    where = " ".join(part for part in (finding.tool, finding.place) if part)
    identity = "\n".join((finding.rule, finding.tool, finding.place, finding.message))
    region = {} if finding.line is None else {"region": {"startLine": finding.line}}
    place = {"physicalLocation": {"artifactLocation": {"uri": _uri(finding.source)}, **region}}
    return {
        "ruleId": finding.rule,
        "level": finding.level.value,
        "message": {"text": f"{where + ': ' if where else ''}{finding.message}. What to do: {finding.advice}"},
        "locations": [place | ({"logicalLocations": [{"fullyQualifiedName": where}]} if where else {})],
        "partialFingerprints": {"finding/v1": hashlib.sha256(identity.encode()).hexdigest()},
    }


def _uri(source: str) -> str:
    if "://" in source:
        return source
    path = Path(source)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
