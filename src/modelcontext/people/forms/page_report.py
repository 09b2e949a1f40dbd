"""The result of a check of a page, as data: documents, forms, parameters, controls that are left out, problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

#: The URL of the specification.
SPECIFICATION: Final = "https://webmachinelearning.github.io/webmcp/"


class Code(StrEnum):
    """The kind of a problem; docs/forms.md has the list."""

    NOT_A_TOOL = "not-a-tool"
    NOT_A_FORM = "not-a-form"
    IGNORED_FORM = "ignored-form"
    DUPLICATE_TOOL = "duplicate-tool"
    EMPTY_DESCRIPTION = "empty-description"
    NEVER_SUBMITTABLE = "never-submittable"
    HIDDEN_FORM = "hidden-form"
    UNREACHABLE_BUTTON = "unreachable-button"
    DECOY = "decoy"
    HIDDEN_PARAMETER = "hidden-parameter"
    SECRET_PARAMETER = "secret-parameter"
    INVISIBLE_CHARACTERS = "invisible-characters"
    NO_NAME = "no-name"
    SHARED_NAME = "shared-name"
    REORDERED_NAME = "reordered-name"
    NO_DESCRIPTION = "no-description"
    EQUAL_DESCRIPTIONS = "equal-descriptions"
    UNUSED_DESCRIPTION = "unused-description"
    NO_CHOICES = "no-choices"
    DUPLICATE_CHOICE = "duplicate-choice"
    REJECTED_CHOICE = "rejected-choice"
    BAD_PATTERN = "bad-pattern"
    PATTERN_LIMIT = "pattern-limit"
    BAD_LIMIT = "bad-limit"
    EMPTY_RANGE = "empty-range"
    BAD_DEFAULT = "bad-default"
    REQUIRED_OUT_OF_REACH = "required-out-of-reach"
    LABEL_NOWHERE = "label-nowhere"
    FORM_NOWHERE = "form-nowhere"
    DUPLICATE_ID = "duplicate-id"
    OLD_ATTRIBUTE = "old-attribute"
    INSECURE = "insecure"


@dataclass(frozen=True, slots=True)
class DecidingStep:
    """A step of the specification that decided something: the id of its algorithm, its number and its text."""

    algorithm: str
    number: str
    text: str

    def __str__(self) -> str:
        return f"{self.algorithm} {self.number}"

    @property
    def url(self) -> str:
        """The URL of the algorithm."""
        return f"{SPECIFICATION}#{self.algorithm}"


@dataclass(frozen=True, slots=True)
class ElementPlace:
    """An element.

    Attributes:
        element: its start tag, in short.
        kind: its name, or of an input the state of its type.
        line: the line of its start tag, counted from 1; None if the source is not a file.
    """

    element: str
    kind: str
    line: int | None

    def __str__(self) -> str:
        return self.element if self.line is None else f"line {self.line}, {self.element}"

    def to_data(self) -> dict[str, Any]:
        """Return the place for a JSON document."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class FormProblem:
    """A problem: what is wrong, where, and what to do."""

    code: Code
    place: ElementPlace
    message: str
    advice: str

    def to_data(self) -> dict[str, Any]:
        """Return the problem for a JSON document."""
        return {"code": self.code.value, "place": self.place.to_data(), "message": self.message, "advice": self.advice}


@dataclass(frozen=True, slots=True)
class ParameterReport:
    """A parameter of a tool.

    Attributes:
        name: its name, a key of the schema's properties.
        required: whether it is required.
        schema: its schema, with the description. None if a limit of this program leaves the schema unknown.
        source: the place that its description comes from, in words; the empty string if it has no description.
        unread: the attributes with words for people that are not in the description.
        controls: the controls that it stands for.
        steps: the steps that decided what its first control is, and what the schema is.
    """

    name: str
    required: bool
    schema: dict[str, Any] | None
    source: str
    unread: Sequence[str]
    controls: Sequence[ElementPlace]
    steps: Sequence[DecidingStep]

    def to_data(self) -> dict[str, Any]:
        """Return the parameter for a JSON document."""
        return {
            "name": self.name,
            "required": self.required,
            "schema": self.schema,
            "descriptionFrom": self.source or None,
            "notRead": list(self.unread),
            "controls": [place.to_data() for place in self.controls],
            "steps": [str(step) for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A control that is no parameter, the reason in words, and the step that decided it."""

    place: ElementPlace
    name: str
    reason: str
    step: DecidingStep

    def to_data(self) -> dict[str, Any]:
        """Return the control for a JSON document."""
        return {**asdict(self), "step": str(self.step)}


@dataclass(frozen=True, slots=True)
class ToolReport:
    """The definition of a tool; ``submission`` says in words what follows when a call has filled the form.

    ``schema`` is None if a limit of this program leaves it unknown.
    """

    name: str
    title: str | None
    description: str
    autosubmit: bool
    submission: str
    schema: dict[str, Any] | None

    def to_data(self) -> dict[str, Any]:
        """Return the tool for a JSON document."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class FormReport:
    """A form with ``toolname`` or ``tooldescription``.

    Attributes:
        place: its place.
        tool: the tool that it offers, or None.
        reason: why it offers none, in words; the empty string if it offers one.
        step: the step that decided whether it offers one. None for a form that is not in the tree.
        parameters: the parameters in the order of the schema.
        left_out: the controls that are no parameters, in tree order.
        problems: the problems.
    """

    place: ElementPlace
    tool: ToolReport | None
    reason: str
    step: DecidingStep | None
    parameters: Sequence[ParameterReport] = ()
    left_out: Sequence[LeftOut] = ()
    problems: Sequence[FormProblem] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the form for a JSON document."""
        return {
            "place": self.place.to_data(),
            "tool": self.tool.to_data() if self.tool is not None else None,
            "reason": self.reason or None,
            "step": str(self.step) if self.step is not None else None,
            "parameters": [parameter.to_data() for parameter in self.parameters],
            "leftOut": [control.to_data() for control in self.left_out],
            "problems": [problem.to_data() for problem in self.problems],
        }


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """A document: its name in the page, its URL, its forms, problems that are not of one form, and notes for the reader."""

    name: str
    url: str | None
    forms: Sequence[FormReport] = ()
    problems: Sequence[FormProblem] = ()
    notes: Sequence[str] = field(default=())

    def to_data(self) -> dict[str, Any]:
        """Return the document for a JSON document."""
        return {
            "name": self.name,
            "url": self.url,
            "forms": [form.to_data() for form in self.forms],
            "problems": [problem.to_data() for problem in self.problems],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class PageReport:
    """The result of a check: the documents of a page, the page's own first."""

    documents: Sequence[DocumentReport]

    @property
    def problems(self) -> Iterator[FormProblem]:
        """The problems of all documents and forms."""
        for document in self.documents:
            yield from document.problems
            for form in document.forms:
                yield from form.problems

    @property
    def steps(self) -> Iterator[DecidingStep]:
        """The steps that decided something, with repetitions."""
        for form in (form for document in self.documents for form in document.forms):
            if form.step is not None:
                yield form.step
            for parameter in form.parameters:
                yield from parameter.steps
            for control in form.left_out:
                yield control.step

    def to_data(self) -> dict[str, Any]:
        """Return the result for a JSON document; its steps stand once, by their names."""
        return {
            "documents": [document.to_data() for document in self.documents],
            "problems": sum(1 for _ in self.problems),
            "steps": {str(step): {"text": step.text, "url": step.url} for step in self.steps},
        }
