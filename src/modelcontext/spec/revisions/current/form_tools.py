"""Declarative tools: their registration, and its changes.

Spec: https://webmachinelearning.github.io/webmcp/#form-life-cycle
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.form_executions import (
    declarative_execute_steps,
    interrupt_the_execution_of_a_form,
)
from modelcontext.spec.revisions.current.form_schemas import offers_a_tool, synthesize_a_declarative_json_schema_object
from modelcontext.spec.revisions.current.model import (
    CompletionSteps,
    FormTool,
    InputSchema,
    ToolDefinition,
    associated_model_context,
    state_of,
)
from modelcontext.spec.revisions.current.tools import notify_documents_of_a_tool_change, unregister_a_tool
from modelcontext.spec.verbs import in_parallel, queue_a_global_task, relevant_global_object
from modelcontext.spec.verbs.form_terms import alike_form_tools
from modelcontext.spec.verbs.form_verbs import (
    attribute_value,
    forms_without_an_update,
    has_attribute,
    node_document,
    serialize_an_infra_value_to_a_json_string,
)

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import TreeScope
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps


@algorithm("create-a-form-tool")
def create_a_form_tool(form: HTMLFormElement) -> FormTool:
    """https://webmachinelearning.github.io/webmcp/#create-a-form-tool"""
    # 1. Let schema be the result of synthesizing a declarative JSON Schema object given form.
    schema = synthesize_a_declarative_json_schema_object(form)

    # 2. Let serialized be the result of serializing an Infra value to a JSON string given schema.
    serialized = serialize_an_infra_value_to_a_json_string(schema)

    # 3. Let input schema be a new input schema whose serialized is serialized and whose value is schema.
    input_schema = InputSchema(serialized, schema)

    # 4. Let execute steps be the following steps, given target document, input, completion steps, and id:
    def execute_steps(target_document: Document, input: str, completion_steps: CompletionSteps, id: int) -> None:
        # 4.1. Run the declarative execute steps given form, target document, input, completion steps, and id.
        declarative_execute_steps(form, target_document, input, completion_steps, id)

    # 5. Let title be form's tooltitle attribute's value if it has one; otherwise null.
    title = attribute_value(form, "tooltitle") if has_attribute(form, "tooltitle") else None

    # 6. Let definition be a new tool definition whose name is form's toolname attribute's value, title is title,
    # description is form's tooldescription attribute's value, input schema is input schema, execute steps is execute
    # steps, annotations is null, and exposed origins is an empty list.
    definition = ToolDefinition(
        name=attribute_value(form, "toolname"),
        title=title,
        description=attribute_value(form, "tooldescription"),
        input_schema=input_schema,
        execute_steps=execute_steps,
        annotations=None,
        exposed_origins=[],
    )

    # 7. Let autosubmit be whether form has a toolautosubmit attribute.
    autosubmit = has_attribute(form, "toolautosubmit")

    # 8. Return a new form tool whose context is form's node document's associated ModelContext, definition is
    # definition, and autosubmit is autosubmit.
    return FormTool(associated_model_context(node_document(form)), definition, autosubmit)


@algorithm("schedule-a-tool-update")
def schedule_a_tool_update(form: HTMLFormElement) -> None:
    """https://webmachinelearning.github.io/webmcp/#schedule-a-tool-update"""
    # 1. If form does not offer a tool:
    if not offers_a_tool(form):
        # 1.1. Withdraw the tool of form.
        withdraw_the_tool_of_a_form(form)

        # 1.2. Return.
        return

    # 2. Let document be form's node document.
    document = node_document(form)

    # 3. If form's updating document is document, then return.
    if state_of(form).updating_document is document:
        return

    # 4. Let registered be form's tool.
    registered = state_of(form).tool

    # 5. If registered is not null and is alike the result of creating a form tool given form, then return.
    if registered is not None and alike_form_tools(registered, create_a_form_tool(form)):
        return

    # 6. Set form's updating document to document.
    state_of(form).updating_document = document

    # 7. Queue a global task on the DOM manipulation task source given document's relevant global object to update the
    # tool of a form given form and document.
    queue_a_global_task(
        DOM_MANIPULATION_TASK_SOURCE,
        relevant_global_object(document),
        lambda: update_the_tool_of_a_form(form, document),
    )


@algorithm("update-the-tool-of-a-form")
def update_the_tool_of_a_form(form: HTMLFormElement, document: Document) -> None:
    """https://webmachinelearning.github.io/webmcp/#update-the-tool-of-a-form"""
    # 1. If form's updating document is not document, then return.
    if state_of(form).updating_document is not document:
        return

    # 2. Set form's updating document to null.
    state_of(form).updating_document = None

    # 3. If form does not offer a tool, then return.
    if not offers_a_tool(form):
        return

    # 4. Let tool be the result of creating a form tool given form.
    tool = create_a_form_tool(form)

    # 5. Let registered be form's tool.
    registered = state_of(form).tool

    # 6. If registered is not null and is alike tool, then return.
    if registered is not None and alike_form_tools(registered, tool):
        return

    # 7. Withdraw the tool of form.
    withdraw_the_tool_of_a_form(form)

    # 8. Let tool map be tool's context's internal context's tool map.
    tool_map = tool.context.internal_context.tool_map

    # 9. Let name be tool's definition's name.
    name = tool.definition.name

    # 10. If tool map[name] exists, then return.
    if tool_map.exists(name):
        return

    # 11. Set tool map[name] to tool's definition.
    tool_map.set(name, tool.definition)

    # 12. Set form's tool to tool.
    state_of(form).tool = tool

    # 13. Let exposed origins be an empty list.
    exposed_origins: list[Origin] = []

    # 14. In parallel:
    @in_parallel
    def notify() -> ParallelSteps:
        # 14.1. Notify documents of a tool change given document and exposed origins.
        yield from notify_documents_of_a_tool_change(document, exposed_origins)


@algorithm("withdraw-the-tool-of-a-form")
def withdraw_the_tool_of_a_form(form: HTMLFormElement) -> None:
    """https://webmachinelearning.github.io/webmcp/#withdraw-the-tool-of-a-form"""
    # 1. Let tool be form's tool.
    tool = state_of(form).tool

    # 2. If tool is null, then return.
    if tool is None:
        return

    # 3. Set form's tool to null.
    state_of(form).tool = None

    # 4. Interrupt the execution of a form given form.
    interrupt_the_execution_of_a_form(form)

    # 5. Let tool map be tool's context's internal context's tool map.
    tool_map = tool.context.internal_context.tool_map

    # 6. Let definition be tool's definition.
    definition = tool.definition

    # 7. If tool map[definition's name] does not exist, or is not definition, then return.
    if not tool_map.exists(definition.name) or tool_map[definition.name] is not definition:
        return

    # 8. Unregister a tool given tool's context and definition's name.
    unregister_a_tool(tool.context, definition.name)


@algorithm("tree-change-steps")
def tree_change_steps(root: TreeScope) -> None:
    """https://webmachinelearning.github.io/webmcp/#tree-change-steps"""
    # 1. For each form element form among root's descendants whose updating document is null:
    for form in forms_without_an_update(root):
        # 1.1. Schedule a tool update given form.
        schedule_a_tool_update(form)
