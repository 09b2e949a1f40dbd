"""Reading the forms of one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted
from modelcontext.people.forms.deciding import reason_of_form
from modelcontext.people.forms.hiding import Hiding
from modelcontext.people.forms.page_report import (
    Code,
    DocumentReport,
    ElementPlace,
    FormProblem,
    FormReport,
    ToolReport,
)
from modelcontext.people.forms.parameters import Controls, hidden_text, read_controls
from modelcontext.people.forms.places import Places
from modelcontext.people.forms.risks import name_of_button, risks, submit_buttons
from modelcontext.people.forms.suspicions import problem_of
from modelcontext.people.forms.texts import quoted, start_tag
from modelcontext.people.forms.trees import all_elements
from modelcontext.platform.dom.nodes import TreeScope
from modelcontext.platform.html.elements import HTML_NAMESPACE
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.labels import HTMLLabelElement, labeled_control
from modelcontext.spec.revisions.current.schema_synthesis import synthesize_a_declarative_json_schema_object
from modelcontext.spec.verbs.form_verbs import (
    attribute_value,
    cannot_be_submitted_by_an_agent,
    default_button,
    is_connected,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from modelcontext.people.forms.deciding import Algorithms
    from modelcontext.people.forms.page_report import DecidingStep
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.html.document import Document as HTMLDocument

_ATTRIBUTES: Final = ("toolname", "tooldescription")
#: Of more buttons the first are named.
_MOST_BUTTONS: Final = 5
_NAME_IS_TAKEN: Final = ("update-the-tool-of-a-form", "10")


class DocumentReader:
    """A reader of one document.

    Args:
        document: the document, parsed.
        algorithms: the algorithms of the specification.
        html: its source.
        indexes: the indexes of its elements in the source.
        is_file: whether the source is a file: its lines are named, and no script has run.
    """

    def __init__(
        self,
        document: HTMLDocument,
        algorithms: Algorithms,
        html: str,
        indexes: Mapping[Element, int],
        *,
        is_file: bool,
    ) -> None:
        self._document = document
        self._algorithms = algorithms
        self._places = Places(html, indexes, has_lines=is_file)
        self._is_file = is_file
        self._elements = list(all_elements(document))
        self._hiding = Hiding(self._elements, is_file=is_file)
        self._owners: dict[str, HTMLFormElement] = {}

    def read(
        self, name: str, url: str | None, ignored: Iterable[tuple[int, Element]], notes: Sequence[str] = ()
    ) -> DocumentReport:
        """Return what the document has.

        Args:
            name: its name in the page.
            url: its URL, if it has one.
            ignored: the forms that the parser ignores.
            notes: further notes.
        """
        found = [element for element in self._elements if isinstance(element, HTMLFormElement) and _is_meant(element)]
        forms = [self._form(form) for form in found]
        forms += [self._ignored_form(index, element) for index, element in ignored if _is_meant(element)]
        forms.sort(key=lambda form: form.place.line or 0)
        problems = [*self._misplaced_attributes(), *(self._references() if forms else ())]
        if forms and not self._document.is_secure_context:
            message = "the document is not a secure context, so it has no tools"
            problems.insert(
                0,
                FormProblem(Code.INSECURE, ElementPlace(url or name, "document", None), message, "serve it over HTTPS"),
            )
        return DocumentReport(name, url, forms, problems, [*notes, *self._notes()])

    def _form(self, form: HTMLFormElement) -> FormReport:
        place = self._places[form]
        offers, step = self._algorithms.run("offers-a-tool", form)
        reason = "" if offers else reason_of_form(form, step)
        if not is_connected(form):
            return FormReport(place, None, reason, step)
        problems: list[FormProblem] = []
        name = attribute_value(form, "toolname")
        if reason:
            problems.append(FormProblem(Code.NOT_A_TOOL, place, f"it offers no tool: {reason}", _advice(step)))
        elif (first := self._owners.setdefault(name, form)) is not form:
            step = self._algorithms.step(*_NAME_IS_TAKEN)
            reason = f"another form of the document has the name {quoted(name)} ({self._places[first]})"
            problems.append(
                FormProblem(Code.DUPLICATE_TOOL, place, f"it is not a tool: {reason}", "choose another name")
            )
        button, autosubmit = default_button(form), form.has_attribute("toolautosubmit")
        is_validated = not form.has_attribute("novalidate") and not (
            button is not None and button.has_attribute("formnovalidate")
        )
        controls = read_controls(form, self._algorithms, self._places, is_validated=is_validated)
        never = cannot_be_submitted_by_an_agent(form, button, autosubmit)
        problems += self._problems_of_texts(form)
        if never and (button is not None or autosubmit):
            message = "no call can submit it: its frame's sandbox has no allow-forms"
            problems.append(FormProblem(Code.NEVER_SUBMITTABLE, place, message, "add allow-forms"))
        elif never:
            message = "no call can submit it: it has neither an enabled submit button nor toolautosubmit"
            problems.append(FormProblem(Code.NEVER_SUBMITTABLE, place, message, "add one of the two"))
        tool = self._tool(form, controls, _submission(form, never)) if not reason else None
        of_risks = risks(form, controls.groups, self._hiding, self._places)
        of_controls = [*controls.problems, *self._problems_of_ids(form), *of_risks]
        problems += sorted(of_controls, key=lambda problem: problem.place.line or 0)
        return FormReport(place, tool, reason, step, controls.parameters, controls.left_out, problems)

    def _tool(self, form: HTMLFormElement, controls: Controls, submission: str) -> ToolReport:
        is_known = all(parameter.schema is not None for parameter in controls.parameters)
        return ToolReport(
            attribute_value(form, "toolname"),
            form.get_attribute("tooltitle"),
            attribute_value(form, "tooldescription"),
            form.has_attribute("toolautosubmit"),
            submission,
            synthesize_a_declarative_json_schema_object(form) if is_known else None,
        )

    def _problems_of_texts(self, form: HTMLFormElement) -> list[FormProblem]:
        place = self._places[form]
        problems: list[FormProblem] = []
        if form.has_attribute("tooldescription") and attribute_value(form, "tooldescription").strip() == "":
            message = "its description is empty, so a model cannot know the purpose of the tool"
            problems.append(FormProblem(Code.EMPTY_DESCRIPTION, place, message, "describe the tool in tooldescription"))
        for attribute in ("tooltitle", "tooldescription"):
            text = attribute_value(form, attribute)
            problems += [problem_of(one, place) for one in hidden_text(attribute, text)]
        return problems

    def _problems_of_ids(self, form: HTMLFormElement) -> list[FormProblem]:
        problems: list[FormProblem] = []
        for node in form.descendants:
            if isinstance(node, HTMLLabelElement):
                problems += self._problem_of_label(node)
        for control in form.listed_elements:
            id_ = control.get_attribute("id")
            if id_ and control.tree_scope is not None and control.tree_scope.get_element_by_id(id_) is not control:
                message = f"another element has the id {quoted(id_)} too, and a label for this id finds only the first element"
                problems.append(
                    FormProblem(Code.DUPLICATE_ID, self._places[control], message, "give it an id of its own")
                )
        return problems

    def _problem_of_label(self, label: HTMLLabelElement) -> Iterator[FormProblem]:
        if label.has_attribute("for") and labeled_control(label) is None:
            message = f"its attribute for is {quoted(attribute_value(label, 'for'))}, and no control has this id"
            yield FormProblem(Code.LABEL_NOWHERE, self._places[label], message, "name the id of a control")

    def _ignored_form(self, index: int, element: Element) -> FormReport:
        line = self._places.line(index) if self._is_file else None
        place = ElementPlace(start_tag(element).replace("<source", "<form", 1), "form", line)
        if self._is_file:
            reason = "it begins inside of another form, and the parser ignores such a start tag"
        else:
            reason = "a script has put it inside of another form, and the command does not check nested forms"
        problem = FormProblem(
            Code.IGNORED_FORM, place, f"it offers no tool: {reason}", "put it outside of the other form"
        )
        return FormReport(place, None, reason, None, problems=[problem])

    def _misplaced_attributes(self) -> list[FormProblem]:
        problems: list[FormProblem] = []
        for element in self._elements:
            attributes = element.attributes
            if not isinstance(element, HTMLFormElement):
                for name in (name for name in _ATTRIBUTES if name in attributes):
                    message = f"{name} has an effect only on forms"
                    problems.append(FormProblem(Code.NOT_A_FORM, self._places[element], message, "move it to a form"))
            if "toolparamtitle" in attributes:
                message = "toolparamtitle is ignored: only older browsers use it"
                problems.append(
                    FormProblem(
                        Code.OLD_ATTRIBUTE, self._places[element], message, "use a label or toolparamdescription"
                    )
                )
        return problems

    def _references(self) -> list[FormProblem]:
        problems: list[FormProblem] = []
        for element in self._elements:
            if not isinstance(element.root, TreeScope):
                continue  # It is in a template.
            if isinstance(element, HTMLLabelElement):
                form = element.nearest_ancestor(HTMLFormElement)
                if form is None or not _is_meant(form):
                    problems += self._problem_of_label(element)
            elif isinstance(element, FormAssociatedElement) and element.is_listed and element.form_owner is None:
                id_ = element.get_attribute("form")
                if id_ is not None:
                    message = f"its attribute form is {quoted(id_)}, and no form has this id"
                    advice = "name the id of a form"
                    problems.append(FormProblem(Code.FORM_NOWHERE, self._places[element], message, advice))
        return problems

    def _notes(self) -> list[str]:
        if not self._is_file:
            return []
        counts = {"script": 0, "iframe": 0, "link": 0}
        for element in self._elements:
            if element.namespace == HTML_NAMESPACE and element.local_name in counts:
                is_counted = element.local_name != "link" or "stylesheet" in attribute_value(element, "rel").lower()
                counts[element.local_name] += is_counted
        notes = []
        if counts["script"]:
            notes.append(
                f"{counted(counts['script'], 'script')} did not run here. A script can add, change and remove forms, fill "
                "templates, define custom elements and register tools: check the page by its URL to see the result."
            )
        if counts["iframe"]:
            verb = "is" if counts["iframe"] == 1 else "are"
            notes.append(
                f"{counted(counts['iframe'], 'frame')} {verb} not read: give the file of the frame, or the URL of the page."
            )
        if counts["link"]:
            verb = "is" if counts["link"] == 1 else "are"
            notes.append(
                f"{counted(counts['link'], 'style sheet')} {verb} not read, and may hide controls: check the page by its URL."
            )
        return notes


def _is_meant(element: Element) -> bool:
    return any(element.has_attribute(name) for name in _ATTRIBUTES)


def _advice(step: DecidingStep) -> str:
    return {
        "offers-a-tool 2": "add allow-scripts to the frame's sandbox",
        "offers-a-tool 3": 'add allow="tools" to the frame, and check the Permissions-Policy header',
        "offers-a-tool 4": "add the attribute",
    }.get(str(step), "choose another name")


def _submission(form: HTMLFormElement, never: bool) -> str:
    if never:
        return "never"
    buttons = submit_buttons(form)
    button = buttons[0] if buttons else None
    when = "at once, without a person"
    if not form.has_attribute("toolautosubmit"):
        when = f"when the person presses {' or '.join(map(name_of_button, buttons[:_MOST_BUTTONS]))}"
    elif len(buttons) > 1:
        when += f", always with {name_of_button(buttons[0])}"
    own = button.get_attribute("formmethod") if button is not None else None
    is_dialog = (attribute_value(form, "method") if own is None else own).lower() == "dialog"
    return (
        f"{when}; the submission sends nothing, and closes the dialog of the form (method=dialog)"
        if is_dialog
        else when
    )
