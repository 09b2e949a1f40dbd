"""One Issue as a text that is ready to be filed: its place, a page that shows it, outcomes, the change, and effects."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted
from modelcontext.judging.issues.readings import patched_text
from modelcontext.judging.profiles import DEVIATIONS, load_deviations
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext.spec.specification.text.published import published_step
from modelcontext_filing.issues.effects import BOUND, changed, explored, programs_of, revision_of
from modelcontext_filing.places import PUBLISHED, THREADS, published_link
from modelcontext_filing.plain.plain_page import MOST_LINES, OutcomeGroup, plain_page
from modelcontext_filing.plain.view import PlainError

if TYPE_CHECKING:
    from modelcontext.judging.issues.dossier import Dossier
    from modelcontext.judging.issues.text import Issue
    from modelcontext.programs.program.language import Program

#: The folder of all programs and tests in a checkout.
TESTS: Final = Path("wpt_tests")
#: The heading above the outcomes of the text that this repository has.
OWN: Final = {
    "kept": "The published text allows",
    "differs": "With the change the text allows",
    "own": "This text allows",
}
#: The most outcomes of one reading.
_SHOWN: Final = 6
_NUMBER: Final = re.compile(r"\bissue (\d+)\b")
#: Words of Issues that readers of the published text would not understand, and those that stand for them.
_OWN_WORDS: Final = {
    "the published text": "the draft",
    "The published text": "The draft",
    "Here ": "With the change below ",
    "In this document ": "With the change below ",
    "This document ": "The change below ",
    "this document": "the change below",
    "In the example above, ": "In the page below, ",
    ", as the example above says": "",
    ", as the summary above says": "",
}


def markdown(
    root: Path, issue: Issue, dossier: Dossier, titles: Mapping[int, str] | None = None, *, effects: bool = False
) -> str:
    """Return the text of an Issue.

    Args:
        root: the checkout.
        issue: the words of the Issue.
        dossier: what is known of it beside its words.
        titles: the titles of all Issues, by number.
        effects: also compute each reading for every program about the same algorithms, and every litmus test.
    """
    steps = tuple(dict.fromkeys((*issue.steps, *dossier.steps)))
    return "\n".join(
        [
            f"# {dossier.title}\n",
            *_place(steps, dossier, issue),
            f"{_as_filed(issue.words, titles or {})}\n",
            *_program(root, dossier),
            *_change(dossier),
            *_effects(root, dossier, steps, computed=effects),
        ]
    )


def program_path(root: Path, test: str) -> Path:
    """Return the file of a program that a dossier names."""
    return root / TESTS / f"{test}.toml"


def _as_filed(words: str, titles: Mapping[int, str]) -> str:
    """Return the words of an Issue for readers of the published text, who know none of our numbers."""
    text = _NUMBER.sub(lambda match: f'"{titles.get(int(match[1]), "another Issue")}"', words)
    for ours, theirs in _OWN_WORDS.items():
        text = text.replace(ours, theirs)
    return text


def _place(steps: Sequence[str], dossier: Dossier, issue: Issue) -> Iterator[str]:
    texts = {f"{one.id} {step.number}": step.text for one in load_algorithms() for step in one.steps}
    yield f"* Text: [Web Model Context]({PUBLISHED}), October 2026"
    for step in steps:
        published = published_step(REVISION.name, step)
        words = texts.get(step, "")
        if published is not None:
            yield f"* Step: {published_link(published)}: {words}"
        else:
            yield f"* Place: {published_link(step.partition(' ')[0])}, where the draft has no such step: {words}"
    if not steps:
        yield "* Place: a definition, and no step"
    number = dossier.thread.removeprefix("#")
    yield f"* Thread: {f'[{dossier.thread}]({THREADS}{number})' if number.isdigit() else dossier.thread}"
    yield f"* Ours: Issue {issue.number} of the reference text\n"


def _program(root: Path, dossier: Dossier) -> Iterator[str]:
    yield "## A page that shows it\n"
    if not dossier.test:
        yield f"There is none. {dossier.none}\n"
        return
    path = program_path(root, dossier.test)
    program = load(path)
    groups = list(groups_of(program, dossier))
    try:
        page = plain_page(program, groups)
    except PlainError as error:
        yield f"No single file can show it: {error}. The program is `{path.relative_to(root).as_posix()}`:\n"
        yield f"```toml\n{path.read_text(encoding='utf-8').strip()}\n```\n"
        yield from _outcomes(groups, None)
        return
    if page.needs:
        yield f"{page.needs}\n"
    yield f"```html\n{page.text.strip()}\n```\n"
    yield from _outcomes(groups, page.shown)
    if page.length > MOST_LINES:
        yield f"(The script has {page.length} lines, since each document needs its own.)\n"


def groups_of(program: Program, dossier: Dossier) -> Iterator[OutcomeGroup]:
    """Yield the outcomes of a program in this text, then those of each other reading."""
    ours = allowed_outcomes(program, bound=BOUND)
    cut = "" if ours.complete else f"Perhaps more: the search was cut off after {ours.runs:,} runs."
    yield OutcomeGroup(OWN[dossier.stands], list(ours.outcomes.values()), cut)
    for reading in dossier.readings:
        heading = f"{reading.name[0].upper()}{reading.name[1:]}"
        other = explored(program, revision_of(reading))
        if isinstance(other, str):
            yield OutcomeGroup(heading, (), f"It has no meaning: {other}.")
        elif set(other.outcomes) == set(ours.outcomes):
            yield OutcomeGroup(heading, (), "The same.")
        else:
            yield OutcomeGroup(heading, list(other.outcomes.values()))


def _outcomes(
    groups: Sequence[OutcomeGroup], shown: Sequence[Sequence[Mapping[str, Sequence[str]]]] | None
) -> Iterator[str]:
    yield "## Outcomes\n"
    for number, group in enumerate(groups):
        yield f"### {group.heading}\n"
        if group.words:
            yield f"{group.words}\n"
        if shown is None:
            texts = ["\n".join(describe(outcome)) for outcome in group.outcomes]
        else:
            texts = ["\n".join(line for log in lines.values() for line in log) for lines in shown[number]]
        every = list(dict.fromkeys(texts))
        for index, text in enumerate(every[:_SHOWN]):
            yield ("or\n\n" if index else "") + f"```text\n{text or '(nothing)'}\n```\n"
        if len(every) > _SHOWN:
            yield f"{counted(len(every) - _SHOWN, 'more outcome')}.\n"
    if len(groups) == 1:
        yield "No other reading is computed.\n"


def _change(dossier: Dossier) -> Iterator[str]:
    yield "## The change\n"
    if dossier.change or not dossier.patch:
        yield f"{dossier.change or 'None: the published text has no steps that could be changed.'}\n"
        return
    kind, _, words = dossier.readings[0].name.partition(": ")
    before, after = patched_text().content, patched_text(dossier.patch).content
    said = f"{words[0].upper()}{words[1:]}."
    if kind == "published":
        before, after = after, before
        said = f"The draft: {words}. The change, from the meaning of the draft:"
    elif kind == "possible":
        said = f"A possible decision: {words}."
    yield f"{said}\n"
    yield f"```diff\n{_diff(before, after)}\n```\n"
    yield "(The words are those of the reference text, which compiles before and after the change.)\n"


def _diff(before: str, after: str) -> str:
    """Return the diff of two texts, without what says where the lines are in the file."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    return "\n".join("@@" if line.startswith("@@") else line for line in lines if line[:3] not in ("---", "+++"))


def _effects(root: Path, dossier: Dossier, steps: Sequence[str], *, computed: bool) -> Iterator[str]:
    yield "## What it does to pages, products and tests\n"
    if dossier.effects:
        yield f"{dossier.effects}\n"
    quirks = [
        (product, quirk)
        for name, product in DEVIATIONS.items()
        for quirk in load_deviations(name).quirks
        if quirk.step in steps
    ]
    yield "Products that are known to leave the text at these steps:" + ("\n" if quirks else " none.\n")
    for product, quirk in quirks:
        yield f"* {product}, {quirk.name}: {quirk.reason}"
    if quirks:
        yield ""
    algorithms = {step.partition(" ")[0] for step in steps}
    tests = Counter(_tests_about(root, algorithms))
    found = ", ".join(f"{counted(count, 'test')} in `{folder}`" for folder, count in sorted(tests.items()))
    yield f"Tests of the reference text's suite about the same algorithms: {found or 'none'}.\n"
    programs = programs_of(root, algorithms)
    yield f"Programs about the same algorithms, and litmus tests: {len(programs)}.\n"
    if not dossier.readings:
        yield "The effects of the change on them are not computed: no reading of the change is executable.\n"
    elif not computed:
        yield "The effects of the readings on them were not computed here; `--effects` computes them.\n"
    else:
        for reading in dossier.readings:
            yield from changed(programs, reading)


def _tests_about(root: Path, algorithms: set[str]) -> Iterator[str]:
    """Yield the folder of each test that names one of the algorithms as its subject."""
    for path in (root / TESTS / "webmcp").rglob("*.html"):
        subjects = set(re.findall(r'<link rel="help" href="[^"]*#([\w-]+)"', path.read_text(encoding="utf-8")))
        if subjects & algorithms:
            yield path.parent.relative_to(root / TESTS).as_posix()
