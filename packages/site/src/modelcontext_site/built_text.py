"""The built text of a revision, cut into what pages show: the whole text with its steps, and the words of each step."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import lxml.html

from modelcontext.ground.checkout import path_in
from modelcontext.spec.specification.text.bikeshed import build
from modelcontext.spec.specification.text.built_html import add_anchors, elements, text_of, without_substeps

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from modelcontext.spec.revisions.registry import RevisionFiles

#: What Bikeshed adds for its own style and scripts.
_DROPPED: Final = (
    "//script | //style | //link | //*[contains-token(@class, 'self-link')] | //aside | //*[@data-fill-with='logo']"
    " | //nav[@id='toc'] | //*[contains-token(@class, 'backref-link')]"
)


@dataclass(frozen=True)
class TextSection:
    """A section of the text in its table of contents."""

    id: str
    number: str
    title: str
    depth: int


class BuiltText:
    """The text of one revision as Bikeshed built it, on the page at ``path``."""

    def __init__(self, root: Path, files: RevisionFiles, path: str) -> None:
        self.path = path
        document = lxml.html.document_fromstring(build(root / files.text, path_in(root, files.cache)))
        for element in elements(document, _DROPPED):
            element.drop_tree()
        self._steps = add_anchors(document)
        self._body = elements(document, "//body")[0]
        for element in self._body.iter():
            _tidy(element)
        self.title = text_of(elements(document, "//h1")[0])
        for heading in elements(self._body, ".//h1"):
            heading.drop_tree()
        for main in elements(self._body, ".//main"):
            main.tag = "div"
        for name in ("class", "id"):
            self._body.attrib.pop(name, None)
        self._body.tag = "div"

    @property
    def sections(self) -> Iterator[TextSection]:
        """The numbered sections, in order."""
        for heading in elements(self._body, ".//*[self::h2 or self::h3 or self::h4 or self::h5][@data-level]"):
            number = heading.get("data-level", "")
            title = text_of(elements(heading, "./*[contains-token(@class, 'content')]")[0])
            yield TextSection(heading.get("id", ""), number, title, number.count("."))

    @property
    def terms(self) -> Iterator[tuple[str, str]]:
        """The id and the words of each term that the text defines."""
        for dfn in elements(self._body, ".//dfn[@id]"):
            yield dfn.get("id", ""), text_of(dfn)

    def step(self, algorithm: str, number: str) -> str:
        """Return the words of a step, without the steps below it, for a page of its own."""
        own = without_substeps(self._steps[algorithm, number])
        for element in own.iter():
            for name in ("id", "class", "data-number", "data-md"):
                if name != "class" or element.tag in ("li", "dt"):
                    element.attrib.pop(name, None)
            if element.get("href", "").startswith("#"):
                element.set("href", f"site:{self.path}{element.get('href')}")
        if not any(child.tag == "p" for child in own):
            own.tag = "p"
            return _html(own)
        return "".join(_html(child) for child in own)

    def whole(self, mark: Callable[[str, str], HtmlElement | None]) -> str:
        """Return the text with a mark at each step, which ``mark`` makes of the algorithm and the number."""
        body = copy.deepcopy(self._body)
        found = {element.get("id", ""): element for element in elements(body, ".//*[contains-token(@class, 'step')]")}
        for (algorithm, number), original in self._steps.items():
            made = mark(algorithm, number)
            if made is not None:
                _at_the_end(found[original.get("id", "")], made)
        return _html(body)


def _tidy(element: HtmlElement) -> None:
    """Take away what only Bikeshed's scripts read, and let what scrolls be reached with the keyboard."""
    if not isinstance(element.tag, str):
        return
    for name in [
        name for name in element.attrib if name.startswith("data-") and name not in ("data-level", "data-number")
    ]:
        del element.attrib[name]
    if element.get("id", "").startswith("ref-for-"):
        del element.attrib["id"]
    if element.tag in ("pre", "table"):
        element.set("tabindex", "0")


def _at_the_end(step: HtmlElement, made: HtmlElement) -> None:
    """Put a mark at the end of a step's own words, before the steps below it."""
    paragraphs = [child for child in step if child.tag == "p"]
    if paragraphs:
        paragraphs[0].append(made)
        return
    below: Sequence[HtmlElement] = [child for child in step if child.tag in ("ol", "ul", "dl")]
    if below:
        below[0].addprevious(made)
    else:
        step.append(made)


def _html(element: HtmlElement) -> str:
    """Return the HTML of an element, without the text after it."""
    text: str = lxml.html.tostring(element, encoding="unicode", with_tail=False)
    return text
