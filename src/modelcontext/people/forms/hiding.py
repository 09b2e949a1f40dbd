"""Elements that a person cannot see, and why.

In Chromium the script that reads a page (``read.js``) asks for the computed style, and writes the reason into an attribute of
its copy. In a file the reason follows from attributes, ``style`` attributes and ``style`` elements. Rules inside of at-rules,
and selectors that the simulated browser does not know, are left out there: no element is hidden by them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from modelcontext.hosts.scripting.selectors import select_all
from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.nodes import ShadowRoot
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html.forms.labels import labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from modelcontext.platform.dom.nodes import Node
    from modelcontext.platform.html.elements import HTMLElement

#: The attribute that the script writes.
MARK: Final = "data-modelcontext-hidden"
#: Rules times elements: if there are more, the style sheets of a file are not read.
MOST_COMPARISONS: Final = 2_000_000

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_MARKS: Final = re.compile("([{};])")
_SPECIFIC: Final = (re.compile(r"#[\w-]+"), re.compile(r"\.[\w-]+|\[[^\]]*\]|:[\w-]+"), re.compile(r"(?:^|[\s>])[a-z]"))
_LENGTH: Final = re.compile(r"(-?[\d.]+)(px|em|rem|vw|vh|%)?")
_CLIPPED: Final = re.compile(r"inset\((?:50|100)%|circle\(0|rect\((?:[01](?:px)?[, ]*){4}\)")
#: The distance from the page, in pixels, at which nobody sees an element.
_FAR: Final = 900
#: The pixels of larger units, about.
_PIXELS: Final = {"em": 16, "vw": 10, "vh": 10}
_TRANSLATED: Final = re.compile(r"translate(?:[xy]|3d)?\(([^)]*)")
_SIDES: Final = ("left", "top", "right", "bottom", "inset")
_MARGINS: Final = ("margin", "margin-left", "margin-top")
#: Properties by which an element is hidden, or shown again.
_HIDES: Final = re.compile(
    r"display|visibility|opacity|clip|position|left|top|right|bottom|width|height|transform|overflow|inset|margin"
)

_Styles = dict[str, str]


class Hiding:
    """The hidden elements of a document; ``is_file`` says that no browser has told them."""

    def __init__(self, elements: Sequence[Element], *, is_file: bool) -> None:
        self._is_file = is_file
        self._styles = _styles_of(elements) if is_file else {}
        self._own: dict[Element, str] = {}

    def of(self, element: Element, within: Node | None = None) -> str:
        """Return why a person cannot see an element, in words, or the empty string. ``within`` is an ancestor that is seen."""
        node: Node | None = element
        while node is not None and node is not within:
            if isinstance(node, Element) and (why := self._of_one(node)):
                return why
            node = node.parent if not isinstance(node, ShadowRoot) else node.shadow_host
        return ""

    def of_control(self, element: HTMLElement, within: Node) -> str:
        """Return why a person sees neither a control nor a label of it, or the empty string. A label can stand for it."""
        why = self.of(element, within)
        return why if why and all(self.of(label, within) for label in labels_of(element)) else ""

    def _of_one(self, element: Element) -> str:
        if element not in self._own:
            self._own[element] = self._read(element)
        return self._own[element]

    def _read(self, element: Element) -> str:
        parent = element.parent if element.local_name != "summary" else None
        if isinstance(parent, Element) and parent.local_name == "details" and not parent.has_attribute("open"):
            return "in a details element that is closed"
        if element.has_attribute("inert"):
            return "inert"
        if not self._is_file:
            return element.get_attribute(MARK) or ""
        if element.local_name == "dialog" and not element.has_attribute("open"):
            return "in a dialog that is closed"
        style = {**self._styles.get(element, {}), **_declarations(element.get_attribute("style") or "")}
        is_off = element.attributes.keys() & {"hidden", "popover"} or getattr(element, "type_state", "") == "hidden"
        return "not displayed" if style.get("display", "none" if is_off else "") == "none" else _hidden_by(style)


def _hidden_by(style: Mapping[str, str]) -> str:
    if style.get("visibility") in ("hidden", "collapse"):
        return "not visible"
    if _number(style.get("opacity", "")) == 0:
        return "transparent"
    is_alone = style.get("position") in ("absolute", "fixed")
    sizes = [_number(style[name]) for name in ("width", "height", "max-height") if name in style]
    is_cut = style.get("overflow", "") in ("hidden", "clip") and any(size is not None and size <= 1 for size in sizes)
    if is_cut or _CLIPPED.search(style.get("clip-path", "") + style.get("clip", "") * is_alone):
        return "clipped to nothing"
    moves = [*_TRANSLATED.findall(style.get("transform", "")), *(style.get(name, "") for name in _MARGINS)]
    if is_alone:
        moves += [style.get(name, "") for name in _SIDES]
    if any(_is_far(length) for move in moves for length in re.split(r"[\s,]+", move)):
        return "off the page"
    return "without a size" if "scale(0)" in style.get("transform", "") else ""


def _is_far(length: str) -> bool:
    """Return whether a length leads off the page. Nobody scrolls to the left of a page, or above it."""
    number = _number(length)
    if number is None:
        return False
    unit = next((pixels for unit, pixels in _PIXELS.items() if length.endswith(unit)), 1) if number < 0 else 1
    return abs(number) * unit >= _FAR


def _number(text: str) -> float | None:
    match = _LENGTH.fullmatch(text)
    try:
        return float(match[1]) if match is not None else None
    except ValueError:
        return None


def _declarations(text: str) -> _Styles:
    pairs = (part.partition(":") for part in _COMMENT.sub("", text).lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs if value}


def _styles_of(elements: Sequence[Element]) -> dict[Element, _Styles]:
    """Return what style elements declare for each element. The more specific rule wins; of two equal ones, the later."""
    rules: list[tuple[str, _Styles, Node]] = []
    for element in elements:
        if element.local_name == "style" and element.parent is not None:
            found = _rules(_COMMENT.sub("", element.descendant_text_content))
            rules += [(selector, style, element.root) for selector, style in found]
    styles: dict[Element, _Styles] = {}
    if len(rules) * len(elements) > MOST_COMPARISONS:
        return styles
    for selector, style, root in sorted(rules, key=lambda rule: [len(kind.findall(rule[0])) for kind in _SPECIFIC]):
        try:
            for element in select_all(root, selector):
                styles.setdefault(element, {}).update(style)
        except Throw:
            continue
    return styles


def _rules(text: str) -> Iterator[tuple[str, _Styles]]:
    """Yield the rules that stand outside of others and concern what is seen: a selector and the declarations."""
    around: list[str] = []
    body = ""
    parts = _MARKS.split(text)
    for words, mark in zip(parts[::2], parts[1::2], strict=False):
        if mark == "{":
            around.append(words.strip())
            body = ""
        elif mark == ";":
            body += f"{words};"
        elif around:
            selectors = around.pop()
            if not around and not selectors.startswith("@") and _HIDES.search(body + words):
                yield from ((selector.strip(), _declarations(body + words)) for selector in selectors.split(","))
            body = ""
