"""The report of one defect: a text that its vendor can take as it is, a page that shows it, and a test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import path_in
from modelcontext.judging.conformance.expectations import load_expectations, vocabulary
from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.judging.wpt.suite import known_results
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load
from modelcontext.running.products.registry import make_target
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext_builds.record import FACTS, read_record
from modelcontext_filing.defects import CHANGES, SEVERITIES, Defect
from modelcontext_filing.places import MARCH, TODO, PublishedPlace, place_of
from modelcontext_filing.plain.plain_page import SCRIPTS, OutcomeGroup, PlainPage, plain_page, plain_scripts, text_of
from modelcontext_filing.plain.subtest import subtest
from modelcontext_filing.plain.view import PlainError
from modelcontext_filing.wording import titled

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome

PROGRAMS: Final = Path("wpt_tests")
#: The limit of runs of the model for the outcomes of a program.
BOUND: Final = 5000
#: The heading of the allowed outcomes: those of the published text, and those of ours where that text has only a TODO.
ALLOWED: Final = "The specification allows"
REQUIRED: Final = "The specification requires"
ALLOWED_BY_OURS: Final = "We expect (the draft has no steps for forms yet)"
#: The words for an outcome without lines.
NOTHING: Final = "(nothing)"
#: The most outcomes in a report.
MOST: Final = 3
#: A subtest in the source of a test.
_SUBTEST: Final = re.compile(r"^(?:promise_test|async_test|test)\(.*?^\}, .*?\);$", re.MULTILINE | re.DOTALL)


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
    return [
        OutcomeGroup(_allowed_by(defect, shown), shown.allowed),
        OutcomeGroup(f"{version} shows", [shown.observed] if shown.observed is not None else [], shown.words),
    ]


def _allowed_by(defect: Defect, shown: Demonstration) -> str:
    place = place_of(shown.program.revision, defect.step)
    if place.anchor in TODO:
        return ALLOWED_BY_OURS
    return ALLOWED if len(shown.allowed) > 1 else REQUIRED


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
    lines = [f"# {defect.title}\n", *_facts(root, defect, product, revision, place), f"{_titled(root, defect.why)}\n"]
    if defect.loses == "crash" and not withheld:
        lines.append("The page that shows it is held back. `modelcontext findings --withheld` makes it.\n")
    elif shown is None:
        lines += _tests(root, defect)
    else:
        try:
            page = page_of(defect, shown, product)
            told = page.shown
            files["page.html"] = page.text
            lines += ["## To see it\n", f"{page.needs}\n", f"```html\n{page.text.strip()}\n```\n"]
        except PlainError as error:
            scripts = plain_scripts(shown.program, groups_of(defect, shown, product))
            told = scripts.shown
            lines.append(f"## To see it\n\nNo single file can show it: {error}. {SCRIPTS}\n")
            lines.append(f"```js\n{scripts.text}\n```\n")
        lines += _outcomes(defect, shown, product, told)
        # The tests of web-platform-tests are about the last draft.
        if revision == CURRENT.name:
            try:
                files["subtest.https.html"] = test = subtest(
                    shown.program, defect.expects, place.url, shown.allowed, shown.observed
                )
                lines += ["## As a test\n", f"```html\n{test.strip()}\n```\n"]
            except PlainError as error:
                lines.append(f"There is no test of one file: {error}.\n")
    files["report.md"] = "\n".join(lines)
    return files


def _titled(root: Path, words: str) -> str:
    return titled(words, {number: one.title for number, one in read_dossiers(root, CURRENT).items()})


def _facts(root: Path, defect: Defect, product: str, revision: str, place: PublishedPlace) -> Iterator[str]:
    steps = {f"{one.id} {step.number}": step.text for one in load_algorithms(revision) for step in one.steps}
    if place.is_step:
        yield f"* Place: {place.words} of the WebMCP draft of October 2026"
    elif place.anchor in TODO:
        yield f"* Place: {place.words} of the WebMCP draft of October 2026, which is a TODO"
    elif revision == CURRENT.name:
        yield f"* Place: {place.words} of the WebMCP draft of October 2026. It would say: {steps[defect.step]}"
    else:
        yield f"* Place: {place.words} of the [WebMCP draft of 5 March 2026]({MARCH}), which the product implements"
    yield f"* Expected: {defect.expects}"
    yield f"* Seen in: {product}{since(root, defect)}"
    yield f"* Severity: {SEVERITIES[defect.loses]}"
    yield f"* To change: {CHANGES[defect.changes].replace('the product', defect.product.capitalize())}"
    yield f"* Other reports: {defect.known or 'none known'}\n"


def since(root: Path, defect: Defect) -> str:
    """Return which of the builds that were tried shows a defect first; empty if nothing is known."""
    program = defect.rule or (defect.quirk.reproducer if defect.quirk is not None else "")
    # Only of Chromium there are several builds.
    if defect.product != "chromium" or not program.startswith("programs/") or not (root / FACTS).is_file():
        return ""
    found = record_of(root).since(defect.product, program.removeprefix("programs/"))
    if found is None:
        return ""
    before = f"{found.before.major} does not" if found.before is not None else "earlier ones implement an earlier draft"
    return f"; of the builds that we tried, {found.build.major} is the first that shows it, and {before}"


record_of = cache(read_record)


def _tests(root: Path, defect: Defect) -> Iterator[str]:
    """Yield the subtests that show a defect which no program can show."""
    path = PROGRAMS / defect.test
    words = path_in(root, path).read_text(encoding="utf-8")
    expected = known_results(
        path_in(root, CURRENT.expectations / f"wpt-{defect.product}.toml"), make_target(defect.product)
    )
    failing = [
        subtest for (test, subtest), one in expected.items() if test == f"/{defect.test}" and one.step == defect.step
    ]
    codes = [code for code in _SUBTEST.findall(words) if any(f'}}, "{title}");' in code for title in failing)]
    yield f"## To see it\n\nThe test `{path.as_posix()}` of modelcontext's suite shows it. It fails here:\n"
    yield "```js\n" + "\n\n".join(codes or _SUBTEST.findall(words)) + "\n```\n"


def _outcomes(
    defect: Defect, shown: Demonstration, product: str, told: Sequence[Sequence[Mapping[str, Sequence[str]]]]
) -> Iterator[str]:
    """Yield the outcomes, in the lines of the page if there is one."""
    yield "## Outcomes\n"
    texts = list(dict.fromkeys(map(text_of, told[0], shown.allowed)))
    yield f"{_allowed_by(defect, shown)}{', one of' if len(texts) > 1 else ''}:\n"
    for text in texts[:MOST]:
        yield f"```text\n{text or NOTHING}\n```\n"
    if len(texts) > MOST:
        yield f"or another of {len(texts)} outcomes.\n"
    yield f"{product} shows:\n"
    seen = shown.words
    if shown.observed is not None:
        seen = text_of(told[1][0], shown.observed)
    yield f"```text\n{seen or NOTHING}\n```\n"
