"""Creating elements with the interfaces that their names stand for."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from modelcontext.platform.dom.elements import Element
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTML_NAMESPACE, HTMLElement, HTMLTemplateElement
from modelcontext.platform.html.forms.disabledness import HTMLFieldSetElement, HTMLLegendElement
from modelcontext.platform.html.forms.form_controls import (
    HTMLButtonElement,
    HTMLInputElement,
    HTMLObjectElement,
    HTMLOutputElement,
    HTMLTextAreaElement,
)
from modelcontext.platform.html.forms.form_owners import FormAssociatedCustomElement, HTMLFormElement
from modelcontext.platform.html.forms.labels import HTMLLabelElement
from modelcontext.platform.html.forms.select import (
    HTMLDataListElement,
    HTMLOptGroupElement,
    HTMLOptionElement,
    HTMLSelectElement,
)

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import DocumentNode

_INTERFACES: Final[dict[str, type[HTMLElement]]] = {
    "button": HTMLButtonElement,
    "datalist": HTMLDataListElement,
    "fieldset": HTMLFieldSetElement,
    "form": HTMLFormElement,
    "input": HTMLInputElement,
    "label": HTMLLabelElement,
    "legend": HTMLLegendElement,
    "object": HTMLObjectElement,
    "optgroup": HTMLOptGroupElement,
    "option": HTMLOptionElement,
    "output": HTMLOutputElement,
    "select": HTMLSelectElement,
    "template": HTMLTemplateElement,
    "textarea": HTMLTextAreaElement,
}


def create_an_element(
    document: DocumentNode,
    local_name: str,
    namespace: str = HTML_NAMESPACE,
    *,
    form_associated: Collection[str] = (),
) -> Element:
    """https://dom.spec.whatwg.org/#concept-create-element

    Args:
        document: the node document.
        local_name: the local name.
        namespace: the namespace.
        form_associated: the names of the form-associated custom elements.
    """
    if namespace != HTML_NAMESPACE:
        return Element(document, local_name, namespace)
    if local_name in form_associated:
        return FormAssociatedCustomElement(document, local_name)
    further = document.event_loop.user_agent.further_elements if isinstance(document, Document) else {}
    custom = further.get("-", HTMLElement) if "-" in local_name else HTMLElement
    return (further.get(local_name) or _INTERFACES.get(local_name, custom))(document, local_name)
