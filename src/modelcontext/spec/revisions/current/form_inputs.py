"""Declarative tools: validating the input of a call, and filling in a form.

Spec: https://webmachinelearning.github.io/webmcp/#form-input
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from modelcontext.platform.infra.numbers import is_a_number, is_an_integer
from modelcontext.platform.infra.strings import is_an_ascii_case_insensitive_match
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.form_schemas import (
    collect_the_choices,
    collect_the_parameters,
    determine_the_parameter_kind,
    kind_of,
    synthesize_a_parameter_schema,
)
from modelcontext.spec.verbs import parse_a_json_string_to_an_infra_value
from modelcontext.spec.verbs.form_verbs import (
    checkedness_of,
    choice_value,
    fire_an_event_at_an_element,
    first_enabled_option,
    form_owner,
    has_attribute,
    is_a_valid_floating_point_number,
    is_a_valid_simple_color,
    is_element,
    list_of_options,
    number_to_string,
    sanitized_value,
    select_alone,
    set_checkedness,
    set_selectedness,
    set_value,
    value_of,
)

if TYPE_CHECKING:
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement

#: The value of an assignment.
AssignedValue: TypeAlias = "bool | str | list[str]"


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment."""

    value: AssignedValue
    element: FormAssociatedElement
    kind: str


@algorithm("validate-the-input-of-a-form")
def validate_the_input_of_a_form(form: HTMLFormElement, input: str) -> list[Assignment] | None:
    """https://webmachinelearning.github.io/webmcp/#validate-the-input-of-a-form"""
    # 1. Let values be the result of parsing a JSON string to an Infra value given input.
    values = parse_a_json_string_to_an_infra_value(input)

    # 2. If values is not an ordered map, then return failure.
    if not isinstance(values, dict):
        return None

    # 3. Let parameters be the result of collecting the parameters of form.
    parameters = collect_the_parameters(form)

    # 4. Let assignments be an empty list.
    assignments: list[Assignment] = []

    # 5. For each name → value of values:
    for name, value in values.items():
        # 5.1. If parameters[name] does not exist, then return failure.
        if name not in parameters:
            return None

        # 5.2. Let converted be the result of converting an argument given parameters[name] and value.
        converted = convert_an_argument(parameters[name], value)

        # 5.3. If converted is failure, then return failure.
        if converted is None:
            return None

        # 5.4. Extend assignments with converted.
        assignments.extend(converted)

    # 6. Return assignments.
    return assignments


@algorithm("convert-an-argument")
def convert_an_argument(members: list[FormAssociatedElement], value: object) -> list[Assignment] | None:
    """https://webmachinelearning.github.io/webmcp/#convert-an-argument"""
    # 1. If the result of synthesizing a parameter schema given members is null, then return failure.
    if synthesize_a_parameter_schema(members) is None:
        return None

    # 2. Let element be members[0].
    element = members[0]

    # 3. Let kind be the parameter kind of element.
    kind = kind_of(element)

    # 4. If kind is "checkbox" and members' size is 1:
    if kind == "checkbox" and len(members) == 1:
        # 4.1. Let checkedness be the result of converting a value to a checkedness given value.
        checkedness = convert_a_value_to_a_checkedness(value)

        # 4.2. If checkedness is failure, then return failure.
        if checkedness is None:
            return None

        # 4.3. Return « an assignment of checkedness to element, of kind kind ».
        return [Assignment(checkedness, element, kind)]

    # 5. If kind is "checkbox", or kind is "select" and element has a multiple attribute:
    if kind == "checkbox" or (kind == "select" and has_attribute(element, "multiple")):
        # 5.1. Let strings be the result of converting a list of choices given members and value.
        strings = convert_a_list_of_choices(members, value)

        # 5.2. If strings is failure, then return failure.
        if strings is None:
            return None

        # 5.3. If kind is "select", then return « an assignment of strings to element, of kind kind ».
        if kind == "select":
            return [Assignment(strings, element, kind)]

        # 5.4. Let assignments be an empty list.
        assignments: list[Assignment] = []

        # 5.5. For each member of members:
        for member in members:
            # 5.5.1. Let checkedness be whether strings contains the choice value of member.
            checkedness = choice_value(member) in strings

            # 5.5.2. Append an assignment of checkedness to member, of kind kind, to assignments.
            assignments.append(Assignment(checkedness, member, kind))

        # 5.6. Return assignments.
        return assignments

    # 6. If kind is "radio" or "select":
    if kind in ("radio", "select"):
        # 6.1. Let strings be the result of converting a list of choices given members and « value ».
        strings = convert_a_list_of_choices(members, [value])

        # 6.2. If strings is failure, then return failure.
        if strings is None:
            return None

        # 6.3. If kind is "select", then return « an assignment of strings to element, of kind kind ».
        if kind == "select":
            return [Assignment(strings, element, kind)]

        # 6.4. Let chosen be the first of all items of members whose choice value is strings[0].
        chosen = next(item for item in members if choice_value(item) == strings[0])

        # 6.5. Return « an assignment of true to chosen, of kind kind ».
        return [Assignment(True, chosen, kind)]

    # 7. Let string be the result of converting a value to a string given value.
    string = convert_a_value_to_a_string(value)

    # 8. If string is failure, or element does not take a string given kind and string, then return failure.
    if string is None or not take_a_string(element, kind, string):
        return None

    # 9. Return « an assignment of string to element, of kind kind ».
    return [Assignment(string, element, kind)]


@algorithm("convert-a-list-of-choices")
def convert_a_list_of_choices(members: list[FormAssociatedElement], value: object) -> list[str] | None:
    """https://webmachinelearning.github.io/webmcp/#convert-a-list-of-choices"""
    # 1. If value is not a list, then return failure.
    if not isinstance(value, list):
        return None

    # 2. Let choices be the result of collecting the choices of members.
    choices = collect_the_choices(members)

    # 3. Let strings be an empty list.
    strings: list[str] = []

    # 4. For each item of value:
    for item in value:
        # 4.1. Let string be the result of converting a value to a string given item.
        string = convert_a_value_to_a_string(item)

        # 4.2. If string is failure, or strings contains string, or choices[string] does not exist, then return failure.
        if string is None or string in strings or string not in choices:
            return None

        # 4.3. Append string to strings.
        strings.append(string)

    # 5. Return strings.
    return strings


@algorithm("convert-a-value-to-a-string")
def convert_a_value_to_a_string(value: object) -> str | None:
    """https://webmachinelearning.github.io/webmcp/#convert-a-value-to-a-string"""
    # 1. If value is a string, then return value.
    if isinstance(value, str):
        return value

    # 2. If value is a boolean, then return "true" if value is true; otherwise "false".
    if isinstance(value, bool):
        return str(value).lower()

    # 3. If value is a number, then return Number::toString(value, 10).
    if is_a_number(value):
        return number_to_string(value)

    # 4. Return failure.
    return None


@algorithm("convert-a-value-to-a-checkedness")
def convert_a_value_to_a_checkedness(value: object) -> bool | None:
    """https://webmachinelearning.github.io/webmcp/#convert-a-value-to-a-checkedness"""
    # 1. If value is a boolean, then return value.
    if isinstance(value, bool):
        return value

    # 2. If value is an integer, then return true if value is not 0; otherwise false.
    if is_an_integer(value):
        return value != 0

    # 3. If value is a string, and is "1" or an ASCII case-insensitive match for "true", then return true.
    if isinstance(value, str) and (value == "1" or is_an_ascii_case_insensitive_match(value, "true")):
        return True

    # 4. If value is a string, and is "0" or an ASCII case-insensitive match for "false", then return false.
    if isinstance(value, str) and (value == "0" or is_an_ascii_case_insensitive_match(value, "false")):
        return False

    # 5. Return failure.
    return None


@algorithm("take-a-string")
def take_a_string(element: FormAssociatedElement, kind: str, string: str) -> bool:
    """https://webmachinelearning.github.io/webmcp/#take-a-string"""
    # 1. If kind is "color", then return true if string is a valid simple color; otherwise false.
    if kind == "color":
        return is_a_valid_simple_color(string)

    # 2. If kind is "number" or "range", then return true if string is a valid floating-point number; otherwise false.
    if kind in ("number", "range"):
        return is_a_valid_floating_point_number(string)

    # 3. If element is a textarea element, or string is the empty string, then return true.
    if is_element(element, "textarea") or string == "":
        return True

    # 4. Let sanitized be the result of running element's value sanitization algorithm on string.
    sanitized = sanitized_value(element, string)

    # 5. Return true if sanitized is not the empty string; otherwise false.
    return sanitized != ""


@algorithm("perform-an-assignment")
def perform_an_assignment(form: HTMLFormElement, assignment: Assignment) -> None:
    """https://webmachinelearning.github.io/webmcp/#perform-an-assignment"""
    # 1. Let element be assignment's element.
    element = assignment.element

    # 2. Let kind be assignment's kind.
    kind = assignment.kind

    # 3. Let value be assignment's value.
    value = assignment.value

    # 4. If element's form owner is not form, or the parameter kind of element is not kind, then return.
    if form_owner(element) is not form or determine_the_parameter_kind(element) != kind:
        return

    # 5. Let changed be false.
    changed = False

    # 6. If kind is "checkbox" or "radio":
    if kind in ("checkbox", "radio"):
        # 6.1. If element's checkedness is not value, then set changed to true.
        if checkedness_of(element) is not value:
            changed = True

        # 6.2. Set element's checkedness to value, and its dirty checkedness flag to true.
        set_checkedness(element, value is True)

    # 7. Otherwise, if kind is "select" and element has a multiple attribute:
    elif kind == "select" and has_attribute(element, "multiple"):
        # 7.1. For each option of element's list of options:
        for option in list_of_options(element):
            # 7.1.1. If option is disabled, then continue.
            if option.is_disabled:
                continue

            # 7.1.2. Let selectedness be whether value contains option's value.
            selectedness = option.value in strings_of(value)

            # 7.1.3. If option's selectedness is not selectedness, then set changed to true.
            if option.selectedness is not selectedness:
                changed = True

            # 7.1.4. Set option's selectedness to selectedness, and its dirtiness to true.
            set_selectedness(option, selectedness)

    # 8. Otherwise, if kind is "select":
    elif kind == "select":
        # 8.1. Let option be the first of element's list of options that is not disabled and whose value is value[0], or
        # null.
        found = first_enabled_option(element, strings_of(value)[0])

        # 8.2. If option is null, or its selectedness is true, then return.
        if found is None or found.selectedness:
            return

        # 8.3. Set option's selectedness and dirtiness to true, and the selectedness of the other options to false.
        select_alone(found)

        # 8.4. Set changed to true.
        changed = True

    # 9. Otherwise:
    else:
        # 9.1. Let old value be element's value.
        old_value = value_of(element)

        # 9.2. Set element's value to value, run its value sanitization algorithm, and set its dirty value flag to true.
        set_value(element, str(value))

        # 9.3. If element's value is not old value, then set changed to true.
        if value_of(element) != old_value:
            changed = True

    # 10. If changed is false, then return.
    if not changed:
        return

    # 11. Fire an event named input at element, with its bubbles and composed attributes initialized to true.
    fire_an_event_at_an_element("input", element, bubbles=True, composed=True)

    # 12. Fire an event named change at element, with its bubbles attribute initialized to true.
    fire_an_event_at_an_element("change", element, bubbles=True)


def strings_of(value: AssignedValue) -> list[str]:
    """Return the value of an assignment to a select element."""
    assert isinstance(value, list)
    return value
