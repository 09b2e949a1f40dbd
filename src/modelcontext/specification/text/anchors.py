"""Giving every step of a built specification an anchor, so that others can point at it."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase

from lxml.html import HtmlElement

from modelcontext.specification.text.elements import elements


def anchor(algorithm: str, number: str) -> str:
    """The id of a step's element."""
    return f"{algorithm}-step-{number}"


def add_anchors(document: HtmlElement) -> dict[tuple[str, str], HtmlElement]:
    """Give the element of every step its id and a class, and return the elements by algorithm and number.

    The element is the list item, or the ``dt`` of a case; it has what stands below the step in it.
    """
    found: dict[tuple[str, str], HtmlElement] = {}
    for algorithm in elements(document, "//*[@data-algorithm]"):
        (dfn, *_) = elements(algorithm, ".//dfn[@id]")
        identifier = dfn.get("id", "")
        for steps in elements(algorithm, "./ol"):
            for number, element in _items(steps, ""):
                element.set("id", anchor(identifier, number))
                element.set("class", f"{element.get('class', '')} step".strip())
                found[identifier, number] = element
    return found


def _items(ordered_list: HtmlElement, prefix: str) -> Iterator[tuple[str, HtmlElement]]:
    for position, item in enumerate(ordered_list.iterchildren("li"), start=1):
        number = f"{prefix}{position}"
        yield number, item
        for child in elements(item, "./ol | ./dl"):
            if child.tag == "ol":
                yield from _items(child, f"{number}.")
            else:
                yield from _cases(child, f"{number}.")


def _cases(cases: HtmlElement, prefix: str) -> Iterator[tuple[str, HtmlElement]]:
    letters = iter(ascii_lowercase)
    number = prefix
    for child in cases.iterchildren("dt", "dd"):
        if child.tag == "dt":
            number = f"{prefix}{next(letters)}"
            yield number, child
        else:
            for steps in child.iterchildren("ol"):
                yield from _items(steps, f"{number}.")
