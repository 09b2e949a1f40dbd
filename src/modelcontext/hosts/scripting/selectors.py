"""Selectors, as far as scripts of tests use them: compound selectors, descendants and children, and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.platform.dom.elements import Element
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import Node

_NAME = r"-?[A-Za-z_\u0080-\U0010ffff][\w\-\u0080-\U0010ffff]*"
_PART = re.compile(
    rf"(?P<type>\*|{_NAME})|#(?P<id>[\w\-]+)|\.(?P<class>{_NAME})"
    rf"|(?P<pseudo>:disabled|:focus|:tool-form-active|:tool-submit-active)"
    rf"|\[\s*(?P<attribute>{_NAME})\s*(?:(?P<how>[~|^$*]?=)\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>{_NAME}))\s*)?\]"
)
_COMBINATOR = re.compile(r"\s*(>)\s*|(\s+)")


@dataclass(frozen=True)
class _Step:
    """A compound selector, and whether it must be the parent of the one after it."""

    parts: tuple[re.Match[str], ...]
    is_child: bool


def select_all(root: Node, selectors: str) -> Iterator[Element]:
    """Yield the descendants of a root that match some selectors, in tree order."""
    lists = _parse(selectors, root)
    for node in root.descendants:
        if isinstance(node, Element) and any(_matches(node, steps) for steps in lists):
            yield node


def matches(element: Element, selectors: str) -> bool:
    """Return whether an element matches some selectors."""
    return any(_matches(element, steps) for steps in _parse(selectors, element))


def _parse(selectors: str, node: Node) -> list[list[_Step]]:
    lists = []
    for text in selectors.split(","):
        steps: list[_Step] = []
        text = text.strip()
        position = 0
        is_child = False
        while True:
            parts = []
            while (match := _PART.match(text, position)) is not None:
                parts.append(match)
                position = match.end()
            if not parts:
                message = f'the selector "{selectors}" is not one that the simulated browser knows'
                raise Throw(DOMException("SyntaxError", message, node.realm))
            steps.append(_Step(tuple(parts), is_child))
            if position == len(text):
                break
            combinator = _COMBINATOR.match(text, position)
            position = combinator.end() if combinator is not None else position
            is_child = combinator is not None and combinator[1] is not None
        lists.append(steps)
    return lists


def _matches(element: Element, steps: list[_Step]) -> bool:
    if not all(_has(element, part) for part in steps[-1].parts):
        return False
    if len(steps) == 1:
        return True
    ancestors = [one for one in element.ancestors if isinstance(one, Element)]
    if steps[-1].is_child:
        ancestors = ancestors[:1]
    return any(_matches(ancestor, steps[:-1]) for ancestor in ancestors)


def _has(element: Element, part: re.Match[str]) -> bool:
    if part["type"]:
        return part["type"] in ("*", element.local_name) or part["type"].lower() == element.local_name
    if part["id"]:
        return element.get_attribute("id") == part["id"]
    if part["class"]:
        return part["class"] in (element.get_attribute("class") or "").split()
    if part["pseudo"]:
        document = element.node_document
        if part["pseudo"] == ":disabled":
            return isinstance(element, HTMLElement) and element.is_disabled
        if part["pseudo"] == ":focus":
            return isinstance(document, Document) and document.focused_area is element
        return isinstance(document, Document) and document.hooks.matches(element, part["pseudo"])
    value = element.get_attribute(part["attribute"].lower())
    if value is None or part["how"] is None:
        return value is not None
    wanted = next(one for one in (part["double"], part["single"], part["bare"]) if one is not None)
    match part["how"]:
        case "=":
            return value == wanted
        case "~=":
            return wanted in value.split()
        case "^=":
            return bool(wanted) and value.startswith(wanted)
        case "$=":
            return bool(wanted) and value.endswith(wanted)
        case "*=":
            return bool(wanted) and wanted in value
    return value == wanted or value.startswith(f"{wanted}-")
