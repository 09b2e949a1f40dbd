"""The index of the search: a script with what each page, section and term is found by, which works without a server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modelcontext_site.pages import SitePage


def entries(pages: Iterable[SitePage]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the address, the kind, the title and other words of each page and each of its parts."""
    for page in pages:
        yield page.path, page.kind or "Page", page.title, page.words
        for anchor, kind, title in page.places:
            yield f"{page.path}#{anchor}", kind, title, page.title


def script(pages: Iterable[SitePage]) -> str:
    """Return the script that has the index."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries(pages))
    return f"var entries = [\n{lines}\n];\n"
