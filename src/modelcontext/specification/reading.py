"""Reading the built HTML of a specification: algorithms, interface definitions and issues.

Reading what Bikeshed built, and not its source, means that markup, autolinks and numbering are exactly what a reader
sees. The rules:

* Notes, examples, issues and self-links are dropped before any text is read.
* An algorithm is an element with ``data-algorithm``; its first dfn gives the id. Its steps are one ordered list.
* A step is the text of a list item without the lists in it; several paragraphs of one item are one step.
* A list of cases (``dl``) in a step: each ``dt`` is a step numbered by a letter (``12.a``), and an ordered list in the
  ``dd`` goes on below it (``12.a.1``).
* White space is collapsed and quotation marks are made straight.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase
from typing import cast

import lxml.html
from lxml.html import HtmlElement

from modelcontext.specification.algorithms import (
    Algorithm,
    Kind,
    Parameter,
    Section,
    SpecificationError,
    Step,
    python_identifier,
)

_DROPPED = (
    "//*[contains-token(@class, 'note') or contains-token(@class, 'example') or contains-token(@class, 'issue')"
    " or contains-token(@class, 'advisement') or contains-token(@class, 'self-link')"
    " or contains-token(@class, 'dfn-panel')]"
)
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
_LEFTOVER_MARKUP = re.compile(r"\[=|=\]|\{\{|\}\}|\[\$|\$\]|\[\[|\]\]|\|")
_IN_PARALLEL = "Assert: these steps are running in parallel."


@dataclass(frozen=True, slots=True)
class Specification:
    """What is read from one built specification."""

    revision: str
    algorithms: list[Algorithm]
    idl: str
    issues: list[str]


def read_specification(html: str) -> Specification:
    """Read the built HTML of a specification.

    Raises SpecificationError where the text breaks a rule of this module.
    """
    document = lxml.html.document_fromstring(html)
    issues = [issue.get("id", "") for issue in _elements(document, "//*[contains-token(@class, 'issue')][@id]")]
    revisions = _elements(document, "//dt[normalize-space()='Revision:']/following-sibling::dd[1]")
    if not revisions:
        raise SpecificationError("the metadata do not name the revision: add a line such as `!Revision: 2026-10`")
    idl = _idl(document)
    for element in _elements(document, _DROPPED):
        element.drop_tree()
    algorithms = [_algorithm(element) for element in _elements(document, "//*[@data-algorithm]")]
    seen: set[str] = set()
    for algorithm in algorithms:
        if algorithm.id in seen:
            raise SpecificationError(f"two algorithms have the id {algorithm.id}: give one of them another")
        seen.add(algorithm.id)
    return Specification(_text(revisions[0]), algorithms, idl, issues)


def _elements(context: HtmlElement, expression: str) -> list[HtmlElement]:
    """Evaluate an XPath that gives elements; ``contains-token``, which XPath 1 lacks, is expanded."""
    expanded = re.sub(r"contains-token\((\S+), '([\w-]+)'\)", r"contains(concat(' ', \1, ' '), ' \2 ')", expression)
    return cast(list[HtmlElement], context.xpath(expanded))


def _idl(document: HtmlElement) -> str:
    blocks = _elements(document, "//pre[contains-token(@class, 'idl')][not(preceding::h2[@id='idl-index'])]")
    return "\n\n".join(block.text_content().strip("\n").rstrip() for block in blocks) + "\n"


def _algorithm(element: HtmlElement) -> Algorithm:
    dfns = _elements(element, ".//dfn[@id]")
    if not dfns:
        raise SpecificationError(
            f"an algorithm has no dfn with an id; it begins: {_text(element)[:80]!r}. Write <dfn id=...> around its name"
        )
    dfn = dfns[0]
    identifier = dfn.get("id", "")
    lists = _elements(element, "./ol")
    if len(lists) != 1:
        raise SpecificationError(f"algorithm {identifier}: {len(lists)} lists of steps, where one is expected")
    introduction = _introduction(element, lists[0])
    kind = _kind(dfn, introduction)
    variables = _elements(dfn if kind == "method" else introduction, ".//var")
    names = [_text(variable) for variable in variables]
    if kind != "abstract operation":
        names.insert(0, "this")
    name = _text(dfn).partition("(")[0]
    steps = tuple(_steps(lists[0], identifier, ""))
    return Algorithm(
        id=identifier,
        name=name,
        function=python_identifier(name),
        kind=kind,
        parameters=tuple(Parameter(name, python_identifier(name)) for name in names),
        in_parallel=steps[0].text == _IN_PARALLEL,
        section=_section(element),
        steps=steps,
    )


def _introduction(element: HtmlElement, steps: HtmlElement) -> HtmlElement:
    """Return a copy of the algorithm that ends before its steps."""
    index = element.index(steps)
    introduction = copy.deepcopy(element)
    for child in list(introduction)[index:]:
        introduction.remove(child)
    return introduction


def _kind(dfn: HtmlElement, introduction: HtmlElement) -> Kind:
    dfn_type = dfn.get("data-dfn-type")
    if dfn_type == "method":
        return "method"
    if dfn_type == "attribute":
        text = _text(introduction)
        if "getter steps" in text:
            return "getter"
        if "setter steps" in text:
            return "setter"
        raise SpecificationError(
            f"algorithm {dfn.get('id')}: its introduction must say whether these are getter steps or setter steps"
        )
    return "abstract operation"


def _section(element: HtmlElement) -> Section:
    headings = _elements(element, "preceding::*[self::h2 or self::h3 or self::h4 or self::h5][@data-level]")
    if not headings:
        raise SpecificationError(f"an algorithm stands before the first section: {_text(element)[:80]!r}")
    heading = headings[-1]
    title = _elements(heading, "./*[contains-token(@class, 'content')]")[0]
    return Section(number=heading.get("data-level", ""), title=_text(title), id=heading.get("id", ""))


def _steps(ordered_list: HtmlElement, algorithm: str, prefix: str) -> Iterator[Step]:
    for position, item in enumerate(ordered_list.iterchildren("li"), start=1):
        yield from _step(item, algorithm, f"{prefix}{position}")


def _step(item: HtmlElement, algorithm: str, number: str) -> Iterator[Step]:
    if _elements(item, ".//ul"):
        raise SpecificationError(
            f"algorithm {algorithm}, step {number}: a bulleted list has no step numbers; use an ordered list or a dl"
        )
    lists = _elements(item, "./ol | ./dl")
    own = copy.deepcopy(item)
    for child in _elements(own, "./ol | ./dl"):
        child.drop_tree()
    for paragraph in _elements(own, "./p"):
        paragraph.tail = f" {paragraph.tail or ''}"
    yield Step(number, _checked_text(own, algorithm, number))
    for child in lists:
        if child.tag == "ol":
            yield from _steps(child, algorithm, f"{number}.")
        else:
            yield from _cases(child, algorithm, f"{number}.")


def _cases(cases: HtmlElement, algorithm: str, prefix: str) -> Iterator[Step]:
    letters = iter(ascii_lowercase)
    number = prefix
    for child in cases.iterchildren("dt", "dd"):
        if child.tag == "dt":
            number = f"{prefix}{next(letters)}"
            yield Step(number, _checked_text(child, algorithm, number))
        else:
            for steps in child.iterchildren("ol"):
                yield from _steps(steps, algorithm, f"{number}.")


def _checked_text(element: HtmlElement, algorithm: str, number: str) -> str:
    text = _text(element)
    where = f"algorithm {algorithm}, step {number}"
    if not text:
        raise SpecificationError(f"{where}: the step has no text")
    for link in _elements(element, ".//a[@data-link-type]"):
        if not link.get("href"):
            raise SpecificationError(f"{where}: nothing defines {_text(link)!r}; correct the autolink")
    leftover = _LEFTOVER_MARKUP.search(re.sub(r"\[\[\w+\]\]", "", text))
    if leftover:
        raise SpecificationError(f"{where}: the markup {leftover.group()!r} was not understood: {text}")
    return text


def _text(element: HtmlElement) -> str:
    return " ".join(element.text_content().translate(_QUOTES).split())
