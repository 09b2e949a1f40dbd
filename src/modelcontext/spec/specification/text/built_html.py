"""Elements in the built HTML of a specification: its steps with numbers and anchors, and the text as a reader sees it."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from modelcontext.spec.specification.numbering import letters_of
from modelcontext.spec.specification.text.algorithms import Kind, Parameter, Section, python_identifier

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_DROPPED = (
    "//*[contains-token(@class, 'note') or contains-token(@class, 'example') or contains-token(@class, 'issue')"
    " or contains-token(@class, 'advisement') or contains-token(@class, 'self-link')"
    " or contains-token(@class, 'dfn-panel')]"
)
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})


def elements(context: HtmlElement, expression: str) -> list[HtmlElement]:
    """Return the elements that an XPath selects; ``contains-token``, which XPath 1 lacks, is expanded."""
    expanded = re.sub(r"contains-token\((\S+), '([\w-]+)'\)", r"contains(concat(' ', \1, ' '), ' \2 ')", expression)
    return cast("list[HtmlElement]", context.xpath(expanded))


def text_of(element: HtmlElement) -> str:
    """Return the text of an element with white space collapsed and quotation marks straight."""
    return " ".join(element.text_content().translate(_QUOTES).split())


def drop_non_normative(document: HtmlElement) -> None:
    """Remove notes, examples, issues and self-links from a document."""
    for element in elements(document, _DROPPED):
        element.drop_tree()


def idl_of(document: HtmlElement) -> str:
    """Return the IDL blocks of a document, without the index that repeats them."""
    blocks = elements(document, "//pre[contains-token(@class, 'idl')][not(preceding::h2[@id='idl-index'])]")
    return "\n\n".join(block.text_content().strip("\n").rstrip() for block in blocks) + "\n"


def section_of(element: HtmlElement) -> Section | None:
    """Return the innermost numbered section around an element, or None if it stands before the first section."""
    headings = elements(element, "preceding::*[self::h2 or self::h3 or self::h4 or self::h5][@data-level]")
    if not headings:
        return None
    heading = headings[-1]
    title = elements(heading, "./*[contains-token(@class, 'content')]")[0]
    return Section(number=heading.get("data-level", ""), title=text_of(title), id=heading.get("id", ""))


def parameters_in(signature: HtmlElement, kind: Kind) -> tuple[Parameter, ...]:
    """Return the parameters of an algorithm of a kind: ``this`` for a member, and the variables of the signature."""
    names = [text_of(variable) for variable in elements(signature, ".//var")]
    if kind != "abstract operation":
        names.insert(0, "this")
    return tuple(Parameter(name, python_identifier(name)) for name in names)


def numbered_steps(algorithm: HtmlElement) -> Iterator[tuple[str, HtmlElement]]:
    """Yield the number and the element of every step of an algorithm.

    The element is a list item, which contains the steps below it, or the ``dt`` of a case, whose number ends with a
    letter. A ``dd`` without steps is the only step of its case. An item of a bulleted list is a case as well.
    """
    items = (item for steps in elements(algorithm, "./ol") for item in steps.iterchildren("li"))
    for position, item in enumerate(items, start=1):
        yield from _numbered(item, str(position))


def _numbered(item: HtmlElement, number: str) -> Iterator[tuple[str, HtmlElement]]:
    yield number, item
    steps = cases = 0
    for child in elements(item, "./ol | ./ul | ./dl"):
        for part in child.iterchildren("li", "dt", "dd"):
            if child.tag == "ol":
                steps += 1
                yield from _numbered(part, f"{number}.{steps}")
            elif part.tag in ("li", "dt"):
                cases += 1
                yield from _numbered(part, f"{number}.{letters_of(cases)}")
            elif elements(part, "./ol"):
                inner = numbered_steps(part)
                yield from ((f"{number}.{letters_of(max(cases, 1))}.{below}", element) for below, element in inner)
            else:
                yield from _numbered(part, f"{number}.{letters_of(max(cases, 1))}.1")


def introduction_of(algorithm: HtmlElement) -> HtmlElement:
    """Return a copy of an algorithm's element that ends before its first list of steps."""
    introduction = copy.deepcopy(algorithm)
    for steps in elements(introduction, "./ol")[:1]:
        for part in (*steps.itersiblings(), steps):
            introduction.remove(part)
    return introduction


def without_substeps(element: HtmlElement) -> HtmlElement:
    """Return a copy of a step's element without the steps and cases below it."""
    own = copy.deepcopy(element)
    for child in elements(own, "./ol | ./ul | ./dl"):
        child.drop_tree()
    for paragraph in elements(own, "./p"):
        paragraph.tail = f" {paragraph.tail or ''}"
    return own


def anchor(algorithm: str, number: str) -> str:
    """Return the id of a step's element."""
    return f"{algorithm}-step-{number}"


def add_anchors(document: HtmlElement) -> dict[tuple[str, str], HtmlElement]:
    """Give the element of every step an id, a class and its number; return the elements by algorithm and number.

    An algorithm that defines nothing has the steps of what its introduction links to first: "The m() method steps are".
    """
    found: dict[tuple[str, str], HtmlElement] = {}
    for algorithm in elements(document, "//*[@data-algorithm]"):
        introduction = introduction_of(algorithm)
        named = elements(algorithm, ".//dfn[@id]") or elements(introduction, ".//a[starts-with(@href, '#')]")
        if not named:
            continue
        identifier = named[0].get("id") or named[0].get("href", "").removeprefix("#")
        for number, element in numbered_steps(algorithm):
            element.set("id", anchor(identifier, number))
            element.set("class", " ".join(dict.fromkeys([*element.get("class", "").split(), "step"])))
            element.set("data-number", number)
            found[identifier, number] = element
    return found


def number_issues(document: HtmlElement) -> None:
    """Give every issue with an id such as ``issue-17``, and its copy in the index, the number that is in the id."""
    for issue in elements(document, "//*[contains-token(@class, 'issue')]"):
        links = elements(issue, "./a[contains-token(@class, 'issue-return')][@href]")
        target = links[0].get("href", "").removeprefix("#") if links else issue.get("id", "")
        if target.startswith("issue-"):
            issue.set("data-number", target.removeprefix("issue-"))
