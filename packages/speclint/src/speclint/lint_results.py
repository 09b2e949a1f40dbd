"""The results of a run over several texts, and the forms in which programs read it: JSON, SARIF, annotations of GitHub."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from speclint.sarif import sarif_document, sarif_error, sarif_result
from speclint.workflow_commands import workflow_command

if TYPE_CHECKING:
    from speclint.finding import LintFinding
    from speclint.text.text_error import TextError

_README: Final = "packages/speclint/README.md"


@dataclass(slots=True)
class LintResults:
    """The findings of texts with the names of their files, what the texts suppress and why, and what cannot be read."""

    findings: list[tuple[str, LintFinding]] = field(default_factory=list)
    suppressed: list[tuple[str, LintFinding, str]] = field(default_factory=list)
    unread: list[TextError] = field(default_factory=list)
    #: What ended the run.
    problem: dict[str, object] | None = None


def as_json(results: LintResults) -> dict[str, object]:
    """Return results as a JSON object, which can be a baseline."""
    found: dict[str, object] = {
        "findings": [one.to_json(file) for file, one in results.findings],
        "suppressed": [one.to_json(file) | {"reason": reason} for file, one, reason in results.suppressed],
        "notRead": [{"file": str(one.path), "line": one.line, "message": one.message} for one in results.unread],
    }
    return found if results.problem is None else found | {"error": results.problem}


def as_sarif(results: LintResults) -> dict[str, object]:
    """Return results in the Static Analysis Results Interchange Format."""
    found = [_result(file, one) for file, one in results.findings]
    for file, one, reason in results.suppressed:
        found.append(_result(file, one) | {"suppressions": [{"kind": "inSource", "justification": reason}]})
    unread = [sarif_error(str(one.path), one.line, one.message) for one in results.unread]
    if (problem := results.problem) is not None:
        line = problem["line"]
        unread.append(
            sarif_error(str(problem["file"]), line if isinstance(line, int) else None, str(problem["message"]))
        )
    names = sorted({str(one["ruleId"]) for one in found})
    rules = [{"id": name, "help": {"text": f"{_README}#{name}"}} for name in names]
    return sarif_document("speclint", "speclint", rules, found, unread, is_successful=results.problem is None)


def _result(file: str, finding: LintFinding) -> dict[str, object]:
    message = f"{finding.message}. What to do: {finding.remedy}"
    return sarif_result(finding.rule, "warning", message, (file, finding.line), _where(finding), finding.key)


def _where(finding: LintFinding) -> str:
    return " step ".join(part for part in (finding.algorithm, finding.step) if part)


def annotation(file: str, finding: LintFinding) -> str:
    """Return a finding as a workflow command of GitHub, which shows it at its line in a pull request."""
    where = _where(finding)
    words = f"{where + ': ' if where else ''}{finding.message}\nWhat to do: {finding.remedy}"
    return workflow_command("warning", finding.rule, words, file, finding.line)


def annotation_of_error(error: TextError) -> str:
    """Return what cannot be read of a text as a workflow command of GitHub."""
    return workflow_command("error", "not read", error.message, str(error.path), error.line)
