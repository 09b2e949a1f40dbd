"""The pages of programs, litmus tests and tests of the suite, and their lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from modelcontext.ground.words import counted
from modelcontext.programs.program.outcome import describe
from modelcontext_site.pages import SitePage, render

if TYPE_CHECKING:
    from modelcontext_site.knowledge import SiteKnowledge
    from modelcontext_site.known_tests import KnownTest
    from modelcontext_site.schedules import Schedules


def program_pages(knowledge: SiteKnowledge) -> Iterator[SitePage]:
    """Yield the page of each program and of each test of the suite."""
    algorithms = {one.algorithm.id: one.algorithm for one in knowledge.steps.values()}
    for test in knowledge.tests.all:
        if test.kind == "litmus test":
            continue
        row = list(zip(knowledge.builds.builds, knowledge.builds.row(test.name), strict=True))
        body = render(
            "program.html",
            test=test,
            knowledge=knowledge,
            deviations=knowledge.deviations.shown_by(test.kind, test.name),
            outcomes=["\n".join(describe(outcome)) for outcome in test.outcomes],
            row=row if test.kind == "program" and any(shown is not None for _, shown in row) else (),
            algorithms=[algorithms[name] for name in test.algorithms if name in algorithms],
            steps=_steps(knowledge, test),
        )
        yield SitePage(test.page, test.name, "tests.html", body, test.kind.capitalize(), test.title)


def litmus_pages(
    knowledge: SiteKnowledge, schedules: Schedules, done: Callable[[], None] = lambda: None
) -> Iterator[SitePage]:
    """Yield the page of each litmus test, with a picture of a schedule for each outcome."""
    for test in knowledge.tests.of_kind("litmus test"):
        body = render(
            "litmus.html",
            test=test,
            knowledge=knowledge,
            deviations=knowledge.deviations.shown_by(test.kind, test.name),
            pictures=schedules.pictures(test),
            steps=_steps(knowledge, test),
        )
        yield SitePage(test.page, test.name, "litmus.html", body, "Litmus test", test.title, is_wide=True)
        done()


def lists_of_tests(knowledge: SiteKnowledge) -> Iterator[SitePage]:
    """Yield the list of litmus tests, and that of programs and tests."""
    litmus = knowledge.tests.of_kind("litmus test")
    words = [
        "A litmus test is a small program with a race. A person has described its outcomes in words. Each page shows every"
        " outcome that the text allows, with a picture of a schedule that leads to the outcome."
    ]
    body = render("list.html", title="Litmus tests", paragraphs=words, groups=list(_groups("", litmus)))
    yield SitePage("litmus.html", "Litmus tests", "litmus.html", body)
    programs, suite = knowledge.tests.of_kind("program"), knowledge.tests.of_kind("test")
    words = [
        f"This page lists {counted(len(programs), 'program')} and {counted(len(suite), 'test')} in the format of"
        " web-platform-tests. The model computes the outcomes of each program that the text allows."
    ]
    groups = [*_groups("Programs: ", programs), *_groups("Suite: ", suite)]
    body = render("list.html", title="Programs and tests", paragraphs=words, groups=groups)
    yield SitePage("tests.html", "Programs and tests", "tests.html", body)


def _groups(prefix: str, tests: Iterable[KnownTest]) -> Iterator[tuple[str, str, Sequence[tuple[str, str, str]]]]:
    folders: dict[str, list[KnownTest]] = {}
    for test in tests:
        folders.setdefault(test.name.rpartition("/")[0], []).append(test)
    for folder, some in folders.items():
        identifier = f"{some[0].kind} {folder}".replace(" ", "-").replace("/", "-")
        items = [(f"site:{test.page}", test.name.rpartition("/")[2], test.title) for test in some]
        yield f"{prefix}{folder}", identifier, items


def _steps(knowledge: SiteKnowledge, test: KnownTest) -> list[object]:
    return [one for key, one in knowledge.steps.items() if key in test.reached]
