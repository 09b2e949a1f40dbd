"""Unexpected results of tests in lines: those of one kind together, and none longer than a person reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from modelcontext.judging.wpt.expectations import UnexpectedResult

#: The kinds, the results of one kind, and the characters of a line that are shown, unless every result is wanted.
MOST_KINDS: Final = 30
MOST_OF_A_KIND: Final = 10
_MOST_CHARACTERS: Final = 400
_VARYING: Final = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")


def unexpected_lines(findings: Sequence[UnexpectedResult], heading: str, *, every: bool = False) -> Iterator[str]:
    """Yield a line for each unexpected result, below those words that several results share but for names and numbers.

    The kinds with the most results come first, and the lines of each kind begin with the ``heading``.
    """
    kinds: dict[str, list[UnexpectedResult]] = {}
    for finding in findings:
        kinds.setdefault(_VARYING.sub("…", finding.text), []).append(finding)
    in_order = sorted(kinds.values(), key=len, reverse=True)
    for same in in_order if every else in_order[:MOST_KINDS]:
        if len(same) == 1:
            yield f"{heading} {_cut(str(same[0]), every=every)}"
            continue
        yield f"{heading} {len(same):,} times: {_cut(same[0].text, every=every)}"
        for finding in same if every else same[:MOST_OF_A_KIND]:
            subtest = f': "{finding.subtest}"' if finding.subtest is not None else ""
            yield f"    {_cut(finding.test + subtest, every=every)}"
        if not every and len(same) > MOST_OF_A_KIND:
            yield f"    and {len(same) - MOST_OF_A_KIND:,} more; --all prints all of them"
    if not every and len(in_order) > MOST_KINDS:
        yield f"{heading} {sum(map(len, in_order[MOST_KINDS:])):,} more, of other kinds; --all prints all of them"


def _cut(text: str, *, every: bool) -> str:
    if every or len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}… ({len(text) - _MOST_CHARACTERS:,} more characters; --all and --json have them)"
