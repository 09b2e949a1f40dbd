"""The report of one defect: a text that its vendor can take as it is, a page that shows it, and a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import path_in
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.program.reading import load
from modelcontext.spec.specification.text.published import published_step
from modelcontext_builds.record import FACTS, read_record
from modelcontext_filing.defects import CHANGES, SEVERITIES, Defect
from modelcontext_filing.places import published_link, published_url
from modelcontext_filing.plain.plain_page import OutcomeGroup, PlainPage, plain_page
from modelcontext_filing.plain.subtest import subtest
from modelcontext_filing.plain.view import PlainError

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome

PROGRAMS: Final = Path("wpt_tests")
#: The limit of runs of the model for the outcomes of a program.
BOUND: Final = 5000


@dataclass(frozen=True, slots=True)
class Demonstration:
    """The demonstration of a defect: a program, its allowed outcomes, and the outcome of the product if it has one."""

    program: Program
    allowed: Sequence[Outcome]
    observed: Outcome | None
    words: str

    @property
    def heading(self) -> str:
        """The heading of the allowed outcomes."""
        return "The specification allows"


def shown_by(root: Path, defect: Defect) -> Demonstration | None:
    """Return what shows a defect; None if only a test does."""
    if defect.findings:
        finding = defect.findings[0]
        words = "" if finding.outcome is not None else finding.observed
        return Demonstration(finding.program, finding.outcomes, finding.outcome, words)
    if not defect.rule:
        return None
    program = load(path_in(root, PROGRAMS / f"{defect.rule}.toml"))
    words = "The renderer crashes." if defect.loses == "crash" else "Another outcome: open the page in the product."
    return Demonstration(program, list(allowed_outcomes(program, bound=BOUND).outcomes.values()), None, words)


def page_of(defect: Defect, shown: Demonstration, version: str) -> PlainPage:
    """Return the page of a defect.

    Raises:
        PlainError: if no single page can show it.
    """
    groups = [
        OutcomeGroup(shown.heading, shown.allowed),
        OutcomeGroup(f"{version} shows", [shown.observed] if shown.observed is not None else [], shown.words),
    ]
    return plain_page(shown.program, groups, title=defect.title)


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
    published = published_step(revision, defect.step)
    shown = shown_by(root, defect)
    lines = [f"# {defect.title}\n", *_facts(root, defect, product, revision, shown), f"{defect.why}\n"]
    if defect.loses == "crash" and not withheld:
        lines.append("The page that shows it is held back. `modelcontext findings --withheld` makes it.\n")
    elif shown is None:
        lines.append(f"No program can show it. The test `{defect.test}` does.\n")
    else:
        try:
            page = page_of(defect, shown, product)
            files["page.html"] = page.text
            lines += ["## To see it\n", f"{page.needs}\n", f"```html\n{page.text.strip()}\n```\n"]
        except PlainError as error:
            lines.append(f"## To see it\n\nNo single file can show it: {error}. The program:\n")
            lines.append(f"```toml\n{shown.program.dumps_toml().strip()}\n```\n")
        lines += _outcomes(shown, product)
        try:
            place = published_url(published or defect.step.partition(" ")[0])
            files["subtest.https.html"] = test = subtest(
                shown.program, _as_rule(defect.title), place, shown.allowed, shown.observed
            )
            lines += ["## As a test\n", f"```html\n{test.strip()}\n```\n"]
        except PlainError as error:
            lines.append(f"There is no test of one file: {error}.\n")
        files["program.toml"] = shown.program.dumps_toml()
    files["report.md"] = "\n".join(lines)
    return files


def _facts(root: Path, defect: Defect, product: str, revision: str, shown: Demonstration | None) -> Iterator[str]:
    published = published_step(revision, defect.step)
    if published is not None:
        yield f"* Place: {published_link(published)} of the published text"
    elif revision == "current":
        yield f"* Place: the published text has no steps for it; `{defect.step}` of the reference text"
    else:
        yield f"* Place: `{defect.step}` of the text of March 2026"
    yield f"* Seen in: {product}{since(root, defect)}"
    yield f"* Severity: {defect.loses}: {SEVERITIES[defect.loses]}"
    yield f"* To change: {CHANGES[defect.changes]}"
    yield f"* Known: {defect.known or 'no other report is known'}\n"


def since(root: Path, defect: Defect) -> str:
    """Return since when builds show a defect, as far as the builds that can be had tell; empty if nothing is known."""
    program = defect.rule or (defect.quirk.reproducer if defect.quirk is not None else "")
    # Only of Chromium there are several builds.
    if defect.product != "chromium" or not program.startswith("programs/") or not (root / FACTS).is_file():
        return ""
    found = _record(root).since(defect.product, program.removeprefix("programs/"))
    if found is None:
        return ""
    before = f"; {found.before.version} does not" if found.before is not None else ", the first of them with the rule"
    return f"; of the builds that can be had, {found.build.version} is the first that shows it{before}"


_record = cache(read_record)


def _outcomes(shown: Demonstration, product: str) -> Iterator[str]:
    yield "## Outcomes\n"
    yield f"{shown.heading}{', one of' if len(shown.allowed) > 1 else ''}:\n"
    for outcome in shown.allowed[:MOST]:
        lines = "\n".join(describe(outcome))
        yield f"```text\n{lines}\n```\n"
    yield f"{product} shows:\n"
    lines = "\n".join(describe(shown.observed)) if shown.observed is not None else shown.words
    yield f"```text\n{lines}\n```\n"


#: The most outcomes in a report.
MOST: Final = 3


def _as_rule(title: str) -> str:
    """Return the title of the test of a defect: the defect itself, which must not happen."""
    return (
        f"Not: {title[0].lower()}{title[1:]}"
        if not title.startswith(("execute", "register", "get"))
        else f"Not: {title}"
    )
