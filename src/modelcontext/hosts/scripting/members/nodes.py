"""Nodes and elements for scripts (https://dom.spec.whatwg.org/#nodes)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from modelcontext.hosts.scripting import selectors
from modelcontext.hosts.scripting.loading_elements import HTMLScriptElement
from modelcontext.hosts.scripting.members.member_tables import (
    CONSTRUCTORS,
    GETTERS,
    OPERATIONS,
    Getter,
    getter,
    operation,
    setter,
)
from modelcontext.platform.dom import mutations
from modelcontext.platform.dom.elements import (
    Element,
    attach_a_shadow_root,
    remove_an_attribute,
    set_an_attribute_value,
)
from modelcontext.platform.dom.mutation_observers import MutationObserver
from modelcontext.platform.dom.nodes import (
    CharacterData,
    Comment,
    DocumentFragment,
    DocumentNode,
    Node,
    ShadowRoot,
    Text,
)
from modelcontext.platform.ecmascript.values import UNDEFINED, Throw
from modelcontext.platform.html.elements import HTML_NAMESPACE, HTMLTemplateElement
from modelcontext.platform.html.interfaces import create_an_element
from modelcontext.platform.html.parsing import parse_a_fragment
from modelcontext.platform.html.window import document_of
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.parts import Parts

_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


def elements_of(node: Node) -> list[Element]:
    """Return the children of a node that are elements."""
    return [child for child in node.children if isinstance(child, Element)]


# Nodes

_TYPES: Final = ((Element, 1), (Text, 3), (Comment, 8), (DocumentNode, 9), (DocumentFragment, 11), (ShadowRoot, 11))


@getter("Node.nodeType")
def node_type(parts: Parts, node: Node) -> int:
    """https://dom.spec.whatwg.org/#dom-node-nodetype"""
    return next(number for kind, number in _TYPES if isinstance(node, kind))


@getter("Node.nodeName")
def node_name(parts: Parts, node: Node) -> str:
    """https://dom.spec.whatwg.org/#dom-node-nodename"""
    if isinstance(node, Element):
        return tag_name(parts, node)
    names = {3: "#text", 8: "#comment", 9: "#document", 11: "#document-fragment"}
    return names[node_type(parts, node)]


GETTERS["Node.isConnected"] = lambda parts, node: node.is_connected
GETTERS["Node.parentNode"] = lambda parts, node: node.parent
GETTERS["Node.childNodes"] = lambda parts, node: list(node.children)
GETTERS["Node.firstChild"] = lambda parts, node: node.first_child
GETTERS["Node.lastChild"] = lambda parts, node: node.last_child
GETTERS["Node.previousSibling"] = lambda parts, node: node.previous_sibling
GETTERS["Node.nextSibling"] = lambda parts, node: node.next_sibling
OPERATIONS["Node.getRootNode"] = lambda parts, node: node.root
OPERATIONS["Node.contains"] = lambda parts, node, other: (
    other is not None and (node is other or node in other.ancestors)
)
GETTERS["Node.parentElement"] = lambda parts, node: node.parent if isinstance(node.parent, Element) else None
GETTERS["Node.ownerDocument"] = lambda parts, node: None if isinstance(node, DocumentNode) else node.node_document


@getter("Node.nodeValue")
def node_value(parts: Parts, node: Node) -> str | None:
    """https://dom.spec.whatwg.org/#dom-node-nodevalue"""
    return node.data if isinstance(node, CharacterData) else None


@setter("Node.nodeValue", "CharacterData.data")
def set_node_value(parts: Parts, node: Node, value: str | None) -> None:
    """https://dom.spec.whatwg.org/#dom-node-nodevalue"""
    if isinstance(node, CharacterData):
        mutations.replace_the_data(node, value or "")


GETTERS["CharacterData.data"] = lambda parts, node: node.data
GETTERS["CharacterData.length"] = lambda parts, node: len(node.data.encode("utf-16-le", "surrogatepass")) // 2


@getter("Node.textContent", "HTMLElement.innerText")
def text_content(parts: Parts, node: Node) -> str | None:
    """https://dom.spec.whatwg.org/#dom-node-textcontent"""
    if isinstance(node, CharacterData):
        return node.data
    return None if isinstance(node, DocumentNode) else node.descendant_text_content


@setter("Node.textContent", "HTMLElement.innerText")
def set_text_content(parts: Parts, node: Node, value: str | None) -> None:
    """https://dom.spec.whatwg.org/#dom-node-textcontent"""
    if isinstance(node, CharacterData):
        set_node_value(parts, node, value)
    elif not isinstance(node, DocumentNode):
        mutations.replace_all([Text(node.node_document, value)] if value else [], node)


OPERATIONS["Node.appendChild"] = lambda parts, parent, node: mutations.append(node, parent)
OPERATIONS["Node.insertBefore"] = lambda parts, parent, node, child: mutations.pre_insert(node, parent, child)


@operation("Node.removeChild")
def remove_child(parts: Parts, parent: Node, child: Node) -> Node:
    """https://dom.spec.whatwg.org/#dom-node-removechild"""
    if child.parent is not parent:
        raise Throw(DOMException("NotFoundError", "the node is not a child", parent.realm))
    mutations.remove(child)
    return child


OPERATIONS["Node.cloneNode"] = lambda parts, node, subtree: clone(node, node.node_document, subtree is True)


def clone(node: Node, document: DocumentNode, subtree: bool) -> Node:
    """https://dom.spec.whatwg.org/#concept-node-clone"""
    copy: Node
    if isinstance(node, Element):
        copy = create_an_element(document, node.local_name, node.namespace)
        for name, value in node.attributes.items():
            set_an_attribute_value(copy, name, value)
    elif isinstance(node, CharacterData):
        copy = (Text if isinstance(node, Text) else Comment)(document, node.data)
    elif isinstance(node, DocumentFragment):
        copy = DocumentFragment(document)
    else:
        raise Throw(DOMException("NotSupportedError", "documents cannot be cloned here", node.realm))
    if isinstance(node, HTMLTemplateElement) and isinstance(copy, HTMLTemplateElement) and subtree:
        for child in node.content.children:
            mutations.append(clone(child, copy.content.node_document, True), copy.content)
    if subtree:
        for child in node.children:
            mutations.append(clone(child, document, True), copy)
    return copy


for _interface in ("Element", "Document", "DocumentFragment"):
    GETTERS[f"{_interface}.children"] = lambda parts, node: elements_of(node)
    OPERATIONS[f"{_interface}.querySelectorAll"] = lambda parts, node, text: list(selectors.select_all(node, text))
    OPERATIONS[f"{_interface}.querySelector"] = lambda parts, node, text: next(selectors.select_all(node, text), None)
# Elements


@getter("Element.tagName")
def tag_name(parts: Parts, element: Element) -> str:
    """https://dom.spec.whatwg.org/#dom-element-tagname"""
    return element.local_name.upper() if element.namespace == HTML_NAMESPACE else element.local_name


GETTERS["Element.localName"] = lambda parts, element: element.local_name
GETTERS["Element.namespaceURI"] = lambda parts, element: element.namespace
GETTERS["Element.shadowRoot"] = lambda parts, element: (
    element.shadow_root if element.shadow_root is not None and element.shadow_root.mode == "open" else None
)
GETTERS["ShadowRoot.host"] = lambda parts, root: root.host
GETTERS["ShadowRoot.mode"] = lambda parts, root: root.mode
OPERATIONS["Element.attachShadow"] = lambda parts, element, init: attach_a_shadow_root(element, init["mode"])
OPERATIONS["Element.getAttribute"] = lambda parts, element, name: element.get_attribute(name.lower())
OPERATIONS["Element.hasAttribute"] = lambda parts, element, name: element.has_attribute(name.lower())
OPERATIONS["Element.getAttributeNames"] = lambda parts, element: list(element.attributes)
OPERATIONS["Element.matches"] = lambda parts, element, text: selectors.test_of(text, element)(element)


@operation("Element.setAttribute")
def set_attribute(parts: Parts, element: Element, name: str, value: str) -> None:
    """https://dom.spec.whatwg.org/#dom-element-setattribute"""
    if not name or any(character in name for character in " \t\n\f\r/=>"):
        raise Throw(DOMException("InvalidCharacterError", f'"{name}" is not a name', element.realm))
    set_an_attribute_value(element, name.lower(), value)


OPERATIONS["Element.removeAttribute"] = lambda parts, element, name: remove_an_attribute(element, name.lower())


@operation("Element.getElementsByTagName", "Document.getElementsByTagName")
def get_elements_by_tag_name(parts: Parts, node: Node, name: str) -> list[Element]:
    """https://dom.spec.whatwg.org/#concept-getelementsbytagname (a list of now)"""
    return [one for one in node.descendants if isinstance(one, Element) and name.lower() in ("*", one.local_name)]


def _html(node: Node) -> str:
    parts = []
    for one in node.children:
        if isinstance(one, Element):
            attributes = "".join(
                f' {name}="{value.replace("&", "&amp;").replace(chr(34), "&quot;")}"'
                for name, value in one.attributes.items()
            )
            inner = one.content if isinstance(one, HTMLTemplateElement) else one
            parts.append(f"<{one.local_name}{attributes}>")
            if one.local_name not in _VOID:
                parts.append(f"{_html(inner)}</{one.local_name}>")
        elif isinstance(one, Text):
            is_raw = isinstance(node, Element) and node.local_name in ("script", "style")
            escaped = one.data.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            parts.append(one.data if is_raw else escaped)
        elif isinstance(one, Comment):
            parts.append(f"<!--{one.data}-->")
    return "".join(parts)


@getter("Element.innerHTML", "ShadowRoot.innerHTML")
def inner_html(parts: Parts, element: Element | ShadowRoot) -> str:
    """https://html.spec.whatwg.org/#dom-element-innerhtml"""
    return _html(element.content if isinstance(element, HTMLTemplateElement) else element)


@getter("Element.outerHTML")
def outer_html(parts: Parts, element: Element) -> str:
    """https://html.spec.whatwg.org/#dom-element-outerhtml"""
    fragment = DocumentFragment(element.node_document)
    mutations.append(clone(element, element.node_document, True), fragment)
    return _html(fragment)


@setter("Element.outerHTML")
def set_outer_html(parts: Parts, element: Element, html: str) -> None:
    """https://html.spec.whatwg.org/#dom-element-outerhtml"""
    if isinstance(element.parent, Element):
        mutations.pre_insert(parse_fragment(parts, element.parent, html), element.parent, element)
        mutations.remove(element)


@operation("Element.moveBefore")
def move_before(parts: Parts, parent: Element, node: Node, child: Node | None) -> None:
    """https://dom.spec.whatwg.org/#dom-parentnode-movebefore"""
    mutations.move(node, parent, node.next_sibling if child is node else child)


@operation("Element.parseFragment")
def parse_fragment(parts: Parts, context: Element, html: str) -> DocumentFragment:
    """Return the nodes of some HTML, whose scripts never run (https://html.spec.whatwg.org/#dom-element-innerhtml)."""
    fragment = parse_a_fragment(context, html)
    for node in fragment.descendants:
        if isinstance(node, HTMLScriptElement):
            node.already_started = True
    return fragment


@setter("Element.innerHTML", "ShadowRoot.innerHTML")
def set_inner_html(parts: Parts, element: Element | ShadowRoot, html: str) -> None:
    """https://html.spec.whatwg.org/#dom-element-innerhtml"""
    context = element.host if isinstance(element, ShadowRoot) else element
    assert isinstance(context, Element)
    target = element.content if isinstance(element, HTMLTemplateElement) else element
    mutations.replace_all(list(parse_fragment(parts, context, html).children), target)


CONSTRUCTORS["Text"] = lambda parts, realm, data: Text(document_of(realm), "" if data is UNDEFINED else data)
CONSTRUCTORS["Comment"] = lambda parts, realm, data: Comment(document_of(realm), "" if data is UNDEFINED else data)
CONSTRUCTORS["DocumentFragment"] = lambda parts, realm: DocumentFragment(document_of(realm))

# Mutation observers

CONSTRUCTORS["MutationObserver"] = lambda parts, realm, callback: MutationObserver(
    realm, parts.realms.mutation_observers(document_of(realm)), callback
)
OPERATIONS["MutationObserver.observe"] = lambda parts, observer, target, options: observer.observe(target, options)
OPERATIONS["MutationObserver.disconnect"] = lambda parts, observer: observer.disconnect()
OPERATIONS["MutationObserver.takeRecords"] = lambda parts, observer: observer.take_records()


def _fact(name: str, default: Any) -> Getter:
    return lambda parts, record: record.facts.get(name, default)


for _name in ("type", "target", "previousSibling", "nextSibling", "attributeName", "attributeNamespace", "oldValue"):
    GETTERS[f"MutationRecord.{_name}"] = _fact(_name, None)
for _name in ("addedNodes", "removedNodes"):
    GETTERS[f"MutationRecord.{_name}"] = _fact(_name, [])
