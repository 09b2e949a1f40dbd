"""Declarative tools: forms that offer a tool, and the synthesis of their schemas.

Spec: https://webmachinelearning.github.io/webmcp/#declarative
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from modelcontext.platform.infra.strings import is_an_ascii_case_insensitive_match
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.model import TOOLS
from modelcontext.spec.revisions.current.tools import valid_tool_name
from modelcontext.spec.verbs import is_allowed_to_use
from modelcontext.spec.verbs.form_terms import (
    COLOR_PATTERN,
    MONTH_PATTERN,
    WEEK_PATTERN,
    local_date_and_time_pattern,
    time_pattern,
)
from modelcontext.spec.verbs.form_verbs import (
    allowed_value_step,
    attribute_applies,
    attribute_value,
    has_a_compiled_pattern_regular_expression,
    has_attribute,
    infra_number,
    is_connected,
    is_disabled,
    is_element,
    is_scripting_disabled,
    labels_of,
    list_of_options,
    listed_elements,
    nearest_fieldset,
    node_document,
    step_base,
    strip_leading_and_trailing_ascii_whitespace,
    text_without_labelable_elements,
    type_state,
)
from modelcontext.spec.verbs.form_verbs import maximum as maximum_of
from modelcontext.spec.verbs.form_verbs import minimum as minimum_of

if TYPE_CHECKING:
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement

#: An ordered map that stands for a JSON object.
JSONObject: TypeAlias = "dict[str, object]"


@algorithm("offers-a-tool")
def offers_a_tool(form: HTMLFormElement) -> bool:
    """https://webmachinelearning.github.io/webmcp/#offers-a-tool"""
    # 1. If form is not connected, then return false.
    if not is_connected(form):
        return False

    # 2. If scripting is disabled for form, then return false.
    if is_scripting_disabled(form):
        return False

    # 3. If form's node document is not allowed to use the "tools" feature, then return false.
    if not is_allowed_to_use(node_document(form), TOOLS):
        return False

    # 4. If form has no toolname attribute or no tooldescription attribute, then return false.
    if not has_attribute(form, "toolname") or not has_attribute(form, "tooldescription"):
        return False

    # 5. Return true if form's toolname attribute's value is a valid tool name; otherwise false.
    return valid_tool_name(attribute_value(form, "toolname"))


@algorithm("determine-the-parameter-kind")
def determine_the_parameter_kind(element: FormAssociatedElement) -> str | None:
    """https://webmachinelearning.github.io/webmcp/#determine-the-parameter-kind"""
    # 1. If element is disabled, then return null.
    if is_disabled(element):
        return None

    # 2. If element is a select element, then return "select".
    if is_element(element, "select"):
        return "select"

    # 3. If element has a readonly attribute that applies to it, then return null.
    if attribute_applies(element, "readonly"):
        return None

    # 4. If element is a textarea element, then return "text".
    if is_element(element, "textarea"):
        return "text"

    # 5. If element is not an input element, then return null.
    if not is_element(element, "input"):
        return None

    # 6. Let type be the keyword of the state of element's type attribute.
    type = type_state(element)

    # 7. If type is "hidden":
    if type == "hidden":
        # 7.1. If element has no toolparamdescription attribute, or its value is the empty string, then return null.
        if attribute_value(element, "toolparamdescription") == "":
            return None

        # 7.2. If element's name attribute's value is an ASCII case-insensitive match for "_charset_", then return null.
        if is_an_ascii_case_insensitive_match(attribute_value(element, "name"), "_charset_"):
            return None

        # 7.3. Return "text".
        return "text"

    # 8. If type is "file", "submit", "image", "reset", or "button", then return null.
    if type in ("file", "submit", "image", "reset", "button"):
        return None

    # 9. If type is "search", "tel", "url", "email", or "password", then return "text".
    if type in ("search", "tel", "url", "email", "password"):
        return "text"

    # 10. Return type.
    return type


@algorithm("collect-the-parameters")
def collect_the_parameters(form: HTMLFormElement) -> dict[str, list[FormAssociatedElement]]:
    """https://webmachinelearning.github.io/webmcp/#collect-the-parameters"""
    # 1. Let parameters be an empty ordered map.
    parameters: dict[str, list[FormAssociatedElement]] = {}

    # 2. For each element of the listed elements whose form owner is form, in tree order:
    for element in listed_elements(form):
        # 2.1. If the parameter kind of element is null, then continue.
        if determine_the_parameter_kind(element) is None:
            continue

        # 2.2. Let name be element's name attribute's value, or the empty string.
        name = attribute_value(element, "name")

        # 2.3. Strip leading and trailing ASCII whitespace from name.
        name = strip_leading_and_trailing_ascii_whitespace(name)

        # 2.4. If parameters[name] does not exist, then set parameters[name] to an empty list.
        if name not in parameters:
            parameters[name] = []

        # 2.5. Append element to parameters[name].
        parameters[name].append(element)

    # 3. Return parameters.
    return parameters


@algorithm("synthesize-a-declarative-json-schema-object")
def synthesize_a_declarative_json_schema_object(form: HTMLFormElement) -> JSONObject:
    """https://webmachinelearning.github.io/webmcp/#synthesize-a-declarative-json-schema-object"""
    # 1. Let properties be an empty ordered map.
    properties: JSONObject = {}

    # 2. Let required be an empty list.
    required: list[str] = []

    # 3. Let parameters be the result of collecting the parameters of form.
    parameters = collect_the_parameters(form)

    # 4. For each name → members of parameters:
    for name, members in parameters.items():
        # 4.1. Let schema be the result of synthesizing a parameter schema given members.
        schema = synthesize_a_parameter_schema(members)

        # 4.2. If schema is null, then continue.
        if schema is None:
            continue

        # 4.3. Let description be the result of describing a parameter given members.
        description = describe_a_parameter(members)

        # 4.4. If description is not the empty string, then set schema["description"] to description.
        if description != "":
            schema["description"] = description

        # 4.5. Set properties[name] to schema.
        properties[name] = schema

        # 4.6. If any item of members has a required attribute that applies to it, then append name to required.
        if any(attribute_applies(item, "required") for item in members):
            required.append(name)

    # 5. Return «[ "type" → "object", "properties" → properties, "required" → required ]».
    return {"type": "object", "properties": properties, "required": required}


@algorithm("synthesize-a-parameter-schema")
def synthesize_a_parameter_schema(members: list[FormAssociatedElement]) -> JSONObject | None:
    """https://webmachinelearning.github.io/webmcp/#synthesize-a-parameter-schema"""
    # 1. Let element be members[0].
    element = members[0]

    # 2. Let kind be the parameter kind of element.
    kind = kind_of(element)

    # 3. If members' size is greater than 1:
    if len(members) > 1:
        # 3.1. If kind is neither "checkbox" nor "radio", then return null.
        if kind not in ("checkbox", "radio"):
            return None

        # 3.2. If the parameter kind of any item of members is not kind, then return null.
        if any(kind_of(item) != kind for item in members):
            return None

    # 4. If kind is "radio" or "select", or kind is "checkbox" and members' size is greater than 1:
    if kind in ("radio", "select") or (kind == "checkbox" and len(members) > 1):
        # 4.1. Let choices be the result of collecting the choices of members.
        choices = collect_the_choices(members)

        # 4.2. If choices is empty, then return null.
        if not choices:
            return None

        # 4.3. Let schema be the result of synthesizing a schema of choices given choices.
        schema = synthesize_a_schema_of_choices(choices)

        # 4.4. If kind is "radio", or kind is "select" and element has no multiple attribute, then return schema.
        if kind == "radio" or (kind == "select" and not has_attribute(element, "multiple")):
            return schema

        # 4.5. Return «[ "type" → "array", "items" → schema, "uniqueItems" → true ]».
        return {"type": "array", "items": schema, "uniqueItems": True}

    # 5. If kind is "checkbox", then return «[ "type" → "boolean" ]».
    if kind == "checkbox":
        return {"type": "boolean"}

    # 6. If kind is "number" or "range", then return the result of synthesizing a numeric schema given element and kind.
    if kind in ("number", "range"):
        return synthesize_a_numeric_schema(element, kind)

    # 7. If kind is "date", then return «[ "type" → "string", "format" → "date" ]».
    if kind == "date":
        return {"type": "string", "format": "date"}

    # 8. Let schema be «[ "type" → "string" ]».
    schema = {"type": "string"}

    # 9. Let pattern be the result of determining the value pattern of element given kind.
    pattern = determine_the_value_pattern(element, kind)

    # 10. If pattern is not null, then set schema["pattern"] to pattern.
    if pattern is not None:
        schema["pattern"] = pattern

    # 11. Return schema.
    return schema


@algorithm("collect-the-choices")
def collect_the_choices(members: list[FormAssociatedElement]) -> dict[str, str]:
    """https://webmachinelearning.github.io/webmcp/#collect-the-choices"""
    # 1. Let choices be an empty ordered map.
    choices: dict[str, str] = {}

    # 2. If members[0] is a select element:
    if is_element(members[0], "select"):
        # 2.1. For each option of members[0]'s list of options:
        for option in list_of_options(members[0]):
            # 2.1.1. If option is disabled, or choices[option's value] exists, then continue.
            if option.is_disabled or option.value in choices:
                continue

            # 2.1.2. Set choices[option's value] to option's label.
            choices[option.value] = option.label

    # 3. Otherwise:
    else:
        # 3.1. For each element of members:
        for element in members:
            # 3.1.1. Let value be element's value attribute's value if it has one; otherwise "on".
            value = attribute_value(element, "value") if has_attribute(element, "value") else "on"

            # 3.1.2. If choices[value] exists, then continue.
            if value in choices:
                continue

            # 3.1.3. Set choices[value] to the result of collecting the label text of element.
            choices[value] = collect_the_label_text(element)

    # 4. Return choices.
    return choices


@algorithm("synthesize-a-schema-of-choices")
def synthesize_a_schema_of_choices(choices: dict[str, str]) -> JSONObject:
    """https://webmachinelearning.github.io/webmcp/#synthesize-a-schema-of-choices"""
    # 1. Let alternatives be an empty list.
    alternatives: list[object] = []

    # 2. For each value → title of choices:
    for value, title in choices.items():
        # 2.1. Let alternative be «[ "type" → "string", "const" → value ]».
        alternative = {"type": "string", "const": value}

        # 2.2. If title is not the empty string, then set alternative["title"] to title.
        if title != "":
            alternative["title"] = title

        # 2.3. Append alternative to alternatives.
        alternatives.append(alternative)

    # 3. Return «[ "type" → "string", "anyOf" → alternatives, "enum" → the keys of choices ]».
    return {"type": "string", "anyOf": alternatives, "enum": list(choices)}


@algorithm("synthesize-a-numeric-schema")
def synthesize_a_numeric_schema(element: FormAssociatedElement, kind: str) -> JSONObject:
    """https://webmachinelearning.github.io/webmcp/#synthesize-a-numeric-schema"""
    # 1. Let schema be «[ "type" → "number" ]».
    schema: JSONObject = {"type": "number"}

    # 2. Let minimum be element's minimum, or null.
    minimum = minimum_of(element)

    # 3. Let maximum be element's maximum, or null.
    maximum = maximum_of(element)

    # 4. If minimum is not null, then set schema["minimum"] to minimum.
    if minimum is not None:
        schema["minimum"] = infra_number(minimum)

    # 5. If kind is "range" and maximum is less than minimum, then set maximum to minimum.
    if kind == "range" and minimum is not None and maximum is not None and maximum < minimum:
        maximum = minimum

    # 6. If maximum is not null, then set schema["maximum"] to maximum.
    if maximum is not None:
        schema["maximum"] = infra_number(maximum)

    # 7. Let step be element's allowed value step, or null.
    step = allowed_value_step(element)

    # 8. If step is not null and element's step base is a multiple of step, then set schema["multipleOf"] to step.
    if step is not None and step_base(element) % step == 0:
        schema["multipleOf"] = infra_number(step)

    # 9. Return schema.
    return schema


@algorithm("determine-the-value-pattern")
def determine_the_value_pattern(element: FormAssociatedElement, kind: str) -> str | None:
    """https://webmachinelearning.github.io/webmcp/#determine-the-value-pattern"""
    # 1. If kind is "month", then return the month pattern.
    if kind == "month":
        return MONTH_PATTERN

    # 2. If kind is "week", then return the week pattern.
    if kind == "week":
        return WEEK_PATTERN

    # 3. If kind is "color", then return the color pattern.
    if kind == "color":
        return COLOR_PATTERN

    # 4. If kind is "time", then return the time pattern for the result of determining the time precision of element.
    if kind == "time":
        return time_pattern(determine_the_time_precision(element))

    # 5. If kind is "datetime-local", then return the local date and time pattern for the result of determining the time
    # precision of element.
    if kind == "datetime-local":
        return local_date_and_time_pattern(determine_the_time_precision(element))

    # 6. If element has no pattern attribute that applies to it, then return null.
    if not attribute_applies(element, "pattern"):
        return None

    # 7. If element has a multiple attribute that applies to it, then return null.
    if attribute_applies(element, "multiple"):
        return None

    # 8. If element has no compiled pattern regular expression, then return null.
    if not has_a_compiled_pattern_regular_expression(element):
        return None

    # 9. Return the concatenation of "^(?:", element's pattern attribute's value, and ")$".
    return f"^(?:{attribute_value(element, 'pattern')})$"


@algorithm("determine-the-time-precision")
def determine_the_time_precision(element: FormAssociatedElement) -> str:
    """https://webmachinelearning.github.io/webmcp/#determine-the-time-precision"""
    # 1. Let step be element's allowed value step, or null.
    step = allowed_value_step(element)

    # 2. Let base be element's step base.
    base = step_base(element)

    # 3. If step is not null, and step and base are multiples of 60000, then return "minutes".
    if step is not None and step % 60000 == 0 and base % 60000 == 0:
        return "minutes"

    # 4. If step is not null, and step and base are multiples of 1000, then return "seconds".
    if step is not None and step % 1000 == 0 and base % 1000 == 0:
        return "seconds"

    # 5. Return "milliseconds".
    return "milliseconds"


@algorithm("describe-a-parameter")
def describe_a_parameter(members: list[FormAssociatedElement]) -> str:
    """https://webmachinelearning.github.io/webmcp/#describe-a-parameter"""
    # 1. If members' size is greater than 1:
    if len(members) > 1:
        # 1.1. Let fieldset be the nearest fieldset element that is an ancestor of every item of members, or null.
        fieldset = nearest_fieldset(members)

        # 1.2. If fieldset is null, or has no toolparamdescription attribute, then return the empty string.
        if fieldset is None or not has_attribute(fieldset, "toolparamdescription"):
            return ""

        # 1.3. Return fieldset's toolparamdescription attribute's value.
        return attribute_value(fieldset, "toolparamdescription")

    # 2. Let element be members[0].
    element = members[0]

    # 3. Let description be element's toolparamdescription attribute's value, or the empty string.
    description = attribute_value(element, "toolparamdescription")

    # 4. If description is the empty string, then set description to the result of collecting the label text of element.
    if description == "":
        description = collect_the_label_text(element)

    # 5. If description is the empty string and element has an aria-description attribute, then set description to its
    # value.
    if description == "" and has_attribute(element, "aria-description"):
        description = attribute_value(element, "aria-description")

    # 6. If the parameter kind of element is "date":
    if kind_of(element) == "date":
        # 6.1. If description is not the empty string, then append U+0020 SPACE to description.
        if description != "":
            description += " "

        # 6.2. Append "(Dates MUST be provided in 'YYYY-MM-DD' format.)" to description.
        description += "(Dates MUST be provided in 'YYYY-MM-DD' format.)"

    # 7. Return description.
    return description


@algorithm("collect-the-label-text")
def collect_the_label_text(element: FormAssociatedElement) -> str:
    """https://webmachinelearning.github.io/webmcp/#collect-the-label-text"""
    # 1. Let texts be an empty list.
    texts: list[str] = []

    # 2. For each label of the label elements whose labeled control is element, in tree order:
    for label in labels_of(element):
        # 2.1. Let text be label's descendant text content without that of the labelable elements among its descendants.
        text = text_without_labelable_elements(label)

        # 2.2. Strip leading and trailing ASCII whitespace from text.
        text = strip_leading_and_trailing_ascii_whitespace(text)

        # 2.3. If text is not the empty string, then append text to texts.
        if text != "":
            texts.append(text)

    # 3. Return the concatenation of texts using "; ".
    return "; ".join(texts)


def kind_of(element: FormAssociatedElement) -> str:
    """Return the parameter kind of an element that takes part."""
    kind = determine_the_parameter_kind(element)
    assert kind is not None
    return kind
