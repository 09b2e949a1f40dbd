"""The mending of findings that need no judgement: the words of a source are changed in their places."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclint.rules.wording import mended_words

if TYPE_CHECKING:
    from speclint.finding import LintFinding
    from speclint.linting import Report

_DECLARED = re.compile(r"^(.+) is declared, and has a value already$")


@dataclass(frozen=True, slots=True)
class Mended:
    """The content of a source after its findings were mended, and these findings."""

    content: str
    findings: list[LintFinding]


def mend(content: str, report: Report, rules: Collection[str] = ()) -> Mended:
    """Mend in the content of a source what the report about it finds, as far as it is mechanical; or only some rules."""
    lines = content.splitlines(keepends=True)
    done = []
    for finding in report.findings:
        if rules and finding.rule not in rules:
            continue
        if finding.rule == "shadowed-variable":
            changed = _set_for_let(lines, report, finding)
        elif finding.rule in ("doubled-word", "wrong-article"):
            changed = _changed(lines, finding.line, mended_words(lines[finding.line - 1], finding.rule))
        else:
            changed = False
        if changed:
            done.append(finding)
    return Mended("".join(lines), done)


def _changed(lines: list[str], number: int, line: str) -> bool:
    if lines[number - 1] == line:
        return False
    lines[number - 1] = line
    return True


def _set_for_let(lines: list[str], report: Report, finding: LintFinding) -> bool:
    """Write Set for the Let of a variable that has a value on every way; return whether there is one such Let."""
    match = _DECLARED.match(finding.message)
    steps = (step for one in report.text.algorithms if one.id == finding.algorithm for step in one.walk())
    step = next((one for one in steps if (one.number, one.line) == (finding.step, finding.line)), None)
    if match is None or step is None:
        return False
    name = re.escape(match[1])
    let = re.compile(rf"\b([Ll])et(\s+(?:\|{name}\||<var\b[^>]*>\s*{name}\s*</var>)\s+)be\b")
    first, last = step.line - 1, max(step.line, step.last_line)
    own = "".join(lines[first:last])
    if len(let.findall(own)) != 1:
        return False
    mended = let.sub(lambda found: f"{'S' if found[1] == 'L' else 's'}et{found[2]}to", own)
    lines[first:last] = mended.splitlines(keepends=True)
    return True
