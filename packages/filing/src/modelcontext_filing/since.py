"""Since when builds of a browser show a defect: the runs of a finding's program in builds, and the words for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext_builds.history import ALLOWED, alike, builds_of, on_build
from modelcontext_builds.record import FACTS, read_record

if TYPE_CHECKING:
    from modelcontext_filing.defects import Defect
    from modelcontext_fuzz.findings import Finding

#: The browser of which there are several builds.
BROWSER: Final = "chromium"
#: The words if the first build with the API of the draft already shows a defect.
_EARLIER: Final = "earlier ones implement an earlier draft"
_TRIED: Final = "; of the builds that we tried, each by the draft of its time,"
#: The events that Chromium 152 and 153 fire at the window: there a listener of the ModelContext says nothing.
_MOVED: Final = frozenset({"toolactivated", "toolcancel"})

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
    if any(
        step.arguments.get("type") in _MOVED for _, step in defect.findings[0].program.walk() if step.do == "listen"
    ):
        return ""
    # Neighbors that show the same, the oldest first.
    ranges = [list(same) for _, same in groupby(defect.findings[0].builds, key=itemgetter(1))]
    if not ranges or ranges[-1][0][1] == ALLOWED:
        return ""
    first, newest = ranges[-1][0][0], ranges[-1][-1][0]
    text = _of_inputs(root, defect.findings[0])
    if len(ranges) == 1:
        return _words(first, _EARLIER) + text
    version, words = ranges[-2][-1]
    if words == ALLOWED:
        return _words(first, f"{_major(version)} conforms") + text
    # Another outcome need not be without the defect: in Chromium 152 each program that reads the options of a callback fails.
    return f"{_TRIED} {_major(first)} shows it, too{text}" if first != newest else ""


def _of_inputs(root: Path, finding: Finding) -> str:
    """Return what to change in the page of a finding for builds that take the input of a call as JSON text."""
    calls = any(step.do == "executeTool" and "arguments" not in step.arguments for _, step in finding.program.walk())
    if not calls or not (root / FACTS).is_file():
        return ""
    tried = dict(finding.builds)
    majors = [build.major for build in record_of(root).of_chromium if build.has_own_text and build.version in tried]
    return f". For {' and '.join(majors)}, pass the input of executeTool() as JSON text" if majors else ""


def _of_a_rule(root: Path, rule: str) -> str:
    if not rule.startswith("programs/") or not (root / FACTS).is_file():
        return ""
    found = record_of(root).since(BROWSER, rule.removeprefix("programs/"))
    if found is None:
        return ""
    before = f"{found.before.major} does not" if found.before is not None else _EARLIER
    return _words(found.build.version, before)


def _words(first: str, before: str) -> str:
    return f"{_TRIED} {_major(first)} is the first that shows it, and {before}"


def _major(version: str) -> str:
    return version.partition(".")[0]
