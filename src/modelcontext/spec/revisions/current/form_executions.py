"""Declarative tools: calls of forms, their submission and their end.

Spec: https://webmachinelearning.github.io/webmcp/#form-execution
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from modelcontext.platform.ecmascript.values import UNDEFINED, JSValue, Throw
from modelcontext.platform.infra.errors import spec_assert
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.form_inputs import perform_an_assignment, validate_the_input_of_a_form
from modelcontext.spec.revisions.current.model import (
    CompletionSteps,
    FormExecution,
    FormTool,
    LocalPendingExecution,
    associated_model_context,
    state_of,
)
from modelcontext.spec.verbs import (
    a_new_abort_controller,
    add_abort_steps,
    fire_an_event,
    in_parallel,
    react,
    relevant_realm,
    report_a_warning_to_the_console,
    serialize_a_javascript_value_to_a_json_string,
    signal_of,
)
from modelcontext.spec.verbs.form_verbs import (
    cannot_be_submitted_by_an_agent,
    cannot_navigate,
    default_button,
    focusing_steps,
    is_agent_invoked,
    submit,
)

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement
    from modelcontext.platform.html.forms.submission import SubmitEvent
    from modelcontext.platform.html.parallel import ParallelSteps


@algorithm("declarative-execute-steps")
def declarative_execute_steps(
    form: HTMLFormElement, target_document: Document, input: str, completion_steps: CompletionSteps, id: int
) -> None:
    """https://webmachinelearning.github.io/webmcp/#declarative-execute-steps"""
    # 1. Let tool be form's tool, which is not null.
    tool = tool_of(form)

    # 2. Let button be the first submit button that is not disabled among the listed elements and the image buttons
    # whose form owner is form, in tree order, or null.
    button = default_button(form)

    # 3. Let assignments be the result of validating the input of a form given form and input.
    assignments = validate_the_input_of_a_form(form, input)

    # 4. If form's execution is not null, or assignments is failure, or form cannot be submitted by an agent given
    # button and tool's autosubmit:
    if (
        state_of(form).execution is not None
        or assignments is None
        or cannot_be_submitted_by_an_agent(form, button, tool.autosubmit)
    ):
        # 4.1. In parallel:
        @in_parallel
        def fail() -> ParallelSteps:
            # 4.1.1. Run completion steps given null and false.
            yield from completion_steps(None, False)

        # 4.2. Return.
        return

    # 5. Let context be target document's associated ModelContext.
    context = associated_model_context(target_document)

    # 6. Let name be tool's definition's name.
    name = tool.definition.name

    # 7. Let execution be a new form execution whose id is id, context is context, completion steps is completion steps,
    # chosen button is button, and state is "filling".
    execution = FormExecution(id, context, completion_steps, button, "filling")

    # 8. Set form's execution to execution.
    state_of(form).execution = execution

    # 9. Let abort controller be a new AbortController in target document's relevant realm.
    abort_controller = a_new_abort_controller(relevant_realm(target_document))

    # 10. Set context's internal context's local pending executions map[id] to a new local pending execution whose abort
    # controller is abort controller.
    context.internal_context.local_pending_executions_map.set(id, LocalPendingExecution(abort_controller))

    # 11. Add the following abort steps to abort controller's signal:
    def abort_steps() -> None:
        # 11.1. Set form's execution to null.
        state_of(form).execution = None

    add_abort_steps(signal_of(abort_controller), abort_steps)

    # 12. For each assignment of assignments:
    for assignment in assignments:
        # 12.1. Perform an assignment given form and assignment.
        perform_an_assignment(form, assignment)

        # 12.2. If form's execution is not execution, then return.
        if state_of(form).execution is not execution:
            return

    # 13. Set execution's state to "awaiting".
    execution.state = "awaiting"

    # 14. Fire an event named toolactivated at context, using ToolActivatedEvent, with its toolName attribute
    # initialized to name.
    fire_an_event("toolactivated", context, "ToolActivatedEvent", {"toolName": name})

    # 15. If form's execution is not execution, or execution's state is not "awaiting", then return.
    if state_of(form).execution is not execution or execution.state != "awaiting":
        return

    # 16. If tool's autosubmit is false:
    if not tool.autosubmit:
        # 16.1. Run the focusing steps for button.
        focusing_steps(button)

        # 16.2. Return.
        return

    # 17. Submit form from button, or, without a button, from form.
    submit(form, button)

    # 18. If form's execution is execution and execution's state is "awaiting", then end the execution of a form given
    # form, null, and false.
    if state_of(form).execution is execution and execution.state == "awaiting":
        end_the_execution_of_a_form(form, None, False)


@algorithm("end-the-execution-of-a-form")
def end_the_execution_of_a_form(form: HTMLFormElement, result: str | None, success: bool) -> None:
    """https://webmachinelearning.github.io/webmcp/#end-the-execution-of-a-form"""
    # 1. Let execution be form's execution.
    execution = state_of(form).execution

    # 2. If execution is null, then return.
    if execution is None:
        return

    # 3. Set form's execution to null.
    state_of(form).execution = None

    # 4. Remove execution's context's internal context's local pending executions map[execution's id].
    execution.context.internal_context.local_pending_executions_map.remove(execution.id)

    # 5. In parallel:
    @in_parallel
    def complete() -> ParallelSteps:
        # 5.1. Run execution's completion steps given result and success.
        yield from execution.completion_steps(result, success)


@algorithm("interrupt-the-execution-of-a-form")
def interrupt_the_execution_of_a_form(form: HTMLFormElement) -> None:
    """https://webmachinelearning.github.io/webmcp/#interrupt-the-execution-of-a-form"""
    # 1. Let execution be form's execution.
    execution = state_of(form).execution

    # 2. If execution is not null, and its state is "filling" or "awaiting", then end the execution of a form given
    # form, null, and false.
    if execution is not None and execution.state in ("filling", "awaiting"):
        end_the_execution_of_a_form(form, None, False)


@algorithm("dom-submitevent-respondwith")
def respond_with(this: SubmitEvent, agent_response: PromiseObject) -> None:
    """https://webmachinelearning.github.io/webmcp/#dom-submitevent-respondwith"""
    # 1. If this's agentInvoked attribute is false, then throw an "InvalidStateError" DOMException.
    if not is_agent_invoked(this):
        raise Throw(DOMException("InvalidStateError"))

    # 2. If this's canceled flag is unset, then throw an "InvalidStateError" DOMException.
    if not this.canceled_flag:
        raise Throw(DOMException("InvalidStateError"))

    # 3. If this's dispatch flag is unset, then throw an "InvalidStateError" DOMException.
    if not this.dispatch_flag:
        raise Throw(DOMException("InvalidStateError"))

    # 4. Set this's response to agentResponse.
    this.response = agent_response


@algorithm("begin-the-submission-of-an-agent")
def begin_the_submission_of_an_agent(form: HTMLFormElement) -> bool:
    """https://webmachinelearning.github.io/webmcp/#begin-the-submission-of-an-agent"""
    # 1. Let execution be form's execution.
    execution = state_of(form).execution

    # 2. If execution is null, or its state is not "awaiting", then return false.
    if execution is None or execution.state != "awaiting":
        return False

    # 3. Set execution's state to "submitting".
    execution.state = "submitting"

    # 4. Return true.
    return True


@algorithm("process-a-submit-event")
def process_a_submit_event(form: HTMLFormElement, event: SubmitEvent) -> None:
    """https://webmachinelearning.github.io/webmcp/#process-a-submit-event"""
    # 1. Let execution be form's execution.
    execution = state_of(form).execution

    # 2. If event's agentInvoked attribute is false, or execution is null, then return.
    if not is_agent_invoked(event) or execution is None:
        return

    # 3. Let response be event's response.
    response = event.response

    # 4. If response is not null:
    if response is not None:
        # 4.1. Set execution's state to "responding".
        execution.state = "responding"

        # 4.2. React to response:
        # 4.2.a. If response was fulfilled with value value:
        def fulfilled(value: JSValue) -> None:
            # 4.2.a.1. If form's execution is not execution, then return.
            if state_of(form).execution is not execution:
                return

            # 4.2.a.2. Let result be the result of serializing a response given value.
            try:
                result = serialize_a_response(value)

            # 4.2.a.3. If that threw an exception:
            except Throw:
                # 4.2.a.3.1. End the execution of a form given form, null, and false.
                end_the_execution_of_a_form(form, None, False)

                # 4.2.a.3.2. Return.
                return

            # 4.2.a.4. End the execution of a form given form, result, and true.
            end_the_execution_of_a_form(form, result, True)

        # 4.2.b. If response was rejected with reason reason:
        def rejected(reason: JSValue) -> None:
            # 4.2.b.1. Optionally, report a warning to the console that describes reason.
            report_a_warning_to_the_console(reason)

            # 4.2.b.2. If form's execution is not execution, then return.
            if state_of(form).execution is not execution:
                return

            # 4.2.b.3. End the execution of a form given form, null, and false.
            end_the_execution_of_a_form(form, None, False)

        react(response, fulfilled, rejected)

        # 4.3. Return.
        return

    # 5. If event's canceled flag is set, or form cannot navigate, then end the execution of a form given form, null,
    # and false.
    if event.canceled_flag or cannot_navigate(form):
        end_the_execution_of_a_form(form, None, False)

    # 6. Otherwise:
    else:
        # 6.1. End the execution of a form given form, null, and true.
        end_the_execution_of_a_form(form, None, True)


@algorithm("serialize-a-response")
def serialize_a_response(value: JSValue) -> str | None:
    """https://webmachinelearning.github.io/webmcp/#serialize-a-response"""
    # 1. If value is undefined, then return null.
    if value is UNDEFINED:
        return None

    # 2. If value is a String, then return value.
    if isinstance(value, str):
        return value

    # 3. Return the result of serializing a JavaScript value to a JSON string given value, rethrowing any exception.
    return serialize_a_javascript_value_to_a_json_string(value)


@algorithm("has-an-active-execution")
def has_an_active_execution(form: HTMLFormElement) -> bool:
    """https://webmachinelearning.github.io/webmcp/#has-an-active-execution"""
    # 1. Let execution be form's execution.
    execution = state_of(form).execution

    # 2. If execution is null, then return false.
    if execution is None:
        return False

    # 3. Return true if execution's state is not "filling"; otherwise false.
    return execution.state != "filling"


def chosen_button_of(form: HTMLFormElement) -> HTMLElement | None:
    """Return the chosen button of the execution of a form, or None."""
    return cast("HTMLElement | None", getattr(state_of(form).execution, "chosen_button", None))


def tool_of(form: HTMLFormElement) -> FormTool:
    """Return the tool of a form that has one."""
    tool = state_of(form).tool
    spec_assert(tool is not None, "the form has a tool")
    assert tool is not None
    return tool
