"""Finding elements in the built HTML of a specification, and reading the text of one as a reader sees it."""

from __future__ import annotations

import re
from typing import cast

from lxml.html import HtmlElement

from modelcontext.specification.text.algorithms import Section

_DROPPED = (
    "//*[contains-token(@class, 'note') or contains-token(@class, 'example') or contains-token(@class, 'issue')"
    " or contains-token(@class, 'advisement') or contains-token(@class, 'self-link')"
    " or contains-token(@class, 'dfn-panel')]"
)
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})


def elements(context: HtmlElement, expression: str) -> list[HtmlElement]:
    """Evaluate an XPath that gives elements; ``contains-token``, which XPath 1 lacks, is expanded."""
    expanded = re.sub(r"contains-token\((\S+), '([\w-]+)'\)", r"contains(concat(' ', \1, ' '), ' \2 ')", expression)
    return cast(list[HtmlElement], context.xpath(expanded))


def text_of(element: HtmlElement) -> str:
    """The text of an element: white space collapsed, quotation marks straight."""
    return " ".join(element.text_content().translate(_QUOTES).split())


def drop_what_is_no_text(document: HtmlElement) -> None:
    """Take notes, examples, issues and self-links out of a document."""
    for element in elements(document, _DROPPED):
        element.drop_tree()


def idl_of(document: HtmlElement) -> str:
    """The IDL blocks of a document, without the index that repeats them."""
    blocks = elements(document, "//pre[contains-token(@class, 'idl')][not(preceding::h2[@id='idl-index'])]")
    return "\n\n".join(block.text_content().strip("\n").rstrip() for block in blocks) + "\n"


def section_of(element: HtmlElement) -> Section | None:
    """The innermost numbered section that an element stands in, or None if it stands before the first one."""
    headings = elements(element, "preceding::*[self::h2 or self::h3 or self::h4 or self::h5][@data-level]")
    if not headings:
        return None
    heading = headings[-1]
    title = elements(heading, "./*[contains-token(@class, 'content')]")[0]
    return Section(number=heading.get("data-level", ""), title=text_of(title), id=heading.get("id", ""))
