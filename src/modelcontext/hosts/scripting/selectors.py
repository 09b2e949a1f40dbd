"""Selectors (https://drafts.csswg.org/selectors-4/), without those that need namespaces, a layout or a user.

A selector becomes a test: a function that tells whether an element matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.nodes import CharacterData, Comment
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.forms.constraint_validation import is_barred_from_constraint_validation
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.validity import is_barred_or_satisfies_its_constraints
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import Node

Test: TypeAlias = Callable[[Element], bool]

_NAME: Final = r"(?:\\[0-9A-Fa-f]{1,6}\s?|\\[^\n]|[\w\-\u0080-\U0010ffff])+"
_VALUE: Final = rf"\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>{_NAME})"
_TYPE: Final = re.compile(rf"\*|(?!\d|-\d){_NAME}")
_ID_OR_CLASS: Final = re.compile(rf"(?P<sign>[#.])(?P<name>{_NAME})")
_ATTRIBUTE: Final = re.compile(
    rf"\[\s*(?P<name>{_NAME})\s*(?:(?P<how>[~|^$*]?=)\s*(?:{_VALUE})\s*(?P<flag>[iIsS]?)\s*)?(?:\]|\Z)"
)
_PSEUDO: Final = re.compile(r"(?P<colons>::?)(?P<name>-?[a-zA-Z][\w\-]*)(?P<opens>\(\s*)?")
_COMBINATOR: Final = re.compile(r"\s*([>+~])\s*|(\s+)(?=[^\s,)])")
_COMMA: Final = re.compile(r"\s*,\s*")
_CLOSE: Final = re.compile(r"\s*(?:\)|\Z)")
_NTH: Final = re.compile(
    r"(?:(?P<word>even|odd)|(?P<a>[+-]?\d*)n(?:\s*(?P<b>[+-]\s*\d+))?|(?P<place>[+-]?\d+))(?P<of>\s+of\s+)?",
    re.IGNORECASE,
)
_ESCAPE: Final = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|(.))")


def select_all(root: Node, selectors: str) -> Iterator[Element]:
    """Yield the descendants of a root that match some selectors, in tree order."""
    test = test_of(selectors, root)
    for node in root.descendants:
        if isinstance(node, Element) and test(node):
            yield node


def test_of(selectors: str, scope: Node) -> Test:
    """Return the test of some selectors.

    Raises:
        Throw: a SyntaxError, if they are none or unknown here.
    """
    reader = _SelectorReader(selectors.strip(), scope)
    tests = reader.read_list(reader.read_complex)
    if reader.rest:
        raise reader.error()
    return _any_of(tests)


class _SelectorReader:
    """Reads selectors, as far as they have not been read."""

    def __init__(self, text: str, scope: Node) -> None:
        self.rest = text
        self._text = text
        self._scope = scope

    def error(self) -> Throw:
        message = f'the selector "{self._text}" is not one that the simulated browser knows'
        return Throw(DOMException("SyntaxError", message, self._scope.realm))

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.rest)
        if match is not None:
            self.rest = self.rest[match.end() :]
        return match

    def read_list(self, read: Callable[[], Test]) -> list[Test]:
        tests = [read()]
        while self._take(_COMMA):
            tests.append(read())
        return tests

    def read_complex(self, left: Test | None = None) -> Test:
        """Read a complex selector; one that is relative to what ``left`` matches may begin with a combinator."""
        combinator = self._take(_COMBINATOR) if left is not None else None
        test = self._read_compound()
        if left is not None:
            test = _combined(left, combinator and combinator[1], test)
        while (combinator := self._take(_COMBINATOR)) is not None:
            test = _combined(test, combinator[1], self._read_compound())
        return test

    def _read_compound(self) -> Test:
        tests: list[Test] = []
        if (match := self._take(_TYPE)) is not None and match[0] != "*":
            tests.append(_has_type(_unescaped(match[0])))
        is_empty = match is None
        while True:
            if (match := self._take(_ID_OR_CLASS)) is not None:
                tests.append(_has_id_or_class(match["sign"], _unescaped(match["name"])))
            elif (match := self._take(_ATTRIBUTE)) is not None:
                tests.append(_has_attribute(match))
            elif (match := self._take(_PSEUDO)) is not None:
                tests.append(self._read_pseudo(match))
            elif is_empty and not tests:
                raise self.error()
            else:
                return lambda element: all(test(element) for test in tests)

    def _read_pseudo(self, match: re.Match[str]) -> Test:
        name = match["name"].lower()
        if match["opens"] is None:
            if match["colons"] == "::":
                return lambda element: False
            if name == "scope":
                return lambda element: element is self._scope or (_is_root(element) and element.parent is self._scope)
            if name.startswith("tool-"):
                return lambda element: _document_matches(element, f":{name}")
            if name in _PSEUDO_CLASSES:
                return _PSEUDO_CLASSES[name]
            raise self.error()
        test: Test
        if name in ("is", "where", "not"):
            test = self._read_logical(is_wanted=name != "not")
        elif name == "has":
            test = self._read_relative()
        elif name.startswith("nth-"):
            test = self._read_nth(from_end="last" in name, of_type=name.endswith("of-type"))
        else:
            raise self.error()
        if self._take(_CLOSE) is None:
            raise self.error()
        return test

    def _read_logical(self, *, is_wanted: bool) -> Test:
        inner = _any_of(self.read_list(self.read_complex))
        return lambda element: inner(element) is is_wanted

    def _read_relative(self) -> Test:
        anchors: list[Element] = []
        inner = _any_of(self.read_list(lambda: self.read_complex(lambda element: element is anchors[-1])))

        def test(element: Element) -> bool:
            anchors.append(element)
            around = element.parent if element.parent is not None else element
            found = any(inner(one) for one in around.descendants if isinstance(one, Element))
            anchors.pop()
            return found

        return test

    def _read_nth(self, *, from_end: bool, of_type: bool) -> Test:
        match = self._take(_NTH)
        if match is None:
            raise self.error()
        step, start = 0, 0
        if match["word"]:
            step, start = 2, int(match["word"].lower() == "odd")
        elif match["place"]:
            start = int(match["place"])
        else:
            step = int(match["a"] + "1" if match["a"] in ("", "+", "-") else match["a"])
            start = int("".join((match["b"] or "0").split()))
        among = _any_of(self.read_list(self.read_complex)) if match["of"] else None
        return _is_nth(step, start, among, from_end=from_end, of_type=of_type)


def _unescaped(name: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], name)


def _any_of(tests: Iterable[Test]) -> Test:
    tests = list(tests)
    return lambda element: any(test(element) for test in tests)


def _combined(left: Test, combinator: str | None, right: Test) -> Test:
    def related(element: Element) -> Iterable[Element]:
        if combinator in ("+", "~"):
            siblings = _siblings(element)
            before = siblings[: siblings.index(element)]
            return before[-1:] if combinator == "+" else before
        ancestors = (one for one in element.ancestors if isinstance(one, Element))
        return ancestors if combinator is None else (one for one in ancestors if one is element.parent)

    return lambda element: right(element) and any(left(one) for one in related(element))


def _siblings(element: Element, *, of_type: bool = False) -> list[Element]:
    """Return the elements with the same parent, the element itself among them."""
    around: Iterable[Node] = element.parent.children if element.parent is not None else [element]
    name = element.local_name
    return [one for one in around if isinstance(one, Element) and (not of_type or one.local_name == name)]


def _has_type(name: str) -> Test:
    return lambda element: element.local_name in (name, name.lower())


def _has_id_or_class(sign: str, name: str) -> Test:
    if sign == "#":
        return lambda element: element.get_attribute("id") == name
    return lambda element: name in (element.get_attribute("class") or "").split()


def _has_attribute(match: re.Match[str]) -> Test:
    name, how = _unescaped(match["name"]), match["how"]
    given = next((match[key] for key in ("double", "single", "bare") if match[key] is not None), "")
    fold = str.lower if (match["flag"] or "").lower() == "i" else str
    wanted = fold(_unescaped(given))

    def test(element: Element) -> bool:
        value = element.get_attribute(name.lower())
        value = element.get_attribute(name) if value is None else value
        if value is None or how is None:
            return value is not None
        value = fold(value)
        if how == "=":
            return value == wanted
        if how == "|=":
            return value == wanted or value.startswith(f"{wanted}-")
        if how == "~=":
            return wanted in value.split()
        tests = {"^=": value.startswith, "$=": value.endswith, "*=": value.__contains__}
        return wanted != "" and tests[how](wanted)

    return test


def _is_root(element: Element) -> bool:
    return element.parent is element.node_document


def _document_matches(element: Element, name: str) -> bool:
    document = element.node_document
    return isinstance(document, Document) and document.hooks.matches(element, name)


def _has_focus(node: Node) -> bool:
    document = node.node_document
    return isinstance(document, Document) and document.focused_area is node


def _but_comments(element: Element) -> Iterator[Node]:
    return (one for one in element.children if not isinstance(one, Comment))


def _is_control(element: Element) -> bool:
    return isinstance(element, FormAssociatedElement) and element.is_submittable


def _is_valid(element: Element) -> bool | None:
    """Return whether an element satisfies its constraints; None if it can have none."""
    if isinstance(element, HTMLFormElement):
        return all(_is_valid(one) is not False for one in element.listed_elements)
    if not isinstance(element, FormAssociatedElement) or not element.is_submittable or element.facts is None:
        return None
    if is_barred_from_constraint_validation(element.facts):
        return None
    return is_barred_or_satisfies_its_constraints(element)


def _is_nth(step: int, start: int, among: Test | None = None, *, from_end: bool, of_type: bool) -> Test:
    def test(element: Element) -> bool:
        if among is not None and not among(element):
            return False
        siblings = [one for one in _siblings(element, of_type=of_type) if among is None or among(one)]
        place = (siblings[::-1] if from_end else siblings).index(element) + 1 - start
        return place == 0 if step == 0 else place % step == 0 and place // step >= 0

    return test


_PSEUDO_CLASSES: Final[dict[str, Test]] = {
    "any-link": lambda element: element.local_name in ("a", "area") and element.has_attribute("href"),
    "checked": lambda element: bool(getattr(element, "checkedness", getattr(element, "selectedness", False))),
    "defined": lambda element: "-" not in element.local_name,
    "disabled": lambda element: isinstance(element, HTMLElement) and element.is_disabled,
    "empty": lambda element: all(isinstance(one, CharacterData) and not one.data for one in _but_comments(element)),
    "enabled": lambda element: (
        isinstance(element, HTMLElement)
        and (_is_control(element) or element.local_name in ("fieldset", "optgroup", "option"))
        and not element.is_disabled
    ),
    "focus": _has_focus,
    "focus-within": lambda element: any(map(_has_focus, element.inclusive_descendants)),
    "invalid": lambda element: _is_valid(element) is False,
    "open": lambda element: element.has_attribute("open"),
    "optional": lambda element: _is_control(element) and not element.has_attribute("required"),
    "required": lambda element: _is_control(element) and element.has_attribute("required"),
    "root": _is_root,
    "valid": lambda element: _is_valid(element) is True,
}
_PSEUDO_CLASSES.update({"link": _PSEUDO_CLASSES["any-link"], "focus-visible": _has_focus})
_PSEUDO_CLASSES.update(dict.fromkeys(("hover", "active", "visited", "target"), lambda element: False))
for _kind in ("child", "of-type"):
    _first = _is_nth(0, 1, from_end=False, of_type=_kind == "of-type")
    _last = _is_nth(0, 1, from_end=True, of_type=_kind == "of-type")
    _only = partial(lambda first, last, element: first(element) and last(element), _first, _last)
    _PSEUDO_CLASSES.update({f"first-{_kind}": _first, f"last-{_kind}": _last, f"only-{_kind}": _only})
