"""The site: its links, its accessibility, its first page, and what the page of a step answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import lxml.html
import pytest

from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.explored import Explorations
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_site.building import write_site
from modelcontext_site.knowledge import SiteKnowledge
from modelcontext_site.known_tests import KnownTests, of_litmus, of_program, suite_of
from modelcontext_site.links import broken_links
from tests.sharing import made_once

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[3]
AXE = ROOT / "node_modules/axe-core/axe.min.js"
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 900}
#: The bytes of the first page, with what it loads.
MOST_BYTES = 300_000
#: A page of each kind, whose own markup axe reads.
KINDS = (
    "index.html",
    "steps/imperative-execute-steps/fire-an-event-named-toolactivated-at-model-context.html",
    "builds.html",
    "deviations/chromium/results-as-strings.html",
    "issues/4.html",
    "litmus/abort-resolve/in-flight.html",
    "programs/results/undefined.html",
    "clients/stagehand.html",
    "docs/proposals/handles.html",
    "search.html",
    "playground.html",
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str, takes_long: None) -> Path:
    """Write the site with a few of the programs, so that not all of them have to be explored; one process does."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent

    def make(folder: Path) -> None:
        explorations = Explorations(folder / "kept")
        programs = [case for case in read_corpus(ROOT / CURRENT.programs) if case.section in ("names", "results")]
        litmus = read_catalogue(ROOT / CATALOGUE, ["abort-resolve/in-flight", "register-notify/event-and-promise"])
        tests = [
            *(of_program(case, ROOT, explorations) for case in programs),
            *(of_litmus(one, ROOT, explorations) for one in litmus),
            *suite_of(ROOT),
        ]
        write_site(ROOT, folder / "site", SiteKnowledge(ROOT, KnownTests(tests)))

    return made_once(shared / "site", make) / "site"


def page_of(site: Path, path: str) -> Any:
    return lxml.html.document_fromstring((site / path).read_bytes())


def test_no_link_is_broken_and_no_page_asks_another_server(site: Path) -> None:
    assert [str(one) for one in broken_links(site)] == []


def test_every_step_of_the_text_leads_to_its_page(site: Path) -> None:
    text = page_of(site, "text.html")
    steps = text.xpath("//*[contains(concat(' ', @class, ' '), ' step ')]")
    marks = text.xpath("//a[contains(concat(' ', @class, ' '), ' about ')]/@href")
    assert len(steps) == len(marks) == len(set(marks)) > 500
    assert all((site / mark).is_file() for mark in marks)


def test_page_of_a_step_says_who_deviates_since_when_and_what_is_allowed(site: Path) -> None:
    [path] = site.glob("steps/imperative-execute-steps/*let-result-be-the-result-of-serializing*.html")
    page = page_of(site, path.relative_to(site).as_posix())
    assert page.xpath("string(//p[contains(@class, 'answer')])").startswith("Chromium")
    [first, *_] = page.xpath("//h2[@id='deviations']/following::tbody/tr")
    who, since, _, side = (" ".join(cell.text_content().split()) for cell in first)
    assert (who, since, side) == ("chromium", "153", "the product")
    assert page.xpath("//h2[@id='allowed']/following::a[starts-with(@href, '../../programs/')]")
    assert page.xpath("//h2[@id='read-on']/following::a[starts-with(@href, 'https://webmachinelearning.github.io/')]")


def test_step_that_no_program_of_the_site_reaches_says_so(site: Path) -> None:
    pages = [page_of(site, path.relative_to(site).as_posix()) for path in site.glob("steps/unloading-*/*.html")]
    assert pages
    assert all("No program reaches this step" in page.text_content() for page in pages)


def test_picture_of_a_schedule_has_a_column_for_each_that_acts(site: Path) -> None:
    page = page_of(site, "litmus/abort-resolve/in-flight.html")
    pictures = page.xpath("//div[@class='schedule']")
    assert len(pictures) == 3
    for picture in pictures:
        lanes = [lane.text_content() for lane in picture.xpath("./div/span")]
        actors = [who.text_content().rstrip(": ") for who in picture.xpath(".//span[@class='who']")]
        assert set(actors) == set(lanes)
        assert "in parallel" in lanes
        assert len(picture.xpath(".//li[@class='decisive']")) == 1


def test_first_page_is_small_with_all_that_it_loads(site: Path) -> None:
    page = page_of(site, "index.html")
    loaded = [*page.xpath("//link[@rel='stylesheet']/@href"), *page.xpath("//@src")]
    assert loaded
    assert sum((site / name).stat().st_size for name in ("index.html", *loaded)) < MOST_BYTES


def opened(browser: Browser, address: str, scheme: Any, size: Any, problems: list[str]) -> Page:
    page = browser.new_context(color_scheme=scheme, viewport=size).new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else problems.append(request.url)
    )
    page.goto(address)
    return page


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)], ids=["desktop", "phone"])
@pytest.mark.parametrize("path", KINDS)
def test_page_is_accessible_fits_and_asks_no_server(
    path: str, scheme: str, size: dict[str, int], site: Path, chromium: Browser
) -> None:
    problems: list[str] = []
    page = opened(chromium, (site / path).as_uri(), scheme, size, problems)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.evaluate(AXE.read_text(encoding="utf-8"))
    result = page.evaluate("axe.run()")
    assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
    assert {"color-contrast", "document-title", "label", "landmark-one-main"} <= {one["id"] for one in result["passes"]}
    assert problems == []
    page.context.close()


def test_text_is_accessible_in_a_section_with_marks(site: Path, chromium: Browser) -> None:
    problems: list[str] = []
    page = opened(chromium, (site / "text.html").as_uri(), "light", DESKTOP, problems)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    scope = ["header", ".contents", "#valid-tool-name-step-2", "#imperative-execute-steps-step-12"]
    result = page.evaluate("scope => axe.run({include: scope})", scope)
    assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
    assert "color-contrast" in {one["id"] for one in result["passes"]}
    assert problems == []
    page.context.close()


def test_search_finds_steps_terms_and_programs_by_the_keyboard(site: Path, chromium: Browser) -> None:
    problems: list[str] = []
    page = opened(chromium, (site / "index.html").as_uri(), "light", DESKTOP, problems)
    page.keyboard.press("/")
    page.keyboard.type("results/undefined")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    first = page.locator("#found li").first
    assert first.inner_text().startswith("Program results/undefined")
    box = page.locator("#q")
    box.fill("tool map")
    assert "Term tool map" in page.locator("#found").inner_text()
    box.fill("fire an event named toolactivated")
    assert "Step" in page.locator("#found li").first.inner_text()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/steps/**")
    assert problems == []
    page.context.close()
