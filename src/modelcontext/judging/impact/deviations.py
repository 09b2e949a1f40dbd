"""Known deviations of products, and the steps on which they rest: expectations, quirks of profiles, findings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.judging.profiles import DEVIATIONS, Quirk, load_deviations
from modelcontext.running.products import TESTED, make_target
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import SpecificationError, load_algorithms

_FINDINGS: Final = Path("FINDINGS.md")
_SECTION = re.compile(r"^## (?P<title>\S+)(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_FINDING = re.compile(r"^### \S+\n\n[^\n]*\n\nAt `(?P<step>[^`]+)`(?P<rest>.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"^\| \[([^\]]+)\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Deviation:
    """A known deviation: ``kind`` is "expectation", "quirk" or "finding", ``step`` is ``algorithm number``."""

    kind: str
    name: str
    step: str


def read_deviations(root: Path, revision: str) -> list[Deviation]:
    """Return the known deviations of all products that implement a revision.

    A quirk rests on the step that it is about, and on every step that its patch takes out.

    Args:
        root: the checkout.
        revision: the name of the revision.

    Raises:
        SpecificationError: if a file of expectations cannot be read.
    """
    # The text of the profiles: a patch also gives numbers to steps that it adds at an end.
    there = {f"{one.id} {step.number}" for one in load_algorithms(revision) for step in one.steps}
    steps = {}
    found = []
    for name in DEVIATIONS:
        named = load_deviations(name)
        for quirk in named.quirks if named.revision.name == revision else ():
            steps[quirk.name] = quirk.step
            changed = there.intersection(quirk.steps) if isinstance(quirk, Quirk) else ()
            found += [Deviation("quirk", f"{name}: {quirk.name}", step) for step in (quirk.step, *sorted(changed))]
    products = {name for name in TESTED if make_target(name).revision == revision}
    for path in sorted((root / "wpt_tests").glob("expectations*/*.toml")):
        if path.stem.removeprefix("wpt-").removeprefix("litmus-") in products:
            found += _expectations(path, steps)
    findings = root / _FINDINGS
    if findings.is_file():
        for section in _SECTION.finditer(findings.read_text(encoding="utf-8")):
            # The last section is about the current text itself.
            if section["title"].lower() in products or (section["title"] == "The" and revision == CURRENT.name):
                found += _findings(section["text"])
    return list(dict.fromkeys(found))


def _findings(text: str) -> Iterator[Deviation]:
    for match in _FINDING.finditer(text):
        # A rule without steps has the id of its section only, which no change of a step concerns.
        if " " in match["step"]:
            yield from (Deviation("finding", name, match["step"]) for name in _PROGRAM.findall(match["rest"]))


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
