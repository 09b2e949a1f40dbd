"""A program as a subtest of web-platform-tests: straight code, and the outcomes that are allowed."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext_filing.plain.layout import array, call, joined, script
from modelcontext_filing.plain.one_file import documents, policy_of
from modelcontext_filing.plain.parts import different_parts
from modelcontext_filing.plain.plain_page import view_of
from modelcontext_filing.plain.shown import ORIGINS, lines_of, literal
from modelcontext_filing.plain.view import PlainError, View

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome

_TEST: Final = Path(__file__).with_name("subtest.html").read_text(encoding="utf-8")
#: Milliseconds in which nothing more may happen.
_QUIET: Final = 500
#: The comment in a test for a member that a schema does not have, which JSON text in a list has as null.
_MISSING: Final = "null: the schema has no such member."


def subtest(
    program: Program, title: str, link: str, allowed: Sequence[Outcome], observed: Outcome | None, note: str = ""
) -> str:
    """Return a test with one subtest, which passes for the allowed outcomes and fails for the observed one.

    Args:
        program: the program.
        title: the title of the subtest.
        link: the URL of the place in the text.
        allowed: every allowed outcome.
        observed: the outcome of the product.
        note: a comment about what the test accepts, without the two slashes.

    Raises:
        PlainError: if one file cannot have the program, or no subtest can tell the outcomes apart.
    """
    if len(program.documents) > 1 and any(spec.origin != "A" for spec in program.documents.values()):
        raise PlainError("a subtest of one file has documents of one origin")
    groups = [allowed, [observed] if observed is not None else []]
    view = _only_what_differs(program, view_of(program, groups), allowed, observed)
    made = documents(
        program, view, [one for group in groups for one in group], ["window.show = (line) => void shown.push(line)"]
    )
    logs = [lines_of(program, outcome, view) for outcome in allowed]
    if any(len(log) > 1 for log in logs):
        raise PlainError("its documents run on several event loops, whose events have no order")
    expected = list(dict.fromkeys(tuple(line for log in one.values() for line in log) for one in logs))
    seen = [line for log in lines_of(program, observed, view).values() for line in log] if observed is not None else []
    shortest = min(map(len, expected))
    waits = f"await test.step_wait(() => shown.length >= {shortest})"
    # A line too many comes after the last of the allowed ones; the script ends there, unless a promise stays pending.
    more = any(tuple(seen[: len(one)]) == one for one in expected) or len({0, *map(len, expected)}) != 2
    more = more or any(outcome.pending for outcome in allowed)
    quiet = [f"await new Promise((go) => test.step_timeout(go, {_QUIET}))"] if more else []
    if any(ORIGINS[letter] in line for one in expected for line in one for letter in ("B", "C")):
        raise PlainError("its lines have the origin of another server")
    if view.parts and any("null" in line for one in expected for line in one):
        note = _MISSING
    lists = [array([_text(line) for line in one]) for one in expected]
    asserts = (
        call("assert_array_equals", "shown", lists[0])
        if len(lists) == 1
        else joined(call("assert_in_array", "shown.join()", joined(array(lists), ".map(String)")))
    )
    lines = _elsewhere(made.lines)
    if any(outcome.pending for group in groups for outcome in group):
        # A promise that stays pending keeps nobody waiting.
        lines = ["(async () => {", *(f"  {line}" for line in lines), "})();"]
    policy = policy_of(program) if program.documents["top"].html is not None else ""
    body = [*lines, *script([*([waits] if shortest else []), *quiet])]
    body += [*([f"// {note}"] if note else []), *script([asserts])]
    return _TEST.format(
        title=html.escape(title, quote=False),
        policy=f"{policy}\n" if policy else "",
        link=html.escape(link),
        markup=f"{made.markup}\n"
        if made.markup
        else "<body>\n"
        if any("document.body" in line for line in lines)
        else "",
        body="\n".join(f"  {line}" for line in body),
        name=literal(title),
    )


def _only_what_differs(program: Program, view: View, allowed: Sequence[Outcome], observed: Outcome | None) -> View:
    """Return a view that has only the parts of a member of tools in which outcomes differ, if their lines still differ."""
    if observed is None or view.members not in (("name", "inputSchema"), ("name", "annotations")):
        return view
    less = replace(view, parts=different_parts(allowed, observed, view.members[1]))
    seen = lines_of(program, observed, less)
    return less if all(lines_of(program, outcome, less) != seen for outcome in allowed) else view


def _elsewhere(lines: Sequence[str]) -> list[str]:
    """Return the lines with the origins and timers of web-platform-tests instead of those of a plain page."""
    for host, name in (("127.0.0.1", "www1"), ("c.localhost", "www2")):
        other = f'origin.replace("://", "://{name}.")'
        lines = [line.replace(f'origin.replace("localhost", "{host}")', other) for line in lines]
    return [re.sub(r"\bsetTimeout\(", "test.step_timeout(", line) for line in lines]


def _text(line: str) -> str:
    if ORIGINS["A"] in line:
        return "`" + line.replace(ORIGINS["A"], "${origin}") + "`"
    return literal(line)
