"""HTML elements and documents for scripts (https://html.spec.whatwg.org/#dom)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from modelcontext.hosts.scripting.interfaces import reflected
from modelcontext.hosts.scripting.members.member_tables import GETTERS, OPERATIONS, SETTERS, getter, operation, setter
from modelcontext.hosts.scripting.members.nodes import clone, elements_of, set_text_content
from modelcontext.platform.dom import mutations
from modelcontext.platform.dom.elements import Element, remove_an_attribute, set_an_attribute_value
from modelcontext.platform.dom.nodes import Comment, DocumentFragment, DocumentNode, Node, Text
from modelcontext.platform.ecmascript.values import UNDEFINED, Throw
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.forms.focus import focus_update_steps, focusing_steps
from modelcontext.platform.html.forms.input_types import ValueMode, value_mode
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.submission import request_submit, submit_method
from modelcontext.platform.html.interfaces import create_an_element
from modelcontext.platform.html.parsing import parse_html
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.loading_elements import HTMLIFrameElement, HTMLScriptElement
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement


def _reflect(key: str, name: str, type: str) -> None:
    """https://html.spec.whatwg.org/#reflecting-content-attributes-in-idl-attributes"""

    def get(parts: Parts, element: HTMLElement) -> str | bool:
        value = element.get_attribute(name)
        if type == "boolean":
            return value is not None
        document = element.node_document
        if type == "USVString" and value is not None and isinstance(document, Document):
            return parts.fetcher.parse_url(value, document) or value
        return value or ""

    def set(parts: Parts, element: HTMLElement, value: Any) -> None:
        if value is False:
            remove_an_attribute(element, name)
        else:
            set_an_attribute_value(element, name, "" if value is True else value)

    GETTERS.setdefault(key, get)
    SETTERS.setdefault(key, set)


@cache
def define_reflecting_attributes() -> None:
    """Enter the attributes that stand for content attributes into the tables, once in a process."""
    for key, (name, type) in reflected().items():
        _reflect(key, name, type)


OPERATIONS["HTMLElement.click"] = lambda parts, element: click(element)
OPERATIONS["HTMLElement.focus"] = lambda parts, element: focusing_steps(element)


@operation("HTMLElement.blur")
def blur(parts: Parts, element: HTMLElement) -> None:
    """https://html.spec.whatwg.org/#dom-blur"""
    document = element.node_document
    if isinstance(document, Document) and document.focused_area is element:
        focus_update_steps(document, None)


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


@getter("HTMLScriptElement.async")
def is_async(parts: Parts, element: HTMLScriptElement) -> bool:
    """https://html.spec.whatwg.org/#dom-script-async"""
    return element.force_async or element.has_attribute("async")


@setter("HTMLScriptElement.async")
def set_async(parts: Parts, element: HTMLScriptElement, value: bool) -> None:
    """https://html.spec.whatwg.org/#dom-script-async"""
    element.force_async = False
    if value:
        set_an_attribute_value(element, "async", "")
    else:
        remove_an_attribute(element, "async")


for _interface in ("Anchor", "Script", "Title"):
    GETTERS[f"HTML{_interface}Element.text"] = lambda parts, element: element.child_text_content
    SETTERS[f"HTML{_interface}Element.text"] = set_text_content
GETTERS["HTMLTemplateElement.content"] = lambda parts, element: element.content


# Forms


GETTERS["HTMLFormElement.elements"] = lambda parts, form: [
    one for one in form.listed_elements if one.get_attribute("type") != "image"
]
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


class WindowlessDocument(DocumentNode):
    """A document without a browsing context, which scripts have made."""

    __slots__ = ("url",)

    interface = "Document"
    node_navigable = None
    focused_area = None

    def __init__(self, owner: DocumentNode, url: str) -> None:
        super().__init__(owner.realm)
        self.url = url


@operation("Document.newDocument")
def new_document(parts: Parts, owner: DocumentNode, url: str, html: str | None) -> DocumentNode:
    """Make a document of some HTML (https://html.spec.whatwg.org/#dom-domparser-parsefromstring), or an empty one without."""
    document = WindowlessDocument(owner, url)
    if html is not None:
        parse_html(document, html)
    return document


GETTERS["Node.baseURI"] = lambda parts, node: getattr(node.node_document, "url", "about:blank")
GETTERS["Document.URL"] = GETTERS["Document.documentURI"] = lambda parts, document: document.url
GETTERS["Document.documentElement"] = lambda parts, document: _document_element(document)
GETTERS["Document.head"] = lambda parts, document: _child_of_root(document, "head")
GETTERS["Document.body"] = lambda parts, document: _child_of_root(document, "body", "frameset")
GETTERS["Document.currentScript"] = lambda parts, document: (
    parts.loadings.of(document).current_script if isinstance(document, Document) else None
)
GETTERS["Document.defaultView"] = lambda parts, document: (
    document.window.proxy if document.node_navigable is not None else None
)
GETTERS["Document.activeElement"] = lambda parts, document: (
    document.focused_area or GETTERS["Document.body"](parts, document)
)
OPERATIONS["Document.createTextNode"] = lambda parts, document, data: Text(document, data)
OPERATIONS["Document.createComment"] = lambda parts, document, data: Comment(document, data)
OPERATIONS["Document.createDocumentFragment"] = lambda parts, document: DocumentFragment(document)
OPERATIONS["Document.getElementById"] = lambda parts, document, id: document.get_element_by_id(id)
OPERATIONS["Document.importNode"] = lambda parts, document, node, subtree: clone(node, document, subtree is True)


@getter("Document.readyState")
def ready_state(parts: Parts, document: DocumentNode) -> str:
    """https://html.spec.whatwg.org/#dom-document-readystate"""
    state = parts.loadings.of(document).ready_state if isinstance(document, Document) else "complete"
    return "interactive" if state == "loaded" else state


@operation("Document.write")
def write(parts: Parts, document: Document, *text: str) -> None:
    """https://html.spec.whatwg.org/#document.write()"""
    state = parts.loadings.of(document)
    # "If insertion point is undefined, then: …"
    if not state.write("".join(text)) and (
        state.current_script is None or not state.current_script.has_attribute("src")
    ):
        open_document(parts, document)
        state.write("".join(text))


@operation("Document.open")
def open_document(parts: Parts, document: Document, *_: object) -> Document:
    """https://html.spec.whatwg.org/#dom-document-open"""
    # "If document has an active parser whose script nesting level is greater than 0, then return document."
    if document.is_fully_active and not parts.loadings.of(document).write(""):
        parts.loader.open_document(document)
    return document


@operation("Document.close")
def close_document(parts: Parts, document: Document) -> None:
    """https://html.spec.whatwg.org/#dom-document-close"""
    state = parts.loadings.of(document)
    close, state.close = state.close, lambda: None
    close()


OPERATIONS["Document.writeln"] = lambda parts, document, *text: write(parts, document, *text, "\n")


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
