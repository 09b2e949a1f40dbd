"""The pages of deviations, of Issues, and of builds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.judging.issues.dossier import STANDINGS
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_filing.defects import CHANGES, SEVERITIES
from modelcontext_site.known_deviations import by_product
from modelcontext_site.pages import SitePage, render

if TYPE_CHECKING:
    from modelcontext_site.knowledge import SiteKnowledge
    from modelcontext_site.known_tests import KnownTest


def deviation_pages(knowledge: SiteKnowledge) -> Iterator[SitePage]:
    """Yield the list of deviations, and the page of each."""
    groups = list(by_product(knowledge.deviations.all).items())
    body = render("deviations.html", groups=groups, knowledge=knowledge)
    yield SitePage("deviations.html", "Deviations", "deviations.html", body, is_wide=True)
    suite = {test.name for test in knowledge.tests.of_kind("test")}
    for one in knowledge.deviations.all:
        is_current = one.revision == CURRENT.name
        prefix = "" if is_current else f"{one.revision}/"
        names = {**dict.fromkeys(one.reproducers, ""), **one.programs}
        programs = [
            (
                name,
                knowledge.tests.program(name) if is_current else None,
                shown,
                knowledge.builds.since(one.product, f"{prefix}{name}"),
            )
            for name, shown in names.items()
        ]
        body = render(
            "deviation.html",
            one=one,
            knowledge=knowledge,
            since=one.since(knowledge.builds),
            programs=programs,
            litmus=[name for name in one.litmus if f"litmus/{name}.html" in knowledge.tests.by_page],
            pages=suite,
            severities=SEVERITIES,
            changes=CHANGES,
            issues=knowledge.issues_at(one.step) if is_current else (),
        )
        title = f"{one.product}: {one.name}"
        yield SitePage(one.page, title, "deviations.html", body, "Deviation", one.words[:160])


def issue_pages(knowledge: SiteKnowledge) -> Iterator[SitePage]:
    """Yield the list of Issues, and the page of each."""
    standings: dict[str, list[tuple[str, str, str]]] = {}
    for one in knowledge.issues:
        standing = one.dossier.stands if one.dossier is not None else ""
        standings.setdefault(standing, []).append((f"site:{one.page}", f"Issue {one.number}", one.title))
    groups = [
        (STANDINGS.get(name, "Other Issues"), f"standing-{name or 'none'}", items) for name, items in standings.items()
    ]
    body = render("list.html", title="Issues", paragraphs=["The Issues of the text, grouped by kind."], groups=groups)
    yield SitePage("issues.html", "Issues", "issues.html", body)
    for one in knowledge.issues:
        at = {each.page: each for step in one.steps for each in knowledge.deviations.at(step)}
        body = render(
            "issue.html",
            one=one,
            knowledge=knowledge,
            standing=STANDINGS[one.dossier.stands] if one.dossier is not None else "",
            test=_smallest(knowledge, one.dossier.test) if one.dossier is not None else None,
            deviations=[each for each in at.values() if not each.is_ours],
        )
        yield SitePage(
            one.page, f"Issue {one.number}: {one.title}", "issues.html", body, "Issue", one.issue.words[:160]
        )


def _smallest(knowledge: SiteKnowledge, test: str) -> KnownTest | None:
    return knowledge.tests.by_page.get(f"{test}.html")


@dataclass(frozen=True)
class BuildRow:
    """A program in the matrix of builds; ``changes`` if builds of one browser differ."""

    name: str
    title: str
    page: str
    shown: Sequence[str | None]
    changes: bool


def builds_page(knowledge: SiteKnowledge) -> SitePage:
    """Return the matrix of programs and builds."""
    builds = knowledge.builds
    rows = []
    for name, title in builds.titles.items():
        shown = builds.row(name)
        if any(shown):
            test = knowledge.tests.program(name)
            rows.append(BuildRow(name, title, test.page if test is not None else "", shown, _changes(knowledge, shown)))
    sums = []
    for build in builds.builds:
        column = [builds.shown_in(build, name) for name in builds.titles]
        known = [shown for shown in column if shown is not None]
        sums.append((build, len(known), sum(bool(shown) for shown in known)))
    body = render("builds.html", sums=sums, rows=rows)
    return SitePage("builds.html", "Programs by build", "builds.html", body, "Builds", is_wide=True)


def _changes(knowledge: SiteKnowledge, shown: Sequence[str | None]) -> bool:
    by_browser: Mapping[str, set[str]] = {}
    for build, words in zip(knowledge.builds.builds, shown, strict=True):
        if words is not None:
            by_browser = {**by_browser, build.browser: {*by_browser.get(build.browser, ()), words}}
    return any(len(words) > 1 for words in by_browser.values())
