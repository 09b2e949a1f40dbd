"""The schemas of forms in Chromium 156, where they deviate.

A function that replaces another one has that as its first parameter, ``go_on``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from modelcontext.platform.html.forms.numbers import (
    is_a_valid_floating_point_number,
    rules_for_parsing_floating_point_number_values,
)
from modelcontext.spec.revisions.current.schema_synthesis import determine_the_parameter_kind
from modelcontext.spec.verbs.form_verbs import (
    allowed_value_step,
    attribute_applies,
    attribute_value,
    choice_value,
    has_a_compiled_pattern_regular_expression,
    has_attribute,
    is_disabled,
    is_element,
    labels_of,
    list_of_options,
    step_base,
    strip_leading_and_trailing_ascii_whitespace,
    text_without_labelable_elements,
    type_state,
)

if TYPE_CHECKING:
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement

JSONObject: TypeAlias = "dict[str, object]"
Members: TypeAlias = "list[FormAssociatedElement]"

# The parameter kind of a control that takes part in the groups of names, but has no schema.
_OTHER = "other"
_FORMATS = {
    "month": "^[0-9]{4}-(0[1-9]|1[0-2])$",
    "week": "^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$",
    "color": "^#[0-9a-zA-Z]{6}$",
}
_SPEC_DATE = "[0-9]{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T"
_DATE = "[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}T"
_DATE_NOTE = "(Dates MUST be provided in 'YYYY-MM-DD' format.)"


def kind_with_others(element: FormAssociatedElement) -> str | None:
    """Return the parameter kind of an element; every listed one that is not disabled has one."""
    kind = determine_the_parameter_kind(element)
    if kind is not None or is_disabled(element) or attribute_applies(element, "readonly"):
        return kind
    is_hidden = is_element(element, "input") and type_state(element) == "hidden"
    return "text" if is_hidden and attribute_value(element, "toolparamdescription") else _OTHER


def no_schema_of_others(go_on: Callable[[Members], JSONObject | None], members: Members) -> JSONObject | None:
    """Return null for a control without a schema."""
    return None if kind_with_others(members[0]) == _OTHER else go_on(members)


def required_anywhere(go_on: object, element: FormAssociatedElement, attribute: str) -> bool:
    """Return whether an element has an attribute, which may not apply to it."""
    return has_attribute(element, attribute)


class ListedChoices(dict[str, str]):
    """ListedChoices that may stand twice, and may be none at all; a ``None`` among the titles is left out."""

    def __init__(self, pairs: list[tuple[str, str | None]]) -> None:
        super().__init__((value, title or "") for value, title in pairs)
        self.pairs = pairs

    def __bool__(self) -> bool:
        return True


def every_choice(members: Members) -> ListedChoices:
    """Return the choices, disabled and repeated ones included."""
    if is_element(members[0], "select"):
        return ListedChoices([(option.value, option.descendant_text_content) for option in list_of_options(members[0])])
    return ListedChoices([(choice_value(element), label_text(element) or None) for element in members])


def schema_of_every_choice(choices: ListedChoices) -> JSONObject:
    """Return the schema of choices that may stand twice."""
    alternatives = [
        {"type": "string", "const": value, **({} if title is None else {"title": title})}
        for value, title in choices.pairs
    ]
    return {"type": "string", "anyOf": alternatives, "enum": [value for value, _ in choices.pairs]}


def label_text(element: FormAssociatedElement) -> str:
    """Return the text of all labels, of empty ones too."""
    texts = [
        strip_leading_and_trailing_ascii_whitespace(text_without_labelable_elements(label))
        for label in labels_of(element)
    ]
    return "; ".join(texts)


def pattern_as_it_is(
    go_on: Callable[[FormAssociatedElement, str], str | None], element: FormAssociatedElement, kind: str
) -> str | None:
    """Return the pattern attribute of a text field."""
    if kind != "text":
        return go_on(element, kind)
    if not is_element(element, "input") or not has_attribute(element, "pattern"):
        return None
    return attribute_value(element, "pattern") if has_a_compiled_pattern_regular_expression(element) else None


def number_with_pattern(
    go_on: Callable[[FormAssociatedElement, str], JSONObject], element: FormAssociatedElement, kind: str
) -> JSONObject:
    """Return the schema of a number, with a pattern that does not apply."""
    schema = go_on(element, kind)
    if kind == "range" and attribute_value(element, "step").lower() == "any" and step_base(element) % 1 == 0:
        schema["multipleOf"] = 1
    if kind == "number" and has_attribute(element, "pattern") and has_a_compiled_pattern_regular_expression(element):
        schema["pattern"] = attribute_value(element, "pattern")
    return schema


def base_that_is_a_number(go_on: Callable[[FormAssociatedElement], object], element: FormAssociatedElement) -> object:
    """Return the step base, where an attribute of a numeric field counts only if the whole of it is a number."""
    if type_state(element) not in ("number", "range"):
        return go_on(element)
    valid = (attribute_value(element, name) for name in ("min", "value") if has_attribute(element, name))
    numbers = map(rules_for_parsing_floating_point_number_values, filter(is_a_valid_floating_point_number, valid))
    return next((number for number in numbers if number is not None), 0)


def expressions_in_format(go_on: Callable[[Members], JSONObject | None], members: Members) -> JSONObject | None:
    """Return a schema with the expressions of temporal types and colors as Chromium has them."""
    schema = go_on(members)
    kind = kind_with_others(members[0])
    if schema is None or kind not in (*_FORMATS, "time", "datetime-local") or len(members) > 1:
        return schema
    pattern = str(schema.pop("pattern"))
    if kind == "datetime-local":
        pattern = pattern.replace(_SPEC_DATE, _DATE)
    schema["format"] = _FORMATS.get(kind, pattern)
    return schema


def precision_of_the_step(element: FormAssociatedElement) -> str:
    """Return the precision of the step alone; any is the default step."""
    step = allowed_value_step(element) or 60_000
    return "minutes" if step >= 60_000 else "seconds" if step >= 1000 else "milliseconds"


def bare_date_note(go_on: Callable[[Members], str], members: Members) -> str:
    """Return the description of a parameter; the note about dates has no parentheses if it stands alone."""
    description = go_on(members)
    return description[1:-1] if description == _DATE_NOTE else description
