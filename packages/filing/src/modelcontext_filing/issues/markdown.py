"""One Issue as a text that is ready to be filed: its place, a page that shows it, outcomes, the change, and effects."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted, listed
from modelcontext.judging.issues.readings import patched_text
from modelcontext.judging.profiles import DEVIATIONS, load_deviations
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext_builds.record import FACTS
from modelcontext_filing.issues.effects import BOUND, changed, explored, programs_of, revision_of
from modelcontext_filing.issues.proposal import change_in_words
from modelcontext_filing.places import PUBLISHED, THREADS, place_of
from modelcontext_filing.plain.plain_page import MOST_LINES, OutcomeGroup, plain_page, plain_scripts, text_of
from modelcontext_filing.plain.view import PlainError
from modelcontext_filing.report import record_of
from modelcontext_filing.wording import OUR_TEXT, as_filed

if TYPE_CHECKING:
    from modelcontext.judging.issues.dossier import Dossier
    from modelcontext.judging.issues.text import Issue
    from modelcontext.programs.program.language import Program

#: The folder of all programs and tests in a checkout.
TESTS: Final = Path("wpt_tests")
#: The heading above the outcomes of the text that this repository has.
OWN: Final = {
    "kept": "The draft allows",
    "differs": "With the change below",
    "own": "The text of modelcontext allows",
}
#: The headings above the outcomes of other readings, by the first word of their names.
_HEADINGS: Final = {
    "published": "The draft",
    "proposed": "With the change below",
    "possible": "With another decision",
}
#: The most outcomes of one reading.
_SHOWN: Final = 6
#: The words for a reading with the outcomes of our text.
_SAME: Final = "The same."
#: The width of the lines of a diff.
_WIDTH: Final = 120
#: What Bikeshed links, and names of variables: no line ends in one.
_LINK: Final = re.compile(r"\[=[^\]]*=\]|\|[^|]*\||<\{[^}]*\}>")
#: A remark for our lint.
_REMARK: Final = re.compile(r" *<!-- lint: .*?-->", re.DOTALL)
#: The place of a problem in our text, which no reader of the published text has.
_OUR_PLACE: Final = re.compile(r"index\.bs:\d+:\d+: \S+ [\w.]+ ")


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
    lines = [
        f"{_as_filed(issue.words, titles or {}, dossier)}\n",
        *_program(root, dossier),
        *_change(dossier, titles or {}),
        *_effects(root, dossier, steps, titles or {}, computed=effects),
    ]
    ending = f"Found with modelcontext, an executable version of the draft. There it is Issue {issue.number}.\n"
    return "\n".join([f"# {dossier.title}\n", *_place(steps, dossier), *lines, ending])


def program_path(root: Path, test: str) -> Path:
    """Return the file of a program that a dossier names."""
    return root / TESTS / f"{test}.toml"


def _as_filed(words: str, titles: Mapping[int, str], dossier: Dossier) -> str:
    return as_filed(words, titles, own=dossier.stands == "own")


def _place(steps: Sequence[str], dossier: Dossier) -> Iterator[str]:
    texts = {f"{one.id} {step.number}": step.text for one in load_algorithms() for step in one.steps}
    yield f"* Text: [WebMCP]({PUBLISHED}), October 2026"
    for step in steps:
        place, words = place_of(REVISION.name, step), texts.get(step, "")
        # A step with steps below it ends with a colon.
        said = f"{words.removesuffix('.').removesuffix(':')}."
        if place.is_step:
            yield f"* Step: {place.words}. In {OUR_TEXT}, this step is: {said}"
        else:
            yield f"* Place: {place.words}. The draft does not have this step of {OUR_TEXT}: {said}"
    number = dossier.thread.removeprefix("#")
    yield f"* Thread: {f'[{dossier.thread}]({THREADS}{number})' if number.isdigit() else dossier.thread}\n"
    if dossier.stands == "own":
        yield f"The draft has no steps for forms. The outcomes below are those of {OUR_TEXT}, which has such steps.\n"


def _program(root: Path, dossier: Dossier) -> Iterator[str]:
    if not dossier.test:
        yield f"## A page that shows it\n\nThere is none. {dossier.none}\n"
        return
    path = program_path(root, dossier.test)
    program = load(path)
    groups = list(groups_of(program, dossier))
    tells = any(group.outcomes or group.words != _SAME for group in groups[1:])
    shows = tells or (len(groups) == 1 and dossier.stands == "kept")
    yield "## A page that shows it\n" if shows else "## A page that runs these steps\n"
    if not tells and len(groups) > 1:
        yield "No page of a few lines tells the texts apart: this one has the same outcomes under each reading.\n"
    if crashes := _crashing(root, dossier):
        yield (
            f"It is held back, because it crashes the renderer of {crashes}. It has this title:"
            f" {_sentence(program.title)}\n"
        )
    try:
        page = plain_page(program, groups, title=dossier.title)
    except PlainError as error:
        scripts = plain_scripts(program, groups)
        if not crashes:
            yield f"No single file can show it: {error}. These are the scripts of its documents:\n"
            yield f"```js\n{scripts.text}\n```\n"
        yield from _outcomes(groups, scripts.shown)
        return
    if not crashes:
        if page.needs:
            yield f"{page.needs}\n"
        yield f"```html\n{page.text.strip()}\n```\n"
        if page.length > MOST_LINES:
            yield f"(The script has {page.length} lines.)\n"
    yield from _outcomes(groups, page.shown)


def _sentence(words: str) -> str:
    return f"{words.removesuffix('.')}."


def _crashing(root: Path, dossier: Dossier) -> str:
    """Return the builds of Chromium whose renderer the program of an Issue crashes; empty if there are none."""
    return listed([build for build, shown in _shown_by_builds(root, dossier) if shown.startswith("crash")])


def _shown_by_builds(root: Path, dossier: Dossier) -> Iterator[tuple[str, str]]:
    """Yield what builds of Chromium with this revision show in the program of an Issue; empty if our text allows it."""
    if not dossier.test.startswith("programs/") or not (root / FACTS).is_file():
        return
    record = record_of(root)
    for build in record.of_chromium:
        if build.revision == REVISION.name:
            shown = record.shown_in(build, dossier.test.removeprefix("programs/"))
            if shown is not None:
                yield f"Chromium {build.major}", shown


def groups_of(program: Program, dossier: Dossier) -> Iterator[OutcomeGroup]:
    """Yield the outcomes of a program in this text, then those of each other reading."""
    ours = allowed_outcomes(program, bound=BOUND)
    cut = "" if ours.complete else f"Perhaps more: the search was cut off after {ours.runs:,} runs."
    yield OutcomeGroup(OWN[dossier.stands], list(ours.outcomes.values()), cut)
    for reading in dossier.readings:
        kind, _, words = reading.name.partition(": ")
        heading = f"{_HEADINGS.get(kind, f'As in {kind}')}: {as_filed(words, {})}"
        other = explored(program, revision_of(reading))
        if isinstance(other, str):
            yield OutcomeGroup(heading, (), f"No outcome: a step {_OUR_PLACE.sub('', other)}.")
        elif set(other.outcomes) == set(ours.outcomes):
            yield OutcomeGroup(heading, (), _SAME)
        else:
            yield OutcomeGroup(heading, list(other.outcomes.values()))


def _outcomes(groups: Sequence[OutcomeGroup], shown: Sequence[Sequence[Mapping[str, Sequence[str]]]]) -> Iterator[str]:
    yield "## Outcomes\n"
    for number, group in enumerate(groups):
        yield f"### {group.heading}\n"
        if group.words:
            yield f"{group.words}\n"
        texts = list(map(text_of, shown[number], group.outcomes))
        every = list(dict.fromkeys(texts))
        for index, text in enumerate(every[:_SHOWN]):
            yield ("or\n\n" if index else "") + f"```text\n{text or '(nothing)'}\n```\n"
        if len(every) > _SHOWN:
            yield f"{counted(len(every) - _SHOWN, 'more outcome')}.\n"
    if len(groups) == 1:
        yield "No other reading has steps that can be run.\n"


def _change(dossier: Dossier, titles: Mapping[int, str]) -> Iterator[str]:
    yield "## The change\n"
    if dossier.change or not dossier.patch:
        change = dossier.change or "None: the draft has no steps that could be changed."
        yield f"{_as_filed(change, titles, dossier)}\n"
        return
    kind, _, words = dossier.readings[0].name.partition(": ")
    before, after = patched_text().content, patched_text(dossier.patch).content
    words = as_filed(words, titles)
    said = f"The proposal: {words}."
    if kind == "published":
        before, after = after, before
        said = f"In the draft, {words}. This changes it:"
    elif kind == "possible":
        said = f"A possible decision: {words}."
    yield f"{said}\n"
    yield from change_in_words(dossier.patch, is_undone=kind == "published")
    yield f"<details><summary>The change as a diff of {OUR_TEXT}, which compiles before and after</summary>\n"
    yield f"```diff\n{_diff(before, after)}\n```\n"
    yield "</details>\n"


def _diff(before: str, after: str) -> str:
    """Return the diff of two texts, without what says where the lines are in the file."""
    lines = difflib.unified_diff(_wrapped(before), _wrapped(after), lineterm="", n=2)
    return "\n".join("@@" if line.startswith("@@") else line for line in lines if line[:3] not in ("---", "+++"))


def _wrapped(text: str) -> list[str]:
    """Return the lines of a text; a patch has each step in one line, however long, and the text has not."""
    lines = []
    for line in _REMARK.sub("", text).splitlines():
        if len(line) <= _WIDTH:
            lines.append(line)
            continue
        whole = _LINK.sub(lambda match: match[0].replace(" ", "\0"), line)
        more = " " * (len(line) - len(line.lstrip())) + ("    " if re.match(r" *(\d+\.|:+) ", line) else "")
        wrap = textwrap.wrap(whole, _WIDTH, subsequent_indent=more, break_long_words=False, break_on_hyphens=False)
        lines += [one.replace("\0", " ") for one in wrap]
    return lines


def _effects(
    root: Path, dossier: Dossier, steps: Sequence[str], titles: Mapping[int, str], *, computed: bool
) -> Iterator[str]:
    yield "## What it does to pages, products and tests\n"
    if dossier.effects:
        yield f"{_as_filed(dossier.effects, titles, dossier)}\n"
    yield from _builds(root, dossier)
    quirks = [
        (name.replace("_", " ").capitalize(), _as_filed(quirk.reason, titles, dossier))
        for name in DEVIATIONS
        for named in [load_deviations(name)]
        # The steps of another revision have other numbers.
        if named.revision.name == REVISION.name
        for quirk in named.quirks
        if quirk.step in steps
    ]
    if quirks:
        yield "Products that are known to deviate at these steps:\n"
    for product, reason in quirks:
        yield f"* {product}: {reason}"
    if quirks:
        yield ""
    algorithms = {step.partition(" ")[0] for step in steps}
    tests = Counter(_tests_about(root, algorithms))
    found = ", ".join(f"{counted(count, 'test')} in `{folder}`" for folder, count in sorted(tests.items()))
    yield f"Tests of modelcontext's suite that are about the same algorithms: {found or 'none'}.\n"
    if computed and dossier.readings:
        programs = programs_of(root, algorithms)
        yield f"Programs about the same algorithms, and litmus tests: {len(programs)}.\n"
        for reading in dossier.readings:
            yield from changed(programs, reading)


def _builds(root: Path, dossier: Dossier) -> Iterator[str]:
    """Yield what builds show in the program of an Issue, in a sentence."""
    found: dict[str, list[str]] = {}
    for build, words in _shown_by_builds(root, dossier):
        found.setdefault(words, []).append(build.removeprefix("Chromium "))
    said = [f"{listed(builds)}: {_said(words)}" for words, builds in found.items()]
    if said:
        yield f"Builds of Chromium in this program: {'; '.join(said)}.\n"


def _said(words: str) -> str:
    """Return what builds show, in words: empty words are an outcome that the text allows."""
    if not words:
        return "an outcome of the first heading above"
    if words == "nothing more":
        return "an outcome that ends earlier"
    if words.startswith("crash"):
        return "a crash of the renderer"
    return f"another outcome, with `{words}`" if len(words) <= _WIDTH else "another outcome"


def _tests_about(root: Path, algorithms: set[str]) -> Iterator[str]:
    """Yield the folder of each test that names one of the algorithms as its subject."""
    for path in (root / TESTS / "webmcp").rglob("*.html"):
        subjects = set(re.findall(r'<link rel="help" href="[^"]*#([\w-]+)"', path.read_text(encoding="utf-8")))
        if subjects & algorithms:
            yield path.parent.relative_to(root / TESTS).as_posix()
