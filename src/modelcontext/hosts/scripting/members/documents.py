"""HTML elements and documents for scripts (https://html.spec.whatwg.org/#dom)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from modelcontext.hosts.scripting.interfaces import reflected
from modelcontext.hosts.scripting.members.member_tables import GETTERS, OPERATIONS, SETTERS, getter, operation, setter
from modelcontext.hosts.scripting.members.nodes import clone, elements_of, get_elements_by_tag_name, set_text_content
from modelcontext.platform.dom import mutations
from modelcontext.platform.dom.elements import Element, remove_an_attribute, set_an_attribute_value
from modelcontext.platform.dom.events import Event
from modelcontext.platform.dom.nodes import Comment, DocumentFragment, DocumentNode, Node, Text
from modelcontext.platform.ecmascript.values import UNDEFINED, Throw, type_error
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.forms.focus import focusing_steps
from modelcontext.platform.html.forms.input_types import ValueMode, value_mode
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.submission import request_submit, submit_method
from modelcontext.platform.html.interfaces import create_an_element
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.loading_elements import HTMLIFrameElement, HTMLScriptElement
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement


def _reflect(key: str, name: str) -> None:
    GETTERS.setdefault(key, lambda parts, element: element.get_attribute(name) or "")
    SETTERS.setdefault(key, lambda parts, element, value: set_an_attribute_value(element, name, value))


@cache
def define_reflecting_attributes() -> None:
    """Enter the attributes that stand for content attributes into the tables, once in a process."""
    for key, name in reflected().items():
        _reflect(key, name)


@operation("HTMLElement.click")
def html_element_click(parts: Parts, element: HTMLElement) -> None:
    """https://html.spec.whatwg.org/#dom-click"""
    click(element)


@operation("HTMLElement.focus")
def focus(parts: Parts, element: HTMLElement) -> None:
    """https://html.spec.whatwg.org/#dom-focus"""
    focusing_steps(element)


@operation("HTMLElement.blur")
def blur(parts: Parts, element: HTMLElement) -> None:
    """https://html.spec.whatwg.org/#dom-blur"""
    document = element.node_document
    if isinstance(document, Document) and document.focused_area is element:
        document.focused_area = None


# Iframes and scripts


@getter("HTMLIFrameElement.contentWindow")
def content_window(parts: Parts, element: HTMLIFrameElement) -> Any:
    """https://html.spec.whatwg.org/#dom-iframe-contentwindow"""
    navigable = element.container.content_navigable if element.container is not None else None
    return navigable.window_proxy if navigable is not None else None


@getter("HTMLIFrameElement.contentDocument")
def content_document(parts: Parts, element: HTMLIFrameElement) -> Document | None:
    """https://html.spec.whatwg.org/#dom-iframe-contentdocument"""
    navigable = element.container.content_navigable if element.container is not None else None
    document = navigable.active_document if navigable is not None else None
    own = element.node_document
    assert isinstance(own, Document)
    return document if document is not None and document.agent is own.agent else None


@getter("HTMLIFrameElement.src", "HTMLScriptElement.src")
def src(parts: Parts, element: HTMLElement) -> str:
    """https://html.spec.whatwg.org/#dom-iframe-src"""
    value = element.get_attribute("src")
    document = element.node_document
    if value is None or not isinstance(document, Document):
        return value or ""
    return parts.fetcher.parse_url(value, document) or value


@setter("HTMLIFrameElement.src", "HTMLScriptElement.src")
def set_src(parts: Parts, element: HTMLElement, value: str) -> None:
    """https://html.spec.whatwg.org/#dom-iframe-src"""
    set_an_attribute_value(element, "src", value)


@getter("HTMLScriptElement.async")
def is_async(parts: Parts, element: HTMLScriptElement) -> bool:
    """https://html.spec.whatwg.org/#dom-script-async"""
    return element.force_async or element.has_attribute("async")


@setter("HTMLScriptElement.async")
def set_async(parts: Parts, element: HTMLScriptElement, value: bool) -> None:
    """https://html.spec.whatwg.org/#dom-script-async"""
    element.force_async = False
    SETTERS["HTMLScriptElement.defer"](parts, element, element.has_attribute("defer"))
    if value:
        set_an_attribute_value(element, "async", "")
    else:
        remove_an_attribute(element, "async")


GETTERS["HTMLScriptElement.text"] = lambda parts, element: element.child_text_content
SETTERS["HTMLScriptElement.text"] = set_text_content
GETTERS["HTMLTemplateElement.content"] = lambda parts, element: element.content


# Forms


@getter("HTMLFormElement.elements")
def elements(parts: Parts, form: HTMLFormElement) -> dict[str, object]:
    """https://html.spec.whatwg.org/#dom-form-elements (its items, and the place of the first one of each name)"""
    items = [one for one in form.listed_elements if one.get_attribute("type") != "image"]
    names: dict[str, object] = {}
    for place, one in enumerate(items):
        for name in (one.get_attribute("id"), one.get_attribute("name")):
            if name:
                names.setdefault(name, place)
    return {"items": items, "names": names}


GETTERS["HTMLFormElement.length"] = lambda parts, form: len(list(form.listed_elements))
OPERATIONS["HTMLFormElement.reset"] = lambda parts, form: reset(form)
OPERATIONS["HTMLFormElement.submit"] = lambda parts, form: submit_method(form) and None
OPERATIONS["HTMLFormElement.requestSubmit"] = lambda parts, form, submitter: (
    request_submit(form, None if submitter is UNDEFINED else submitter) and None
)
for _interface in ("Input", "TextArea", "Select", "Button"):
    GETTERS[f"HTML{_interface}Element.form"] = lambda parts, element: element.form_owner


@getter("HTMLInputElement.value")
def input_value(parts: Parts, element: HTMLInputElement) -> str:
    """https://html.spec.whatwg.org/#dom-input-value"""
    mode = value_mode(element.type_state)
    if mode in (ValueMode.DEFAULT, ValueMode.DEFAULT_ON):
        value = element.get_attribute("value")
        return value if value is not None else ("on" if mode is ValueMode.DEFAULT_ON else "")
    return element.value


@setter("HTMLInputElement.value")
def set_input_value(parts: Parts, element: HTMLInputElement, value: str) -> None:
    """https://html.spec.whatwg.org/#dom-input-value"""
    if value_mode(element.type_state) in (ValueMode.DEFAULT, ValueMode.DEFAULT_ON):
        set_an_attribute_value(element, "value", value)
        return
    element.set_value(value)
    element.dirty_value_flag = True


@getter("HTMLTextAreaElement.value")
def text_area_value(parts: Parts, element: HTMLTextAreaElement) -> str:
    """https://html.spec.whatwg.org/#dom-textarea-value"""
    return element.raw_value.replace("\r\n", "\n").replace("\r", "\n")


@setter("HTMLTextAreaElement.value")
def set_text_area_value(parts: Parts, element: HTMLTextAreaElement, value: str) -> None:
    """https://html.spec.whatwg.org/#dom-textarea-value"""
    element.raw_value, element.dirty_value_flag = value, True


GETTERS["HTMLInputElement.checked"] = lambda parts, element: element.checkedness
GETTERS["HTMLInputElement.type"] = lambda parts, element: element.type_state
SETTERS["HTMLInputElement.type"] = lambda parts, element, value: set_an_attribute_value(element, "type", value)


@setter("HTMLInputElement.checked")
def set_checked(parts: Parts, element: HTMLInputElement, value: bool) -> None:
    """https://html.spec.whatwg.org/#dom-input-checked"""
    element.dirty_checkedness_flag = True
    element.set_checkedness(value)


# Documents


def _document_element(document: DocumentNode) -> Element | None:
    return next(iter(elements_of(document)), None)


def _child_of_root(document: DocumentNode, *names: str) -> Element | None:
    root = _document_element(document)
    return next((one for one in elements_of(root) if one.local_name in names), None) if root is not None else None


GETTERS["Document.URL"] = GETTERS["Document.documentURI"] = lambda parts, document: document.url
GETTERS["Document.documentElement"] = lambda parts, document: _document_element(document)
GETTERS["Document.head"] = lambda parts, document: _child_of_root(document, "head")
GETTERS["Document.body"] = lambda parts, document: _child_of_root(document, "body", "frameset")
GETTERS["Document.readyState"] = lambda parts, document: {"loaded": "interactive"}.get(
    parts.loadings.of(document).ready_state, parts.loadings.of(document).ready_state
)
GETTERS["Document.currentScript"] = lambda parts, document: parts.loadings.of(document).current_script
GETTERS["Document.compatMode"] = lambda parts, document: "CSS1Compat"
GETTERS["Document.characterSet"] = lambda parts, document: "UTF-8"
GETTERS["Document.contentType"] = lambda parts, document: "text/html"
GETTERS["Document.visibilityState"] = lambda parts, document: "visible"
GETTERS["Document.hidden"] = lambda parts, document: False
GETTERS["Document.referrer"] = lambda parts, document: ""
GETTERS["Document.defaultView"] = lambda parts, document: (
    document.window.proxy if document.node_navigable is not None else None
)
GETTERS["Document.activeElement"] = lambda parts, document: (
    document.focused_area or GETTERS["Document.body"](parts, document)
)
GETTERS["Document.scripts"] = lambda parts, document: get_elements_by_tag_name(parts, document, "script")
GETTERS["Document.forms"] = lambda parts, document: get_elements_by_tag_name(parts, document, "form")
OPERATIONS["Document.hasFocus"] = lambda parts, document: True
OPERATIONS["Document.createTextNode"] = lambda parts, document, data: Text(document, data)
OPERATIONS["Document.createComment"] = lambda parts, document, data: Comment(document, data)
OPERATIONS["Document.createDocumentFragment"] = lambda parts, document: DocumentFragment(document)
OPERATIONS["Document.getElementById"] = lambda parts, document, id: document.get_element_by_id(id)
OPERATIONS["Document.getElementsByName"] = lambda parts, document, name: [
    one for one in document.descendants if isinstance(one, Element) and one.get_attribute("name") == name
]
OPERATIONS["Document.importNode"] = lambda parts, document, node, subtree: clone(node, document, subtree is True)


@operation("Document.write")
def write(parts: Parts, document: Document, *text: str) -> None:
    """https://html.spec.whatwg.org/#document.write() (of a script that the parser waits for)"""
    if not parts.loadings.of(document).write("".join(text)):
        parts.realms.observed.missing["document.write() after parsing"] += 1
        raise type_error("document.write() is not implemented for a document that is not being parsed", document.realm)


@operation("Document.writeln")
def writeln(parts: Parts, document: Document, *text: str) -> None:
    """https://html.spec.whatwg.org/#dom-document-writeln"""
    write(parts, document, *text, "\n")


@operation("Document.adoptNode")
def adopt_node(parts: Parts, document: Document, node: Node) -> Node:
    """https://dom.spec.whatwg.org/#dom-document-adoptnode"""
    mutations.adopt(node, document)
    return node


@operation("Document.createElement")
def create_element(parts: Parts, document: Document, name: str) -> Element:
    """https://dom.spec.whatwg.org/#dom-document-createelement"""
    if (
        not name
        or not (name[0].isalpha() or name[0] in "_:" or not name[0].isascii())
        or any(one in name for one in " \t\n<>/=")
    ):
        raise Throw(DOMException("InvalidCharacterError", f'"{name}" is not a name of an element', document.realm))
    return create_an_element(document, name.lower())


@operation("Document.createElementNS")
def create_element_ns(parts: Parts, document: Document, namespace: str | None, name: str) -> Element:
    """https://dom.spec.whatwg.org/#dom-document-createelementns"""
    return create_an_element(document, name.rpartition(":")[2], namespace or "")


@operation("Document.createEvent")
def create_event(parts: Parts, document: Document, interface: str) -> Event:
    """https://dom.spec.whatwg.org/#dom-document-createevent"""
    names = {"event": "Event", "events": "Event", "htmlevents": "Event"}
    if interface.lower() not in names:
        raise Throw(DOMException("NotSupportedError", f"{interface} cannot be made so here", document.realm))
    return Event(document.realm, "")


@getter("Document.title")
def title(parts: Parts, document: Document) -> str:
    """https://html.spec.whatwg.org/#document.title"""
    found = get_elements_by_tag_name(parts, document, "title")
    return " ".join(found[0].child_text_content.split()) if found else ""


@setter("Document.title")
def set_title(parts: Parts, document: Document, value: str) -> None:
    """https://html.spec.whatwg.org/#document.title"""
    found = get_elements_by_tag_name(parts, document, "title")
    head = _child_of_root(document, "head")
    if not found and head is not None:
        found = [create_an_element(document, "title")]
        mutations.append(found[0], head)
    if found:
        set_text_content(parts, found[0], value)
