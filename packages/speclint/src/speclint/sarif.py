"""Results of checks in the Static Analysis Results Interchange Format (SARIF), for services that show them beside the code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

Object = dict[str, object]


def sarif_document(
    tool: str,
    distribution: str,
    rules: Sequence[Mapping[str, object]],
    results: Sequence[Object],
    notifications: Sequence[Object] = (),
    *,
    is_successful: bool = True,
) -> Object:
    """Return the document of one run.

    Args:
        tool: the command.
        distribution: the distribution whose version the command has.
        rules: the rules that the results name, each with its ``id``.
        results: what :func:`sarif_result` returns.
        notifications: what :func:`sarif_error` returns.
        is_successful: False if the run did not come to its end.
    """
    invocation: Object = {"executionSuccessful": is_successful}
    if notifications:
        invocation["toolExecutionNotifications"] = list(notifications)
    driver = {"name": tool, "version": version(distribution), "rules": list(rules)}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": list(results)}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def sarif_result(
    rule: str,
    level: Literal["error", "warning", "note"],
    message: str,
    place: tuple[str, int | None],
    where: str,
    identity: Sequence[str],
) -> Object:
    """Return one result.

    Args:
        rule: the id of the rule.
        level: the weight.
        message: what is wrong, and what to do.
        place: a path or a URL, and a line.
        where: the place in words, or the empty string.
        identity: what stays the same if other things in the file change.
    """
    location = _location(*place) | ({"logicalLocations": [{"fullyQualifiedName": where}]} if where else {})
    fingerprint = hashlib.sha256("\n".join(identity).encode()).hexdigest()
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": message},
        "locations": [location],
        "partialFingerprints": {"finding/v1": fingerprint},
    }


def sarif_error(file: str, line: int | None, message: str) -> Object:
    """Return a notification: what the tool could not read."""
    return {"level": "error", "message": {"text": message}, "locations": [_location(file, line)]}


def _location(source: str, line: int | None) -> Object:
    region: Mapping[str, object] = {} if line is None else {"region": {"startLine": line}}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(source)}, **region}}


def _uri(source: str) -> str:
    if "://" in source:
        return source
    path = Path(source)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
