"""Schemas of generated forms, held against the forms: what the one accepts, the other takes, but for what Issues list."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from corvus_regex_ecma262 import Regex
from corvus_regex_ecma262 import error as RegexError  # noqa: N812
from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend

from modelcontext.hosts.world import World
from modelcontext.platform.dom.nodes import DocumentNode
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.select import HTMLSelectElement
from modelcontext.platform.html.forms.validity import is_barred_or_satisfies_its_constraints
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.html.parsing import parse_html
from modelcontext.spec.revisions.current.form_input import perform_an_assignment, validate_the_input_of_a_form
from modelcontext.spec.revisions.current.schema_synthesis import (
    collect_the_parameters,
    determine_the_parameter_kind,
    synthesize_a_declarative_json_schema_object,
)
from tests.revisions.generated_forms import an_input, form

INDEX = Path(__file__).parents[2] / "index.bs"
FORMS = 2_000
INPUTS_OF_A_FORM = 4


class Complaint(NamedTuple):
    """An error of a schema: its keyword, the parameter (None: the whole input), and what the input has there."""

    keyword: str
    name: str | None
    value: Any
    schema: dict[str, Any]


class Comparison(NamedTuple):
    """An input of a form, and what becomes of it.

    ``kinds`` are the parameter kinds by name. ``read_back`` is what the controls of the named parameters have after they were
    filled in, None if they were not; ``can_be_submitted`` says whether all controls then satisfy their constraints.
    """

    html: str
    input: Any
    properties: dict[str, dict[str, Any]]
    kinds: dict[str, str]
    complaints: Sequence[Complaint]
    read_back: dict[str, Any] | None
    can_be_submitted: bool

    @property
    def values(self) -> list[tuple[str, str, Any]]:
        """The parameters that the input names: name, kind and value."""
        return [(name, self.kinds[name], value) for name, value in self.input.items() if name in self.properties]


def matches(pattern: str, flag: str, text: str) -> bool | None:
    """Return whether an ECMAScript regular expression matches a text; None if it is none with this flag."""
    try:
        return bool(Regex(pattern, flag).test(text))
    except RegexError:
        return None


def check_pattern(
    validator: Draft202012Validator, pattern: str, value: object, schema: object
) -> Iterator[ValidationError]:
    # The package has Python's regular expressions. JSON Schema recommends those of ECMAScript with the flag u.
    if isinstance(value, str) and not matches(pattern, "u", value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


Validator: type[Draft202012Validator] = extend(Draft202012Validator, {"pattern": check_pattern})  # type: ignore[no-untyped-call]


def exact(text: str) -> Any:
    """Return a JSON text's value, whose numbers are what their decimals say: 0.3 is a multiple of 0.1."""
    return json.loads(text, parse_int=Fraction, parse_float=Fraction)


def complaints_of(schema: dict[str, Any], input: Any) -> list[Complaint]:
    validator = Validator(exact(json.dumps(schema)), format_checker=FormatChecker(["date"]))
    found = []
    for error in validator.iter_errors(exact(json.dumps(input))):
        name = str(error.path[0]) if error.path else None
        if error.validator == "required":
            found += [
                Complaint("required", missing, None, {}) for missing in schema["required"] if missing not in input
            ]
        elif name is None:
            found.append(Complaint(str(error.validator), None, input, schema))
        else:
            found.append(Complaint(str(error.validator), name, input[name], schema["properties"][name]))
    return found


def read(kind: str, members: list[FormAssociatedElement]) -> Any:
    first = members[0]
    if isinstance(first, HTMLSelectElement):
        selected = [option.value for option in first.list_of_options if option.selectedness and not option.is_disabled]
        return set(selected) if first.has_attribute("multiple") else selected
    if isinstance(first, HTMLTextAreaElement):
        return first.raw_value
    inputs = [member for member in members if isinstance(member, HTMLInputElement)]
    if kind not in ("checkbox", "radio"):
        return inputs[0].value
    if kind == "checkbox" and len(inputs) == 1:
        return inputs[0].checkedness
    checked = [member.attributes.get("value", "on") for member in inputs if member.checkedness]
    return checked if kind == "radio" else set(checked)


def compare(document: DocumentNode, html: str, input: Any) -> Comparison:
    parse_html(document, html)
    element = document.get_element_by_id("f")
    assert isinstance(element, HTMLFormElement)
    schema = synthesize_a_declarative_json_schema_object(element)
    parameters = collect_the_parameters(element)
    kinds = {name: str(determine_the_parameter_kind(members[0])) for name, members in parameters.items()}
    assignments = validate_the_input_of_a_form(element, json.dumps(input))
    for assignment in assignments or ():
        perform_an_assignment(element, assignment)
    named = [name for name in parameters if isinstance(input, dict) and name in input]
    read_back = {name: read(kinds[name], parameters[name]) for name in named}
    return Comparison(
        html,
        input,
        json.loads(json.dumps(schema))["properties"],
        kinds,
        complaints_of(schema, input),
        read_back if assignments is not None else None,
        all(is_barred_or_satisfies_its_constraints(control) for control in element.listed_elements),
    )


@pytest.fixture(scope="module")
def comparisons(takes_long: None) -> list[Comparison]:
    world = World()
    world.enter()
    page = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
    made: list[Comparison] = []

    def script() -> None:
        for seed in range(FORMS):
            html, chance = form(seed)
            document = DocumentNode(page.realm)
            parse_html(document, html)
            element = document.get_element_by_id("f")
            assert isinstance(element, HTMLFormElement)
            schema = synthesize_a_declarative_json_schema_object(element)
            inputs = [an_input(chance, schema) for _ in range(INPUTS_OF_A_FORM)]
            made.extend(compare(DocumentNode(page.realm), html, input) for input in inputs)

    world.user_agent.run_script_now(page, script)
    return made


DATE_AND_TIME = ("month", "week", "time", "datetime-local")


def has_an_unknown_name(comparison: Comparison) -> bool:
    return any(name not in comparison.properties for name in comparison.input)


def is_in_no_calendar(comparison: Comparison) -> bool:
    # The patterns let through week 53 of every year, the 31st of every month, and the year 0.
    no_day = "-(02-(29|30|31)|(04|06|09|11)-31)T|^0+-|W53$"
    values = [value for _, kind, value in comparison.values if kind in DATE_AND_TIME and isinstance(value, str)]
    return any(re.search(no_day, value) for value in values)


def has_a_text_of_which_nothing_is_left(comparison: Comparison) -> bool:
    return any(
        kind == "text" and isinstance(value, str) and value.strip() == "" for _, kind, value in comparison.values
    )


def has_a_pattern_that_v_reads_otherwise(comparison: Comparison) -> bool:
    patterns = [(comparison.properties[name].get("pattern"), value) for name, _, value in comparison.values]
    return any(
        pattern is not None and isinstance(value, str) and matches(pattern, "u", value) != matches(pattern, "v", value)
        for pattern, value in patterns
    )


def has_another_type(complaint: Complaint) -> bool:
    items = complaint.value if isinstance(complaint.value, list) else [complaint.value]
    is_no_choice = complaint.keyword in ("enum", "anyOf") and any(not isinstance(item, str) for item in items)
    return complaint.keyword == "type" or is_no_choice


def is_beyond_a_range(complaint: Complaint) -> bool:
    return complaint.keyword in ("minimum", "maximum", "multipleOf")


def is_required_and_there(complaint: Complaint) -> bool:
    return complaint.keyword == "required"


def is_empty(complaint: Complaint) -> bool:
    return complaint.keyword in ("pattern", "format") and complaint.value == ""


def is_a_date_after_the_year_9999(complaint: Complaint) -> bool:
    return complaint.keyword == "format" and re.match("[0-9]{5,}-", complaint.value) is not None


def is_a_time_with_zeros(complaint: Complaint) -> bool:
    return (
        complaint.keyword == "pattern"
        and re.search(r":[0-9]{2}:(00(\.0+)?|[0-9]{2}\.0+)$", complaint.value) is not None
    )


def is_read_otherwise_with_v(complaint: Complaint) -> bool:
    pattern = complaint.schema.get("pattern", "")
    return complaint.keyword == "pattern" and matches(pattern, "u", complaint.value) != matches(
        pattern, "v", complaint.value
    )


#: What a schema accepts and its form refuses: the Issue that lists it, and the condition.
REFUSED: Mapping[str, tuple[int, Callable[[Comparison], bool]]] = {
    "a name that no parameter has": (30, has_an_unknown_name),
    "a day or a week that no calendar has": (30, is_in_no_calendar),
    "a text of which sanitization leaves nothing": (30, has_a_text_of_which_nothing_is_left),
}

#: What a schema rejects and its form takes: the Issue that lists it, and the condition.
TAKEN: Mapping[str, tuple[int, Callable[[Complaint], bool]]] = {
    "a value of another type": (30, has_another_type),
    "a number that a range corrects": (30, is_beyond_a_range),
    "a required value that is there already": (30, is_required_and_there),
    "a date after the year 9999": (30, is_a_date_after_the_year_9999),
    "a time with zeros": (30, is_a_time_with_zeros),
    "the empty string": (26, is_empty),
    "a pattern that v reads otherwise": (26, is_read_otherwise_with_v),
}


def refused(comparisons: list[Comparison]) -> list[Comparison]:
    return [each for each in comparisons if not each.complaints and each.read_back is None]


def taken(comparisons: list[Comparison]) -> list[Comparison]:
    return [each for each in comparisons if each.complaints and each.read_back is not None and each.can_be_submitted]


def test_input_that_a_schema_accepts_is_filled_in_but_for_known_causes(comparisons: list[Comparison]) -> None:
    unexplained = [each for each in refused(comparisons) if not any(is_cause(each) for _, is_cause in REFUSED.values())]
    assert unexplained == []


def test_input_that_a_schema_rejects_is_rejected_but_for_known_causes(comparisons: list[Comparison]) -> None:
    unexplained = [
        (complaint, each)
        for each in taken(comparisons)
        for complaint in each.complaints
        if not any(is_cause(complaint) for _, is_cause in TAKEN.values())
    ]
    assert unexplained == []


@pytest.mark.parametrize("cause", REFUSED)
def test_some_input_is_refused_for_no_cause_but_this(cause: str, comparisons: list[Comparison]) -> None:
    causes = [[name for name, (_, is_cause) in REFUSED.items() if is_cause(each)] for each in refused(comparisons)]
    assert [cause] in causes


@pytest.mark.parametrize("cause", TAKEN)
def test_some_input_is_taken_for_no_cause_but_this(cause: str, comparisons: list[Comparison]) -> None:
    causes = [
        {name for complaint in each.complaints for name, (_, is_cause) in TAKEN.items() if is_cause(complaint)}
        for each in taken(comparisons)
    ]
    assert {cause} in causes


@pytest.mark.parametrize("issue", sorted({issue for issue, _ in (*REFUSED.values(), *TAKEN.values())}))
def test_causes_are_issues_of_the_text(issue: int) -> None:
    assert f"id=issue-{issue}>" in INDEX.read_text(encoding="utf-8")


def clock(text: str) -> str:
    """Return a time, or a date and time, with seconds, and without zeros after them and before a year of four digits."""
    seconds = re.sub("^0+(?=[0-9]{4})", "", text if text.count(":") == 2 else f"{text}:00")
    return seconds.rstrip("0").rstrip(".") if "." in seconds else seconds


def agrees(kind: str, schema: dict[str, Any], given: Any, found: Any) -> bool:
    """Return whether a control has what it was given, as HTML writes it."""
    if schema["type"] == "array" or "enum" in schema:
        return bool(found == (set(given) if schema["type"] == "array" else [given]))
    if schema["type"] == "boolean":
        return found is given
    if kind == "range" and "multipleOf" not in schema:
        return bool(schema["minimum"] <= float(found) <= schema["maximum"])  # It is rounded to a step.
    if schema["type"] == "number":
        return float(found) == float(given)
    if kind == "color":
        return bool(found == given.lower())
    if kind in ("time", "datetime-local"):
        return clock(found) == clock(given)
    return found in (given, re.sub("[\r\n]", "", given), re.sub("[\r\n]", "", given).strip("\t\n\f\r "))


def test_filled_in_controls_have_what_they_were_given(comparisons: list[Comparison]) -> None:
    wrong = [
        (each.html, name, value, each.read_back[name])
        for each in comparisons
        if not each.complaints and each.read_back is not None
        for name, kind, value in each.values
        if not agrees(kind, each.properties[name], value, each.read_back[name])
    ]
    assert wrong == []


def test_every_kind_of_parameter_is_accepted_and_rejected_often(comparisons: list[Comparison]) -> None:
    accepted: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    for each in comparisons:
        if not each.complaints:
            accepted.update(kind for _, kind, _ in each.values)
        rejected.update({each.kinds[complaint.name] for complaint in each.complaints if complaint.name is not None})
    kinds = {"text", "number", "range", "date", "color", "checkbox", "radio", "select", *DATE_AND_TIME}
    assert {kind for kind in kinds if accepted[kind] < 50} == set()
    assert {kind for kind in kinds if rejected[kind] < 20} == set()
