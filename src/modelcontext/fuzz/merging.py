"""Putting the shards of a campaign together: the folder of the whole, as if one machine had run it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelcontext.fuzz.causes import Cause
from modelcontext.fuzz.findings import Finding, load_findings, write_finding

#: The file in a campaign's folder that says which campaign it is.
SETTINGS = "campaign.json"


class MergeError(ValueError):
    """Folders that are no shards of one campaign; the message says which, and why."""


def merge(folders: Sequence[Path], output: Path) -> list[Finding]:
    """Put all shards of one campaign together in a new folder, and return its findings.

    A cause that several shards have found is one finding, that of the first of them. Raises :class:`MergeError`.
    """
    if output.exists() and any(output.iterdir()):
        raise MergeError(f"{output} is there already; choose another --output")
    shards = _in_order(folders)
    output.mkdir(parents=True, exist_ok=True)
    found: dict[str, Finding] = {}
    names: dict[Cause, str] = {}
    for folder in shards:
        mine: dict[str, str] = {}
        for finding in load_findings(folder / "findings"):
            known = names.get(finding.cause)
            if known is None:
                known = free_name(finding.name, found)
                found[known] = replace(finding, name=known)
                names[finding.cause] = known
                write_finding(found[known], output / "findings" / known)
            mine[finding.name] = known
        for line in _lines(folder / "causes.jsonl"):
            cause = Cause(line["step"], line["expected"], line["observed"])
            if line["finding"] in mine:
                names.setdefault(cause, mine[line["finding"]])
                _append(output / "causes.jsonl", {**line, "finding": mine[line["finding"]]})
        for line in _lines(folder / "journal.jsonl"):
            seen: dict[str, int] = {}
            for name, count in line["seen"].items():
                seen[mine[name]] = seen.get(mine[name], 0) + count
            _append(output / "journal.jsonl", {**line, "seen": seen})
        for line in _lines(folder / "unsteady.jsonl"):
            _append(output / "unsteady.jsonl", line)
    settings = {**_settings(shards[0]), "shard": "1/1"}
    (output / SETTINGS).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    return list(found.values())


def _in_order(folders: Sequence[Path]) -> list[Path]:
    """The folders by the number of their shard; all shards of one campaign, and each once."""
    by_shard: dict[int, Path] = {}
    for folder in folders:
        settings, first = _settings(folder), _settings(folders[0])
        shard, shards = map(int, settings["shard"].split("/"))
        if {**settings, "shard": shards} != {**first, "shard": int(first["shard"].split("/")[1])}:
            raise MergeError(f"{folder} belongs to another campaign than {folders[0]}")
        if shard in by_shard:
            raise MergeError(f"{folder} is the same shard as {by_shard[shard]}, {settings['shard']}")
        by_shard[shard] = folder
    missing = [f"{shard}/{shards}" for shard in range(1, shards + 1) if shard not in by_shard]
    if missing:
        raise MergeError(f"these shards are missing: {', '.join(missing)}")
    return [by_shard[shard] for shard in sorted(by_shard)]


def _settings(folder: Path) -> Mapping[str, Any]:
    path = folder / SETTINGS
    if not path.exists():
        raise MergeError(f"there is no campaign in {folder}")
    settings: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return settings


def free_name(name: str, taken: Collection[str]) -> str:
    """A name for a finding that no other one has."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file; one that was cut off when a campaign was killed does not count."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            continue
    return lines


def _append(path: Path, line: Mapping[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
