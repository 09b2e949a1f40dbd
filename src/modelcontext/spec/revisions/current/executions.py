"""Executions: finding the tool, running it, cancelling, unloading.

Spec: https://webmachinelearning.github.io/webmcp/#executions
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.ecmascript.values import UNDEFINED, JSValue, Throw
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.dictionaries import ToolExecuteCallbackOptions
from modelcontext.spec.revisions.current.model import (
    WEBMCP_TASK_SOURCE,
    CompletionSteps,
    LocalPendingExecution,
    ToolDefinition,
    associated_model_context,
    pending_executions_map,
)
from modelcontext.spec.revisions.current.tools import tool_is_exposed_to_an_origin
from modelcontext.spec.verbs import (
    a_new_abort_controller,
    assert_running_in_parallel,
    fire_an_event,
    in_parallel,
    invoke,
    is_object,
    node_navigable,
    origin_of,
    parse_a_json_string_to_a_javascript_value,
    queue_a_global_task,
    react,
    relevant_global_object,
    relevant_realm,
    report_a_warning_to_the_console,
    same_origin,
    serialize_a_javascript_value_to_a_json_string,
    signal_abort,
    signal_of,
    top_level_traversable,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.webidl.types import CallbackFunction


@algorithm("find-a-tool-to-execute")
def find_a_tool_to_execute(
    traversable: Navigable, caller_origin: Origin, target_document: Document, target_origin: Origin, tool_name: str
) -> Generator[None, None, ToolDefinition | None]:
    """https://webmachinelearning.github.io/webmcp/#find-a-tool-to-execute"""
    # 1. Assert: these steps are running in parallel.
    assert_running_in_parallel()

    # 2. Let target navigable be target document's node navigable.
    target_navigable = node_navigable(target_document)

    # 3. If target navigable is null, then return failure.
    # SPEC-BUG(#5): the published text compares the traversables without checking for a navigable.
    if target_navigable is None:
        return None

    # 4. If target navigable's top-level traversable is not traversable, then return failure.
    # SPEC-BUG(#6): no step checks whether the target is fully active.
    # SPEC-BUG(#53): a target in another tab fails, even if it is in the same group.
    if top_level_traversable(target_navigable) is not traversable:
        return None

    # 5. If target document's origin is not same origin with target origin, then return failure.
    if not same_origin(origin_of(target_document), target_origin):
        return None

    # 6. Let tool map be target document's associated ModelContext's internal context's tool map.
    tool_map = associated_model_context(target_document).internal_context.tool_map

    # 7. If tool map[tool name] does not exist, then return failure.
    # SPEC-BUG(#3): the map belongs to the event loop of its document.
    yield
    if not tool_map.exists(tool_name):
        return None

    # 8. Let tool definition be tool map[tool name].
    tool_definition = tool_map[tool_name]

    # 9. Let is exposed be the result of determining whether a tool is exposed to an origin given target document's
    # origin, tool definition's exposed origins, and caller origin.
    is_exposed = tool_is_exposed_to_an_origin(
        origin_of(target_document), tool_definition.exposed_origins, caller_origin
    )

    # 10. If is exposed is false, then return failure.
    if not is_exposed:
        return None

    # 11. Return tool definition.
    return tool_definition


@algorithm("run-the-tool-execute-steps")
def run_the_tool_execute_steps(
    target_document: Document, tool_name: str, input: str, completion_steps: CompletionSteps, id: int
) -> None:
    """https://webmachinelearning.github.io/webmcp/#run-the-tool-execute-steps"""
    # 1. Let tool map be target document's associated ModelContext's internal context's tool map.
    tool_map = associated_model_context(target_document).internal_context.tool_map

    # 2. If tool map[tool name] does not exist:
    # SPEC-BUG(#7): a tool that has replaced the one that was found is run instead.
    if not tool_map.exists(tool_name):
        # 2.1. In parallel:
        @in_parallel
        def fail() -> ParallelSteps:
            # 2.1.1. Run completion steps given null and false.
            yield from completion_steps(None, False)

        # 2.2. Return.
        return

    # 3. Run tool map[tool name]'s execute steps given target document, input, completion steps, and id.
    tool_map[tool_name].execute_steps(target_document, input, completion_steps, id)


@algorithm("imperative-execute-steps")
def imperative_execute_steps(
    execute: CallbackFunction,
    tool_name: str,
    target_document: Document,
    input: str,
    completion_steps: CompletionSteps,
    id: int,
) -> None:
    """https://webmachinelearning.github.io/webmcp/#imperative-execute-steps"""
    # 1. Let model context be target document's associated ModelContext.
    model_context = associated_model_context(target_document)

    # 2. Let local pending executions be model context's internal context's local pending executions map.
    local_pending_executions = model_context.internal_context.local_pending_executions_map

    # 3. Let realm be target document's relevant realm.
    realm = relevant_realm(target_document)

    # 4. Let input object be the result of parsing a JSON string to a JavaScript value given input, in realm.
    # SPEC-BUG(#8): Infra parses in the current realm, and there is none.
    try:
        input_object = parse_a_json_string_to_a_javascript_value(input, realm)

    # 5. If that threw an exception:
    except Throw:
        # 5.1. In parallel:
        @in_parallel
        def fail_without_json() -> ParallelSteps:
            # 5.1.1. Run completion steps given null and false.
            yield from completion_steps(None, False)

        # 5.2. Return.
        return

    # 6. If input object is not an Object:
    if not is_object(input_object):
        # 6.1. In parallel:
        @in_parallel
        def fail_without_object() -> ParallelSteps:
            # 6.1.1. Run completion steps given null and false.
            yield from completion_steps(None, False)

        # 6.2. Return.
        return

    # 7. Fire an event named toolactivated at model context, using ToolActivatedEvent, with its toolName attribute
    # initialized to tool name.
    # SPEC-BUG(#55): nothing is validated against the schema.
    fire_an_event("toolactivated", model_context, "ToolActivatedEvent", {"toolName": tool_name})

    # 8. Let abort controller be a new AbortController in realm.
    abort_controller = a_new_abort_controller(realm)

    # 9. Set local pending executions[id] to a new local pending execution whose abort controller is abort controller.
    local_pending_executions.set(id, LocalPendingExecution(abort_controller))

    # 10. Let options be a new ToolExecuteCallbackOptions whose signal is abort controller's signal.
    options = ToolExecuteCallbackOptions(signal=signal_of(abort_controller))

    # 11. Let promise be the result of invoking execute with « input object, options », and with callback this value set
    # to undefined.
    # SPEC-BUG(#56): the document of the callback may have gone, and its promise never settles.
    promise = invoke(execute, [input_object, options], UNDEFINED)

    # 12. React to promise:
    # 12.a. If promise was fulfilled with value value:
    def fulfilled(value: JSValue) -> None:
        # 12.a.1. If local pending executions[id] does not exist, then return.
        if not local_pending_executions.exists(id):
            return

        # 12.a.2. Remove local pending executions[id].
        local_pending_executions.remove(id)

        # 12.a.3. Let result be the result of serializing a JavaScript value to a JSON string given value.
        try:
            result = serialize_a_javascript_value_to_a_json_string(value)

        # 12.a.4. If that threw an exception:
        except Throw:
            # 12.a.4.1. In parallel:
            @in_parallel
            def fail() -> ParallelSteps:
                # 12.a.4.1.1. Run completion steps given null and false.
                yield from completion_steps(None, False)

            # 12.a.4.2. Return.
            return

        # 12.a.5. In parallel:
        @in_parallel
        def succeed() -> ParallelSteps:
            # 12.a.5.1. Run completion steps given result and true.
            yield from completion_steps(result, True)

    # 12.b. If promise was rejected with reason reason:
    def rejected(reason: JSValue) -> None:
        # 12.b.1. Optionally, report a warning to the console that describes reason.
        report_a_warning_to_the_console(reason)

        # 12.b.2. If local pending executions[id] does not exist, then return.
        if not local_pending_executions.exists(id):
            return

        # 12.b.3. Remove local pending executions[id].
        local_pending_executions.remove(id)

        # 12.b.4. In parallel:
        @in_parallel
        def fail() -> ParallelSteps:
            # 12.b.4.1. Run completion steps given null and false.
            yield from completion_steps(None, False)

    react(promise, fulfilled, rejected)


@algorithm("cancel-a-pending-execution")
def cancel_a_pending_execution(traversable: Navigable, id: int) -> ParallelSteps:
    """https://webmachinelearning.github.io/webmcp/#cancel-a-pending-execution"""
    # 1. Assert: these steps are running in parallel.
    assert_running_in_parallel()

    # 2. Let pending executions be traversable's pending executions map.
    pending_executions = pending_executions_map(traversable)

    # 3. If pending executions[id] does not exist, then return.
    # SPEC-BUG(#42): the published text does not make test and removal one act.
    if not pending_executions.exists(id):
        return

    # 4. Let target document be pending executions[id]'s target document.
    target_document = pending_executions[id].target_document

    # 5. Let tool name be pending executions[id]'s tool name.
    tool_name = pending_executions[id].tool_name

    # 6. Remove pending executions[id].
    pending_executions.remove(id)

    # 7. Queue a global task on the webmcp task source given target document's relevant global object to run these
    # steps:
    # SPEC-BUG(#58): the task that runs the tool may not be queued yet.
    def abort_the_callback() -> None:
        # 7.1. Let model context be target document's associated ModelContext.
        model_context = associated_model_context(target_document)

        # 7.2. Let local pending executions be model context's internal context's local pending executions map.
        local_pending_executions = model_context.internal_context.local_pending_executions_map

        # 7.3. If local pending executions[id] does not exist, then return.
        if not local_pending_executions.exists(id):
            return

        # 7.4. Let abort controller be local pending executions[id]'s abort controller.
        abort_controller = local_pending_executions[id].abort_controller

        # 7.5. Remove local pending executions[id].
        local_pending_executions.remove(id)

        # 7.6. Signal abort on abort controller.
        signal_abort(abort_controller)

        # 7.7. Fire an event named toolcancel at model context, using ToolCancelEvent, with its toolName attribute
        # initialized to tool name.
        fire_an_event("toolcancel", model_context, "ToolCancelEvent", {"toolName": tool_name})

    yield
    queue_a_global_task(WEBMCP_TASK_SOURCE, relevant_global_object(target_document), abort_the_callback)


@algorithm("unloading-document-cleanup")
def unloading_document_cleanup(document: Document) -> None:
    """https://webmachinelearning.github.io/webmcp/#unloading-document-cleanup"""
    # 1. Let navigable be document's node navigable.
    navigable = node_navigable(document)

    # 2. If navigable is null, then return.
    # SPEC-BUG(#60): the published text expects a navigable.
    if navigable is None:
        return

    # 3. Let traversable be navigable's top-level traversable.
    traversable = top_level_traversable(navigable)

    # 4. In parallel:
    @in_parallel
    def clean_up() -> ParallelSteps:
        # 4.1. Let pending executions be traversable's pending executions map.
        pending_executions = pending_executions_map(traversable)

        # 4.2. Let ids be an empty list.
        ids = []

        # 4.3. For each id → pending execution of pending executions:
        for id, pending_execution in pending_executions.items():
            # 4.3.1. If pending execution's caller document or target document is document, then append id to ids.
            if document in (pending_execution.caller_document, pending_execution.target_document):
                ids.append(id)

        # 4.4. For each id of ids:
        for id in ids:
            # 4.4.1. If pending executions[id] does not exist, then continue.
            # SPEC-BUG(#60): the published text expects the entry, and asserts afterwards that it is gone.
            yield
            if not pending_executions.exists(id):
                continue

            # 4.4.2. Let pending execution be pending executions[id].
            pending_execution = pending_executions[id]

            # 4.4.3. If pending execution's target document is not document:
            # SPEC-BUG(#10): the promise of a caller that comes back stays pending.
            if pending_execution.target_document is not document:
                # 4.4.3.1. Cancel a pending execution given traversable and id.
                yield from cancel_a_pending_execution(traversable, id)

            # 4.4.4. Otherwise, if pending execution's caller document is not document:
            # SPEC-BUG(#9): the callback of a target that comes back continues without a caller.
            elif pending_execution.caller_document is not document:
                # 4.4.4.1. Run pending execution's completion steps given null and false.
                yield from pending_execution.completion_steps(None, False)

            # 4.4.5. Otherwise:
            else:
                # 4.4.5.1. Remove pending executions[id].
                pending_executions.remove(id)
