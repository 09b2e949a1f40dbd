"""The trees of a document: shadow trees and templates among them, and the forms that the parser ignores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from modelcontext.platform.dom.elements import Element, attach_a_shadow_root
from modelcontext.platform.dom.mutations import insert, remove
from modelcontext.platform.html.elements import HTML_NAMESPACE, HTMLTemplateElement
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.parsing import parse_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from modelcontext.platform.dom.nodes import DocumentNode, Node

_START_TAG_OF_A_FORM: Final = re.compile("<form(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)
_START_TAG_OF_A_CUSTOM_ELEMENT: Final = re.compile("<[a-z][^\t\n\f\r />]*-", re.IGNORECASE | re.ASCII)


def all_elements(root: Node) -> Iterator[Element]:
    """Yield the elements below a root, those of shadow trees and of templates too."""
    trees = [root.inclusive_descendants]
    while trees:
        node = next(trees[-1], None)
        if node is None:
            trees.pop()
        elif isinstance(node, Element):
            yield node
            if node.shadow_root is not None:
                trees.append(node.shadow_root.inclusive_descendants)
            if isinstance(node, HTMLTemplateElement):
                trees.append(node.content.inclusive_descendants)


def make_shadow_trees(document: DocumentNode) -> None:
    """Make shadow trees of the templates that declare some (https://html.spec.whatwg.org/#attr-template-shadowrootmode)."""
    for template in [element for element in all_elements(document) if isinstance(element, HTMLTemplateElement)]:
        host, mode = template.parent, (template.get_attribute("shadowrootmode") or "").lower()
        if mode not in ("open", "closed") or not isinstance(host, Element) or host.shadow_root is not None:
            continue
        if host.namespace != HTML_NAMESPACE:
            continue
        shadow_root = attach_a_shadow_root(host, mode)
        for child in list(template.content.children):
            remove(child)
            insert(child, shadow_root, None)
        remove(template)


def custom_elements_with_names(html: str, inert: DocumentNode) -> set[str]:
    """Return the local names of the custom elements in a source that have a ``name`` attribute.

    Args:
        html: the source.
        inert: an empty document.
    """
    if _START_TAG_OF_A_CUSTOM_ELEMENT.search(html) is None:
        return set()
    parse_html(inert, html)
    return {
        element.local_name
        for element in all_elements(inert)
        if "-" in element.local_name and element.namespace == HTML_NAMESPACE and element.has_attribute("name")
    }


def ignored_forms(html: str, indexes: Mapping[Element, int], inert: DocumentNode) -> list[tuple[int, Element]]:
    """Return the forms in a source that the parser ignores, because they begin inside of another form.

    Args:
        html: the source.
        indexes: the indexes of the elements that the parser did not ignore.
        inert: an empty document.

    Returns:
        the index of each, and an element with its attributes.
    """
    places = [match.start() for match in _START_TAG_OF_A_FORM.finditer(html)]
    found = {index for element, index in indexes.items() if isinstance(element, HTMLFormElement)}
    if found.issuperset(places):
        return []
    # An empty element, which the parser takes almost everywhere, shows which of the places are start tags.
    marker = "start-of-form"
    while marker in html:
        marker += "-"
    numbers = iter(range(len(places)))
    parse_html(inert, _START_TAG_OF_A_FORM.sub(lambda match: f"<source {marker}={next(numbers)} ", html))
    ignored = []
    for element in all_elements(inert):
        if element.local_name == "source" and next(iter(element.attributes), None) == marker:
            place = places[int(element.attributes[marker])]
            if place not in found:
                ignored.append((place, element))
    return ignored
