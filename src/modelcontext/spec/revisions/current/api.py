"""API: the modelContext attribute, registerTool, getTools, executeTool.

Spec: https://webmachinelearning.github.io/webmcp/#api
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.ecmascript.values import UNDEFINED, JSObject, Throw
from modelcontext.platform.infra.errors import spec_assert
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.types import ABSENT, Absent
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.executions import (
    cancel_a_pending_execution,
    find_a_tool_to_execute,
    imperative_execute_steps,
    run_the_tool_execute_steps,
)
from modelcontext.spec.revisions.current.model import (
    TOOLS,
    WEBMCP_TASK_SOURCE,
    Annotations,
    CompletionSteps,
    InputSchema,
    ModelContext,
    PendingExecution,
    ToolDefinition,
    associated_model_context,
    pending_executions_map,
)
from modelcontext.spec.revisions.current.tools import (
    collect_registered_tools,
    create_a_registered_tool,
    notify_documents_of_a_tool_change,
    parse_a_list_of_origins,
    unregister_a_tool,
    valid_tool_name,
)
from modelcontext.spec.verbs import (
    a_new_promise,
    a_new_unique_internal_value,
    a_promise_rejected_with,
    abort_reason,
    add_abort_steps,
    assert_running_in_parallel,
    associated_document,
    in_parallel,
    is_aborted,
    is_allowed_to_use,
    is_fully_active,
    is_opaque,
    new_empty_object,
    node_navigable,
    origin_of,
    parse_a_json_string_to_an_infra_value,
    queue_a_global_task,
    reject,
    relevant_global_object,
    relevant_realm,
    resolve,
    serialize_a_javascript_value_to_a_json_string,
    top_level_traversable,
    url_origin,
    url_parser,
)

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.spec.revisions.current.dictionaries import (
        ModelContextExecuteToolOptions,
        ModelContextGetToolOptions,
        ModelContextRegisterToolOptions,
        ModelContextTool,
        RegisteredTool,
    )


@algorithm("dom-document-modelcontext")
def model_context(this: Document) -> ModelContext:
    """https://webmachinelearning.github.io/webmcp/#dom-document-modelcontext"""
    # 1. Return this's associated ModelContext.
    return associated_model_context(this)


@algorithm("dom-modelcontext-registertool")
def register_tool(
    this: ModelContext, tool: ModelContextTool, options: ModelContextRegisterToolOptions
) -> PromiseObject:
    """https://webmachinelearning.github.io/webmcp/#dom-modelcontext-registertool"""
    # 1. Let global be this's relevant global object.
    global_ = relevant_global_object(this)

    # 2. Let tool owner be global's associated Document.
    # SPEC-BUG(#1): the initial about:blank can share its Window with the document that replaces it.
    tool_owner = associated_document(global_)

    # 3. If tool owner is not fully active, then return a promise rejected with an "InvalidStateError" DOMException.
    if not is_fully_active(tool_owner):
        return a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this))

    # 4. If tool owner is not allowed to use the "tools" feature, then return a promise rejected with a
    # "NotAllowedError" DOMException.
    if not is_allowed_to_use(tool_owner, TOOLS):
        return a_promise_rejected_with(DOMException("NotAllowedError"), relevant_realm(this))

    # 5. Let tool map be this's internal context's tool map.
    tool_map = this.internal_context.tool_map

    # 6. Let tool name be tool["name"].
    tool_name = tool.name

    # 7. If tool map[tool name] exists, then return a promise rejected with an "InvalidStateError" DOMException.
    if tool_map.exists(tool_name):
        return a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this))

    # 8. If tool name is not a valid tool name, then return a promise rejected with an "InvalidStateError" DOMException.
    if not valid_tool_name(tool_name):
        return a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this))

    # 9. If tool["description"] is the empty string, then return a promise rejected with an "InvalidStateError"
    # DOMException.
    if tool.description == "":
        return a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this))

    # 10. Let input schema be null.
    input_schema = None

    # 11. If tool["inputSchema"] exists:
    if tool.input_schema is not ABSENT:
        # 11.1. Let serialized be the result of serializing a JavaScript value to a JSON string given
        # tool["inputSchema"].
        try:
            serialized = serialize_a_javascript_value_to_a_json_string(tool.input_schema)

        # 11.2. If that threw an exception exception, then return a promise rejected with exception.
        except Throw as exception:
            return a_promise_rejected_with(exception.value, relevant_realm(this))

        # 11.3. Let value be the result of parsing a JSON string to an Infra value given serialized.
        value = parse_a_json_string_to_an_infra_value(serialized)

        # 11.4. Set input schema to a new input schema whose serialized is serialized and whose value is value.
        input_schema = InputSchema(serialized, value)

    # 12. Let signal be options["signal"] if it exists; otherwise null.
    signal = options.signal if options.signal is not ABSENT else None

    # 13. If signal is not null and signal is aborted, then return a promise rejected with signal's abort reason.
    if signal is not None and is_aborted(signal):
        return a_promise_rejected_with(abort_reason(signal), relevant_realm(this))

    # 14. Let exposed origins be an empty list.
    exposed_origins: list[Origin] = []

    # 15. If options["exposedTo"] exists:
    if options.exposed_to is not ABSENT:
        # 15.1. Set exposed origins to the result of parsing a list of origins given options["exposedTo"].
        parsed = parse_a_list_of_origins(options.exposed_to)

        # 15.2. If exposed origins is failure, then return a promise rejected with a "SecurityError" DOMException.
        if parsed is None:
            return a_promise_rejected_with(DOMException("SecurityError"), relevant_realm(this))
        exposed_origins = parsed

    # 16. Let promise be a new promise in this's relevant realm.
    promise = a_new_promise(relevant_realm(this))

    # 17. If signal is not null, then add the following abort steps to signal:
    # SPEC-BUG(#63): the published text tests once more, before this, whether the signal is aborted.
    if signal is not None:

        def abort_steps() -> None:
            # 17.1. Unregister a tool given this and tool name.
            # SPEC-BUG(#13): the name may stand for another registration by now.
            unregister_a_tool(this, tool_name)

            # 17.2. Reject promise with signal's abort reason.
            reject(promise, abort_reason(signal))

        add_abort_steps(signal, abort_steps)

    # 18. Let execute steps be the following steps, given target document, input, completion steps, and id:
    def execute_steps(target_document: Document, input: str, completion_steps: CompletionSteps, id: int) -> None:
        # 18.1. Run the imperative execute steps given tool["execute"], tool name, target document, input, completion
        # steps, and id.
        imperative_execute_steps(tool.execute, tool_name, target_document, input, completion_steps, id)

    # 19. Let annotations be null.
    annotations = None

    # 20. If tool["annotations"] exists:
    if tool.annotations is not ABSENT:
        # 20.1. Let hints be tool["annotations"].
        hints = tool.annotations

        # 20.2. Set annotations to new tool annotations whose read only is hints["readOnlyHint"], untrusted content is
        # hints["untrustedContentHint"], consequential is hints["consequentialHint"], and debugging is
        # hints["debugging"].
        annotations = Annotations(
            read_only=hints.read_only_hint,
            untrusted_content=hints.untrusted_content_hint,
            consequential=hints.consequential_hint,
            debugging=hints.debugging,
        )

    # 21. Let title be tool["title"] if it exists; otherwise null.
    # SPEC-BUG(#40): the published text does not say what an absent title is.
    title = tool.title if tool.title is not ABSENT else None

    # 22. Set tool map[tool name] to a new tool definition whose name is tool name, title is title, description is
    # tool["description"], input schema is input schema, execute steps is execute steps, annotations is annotations, and
    # exposed origins is exposed origins.
    # SPEC-BUG(#12): script ran since the checks, and none is repeated.
    tool_map.set(
        tool_name,
        ToolDefinition(tool_name, title, tool.description, input_schema, execute_steps, annotations, exposed_origins),
    )

    # 23. In parallel:
    @in_parallel
    def notify_then_resolve() -> ParallelSteps:
        # 23.1. Notify documents of a tool change given tool owner and exposed origins.
        yield from notify_documents_of_a_tool_change(tool_owner, exposed_origins)

        # 23.2. Queue a global task on the webmcp task source given global to resolve promise with undefined.
        yield
        queue_a_global_task(WEBMCP_TASK_SOURCE, global_, lambda: resolve(promise, UNDEFINED))

    # 24. Return promise.
    return promise


@algorithm("dom-modelcontext-gettools")
def get_tools(this: ModelContext, options: ModelContextGetToolOptions) -> PromiseObject:
    """https://webmachinelearning.github.io/webmcp/#dom-modelcontext-gettools"""
    # 1. Let global be this's relevant global object.
    global_ = relevant_global_object(this)

    # 2. Let document be global's associated Document.
    document = associated_document(global_)

    # 3. If document is not fully active, then return a promise rejected with an "InvalidStateError" DOMException.
    if not is_fully_active(document):
        return a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this))

    # 4. If document is not allowed to use the "tools" feature, then return a promise rejected with a "NotAllowedError"
    # DOMException.
    if not is_allowed_to_use(document, TOOLS):
        return a_promise_rejected_with(DOMException("NotAllowedError"), relevant_realm(this))

    # 5. Let from origins be an empty list.
    from_origins: list[Origin] = []

    # 6. If options["fromOrigins"] exists:
    if options.from_origins is not ABSENT:
        # 6.1. Set from origins to the result of parsing a list of origins given options["fromOrigins"].
        parsed = parse_a_list_of_origins(options.from_origins)

        # 6.2. If from origins is failure, then return a promise rejected with a "SecurityError" DOMException.
        if parsed is None:
            return a_promise_rejected_with(DOMException("SecurityError"), relevant_realm(this))
        from_origins = parsed

    # 7. Let traversable be document's node navigable's top-level traversable.
    # SPEC-BUG(#64): the published text looks this up in parallel, and finds null for a lister that has gone.
    traversable = traversable_of(document)

    # 8. Let realm be this's relevant realm.
    realm = relevant_realm(this)

    # 9. Let promise be a new promise in realm.
    promise = a_new_promise(realm)

    # 10. In parallel:
    @in_parallel
    def collect_then_resolve() -> ParallelSteps:
        # 10.1. Let found tools be the result of collecting registered tools given document's origin, traversable, and
        # from origins.
        found_tools = yield from collect_registered_tools(origin_of(document), traversable, from_origins)

        # 10.2. Queue a global task on the webmcp task source given global to run these steps:
        def create_and_resolve() -> None:
            # 10.2.1. Let registered tools be an empty list.
            registered_tools: list[RegisteredTool] = []

            # 10.2.2. For each (tool definition, tool owner) of found tools:
            for tool_definition, tool_owner in found_tools:
                # 10.2.2.1. Append the result of creating a registered tool given tool definition, tool owner, and realm
                # to registered tools.
                registered_tools.append(create_a_registered_tool(tool_definition, tool_owner, realm))

            # 10.2.3. Resolve promise with registered tools.
            resolve(promise, registered_tools)

        yield
        queue_a_global_task(WEBMCP_TASK_SOURCE, global_, create_and_resolve)

    # 11. Return promise.
    return promise


@algorithm("dom-modelcontext-executetool")
def execute_tool(
    this: ModelContext, tool: RegisteredTool, input_object: JSObject | Absent, options: ModelContextExecuteToolOptions
) -> PromiseObject:
    """https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool"""
    # 1. Let global be this's relevant global object.
    global_ = relevant_global_object(this)

    # 2. Let caller document be global's associated Document.
    caller_document = associated_document(global_)

    # 3. If caller document is not fully active, then return a promise rejected with an "InvalidStateError"
    # DOMException.
    if not is_fully_active(caller_document):
        return a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this))

    # 4. If caller document is not allowed to use the "tools" feature, then return a promise rejected with a
    # "NotAllowedError" DOMException.
    if not is_allowed_to_use(caller_document, TOOLS):
        return a_promise_rejected_with(DOMException("NotAllowedError"), relevant_realm(this))

    # 5. Let target url be the result of running the URL parser on tool["origin"].
    target_url = url_parser(tool.origin)

    # 6. If target url is failure, then return a promise rejected with a "NotSupportedError" DOMException.
    # SPEC-BUG(#14): the serialization of an opaque origin is not a URL.
    if target_url is None:
        return a_promise_rejected_with(DOMException("NotSupportedError"), relevant_realm(this))

    # 7. Let target origin be target url's origin.
    target_origin = url_origin(target_url)

    # 8. If target origin is an opaque origin, then return a promise rejected with a "NotSupportedError" DOMException.
    if is_opaque(target_origin):
        return a_promise_rejected_with(DOMException("NotSupportedError"), relevant_realm(this))

    # 9. Let realm be this's relevant realm.
    realm = relevant_realm(this)

    # 10. If inputObject is not given, then set inputObject to a new empty object in realm.
    if input_object is ABSENT:
        input_object = new_empty_object(realm)

    # 11. Let input be the result of serializing a JavaScript value to a JSON string given inputObject.
    try:
        input = serialize_a_javascript_value_to_a_json_string(input_object)

    # 12. If that threw an exception exception, then return a promise rejected with exception.
    except Throw as exception:
        return a_promise_rejected_with(exception.value, realm)

    # 13. Let promise be a new promise in realm.
    promise = a_new_promise(realm)

    # 14. Let id be a new unique internal value.
    id = a_new_unique_internal_value()

    # 15. Let tool name be tool["name"].
    # SPEC-BUG(#73): another tool may have the name by the time that one is run.
    tool_name = tool.name

    # 16. Let target global be tool["window"].
    target_global = tool.window

    # 17. Let target document be target global's associated Document.
    # SPEC-BUG(#11): script holds a WindowProxy, which may stand for another document by now.
    target_document = associated_document(target_global)

    # 18. Let traversable be caller document's node navigable's top-level traversable.
    # SPEC-BUG(#65): the published text takes the target's, anew each time, and finds null once it has gone.
    traversable = traversable_of(caller_document)

    # 19. If options["signal"] exists:
    if options.signal is not ABSENT:
        # 19.1. Let signal be options["signal"].
        signal = options.signal

        # 19.2. If signal is aborted, then return a promise rejected with signal's abort reason.
        if is_aborted(signal):
            return a_promise_rejected_with(abort_reason(signal), realm)

        # 19.3. Add the following abort steps to signal:
        # SPEC-BUG(#16): the steps stay when the execution is over.
        def abort_steps() -> None:
            # 19.3.1. Reject promise with signal's abort reason.
            reject(promise, abort_reason(signal))

            # 19.3.2. In parallel:
            @in_parallel
            def cancel() -> ParallelSteps:
                # 19.3.2.1. Cancel a pending execution given traversable and id.
                # SPEC-BUG(#15): the pending execution may not have been stored yet.
                yield from cancel_a_pending_execution(traversable, id)

        add_abort_steps(signal, abort_steps)

    # 20. Let completion steps be the following steps, given result and success:
    def completion_steps(result: str | None, success: bool) -> ParallelSteps:
        # 20.1. Assert: these steps are running in parallel.
        # SPEC-BUG(#61): in the published text the body goes in parallel to its caller.
        assert_running_in_parallel()

        # 20.2. If traversable's pending executions map[id] does not exist, then return.
        if not pending_executions_map(traversable).exists(id):
            return

        # 20.3. Remove traversable's pending executions map[id].
        pending_executions_map(traversable).remove(id)

        # 20.4. If success is true:
        yield
        if success:
            # 20.4.1. Queue a global task on the webmcp task source given global to resolve promise with result.
            queue_a_global_task(WEBMCP_TASK_SOURCE, global_, lambda: resolve(promise, result))

        # 20.5. Otherwise:
        else:
            # 20.5.1. Queue a global task on the webmcp task source given global to reject promise with an
            # "UnknownError" DOMException.
            # SPEC-BUG(#54): every failure has this name.
            queue_a_global_task(WEBMCP_TASK_SOURCE, global_, lambda: reject(promise, DOMException("UnknownError")))

    # 21. In parallel:
    @in_parallel
    def find_then_run() -> ParallelSteps:
        # 21.1. Let tool definition be the result of finding a tool to execute given traversable, caller document's
        # origin, target document, target origin, and tool name.
        tool_definition = yield from find_a_tool_to_execute(
            traversable, origin_of(caller_document), target_document, target_origin, tool_name
        )

        # 21.2. If tool definition is failure:
        if tool_definition is None:
            # 21.2.1. Queue a global task on the webmcp task source given global to reject promise with an
            # "UnknownError" DOMException.
            yield
            queue_a_global_task(WEBMCP_TASK_SOURCE, global_, lambda: reject(promise, DOMException("UnknownError")))

            # 21.2.2. Return.
            return

        # 21.3. Set traversable's pending executions map[id] to a new pending execution whose caller document is caller
        # document, target document is target document, tool name is tool name, and completion steps is completion
        # steps.
        # SPEC-BUG(#17): the target may have been cleaned up after by now.
        # SPEC-BUG(#66): the caller may have been cleaned up after by now.
        yield
        pending_executions_map(traversable).set(
            id, PendingExecution(caller_document, target_document, tool_name, completion_steps)
        )

        # 21.4. Queue a global task on the webmcp task source given target global to run the tool execute steps given
        # target document, tool name, input, completion steps, and id.
        yield
        queue_a_global_task(
            WEBMCP_TASK_SOURCE,
            target_global,
            lambda: run_the_tool_execute_steps(target_document, tool_name, input, completion_steps, id),
        )

    # 22. Return promise.
    return promise


def traversable_of(document: Document) -> Navigable:
    """Return the top-level traversable of a document that is fully active."""
    navigable = node_navigable(document)
    spec_assert(navigable is not None, "a fully active document has a node navigable")
    assert navigable is not None
    return top_level_traversable(navigable)
