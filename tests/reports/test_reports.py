"""The reports: an HTML file that is self-contained, correctly linked and accessible, data in JSON, and the terminal's."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html
from playwright.async_api import Page, async_playwright
from rich.console import Console

from modelcontext.ground.files import write_whole
from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.expectations import Expectation
from modelcontext.judging.conformance.run import run_corpus
from modelcontext.judging.wpt import expectations as wpt
from modelcontext.judging.wpt.discovery import Test
from modelcontext.judging.wpt.results import FileStatus, Result, Subtest, SubtestStatus
from modelcontext.judging.wpt.suite import SuiteRun, not_run
from modelcontext.judging.wpt.tree import Tree
from modelcontext.people.reports import html_report, json_report
from modelcontext.people.reports.conformance import Conformance
from modelcontext.people.reports.terminal import print_matrix, print_summary
from modelcontext.people.reports.unexpected import MOST_KINDS, MOST_OF_A_KIND
from modelcontext.programs.program.outcome import Outcome
from modelcontext.running.products import Ending, Observation, make_target
from modelcontext.running.products.chromium import FLAGS
from modelcontext.running.products.model import Model

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules/axe-core/axe.min.js"

KNOWN = Expectation(
    "product",
    "imperative-execute-steps 12.a.3",
    "<why>",
    name="results/disagrees",
    observed='call: fulfilled with "undefined"',
)
OBSERVED = Outcome(
    {
        "top": [
            {"in": "top", "promise": "registerTool", "fulfilled": {"$js": "undefined"}},
            {"in": "top", "callback": "t", "input": {}, "aborted": False},
            {"in": "top", "promise": "call", "fulfilled": "undefined"},
        ]
    }
)
PAGE = """<!DOCTYPE html>
<title>What a callback &amp; its results are</title>
<link rel="help" href="https://webmachinelearning.github.io/webmcp/#imperative-execute-steps">
<link rel=help href="https://webmachinelearning.github.io/webmcp/#no-such-algorithm">
"""
FILE = "/webmcp/imperative/results.https.html"
KNOWN_TEST = wpt.KnownResult(
    reason="product",
    step="imperative-execute-steps 12.a.3",
    note="<so>",
    link="https://bugs.test/1",
    quirk=None,
    status="FAIL",
    reproducer="../x.toml",
)
# One pixel.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////"
    "////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA="
)


class Puppet(Model):
    """The model, except that the program ``disagrees`` has the outcome of Chromium."""

    name = "chromium"

    def run(self, program: Program) -> Observation:
        """Run the program once."""
        return Observation(Ending.OUTCOME, OBSERVED) if program.name == "disagrees" else super().run(program)


@pytest.fixture
def conformance(corpus: Path) -> Conformance:
    """Return the results of products with programs and tests, and of a missing one of the earlier revision."""
    hostile = corpus / "programs" / "results" / "hostile.toml"
    hostile.write_text(
        'title = "</article><script>alert(1)</script>"\n[[script.top]]\ndo = "log"\nvalue = "<b>&amp;"\n'
    )
    (corpus / FILE[1:]).parent.mkdir(parents=True)
    (corpus / FILE[1:]).write_text(PAGE)
    programs = run_corpus(read_corpus(corpus / "programs"), [Model(), Puppet()], {"chromium": {KNOWN.name: KNOWN}})
    return Conformance(("model", "chromium", "polyfill", "firefox"), [programs], _runs(corpus))


def _runs(corpus: Path) -> list[SuiteRun]:
    tree = Tree(corpus, {}, {})
    good, known, bad = (
        Subtest("a string is passed on", SubtestStatus.PASS),
        Subtest("undefined fails", SubtestStatus.FAIL, "<no> luck"),
        Subtest("a </td> \ud800 in the name", SubtestStatus.TIMEOUT, "Test timed out"),
    )
    stray = "/webmcp/imperative/hangs.html?v", "is not there"
    expectations: wpt.Expectations = {(FILE, "undefined fails"): KNOWN_TEST, stray: KNOWN_TEST}
    results = [
        Result(FILE, FileStatus.OK, None, [good, known], 0.5),
        Result("/webmcp/imperative/hangs.html?v", FileStatus.TIMEOUT, "no result", [bad], 13.0, JPEG),
    ]
    chromium = SuiteRun(
        make_target("chromium"), tree, "156.0", [results], wpt.find(results, expectations), expectations
    )
    polyfill = SuiteRun(
        make_target("polyfill"), tree, "5.1.0 on Chromium 156.0", [[Result(FILE, FileStatus.OK, None, [good])]], []
    )
    older = Result("/webmcp-2026-03/older.html", FileStatus.OK, None, [good])
    missing = UnavailableError("there is <no> Firefox", "run `modelcontext setup firefox`")
    return [chromium, polyfill, not_run([Test(older.test, False, False)], tree, make_target("firefox"), {}, missing)]


def rows(page: Any, section: str) -> list[str]:
    """Return the rows of the table under a heading, each in one line."""
    table = page.xpath(f"//section[*[@id='{section}']]/table")[0]
    return [" ".join(" ".join(row.itertext()).split()) for row in table.iter("tr")]


def test_html_report_is_complete_and_self_contained(conformance: Conformance) -> None:
    text = html_report.as_html(conformance)
    page: Any = html.document_fromstring(text)
    assert page.xpath("//script | //link | //iframe | //@style[contains(., 'url')]") == []
    assert [source[:23] for source in page.xpath("//img/@src")] == ["data:image/jpeg;base64,"]
    assert page.xpath("//img/@alt") == ["chromium at the end of hangs.html?v"]
    assert "url(" not in text
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    links = page.xpath("//a/@href")
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert [link for link in links if not link.startswith("#")] == ["https://bugs.test/1"]
    assert {label for value in page.xpath("//@aria-labelledby") for label in value.split()} <= set(ids)
    assert page.xpath("//table[not(caption)]") == []
    assert page.xpath("//th[not(@scope)]") == []


def test_html_report_has_the_matrix(conformance: Conformance) -> None:
    page: Any = html.document_fromstring(html_report.as_html(conformance))
    assert rows(page, "programs-current-results") == [
        "Program model chromium polyfill firefox",
        "disagrees pass known (product) other revision other revision",
        "hostile pass pass other revision other revision",
    ]
    assert rows(page, "subtests-current-webmcp/imperative") == [
        "File model chromium polyfill firefox",
        "hangs.html?v - TIMEOUT 0/1 (3 unexpected) other revision other revision",
        "results.https.html - 1/2 (1 known) 1/1 other revision",
    ]
    assert rows(page, "subtests-2026-03-webmcp-2026-03")[1] == "older.html - other revision other revision NOTRUN"
    overview = rows(page, "overview")
    assert "results 2/2 1/2 (1 known) other revision other revision" in overview


def test_html_report_has_facts_steps_and_titles(conformance: Conformance) -> None:
    page: Any = html.document_fromstring(html_report.as_html(conformance))
    text = " ".join(page.text_content().split())
    assert 'call: fulfilled with "undefined"' in text
    assert "call: rejected with UnknownError" in text
    assert " step 12.a.3: " in text
    assert "<why>" in text
    assert "<so>" in text
    assert "<no> luck" in text
    assert "</article><script>alert(1)</script>" in text
    assert "there is <no> Firefox. What to do: run `modelcontext setup firefox`" in text
    assert "TIMEOUT, expected OK" in text
    assert "chromium missing is not there" in text
    article = page.get_element_by_id(FILE)
    assert article.xpath("h4")[0].text_content() == "What a callback & its results are"
    assert article.xpath("p[starts-with(., 'About')]/a/@href") == ["#current-imperative-execute-steps"]
    # The step is a link to the algorithm, which is in the report with all of its steps.
    (step,) = set(page.xpath("//dd/a[contains(., 'step 12.a.3')]/@href"))
    assert step == "#current-imperative-execute-steps-12.a.3"
    assert "published text: imperative-execute-steps 10.a.4" in article.text_content()
    assert len(page.get_element_by_id("current-imperative-execute-steps").xpath(".//li")) > 10


def test_json_report_has_findings_programs_and_tests(conformance: Conformance) -> None:
    content: dict[str, Any] = json.loads(json_report.as_json(conformance))
    assert content["sound"] is False
    assert content["products"] == {
        "model": Model().version, "chromium": "156.0", "polyfill": "5.1.0 on Chromium 156.0", "firefox": None
    }  # fmt: skip
    assert [one["product"] for one in content["not_run"]] == ["firefox"]
    assert [(one["test"], one["subtest"], one["text"]) for one in content["findings"]] == [
        ("/webmcp/imperative/hangs.html?v", None, "TIMEOUT, expected OK: no result"),
        ("/webmcp/imperative/hangs.html?v", "a </td> \ud800 in the name", "TIMEOUT, expected PASS: Test timed out"),
        ("/webmcp/imperative/hangs.html?v", "is not there", "an expectation names this subtest, but it does not exist"),
    ]
    cell = {program["name"]: program for program in content["programs"]}["results/disagrees"]["products"]["chromium"]
    assert cell["standing"] == "fail"
    assert cell["known"] == "product"
    assert cell["observed"] == 'call: fulfilled with "undefined"'
    assert cell["outcome"]["logs"]["top"][-1]["fulfilled"] == "undefined"
    tests = {one["test"]: one["products"] for one in content["tests"]}
    assert list(tests[FILE]) == ["chromium", "polyfill"]
    assert tests[FILE]["chromium"]["subtests"][1] == {
        "name": "undefined fails",
        "status": "FAIL",
        "message": "<no> luck",
    }
    assert tests["/webmcp-2026-03/older.html"]["firefox"]["status"] == "NOTRUN"


def test_terminal_report_lists_surprises_or_everything(conformance: Conformance) -> None:
    def printed(every: bool) -> list[str]:
        console = Console(width=200, record=True, file=io.StringIO())
        print_matrix(conformance, console, every=every)
        print_summary(conformance, console, every=every)
        return [" ".join(line.split()) for line in console.export_text().splitlines()]

    lines = printed(every=False)
    assert "results 2/2 1/2 (1 known) other revision other revision" in lines
    assert "hangs.html?v - TIMEOUT 0/1 (3 unexpected) other revision other revision" in lines
    assert not [line for line in lines if line.startswith("hostile")]
    assert "NOTRUN firefox: there is <no> Firefox" in lines
    assert "unexpected chromium /webmcp/imperative/hangs.html?v: TIMEOUT, expected OK: no result" in lines
    assert [line for line in lines if line.startswith("chromium 156.0 ")] == [
        "chromium 156.0 Programs (current revision): 2/3 (1 known); Tests (current revision): 1/3 (3 unexpected, 1 known)"
    ]
    in_full = printed(every=True)
    assert "hostile pass pass other revision other revision" in in_full
    assert [
        line for line in in_full if line.startswith("known (product) chromium results/disagrees — top[3]: allowed is")
    ]


def test_many_findings_are_grouped_by_cause_and_counted(conformance: Conformance) -> None:
    (run, *others) = conformance.runs
    findings = [
        *(wpt.UnexpectedResult(FILE, "one", f"FAIL of kind {'i' * kind}") for kind in range(MOST_KINDS + 4)),
        *(
            wpt.UnexpectedResult(FILE, f"number {number}", f'FAIL, no "{number}"')
            for number in range(MOST_OF_A_KIND + 5)
        ),
        wpt.UnexpectedResult(FILE, "last", "FAIL"),
    ]
    flooded = replace(conformance, runs=[replace(run, findings=findings), *others])
    console = Console(width=200, record=True, file=io.StringIO())
    print_summary(flooded, console, every=False)
    text = console.export_text()
    lines = [line for line in text.splitlines() if line.startswith(("unexpected", "    "))]
    assert lines[0] == f'unexpected chromium {MOST_OF_A_KIND + 5} times: FAIL, no "0"'
    assert lines[1] == f'    {FILE}: "number 0"'
    assert lines[1 + MOST_OF_A_KIND] == "    and 5 more; --all prints all of them"
    assert lines[-1] == "unexpected chromium 6 more, of other kinds; --all prints all of them"
    assert text.count("unexpected chromium ") == MOST_KINDS + 1


def look(conformance: Conformance, path: Path, what: Callable[[Page], Awaitable[Any]], **options: Any) -> Any:
    """Open the report from a file, and return an answer of the page, which must not fetch or log anything."""
    write_whole(path, html_report.as_html(conformance))

    async def run() -> Any:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=make_target("chromium").find_binary(), args=list(FLAGS)
            )
            page = await (await browser.new_context(**options)).new_page()
            problems: list[str] = []
            page.on("console", lambda message: problems.append(message.text))
            page.on("request", lambda request: problems.append(request.url) if request.url[:5] != "data:" else None)
            await page.goto(path.as_uri())
            answer = await what(page)
            assert problems == [path.as_uri()]
            await browser.close()
            return answer

    return asyncio.run(run())


PHONE = {"width": 360, "height": 740}


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_html_report_fits_a_phone_and_is_accessible(conformance: Conformance, tmp_path: Path, scheme: Any) -> None:
    async def measure(page: Page) -> Any:
        # Contrast, names, tables, landmarks and headings are also checked in folded parts.
        await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        await page.evaluate(AXE.read_text(encoding="utf-8"))
        result = await page.evaluate("axe.run()")
        return widths, result

    (width, room), result = look(conformance, tmp_path / "report.html", measure, viewport=PHONE, color_scheme=scheme)
    assert width <= room
    assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
    checked = {one["id"] for one in result["passes"]}
    assert {"color-contrast", "th-has-data-cells", "label", "document-title", "skip-link"} <= checked


@pytest.mark.usefixtures("starts_a_browser")
def test_html_report_works_with_the_keyboard(conformance: Conformance, tmp_path: Path) -> None:
    async def walk(page: Page) -> None:
        async def focus() -> Any:
            return await page.evaluate(
                "(e => [e.localName, e.id || e.textContent, getComputedStyle(e).outlineStyle])(document.activeElement)"
            )

        await page.keyboard.press("Tab")
        assert await focus() == ["a", "Skip to the overview", "solid"]
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        assert await focus() == ["input", "everything", "solid"]
        assert await page.locator("article.row:visible").count() == 6
        await page.keyboard.press("ArrowDown")
        assert await focus() == ["input", "deviations", "solid"]
        assert await page.locator("article:visible h4").all_text_contents() == [
            "A callback that resolves with undefined makes executeTool reject with UnknownError",
            "hangs.html?v",
            "What a callback & its results are",
            "older.html",
        ]
        await page.keyboard.press("ArrowDown")
        assert await page.locator("article:visible h4").all_text_contents() == ["hangs.html?v"]
        # From the matrix to the file, and to its subtests.
        row = page.get_by_role("link", name="hangs.html?v", exact=True)
        await row.focus()
        await page.keyboard.press("Enter")
        article = page.locator("article:target")
        assert await article.locator("h4").text_content() == "hangs.html?v"
        await article.get_by_text("1 subtest").focus()
        await page.keyboard.press("Enter")
        assert await article.get_by_role("cell", name="TIMEOUT").is_visible()
        assert await article.get_by_role("img").is_hidden()
        await article.get_by_text("The page when the run was stopped").click()
        assert await article.get_by_role("img").is_visible()

    look(conformance, tmp_path / "report.html", walk)


def test_interrupted_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep" / "report.html"
    write_whole(path, "old")
    assert path.stat().st_mode & 0o777 == 0o644

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]
