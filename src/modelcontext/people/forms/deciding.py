"""Running algorithms of the specification, with the step that decided each result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from modelcontext.people.forms.page_report import DecidingStep
from modelcontext.people.forms.texts import quoted, start_tag
from modelcontext.platform.html.forms.disabledness import is_in_a_disabled_fieldset
from modelcontext.platform.html.forms.form_owners import FormAssociatedCustomElement
from modelcontext.platform.infra.strings import code_unit_length
from modelcontext.programs.tracing.instrumentation import StepOf
from modelcontext.programs.tracing.probes import inventory, with_probes
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.verbs.form_verbs import attribute_value, is_connected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement

_LONGEST_NAME: Final = 128

#: Why a group of controls is no parameter, by the step that decides it.
_REASONS_OF_GROUPS: Final[Mapping[str, str]] = {
    "synthesize-a-parameter-schema 3.1": "several controls have this name, and are not all checkboxes or all radio buttons",
    "synthesize-a-parameter-schema 3.2": "several controls have this name, and they are not all of one kind",
    "synthesize-a-parameter-schema 4.2": "it has no option that can be chosen",
}


class Algorithms:
    """The algorithms of the current revision, in a copy that tells the steps it runs."""

    def __init__(self) -> None:
        self._reached: list[StepOf] = []
        self._algorithms = with_probes(REVISION, self._reached.append).algorithms
        self._texts = inventory(REVISION.package).texts

    def run(self, id_: str, *arguments: object) -> tuple[Any, DecidingStep]:
        """Run an algorithm, and return its result and its last step."""
        self._reached.clear()
        result = self._algorithms[id_](*arguments)
        last = next(step for step in reversed(self._reached) if step.algorithm == id_)
        return result, DecidingStep(last.algorithm, last.number, self._texts[last])

    def step(self, algorithm: str, number: str) -> DecidingStep:
        """Return a step by its number."""
        return DecidingStep(algorithm, number, self._texts[StepOf(algorithm, number)])


def reason_of_form(form: HTMLFormElement, step: DecidingStep) -> str:
    """Return why a form offers no tool, in words, given the step of "offers a tool" that decided it."""
    match str(step):
        case "offers-a-tool 1" if not is_connected(form):
            return "it is in a template, and a script must copy it into the page"
        case "offers-a-tool 2":
            return "scripts are off in its frame, whose sandbox attribute has no allow-scripts"
        case "offers-a-tool 3":
            return 'its document is not allowed to use the feature "tools"'
        case "offers-a-tool 4":
            missing = [name for name in ("toolname", "tooldescription") if not form.has_attribute(name)]
            return f"it has no attribute {' and no attribute '.join(missing)}"
        case "offers-a-tool 5":
            return reason_of_name(attribute_value(form, "toolname"))
    return step.text


def reason_of_name(name: str) -> str:
    """Return why a name is not a valid tool name, in words."""
    if name == "":
        return "its toolname is empty"
    if code_unit_length(name) > _LONGEST_NAME:
        return f"its toolname has {code_unit_length(name):,} characters, and {_LONGEST_NAME} are allowed"
    wrong = dict.fromkeys(char for char in name if not (char.isascii() and (char.isalnum() or char in "_-.")))
    shown = ", ".join(_character(char) for char in list(wrong)[:5])
    return f"its toolname {quoted(name)} has {shown}; only ASCII letters, digits, _, - and . are allowed"


def _character(char: str) -> str:
    return "a space" if char == " " else f'"{char}"' if char.isprintable() else f"U+{ord(char):04X}"


def reason_of_control(element: FormAssociatedElement, step: DecidingStep) -> str:
    """Return why a control is no parameter, in words, given the step of "determine the parameter kind" that decided it."""
    match str(step):
        case "determine-the-parameter-kind 1":
            by_fieldset = is_in_a_disabled_fieldset(element)
            return "it is disabled" + " by a fieldset around it" * (
                by_fieldset and not element.has_attribute("disabled")
            )
        case "determine-the-parameter-kind 3":
            return "it is readonly"
        case "determine-the-parameter-kind 5":
            return _reason_of_other_element(element)
        case "determine-the-parameter-kind 7.1":
            return "hidden inputs are left out unless they have a toolparamdescription"
        case "determine-the-parameter-kind 7.2":
            return "the browser fills in _charset_"
        case "determine-the-parameter-kind 8":
            return _reason_of_button(element) or "an agent cannot choose files"
    return step.text


def reason_of_group(step: DecidingStep) -> str:
    """Return why a group of controls is no parameter, in words, given the step that decided it."""
    return _REASONS_OF_GROUPS.get(str(step), step.text)


def _reason_of_other_element(element: FormAssociatedElement) -> str:
    if isinstance(element, FormAssociatedCustomElement):
        return "a custom element is never a parameter"
    return _reason_of_button(element) or f"{start_tag(element).split()[0].strip('<>')} elements are never parameters"


def _reason_of_button(element: FormAssociatedElement) -> str:
    if getattr(element, "is_submit_button", False):
        return "it submits the form"
    kind = getattr(element, "type_state", "")
    return {"reset": "it resets the form", "button": "it is a button", "auto": "it is a button"}.get(kind, "")
