"""A program as a page: it shows what may happen, and what happens in the browser that shows the page."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext_filing.plain.one_file import documents, policy_of, scripts_of_documents
from modelcontext_filing.plain.shown import lines_of
from modelcontext_filing.plain.view import PlainError, View, views

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome

#: The way to open a page, by the object that has the attribute ``modelContext``.
NEEDS_API: Final = {
    "document": "The page needs document.modelContext: Chromium 156 has it with --enable-features=WebMCP.",
    "navigator": "The page needs navigator.modelContext: Firefox 153 has it with dom.modelcontext.enabled in about:config.",
}
#: The npm package of the polyfill, and the name that its script has beside a page.
POLYFILL: Final = "@mcp-b/webmcp-polyfill"
_BESIDE: Final = "polyfill.js"
NEEDS_POLYFILL: Final = (
    f"The page needs the polyfill, and a browser without an API of its own: save dist/index.iife.js of the npm package"
    f" {POLYFILL} beside the page as {_BESIDE}."
)
NEEDS_SERVER: Final = (
    " Save it as page.html, serve its folder (python3 -m http.server), and open http://localhost:8000/page.html: a local"
    " file does not show the outcomes."
)
#: The most outcomes of one group that a page shows.
MOST_OUTCOMES: Final = 4
#: The words above scripts that no single file can have: what has loaded, and how lines of other documents begin.
_SCRIPTS: Final = (
    "These are the scripts of its documents. Each begins in a task after {what} loaded. show(line) shows a line.{lines}"
)
_OF_OTHERS: Final = " The lines of a document that is not the page begin with its name."
#: The line at the end: nothing is waited for any longer.
END: Final = "(three seconds have passed; this line is not part of an outcome)"
_SHOWS: Final = (
    "window.show = window.onerror = (line) => shown.append(`${line}\\n`)",
    f'setTimeout(show, 3000, "{END}")',
)
_PAGE: Final = Path(__file__).with_name("plain-page.html").read_text(encoding="utf-8")

Lines = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class OutcomeGroup:
    """Outcomes under one heading, or under ``alone`` if their lines are the same.

    ``words`` stand for outcomes that are none, such as a crash.
    """

    heading: str
    outcomes: Sequence[Outcome]
    words: str = ""
    alone: str = ""


@dataclass(frozen=True, slots=True)
class PlainPage:
    """A page, the number of lines of its script, and the lines of the outcomes in each group, by log.

    ``needs`` says how the page has to be opened, or how scripts that are no page have to be read.
    """

    text: str
    length: int
    needs: str
    shown: Sequence[Sequence[Lines]]


def plain_page(
    program: Program, groups: Sequence[OutcomeGroup], title: str = "", *, is_of_the_polyfill: bool = False
) -> PlainPage:
    """Return the page that shows a program beside groups of outcomes.

    Args:
        program: the program.
        groups: the outcomes; the page tells outcomes of different groups apart.
        title: the title of the page; that of the program if it is empty.
        is_of_the_polyfill: whether the page loads the polyfill.

    Raises:
        PlainError: if one file cannot have the program, or its lines do not tell the groups apart.
    """
    view = view_of(program, [group.outcomes for group in groups], least=any(group.words for group in groups))
    outcomes = [outcome for group in groups for outcome in group.outcomes]
    polyfill = f'<script src="{_BESIDE}"></script>' if is_of_the_polyfill else ""
    made = documents(program, view, outcomes, _SHOWS, polyfill)
    shown = [[lines_of(program, outcome, view) for outcome in group.outcomes] for group in groups]
    sections = [_section(group, lines) for group, lines in zip(groups, shown, strict=True)]
    needs = NEEDS_POLYFILL if is_of_the_polyfill else NEEDS_API[program.dialect.accessor]
    needs += NEEDS_SERVER if made.needs_server else ""
    policy = policy_of(program) if program.documents["top"].html is not None else ""
    text = _PAGE.format(
        title=html.escape(title or program.title, quote=False),
        policy=f"{policy}\n" if policy else "",
        before=f"{polyfill}\n" if polyfill else "",
        needs=html.escape(needs),
        sections="\n".join(sections),
        markup=made.markup,
        script="\n".join(made.lines),
    )
    return PlainPage(text, made.length, needs, shown)


def plain_scripts(program: Program, groups: Sequence[OutcomeGroup]) -> PlainPage:
    """Return the scripts of a program that no single file can have, one for each document.

    Raises:
        PlainError: if a step has no plain form, or the lines do not tell the groups apart.
    """
    view = view_of(program, [group.outcomes for group in groups])
    made = list(scripts_of_documents(program, view, [outcome for group in groups for outcome in group.outcomes]))
    shown = [[lines_of(program, outcome, view) for outcome in group.outcomes] for group in groups]
    has_frames = any(spec.parent is not None for spec in program.documents.values())
    others = tuple(f"{id_}: " for id_ in program.documents if id_ != "top")
    every = [
        *(line for of_group in shown for lines in of_group for log in lines.values() for line in log),
        *(label for group in groups for outcome in group.outcomes for label in outcome.pending),
    ]
    needs = _SCRIPTS.format(
        what="its document and the frames of the page have" if has_frames else "its document has",
        lines=_OF_OTHERS if any(line.startswith(others) for line in every) else "",
    )
    return PlainPage("\n".join(made), len(made), needs, shown)


def view_of(program: Program, groups: Sequence[Sequence[Outcome]], *, least: bool = False) -> View:
    """Return the view that tells least, and still tells an outcome of one group from all that only other groups have.

    Without outcomes to compare with, the view has most of what may differ: members of listed tools, realms and inputs.

    Args:
        program: the program.
        groups: the outcomes of each group.
        least: whether a group without outcomes needs none to compare, as that of a crash.

    Raises:
        PlainError: if there is none.
    """
    is_alone = not least and (len(groups) < 2 or not all(groups))
    every = [outcome for group in groups for outcome in group]
    found = views(program, every, whole=is_alone)
    if is_alone and len(groups) > 1 and any(step.do == "getTools" for _, step in program.walk()):
        found = (view for view in found if view.members == "most")
    for view in found:
        lines = {outcome.canonical: _canonical(program, outcome, view) for outcome in every}
        if all(_told_apart(one, other, lines) for one in groups for other in groups if one is not other):
            return view
    raise PlainError("its lines do not distinguish the outcomes")


def _told_apart(group: Sequence[Outcome], other: Sequence[Outcome], lines: Mapping[str, str]) -> bool:
    here = {outcome.canonical for outcome in group}
    there = {outcome.canonical for outcome in other}
    return {lines[one] for one in here - there}.isdisjoint(lines[one] for one in there)


def _canonical(program: Program, outcome: Outcome, view: View) -> str:
    return repr(sorted(lines_of(program, outcome, view).items()))


def _section(group: OutcomeGroup, shown: Sequence[Lines]) -> str:
    texts = list(dict.fromkeys(map(text_of, shown, group.outcomes)))
    parts = [f"<h2>{html.escape(group.alone if group.alone and len(texts) == 1 else group.heading)}</h2>"]
    if group.words:
        parts.append(f"<p>{html.escape(group.words)}</p>")
    for number, text in enumerate(texts[:MOST_OUTCOMES]):
        parts += ["<p>or</p>"] if number else []
        parts.append(f"<pre>{html.escape(text, quote=False) or '(nothing)'}</pre>")
    if len(texts) > MOST_OUTCOMES:
        parts.append(f"<p>or another outcome: there are {len(texts)} in all</p>")
    return "\n".join(parts)


def text_of(lines: Lines, outcome: Outcome) -> str:
    """Return the lines of an outcome as one text, those of the page first, then what no page can show."""
    logs = [log for _, log in sorted(lines.items(), key=lambda item: item[0] != "top") if log]
    apart = ["(the lines of the documents have no order among each other)"] if len(logs) > 1 else []
    pending = [f"({label.removeprefix('top: ')} never settles)" for label in outcome.pending]
    return "\n".join([*(line for log in logs for line in log), *pending, *apart])


def as_logs(program: Program, lines: Sequence[str]) -> Lines:
    """Return the lines that a page has shown, by log, as :func:`plain_page` has those of outcomes."""
    found: dict[str, list[str]] = {}
    for line in lines:
        document = line.partition(": ")[0]
        log = program.log_of(document if document in program.documents else "top")
        found.setdefault(log, []).append(line)
    return found
