"""A page of the site, and the templates that pages are made with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt

from modelcontext_site.addresses import relative

#: The parts of the site in the navigation of each page: the path of the first page, and its title.
PARTS: Final = (
    ("text.html", "Specification"),
    ("builds.html", "Builds"),
    ("deviations.html", "Deviations"),
    ("issues.html", "Issues"),
    ("litmus.html", "Litmus tests"),
    ("tests.html", "Programs and tests"),
    ("clients.html", "Clients"),
    ("proposals.html", "Proposals"),
    ("docs.html", "Docs"),
    ("playground.html", "Playground"),
)


@dataclass(frozen=True)
class SitePage:
    """A page: its path in the folder, its title, the part that it belongs to, and the HTML of its main element.

    ``kind`` and ``words`` are for the search: what the page is, and what else it is found by. ``places`` are its parts that
    are found by themselves: each an anchor, its kind and its title.
    """

    path: str
    title: str
    part: str
    body: str
    kind: str = ""
    words: str = ""
    places: tuple[tuple[str, str, str], ...] = ()
    is_wide: bool = False

    def whole(self) -> str:
        """Return the text of the file, in which lone surrogates are written as escapes."""
        page = relative(render("layout.html", page=self, parts=PARTS), self.path)
        return page.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("modelcontext_site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["marked"] = _marked
    return environment


def _marked(words: str) -> str:
    """Return the HTML of words in which people mark code and variables as in Markdown."""
    return str(MarkdownIt("commonmark", {"html": False}).renderInline(words))


def render(template: str, **values: Any) -> str:
    """Return what a template makes of values."""
    return _environment().get_template(template).render(**values)
