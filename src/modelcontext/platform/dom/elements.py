"""Elements and their attributes (https://dom.spec.whatwg.org/#interface-element).

Only attributes without a namespace exist: no others have a meaning for forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from modelcontext.platform.dom.mutation_observers import queue_a_mutation_record
from modelcontext.platform.dom.nodes import IdObserver, ShadowRoot
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import DocumentNode


class Element(IdObserver):
    """An element. ``attributes`` are the values of its attributes by local name, in order."""

    __slots__ = ("attributes", "local_name", "namespace", "shadow_root")

    interface: ClassVar[str] = "Element"

    def __init__(self, node_document: DocumentNode, local_name: str, namespace: str) -> None:
        super().__init__(node_document, node_document.realm)
        self.local_name = local_name
        self.namespace = namespace
        self.attributes: dict[str, str] = {}
        self.shadow_root: ShadowRoot | None = None

    def __repr__(self) -> str:
        id_ = self.attributes.get("id")
        return f"<{self.local_name}>" if id_ is None else f"<{self.local_name} id={id_}>"

    @property
    def slottable_name(self) -> str | None:
        """https://dom.spec.whatwg.org/#slotable-name"""
        return self.attributes.get("slot", "")

    @property
    def slot_name(self) -> str | None:
        """https://dom.spec.whatwg.org/#slot-name"""
        return self.attributes.get("name", "") if self.local_name == "slot" else None

    def get_attribute(self, name: str) -> str | None:
        """https://dom.spec.whatwg.org/#dom-element-getattribute"""
        return self.attributes.get(name)

    def has_attribute(self, name: str) -> bool:
        """https://dom.spec.whatwg.org/#dom-element-hasattribute"""
        return name in self.attributes

    def concerns_its_tree(self, local_name: str) -> bool:
        """Return whether a change of an attribute can matter to what looks at the whole tree."""
        return True

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://dom.spec.whatwg.org/#concept-element-attributes-change-ext"""


def handle_attribute_changes(element: Element, local_name: str, old_value: str | None, value: str | None) -> None:
    """https://dom.spec.whatwg.org/#handle-attribute-changes"""
    queue_a_mutation_record("attributes", element, local_name, old_value)
    scope = element.tree_scope
    if scope is not None:
        scope.derived.clear()
        if local_name == "id":
            removed = [old_value] if old_value and scope.remove_id(old_value, element) else []
            added = [value] if value and scope.add_id(value, element) else []
            scope.tell_observers(removed + added)
    element.attribute_change_steps(local_name, old_value, value)
    if local_name.startswith("on"):
        element.node_document.event_handler_content_attribute_steps(element, local_name, value)
    if scope is not None and element.concerns_its_tree(local_name):
        scope.node_document.tree_change_steps(scope)


def set_an_attribute_value(element: Element, local_name: str, value: str) -> None:
    """https://dom.spec.whatwg.org/#concept-element-attributes-set-value"""
    old_value = element.attributes.get(local_name)
    element.attributes[local_name] = value
    handle_attribute_changes(element, local_name, old_value, value)


def remove_an_attribute(element: Element, local_name: str) -> None:
    """https://dom.spec.whatwg.org/#concept-element-attributes-remove-by-name"""
    if local_name in element.attributes:
        old_value = element.attributes.pop(local_name)
        handle_attribute_changes(element, local_name, old_value, None)


def attach_a_shadow_root(element: Element, mode: str) -> ShadowRoot:
    """https://dom.spec.whatwg.org/#concept-attach-a-shadow-root (of the elements that can have one, the caller knows)

    Raises:
        Throw: a NotSupportedError, if the element has a shadow root.
    """
    if element.shadow_root is not None:
        raise Throw(DOMException("NotSupportedError", "the element is a shadow host already", element.realm))
    element.shadow_root = ShadowRoot(element, mode)
    return element.shadow_root
