"""The report of one defect: a text that its vendor can take as it is, a page that shows it, and a test."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import path_in
from modelcontext.judging.conformance.expectations import load_expectations, vocabulary
from modelcontext.platform.infra.strings import has_lone_surrogate, to_code_units
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext_filing.defects import CHANGES, SEVERITIES, Defect
from modelcontext_filing.places import MARCH, TODO, PublishedPlace, place_of
from modelcontext_filing.plain.plain_page import (
    MOST_OUTCOMES,
    OutcomeGroup,
    PlainPage,
    plain_page,
    plain_scripts,
    text_of,
)
from modelcontext_filing.plain.subtest import subtest
from modelcontext_filing.plain.view import PlainError
from modelcontext_filing.since import since

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Entry, Outcome

PROGRAMS: Final = Path("wpt_tests")
#: The limit of runs of the model for the outcomes of a program.
BOUND: Final = 5000
#: The heading of the allowed outcomes: those of the published text, and those of ours where that text has only a TODO.
ALLOWED: Final = "The specification allows"
REQUIRED: Final = "The specification requires"
ALLOWED_BY_OURS: Final = "We expect (the draft has no steps for forms yet)"
UNDECIDED: Final = "We expect (the draft does not decide this)"
#: The words for an outcome without lines.
NOTHING: Final = "(nothing)"
#: The end of the name of the file with the response headers of a test.
HEADERS: Final = ".headers"
#: An Issue of this project's text in parentheses, which no reader of a report can look up.
_OWN_ISSUE: Final = re.compile(r" \([Ii]ssues? \d+(?: and \d+)?\)")
#: The comment in a test that also passes for what another report is about.
_EITHER: Final = (
    'Either is right here: the report "executeTool() gives a string result without quotation marks" is about the marks.'
)
#: What to change if only our text has steps: nothing in the published text contradicts the published tests.
_WITH_THE_TESTS: Final = "the product and web-platform-tests"


@dataclass(frozen=True, slots=True)
class Demonstration:
    """The demonstration of a defect: a program, its allowed outcomes, and the outcome of the product if it has one."""

    program: Program
    allowed: Sequence[Outcome]
    observed: Outcome | None
    words: str


def shown_by(root: Path, defect: Defect) -> Demonstration | None:
    """Return what shows a defect; None if only a test does."""
    if defect.findings:
        finding = defect.findings[0]
        words = "" if finding.outcome is not None else finding.observed
        return Demonstration(finding.program, finding.outcomes, finding.outcome, words)
    if not defect.rule:
        return None
    program = load(path_in(root, PROGRAMS / f"{defect.rule}.toml"))
    words = "The renderer crashes." if defect.loses == "crash" else _expected_words(root, defect, program.revision)
    return Demonstration(program, list(allowed_outcomes(program, bound=BOUND).outcomes.values()), None, words)


def _expected_words(root: Path, defect: Defect, revision: str) -> str:
    """Return what a product is known to show in the program of a rule."""
    folder = path_in(root, FILES[revision].expectations)
    known = load_expectations(folder / f"{defect.product}.toml", vocabulary(defect.product, revision))
    one = known.get(defect.rule.partition("/")[2])
    return f"A line that is not expected: {one.observed}" if one is not None else "Open the page to see it."


def page_of(defect: Defect, shown: Demonstration, version: str) -> PlainPage:
    """Return the page of a defect.

    Raises:
        PlainError: if no single page can show it.
    """
    groups = groups_of(defect, shown, version)
    return plain_page(shown.program, groups, title=defect.title, is_of_the_polyfill=defect.product == "polyfill")


def groups_of(defect: Defect, shown: Demonstration, version: str) -> Sequence[OutcomeGroup]:
    """Return the outcomes of a demonstration: the allowed ones, and that of the product."""
    several, alone = _allowed_by(defect, shown)
    return [
        OutcomeGroup(several, shown.allowed, alone=alone),
        OutcomeGroup(f"{version} shows", [shown.observed] if shown.observed is not None else [], shown.words),
    ]


def _allowed_by(defect: Defect, shown: Demonstration) -> tuple[str, str]:
    """Return the headings of several allowed outcomes, and of one."""
    if defect.decided:
        return (UNDECIDED, UNDECIDED)
    is_todo = place_of(shown.program.revision, defect.step).anchor in TODO
    return (ALLOWED_BY_OURS, ALLOWED_BY_OURS) if is_todo else (ALLOWED, REQUIRED)


def report(root: Path, defect: Defect, product: str, revision: str, *, withheld: bool = False) -> Mapping[str, str]:
    """Return the files of the report of a defect, by name.

    Args:
        root: the checkout.
        defect: the defect.
        product: the product and its version, in words.
        revision: the name of the revision that the product implements.
        withheld: whether the report of a crash has the page and the program, too, which are not public.
    """
    files: dict[str, str] = {}
    place = place_of(revision, defect.step)
    shown = shown_by(root, defect)
    lines = [
        f"# {defect.title}\n",
        *_facts(root, defect, product, revision, place),
        f"{_OWN_ISSUE.sub('', defect.why)}\n",
    ]
    if defect.loses == "crash" and not withheld:
        lines.append(
            "The page that shows the crash is not public. It comes with a report to the security component of the tracker.\n"
        )
    elif shown is None:
        files |= _test_alone(root, defect)
        lines.append(
            "## To see it\n\nThis test in the format of web-platform-tests fails with --enable-features=WebMCP:\n"
        )
        lines += [f"{name}:\n\n```{_language(name)}\n{text.strip()}\n```\n" for name, text in files.items()]
    else:
        try:
            page = page_of(defect, shown, product)
            told = page.shown
            files["page.html"] = page.text
            lines += ["## To see it\n", f"{page.needs}\n", f"```html\n{page.text.strip()}\n```\n"]
        except PlainError as error:
            scripts = plain_scripts(shown.program, groups_of(defect, shown, product))
            told = scripts.shown
            lines.append(f"## To see it\n\nIt is not in one file here: {error}. {scripts.needs}\n")
            lines.append(f"```js\n{scripts.text}\n```\n")
        lines += _outcomes(defect, shown, product, told)
        if defect.changes in ("text", "policy"):
            lines.append("There is no test, because the specification has to change before a test can require it.\n")
        elif defect.shows:
            lines.append(
                f"There is no test: {_named(defect)} shows the defect in some loads only, so a test can pass.\n"
            )
        elif revision == CURRENT.name:
            # The tests of web-platform-tests are about the last draft.
            lines += _as_a_test(defect, shown, place, files)
    files["report.md"] = "\n".join(lines)
    return files


def _as_a_test(defect: Defect, shown: Demonstration, place: PublishedPlace, files: dict[str, str]) -> Iterator[str]:
    """Yield the test of a defect, and put it among the files of its report."""
    also = [without_quotes(one) for one in shown.allowed] if defect.quotes else []
    try:
        test = subtest(
            shown.program, defect.expects, place.url, [*shown.allowed, *also], shown.observed, _EITHER if also else ""
        )
    except PlainError as error:
        yield f"There is no test of one file: {error}.\n"
        return
    yield "## As a test\n"
    if place.anchor in TODO:
        yield "The test is tentative, because the draft has no steps for forms yet.\n"
    if defect.product == "polyfill":
        yield "The test needs the polyfill in each document, for example as a script that the browser injects.\n"
    files["subtest.tentative.https.html" if place.anchor in TODO else "subtest.https.html"] = test
    yield f"```html\n{test.strip()}\n```\n"


def without_quotes(outcome: Outcome) -> Outcome:
    """Return an outcome in which each fulfilled JSON text of a string is that string."""
    logs = {name: [_without_quotes(entry) for entry in log] for name, log in outcome.logs.items()}
    return replace(outcome, logs=logs)


def _without_quotes(entry: Entry) -> Entry:
    value = entry.get("fulfilled")
    if not isinstance(value, str) or not value.startswith('"'):
        return entry
    string = json.loads(value)
    return {**entry, "fulfilled": {"$string": to_code_units(string)} if has_lone_surrogate(string) else string}


def _facts(root: Path, defect: Defect, product: str, revision: str, place: PublishedPlace) -> Iterator[str]:
    steps = {f"{one.id} {step.number}": step.text for one in load_algorithms(revision) for step in one.steps}
    if place.is_step:
        yield f"* Place: {place.words} of the WebMCP draft of October 2026"
    elif place.anchor in TODO:
        yield f"* Place: {place.words} of the WebMCP draft of October 2026, which has no steps there yet"
    elif revision == CURRENT.name:
        yield f"* Place: {place.words} of the WebMCP draft of October 2026. It would say: {steps[defect.step]}"
    else:
        yield f"* Place: {place.words} of the [WebMCP draft of 5 March 2026]({MARCH}), which {_named(defect)} implements"
    yield f"* Expected: {defect.expects}"
    yield f"* Seen in: {product}{since(root, defect)}"
    yield f"* Severity: {SEVERITIES[defect.loses]}"
    changes = _WITH_THE_TESTS if defect.changes == "tests" and place.anchor in TODO else CHANGES[defect.changes]
    yield f"* To change: {changes.replace('the product', _named(defect))}"
    yield f"* Other reports of this defect: {defect.known or 'none known'}\n"


def _named(defect: Defect) -> str:
    return "the polyfill" if defect.product == "polyfill" else defect.product.capitalize()


def _language(name: str) -> str:
    return "text" if name.endswith(HEADERS) else "html"


def _test_alone(root: Path, defect: Defect) -> Iterator[tuple[str, str]]:
    """Yield the files of the test that shows a defect which no program can show, by name."""
    path = path_in(root, PROGRAMS / defect.test)
    for ending in ("", HEADERS):
        file = path.with_name(path.name + ending)
        if file.is_file():
            yield f"subtest.{file.name.partition('.')[2]}", file.read_text(encoding="utf-8")


def _outcomes(
    defect: Defect, shown: Demonstration, product: str, told: Sequence[Sequence[Mapping[str, Sequence[str]]]]
) -> Iterator[str]:
    """Yield the outcomes, in the lines of the page if there is one."""
    yield "## Outcomes\n"
    texts = list(dict.fromkeys(map(text_of, told[0], shown.allowed)))
    several, alone = _allowed_by(defect, shown)
    yield f"{several}, one of:\n" if len(texts) > 1 else f"{alone}:\n"
    for text in texts[:MOST_OUTCOMES]:
        yield f"```text\n{text or NOTHING}\n```\n"
    if len(texts) > MOST_OUTCOMES:
        yield f"or another outcome: there are {len(texts)} in all.\n"
    yield f"{product} shows:\n"
    seen = shown.words
    if shown.observed is not None:
        seen = text_of(told[1][0], shown.observed)
    yield f"```text\n{seen or NOTHING}\n```\n"
