"""Known deviations of products, and the steps on which they rest: expectations, quirks of profiles, findings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.profiles import PROFILES, load_profile
from modelcontext.specification import SpecificationError

#: The lists of expectations, and what an entry is about.
_FOLDERS: Final = ("expectations", "expectations-2026-03")
_FINDINGS: Final = Path("FINDINGS.md")
_FINDING = re.compile(r"^### (?P<quirk>\S+)\n\nAt `(?P<step>[^`]+)`(?P<rest>.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"^\| \[([^\]]+)\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Deviation:
    """A known deviation: ``kind`` is "expectation", "quirk" or "finding", ``step`` is ``algorithm number``."""

    kind: str
    name: str
    step: str


def read_deviations(root: Path) -> list[Deviation]:
    """Return the known deviations of all products.

    Raises:
        SpecificationError: if a file of expectations cannot be read.
    """
    steps = {}
    found = []
    for name in PROFILES:
        for quirk in load_profile(name).quirks:
            steps[quirk.name] = quirk.step
            found.append(Deviation("quirk", f"{name}: {quirk.name}", quirk.step))
    for folder in _FOLDERS:
        for path in sorted((root / "wpt_tests" / folder).glob("*.toml")):
            found += _expectations(path, steps)
    findings = root / _FINDINGS
    if findings.is_file():
        for match in _FINDING.finditer(findings.read_text(encoding="utf-8")):
            found += [Deviation("finding", name, match["step"]) for name in _PROGRAM.findall(match["rest"])]
    return list(dict.fromkeys(found))


def _expectations(path: Path, quirks: dict[str, str]) -> Iterator[Deviation]:
    for entries in _read(path).values():
        for entry in entries if isinstance(entries, list) else ():
            step = entry.get("step") or quirks.get(entry.get("quirk", ""))
            name = entry.get("name") or entry.get("quirk") or entry.get("note", "")[:60]
            if step:
                yield Deviation("expectation", f"{path.stem}: {name}", step)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SpecificationError(f"the file cannot be read: {error}", path) from None
