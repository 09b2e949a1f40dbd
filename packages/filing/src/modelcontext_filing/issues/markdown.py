"""One Issue as a text that is ready to be filed: its place, a page that shows it, outcomes, the change, and effects."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted, listed
from modelcontext.judging.issues.readings import patched_text
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.current import REVISION
from modelcontext_builds.record import FACTS
from modelcontext_filing.issues.effects import BOUND, changed, explored, programs_of, revision_of
from modelcontext_filing.places import PUBLISHED, THREADS, TODO, place_of
from modelcontext_filing.plain.plain_page import OutcomeGroup, plain_page, plain_scripts, text_of
from modelcontext_filing.plain.view import PlainError
from modelcontext_filing.since import record_of
from modelcontext_filing.wording import OUR_TEXT, PROJECT, as_filed

if TYPE_CHECKING:
    from modelcontext.judging.issues.dossier import Dossier
    from modelcontext.judging.issues.text import Issue
    from modelcontext.programs.program.language import Program

#: The folder of all programs and tests in a checkout.
TESTS: Final = Path("wpt_tests")
#: The heading above the outcomes of the text that this repository has.
OWN: Final = {
    "kept": "The draft allows",
    "differs": "With the proposed change",
    "own": f"{OUR_TEXT.capitalize()} allows",
}
#: The heading in place of the one above if a text that allows only one outcome has it.
_ONLY_ONE: Final = {"kept": "By the draft", "own": f"By {OUR_TEXT}"}
#: The headings above the outcomes of other readings, by the first word of their names.
_HEADINGS: Final = {
    "published": "The draft",
    "proposed": "With the proposed change",
    "possible": "With another decision",
    "allowed": "The draft also allows",
}
#: The heading above a page.
_PAGE: Final = "## A page that shows it\n\n"
#: The words in place of a page.
_NO_PAGE: Final = "No page is shown here."
#: The published tests that an Issue without a word about them touches.
_NO_TESTS: Final = "none known"
#: The words under an Issue about steps that the draft does not have.
_ABOUT_FORMS: Final = (
    "The draft has no steps for forms yet, and this Issue is about a point that they have to settle."
    " The project that found it has rewritten the draft, with steps for forms."
)
#: The words after them, if the text names it again.
_NAMED_BELOW: Final = f" Below, this text is called {OUR_TEXT}."
#: The most outcomes of one reading.
_SHOWN: Final = 6
#: The words for a reading with the outcomes of our text.
_SAME: Final = "The same."
#: The mark of an outcome that only the draft, or only its change, has.
_ONLY: Final = "only under this heading:"
#: The width of the lines of a diff.
_WIDTH: Final = 120
#: The beginning of a line that does not continue the line before it: of a step, of an item, of a tag, or of nothing.
_BEGINS: Final = re.compile(r"\s*(\d+\.|:|\*|<(?!\{)|$)")
#: The tags around lines that are code.
_CODE: Final = ("<xmp", "<pre"), ("</xmp>", "</pre>")
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

    def filed(words: str) -> str:
        return as_filed(words, titles or {}, own=dossier.stands == "own")

    lines = [
        f"{filed(issue.words)}\n",
        *(_program(root, dossier) if dossier.test else [f"{_PAGE}{_NO_PAGE} {filed(dossier.none)}\n"]),
        f"## The change\n\n{_decision(dossier)}{filed(dossier.change)}\n",
        *_diff_of_our_text(dossier),
        f"## Effects\n\n{filed(dossier.effects)}\n",
    ]
    if effects and dossier.readings:
        lines += _computed_effects(root, dossier, steps)
    below = "\n".join(lines)
    head = _head(steps, dossier, filed(dossier.published_tests), names_our_text=OUR_TEXT in below.lower())
    text = "\n".join([f"# {dossier.title}\n", *head, below])
    return f"{text}\n{_beside(text, titles or {})}Found with {PROJECT}.\n"


def program_path(root: Path, test: str) -> Path:
    """Return the file of a program that a dossier names."""
    return root / TESTS / f"{test}.toml"


def _head(steps: Sequence[str], dossier: Dossier, published_tests: str, *, names_our_text: bool) -> Iterator[str]:
    yield f"* Text: [WebMCP]({PUBLISHED}), October 2026"
    for place in dossier.places or dict.fromkeys(_place(step) for step in steps):
        yield f"* Place: {place.replace('](#', f']({PUBLISHED}#')}"
    number = dossier.thread.removeprefix("#")
    yield f"* Thread: {f'[{dossier.thread}]({THREADS}{number})' if number.isdigit() else dossier.thread}"
    yield f"* Web platform tests: {published_tests or _NO_TESTS}\n"
    if dossier.stands == "own":
        named = _NAMED_BELOW if names_our_text else ""
        yield f"{_ABOUT_FORMS}{named}{' The outcomes below are those of its steps.' if dossier.test else ''}\n"


def _beside(text: str, titles: Mapping[int, str]) -> str:
    """Return a sentence about the other Issues that a text names; empty if it names none."""
    named = [title for title in titles.values() if f'"{title}"' in text]
    if not named:
        return ""
    said = (
        "Issue that is named by its title above is"
        if len(named) == 1
        else "Issues that are named by their titles above are"
    )
    return f"The {said} filed beside this one.\n\n"


def _place(step: str) -> str:
    place = place_of(REVISION.name, step)
    return f"{place.words}, which is a TODO" if place.anchor in TODO else place.words


def _decision(dossier: Dossier) -> str:
    """Return a sentence before a change that is not the only answer; empty for a proposal."""
    is_possible = dossier.stands != "differs" and dossier.patch and dossier.readings[0].name.startswith("possible")
    return "This is one possible decision.\n\n" if is_possible else ""


def _diff_of_our_text(dossier: Dossier) -> Iterator[str]:
    """Yield the change of an Issue, or another decision, as a diff of our text, folded: the model has run both sides."""
    if not dossier.patch:
        return
    before, after = patched_text().content, patched_text(dossier.patch).content
    reading = dossier.readings[0].name
    if reading.startswith("published"):
        before, after = after, before
    is_other = dossier.stands == "differs" and reading.startswith("possible")
    said = "The other decision, as a change" if is_other else "The corresponding change"
    ours = OUR_TEXT if dossier.stands == "own" else "the project's own rewrite of the draft, whose text differs"
    yield f"<details><summary>{said} of {ours}. The program executes both versions</summary>\n"
    yield f"```diff\n{_diff(before, after)}\n```\n"
    yield "</details>\n"


def _diff(before: str, after: str) -> str:
    """Return the diff of two texts, without what says where the lines are in the file."""
    lines = difflib.unified_diff(_in_one_line_each(before), _in_one_line_each(after), lineterm="", n=1)
    shown = (["@@"] if line.startswith("@@") else _wrapped(line) for line in lines if line[:3] not in ("---", "+++"))
    return "\n".join(line for one in shown for line in one)


def _in_one_line_each(text: str) -> list[str]:
    """Return the steps, paragraphs and lines of code of a text, so that no diff is about line breaks."""
    lines: list[str] = []
    is_code = False
    for line in _REMARK.sub("", text).splitlines():
        is_code = is_code or line.startswith(_CODE[0])
        above = lines[-1].strip() if lines else ""
        is_tag = above.startswith("<") and above.endswith(">")
        if above and not (is_code or is_tag or _BEGINS.match(line)):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
        is_code = is_code and not line.endswith(_CODE[1])
    return lines


def _wrapped(line: str) -> list[str]:
    """Return a line of a diff as lines of a limited width, each with the same mark."""
    mark, text = line[:1], line[1:]
    whole = _LINK.sub(lambda match: match[0].replace(" ", "\0"), text)
    more = " " * (len(text) - len(text.lstrip())) + ("    " if re.match(r" *(\d+\.|:+) ", text) else "")
    wrap = textwrap.wrap(whole, _WIDTH, subsequent_indent=more, break_long_words=False, break_on_hyphens=False)
    return [mark + one.replace("\0", " ") for one in wrap] or [mark]


def _program(root: Path, dossier: Dossier) -> Iterator[str]:
    program = load(program_path(root, dossier.test))
    groups = list(groups_of(program, dossier))
    crashes = _crashing(root, dossier)
    try:
        page = plain_page(program, groups, title=dossier.title)
        text = f"{page.needs}\n\n```html\n{page.text.strip()}\n```\n"
    except PlainError as error:
        page = plain_scripts(program, groups)
        text = f"It is not in one file here: {error}. {page.needs}\n\n```js\n{page.text}\n```\n"
    if crashes:
        yield f"{_PAGE}A page for it is not shown here: it crashes the renderer of {crashes}.\n"
        return
    yield _PAGE + text
    yield from _outcomes(groups, page.shown)
    yield from _in_the_newest_build(root, dossier, groups[0].heading)


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
    is_changed = any(reading.name.startswith("published") for reading in dossier.readings)
    kind = "own" if dossier.stands == "own" else "differs" if is_changed else "kept"
    heading = _ONLY_ONE.get(kind, OWN[kind]) if ours.complete and len(ours.outcomes) == 1 else OWN[kind]
    yield OutcomeGroup(heading, list(ours.outcomes.values()), cut)
    known: dict[frozenset[str], str] = {frozenset(ours.outcomes): _SAME}
    for reading in dossier.readings:
        kind, _, words = reading.name.partition(": ")
        heading = f"{_HEADINGS.get(kind, f'As in {kind}')}: {as_filed(words, {})}"
        other = explored(program, revision_of(reading))
        if isinstance(other, str):
            yield OutcomeGroup(
                heading, (), f"The draft does not always define an outcome: a step {_OUR_PLACE.sub('', other)}."
            )
        elif words_ := known.get(frozenset(other.outcomes)):
            yield OutcomeGroup(heading, (), words_)
        else:
            known[frozenset(other.outcomes)] = f"The same as under “{heading.partition(': ')[0]}”."
            yield OutcomeGroup(heading, list(other.outcomes.values()))


def _outcomes(groups: Sequence[OutcomeGroup], shown: Sequence[Sequence[Mapping[str, Sequence[str]]]]) -> Iterator[str]:
    yield "## Outcomes\n"
    if groups[0].heading not in (OWN["own"], _ONLY_ONE["own"]):
        yield (
            "A program that executes the steps of the draft computed these outcomes. Where the draft leaves another step"
            " undefined, the program uses a corrected version.\n"
        )
    texts = [list(dict.fromkeys(map(text_of, lines, one.outcomes))) for lines, one in zip(shown, groups, strict=True)]
    for number, (group, every) in enumerate(zip(groups, texts, strict=True)):
        yield f"### {group.heading}\n"
        if group.words:
            yield f"{group.words}\n"
        # The first two are the draft and its change.
        shared = set(texts[0]).intersection(*texts[1:2]) if number < 2 else set()
        listed_ = every
        if number == 1 and shared:
            listed_ = [text for text in every if text not in shared]
            yield f"{_shared_outcomes(texts[0], shared)}{', and' if listed_ else '.'}\n"
        for index, text in enumerate(listed_[:_SHOWN]):
            only = f"{_ONLY}\n\n" if number == 0 and shared and text not in shared else ""
            yield ("or\n\n" if index else "") + f"{only}```text\n{text or '(nothing)'}\n```\n"
        if len(listed_) > _SHOWN:
            yield f"{counted(len(listed_) - _SHOWN, 'more outcome')}.\n"


def _shared_outcomes(first: Sequence[str], shared: Collection[str]) -> str:
    """Return the words under the second heading for the outcomes that it has in common with the first."""
    if len(shared) == len(first):
        return "The outcome above" if len(first) == 1 else "Each of the outcomes above"
    those = "outcome above that is" if len(shared) == 1 else "outcomes above that are"
    return f"The {those} not marked “{_ONLY.removesuffix(':')}”"


def _computed_effects(root: Path, dossier: Dossier, steps: Sequence[str]) -> Iterator[str]:
    programs = programs_of(root, {step.partition(" ")[0] for step in steps})
    yield f"Programs about the same algorithms, and litmus tests: {len(programs)}.\n"
    for reading in dossier.readings:
        yield from changed(programs, reading)


def _in_the_newest_build(root: Path, dossier: Dossier, heading: str) -> Iterator[str]:
    """Yield in a sentence whether the newest build of Chromium shows an allowed outcome in the program of an Issue."""
    for build, words in list(_shown_by_builds(root, dossier))[-1:]:
        if not words:
            yield f"{build} shows an outcome under “{heading}”.\n"
