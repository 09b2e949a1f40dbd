"""Reader of the built HTML of a specification: algorithms, interface definitions and issues.

It reads Bikeshed's output and not its source, so that markup, autolinks and numbering are exactly what people read.
The reader of sources, for texts that need not build, is that of speclint.
The rules:

* Notes, examples, issues and self-links are dropped before any text is read.
* An algorithm is an element with ``data-algorithm``; its first dfn gives the id. Its steps are one ordered list.
* A step is the text of a list item without the lists in it; several paragraphs of one item are one step.
* In a list of cases (``dl``), each ``dt`` is a step numbered by a letter (``12.a``). The steps of its ``dd`` are
  numbered below it (``12.a.1``).
* White space is collapsed, and quotation marks are made straight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lxml.html

from modelcontext.spec.specification.text.algorithms import (
    Algorithm,
    Kind,
    SpecificationError,
    Step,
    python_identifier,
)
from modelcontext.spec.specification.text.built_html import (
    drop_non_normative,
    elements,
    idl_of,
    introduction_of,
    numbered_steps,
    parameters_in,
    section_of,
    text_of,
    without_substeps,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_LEFTOVER_MARKUP = re.compile(r"\[=|=\]|\{\{|\}\}|\[\$|\$\]|\[\[|\]\]|\|")
_IN_PARALLEL = "Assert: these steps are running in parallel."


@dataclass(frozen=True, slots=True)
class Specification:
    """The content of one built specification."""

    revision: str
    algorithms: list[Algorithm]
    idl: str
    issues: list[str]


def read_specification(html: str) -> Specification:
    """Read the built HTML of a specification.

    Raises:
        SpecificationError: if the text breaks a rule of this module.
    """
    document = lxml.html.document_fromstring(html)
    issues = [issue.get("id", "") for issue in elements(document, "//*[contains-token(@class, 'issue')][@id]")]
    revisions = elements(document, "//dt[normalize-space()='Revision:']/following-sibling::dd[1]")
    if not revisions:
        raise SpecificationError("the metadata have no revision: add a line such as `!Revision: 2026-10`")
    idl = idl_of(document)
    drop_non_normative(document)
    algorithms = [_algorithm(element) for element in elements(document, "//*[@data-algorithm]")]
    seen: set[str] = set()
    for algorithm in algorithms:
        if algorithm.id in seen:
            raise SpecificationError(f"two algorithms have the id {algorithm.id}: rename one of them")
        seen.add(algorithm.id)
    return Specification(text_of(revisions[0]), algorithms, idl, issues)


def _algorithm(element: HtmlElement) -> Algorithm:
    dfns = elements(element, ".//dfn[@id]")
    if not dfns:
        raise SpecificationError(
            f"an algorithm has no dfn with an id: write <dfn id=...> around its name; it begins {text_of(element)[:80]!r}"
        )
    dfn = dfns[0]
    identifier = dfn.get("id", "")
    lists = elements(element, "./ol")
    if len(lists) != 1:
        raise SpecificationError(f"algorithm {identifier}: {len(lists)} lists of steps: write one")
    introduction = introduction_of(element)
    kind = _kind(dfn, introduction)
    name = text_of(dfn).partition("(")[0]
    steps = tuple(_step(number, item, identifier) for number, item in numbered_steps(element))
    section = section_of(element)
    if section is None:
        raise SpecificationError(f"an algorithm is before the first section: {text_of(element)[:80]!r}")
    return Algorithm(
        id=identifier,
        name=name,
        function=python_identifier(name),
        kind=kind,
        parameters=parameters_in(dfn if kind == "method" else introduction, kind),
        in_parallel=steps[0].text == _IN_PARALLEL,
        section=section,
        steps=steps,
    )


def _kind(dfn: HtmlElement, introduction: HtmlElement) -> Kind:
    dfn_type = dfn.get("data-dfn-type")
    if dfn_type == "method":
        return "method"
    if dfn_type == "attribute":
        text = text_of(introduction)
        if "getter steps" in text:
            return "getter"
        if "setter steps" in text:
            return "setter"
        raise SpecificationError(
            f"algorithm {dfn.get('id')}: its introduction must say 'getter steps' or 'setter steps'"
        )
    return "abstract operation"


def _step(number: str, element: HtmlElement, algorithm: str) -> Step:
    where = f"algorithm {algorithm}, step {number}"
    if elements(element, ".//ul"):
        raise SpecificationError(f"{where}: a bulleted list has no step numbers; use an ordered list or a dl")
    own = without_substeps(element)
    text = text_of(own)
    if not text:
        raise SpecificationError(f"{where}: the step has no text")
    for link in elements(own, ".//a[@data-link-type][not(@href)]"):
        raise SpecificationError(f"{where}: nothing defines {text_of(link)!r}; correct the autolink")
    leftover = _LEFTOVER_MARKUP.search(re.sub(r"\[\[\w+\]\]", "", text))
    if leftover:
        raise SpecificationError(f"{where}: the markup {leftover.group()!r} was not understood: {text}")
    return Step(number, text)
