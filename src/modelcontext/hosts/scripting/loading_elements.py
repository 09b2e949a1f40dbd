"""The elements that load: iframes and scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedCustomElement, FormAssociatedElement

if TYPE_CHECKING:
    from modelcontext.platform.dom.events import Event
    from modelcontext.platform.dom.nodes import DocumentNode, Node
    from modelcontext.platform.html.navigable import NavigableContainer


#: The extension of a document that has its loader.
LOADER: Final = "loader"


class ElementLoader(Protocol):
    """The loader of a document, as its elements see it."""

    def iframe_was_inserted(self, element: HTMLIFrameElement) -> None:
        """https://html.spec.whatwg.org/#the-iframe-element:html-element-insertion-steps"""

    def iframe_was_removed(self, element: HTMLIFrameElement) -> None:
        """https://html.spec.whatwg.org/#destroy-a-child-navigable"""

    def iframe_attribute_was_changed(self, element: HTMLIFrameElement, name: str, value: str | None) -> None:
        """https://html.spec.whatwg.org/#process-the-iframe-attributes"""

    def prepare_the_script_element(self, element: HTMLScriptElement) -> None:
        """https://html.spec.whatwg.org/#prepare-the-script-element (of a script that no parser has inserted)"""

    def follow_the_hyperlink(self, element: HTMLAnchorElement) -> None:
        """https://html.spec.whatwg.org/#following-hyperlinks-2"""

    def enqueue_a_custom_element_reaction(self, element: HTMLElement, callback: str, *values: str | None) -> None:
        """https://html.spec.whatwg.org/#enqueue-a-custom-element-callback-reaction"""


class HTMLIFrameElement(HTMLElement):
    """An iframe (https://html.spec.whatwg.org/#the-iframe-element); ``container`` is None outside of a document."""

    __slots__ = ("container",)

    interface: ClassVar[str] = "HTMLIFrameElement"

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.container: NavigableContainer | None = None

    def insertion_steps(self) -> None:
        """https://html.spec.whatwg.org/#the-iframe-element:html-element-insertion-steps"""
        loader = loader_of(self)
        if loader is not None and self.is_connected:
            loader.iframe_was_inserted(self)

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#the-iframe-element:html-element-removing-steps"""
        super().removing_steps(is_subtree_root, old_ancestor)
        loader = loader_of(self)
        if loader is not None and self.container is not None:
            loader.iframe_was_removed(self)

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://html.spec.whatwg.org/#process-the-iframe-attributes"""
        loader = loader_of(self)
        if loader is not None and self.container is not None:
            loader.iframe_attribute_was_changed(self, local_name, value)


class HTMLAnchorElement(HTMLElement):
    """A link (https://html.spec.whatwg.org/#the-a-element)."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLAnchorElement"

    @property
    def has_activation_behavior(self) -> bool:
        """True if it is a hyperlink (https://html.spec.whatwg.org/#the-a-element:activation-behaviour)."""
        return self.has_attribute("href")

    def activation_behavior(self, event: Event) -> None:
        """https://html.spec.whatwg.org/#the-a-element:activation-behaviour"""
        loader = loader_of(self)
        if loader is not None:
            loader.follow_the_hyperlink(self)


class CustomElement(FormAssociatedElement):
    """An element whose name is that of a custom element (https://html.spec.whatwg.org/#custom-elements).

    It can become form-associated later, so it has a form owner from its beginning, which is not listed.
    """

    __slots__ = ()

    def _react(self, callback: str, *values: str | None) -> None:
        loader = loader_of(self)
        if loader is not None:
            loader.enqueue_a_custom_element_reaction(self, callback, *values)

    def insertion_steps(self) -> None:
        """https://dom.spec.whatwg.org/#concept-node-insert (step 7.7)"""
        super().insertion_steps()
        if self.is_connected:
            self._react("connectedCallback")

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://dom.spec.whatwg.org/#concept-node-remove (step 14)"""
        super().removing_steps(is_subtree_root, old_ancestor)
        if old_ancestor.is_connected:
            self._react("disconnectedCallback")

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://dom.spec.whatwg.org/#handle-attribute-changes (step 2)"""
        super().attribute_change_steps(local_name, old_value, value)
        self._react("attributeChangedCallback", local_name, old_value, value, None)


class FormAssociatedElementOfScripts(CustomElement, FormAssociatedCustomElement):
    """An element whose name is that of a form-associated custom element."""

    __slots__ = ()


class HTMLScriptElement(HTMLElement):
    """A script (https://html.spec.whatwg.org/#the-script-element)."""

    __slots__ = ("already_started", "force_async", "is_parser_inserted")

    interface: ClassVar[str] = "HTMLScriptElement"

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.already_started = False
        self.is_parser_inserted = False
        self.force_async = True

    def insertion_steps(self) -> None:
        """https://html.spec.whatwg.org/#script-processing-model"""
        self._may_be_ready()

    def children_changed_steps(self) -> None:
        """https://html.spec.whatwg.org/#script-processing-model"""
        self._may_be_ready()

    def _may_be_ready(self) -> None:
        loader = loader_of(self)
        if loader is not None and self.is_connected and not self.is_parser_inserted:
            loader.prepare_the_script_element(self)


def loader_of(element: HTMLElement) -> ElementLoader | None:
    """Return the loader of an element's document, or None if that has no browsing context."""
    document = element.node_document
    if not isinstance(document, Document):
        return None
    loader: ElementLoader | None = document.extensions.get(LOADER)  # type: ignore[assignment]
    return loader
