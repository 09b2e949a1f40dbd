"""Since when builds of a browser show a defect: the runs of a finding's program in builds, and the words for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext_builds.history import ALLOWED, alike, builds_of, on_build
from modelcontext_builds.record import FACTS, read_record

if TYPE_CHECKING:
    from modelcontext_filing.defects import Defect
    from modelcontext_fuzz.findings import Finding

#: The browser of which there are several builds.
BROWSER = "chromium"

record_of = cache(read_record)


def shown_by_builds(findings: Sequence[Finding]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Run the programs of findings in every build, and return what each shows, by the names of findings and the version.

    Raises:
        UnavailableError: if a build does not start.
    """
    programs = {finding.name: finding.program for finding in findings}
    runs = [(build, on_build(build, programs)) for build in builds_of(BROWSER)]
    return {
        name: tuple((build.version, alike(shown[name].words)) for build, shown in runs if shown[name].is_known)
        for name in programs
    }


def since(root: Path, defect: Defect) -> str:
    """Return which of the builds that were tried shows a defect first; empty if nothing is known."""
    if defect.product != BROWSER:
        return ""
    if not defect.findings:
        return _of_a_rule(root, defect.rule)
    builds = defect.findings[0].builds
    if not builds or builds[-1][1] == ALLOWED:
        return ""
    first = len(builds) - 1
    while first and builds[first - 1][1] == builds[-1][1]:
        first -= 1
    if not first:
        return _words(builds[0][0], "earlier ones implement an earlier draft")
    version, words = builds[first - 1]
    return _words(builds[first][0], f"{_major(version)} {'conforms' if words == ALLOWED else 'shows another outcome'}")


def _of_a_rule(root: Path, rule: str) -> str:
    if not rule.startswith("programs/") or not (root / FACTS).is_file():
        return ""
    found = record_of(root).since(BROWSER, rule.removeprefix("programs/"))
    if found is None:
        return ""
    before = f"{found.before.major} does not" if found.before is not None else "earlier ones implement an earlier draft"
    return _words(found.build.version, before)


def _words(first: str, before: str) -> str:
    return f"; of the builds that we tried, {_major(first)} is the first that shows it, and {before}"


def _major(version: str) -> str:
    return version.partition(".")[0]
