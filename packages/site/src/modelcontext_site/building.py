"""The whole site: all pages, the index of the search, the files that pages load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.files import write_whole
from modelcontext.judging.conformance.explored import Explorations
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext_site.built_text import BuiltText
from modelcontext_site.client_pages import client_pages, files_of_clients
from modelcontext_site.deviation_pages import builds_page, deviation_pages, issue_pages
from modelcontext_site.knowledge import SiteKnowledge
from modelcontext_site.known_tests import KnownTests, read_known_tests
from modelcontext_site.markdown_pages import Documents
from modelcontext_site.pages import SitePage, render
from modelcontext_site.playable import playable_proposals
from modelcontext_site.schedules import Schedules
from modelcontext_site.search import script
from modelcontext_site.step_pages import mark, step_pages
from modelcontext_site.test_pages import lists_of_tests, litmus_pages, program_pages

if TYPE_CHECKING:
    from modelcontext.judging.coverage import Reach

#: A step that the first page shows.
EXAMPLE: Final = "imperative-execute-steps 12.a.3"


#: Is told the name of a part of the work whenever a piece of it is done.
Progress = Callable[[str], None]


def read_knowledge(root: Path, recorded: Iterable[Reach] = (), progress: Progress = lambda part: None) -> SiteKnowledge:
    """Return all that is known about the current text of a checkout.

    Raises:
        ExpectationError: if a file of expectations is wrong.
        ProgramError: if a program is not valid.
        SpecificationError: if a file about the text is wrong.
    """
    explorations = Explorations(root)
    tests = read_known_tests(root, explorations, recorded, lambda: progress("running programs in the model"))
    return SiteKnowledge(root, KnownTests(tests))


def write_site(
    root: Path,
    out: Path,
    knowledge: SiteKnowledge,
    progress: Progress = lambda part: None,
    *,
    has_python: bool = False,
) -> list[SitePage]:
    """Write the pages of a checkout into a folder, and return them.

    Args:
        root: the checkout.
        out: the folder.
        knowledge: what the pages tell.
        progress: is told of the work.
        has_python: whether the folder also has the playground and the pages of proposals, to which pages then lead.

    Raises:
        SpecificationError: if a text cannot be built.
        ReadError: if a document cannot be read.
        WriteError: if a file cannot be written.
    """
    pages = list(_pages(root, knowledge, progress, has_python=has_python))
    for page in pages:
        write_whole(out / page.path, page.whole())
    for name, content in _assets(root, pages).items():
        write_whole(out / name, content)
    return pages


def _pages(root: Path, knowledge: SiteKnowledge, progress: Progress, *, has_python: bool) -> Iterator[SitePage]:
    texts = {name: BuiltText(root, revision, _page_of_text(name)) for name, revision in FILES.items()}
    current = texts[CURRENT.name]
    documents = Documents(root, _pages_of_files(knowledge))
    yield _first_page(knowledge)
    yield _text_page(current, knowledge)
    yield from (_frozen_text_page(text, name) for name, text in texts.items() if name != CURRENT.name)
    yield from step_pages(knowledge, current)
    yield builds_page(knowledge)
    yield from deviation_pages(knowledge)
    yield from issue_pages(knowledge)
    yield from lists_of_tests(knowledge)
    yield from program_pages(knowledge)
    yield from litmus_pages(knowledge, Schedules(root), lambda: progress("drawing schedules"))
    yield from client_pages(root, knowledge, documents)
    played = {f"docs/proposals/{name}.html": name for name in playable_proposals(root)} if has_python else {}
    for page in documents.pages():
        yield _with_play(page, played[page.path]) if page.path in played else page
    yield _list_of_documents(documents)
    yield SitePage(
        "playground.html", "Playground", "playground.html", render("playground.html", has_playground=has_python)
    )
    yield SitePage("search.html", "Search", "", render("search.html"))


def _page_of_text(revision: str) -> str:
    return "text.html" if revision == CURRENT.name else f"text-{revision}.html"


def _pages_of_files(knowledge: SiteKnowledge) -> Mapping[str, str]:
    """Return the pages of files that documents may link to, by their paths in a checkout."""
    found = {test.path.as_posix(): test.page for test in knowledge.tests.all}
    found |= {revision.text.as_posix(): _page_of_text(name) for name, revision in FILES.items()}
    for one in knowledge.deviations.all:
        for finding in (finding for defect in one.defects for finding in defect.findings):
            place = f"wpt_tests/findings/{one.product}/{finding.name}"
            found[f"{place}/program.toml"] = f"{one.page}#finding-{finding.name}"
    return {**found, **files_of_clients()}


def _text_page(text: BuiltText, knowledge: SiteKnowledge) -> SitePage:
    steps = {(one.algorithm.id, one.step.number): one for one in knowledge.steps.values()}
    words = "Each step has a link to its page. The page lists the products that deviate, the allowed outcomes and a program."
    body = text.whole(lambda algorithm, number: mark(knowledge, steps[algorithm, number]))
    html = render("text.html", text=text, words=words, body=body)
    places = [(section.id, "Section", f"{section.number} {section.title}") for section in text.sections]
    places += [(identifier, "Term", term) for identifier, term in text.terms]
    return SitePage("text.html", text.title, "text.html", html, "", "", tuple(places), is_wide=True)


def _frozen_text_page(text: BuiltText, name: str) -> SitePage:
    words = f"The revision {name} of the text. This revision does not change."
    html = render("text.html", text=text, words=words, body=text.whole(lambda algorithm, number: None))
    return SitePage(text.path, f"{text.title}, {name}", "text.html", html, "Text", "", (), is_wide=True)


def _first_page(knowledge: SiteKnowledge) -> SitePage:
    deviations = [one for one in knowledge.deviations.all if not one.is_ours]
    products = len({one.product for one in deviations})
    litmus = knowledge.tests.of_kind("litmus test")
    outcomes = sum(len(test.outcomes) for test in litmus)
    cards = [
        ("site:text.html", "Specification", f"{len(knowledge.steps):,} steps. Each step has its own page."),
        (
            "site:builds.html",
            "Builds",
            f"The results of each program in {len(knowledge.builds.builds)} builds of browsers.",
        ),
        (
            "site:deviations.html",
            "Deviations",
            f"{len(deviations)} causes in {products} products, and who has to fix each cause.",
        ),
        (
            "site:issues.html",
            "Issues",
            f"{len(knowledge.issues)} Issues of the text, with programs, and with changes that compile.",
        ),
        (
            "site:litmus.html",
            "Litmus tests",
            f"{len(litmus)} races with {outcomes} outcomes, and a picture of a schedule for each outcome.",
        ),
        (
            "site:tests.html",
            "Programs and tests",
            f"{len(knowledge.tests.all) - len(litmus)} programs and tests, with their outcomes.",
        ),
        (
            "site:clients.html",
            "Clients",
            "The properties that clients of page tools keep, and the smallest run that breaks each property.",
        ),
        (
            "site:proposals.html",
            "Proposals",
            "Changes that the group discusses, as patches of the text that the model can run.",
        ),
        (
            "site:docs/vocabulary.html",
            "Vocabulary",
            "The phrases that an algorithm may use, and the meaning of each phrase.",
        ),
        ("site:docs.html", "Docs", "The command line, the language of programs, the agent side, the architecture."),
        ("site:playground.html", "Playground", "A page that runs programs and scripts step by step, beside the text."),
    ]
    example = knowledge.steps.get(EXAMPLE) or next(iter(knowledge.steps.values()))
    return SitePage("index.html", "WebMCP, executable", "", render("index.html", cards=cards, example=example), "Page")


def _with_play(page: SitePage, proposal: str) -> SitePage:
    """Return the page of a proposal with a link to the page in which it runs, below its title."""
    link = render("play.html", proposal=proposal)
    return replace(page, body=page.body.replace("</h1>", f"</h1>{link}", 1))


def _list_of_documents(documents: Documents) -> SitePage:
    pages = {page.path: page for page in documents.pages()}
    folders: dict[str, list[tuple[str, str, str]]] = {}
    for path, page in pages.items():
        folder = path.rpartition("/")[0] or "docs"
        folders.setdefault(folder, []).append((f"site:{path}", page.title, ""))
    titles = {
        "docs": "Documents",
        "docs/browsers": "Browsers",
        "docs/proposals": "Proposals",
        "docs/repository": "The repository",
    }
    groups = [
        (titles.get(folder, "Distributions"), folder.replace("/", "-"), items) for folder, items in folders.items()
    ]
    body = render("list.html", title="Docs", paragraphs=["These are the documents of the repository."], groups=groups)
    return SitePage("docs.html", "Docs", "docs.html", body)


def _assets(root: Path, pages: Sequence[SitePage]) -> Mapping[str, bytes | str]:
    """Return the files that pages load, by their paths."""
    own = files("modelcontext_site").joinpath("assets")
    found: dict[str, bytes | str] = {f"assets/{one.name}": one.read_bytes() for one in own.iterdir() if one.is_file()}
    style = files("modelcontext.people.reports").joinpath("style.css")
    found["assets/style.css"] = style.read_bytes()
    found["assets/entries.js"] = script([replace(page, body="") for page in pages])
    found |= {name: path.read_bytes() for name, path in Documents(root, {}).images()}
    return found
