"""Suspicions about a control that the schema does not show: limits, defaults, choices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from modelcontext.people.forms.page_report import Code, FormProblem
from modelcontext.people.forms.texts import quoted
from modelcontext.platform.html.forms.constraint_validation import is_barred_from_constraint_validation, validity_states
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement, attribute_applies
from modelcontext.platform.html.forms.input_numbers import (
    convert_a_string_to_a_number,
    has_a_reversed_range,
    maximum,
    minimum,
)
from modelcontext.platform.html.forms.input_types import InputType, applies
from modelcontext.platform.html.forms.numbers import rules_for_parsing_non_negative_integers
from modelcontext.platform.html.forms.patterns import PatternLimitError, compiled_pattern_regular_expression
from modelcontext.platform.html.forms.sanitization import value_sanitization_algorithm
from modelcontext.platform.html.forms.select import HTMLSelectElement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from modelcontext.people.forms.page_report import ElementPlace
    from modelcontext.platform.html.forms.control_facts import ControlFacts, InputFacts
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement

#: A code, a message and advice.
Suspicion: TypeAlias = tuple[Code, str, str]

#: A default value longer than this is not held against the constraints.
_LONGEST_DEFAULT: Final = 1000
#: A pattern longer than this is not compiled.
LONGEST_PATTERN: Final = 10_000

#: Only with a backreference can a match take longer than its text is long; then it is left out.
_BACKREFERENCE: Final = re.compile(r"\\[1-9k]")

_STATES: Final[Mapping[str, str]] = {
    "typeMismatch": "is not of the control's type",
    "patternMismatch": "does not match the control's pattern",
    "rangeUnderflow": "is less than min",
    "rangeOverflow": "is greater than max",
    "stepMismatch": "does not match the control's step",
}


def suspicions(element: FormAssociatedElement) -> Iterator[Suspicion]:
    """Yield what is suspicious of a control that is part of a parameter."""
    if isinstance(element, HTMLSelectElement):
        yield from _of_choices(element)
    elif isinstance(element, HTMLInputElement):
        if element.type_state in ("checkbox", "radio"):
            return  # The facts would visit the whole group for each of its members.
        facts = element.facts
        yield from chain(_of_pattern(facts), _of_limits(facts), _of_default(facts))
    elif isinstance(element, HTMLTextAreaElement):
        yield from _of_lengths(element.facts)


def problem_of(suspicion: Suspicion, place: ElementPlace) -> FormProblem:
    """Return a suspicion as a problem."""
    code, message, advice = suspicion
    return FormProblem(code, place, message, advice)


def pattern_limit(element: FormAssociatedElement) -> str | None:
    """Return why nothing can be said about the pattern of a control, or None."""
    pattern = element.get_attribute("pattern")
    if pattern is None or not isinstance(element, HTMLInputElement) or not attribute_applies(element, "pattern"):
        return None
    if len(pattern) > LONGEST_PATTERN:
        return f"its pattern has {len(pattern):,} characters, but the limit is {LONGEST_PATTERN:,}"
    try:
        compiled_pattern_regular_expression(pattern)
    except PatternLimitError as error:
        return str(error).partition(":")[0] if len(pattern) < _LONGEST_DEFAULT else "its pattern is too large"
    return None


def duplicate_choices(values: Sequence[str]) -> Iterator[Suspicion]:
    """Yield the values that a control or a group offers more than once."""
    seen: set[str] = set()
    told: set[str] = set()
    for value in values:
        if value in seen and value not in told:
            told.add(value)
            yield (
                Code.DUPLICATE_CHOICE,
                f"the value {quoted(value)} belongs to several choices, and a call can choose only the first",
                "give each choice a value of its own",
            )
        seen.add(value)


def _of_pattern(facts: InputFacts) -> Iterator[Suspicion]:
    pattern = facts.attributes.get("pattern")
    if pattern is None:
        return
    if not applies("pattern", facts.type):
        yield Code.BAD_PATTERN, f"pattern does not apply to type={facts.type}, and is ignored", "remove it"
    elif facts.has("multiple"):
        yield (
            Code.BAD_PATTERN,
            "the schema leaves out the pattern of a control with several values",
            "describe it in words",
        )
    elif compiled_pattern_regular_expression(pattern) is None:
        message = f"the pattern {quoted(pattern)} is not a regular expression with the flag v, and is left out"
        yield Code.BAD_PATTERN, message, "mend the pattern"


def _of_limits(facts: InputFacts) -> Iterator[Suspicion]:
    for name in ("min", "max", "step"):
        value = facts.attributes.get(name)
        if value is None:
            continue
        if not applies(name, facts.type):
            yield Code.BAD_LIMIT, f"{name} does not apply to type={facts.type}, and is ignored", "remove it"
        elif not _is_readable(name, value, facts):
            yield Code.BAD_LIMIT, f"{name}={quoted(value)} cannot be read, and is ignored", "mend the value"
    least, greatest = minimum(facts), maximum(facts)
    if least is not None and greatest is not None and greatest < least and not has_a_reversed_range(facts):
        yield Code.EMPTY_RANGE, "min is greater than max: no value is in between", "exchange the two"
    yield from _of_lengths(facts)


def _is_readable(name: str, value: str, facts: InputFacts) -> bool:
    if name == "step":
        number = convert_a_string_to_a_number(InputType.NUMBER, value)
        return value.lower() == "any" or (number is not None and number > 0)
    return convert_a_string_to_a_number(facts.type, value) is not None


def _of_lengths(facts: ControlFacts) -> Iterator[Suspicion]:
    least, greatest = (
        rules_for_parsing_non_negative_integers(value) if value is not None else None
        for value in (facts.get("minlength"), facts.get("maxlength"))
    )
    if least is not None and greatest is not None and greatest < least:
        yield Code.EMPTY_RANGE, "minlength is greater than maxlength: no length is in between", "exchange the two"


def _of_default(facts: InputFacts) -> Iterator[Suspicion]:
    raw = facts.attributes.get("value", "")
    if raw == "" or len(raw) > _LONGEST_DEFAULT or is_barred_from_constraint_validation(facts):
        return
    value = value_sanitization_algorithm(replace(facts, value=raw))
    if value == "":
        yield (
            Code.BAD_DEFAULT,
            f"its value {quoted(raw)} is not valid for type={facts.type}, and is ignored",
            "correct the value",
        )
        return
    attributes = facts.attributes
    if _BACKREFERENCE.search(attributes.get("pattern", "")):
        attributes = {name: value for name, value in attributes.items() if name != "pattern"}
    for state in validity_states(replace(facts, value=value, attributes=attributes)):
        if state in _STATES:
            message = f"its value {quoted(value)} {_STATES[state]}, so a call fails unless it gives another value"
            yield Code.BAD_DEFAULT, message, "mend the value"


def _of_choices(select: HTMLSelectElement) -> Iterator[Suspicion]:
    enabled = [option for option in select.list_of_options if not option.is_disabled]
    yield from duplicate_choices([option.value for option in enabled])
    first = next(iter(select.list_of_options), None)
    is_single = not select.has_attribute("multiple") and select.display_size == 1
    if not (select.has_attribute("required") and is_single and enabled and enabled[0] is first):
        return
    if first.value != "" or first.parent is not select:
        return
    if len(enabled) == 1:
        message = "it is required, and its only option is the placeholder"
        yield Code.REQUIRED_OUT_OF_REACH, message, "add options"
    else:
        message = "the schema offers the placeholder (an empty value), which a required control rejects"
        yield Code.REJECTED_CHOICE, message, "add disabled to the placeholder"
