"""Labels and labeled controls (https://html.spec.whatwg.org/#the-label-element)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias, cast

from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.nodes import Node, Text, TreeScope
from modelcontext.platform.html.elements import HTMLElement, fire_a_synthetic_pointer_event

if TYPE_CHECKING:
    from modelcontext.platform.dom.events import Event

LabelsAndControls: TypeAlias = tuple["dict[HTMLLabelElement, HTMLElement]", "dict[HTMLElement, list[HTMLLabelElement]]"]

_LABELS: Final = "labels"
#: The labelable elements that are no interactive content.
_NOT_INTERACTIVE: Final = frozenset({"meter", "output", "progress"})


class HTMLLabelElement(HTMLElement):
    """A label."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLLabelElement"

    @property
    def has_activation_behavior(self) -> bool:
        """https://html.spec.whatwg.org/#the-label-element"""
        return True

    def activation_behavior(self, event: Event) -> None:
        """Click the labeled control, as labels of the platforms do (https://html.spec.whatwg.org/#the-label-element)."""
        control = labeled_control(self)
        if control is None or control.is_disabled or _is_for_interactive_content(event, self, control):
            return
        fire_a_synthetic_pointer_event(control, "click", is_trusted=event.is_trusted)


def _is_for_interactive_content(event: Event, label: HTMLLabelElement, control: HTMLElement) -> bool:
    """Return whether an event is targeted at a label's control, at other interactive content in it, or inside of those."""
    node = event.target if isinstance(event.target, Node) else None
    while node is not None and node is not label:
        if node is control or (isinstance(node, HTMLElement) and _is_interactive_content(node)):
            return True
        node = node.parent
    return False


def _is_interactive_content(element: HTMLElement) -> bool:
    """Return whether an element is interactive (https://html.spec.whatwg.org/#interactive-content), of those in programs."""
    if element.local_name == "a":
        return element.has_attribute("href")
    return element.local_name == "label" or (element.is_labelable and element.local_name not in _NOT_INTERACTIVE)


def labeled_control(label: HTMLLabelElement) -> HTMLElement | None:
    """https://html.spec.whatwg.org/#labeled-control"""
    return _labels_and_controls(label)[0].get(label)


def labels_of(element: HTMLElement) -> list[HTMLLabelElement]:
    """Return the labels of a labelable element in tree order (https://html.spec.whatwg.org/#dom-lfe-labels)."""
    return _labels_and_controls(element)[1].get(element, [])


def _labels_and_controls(element: HTMLElement) -> LabelsAndControls:
    """Return the controls by label and the labels by control, kept until the tree changes."""
    root = element.root
    derived = root.derived if isinstance(root, TreeScope) else {}
    if _LABELS not in derived:
        controls = _labeled_controls(root)
        labels: dict[HTMLElement, list[HTMLLabelElement]] = {}
        for label, control in controls.items():
            labels.setdefault(control, []).append(label)
        derived[_LABELS] = controls, labels
    return cast("LabelsAndControls", derived[_LABELS])


def _labeled_controls(root: Node) -> dict[HTMLLabelElement, HTMLElement]:
    """Return the labeled controls of all labels of a tree, labels in tree order, in one walk."""
    controls: dict[HTMLLabelElement, HTMLElement | None] = {}
    first_with_id: dict[str, HTMLElement | None] = {}
    open_labels: list[HTMLLabelElement] = []  # Those around the node that have no control yet.
    for node, enters in root.walk():
        if not enters:
            if open_labels and open_labels[-1] is node:
                open_labels.pop()
            continue
        id_ = node.get_attribute("id") if isinstance(node, Element) else None
        labelable = node if isinstance(node, HTMLElement) and node.is_labelable else None
        if id_:
            first_with_id.setdefault(id_, labelable)
        if labelable is not None:
            controls.update(dict.fromkeys(open_labels, labelable))
            open_labels.clear()
        elif isinstance(node, HTMLLabelElement):
            controls[node] = None
            if not node.has_attribute("for"):
                open_labels.append(node)
    for label in controls:
        if label.has_attribute("for"):
            controls[label] = first_with_id.get(label.attributes["for"])
    return {label: control for label, control in controls.items() if control is not None}


def text_without_labelable_elements(label: HTMLLabelElement) -> str:
    """Return the descendant text content of a label without that of the labelable elements among its descendants."""
    texts = []
    inside: Node | None = None
    for node, enters in label.walk():
        if not enters:
            inside = None if node is inside else inside
        elif inside is None and isinstance(node, HTMLElement) and node.is_labelable:
            inside = node
        elif inside is None and isinstance(node, Text):
            texts.append(node.data)
    return "".join(texts)
