"""The report: one file that needs nothing else, whose links lead somewhere, and which fits a phone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from modelcontext.harness import report as reporting
from modelcontext.harness.corpus import read_corpus
from modelcontext.harness.expectations import Expectation
from modelcontext.harness.files import write_whole
from modelcontext.harness.run import Report, run_corpus
from modelcontext.products import UnavailableError
from modelcontext.products.chromium import FLAGS, Chromium, target
from modelcontext.products.model import Model

KNOWN = Expectation(
    "results/disagrees", "product", "imperative-execute-steps 12.a.3", 'call: fulfilled with "undefined"', "<why>"
)


@pytest.fixture
def report(corpus: Path) -> Report:
    hostile = corpus / "programs" / "results" / "hostile.toml"
    hostile.write_text(
        'title = "</article><script>alert(1)</script>"\n[[script.top]]\ndo = "log"\nvalue = "<b>&amp;"\n'
    )
    cases = read_corpus(corpus / "programs")
    try:
        return run_corpus(cases, [Model(), Chromium()], {"chromium": {KNOWN.name: KNOWN}})
    except UnavailableError as error:
        pytest.fail(f"this test needs Chromium: {error}")


def test_it_is_complete_and_self_contained(report: Report) -> None:
    assert report.unavailable == {}, "these tests need Chromium"
    page: Any = html.document_fromstring(reporting.as_html(report))
    assert page.xpath("//script | //link | //img | //iframe | //@style[contains(., 'url')]") == []
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    targets = {link[1:] for link in page.xpath("//a/@href")}
    assert targets <= set(ids)
    assert {label for value in page.xpath("//@aria-labelledby") for label in value.split()} <= set(ids)
    for case in ("listing/agrees", "results/disagrees", "results/hostile"):
        assert case in targets
    marks = [" ".join(" ".join(row.itertext()).split()) for row in page.xpath("//section[h2/@id='matrix']//tr")]
    assert "Program model chromium" in marks
    assert any(row.startswith("disagrees") and row.endswith("pass known (product)") for row in marks)
    text = " ".join(page.text_content().split())
    assert 'call: fulfilled with "undefined"' in text
    assert "call: rejected with UnknownError" in text
    assert "imperative-execute-steps 12.a.3" in text
    assert "<why>" in text
    assert "</article><script>alert(1)</script>" in text


def test_the_data_says_the_same(report: Report) -> None:
    data: dict[str, Any] = json.loads(reporting.as_json(report))
    assert data["sound"] is True
    assert data["findings"] == []
    cell = {program["name"]: program for program in data["programs"]}["results/disagrees"]["products"]["chromium"]
    assert cell["standing"] == "fail"
    assert cell["known"] == "product"
    assert cell["observed"] == 'call: fulfilled with "undefined"'
    assert cell["outcome"]["logs"]["top"][-1]["fulfilled"] == "undefined"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read(report: Report, tmp_path: Path, scheme: Any) -> None:
    path = tmp_path / "report.html"
    write_whole(path, reporting.as_html(report))

    async def look() -> tuple[list[str], Any, Any]:
        from playwright.async_api import async_playwright

        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=target().find_binary(), args=list(FLAGS))
            context = await browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)
            page = await context.new_page()
            problems: list[str] = []
            page.on("console", lambda message: problems.append(message.text))
            page.on("requestfailed", lambda request: problems.append(request.url))
            await page.goto(path.as_uri())
            widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            contrasts = await page.evaluate(CONTRASTS)
            await browser.close()
            return problems, widths, contrasts

    problems, widths, contrasts = asyncio.run(look())
    assert problems == []
    assert widths[0] <= widths[1]
    assert {text: ratio for text, ratio in contrasts.items() if ratio < 4.5} == {}
    assert len(contrasts) > 5


# The contrast (WCAG 2) of every text with the nearest ground behind it, the lowest for each class of element.
CONTRASTS = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const lowest = {};
  for (const element of document.querySelectorAll("body *")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const [light, dark] = [numbers(getComputedStyle(element).color), ground(element)].map(luminance).sort((a, b) => b - a);
    const name = element.localName + "." + element.className;
    lowest[name] = Math.min(lowest[name] ?? 21, (light + 0.05) / (dark + 0.05));
  }
  return lowest;
}"""


def test_files_are_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
