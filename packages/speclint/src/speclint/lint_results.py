"""The results of a run over several texts, and the forms in which programs read it: JSON, SARIF, annotations of GitHub."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from speclint.finding import LintFinding
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_README: Final = "packages/speclint/README.md"

#: The identity of a finding, without what changes with other steps.
Key = tuple[str, str, str]


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
    unread = [_notification(str(one.path), one.line, one.message) for one in results.unread]
    if (problem := results.problem) is not None:
        line = problem["line"]
        unread.append(
            _notification(str(problem["file"]), line if isinstance(line, int) else None, str(problem["message"]))
        )
    rules = sorted({str(one["ruleId"]) for one in found})
    driver = {
        "name": "speclint",
        "version": version("speclint"),
        "rules": [{"id": rule, "help": {"text": f"{_README}#{rule}"}} for rule in rules],
    }
    invocation = {"executionSuccessful": results.problem is None, "toolExecutionNotifications": unread}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": found}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(file: str, finding: LintFinding) -> dict[str, object]:
    where = " step ".join(part for part in (finding.algorithm, finding.step) if part)
    fingerprint = hashlib.sha256("\n".join(finding.key).encode()).hexdigest()
    place = _location(file, finding.line)
    return {
        "ruleId": finding.rule,
        "level": "warning",
        "message": {"text": f"{finding.message}. What to do: {finding.remedy}"},
        "locations": [place | ({"logicalLocations": [{"fullyQualifiedName": where}]} if where else {})],
        "partialFingerprints": {"finding/v1": fingerprint},
    }


def _notification(file: str, line: int | None, message: str) -> dict[str, object]:
    return {"level": "error", "message": {"text": message}, "locations": [_location(file, line)]}


def _location(file: str, line: int | None) -> dict[str, object]:
    path = Path(file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    region = {} if line is None else {"region": {"startLine": line}}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, **region}}


def annotation(file: str, finding: LintFinding) -> str:
    """Return a finding as a workflow command of GitHub, which shows it at its line in a pull request."""
    where = " step ".join(part for part in (finding.algorithm, finding.step) if part)
    words = f"{where + ': ' if where else ''}{finding.message}\nWhat to do: {finding.remedy}"
    return _command("warning", file, finding.line, finding.rule, words)


def annotation_of_error(error: TextError) -> str:
    """Return what cannot be read of a text as a workflow command of GitHub."""
    return _command("error", str(error.path), error.line, "not read", error.message)


def _command(level: str, file: str, line: int | None, title: str, words: str) -> str:
    place = "" if line is None else f",line={line}"
    return f"::{level} file={_property(file)}{place},title={_property(title)}::{_data(words)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def read_baseline(path: Path) -> Counter[Key]:
    """Return how often each finding is in the output of ``--json`` of an earlier run.

    Raises:
        TextError: if the file cannot be read, or has something else.
    """
    try:
        data = json.loads(path.read_bytes())
        return Counter(finding.key for finding in _findings_in(data))
    except OSError as error:
        raise TextError(f"the baseline cannot be read: {error.strerror}", path, environment=True) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        message = "this is no baseline: make one with --json, and write it to a file"
        raise TextError(message, path, environment=True) from None


def _findings_in(data: dict[str, list[dict[str, str]]]) -> Iterator[LintFinding]:
    for one in data["findings"]:
        yield LintFinding(one["rule"], 0, one["message"], "", one["algorithm"] or "", one["step"] or "")


def without_known(findings: list[LintFinding], known: Counter[Key]) -> list[LintFinding]:
    """Return the findings that a baseline does not have; those that it has are taken out of it."""
    new = []
    for finding in findings:
        if known[finding.key]:
            known[finding.key] -= 1
        else:
            new.append(finding)
    return new
