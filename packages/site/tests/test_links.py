"""The check of links: it notices what leads nowhere, and what asks another server."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext_site.links import broken_links

PAGE = '<!DOCTYPE html><html lang="en"><title>t</title><h1 id="top">t</h1>{}'


@pytest.mark.parametrize(
    ("markup", "problem"),
    [
        ('<a href="absent.html">x</a>', "leads to no file"),
        ('<a href="../index.html">x</a>', "leads to no file"),
        ('<a href="#absent">x</a>', "leads to no element of the page"),
        ('<a href="b/other.html#absent">x</a>', "leads to no element of the page"),
        ('<img src="https://other.test/x.png" alt="">', "is asked of another server"),
        ('<script src="//other.test/x.js"></script>', "is asked of another server"),
        ('<link rel="stylesheet" href="https://other.test/x.css">', "is asked of another server"),
        ('<a href="site:text.html">x</a>', "has an unknown scheme"),
        ('<form action="absent.html"></form>', "leads to no file"),
    ],
)
def test_broken_link_is_named(markup: str, problem: str, tmp_path: Path) -> None:
    made(tmp_path, markup)
    [broken] = broken_links(tmp_path)
    assert (broken.page, broken.problem) == ("index.html", problem)


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="b/other.html#top">x</a>',
        '<a href="#top">x</a>',
        '<a href="https://other.test/">x</a>',
        '<img src="a.png" alt="">',
        '<link rel="icon" href="data:,">',
        '<a href="b/other.html?q=1#example=a/b">x</a>',
    ],
)
def test_right_link_is_not_named(markup: str, tmp_path: Path) -> None:
    made(tmp_path, markup)
    assert list(broken_links(tmp_path)) == []


def test_pages_of_a_folder_that_is_left_out_are_not_read(tmp_path: Path) -> None:
    made(tmp_path, "")
    (tmp_path / "b/other.html").write_text('<a href="absent.html">x</a>')
    assert len(list(broken_links(tmp_path))) == 1
    assert list(broken_links(tmp_path, ("b",))) == []


def made(folder: Path, markup: str) -> None:
    (folder / "index.html").write_text(PAGE.format(markup))
    (folder / "a.png").write_bytes(b"")
    (folder / "b").mkdir()
    (folder / "b/other.html").write_text(PAGE.format('<a href="../index.html">x</a>'))
