"""The elements of a page: the verbs about them, and the page's entries about forms.

Walking trees, form owners, values, sanitization, validation and submission are the browser's own. Where a script cannot get at
them, or not in time, the page differs from the text:

* The page learns of a change of its tree by a mutation observer. The records are read before anything else enters Python, and
  when the algorithms here have run listeners; otherwise at the end of a task or after a callback, as with any such observer.
  All changes since then are told, each as it was: a form that was removed and put back is withdrawn first. Those of one
  document keep their order. A closed shadow tree that the parser has made is not seen.
* The ``input`` and ``change`` events are not trusted. Microtasks run when the form has been filled in and submitted, so that
  those of a ``submit`` listener come too late to respond.
* Whether a document is sandboxed is read from the frames around it; a sandbox by a header is not seen.
* The end of a ``submit`` or ``reset`` event that a user's click has caused is noticed in a task of its own.
* There are no pseudo-classes.
* Documents that reach Python only by messages, because they are of another origin or in a page that may go into the
  back/forward cache, have no forms that are tools.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from modelcontext.hosts.page.objects import Held, HeldResponse
from modelcontext.hosts.page.page_elements import (
    ControlReading,
    PageControl,
    PageFieldSet,
    PageForm,
    PageLabel,
    PageOption,
    PageTree,
)
from modelcontext.platform.ecmascript.values import UNDEFINED, Throw
from modelcontext.platform.html.forms.control_facts import InputFacts
from modelcontext.platform.html.forms.input_types import applies, applies_to_an_element, input_type
from modelcontext.platform.html.forms.submission import SubmitEvent

if TYPE_CHECKING:
    from modelcontext.hosts.page.objects import PageDocument, PageRealm
    from modelcontext.hosts.page.verbs import PageFormVerbs, PageVerbs
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.dom.nodes import TreeScope
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.disabledness import HTMLFieldSetElement
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
    from modelcontext.platform.html.forms.labels import HTMLLabelElement
    from modelcontext.platform.html.forms.select import HTMLOptionElement
    from modelcontext.spec.revisions.revision import Revision

_REMOVED = "removed"


class PageForms:
    """The elements of the windows that one hub serves.

    Args:
        verbs: the functions of the page for elements; ``page_verbs`` are the others.
        revision: the revision of the specification.
        document: returns the document of a number.
        realm: returns the realm of a number.
        written: returns a value as the page reads it.
    """

    def __init__(
        self,
        verbs: PageFormVerbs,
        page_verbs: PageVerbs,
        revision: Revision,
        document: Callable[[int], PageDocument],
        realm: Callable[[int], PageRealm],
        written: Callable[[JSValue], str],
    ) -> None:
        self._verbs = verbs
        self._page_verbs = page_verbs
        self._revision = revision
        self._document = document
        self._realm = realm
        self._written = written
        self._ids = itertools.count(1)
        #: The forms that the page has not collected, because algorithms keep state of them.
        self._forms: dict[int, PageForm] = {}
        self._controls: list[PageControl] = []
        self._submissions: dict[int, tuple[PageForm, SubmitEvent]] = {}
        #: The form whose change is being told, and the one thing in which it differed then from now.
        self._past: tuple[int, object] = (0, None)

    # The page's entries

    def changed(self, form: int, past: str) -> None:
        """Run the form change steps.

        Args:
            form: the form.
            past: what was otherwise when the change was made, as JSON: "removed" if the form was not in a tree then, or the
                name of an attribute and its value, which may be null; or the empty string.
        """
        self.forget_readings()
        self._past = (form, json.loads(past) if past else None)
        try:
            self._revision.form_change_steps(self._form(form))
        finally:
            self._past = (0, None)

    def tree_changed(self, forms: str) -> None:
        """Run the tree change steps for a tree with these forms, a JSON list."""
        self.forget_readings()
        tree = PageTree([self._form(form) for form in json.loads(forms)])
        self._revision.tree_change_steps(cast("TreeScope", tree))

    def begin_submission(self, form: int) -> int:
        """Return the number of a submission if it is that of an agent, else 0; the page is about to fire ``submit``."""
        self.forget_readings()
        known = self._form(form)
        if not self._revision.begin_a_submission(known):
            return 0
        number = next(self._ids)
        self._submissions[number] = known, _submit_event(self.node_document(known).realm, agent_invoked=True)
        return number

    def respond(self, submission: int, state: str, promise: int, realm: int) -> int:
        """Respond to a ``submit`` event with a promise; return 0, or the negated handle of an exception.

        Args:
            submission: its submission, or 0 if a script has made the event.
            state: the event's agentInvoked attribute, canceled flag and dispatch flag, a JSON list.
            promise: the handle of the promise.
            realm: the realm of the call.
        """
        agent_invoked, canceled, dispatched = json.loads(state)
        known = self._submissions.get(submission)
        event = known[1] if known is not None else _submit_event(self._realm(realm), agent_invoked=agent_invoked)
        event.canceled_flag, event.dispatch_flag = canceled, dispatched
        held = HeldResponse(self._page_verbs, promise, realm)
        try:
            self._revision.algorithm("dom-submitevent-respondwith")(event, held)
        except Throw as throw:
            return -self._page_verbs.make(realm, self._written(throw.value))
        return 0

    def submitted(self, submission: int, canceled: bool) -> None:
        """Process a ``submit`` event that was fired."""
        self.forget_readings()
        form, event = self._submissions.pop(submission)
        event.canceled_flag, event.dispatch_flag = canceled, False
        self._revision.submit_event_steps(form, event)

    def submit_method(self, form: int) -> None:
        """Run the steps for a form that a script submits without an event."""
        if not self.cannot_navigate(self._form(form)) and not self._verbs.is_sandboxed(form):
            self._revision.submit_method_steps(self._form(form))

    def response(self, value: JSValue) -> JSValue:
        """Return the value of a response, as algorithms tell strings and undefined from others."""
        assert isinstance(value, Held)
        found = self._verbs.response_of(value.handle)
        return UNDEFINED if found is None else found if isinstance(found, str) else value

    def interrupted(self, form: int) -> None:
        """Run the steps for a form that is reset, or is not valid."""
        self._revision.reset_steps(self._form(form))

    def forget_form(self, form: int) -> None:
        """Forget a form that the page has collected."""
        self._forms.pop(form, None)

    # Numbers

    def _form(self, id: int) -> PageForm:
        if id not in self._forms:
            self._forms[id] = PageForm(id)
        return self._forms[id]

    def _reading(self, element: FormAssociatedElement) -> ControlReading:
        control = _control(element)
        if control.reading is None:
            control.reading = cast("ControlReading", json.loads(self._verbs.describe(control.id)))
            self._controls.append(control)
        return control.reading

    def forget_readings(self) -> None:
        """Forget what was read of controls, because scripts may have run since."""
        for control in self._controls:
            control.reading = None
        self._controls.clear()

    # The verbs

    def is_connected(self, element: Element) -> bool:
        id = _id(element)
        return self._past != (id, _REMOVED) and self._verbs.is_connected(id)

    def is_scripting_disabled(self, element: Element) -> bool:
        return self._verbs.document_of(_id(element)) == 0

    def node_document(self, element: Element) -> Document:
        return self._document(self._verbs.document_of(_id(element)))

    def is_element(self, element: Element, local_name: str) -> bool:
        return self._reading(_control(element))["name"] == local_name

    def has_attribute(self, element: Element, name: str) -> bool:
        return self._attribute(element, name) is not None

    def attribute_value(self, element: Element, name: str) -> str:
        return self._attribute(element, name) or ""

    def _attribute(self, element: Element, name: str) -> str | None:
        if isinstance(element, PageControl):
            return self._reading(element)["attributes"].get(name)
        form, past = self._past
        if isinstance(past, list) and (form, past[0]) == (_id(element), name):
            return cast("str | None", past[1])
        return self._verbs.attribute_of(_id(element), name)

    def attribute_applies(self, element: FormAssociatedElement, attribute: str) -> bool:
        reading = self._reading(element)
        if attribute not in reading["attributes"]:
            return False
        if reading["name"] != "input":
            return applies_to_an_element(attribute, reading["name"])
        return applies(attribute, input_type(reading["attributes"].get("type")))

    def forms_without_an_update(self, root: TreeScope) -> list[HTMLFormElement]:
        tree: object = root
        assert isinstance(tree, PageTree)
        return [form for form in tree.forms if form.watches]

    def listed_elements(self, form: HTMLFormElement) -> list[FormAssociatedElement]:
        self.forget_readings()
        self._controls = [PageControl(reading) for reading in json.loads(self._verbs.listed_of(_id(form)))]
        return list(self._controls)

    def type_state(self, element: FormAssociatedElement) -> str:
        return self._reading(element)["type"]

    def is_disabled(self, element: FormAssociatedElement) -> bool:
        return self._reading(element)["disabled"]

    def list_of_options(self, select: FormAssociatedElement) -> list[HTMLOptionElement]:
        id = _id(select)
        return [PageOption(id, index, one) for index, one in enumerate(json.loads(self._verbs.options_of(id)))]

    def input_facts(self, element: FormAssociatedElement) -> InputFacts:
        attributes = self._reading(element)["attributes"]
        return InputFacts(type=input_type(attributes.get("type")), value="", attributes=attributes)

    def nearest_fieldset(self, elements: Sequence[FormAssociatedElement]) -> HTMLFieldSetElement | None:
        id = self._verbs.fieldset_of(json.dumps([_id(element) for element in elements]))
        return PageFieldSet(id) if id else None

    def labels_of(self, element: FormAssociatedElement) -> list[HTMLLabelElement]:
        return [PageLabel(text) for text in self._reading(element)["labels"]]

    def text_without_labelable_elements(self, label: HTMLLabelElement) -> str:
        assert isinstance(label, PageLabel)
        return label.text

    def form_owner(self, element: FormAssociatedElement) -> HTMLFormElement | None:
        id = self._verbs.form_of(_id(element))
        return self._form(id) if id else None

    def checkedness_of(self, element: FormAssociatedElement) -> bool:
        return self._verbs.is_checked(_id(element))

    def set_checkedness(self, element: FormAssociatedElement, checkedness: bool) -> None:
        self._verbs.check(_id(element), checkedness)

    def set_selectedness(self, option: HTMLOptionElement, selectedness: bool) -> None:
        assert isinstance(option, PageOption)
        self._verbs.select(option.select_id, option.index, selectedness)

    def select_alone(self, option: HTMLOptionElement) -> None:
        self.set_selectedness(option, True)  # The browser unselects the others.

    def value_of(self, element: FormAssociatedElement) -> str:
        # HOST: of a textarea, it is the API value, whose newlines are normalized.
        return self._verbs.value_of(_id(element))

    def set_value(self, element: FormAssociatedElement, value: str) -> None:
        self._verbs.set_value(_id(element), value)

    def sanitized_value(self, element: FormAssociatedElement, value: str) -> str:
        return self._verbs.sanitize(_id(element), value)

    def fire_an_event_at_an_element(
        self, name: str, element: FormAssociatedElement, *, bubbles: bool, composed: bool
    ) -> None:
        self._verbs.fire_at(_id(element), name, bubbles, composed)
        self.forget_readings()

    def default_button(self, form: HTMLFormElement) -> FormAssociatedElement | None:
        id = self._verbs.default_button(_id(form))
        return PageControl(json.loads(self._verbs.describe(id))) if id else None

    def is_sandboxed_without_forms(self, form: HTMLFormElement) -> bool:
        # HOST: the flag is that of the frames around the document. A sandbox by a header cannot be seen.
        return self._verbs.is_sandboxed(_id(form))

    def focusing_steps(self, element: HTMLElement) -> None:
        self._verbs.focus(_id(element))
        self.forget_readings()

    def submit(self, form: HTMLFormElement, submitter: HTMLElement | None) -> None:
        self._verbs.submit(_id(form), _id(submitter) if submitter is not None else 0)
        self.forget_readings()

    def cannot_navigate(self, form: HTMLFormElement) -> bool:
        id = _id(form)
        return not self._verbs.is_connected(id) or self._verbs.document_of(id) == 0


def _submit_event(realm: PageRealm | object, *, agent_invoked: bool) -> SubmitEvent:
    attributes: dict[str, JSValue] = {"agentInvoked": agent_invoked}
    return SubmitEvent(cast("PageRealm", realm), "submit", "SubmitEvent", attributes, bubbles=True, cancelable=True)


def _control(element: Element) -> PageControl:
    assert isinstance(element, PageControl)
    return element


def _id(element: Element) -> int:
    assert isinstance(element, PageForm | PageControl | PageFieldSet)
    return element.id
