"""The forms of a document in a trace: their tools, their executions, and what their controls have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext.platform.dom.nodes import shadow_including_inclusive_descendants
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.select import HTMLSelectElement
from modelcontext.spec.verbs.form_terms import StateOfForm

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.html.document import Document

_CHECKED: Final = ("checkbox", "radio")
_NAMED_BY: Final = ("id", "name")


def forms_of(document: Document) -> dict[str, dict[str, Any]]:
    """Return the forms of a document that have been tools, or may become tools, by their names."""
    # A trace also looks at trees that are about to change, so what a form knows of its controls may be ahead of them.
    nodes = list(shadow_including_inclusive_descendants(document))
    controls: dict[HTMLFormElement, list[FormAssociatedElement]] = {}
    for node in nodes:
        if isinstance(node, FormAssociatedElement) and node.form_owner is not None:
            controls.setdefault(node.form_owner, []).append(node)
    found: dict[str, dict[str, Any]] = {}
    for node in nodes:
        if isinstance(node, HTMLFormElement) and (
            getattr(_state_of(node), "tool", None) or node.has_attribute("toolname")
        ):
            found[_free(_name(node), found)] = _form(node, controls.get(node, ()))
    return found


def form_changes(name: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the differences between two states of a form, one line each; None is a form that is not there."""
    if after is None:
        yield f"{name}: removed"
        return
    known = before if before is not None else {"controls": {}}
    for key in ("tool", "update", "execution"):
        if known.get(key) != after.get(key):
            yield f"{name}: {key} {after.get(key, 'none')}"
    for control, value in after["controls"].items():
        if before is not None and known["controls"].get(control) != value:
            yield f"{name}: control {control}: {value}"


def _state_of(form: HTMLFormElement) -> StateOfForm | None:
    """Return the state that the text gives to a form, if it has been needed yet; its class is that of the text."""
    return next((one for one in form.extensions.values() if isinstance(one, StateOfForm)), None)


def _form(form: HTMLFormElement, controls: Sequence[FormAssociatedElement]) -> dict[str, Any]:
    state = _state_of(form)
    found: dict[str, Any] = {}
    if (tool := getattr(state, "tool", None)) is not None:
        found["tool"] = tool.definition.name
    if state is not None and state.updating_document is not None:
        found["update"] = "queued"
    if (execution := getattr(state, "execution", None)) is not None:
        button = f", chosen button {_name(execution.chosen_button)}" if execution.chosen_button is not None else ""
        found["execution"] = f"{execution.id} {execution.state}{button}"
    values: dict[str, str] = {}
    for control in controls:
        if (value := _value(control)) is not None:
            values[_free(_name(control), values)] = value
    return {**found, "controls": values}


def _value(control: FormAssociatedElement) -> str | None:
    if isinstance(control, HTMLInputElement):
        if control.type_state in _CHECKED:
            return "checked" if control.checkedness else "not checked"
        return f'"{control.value}"'
    if isinstance(control, HTMLTextAreaElement):
        return f'"{control.raw_value}"'
    if isinstance(control, HTMLSelectElement):
        chosen = [f'"{option.value}"' for option in control.list_of_options if option.selectedness]
        return ", ".join(chosen) or "nothing selected"
    return None


def _name(element: Element) -> str:
    return next((found for key in _NAMED_BY if (found := element.get_attribute(key))), element.local_name)


def _free(name: str, taken: Mapping[str, object]) -> str:
    """Return a name, with a number if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free
