"""The metadata of tests: ``// META:`` lines of scripts, ``meta`` elements of pages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

_SCRIPT_LINE = re.compile(r"//\s*META:\s*(\w+)=(.*)")
_BROKEN_LINE = re.compile(r"\s*//\s*META\b")
_PAGE_ELEMENT = re.compile(r"<meta\s[^>]*>", re.IGNORECASE)
_LINK_ELEMENT = re.compile(r"<link\s[^>]*>", re.IGNORECASE)
_TITLE = re.compile(r"<title>([^<]*)</title>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def script_metadata(text: str) -> Iterator[tuple[str, str]]:
    """Yield key and value of the ``// META: key=value`` lines at the start of a script, in order."""
    for line in text.splitlines():
        if not (match := _SCRIPT_LINE.match(line)):
            return
        yield match[1], match[2].strip()


def broken_metadata(text: str) -> str | None:
    """Return the line after the metadata of a script, if it looks like metadata that cannot be read."""
    line = next((line for line in text.splitlines() if not _SCRIPT_LINE.match(line)), "")
    return line if _BROKEN_LINE.match(line) else None


def page_metadata(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and content of the ``meta`` elements of a page, in order."""
    for element in _PAGE_ELEMENT.finditer(text):
        attributes = dict(_attributes(element[0]))
        if "name" in attributes and "content" in attributes:
            yield attributes["name"], attributes["content"]


def page_title(text: str) -> str:
    """Return the title of a page or script; empty if it has none."""
    match = _TITLE.search(text)
    if match is not None:
        return html.unescape(" ".join(match[1].split()))
    return next((value for key, value in script_metadata(text) if key == "title"), "")


def page_help(text: str) -> list[str]:
    """Return the parts of specifications that a page is about: the fragments of its ``<link rel="help">`` elements."""
    links = [dict(_attributes(element[0])) for element in _LINK_ELEMENT.finditer(text)]
    addresses = [link.get("href", "") for link in links if link.get("rel", "").lower() == "help"]
    return list(dict.fromkeys(urlsplit(address).fragment for address in addresses if "#" in address))


def _attributes(element: str) -> Iterator[tuple[str, str]]:
    for match in _ATTRIBUTE.finditer(element):
        yield match[1].lower(), match[2] or match[3] or match[4] or ""
