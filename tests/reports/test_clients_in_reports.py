"""The part of the reports about clients of page tools: what each may rely on, and counterexamples."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html
from rich.console import Console

from modelcontext.ground.files import write_whole
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.checking import PropertyTally, Space
from modelcontext.judging.clients.properties import PROPERTIES
from modelcontext.judging.clients.survey import Survey, survey
from modelcontext.people.reports import html_report, json_report
from modelcontext.people.reports.conformance import Conformance
from modelcontext.people.reports.terminal import print_summary

if TYPE_CHECKING:
    from playwright.sync_api import Browser

AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
NAME = "runs-what-was-shown"


@pytest.fixture(scope="module")
def conformance(takes_long: None) -> Conformance:
    """Return a run in which two clients were checked, and nothing else."""
    return Conformance((), [], [], survey(["browsers-agent", "kilo"]))


def with_cell(*spaces: tuple[bool, PropertyTally]) -> Conformance:
    """Return a run with spaces of one client, each complete or not, that have one property."""
    untouched = dict.fromkeys(PROPERTIES, PropertyTally())
    return Conformance(
        (),
        [],
        [],
        Survey(
            [
                Space("persona", f"adversary {number}", complete, 1, 1, 1, untouched | {NAME: tally})
                for number, (complete, tally) in enumerate(spaces)
            ],
            [],
        ),
    )


def table(conformance: Conformance) -> list[list[str]]:
    """Return the rows of the table of clients."""
    page: Any = html.document_fromstring(html_report.as_html(conformance))
    [found] = page.xpath("//table[contains(@class, 'clients')]")
    return [[" ".join(cell.text_content().split()) for cell in row] for row in found.iter("tr")]


def printed(conformance: Conformance) -> list[str]:
    console = Console(width=200, record=True, file=io.StringIO())
    print_summary(conformance, console, every=False)
    return console.export_text().splitlines()


def test_table_has_a_row_for_each_property_and_a_column_for_each_client(conformance: Conformance) -> None:
    head, *rows = table(conformance)
    assert head == ["Property", CLIENTS["browsers-agent"].title, CLIENTS["kilo"].title]
    assert [
        row[0].startswith(f"{property_.name} {property_.says}")
        for row, property_ in zip(rows, PROPERTIES.values(), strict=True)
    ] == [True] * len(PROPERTIES)
    assert rows[0][1:] == ["✗ 15/45", "✗ 3/37"]


def test_broken_cell_leads_to_a_counterexample_with_its_decisive_action(conformance: Conformance) -> None:
    page: Any = html.document_fromstring(html_report.as_html(conformance))
    [target] = set(page.xpath("//td/a[normalize-space() = '✗ 3/37']/@href"))
    article = page.get_element_by_id(target[1:])
    story = [" ".join(item.text_content().split()) for item in article.xpath(".//ol[1]/li")]
    assert sum(line.startswith("▶") for line in story) == 1
    assert "top: unregisters the tool of “top pay”" in story
    assert "[[script.top]]" in article.xpath(".//pre")[0].text_content()
    assert [title.text_content() for title in article.xpath(".//details[1]//dt")] == [
        "The browser's own agent",
        "Kilo (September 2026)",
    ]
    assert (
        article.xpath(".//details[1]//dd")[0]
        .text_content()
        .startswith("in 15 of 45 spaces; the smallest run, against ")
    )


def test_head_of_the_page_counts_the_properties_that_each_client_keeps(conformance: Conformance) -> None:
    def counts(run: Conformance) -> list[tuple[str, str]]:
        page: Any = html.document_fromstring(html_report.as_html(run))
        [card] = page.xpath("//li[strong/a/@href = '#clients']")
        marks = card.xpath("div/span[contains(@class, 'mark')]")
        return [(mark.get("class"), " ".join(mark.getparent().text_content().split())) for mark in marks]

    kept, total = PropertyTally(kept=1), len(PROPERTIES)
    assert counts(conformance) == [("mark broken", "browsers-agent: 11/18"), ("mark broken", "kilo: 6/12")]
    assert counts(with_cell((True, kept))) == [("mark pass", "persona: 1/1")]
    assert counts(with_cell((True, PropertyTally(gaps={"by name": 1})))) == [("mark known", "persona: 1/1*")]
    assert counts(with_cell((True, kept), (False, kept))) == [("mark notrun", f"persona: 0/{total}")]


def test_every_link_of_the_page_leads_somewhere(conformance: Conformance) -> None:
    page: Any = html.document_fromstring(html_report.as_html(conformance))
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.xpath("//a/@href")} <= set(ids)


def test_cell_says_what_holds_but_for_the_gaps_and_what_is_undecided() -> None:
    kept, gap = PropertyTally(kept=1), PropertyTally(kept=1, gaps={"by name": 2})
    assert table(with_cell((True, kept), (True, kept)))[1][1] == "2"
    assert table(with_cell((True, kept), (True, gap)))[1][1] == "2*"
    assert table(with_cell((True, kept), (False, kept)))[1][1] == "1 (1 undecided)"
    assert table(with_cell((True, kept), (False, PropertyTally(broken=1, smallest=(3, "so")))))[1][1] == (
        "✗ 1/1 (1 undecided)"
    )
    assert table(with_cell((True, PropertyTally())))[1][1] == "-"


def test_terminal_counts_the_properties_that_each_client_keeps(conformance: Conformance) -> None:
    assert printed(conformance) == [
        "clients in the model: 90 of 90 spaces are complete",
        "browsers-agent  keeps 11 of 18 properties",
        "kilo  keeps 6 of 12 properties",
    ]
    assert printed(with_cell((True, PropertyTally(gaps={"by name": 1})))) == [
        "clients in the model: 1 of 1 space are complete",
        "persona  keeps 1 of 1 properties, 1 of them except for breaches that no client can exclude",
    ]
    # The other properties of the space that was cut off are undecided, too.
    assert printed(with_cell((True, PropertyTally(kept=1)), (False, PropertyTally(kept=1)))) == [
        "clients in the model: 1 of 2 spaces are complete",
        f"persona  keeps 0 of {len(PROPERTIES)} properties; {len(PROPERTIES)} undecided",
    ]


def test_json_has_each_client_and_property(conformance: Conformance) -> None:
    cells = json.loads(json_report.as_json(conformance))["clients"]
    assert len(cells) == 2 * len(PROPERTIES)
    cell = next(one for one in cells if (one["client"], one["property"]) == ("kilo", NAME))
    assert cell["spaces"] == 37
    assert len(cell["broken"]) == 3
    assert "call 1: the model meant top pay, but top pay 2 ran, with other annotations" in cell["broken"].values()


def test_run_without_clients_says_nothing_of_them() -> None:
    bare = Conformance((), [], [])
    assert json.loads(json_report.as_json(bare))["clients"] is None
    assert "Clients" not in html_report.as_html(bare)
    assert printed(bare) == []


def test_page_with_clients_fits_a_phone_and_is_accessible(
    conformance: Conformance, chromium: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    write_whole(path, html_report.as_html(conformance))
    page = chromium.new_page(viewport={"width": 360, "height": 740})
    page.goto(path.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []
    page.close()
