"""What a test says about itself: ``// META:`` lines of scripts, ``meta`` elements of pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SCRIPT_LINE = re.compile(r"//\s*META:\s*(\w+)=(.*)")
_PAGE_ELEMENT = re.compile(r"<meta\s[^>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def script_metadata(text: str) -> Iterator[tuple[str, str]]:
    """The ``// META: key=value`` lines at the start of a script, in order."""
    for line in text.splitlines():
        if not (match := _SCRIPT_LINE.match(line)):
            return
        yield match[1], match[2].strip()


def page_metadata(text: str) -> Iterator[tuple[str, str]]:
    """Name and content of the ``meta`` elements of a page, in order."""
    for element in _PAGE_ELEMENT.finditer(text):
        attributes = {
            match[1].lower(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(element[0])
        }
        if "name" in attributes and "content" in attributes:
            yield attributes["name"], attributes["content"]
