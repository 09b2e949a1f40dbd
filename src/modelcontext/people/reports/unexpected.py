"""Unexpected results of tests in lines: those of one kind together, and none longer than a person reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from modelcontext.judging.wpt.expectations import UnexpectedResult

#: The results of one kind that are listed, and the characters of a line, unless every result is wanted.
MOST_OF_A_KIND: Final = 10
_MOST_CHARACTERS: Final = 400
_VARYING: Final = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")


def unexpected_lines(findings: Sequence[UnexpectedResult], *, every: bool = False) -> Iterator[str]:
    """Yield a line for each unexpected result, below those words that several results share but for names and numbers."""
    kinds: dict[str, list[UnexpectedResult]] = {}
    for finding in findings:
        kinds.setdefault(_VARYING.sub("…", finding.text), []).append(finding)
    for same in kinds.values():
        if len(same) == 1:
            yield f"UNEXPECTED {_cut(str(same[0]), every=every)}"
            continue
        yield f"UNEXPECTED {len(same):,} times: {_cut(same[0].text, every=every)}"
        for finding in same if every else same[:MOST_OF_A_KIND]:
            subtest = f': "{finding.subtest}"' if finding.subtest is not None else ""
            yield f"    {_cut(finding.test + subtest, every=every)}"
        if not every and len(same) > MOST_OF_A_KIND:
            yield f"    and {len(same) - MOST_OF_A_KIND:,} more; --all prints all of them"


def _cut(text: str, *, every: bool) -> str:
    if every or len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}… ({len(text) - _MOST_CHARACTERS:,} more characters; --all and --json have them)"
