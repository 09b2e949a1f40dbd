"""Risks of a form that its schema does not show: what a person cannot see, what a call cannot reach, and secrets."""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

from modelcontext.people.forms.page_report import Code, FormProblem
from modelcontext.people.forms.secrets import secret_by_kind, secret_by_name
from modelcontext.people.forms.texts import quoted, start_tag
from modelcontext.platform.dom.elements import Element
from modelcontext.platform.html.forms.disabledness import is_disabled
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement
from modelcontext.platform.html.forms.labels import labels_of
from modelcontext.spec.verbs.form_verbs import attribute_applies, attribute_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from modelcontext.people.forms.hiding import Hiding
    from modelcontext.people.forms.places import Places
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement

#: What the names of decoys say, and nothing else.
_DECOY: Final = re.compile(r"honey[-_ ]?pot|bot[-_ ]?(?:field|trap)|spam[-_ ]?trap", re.IGNORECASE)
#: What decoys say, and sometimes a control that a person fills in.
_EMPTY: Final = re.compile(
    r"(?:leave|keep) .{0,40}(?:empty|blank)|(?:do not|don(?:'|\u2019)t) .{0,12}fill|are (?:a )?human|leer lassen|nicht ausf"
    r"|laisse[rz] .{0,40}vide|ne pas remplir|deja .{0,40}vac[ií]o|no rellen|(?:^|[^a-z])hp[-_]|honey|anti[-_ ]?(?:bot|spam)",
    re.IGNORECASE,
)
#: Ways of hiding that pages with steps do not use, but those with decoys.
_TRICKS: Final = ("clipped to nothing", "off the page", "transparent", "without a size")
#: What a submit button decides.
_EFFECTS: Final = ("name", "value", "formaction", "formmethod", "formenctype", "formtarget", "formnovalidate")


def risks(
    form: HTMLFormElement, groups: Mapping[str, Sequence[FormAssociatedElement]], hiding: Hiding, places: Places
) -> Iterator[FormProblem]:
    """Yield the risks of a form. ``groups`` are the controls of each parameter, and ``hiding`` is that of its document."""
    submits_itself = form.has_attribute("toolautosubmit")
    if not submits_itself and (why := hiding.of(form)):
        message = f"a person has to press its button, but cannot see it ({why})"
        yield FormProblem(
            Code.HIDDEN_FORM, places[form], message, "show it when a call comes (toolactivated), or add toolautosubmit"
        )
    reasons = [_reason(members, hiding, form) for members in groups.values()]
    required = [any(attribute_applies(member, "required") for member in members) for members in groups.values()]
    # Where a person has to fill in what is hidden, the form has steps that come later.
    has_steps = any(why and is_required for why, is_required in zip(reasons, required, strict=True))
    for members, why, is_required in zip(groups.values(), reasons, required, strict=True):
        first = members[0]
        # Scripts replace a control by another element, whose label a person sees; a select is hardly ever a decoy.
        is_replaced = not why and hiding.of(first, form) != ""
        is_usual = has_steps or is_replaced or first.local_name == "select"
        if not is_required and (signs := _signs_of_a_decoy(first, form, why, is_usual=is_usual)):
            message = f"it looks like a decoy for robots ({signs}), but a model fills it in"
            advice = "disable it, or give it a name only when the form is submitted"
            yield FormProblem(Code.DECOY, places[first], message, advice)
        elif why and not (submits_itself and getattr(first, "type_state", "") == "hidden"):
            presser = "" if submits_itself else ", who has to press the button"
            message = f"a call fills it in, but it is hidden ({why}) from the person{presser}"
            advice = "show it, or disable it while it is hidden"
            yield FormProblem(Code.HIDDEN_PARAMETER, places[first], message, advice)
        if submits_itself and (secret := _secret_of(first)):
            message = f"a model is asked for {secret}, and the form submits itself"
            yield FormProblem(
                Code.SECRET_PARAMETER, places[first], message, "remove toolautosubmit, or leave the control out"
            )
    if submits_itself:
        yield from _unreachable_buttons(form, places)


def submit_buttons(form: HTMLFormElement) -> list[FormAssociatedElement]:
    """Return the submit buttons of a form that are not disabled and differ in their effects, the default one first."""
    found: dict[tuple[str | None, ...], FormAssociatedElement] = {}
    for element in form.listed_elements:
        if element.is_submit_button and not is_disabled(element):
            found.setdefault((*map(element.get_attribute, _EFFECTS), name_of_button(element)), element)
    return list(found.values())


def name_of_button(button: FormAssociatedElement) -> str:
    """Return what a submit button says, in quotation marks, or its start tag."""
    attributes = (attribute_value(button, name) for name in ("value", "alt", "aria-label", "title"))
    text = next((text for text in (button.descendant_text_content, *attributes) if text.strip()), "")
    return quoted(text) if text else start_tag(button)


def _unreachable_buttons(form: HTMLFormElement, places: Places) -> Iterator[FormProblem]:
    buttons = submit_buttons(form)
    for button in buttons[1:]:
        message = f"no call can press it: a call always submits the form with {name_of_button(buttons[0])}"
        advice = "offer a form for each action, or let a select choose the action"
        yield FormProblem(Code.UNREACHABLE_BUTTON, places[button], message, advice)


def _reason(members: Sequence[FormAssociatedElement], hiding: Hiding, form: HTMLFormElement) -> str:
    """Return why a person sees none of some controls, or the empty string."""
    ways = [hiding.of_control(member, form) for member in members]
    return ways[0] if all(ways) else ""


def _signs_of_a_decoy(element: FormAssociatedElement, form: HTMLFormElement, why: str, *, is_usual: bool) -> str:
    """Return what makes a control look like a decoy, in words; if it is ``is_usual`` to hide it, only words do."""
    names = " ".join(attribute_value(element, name) for name in ("name", "id", "class", "placeholder"))
    apart = [
        sign
        for sign, is_there in (
            ("aria-hidden", _is_hidden_for_readers(element, form)),
            ("tabindex is negative", attribute_value(element, "tabindex").strip().startswith("-")),
        )
        if is_there
    ]
    says_so = _DECOY.search(names)
    if says_so is None and (why or apart):
        says_so = _EMPTY.search(" ".join([names, *(label.descendant_text_content for label in labels_of(element))]))
    signs = [*([why] if why else []), *apart, *([f"its words say {quoted(says_so[0])}"] if says_so else [])]
    is_trick = why in _TRICKS or len(signs) > 1 or "aria-hidden" in apart
    return ", ".join(signs) if says_so or (is_trick and not is_usual) else ""


def _is_hidden_for_readers(element: FormAssociatedElement, form: HTMLFormElement) -> bool:
    """Return whether readers of screens are kept from a control alone, and not from a step with others."""
    for node in takewhile(lambda node: node is not form, (element, *element.ancestors)):
        if isinstance(node, Element) and node.attributes.get("aria-hidden", "").lower() == "true":
            controls = (one for one in node.inclusive_descendants if isinstance(one, FormAssociatedElement))
            return len(list(islice((one for one in controls if one.form_owner is form), 2))) == 1
    return False


def _secret_of(element: FormAssociatedElement) -> str | None:
    kind = getattr(element, "type_state", element.local_name)
    if found := secret_by_kind(kind, attribute_value(element, "autocomplete")):
        return found
    labels = (label.descendant_text_content for label in labels_of(element))
    return secret_by_name(attribute_value(element, "name"), *labels) if kind in ("text", "tel", "number") else None
