"""Constraints: each state that a control may suffer from, and its limits."""

from __future__ import annotations

import pytest

from modelcontext.platform.html.forms.constraint_validation import (
    VALIDITY_STATES,
    is_a_valid_email_address,
    is_a_valid_email_address_list,
    is_barred_from_constraint_validation,
    satisfies_its_constraints,
    validity_states,
)
from modelcontext.platform.html.forms.control_facts import ControlFacts, InputFacts, SelectFacts
from modelcontext.platform.html.forms.input_types import InputType, applies


def states(type: str, value: str = "", /, **attributes: str) -> list[str]:
    return validity_states(InputFacts(type=InputType(type), value=value, attributes=attributes))


@pytest.mark.parametrize("type", [type for type in InputType if applies("readonly", type)])
def test_empty_required_value_is_missing_only_if_the_control_is_mutable(type: InputType) -> None:
    assert states(type, "") == []
    assert states(type, "", required="") == ["valueMissing"]
    assert states(type, "", required="", readonly="") == []
    assert validity_states(InputFacts(type=type, attributes={"required": ""}, disabled=True)) == []


@pytest.mark.parametrize("type", [type for type in InputType if not applies("required", type)])
def test_required_means_nothing_where_it_does_not_apply(type: InputType) -> None:
    assert states(type, "", required="") == []


def test_checkables_and_files_are_missing_by_what_is_chosen() -> None:
    required = {"required": ""}
    checkbox, radio, file = InputType.CHECKBOX, InputType.RADIO, InputType.FILE
    assert validity_states(InputFacts(type=checkbox, attributes=required)) == ["valueMissing"]
    assert validity_states(InputFacts(type=checkbox, attributes=required, checkedness=True)) == []
    assert validity_states(InputFacts(type=file, attributes=required)) == ["valueMissing"]
    assert validity_states(InputFacts(type=file, attributes=required, has_files=True)) == []
    # Another radio button of the group may be the required one, or the checked one.
    assert validity_states(InputFacts(type=radio, group_required=True)) == ["valueMissing"]
    assert validity_states(InputFacts(type=radio, group_required=True, group_checked=True)) == []
    assert validity_states(InputFacts(type=radio)) == []


def test_select_is_missing_without_a_selection_and_textarea_without_text() -> None:
    required = {"required": ""}
    assert validity_states(SelectFacts(attributes=required)) == ["valueMissing"]
    assert validity_states(SelectFacts(attributes=required | {"readonly": ""})) == ["valueMissing"]
    assert validity_states(SelectFacts(attributes=required, has_selection=True)) == []
    assert validity_states(SelectFacts()) == []
    assert validity_states(ControlFacts(attributes=required)) == ["valueMissing"]
    assert validity_states(ControlFacts(attributes=required | {"readonly": ""})) == []
    assert validity_states(ControlFacts(attributes=required, value=" ")) == []


@pytest.mark.parametrize(
    ("address", "valid"),
    [
        ("a@b", True),
        ("a.b+c@d-e.f", True),
        (".a.@b", True),
        ("!#$%&'*+/=?^_`{|}~-@a", True),
        ("a@1.2.3.4", True),
        ("a@" + "b" * 63, True),
        ("a@" + "b" * 64, False),
        ("a@" + "b" * 63 + "." + "c" * 63, True),
        ("a" * 300 + "@b", True),
        ("", False),
        ("a", False),
        ("@b", False),
        ("a@", False),
        ("a@b@c", False),
        ("a@-b", False),
        ("a@b-", False),
        ("a@b..c", False),
        ("a@b.", False),
        ("a@b_c", False),
        ("a b@c", False),
        ('"a"@b', False),
        ("a@[1.2.3.4]", False),
        ("\u00e4@b", False),
        ("a@\u00e4", False),
        ("a@b\n", False),
    ],
)
def test_email_address_is_valid(address: str, valid: bool) -> None:
    assert is_a_valid_email_address(address) is valid
    assert is_a_valid_email_address_list(address) is (valid or address in ("", "a@b\n"))
    assert states("email", address) == ([] if valid or address == "" else ["typeMismatch"])


@pytest.mark.parametrize(
    ("value", "valid"), [("a@b,c@d", True), ("a@b, c@d", True), ("a@b,", False), (",a@b", False), (",", False)]
)
def test_list_of_email_addresses_is_valid_if_each_is(value: str, valid: bool) -> None:
    assert is_a_valid_email_address_list(value) is valid
    assert states("email", value, multiple="") == ([] if valid else ["typeMismatch"])
    assert states("email", value) == ["typeMismatch"]


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("", True),
        ("https://a.test", True),
        ("mailto:a@b", True),
        ("x:", True),
        ("HTTP://A", True),
        ("https://\u00e4.test", True),
        ("a.test", False),
        ("//a.test", False),
        ("/x", False),
        ("https://", False),
        ("http://a:99999", False),
        ("https://a.test/\ud800", False),
    ],
)
def test_url_is_absolute(value: str, valid: bool) -> None:
    assert states("url", value) == ([] if valid else ["typeMismatch"])
    assert states("text", value) == []


@pytest.mark.parametrize("type", list(InputType))
def test_pattern_applies_to_text_alone(type: InputType) -> None:
    mismatch = ["patternMismatch"] if applies("pattern", type) else []
    value = "https://a@b" if type is not InputType.EMAIL else "a@b"
    assert states(type, value, pattern="x") == mismatch
    assert states(type, value, pattern="x[") == []
    assert states(type, value, pattern=".*") == []
    assert states(type, "", pattern="x") == []


def test_pattern_matches_each_of_several_addresses() -> None:
    assert states("email", "a@b,c@b", multiple="", pattern=".@b") == []
    assert states("email", "a@b,c@d", multiple="", pattern=".@b") == ["patternMismatch"]
    assert states("email", "a@b,c@b", pattern=".@b") == ["typeMismatch", "patternMismatch"]
    assert validity_states(ControlFacts(value="a", attributes={"pattern": "x"})) == []


@pytest.mark.parametrize("limit", ["3", " 3", "+3", "3.9", "03"])
def test_length_of_an_edited_value_is_counted_in_code_units(limit: str) -> None:
    def of(value: str, attribute: str) -> list[str]:
        facts = InputFacts(value=value, attributes={attribute: limit}, edited=True)
        of_textarea = validity_states(ControlFacts(value=value, attributes={attribute: limit}, edited=True))
        assert of_textarea == validity_states(facts)
        return of_textarea

    assert of("abc", "maxlength") == of("a\U0001f600", "maxlength") == []
    assert of("abcd", "maxlength") == of("\U0001f600\U0001f600", "maxlength") == ["tooLong"]
    assert of("abc", "minlength") == of("a\U0001f600", "minlength") == of("", "minlength") == []
    assert of("ab", "minlength") == of("\U0001f600", "minlength") == ["tooShort"]


@pytest.mark.parametrize("limit", ["", "-1", "x", "-"])
def test_length_has_no_limit_that_is_no_number(limit: str) -> None:
    attributes = {"maxlength": limit, "minlength": limit}
    assert validity_states(InputFacts(value="abc", attributes=attributes, edited=True)) == []


def test_length_matters_only_after_an_edit_and_only_to_text() -> None:
    attributes = {"maxlength": "1", "minlength": "9"}
    assert validity_states(InputFacts(value="abc", attributes=attributes)) == []
    assert validity_states(InputFacts(value="abc", attributes=attributes, edited=True)) == ["tooLong", "tooShort"]
    number = InputFacts(type=InputType.NUMBER, value="123", attributes=attributes, edited=True)
    assert validity_states(number) == []
    assert validity_states(SelectFacts(value="abc", attributes=attributes, edited=True)) == []


@pytest.mark.parametrize(
    ("type", "least", "greatest", "below", "above"),
    [
        ("number", "-1.5", "2", "-2.5", "3.5"),
        ("date", "2023-01-02", "2023-01-04", "2023-01-01", "2023-01-05"),
        ("month", "2022-12", "2023-01", "2022-11", "2023-02"),
        ("week", "2020-W53", "2021-W01", "2020-W52", "2021-W02"),
        ("time", "09:00", "17:00", "08:59", "17:01"),
        ("datetime-local", "2023-01-01T00:00", "2023-01-02T00:00", "2022-12-31T23:59", "2023-01-02T00:01"),
    ],
)
def test_value_is_below_or_above_its_range(type: str, least: str, greatest: str, below: str, above: str) -> None:
    limits = {"min": least, "max": greatest, "step": "any"}
    assert states(type, least, **limits) == states(type, greatest, **limits) == states(type, "", **limits) == []
    assert states(type, below, **limits) == ["rangeUnderflow"]
    assert states(type, above, **limits) == ["rangeOverflow"]
    assert states(type, below, max=greatest, step="any") == states(type, above, min=least, step="any") == []
    assert states(type, below, min="x", max="x", step="any") == []
    assert states("text", below, **limits) == []


def test_value_in_the_gap_of_a_reversed_range_is_below_and_above() -> None:
    limits = {"min": "22:00", "max": "06:00"}
    assert states("time", "23:00", **limits) == states("time", "05:00", **limits) == []
    assert states("time", "22:00", **limits) == states("time", "06:00", **limits) == []
    assert states("time", "06:01", **limits) == states("time", "21:59", **limits) == ["rangeUnderflow", "rangeOverflow"]
    # Only the time of day comes round again.
    assert states("number", "7", min="9", max="5") == ["rangeUnderflow", "rangeOverflow"]
    assert states("number", "10", min="9", max="5") == ["rangeOverflow"]


@pytest.mark.parametrize(
    ("type", "attributes", "fits", "misses"),
    [
        ("number", {}, "7", "7.5"),
        ("number", {"step": "0.1"}, "0.3", "0.35"),
        ("number", {"step": "0.1", "min": "0.05"}, "0.35", "0.3"),
        ("number", {"value": "0.5"}, "7.5", "7"),
        ("number", {"step": "1e-7"}, "0.0000003", "3e-8"),
        ("date", {"step": "2"}, "1970-01-03", "1970-01-02"),
        ("date", {"step": "2", "min": "2024-02-28"}, "2024-03-01", "2024-02-29"),
        ("month", {"step": "12"}, "2000-01", "2000-02"),
        ("week", {"step": "2"}, "1970-W03", "1970-W02"),
        ("time", {}, "12:34:00", "12:34:01"),
        ("time", {"step": "0.01"}, "12:34:56.78", "12:34:56.789"),
        ("datetime-local", {"step": "3600"}, "2023-01-01T10:00", "2023-01-01T10:30"),
    ],
)
def test_value_fits_its_steps_or_misses_them(type: str, attributes: dict[str, str], fits: str, misses: str) -> None:
    assert states(type, fits, **attributes) == []
    assert states(type, misses, **attributes) == ["stepMismatch"]
    assert states(type, misses, **attributes | {"step": "any"}) == []


def test_bad_input_and_custom_errors_are_as_given() -> None:
    assert validity_states(InputFacts(type=InputType.NUMBER, unconvertible=True)) == ["badInput"]
    for facts in (InputFacts, ControlFacts, SelectFacts):
        assert validity_states(facts(custom_validity_error_message=" ")) == ["customError"]
        assert satisfies_its_constraints(facts())
        assert not satisfies_its_constraints(facts(custom_validity_error_message="no"))


def test_validity_states_are_listed_in_the_standards_order() -> None:
    facts = InputFacts(
        type=InputType.NUMBER,
        value="0.5",
        attributes={"min": "1", "max": "0", "step": "0.3"},
        unconvertible=True,
        custom_validity_error_message="no",
    )
    found = validity_states(facts)
    assert found == ["rangeUnderflow", "rangeOverflow", "stepMismatch", "badInput", "customError"]
    assert sorted(found, key=list(VALIDITY_STATES).index) == found


def test_controls_that_users_cannot_change_are_barred() -> None:
    barred = {type.value for type in InputType if is_barred_from_constraint_validation(InputFacts(type=type))}
    assert barred == {"hidden", "reset", "button"}
    readonly = {"readonly": ""}
    assert is_barred_from_constraint_validation(InputFacts(attributes=readonly))
    assert is_barred_from_constraint_validation(ControlFacts(attributes=readonly))
    assert not is_barred_from_constraint_validation(SelectFacts(attributes=readonly))
    assert not is_barred_from_constraint_validation(InputFacts(type=InputType.CHECKBOX, attributes=readonly))
    for facts in (InputFacts, ControlFacts, SelectFacts):
        assert is_barred_from_constraint_validation(facts(disabled=True))
        assert not is_barred_from_constraint_validation(facts())
