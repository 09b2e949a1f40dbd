"""Parsing HTML into a document (https://html.spec.whatwg.org/#parsing).

The library justhtml follows the parsing algorithm and is tested with the suite of html5lib; it is written in Python and needs
no other package. Its tree is copied here, node by node in tree order, so that the insertion steps run.

The library does not say which form the *form element pointer* points at. That follows from the places in the source: of the
start tags of the forms in its tree, and of the end tags ``</form>``. Each of the latter sets the pointer to null, whatever it
closes, and leaves no trace in the tree. So the source is parsed once more with an empty element in the place of each of them:
where such an element turns up in the tree, there is an end tag, and no text, comment or attribute that looks like one.

Misnested tags can give other trees than in a browser. An element that the adoption agency algorithm moves keeps its form,
where the move resets its form owner. The tags of forms in a fragment for the inside of a form are parsed, where the standard
ignores them, and the forms are taken out of the tree. And the library differs from the standard in a few cases: a form after
a misnested element of a table is put into the table, not into that element; the content of an SVG title is not parsed as HTML;
and a formatting element that was cut off is not made again after a template.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

import justhtml
from justhtml.parser.context import FragmentContext

from modelcontext.platform.dom.elements import Element, set_an_attribute_value
from modelcontext.platform.dom.mutations import insert, replace_the_data
from modelcontext.platform.dom.nodes import Comment, DocumentFragment, DocumentNode, Node, Text
from modelcontext.platform.html.elements import HTML_NAMESPACE, HTMLTemplateElement
from modelcontext.platform.html.forms.form_owners import (
    FormAssociatedCustomElement,
    FormAssociatedElement,
    HTMLFormElement,
    associate,
)
from modelcontext.platform.html.interfaces import create_an_element

_NAMESPACES: Final = {
    "html": HTML_NAMESPACE,
    "svg": "http://www.w3.org/2000/svg",
    "math": "http://www.w3.org/1998/Math/MathML",
}
_PREFIXES: Final = {namespace: prefix for prefix, namespace in _NAMESPACES.items() if prefix != "html"}
_AN_INCOMPLETE_TAG: Final = re.compile("<[^>]*$")
_END_TAG_OF_A_FORM: Final = re.compile("</form(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)

#: Below this depth, descendants become siblings, as in browsers: HTML lets an implementation limit what it does not constrain
#: (https://html.spec.whatwg.org/#conformance-classes), and the work for each control grows with the depth.
_GREATEST_DEPTH: Final = 512

#: The length of the longest source whose tree is kept.
_LONGEST_KEPT: Final = 10_000

#: A node of justhtml, which has one class for texts and one for all others.
_Parsed: TypeAlias = justhtml.Node | justhtml.Text


def parse_html(document: DocumentNode, html: str, *, form_associated: Collection[str] = ()) -> dict[Element, int]:
    """Parse HTML into an empty document.

    Args:
        document: the document.
        html: the source; any string has a tree.
        form_associated: the names of the form-associated custom elements.

    Returns:
        the place of the start tag of each element that has one, as an index of the source without a byte order mark.
    """
    return _parse_into(document, html.removeprefix("\ufeff"), _parse, form_associated)


class SteppedParser:
    """A parser of HTML into an empty document, which pauses at some nodes and takes more text there.

    After more text the whole is parsed again, and the nodes that are there already stand for those of their places. ``source``
    is what it parses, without a byte order mark. ``pauses`` tells whether a node, which is about to be inserted, pauses the
    parser; such nodes have only texts.
    """

    def __init__(self, document: DocumentNode, html: str, pauses: Callable[[Node], bool]) -> None:
        self.source = html.removeprefix("\ufeff")
        self._document = document
        self._pauses = pauses
        self._parsed: str | None = None
        self._copies: list[_Copy] = []
        self._count = 0
        self._forms: dict[FormAssociatedElement, Node] = {}

    def insert(self, place: int, text: str) -> None:
        """Put a text into the source, after all that is parsed."""
        self.source = self.source[:place] + text + self.source[place:]

    def end_of(self, node: Node, place: int) -> int | None:
        """Return the place after the end tag of a node that pauses, or None if that tag is yet to come."""
        name = node.local_name if isinstance(node, Element) else ""
        end = re.compile(rf"</{name}[^>]*>", re.IGNORECASE).search(self._parsed or "", place)
        return end.end() if end is not None else None

    def advance(self, limit: int | None = None) -> tuple[Node, int] | None:
        """Insert nodes up to one that pauses, or up to a place of the source; return that node with its place, or None.

        Up to a place, a tag or a node that may be incomplete is left for later.
        """
        text = self.source if limit is None else _AN_INCOMPLETE_TAG.sub("", self.source[:limit])
        if text != self._parsed:
            self._parse(text, is_part=limit is not None)
        while self._count < len(self._copies):
            copy = self._copies[self._count]
            is_pausing = not copy.is_inert and self._pauses(copy.node)
            if is_pausing and limit is not None and self.end_of(copy.node, copy.place or 0) is None:
                return None
            self._insert_next()
            while is_pausing and self._count < len(self._copies) and self._copies[self._count].parent is copy.node:
                self._insert_next()
            if is_pausing:
                return copy.node, copy.place or 0
        return None

    def _parse(self, text: str, *, is_part: bool) -> None:
        self._parsed = text
        copies = list(_copies(_parse(text), self._document, ()))
        _associate_as_the_parser_does([copy for copy in copies if not copy.is_inert], _end_tags_of_forms(text, _parse))
        while is_part and copies and copies[-1].place is None:
            copies.pop()  # The end of the text implies the element.
        inserted = self._copies[: self._count]
        known = {copy.node: old.node for copy, old in zip(copies, inserted, strict=False)}
        for copied, old in known.items():
            if isinstance(copied, Text) and isinstance(old, Text) and copied.data != old.data:
                replace_the_data(old, copied.data)
        rest = [copy._replace(parent=known.get(copy.parent, copy.parent)) for copy in copies[self._count :]]
        self._copies = [*inserted, *rest]
        # A form gets its controls when they are inserted.
        controls = [copy.node for copy in rest if isinstance(copy.node, FormAssociatedElement)]
        self._forms = {node: known.get(node.form_owner, node.form_owner) for node in controls if node.form_owner}
        for node in self._forms:
            associate(node, None)

    def _insert_next(self) -> None:
        copy = self._copies[self._count]
        self._count += 1
        form = self._forms.get(copy.node) if isinstance(copy.node, FormAssociatedElement) else None
        if isinstance(form, HTMLFormElement) and isinstance(copy.node, FormAssociatedElement):
            associate(copy.node, form)
        insert(copy.node, copy.parent, None)


def parse_a_fragment(context: Element, html: str) -> DocumentFragment:
    """https://html.spec.whatwg.org/#html-fragment-parsing-algorithm

    Args:
        context: the context element.
        html: the source; any string has nodes.

    Returns:
        A new fragment with the nodes. They have the node document of the context, since nothing can see another one.
    """
    fragment = DocumentFragment(context.node_document)
    around = FragmentContext(context.local_name, _PREFIXES.get(context.namespace))
    is_in_a_form = isinstance(context, HTMLFormElement) or context.nearest_ancestor(HTMLFormElement) is not None

    def parse(source: str) -> _Parsed:
        root = justhtml.JustHTML(source, sanitize=False, track_node_locations=True, fragment_context=around).root
        if is_in_a_form:
            # The form element pointer is not null, so that the tags of other forms are ignored.
            _unwrap_the_forms(root)
        return root

    _parse_into(fragment, html, parse)
    return fragment


def _parse_into(
    root: DocumentNode | DocumentFragment,
    source: str,
    parse: Callable[[str], _Parsed],
    form_associated: Collection[str] = (),
) -> dict[Element, int]:
    copies = list(_copies(parse(source), root, form_associated))
    # A form can come after its controls in the tree, so it must be there before any of them is inserted.
    _associate_as_the_parser_does([copy for copy in copies if not copy.is_inert], _end_tags_of_forms(source, parse))
    for copy in copies:
        insert(copy.node, copy.parent, None)
    return {copy.node: copy.place for copy in copies if copy.place is not None and isinstance(copy.node, Element)}


def _unwrap_the_forms(root: _Parsed) -> None:
    to_do = [root]
    while to_do:
        parsed = to_do.pop()
        while any(child.name == "form" for child in parsed.children or []):
            assert isinstance(parsed, justhtml.Node)
            parts = [_children(child) if child.name == "form" else [child] for child in parsed.children or []]
            parsed.children = [child for part in parts for child in part]
        to_do += parsed.children or []


class _Copy(NamedTuple):
    """A copied node, its parent to be, and the place of its start tag; it is inert inside of a template."""

    node: Node
    parent: Node
    place: int | None
    is_inert: bool


def _parse(source: str) -> _Parsed:
    """Return the tree of a source, which must not be changed: each run of a program parses the same sources again."""
    return _parse_once(source) if len(source) <= _LONGEST_KEPT else _parsed(source)


def _parsed(source: str) -> _Parsed:
    return justhtml.JustHTML(source, sanitize=False, track_node_locations=True).root


_parse_once = lru_cache(maxsize=64)(_parsed)


def _copies(
    root: _Parsed, document: DocumentNode | DocumentFragment, form_associated: Collection[str]
) -> Iterator[_Copy]:
    """Yield copies of all nodes below a root in tree order, without those that no algorithm here knows."""
    to_do: list[tuple[_Parsed, Node, int, bool]] = [(child, document, 1, False) for child in reversed(_children(root))]
    while to_do:
        parsed, parent, depth, is_inert = to_do.pop()
        node = _copy(parsed, parent.node_document, form_associated)
        if node is None:
            continue
        yield _Copy(node, parent, parsed.origin_offset, is_inert)
        if isinstance(node, HTMLTemplateElement):
            parent, is_inert = node.content, True
        elif depth < _GREATEST_DEPTH:
            parent = node
        to_do += [(child, parent, depth + 1, is_inert) for child in reversed(_children(parsed))]


def _children(parsed: _Parsed) -> list[_Parsed]:
    if isinstance(parsed, justhtml.Element) and parsed.template_content is not None:
        parsed = parsed.template_content
    return parsed.children or []


def _copy(parsed: _Parsed, document: DocumentNode, form_associated: Collection[str]) -> Node | None:
    if isinstance(parsed, justhtml.Text):
        return Text(document, parsed.data or "")
    if isinstance(parsed, justhtml.Comment):
        return Comment(document, str(parsed.data or ""))
    if not isinstance(parsed, justhtml.Element):
        return None
    namespace = _NAMESPACES[parsed.namespace or "html"]
    element = create_an_element(document, parsed.name, namespace, form_associated=form_associated)
    # The value comes when all is there that says what it may be.
    order = {"type": 1, "value": 2}
    for name, value in sorted((parsed.attrs or {}).items(), key=lambda attribute: order.get(attribute[0], 0)):
        set_an_attribute_value(element, name, value or "")
    return element


def _end_tags_of_forms(source: str, parse: Callable[[str], _Parsed]) -> list[int]:
    """Return the places of all end tags of forms outside of templates."""
    if _END_TAG_OF_A_FORM.search(source) is None:
        return []
    marker = "end-of-form"
    while marker in source:
        marker += "-"
    places: list[int] = []

    def mark(match: re.Match[str]) -> str:
        places.append(match.start())
        # An empty element, which the parser takes everywhere without further effects.
        return f"<source {marker}={len(places) - 1} "

    marked = _END_TAG_OF_A_FORM.sub(mark, source)
    found = []
    to_do = list(_children(parse(marked)))
    while to_do:
        parsed = to_do.pop()
        if isinstance(parsed, justhtml.Element):
            attributes = parsed.attrs or {}
            if parsed.name == "source" and next(iter(attributes), None) == marker:
                found.append(places[int(attributes[marker] or 0)])
            elif parsed.template_content is None:
                to_do += _children(parsed)
    return sorted(found)


def _associate_as_the_parser_does(copies: list[_Copy], end_tags: list[int]) -> None:
    """Perform the part of "create an element for a token" that is about the form element pointer.

    https://html.spec.whatwg.org/#create-an-element-for-the-token
    """
    pointers: list[tuple[int, HTMLFormElement | None]] = [(place, None) for place in end_tags]
    controls: list[tuple[int, FormAssociatedElement]] = []
    for copy in copies:
        if copy.place is not None and isinstance(copy.node, HTMLFormElement):
            pointers.append((copy.place, copy.node))
        elif copy.place is not None and isinstance(copy.node, FormAssociatedElement):
            controls.append((copy.place, copy.node))
    pointers.sort(key=itemgetter(0))
    places = [place for place, _ in pointers]
    for place, element in controls:
        index = bisect_right(places, place)
        form = pointers[index - 1][1] if index else None
        if form is None or isinstance(element, FormAssociatedCustomElement):
            continue
        if not element.is_listed or not element.has_attribute("form"):
            associate(element, form)
            element.parser_inserted_flag = True
