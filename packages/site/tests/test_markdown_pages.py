"""Documents as pages: where links lead, which anchors headings have, and tables that a screen reader understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext_site.markdown_pages import Documents, anchor_of


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/agents.md", "docs/lint.md", "setup.cfg"):
        (tmp_path / name).write_text("# Title\n")
    return Documents(tmp_path, {"index.bs": "text.html", "wpt_tests/findings/x/program.toml": "d/x.html#finding-x"})


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("lint.md", "site:docs/lint.html"),
        ("lint.md#a-rule", "site:docs/lint.html#a-rule"),
        ("agents.md", "site:clients.html"),
        ("../README.md", "site:docs/repository/README.html"),
        ("../index.bs", "site:text.html"),
        ("../wpt_tests/findings/x/program.toml", "site:d/x.html#finding-x"),
        ("#below", "site:docs/lint.html#below"),
        ("https://other.test/x.md", "https://other.test/x.md"),
        ("picture.png", "site:docs/picture.png"),
        ("../setup.cfg", None),
        ("absent.md", "site:docs/absent.md"),
    ],
)
def test_link_of_a_document_leads_to_a_page_or_nowhere(link: str, address: str | None, documents: Documents) -> None:
    assert documents.address(link, "docs/lint.md") == address


def test_file_without_a_page_is_named_and_no_link(documents: Documents) -> None:
    html = documents.html("See [the settings](../setup.cfg).", "docs/lint.md")
    assert html == '<p>See <span class="file" title="a file of the repository">the settings</span>.</p>\n'


def test_headings_with_the_same_words_have_anchors_of_their_own(documents: Documents) -> None:
    _, places = documents.parsed("## `Run` it, now!\n\n## Run it now\n", "docs/lint.md")
    assert [anchor for anchor, _, _ in places] == ["run-it-now", "run-it-now-1"]
    assert anchor_of("What is 2_b?") == "what-is-2_b"


def test_corner_of_a_table_without_words_is_no_heading(documents: Documents) -> None:
    html = documents.html("| | one |\n|---|---|\n| two | 3 |\n", "docs/lint.md")
    assert "<th></th>" not in html
    assert "<th>one</th>" in html
