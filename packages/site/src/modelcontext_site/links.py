"""The check of links: each link in a folder of pages leads to a file, and its fragment to an element of that page."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import lxml.html

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: The attributes that name other files; those that the browser loads by itself are in the second group.
_LINKS: Final = ("href", "action")
_LOADED: Final = ("src", "data", "srcset", "poster")
#: Links that the browser loads, too.
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):|//")
_STYLES: Final = ("stylesheet", "icon", "preload", "modulepreload", "manifest")


@dataclass(frozen=True)
class BrokenLink:
    """A link of a page that leads nowhere, or that makes the browser ask another server."""

    page: str
    link: str
    problem: str

    def __str__(self) -> str:
        return f"{self.page}: {self.link} {self.problem}"


def broken_links(folder: Path, left_out: tuple[str, ...] = ()) -> Iterator[BrokenLink]:
    """Yield the broken links of the pages in a folder; the pages of some folders in it are not read."""
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pages = sorted(name for name in files if name.endswith(".html") and name.partition("/")[0] not in left_out)
    found = {name: _read(folder / name) for name in pages}
    ids = {name: known for name, (known, _) in found.items()}
    for name, (_, links) in found.items():
        for link, is_loaded in links:
            problem = _problem(name, link, is_loaded=is_loaded, files=files, ids=ids)
            if problem:
                yield BrokenLink(name, link, problem)


def _read(path: Path) -> tuple[frozenset[str], list[tuple[str, bool]]]:
    """Return the ids of a page, and its links with whether the browser loads them."""
    document = lxml.html.document_fromstring(path.read_bytes(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    ids = frozenset(element.get("id", "") for element in document.iterfind(".//*[@id]"))
    return ids, list(dict.fromkeys(_links(document)))


def _links(document: HtmlElement) -> Iterator[tuple[str, bool]]:
    for name in (*_LINKS, *_LOADED):
        for element in document.iterfind(f".//*[@{name}]"):
            is_style = element.tag == "link" and element.get("rel", "") in _STYLES
            yield element.get(name, ""), name in _LOADED or is_style


def _problem(page: str, link: str, *, is_loaded: bool, files: Container[str], ids: Mapping[str, Container[str]]) -> str:
    scheme = _SCHEME.match(link)
    if scheme is not None:
        if scheme[1] not in (None, "data", "https", "http", "mailto"):
            return "has an unknown scheme"
        return "is asked of another server" if is_loaded and scheme[1] != "data" else ""
    address, _, fragment = link.partition("#")
    name = normpath(join(dirname(page), unquote(address.partition("?")[0]))) if address else page
    if name not in files:
        return "leads to no file"
    fragment = unquote(fragment)
    if fragment and name in ids and fragment not in ids[name] and "=" not in fragment:
        return "leads to no element of the page"
    return ""
