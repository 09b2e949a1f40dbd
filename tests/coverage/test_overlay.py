"""The marked specification: every step has its mark and links to its tests and back; the page is accessible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import lxml.html
import pytest

from modelcontext.judging.coverage import Coverage, Reach, read_reasons
from modelcontext.judging.coverage.overlay import overlay
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import FILES, REVISIONS
from modelcontext.spec.specification import load_algorithms
from modelcontext.spec.specification.text.bikeshed import build
from modelcontext.spec.specification.text.built_html import add_anchors

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Error, Page

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules/axe-core/axe.min.js"


def built(name: str) -> str:
    files = FILES[name]
    return build(ROOT / files.text, ROOT / files.cache)


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory, built_texts: None) -> Path:
    found = inventory(REVISIONS["current"].package)
    names = [*map(str, found.steps), *found.sides]
    of_names = frozenset(name for name in names if name.startswith("valid-tool-name "))
    tests = [
        Reach("programs", "names/empty", of_names - {"valid-tool-name 2 1 yes", "valid-tool-name 4"}),
        Reach("wpt", "webmcp/names.html", of_names - {"valid-tool-name 4"}),
    ]
    coverage = Coverage("current", found, read_reasons(ROOT, FILES["current"], found), tests)
    path = tmp_path_factory.mktemp("overlay") / "coverage.html"
    path.write_text(overlay(coverage, built("current")), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", list(FILES))
def test_every_step_of_the_text_gets_an_anchor(name: str, built_texts: None) -> None:
    found = add_anchors(lxml.html.document_fromstring(built(name)))
    assert set(found) == {
        (algorithm.id, step.number) for algorithm in load_algorithms(name) for step in algorithm.steps
    }
    ids = [element.get("id") for element in found.values()]
    assert len(set(ids)) == len(ids)


def test_every_step_is_marked(marked: Path) -> None:
    document = lxml.html.parse(str(marked)).getroot()

    def standing(anchor: str) -> str:
        (element,) = document.xpath(f"//*[@id='{anchor}']")
        return str(element.get("class")).rpartition("coverage-")[2]

    assert standing("valid-tool-name-step-2") == "full"
    assert standing("valid-tool-name-step-4") == "none"
    assert standing("perform-an-observation-step-5.3") == "excused"
    assert len(document.xpath("//details[@data-step]")) == len(inventory(REVISIONS["current"].package).steps)


@pytest.fixture
def page(request: pytest.FixtureRequest, chromium: Browser, marked: Path) -> Iterator[Page]:
    context = chromium.new_context(**getattr(request, "param", {}))
    page = context.new_page()
    problems: list[Error] = []
    page.on("pageerror", lambda error: problems.append(error))
    page.goto(marked.as_uri())
    yield page
    context.close()
    assert problems == []


def test_links_lead_from_a_step_to_its_tests_and_back(page: Page) -> None:
    step = page.locator("[data-step='valid-tool-name 2']")
    step.locator("summary").focus()
    page.keyboard.press("Enter")
    assert step.locator("li").all_text_contents() == ["programs: names/empty", "wpt: webmcp/names.html"]
    assert "yes: 1 test" in step.inner_text()
    step.get_by_role("link", name="webmcp/names.html").click()
    test = page.locator("details.coverage-test[open]")
    assert test.locator("summary").inner_text() == "webmcp/names.html: 4 steps"
    assert page.evaluate("document.activeElement.textContent") == "webmcp/names.html: 4 steps"
    test.get_by_role("link", name="valid-tool-name 3.1").click()
    assert page.evaluate("document.querySelector(':target').id") == "valid-tool-name-step-3.1"


def test_one_kind_of_tests_can_be_shown_alone(page: Page) -> None:
    step = page.locator("#valid-tool-name-step-2")
    assert "reached, 2 tests" in step.inner_text()
    page.get_by_label("Show what is reached by").select_option("programs")
    assert "reached in part, 1 test" in step.inner_text()
    page.get_by_label("Show what is reached by").select_option("wpt")
    assert "\u2713 reached, 1 test" in step.inner_text()
    assert "no program can reach this" in page.locator("#perform-an-observation-step-1").inner_text()


@pytest.mark.parametrize(
    "page",
    [
        {"viewport": {"width": 360, "height": 700}, "color_scheme": "light"},
        {"viewport": {"width": 360, "height": 700}, "color_scheme": "dark"},
    ],
    indirect=True,
    ids=["light", "dark"],
)
def test_page_fits_a_phone_and_is_accessible(page: Page) -> None:
    page.locator("[data-step='valid-tool-name 2'] summary").click()
    page.locator(".coverage-test summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.evaluate(AXE.read_text(encoding="utf-8"))
    # Only our own markup: that of the text is Bikeshed's.
    scope = [".coverage-summary", "#valid-tool-name-step-2", "#valid-tool-name-step-4", ".coverage-tests"]
    result = page.evaluate("scope => axe.run({include: scope})", scope)
    assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
    assert {"color-contrast", "select-name", "th-has-data-cells"} <= {one["id"] for one in result["passes"]}
