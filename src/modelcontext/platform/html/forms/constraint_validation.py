"""Constraints (https://html.spec.whatwg.org/#constraints): what a control suffers from.

The states that the elements' own values decide are here. Form-associated custom elements have theirs from script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from modelcontext.platform.html.forms.control_facts import ControlFacts, InputFacts, SelectFacts
from modelcontext.platform.html.forms.input_numbers import (
    has_a_reversed_range,
    is_an_integral_number_of_steps,
    maximum,
    minimum,
    number_of,
)
from modelcontext.platform.html.forms.input_types import InputType, ValueMode, value_mode
from modelcontext.platform.html.forms.numbers import rules_for_parsing_non_negative_integers
from modelcontext.platform.html.forms.patterns import compiled_pattern_regular_expression
from modelcontext.platform.html.forms.sanitization import values_of_an_email_control
from modelcontext.platform.html.url import url_parser
from modelcontext.platform.infra.strings import (
    code_unit_length,
    has_lone_surrogate,
    strip_leading_and_trailing_ascii_whitespace,
)

_LABEL: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL_ADDRESS: Final = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*")


def is_a_valid_email_address(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-e-mail-address"""
    return _EMAIL_ADDRESS.fullmatch(input) is not None


def is_a_valid_email_address_list(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-e-mail-address-list"""
    tokens = input.split(",") if input else []
    return all(is_a_valid_email_address(strip_leading_and_trailing_ascii_whitespace(token)) for token in tokens)


def is_suffering_from_being_missing(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-being-missing"""
    if isinstance(facts, InputFacts):
        match facts.type:
            case InputType.CHECKBOX:
                return facts.has("required") and not facts.checkedness
            case InputType.RADIO:
                return facts.group_required and not facts.group_checked
            case InputType.FILE:
                return facts.has("required") and not facts.has_files
        if value_mode(facts.type) is not ValueMode.VALUE:
            return False
    if isinstance(facts, SelectFacts):
        return facts.has("required") and not facts.has_selection
    return facts.has("required") and facts.mutable and facts.value == ""


def is_suffering_from_a_type_mismatch(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-a-type-mismatch"""
    if not isinstance(facts, InputFacts) or facts.value == "":
        return False
    match facts.type:
        case InputType.URL:
            # The URL parser takes some strings that are no valid absolute URLs. They are let through, as by browsers.
            return has_lone_surrogate(facts.value) or url_parser(facts.value) is None
        case InputType.EMAIL if facts.has("multiple"):
            return not is_a_valid_email_address_list(facts.value)
        case InputType.EMAIL:
            return not is_a_valid_email_address(facts.value)
    return False


def is_suffering_from_a_pattern_mismatch(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-a-pattern-mismatch

    Raises:
        PatternLimitError: if the pattern is too large, or matching it takes too long.
    """
    pattern = facts.get("pattern") if isinstance(facts, InputFacts) else None
    if pattern is None or facts.value == "":
        return False
    assert isinstance(facts, InputFacts)
    regexp = compiled_pattern_regular_expression(pattern)
    return regexp is not None and not all(regexp.test(value) for value in values_of_an_email_control(facts))


def is_suffering_from_being_too_long(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-being-too-long"""
    limit = _length(facts, "maxlength")
    return limit is not None and facts.edited and code_unit_length(facts.value) > limit


def is_suffering_from_being_too_short(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-being-too-short"""
    limit = _length(facts, "minlength")
    return limit is not None and facts.edited and 0 < code_unit_length(facts.value) < limit


def _length(facts: ControlFacts, attribute: str) -> int | None:
    """Return the allowed value length of an element; None if it has none."""
    value = None if isinstance(facts, SelectFacts) else facts.get(attribute)
    return None if value is None else rules_for_parsing_non_negative_integers(value)


def is_suffering_from_an_underflow(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-an-underflow"""
    if not isinstance(facts, InputFacts):
        return False
    number, least = number_of(facts), minimum(facts)
    if number is None or least is None:
        return False
    return _is_outside_of_a_reversed_range(facts) if has_a_reversed_range(facts) else number < least


def is_suffering_from_an_overflow(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-an-overflow"""
    if not isinstance(facts, InputFacts):
        return False
    number, greatest = number_of(facts), maximum(facts)
    if number is None or greatest is None:
        return False
    return _is_outside_of_a_reversed_range(facts) if has_a_reversed_range(facts) else number > greatest


def _is_outside_of_a_reversed_range(facts: InputFacts) -> bool:
    number, least, greatest = number_of(facts), minimum(facts), maximum(facts)
    assert number is not None
    assert least is not None
    assert greatest is not None
    return greatest < number < least


def is_suffering_from_a_step_mismatch(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-a-step-mismatch"""
    number = number_of(facts) if isinstance(facts, InputFacts) else None
    if number is None:
        return False
    assert isinstance(facts, InputFacts)
    return not is_an_integral_number_of_steps(facts, number)


def is_suffering_from_bad_input(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-bad-input"""
    return isinstance(facts, InputFacts) and facts.unconvertible


def is_suffering_from_a_custom_error(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#suffering-from-a-custom-error"""
    return facts.custom_validity_error_message != ""


#: The members of ValidityState, in the order of the standard's list, except for ``valid``.
VALIDITY_STATES: Final[Mapping[str, Callable[[ControlFacts], bool]]] = {
    "valueMissing": is_suffering_from_being_missing,
    "typeMismatch": is_suffering_from_a_type_mismatch,
    "patternMismatch": is_suffering_from_a_pattern_mismatch,
    "tooLong": is_suffering_from_being_too_long,
    "tooShort": is_suffering_from_being_too_short,
    "rangeUnderflow": is_suffering_from_an_underflow,
    "rangeOverflow": is_suffering_from_an_overflow,
    "stepMismatch": is_suffering_from_a_step_mismatch,
    "badInput": is_suffering_from_bad_input,
    "customError": is_suffering_from_a_custom_error,
}


def validity_states(facts: ControlFacts) -> list[str]:
    """Return the names of the states that the element is in, in the order of :data:`VALIDITY_STATES`.

    Raises:
        PatternLimitError: if its pattern is too large, or matching it takes too long.
    """
    return [name for name, is_in in VALIDITY_STATES.items() if is_in(facts)]


def satisfies_its_constraints(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#concept-fv-valid"""
    return not validity_states(facts)


def is_barred_from_constraint_validation(facts: ControlFacts) -> bool:
    """https://html.spec.whatwg.org/#barred-from-constraint-validation, but for a datalist element around it."""
    if isinstance(facts, InputFacts) and facts.type in (InputType.HIDDEN, InputType.RESET, InputType.BUTTON):
        return True
    return not facts.mutable
