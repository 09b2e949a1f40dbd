"""The behavior of Chromium 156 at the steps about forms where it deviates.

A function that replaces another one has that as its first parameter, ``go_on``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from modelcontext.judging.profiles.chromium_156_behavior import as_text
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement
from modelcontext.spec.revisions.current.model import (
    CompletionSteps,
    FormExecution,
    LocalPendingExecution,
    associated_model_context,
    state_of,
)
from modelcontext.spec.verbs import (
    a_new_abort_controller,
    add_abort_steps,
    fire_an_event,
    in_parallel,
    is_fully_active,
    relevant_realm,
    signal_of,
)
from modelcontext.spec.verbs.form_verbs import (
    attribute_value,
    checkedness_of,
    default_button,
    fire_an_event_at_an_element,
    focusing_steps,
    has_attribute,
    is_connected,
    is_disabled,
    is_element,
    labels_of,
    list_of_options,
    listed_elements,
    sanitized_value,
    select_alone,
    set_checkedness,
    set_selectedness,
    set_value,
    submit,
    type_state,
    value_of,
)
from modelcontext.spec.weaving.changes import Instead

if TYPE_CHECKING:
    from modelcontext.judging.profiles.chromium_156_behavior import React
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
    from modelcontext.spec.revisions.current.model import Assignment, FormTool, ModelContext

_WATCHED = "what Chromium watches"
_WATCHED_ATTRIBUTES = (
    *("name", "type", "required", "pattern", "min", "max", "step", "disabled", "readonly"),
    *("toolparamdescription", "aria-description", "id"),
)
_FORM_ATTRIBUTES = ("toolname", "tooldescription", "tooltitle", "toolautosubmit")


def takes_what_sanitization_leaves(element: FormAssociatedElement, kind: str, string: str) -> bool:
    """Return whether something is left of a value; a color always is."""
    if kind == "color" or is_element(element, "textarea") or (string == "" and kind not in ("number", "range")):
        return True
    return string != "" and sanitized_value(element, string) != ""


def assign(form: HTMLFormElement, assignment: Assignment) -> None:
    """Perform an assignment, in whatever form the control is by now."""
    element, kind, value = assignment.element, assignment.kind, assignment.value
    events: tuple[str, ...] = ("input", "change")
    if kind in ("checkbox", "radio"):
        if checkedness_of(element) is value:
            events = ("change",)
        set_checkedness(element, value is True)
    elif kind == "select":
        assert isinstance(value, list)
        if not _select(element, value):
            events = ()
    else:
        old, never_set = value_of(element), _has_never_had_a_value(element)
        set_value(element, str(value))
        if is_element(element, "input") and type_state(element) == "hidden":
            events = ()
        elif value_of(element) == old:
            events = ("input",) if never_set and old == "" else ()
    for name in events:
        fire_an_event_at_an_element(name, element, bubbles=True, composed=name == "input")


def _select(select: FormAssociatedElement, values: list[str]) -> bool:
    """Select options, disabled ones too, and return whether anything has changed."""
    options = list_of_options(select)
    if has_attribute(select, "multiple"):
        changed = any(option.selectedness is not (option.value in values) for option in options)
        for option in options:
            set_selectedness(option, option.value in values)
        return changed
    found = next((option for option in options if option.value == values[0]), None)
    if found is None or found.selectedness:
        return False
    select_alone(found)
    return True


def _has_never_had_a_value(element: FormAssociatedElement) -> bool:
    if not isinstance(element, HTMLInputElement | HTMLTextAreaElement):
        return False
    if element.dirty_value_flag or element.has_attribute("value"):
        return False
    return not isinstance(element, HTMLInputElement) or element.type_state != "datetime-local"


def execute_and_then_tell(
    form: HTMLFormElement,
    target_document: Document,
    input: str,
    completion_steps: CompletionSteps,
    id: int,
    validate_the_input_of_a_form: Callable[[HTMLFormElement, str], list[Assignment] | None],
    perform_an_assignment: Callable[[HTMLFormElement, Assignment], None],
) -> None:
    """Run the declarative execute steps without looking at what listeners do, and fire toolactivated last."""
    tool = state_of(form).tool
    assert tool is not None
    context = associated_model_context(target_document)
    button = default_button(form)
    assignments = validate_the_input_of_a_form(form, input)
    if assignments is None or (button is None and not tool.autosubmit):
        in_parallel(lambda: completion_steps(None, False))
    else:
        for assignment in assignments:
            perform_an_assignment(form, assignment)
        if is_fully_active(target_document):
            execution = FormExecution(id, context, completion_steps, button, "filling")
            _go_on(form, target_document, execution, autosubmit=tool.autosubmit)
    if is_fully_active(target_document):
        fire_an_event("toolactivated", context, "ToolActivatedEvent", {"toolName": tool.definition.name})


def _go_on(form: HTMLFormElement, target_document: Document, execution: FormExecution, *, autosubmit: bool) -> None:
    """Begin the execution of a form that is filled in, and submit the form or leave it to the user."""
    abort_controller = a_new_abort_controller(relevant_realm(target_document))
    execution.context.internal_context.local_pending_executions_map.set(
        execution.id, LocalPendingExecution(abort_controller)
    )

    def abort_steps() -> None:
        if state_of(form).execution is execution:
            state_of(form).execution = None

    add_abort_steps(signal_of(abort_controller), abort_steps)
    execution.state = "awaiting"
    state_of(form).execution = execution
    if autosubmit:
        submit(form, execution.chosen_button)
    else:
        focusing_steps(execution.chosen_button)


def interrupt_whatever_the_state(
    form: HTMLFormElement, end_the_execution_of_a_form: Callable[[HTMLFormElement, str | None, bool], None]
) -> None:
    """End a running call."""
    if state_of(form).execution is not None:
        end_the_execution_of_a_form(form, None, False)


def unless_submitting(go_on: Callable[[HTMLFormElement], None], form: HTMLFormElement) -> None:
    """Interrupt a call, unless its submit event is being dispatched."""
    execution = state_of(form).execution
    if execution is None or execution.state != "submitting":
        go_on(form)


def begin_another_submission(form: HTMLFormElement) -> bool:
    """Begin a submission of an agent, also while the response to an earlier one is awaited."""
    execution = state_of(form).execution
    if execution is None or execution.state not in ("awaiting", "responding"):
        return False
    execution.state = "submitting"
    return True


def offers_whatever_the_name(go_on: Callable[[HTMLFormElement], bool], form: HTMLFormElement) -> bool:
    """Return whether a form offers a tool, or has one whose name is no longer valid."""
    has_attributes = has_attribute(form, "toolname") and has_attribute(form, "tooldescription")
    return go_on(form) or (state_of(form).tool is not None and is_connected(form) and has_attributes)


def withdraw_for_an_invalid_name(
    form: HTMLFormElement,
    offers_a_tool: Callable[[HTMLFormElement], bool],
    withdraw_the_tool_of_a_form: Callable[[HTMLFormElement], None],
) -> Instead | None:
    """Withdraw the tool of a form whose name is not valid."""
    if offers_a_tool(form):
        return None
    withdraw_the_tool_of_a_form(form)
    return Instead(None)


def navigates(go_on: object, form: HTMLFormElement) -> bool:
    """Return false: a form that cannot navigate counts as submitted."""
    return False


def answers_whatever_call_runs(
    go_on: React,
    response: PromiseObject,
    fulfilled: object,
    rejected: object,
    *,
    form: HTMLFormElement,
    serialize_a_response: Callable[[JSValue], str | None],
    end_the_execution_of_a_form: Callable[[HTMLFormElement, str | None, bool], None],
) -> None:
    """React to a response by ending the call that the form has then; it may be another one than that of the submission."""

    def answered(value: JSValue) -> None:
        if state_of(form).execution is None:
            return
        try:
            result = serialize_a_response(value)
        except Throw:
            end_the_execution_of_a_form(form, None, False)
            return
        end_the_execution_of_a_form(form, result, True)

    go_on(response, answered, lambda reason: end_the_execution_of_a_form(form, None, False))


def response_as_text(value: JSValue) -> str | None:
    """Return a response as the result of an imperative tool."""
    return as_text(None, value)


def loser_keeps_its_tool(form: HTMLFormElement, tool: FormTool, tool_map: Any, name: str) -> Instead | None:
    """Let a form whose name is in use have its tool all the same, although that is not registered."""
    if not tool_map.exists(name):
        return None
    state_of(form).tool = tool
    return Instead(None)


def withdraw_whatever_has_the_name(
    form: HTMLFormElement,
    interrupt_the_execution_of_a_form: Callable[[HTMLFormElement], None],
    unregister_a_tool: Callable[[ModelContext, str], None],
) -> None:
    """Withdraw the tool of a form by its name, which may be that of another one by now."""
    tool = state_of(form).tool
    if tool is None:
        return
    state_of(form).tool = None
    interrupt_the_execution_of_a_form(form)
    if tool.context.internal_context.tool_map.exists(tool.definition.name):
        unregister_a_tool(tool.context, tool.definition.name)


def unchanged_in_what_is_watched(form: HTMLFormElement) -> Instead | None:
    """Return at once if nothing has changed that Chromium watches since the last update."""
    state = state_of(form)
    if state.tool is None or state.updating_document is not None:
        return None
    return Instead(None) if form.extensions.get(_WATCHED) == _watched(form) else None


def remember_what_is_watched(form: HTMLFormElement) -> None:
    """Remember what Chromium watches, as of this update."""
    form.extensions[_WATCHED] = _watched(form)


def _watched(form: HTMLFormElement) -> tuple[object, ...]:
    watched = _attributes(form, _FORM_ATTRIBUTES)
    for element in listed_elements(form):
        is_box = is_element(element, "input") and type_state(element) in ("checkbox", "radio")
        watched += [element.local_name, is_disabled(element)]
        watched += _attributes(element, (*_WATCHED_ATTRIBUTES, *(("value",) if is_box else ())))
        if element.local_name not in ("fieldset", "output"):
            watched.append(len(labels_of(element)))
    return tuple(watched)


def _attributes(element: Element, names: tuple[str, ...]) -> list[object]:
    return [attribute_value(element, name) if has_attribute(element, name) else None for name in names]
