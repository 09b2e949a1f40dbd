"""Reader of another project's specification, built as its editors build it.

It accepts forms that :mod:`modelcontext.spec.specification.text.reader` refuses in our own text: an algorithm without a dfn,
several lists of steps, bulleted lists, cases without steps, one sentence instead of a list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import lxml.etree
import lxml.html

from modelcontext.spec.specification.text.algorithms import (
    Algorithm,
    Kind,
    Section,
    Step,
    python_identifier,
)
from modelcontext.spec.specification.text.bikeshed import build_leniently
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


@dataclass(frozen=True, slots=True)
class ForeignText:
    """The content of another project's specification."""

    title: str
    idl: str
    algorithms: list[Algorithm]


def read_foreign_source(source: Path) -> ForeignText:
    """Build and read a Bikeshed source.

    Raises:
        SpecificationError: if the source cannot be built.
    """
    return read_foreign_html(build_leniently(source))


def read_foreign_html(html: str) -> ForeignText:
    """Read the built HTML of a specification."""
    document = lxml.html.document_fromstring(html)
    titles = elements(document, "//h1")
    idl = idl_of(document)
    drop_non_normative(document)
    algorithms: dict[str, Algorithm] = {}
    for element in elements(document, "//*[@data-algorithm]"):
        algorithm = _algorithm(element)
        # A getter and a setter share a dfn. Their steps become one list, as two lists of one algorithm do.
        known = algorithms.get(algorithm.id)
        if known is not None:
            algorithm = _join(known, algorithm)
        algorithms[algorithm.id] = algorithm
    return ForeignText(text_of(titles[0]) if titles else "untitled", idl, list(algorithms.values()))


def _join(first: Algorithm, second: Algorithm) -> Algorithm:
    """Return the first algorithm with the steps of the second one after its own, with consecutive numbers."""
    last = int(first.steps[-1].number.partition(".")[0])
    more = []
    for step in second.steps:
        top, dot, rest = step.number.partition(".")
        more.append(Step(f"{last + int(top)}{dot}{rest}", step.text))
    return replace(first, steps=(*first.steps, *more))


def _algorithm(element: HtmlElement) -> Algorithm:
    given = element.get("data-algorithm") or ""
    introduction = introduction_of(element)
    dfns = elements(introduction, ".//dfn[@id]")
    links = elements(introduction, ".//a[starts-with(@href, '#')][@data-link-type]")
    name = given or text_of(introduction)[:60]
    owner = element.get("data-algorithm-for")
    if dfns:
        name, id_ = text_of(dfns[0]), dfns[0].get("id", "")
    elif links and "steps are" in text_of(introduction):
        # The steps of a member whose dfn stands elsewhere, for example in the IDL.
        name, id_ = text_of(links[0]), links[0].get("href", "").removeprefix("#")
    else:
        id_ = "-".join(part for part in (owner, python_identifier(name).replace("_", "-")) if part).lower()
    name = name.partition("(")[0]
    kind = _kind(id_, text_of(introduction))
    parameters = parameters_in(dfns[0] if dfns and kind == "method" else introduction, kind)
    steps = tuple(Step(number, text_of(without_substeps(item))) for number, item in numbered_steps(element))
    return Algorithm(
        id=id_,
        name=name,
        function=python_identifier(name),
        kind=kind,
        parameters=tuple(dict.fromkeys(parameters)),
        in_parallel=False,
        section=section_of(element) or Section("", "", ""),
        steps=steps or (Step("1", text_of(element)),),
    )


def _kind(id_: str, text: str) -> Kind:
    if "getter steps" in text:
        return "getter"
    if "setter steps" in text:
        return "setter"
    if "method steps" in text or (id_.startswith("dom-") and "steps are" in text):
        return "method"
    return "abstract operation"
