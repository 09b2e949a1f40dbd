"""Reading a specification that others wrote: as its editors build it, and with all the ways there are to write steps.

What :mod:`modelcontext.specification.text.reader` refuses in our own text is read here as well as it can be: an algorithm
without a dfn of its own, several lists of steps, bulleted lists, cases without steps, one sentence instead of a list.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import lxml.etree
import lxml.html

from modelcontext.specification.text.algorithms import (
    Algorithm,
    Kind,
    Parameter,
    Section,
    SpecificationError,
    Step,
    python_identifier,
)
from modelcontext.specification.text.bikeshed import build_leniently
from modelcontext.specification.text.elements import (
    drop_what_is_no_text,
    elements,
    idl_of,
    numbered_steps,
    section_of,
    text_of,
    without_substeps,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Ten times the size of the largest specifications that describe one API.
_LARGEST = 4_000_000


@dataclass(frozen=True, slots=True)
class ForeignText:
    """What is read from the text of others."""

    title: str
    idl: str
    algorithms: list[Algorithm]


def read_foreign_source(source: Path) -> ForeignText:
    """Build a Bikeshed source and read it. Raises SpecificationError if it is none, or cannot be built."""
    text = read_text(source)
    if "metadata" not in text:
        raise SpecificationError("this is no Bikeshed source: it has no <pre class=metadata>", source)
    return read_foreign_html(build_leniently(source))


def read_text(source: Path) -> str:
    """The text of a file that somebody named. Raises SpecificationError if it is none, or is too large to be one."""
    try:
        if source.stat().st_size > _LARGEST:
            raise SpecificationError(
                f"the file has more than {_LARGEST:,} bytes, which is larger than any specification of an API", source
            )
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecificationError(f"the file cannot be read: {error.strerror}", source) from None
    except UnicodeDecodeError as error:
        raise SpecificationError(
            f"the file is no text in UTF-8: byte {error.start} is part of no character", source
        ) from None
    if "\0" in text:
        raise SpecificationError("the file is no text: it has null bytes", source)
    if not text.strip():
        raise SpecificationError("the file is empty", source)
    return text


def read_foreign_html(html: str) -> ForeignText:
    """Read the built HTML of a specification."""
    document = lxml.html.document_fromstring(html)
    titles = elements(document, "//h1")
    idl = idl_of(document)
    drop_what_is_no_text(document)
    algorithms: dict[str, Algorithm] = {}
    for element in elements(document, "//*[@data-algorithm]"):
        algorithm = _algorithm(element)
        # A getter and a setter share a dfn; their steps stand one after the other, as two lists of one algorithm do.
        known = algorithms.get(algorithm.id)
        if known is not None:
            algorithm = _join(known, algorithm)
        algorithms[algorithm.id] = algorithm
    return ForeignText(text_of(titles[0]) if titles else "untitled", idl, list(algorithms.values()))


def _join(first: Algorithm, second: Algorithm) -> Algorithm:
    """The first algorithm with the steps of the second one after its own, numbered on."""
    last = int(first.steps[-1].number.partition(".")[0])
    more = []
    for step in second.steps:
        top, dot, rest = step.number.partition(".")
        more.append(Step(f"{last + int(top)}{dot}{rest}", step.text))
    return replace(first, steps=(*first.steps, *more))


def _algorithm(element: HtmlElement) -> Algorithm:
    given = element.get("data-algorithm") or ""
    introduction = _introduction(element)
    dfns = elements(introduction, ".//dfn[@id]")
    links = elements(introduction, ".//a[starts-with(@href, '#')][@data-link-type]")
    name = given or text_of(introduction)[:60]
    owner = element.get("data-algorithm-for")
    if dfns:
        name, id_ = text_of(dfns[0]), dfns[0].get("id", "")
    elif links and "steps are" in text_of(introduction):
        # The steps of a member whose dfn stands elsewhere, say in the IDL.
        name, id_ = text_of(links[0]), links[0].get("href", "").removeprefix("#")
    else:
        id_ = "-".join(part for part in (owner, python_identifier(name).replace("_", "-")) if part).lower()
    name = name.partition("(")[0]
    kind = _kind(id_, text_of(introduction))
    names = [
        text_of(variable) for variable in elements(dfns[0] if dfns and kind == "method" else introduction, ".//var")
    ]
    if kind != "abstract operation":
        names.insert(0, "this")
    steps = tuple(Step(number, text_of(without_substeps(item))) for number, item in numbered_steps(element))
    return Algorithm(
        id=id_,
        name=name,
        function=python_identifier(name),
        kind=kind,
        parameters=tuple(Parameter(one, python_identifier(one)) for one in dict.fromkeys(names)),
        in_parallel=False,
        section=section_of(element) or Section("", "", ""),
        steps=steps or (Step("1", text_of(element)),),
    )


def _introduction(element: HtmlElement) -> HtmlElement:
    """A copy of the algorithm that ends before its first steps."""
    introduction = copy.deepcopy(element)
    lists = elements(introduction, "./ol")
    if lists:
        for child in list(introduction)[introduction.index(lists[0]) :]:
            introduction.remove(child)
    return introduction


def _kind(id_: str, text: str) -> Kind:
    if "getter steps" in text:
        return "getter"
    if "setter steps" in text:
        return "setter"
    return (
        "method" if "method steps" in text or (id_.startswith("dom-") and "steps are" in text) else "abstract operation"
    )
