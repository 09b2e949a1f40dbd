"""The shrinking of the markup of programs: elements are removed first, then their attributes and texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SmallerMarkup:
    """Markup with one part less, and the IDs of the elements that it has lost."""

    markup: str
    lost: frozenset[str]


def smaller_markups(markup: str) -> Iterator[SmallerMarkup]:
    """Yield every markup that is one simplification away, those that lose most first."""
    number = len(_nodes(_parsed(markup)))
    for change in (_without_subtree, _unwrapped):
        for index in range(1, number):
            root = _parsed(markup)
            lost = change(_nodes(root)[index])
            if lost is not None:
                yield SmallerMarkup(root.to_html(pretty=False), lost)
    for index in range(1, number):
        for name in _attributes(_nodes(_parsed(markup))[index]):
            root = _parsed(markup)
            element = _nodes(root)[index]
            id_ = element.attrs.pop(name)
            yield SmallerMarkup(root.to_html(pretty=False), frozenset({id_} if name == "id" else ()))


def _parsed(markup: str) -> Any:
    import justhtml  # It takes long to import, and few programs have markup.

    return justhtml.JustHTML(markup, sanitize=False, fragment=True).root


def _nodes(root: Any) -> list[Any]:
    """Return a node and its descendants in tree order."""
    return [root, *(node for child in root.children or [] for node in _nodes(child))]


def _attributes(node: Any) -> dict[str, str]:
    """Return the attributes of an element; a text has none."""
    return getattr(node, "attrs", None) or {}


def _without_subtree(node: Any) -> frozenset[str]:
    node.parent.remove_child(node)
    return frozenset(id_ for inner in _nodes(node) if (id_ := _attributes(inner).get("id")))


def _unwrapped(node: Any) -> frozenset[str] | None:
    """Put the children of an element in its place; return None if it has none."""
    if not node.children:
        return None
    for child in list(node.children):
        node.remove_child(child)
        node.parent.insert_before(child, node)
    node.parent.remove_child(node)
    id_ = _attributes(node).get("id")
    return frozenset({id_} if id_ else ())
