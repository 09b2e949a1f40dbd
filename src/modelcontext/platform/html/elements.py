"""HTML elements (https://html.spec.whatwg.org/#elements), and the categories that forms put them into.

Of the elements without a part in forms only the common interface exists.
"""

from __future__ import annotations

from typing import ClassVar, Final

from modelcontext.platform.dom.dispatching import dispatch
from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.events import Event
from modelcontext.platform.dom.mutations import adopt
from modelcontext.platform.dom.nodes import DocumentFragment, DocumentNode, Node
from modelcontext.platform.html.document import Document

HTML_NAMESPACE: Final = "http://www.w3.org/1999/xhtml"

_LABELABLE_WITHOUT_INTERFACE: Final = frozenset({"meter", "progress"})
_INERT_TEMPLATE_DOCUMENT: Final = "associated inert template document"


class HTMLElement(Element):
    """An HTML element (https://html.spec.whatwg.org/#htmlelement)."""

    __slots__ = ("click_in_progress_flag",)

    interface: ClassVar[str] = "HTMLElement"
    #: https://html.spec.whatwg.org/#category-listed
    is_listed: ClassVar[bool] = False
    #: https://html.spec.whatwg.org/#category-submit
    is_submittable: ClassVar[bool] = False
    #: https://html.spec.whatwg.org/#category-reset
    is_resettable: ClassVar[bool] = False

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name, HTML_NAMESPACE)
        self.click_in_progress_flag = False

    @property
    def is_labelable(self) -> bool:
        """https://html.spec.whatwg.org/#category-label"""
        return self.local_name in _LABELABLE_WITHOUT_INTERFACE

    @property
    def is_disabled(self) -> bool:
        """True of a form control that is disabled (https://html.spec.whatwg.org/#concept-fe-disabled)."""
        return False

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#html-element-removing-steps"""
        document = self.node_document
        if isinstance(document, Document) and document.focused_area is self:
            document.focused_area = None


class HTMLTemplateElement(HTMLElement):
    """A template (https://html.spec.whatwg.org/#the-template-element)."""

    __slots__ = ("content",)

    interface: ClassVar[str] = "HTMLTemplateElement"

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.content = DocumentFragment(appropriate_template_contents_owner_document(node_document))

    def adopting_steps(self, old_document: DocumentNode) -> None:
        """https://html.spec.whatwg.org/#the-template-element:concept-node-adopt-ext"""
        adopt(self.content, appropriate_template_contents_owner_document(self.node_document))


def appropriate_template_contents_owner_document(document: DocumentNode) -> DocumentNode:
    """https://html.spec.whatwg.org/#appropriate-template-contents-owner-document"""
    if not isinstance(document, Document):
        return document  # It has no browsing context, so it is inert itself.
    inert = document.extensions.get(_INERT_TEMPLATE_DOCUMENT)
    if not isinstance(inert, DocumentNode):
        inert = document.extensions[_INERT_TEMPLATE_DOCUMENT] = DocumentNode(document.realm)
    return inert


def click(element: HTMLElement) -> None:
    """https://html.spec.whatwg.org/#dom-click"""
    if element.is_disabled or element.click_in_progress_flag:
        return
    element.click_in_progress_flag = True
    fire_a_synthetic_pointer_event(element, "click", is_trusted=False)
    element.click_in_progress_flag = False


def fire_a_synthetic_pointer_event(target: Element, name: str, *, is_trusted: bool) -> bool:
    """https://html.spec.whatwg.org/#fire-a-synthetic-pointer-event"""
    event = Event(target.node_document.realm, name, "PointerEvent", bubbles=True, cancelable=True, composed=True)
    event.is_trusted = is_trusted
    return dispatch(event, target)
