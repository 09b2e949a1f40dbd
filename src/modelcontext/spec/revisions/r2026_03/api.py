"""3. API: the modelContext attribute, registerTool, unregisterTool, requestUserInteraction.

Spec: spec/2026-03/index.bs#api
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.ecmascript.values import UNDEFINED, Throw
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.types import ABSENT
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.r2026_03.model import (
    InputSchema,
    ModelContext,
    ModelContextClient,
    ToolDefinition,
    associated_model_context,
)
from modelcontext.spec.verbs import (
    a_new_promise,
    invoke,
    parse_a_json_string_to_an_infra_value,
    relevant_realm,
    resolve,
    serialize_a_javascript_value_to_a_json_string,
)

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.ecmascript.values import JSObject
    from modelcontext.platform.html.navigator import Navigator
    from modelcontext.platform.webidl.types import CallbackFunction
    from modelcontext.spec.revisions.r2026_03.dictionaries import ModelContextTool


@algorithm("dom-navigator-modelcontext")
def model_context(this: Navigator) -> ModelContext:
    """spec/2026-03/index.bs#dom-navigator-modelcontext"""
    # 1. Return this's associated ModelContext.
    return associated_model_context(this)


@algorithm("dom-modelcontext-registertool")
def register_tool(this: ModelContext, tool: ModelContextTool) -> None:
    """spec/2026-03/index.bs#dom-modelcontext-registertool"""
    # 1. Let tool map be this's internal context's tool map.
    tool_map = this.internal_context.tool_map

    # 2. Let tool name be tool["name"].
    tool_name = tool.name

    # 3. If tool map[tool name] exists, then throw an "InvalidStateError" DOMException.
    if tool_map.exists(tool_name):
        raise Throw(DOMException("InvalidStateError"))

    # 4. If tool name is the empty string, then throw an "InvalidStateError" DOMException.
    if tool_name == "":
        raise Throw(DOMException("InvalidStateError"))

    # 5. If tool["description"] is the empty string, then throw an "InvalidStateError" DOMException.
    if tool.description == "":
        raise Throw(DOMException("InvalidStateError"))

    # 6. Let input schema be null.
    input_schema = None

    # 7. If tool["inputSchema"] exists:
    if tool.input_schema is not ABSENT:
        # 7.1. Let serialized be the result of serializing a JavaScript value to a JSON string given
        # tool["inputSchema"]. Rethrow any exception.
        serialized = serialize_a_javascript_value_to_a_json_string(tool.input_schema)

        # 7.2. Let value be the result of parsing a JSON string to an Infra value given serialized.
        value = parse_a_json_string_to_an_infra_value(serialized)

        # 7.3. Set input schema to a new input schema whose serialized is serialized and whose value is value.
        input_schema = InputSchema(serialized, value)

    # 8. Let read-only hint be false.
    read_only_hint = False

    # 9. If tool["annotations"] exists, then set read-only hint to tool["annotations"]["readOnlyHint"].
    if tool.annotations is not ABSENT:
        read_only_hint = tool.annotations.read_only_hint

    # 10. Let execute steps be the following steps, given input and client:
    def execute_steps(input: JSObject, client: ModelContextClient) -> PromiseObject:
        # 10.1. Return the result of invoking tool["execute"] with « input, client », and with callback this value set
        # to undefined.
        # SPEC-BUG(#4): nothing in the text runs these steps.
        return invoke(tool.execute, [input, client], UNDEFINED)

    # 11. Set tool map[tool name] to a new tool definition whose name is tool name, description is tool["description"],
    # input schema is input schema, execute steps is execute steps, and read-only hint is read-only hint.
    # SPEC-BUG(#1): script may have registered a tool of that name by now, and it is overwritten.
    # SPEC-BUG(#2): the document may be gone, or may be one that should not offer tools.
    tool_map.set(tool_name, ToolDefinition(tool_name, tool.description, input_schema, execute_steps, read_only_hint))


@algorithm("dom-modelcontext-unregistertool")
def unregister_tool(this: ModelContext, name: str) -> None:
    """spec/2026-03/index.bs#dom-modelcontext-unregistertool"""
    # 1. Let tool map be this's internal context's tool map.
    tool_map = this.internal_context.tool_map

    # 2. If tool map[name] does not exist, then throw an "InvalidStateError" DOMException.
    if not tool_map.exists(name):
        raise Throw(DOMException("InvalidStateError"))

    # 3. Remove tool map[name].
    tool_map.remove(name)


@algorithm("dom-modelcontextclient-requestuserinteraction")
def request_user_interaction(this: ModelContextClient, callback: CallbackFunction) -> PromiseObject:
    """spec/2026-03/index.bs#dom-modelcontextclient-requestuserinteraction"""
    # 1. Let promise be a new promise in this's relevant realm.
    promise = a_new_promise(relevant_realm(this))

    # 2. Let result be the result of invoking callback with « », and with callback this value set to undefined.
    # SPEC-BUG(#3): these steps are this text's own, and do not mention the user.
    result = invoke(callback, [], UNDEFINED)

    # 3. Resolve promise with result.
    resolve(promise, result)

    # 4. Return promise.
    return promise
