"""The parameters of a form, and its controls that are none, with the reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from modelcontext.people.forms.deciding import reason_of_control, reason_of_group
from modelcontext.people.forms.naming import unread_words
from modelcontext.people.forms.page_report import Code, FormProblem, LeftOut, ParameterReport
from modelcontext.people.forms.suspicions import duplicate_choices, pattern_limit, problem_of, suspicions
from modelcontext.people.forms.texts import invisible_characters, quoted
from modelcontext.platform.html.forms.disabledness import HTMLFieldSetElement
from modelcontext.platform.html.forms.form_controls import HTMLInputElement
from modelcontext.platform.html.forms.validity import is_barred_or_satisfies_its_constraints
from modelcontext.spec.revisions.current.schema_synthesis import (
    collect_the_label_text,
    collect_the_parameters,
    describe_a_parameter,
)
from modelcontext.spec.verbs.form_verbs import attribute_applies, attribute_value, choice_value, nearest_fieldset

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from modelcontext.people.forms.deciding import Algorithms
    from modelcontext.people.forms.page_report import DecidingStep
    from modelcontext.people.forms.places import Places
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement

#: An index of an array is less (https://tc39.es/ecma262/#array-index).
_ARRAY_INDEXES: Final = 2**32 - 1


class Controls(NamedTuple):
    """The controls of a form: parameters and the elements of each, what is left out, and the problems of both."""

    parameters: list[ParameterReport]
    groups: dict[str, list[FormAssociatedElement]]
    left_out: list[LeftOut]
    problems: list[FormProblem]


def read_controls(form: HTMLFormElement, algorithms: Algorithms, places: Places, *, is_validated: bool) -> Controls:
    """Return the controls of a form.

    Args:
        form: the form.
        algorithms: the algorithms of the specification.
        places: the places of the elements.
        is_validated: whether the form is validated before it is submitted.
    """
    reader = _ControlReader(algorithms, places, is_validated)
    in_order: dict[FormAssociatedElement, None] = dict.fromkeys(form.listed_elements)
    groups = collect_the_parameters(form)
    for name, members in groups.items():
        reader.read_group(name, members)
    for element in in_order:
        if not isinstance(element, HTMLFieldSetElement):
            reader.read_element(element)
    reader.read_fieldsets([element for element in in_order if isinstance(element, HTMLFieldSetElement)])
    left_out = [reader.left_out[element] for element in in_order if element in reader.left_out]
    groups = {parameter.name: groups[parameter.name] for parameter in reader.parameters}
    return Controls(reader.parameters, groups, left_out, reader.problems)


class _ControlReader:
    """A reader of one form's controls."""

    def __init__(self, algorithms: Algorithms, places: Places, is_validated: bool) -> None:
        self._algorithms = algorithms
        self._places = places
        self._is_validated = is_validated
        self._describing: set[HTMLFieldSetElement] = set()
        self._unfillable_groups: set[str] = set()
        self._read: set[FormAssociatedElement] = set()
        self._described: dict[str, str] = {}
        self.parameters: list[ParameterReport] = []
        self.left_out: dict[FormAssociatedElement, LeftOut] = {}
        self.problems: list[FormProblem] = []

    def read_group(self, name: str, members: list[FormAssociatedElement]) -> None:
        """Read the controls of one name that take part."""
        self._read.update(members)
        self._read_name(name, members)
        limits = [limit for limit in map(pattern_limit, members) if limit is not None]
        if limits:
            self._add(
                Code.PATTERN_LIMIT,
                members[0],
                f"{limits[0]}, so the report has no schema for it",
                "shorten the pattern",
            )
            self._add_parameter(name, members, None, [self._kind_of(members[0])])
            return
        schema, step = self._algorithms.run("synthesize-a-parameter-schema", members)
        if schema is None:
            self._read_without_schema(name, members, step)
            return
        description = describe_a_parameter(members)
        self._read_description(name, members, description)
        if description != "":
            schema["description"] = description
        self._add_parameter(name, members, schema, [self._kind_of(members[0]), step])
        for element in members:
            self.problems += [problem_of(one, self._places[element]) for one in suspicions(element)]
        if len(members) > 1 or members[0].get_attribute("type") == "radio":
            values = [choice_value(member) for member in members]
            self.problems += [problem_of(one, self._places[members[0]]) for one in duplicate_choices(values)]
        self._read_hidden(members[0], "choices", _texts_of_choices(schema))

    def read_element(self, element: FormAssociatedElement) -> None:
        """Read a control that takes no part."""
        if element in self._read:
            return
        step = self._kind_of(element)
        self._leave_out(element, reason_of_control(element, step), step)
        if element.get_attribute("toolparamdescription"):
            advice = "remove it, or make the control a parameter"
            self._add(
                Code.UNUSED_DESCRIPTION, element, "its toolparamdescription is ignored: it is not a parameter", advice
            )

    def read_fieldsets(self, fieldsets: Sequence[HTMLFieldSetElement]) -> None:
        """Tell of fieldsets whose descriptions nothing takes."""
        for fieldset in fieldsets:
            if fieldset.get_attribute("toolparamdescription") and fieldset not in self._describing:
                message = (
                    "its toolparamdescription is ignored: it is not the nearest fieldset around a group of one name"
                )
                self._add(Code.UNUSED_DESCRIPTION, fieldset, message, "describe the controls themselves")

    def _kind_of(self, element: FormAssociatedElement) -> DecidingStep:
        return self._algorithms.run("determine-the-parameter-kind", element)[1]

    def _add(self, code: Code, element: FormAssociatedElement, message: str, advice: str) -> None:
        self.problems.append(FormProblem(code, self._places[element], message, advice))

    def _add_parameter(
        self,
        name: str,
        members: list[FormAssociatedElement],
        schema: dict[str, Any] | None,
        steps: Sequence[DecidingStep],
    ) -> None:
        required = any(attribute_applies(member, "required") for member in members)
        places = [self._places[member] for member in members]
        unread = list(unread_words(members, (schema or {}).get("description", "")))
        self.parameters.append(ParameterReport(name, required, schema, self._source(members), unread, places, steps))

    def _leave_out(self, element: FormAssociatedElement, reason: str, step: DecidingStep) -> None:
        self.left_out[element] = LeftOut(self._places[element], attribute_value(element, "name"), reason, step)
        self._read_unfillable(element)

    def _read_unfillable(self, element: FormAssociatedElement) -> None:
        if not self._is_validated:
            return
        if isinstance(element, HTMLInputElement) and element.type_state == "radio":
            # Any of a group says it for the group.
            name = attribute_value(element, "name")
            if name in self._unfillable_groups:
                return
            self._unfillable_groups.add(name)
        if not is_barred_or_satisfies_its_constraints(element):
            message = "a call cannot fill it in, but its current value makes the form invalid"
            self._add(
                Code.REQUIRED_OUT_OF_REACH, element, message, "remove the constraint, or give the control a valid value"
            )

    def _read_without_schema(self, name: str, members: list[FormAssociatedElement], step: DecidingStep) -> None:
        reason = reason_of_group(step)
        code = Code.SHARED_NAME if len(members) > 1 else Code.NO_CHOICES
        subject = (
            f"the controls with the name {quoted(name)} are not a parameter"
            if len(members) > 1
            else "it is not a parameter"
        )
        advice = "give each control a name of its own" if len(members) > 1 else "add options"
        self._add(code, members[0], f"{subject}: {reason}", advice)
        for member in members:
            self._leave_out(member, reason, step)

    def _read_name(self, name: str, members: list[FormAssociatedElement]) -> None:
        if name == "":
            for member in members:
                self._add(Code.NO_NAME, member, 'it has no name, so its parameter is called ""', "give it a name")
        elif name.isascii() and name.isdecimal() and str(int(name[:11])) == name and int(name) < _ARRAY_INDEXES:
            message = f"the name {quoted(name)} is an integer: scripts and many clients list it before all other names"
            self._add(Code.REORDERED_NAME, members[0], message, "choose a name that begins with a letter")
        elif name == "__proto__":
            message = "the name __proto__ is special in JavaScript, so scripts easily lose the value of this parameter"
            self._add(Code.REORDERED_NAME, members[0], message, "choose another name")
        self._read_hidden(members[0], "name", name)

    def _read_description(self, name: str, members: list[FormAssociatedElement], description: str) -> None:
        first = members[0]
        source = self._source(members)
        if len(members) > 1:
            fieldset = nearest_fieldset(members)
            if fieldset is not None:
                self._describing.add(fieldset)
            if description.strip() == "":
                message = (
                    f"the group {quoted(name)} has no description:"
                    " the labels of its controls are only the titles of its choices"
                )
                advice = "put a fieldset with toolparamdescription around it"
                self._add(Code.NO_DESCRIPTION, first, message + _unread_in_words(members), advice)
            for member in members:
                if member.get_attribute("toolparamdescription"):
                    message = "its toolparamdescription is ignored: several controls have its name"
                    self._add(Code.UNUSED_DESCRIPTION, member, message, "move it to a fieldset around all of them")
        elif source == "" or description.strip() == "":
            advice = "add a label, or toolparamdescription"
            message = f"it has no label and no description{_unread_in_words(members)}"
            self._add(Code.NO_DESCRIPTION, first, message, advice)
        words = " ".join(description.lower().split())
        if words and (other := self._described.setdefault(words, name)) != name:
            message = f"it has the same description as {quoted(other)}: {quoted(description)}"
            self._add(
                Code.EQUAL_DESCRIPTIONS, first, message, "say how the two differ, in labels or toolparamdescription"
            )
        self._read_hidden(first, "description", description)

    def _source(self, members: Sequence[FormAssociatedElement]) -> str:
        """Return the place that a description comes from, in words."""
        first = members[0]
        if len(members) > 1:
            fieldset = nearest_fieldset(members)
            return "fieldset" if fieldset is not None and attribute_value(fieldset, "toolparamdescription") else ""
        if attribute_value(first, "toolparamdescription"):
            return "toolparamdescription"
        if collect_the_label_text(first):
            return "label"
        return "aria-description" if attribute_value(first, "aria-description") else ""

    def _read_hidden(self, element: FormAssociatedElement, what: str, text: str) -> None:
        self.problems += [problem_of(one, self._places[element]) for one in hidden_text(what, text)]


def _unread_in_words(members: Sequence[FormAssociatedElement]) -> str:
    shown = ", ".join(f"{name} {quoted(words)}" for name, words in unread_words(members, "").items())
    return f"; {shown} is not read" if shown else ""


def _texts_of_choices(schema: Mapping[str, Any]) -> str:
    choices = schema.get("items", schema).get("anyOf", ())
    return " ".join(f"{choice['const']} {choice.get('title', '')}" for choice in choices)


def hidden_text(what: str, text: str) -> Iterator[tuple[Code, str, str]]:
    """Yield a suspicion if a text that a model reads has characters that a person cannot see."""
    found = invisible_characters(text)
    if found:
        shown = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
        yield Code.INVISIBLE_CHARACTERS, f"the {what} has invisible characters: {shown}", "remove them"
