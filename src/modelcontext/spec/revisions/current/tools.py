"""Tools: names and origins, changes, listing.

Spec: https://webmachinelearning.github.io/webmcp/#tools
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from modelcontext.platform.infra.errors import spec_assert
from modelcontext.platform.infra.strings import code_unit_length, code_units
from modelcontext.spec.revisions.algorithm import algorithm
from modelcontext.spec.revisions.current.dictionaries import RegisteredTool, ToolAnnotations
from modelcontext.spec.revisions.current.model import (
    TOOLS,
    WEBMCP_TASK_SOURCE,
    ModelContext,
    ToolDefinition,
    associated_model_context,
)
from modelcontext.spec.verbs import (
    active_document,
    assert_running_in_parallel,
    associated_document,
    fire_an_event,
    in_parallel,
    inclusive_descendant_navigables,
    is_allowed_to_use,
    is_origin_potentially_trustworthy,
    node_navigable,
    origin_of,
    parse_a_json_string_to_a_javascript_value,
    queue_a_global_task,
    relevant_global_object,
    same_origin,
    serialization,
    top_level_traversable,
    url_origin,
    url_parser,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSObject
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps

ASCII_ALPHANUMERIC: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


@algorithm("valid-tool-name")
def valid_tool_name(name: str) -> bool:
    """https://webmachinelearning.github.io/webmcp/#valid-tool-name"""
    # 1. If name is the empty string, then return false.
    if name == "":
        return False

    # 2. If name's length is greater than 128, then return false.
    if code_unit_length(name) > 128:
        return False

    # 3. For each code point code point of name:
    for code_point in name:
        # 3.1. If code point is not an ASCII alphanumeric, U+005F (_), U+002D (-), or U+002E (.), then return false.
        if code_point not in ASCII_ALPHANUMERIC and code_point not in "_-.":
            return False

    # 4. Return true.
    return True


@algorithm("parse-a-list-of-origins")
def parse_a_list_of_origins(strings: list[str]) -> list[Origin] | None:
    """https://webmachinelearning.github.io/webmcp/#parse-a-list-of-origins"""
    # 1. Let origins be an empty list.
    origins: list[Origin] = []

    # 2. For each string of strings:
    for string in strings:
        # 2.1. Let url be the result of running the URL parser on string.
        url = url_parser(string)

        # 2.2. If url is failure, then return failure.
        if url is None:
            return None

        # 2.3. Let origin be url's origin.
        # SPEC-BUG(#45): the origin of a file: URL is left to the user agent.
        origin = url_origin(url)

        # 2.4. If the result of running Is origin potentially trustworthy? on origin is "Not Trustworthy", then return
        # failure.
        if not is_origin_potentially_trustworthy(origin):
            return None

        # 2.5. Append origin to origins.
        origins.append(origin)

    # 3. Return origins.
    return origins


@algorithm("tool-is-exposed-to-an-origin")
def tool_is_exposed_to_an_origin(owner_origin: Origin, exposed_origins: list[Origin], accessing_origin: Origin) -> bool:
    """https://webmachinelearning.github.io/webmcp/#tool-is-exposed-to-an-origin"""
    # 1. If accessing origin is same origin with owner origin, then return true.
    if same_origin(accessing_origin, owner_origin):
        return True

    # 2. For each exposed origin of exposed origins:
    for exposed_origin in exposed_origins:
        # 2.1. If accessing origin is same origin with exposed origin, then return true.
        if same_origin(accessing_origin, exposed_origin):
            return True

    # 3. Return false.
    return False


@algorithm("notify-documents-of-a-tool-change")
def notify_documents_of_a_tool_change(tool_owner: Document, exposed_origins: list[Origin]) -> ParallelSteps:
    """https://webmachinelearning.github.io/webmcp/#notify-documents-of-a-tool-change"""
    # 1. Assert: these steps are running in parallel.
    assert_running_in_parallel()

    # 2. Let owner navigable be tool owner's node navigable.
    owner_navigable = node_navigable(tool_owner)

    # 3. If owner navigable is null, then return.
    # SPEC-BUG(#2): the published text looks up the top-level traversable of null.
    if owner_navigable is None:
        return

    # 4. Let traversable be owner navigable's top-level traversable.
    traversable = top_level_traversable(owner_navigable)

    # 5. If traversable's active document is null, then return.
    # SPEC-BUG(#46): the published text expects a document here, and in step 6.
    yield
    if active_document(traversable) is None:
        return

    # 6. For each navigable of the inclusive descendant navigables of traversable's active document:
    for navigable in inclusive_descendant_navigables_of(traversable):
        # 6.1. Let document be navigable's active document.
        yield
        document = active_document(navigable)

        # 6.2. If document is null, then continue.
        if document is None:
            continue

        # 6.3. If document is not allowed to use the "tools" feature, then continue.
        yield
        if not is_allowed_to_use(document, TOOLS):
            continue

        # 6.4. Let is exposed be the result of determining whether a tool is exposed to an origin given tool owner's
        # origin, exposed origins, and document's origin.
        is_exposed = tool_is_exposed_to_an_origin(origin_of(tool_owner), exposed_origins, origin_of(document))

        # 6.5. If is exposed is false, then continue.
        if not is_exposed:
            continue

        # 6.6. Queue a global task on the webmcp task source given document's relevant global object to fire an event
        # named toolchange at document's associated ModelContext.
        # SPEC-BUG(#48): an example of the published text promises an order between event loops.
        yield
        queue_a_global_task(
            WEBMCP_TASK_SOURCE,
            relevant_global_object(document),
            lambda document=document: fire_an_event("toolchange", associated_model_context(document)),  # type: ignore[misc]
        )


@algorithm("unregister-a-tool")
def unregister_a_tool(model_context: ModelContext, name: str) -> None:
    """https://webmachinelearning.github.io/webmcp/#unregister-a-tool"""
    # 1. Let tool map be model context's internal context's tool map.
    tool_map = model_context.internal_context.tool_map

    # 2. If tool map[name] does not exist, then return.
    if not tool_map.exists(name):
        return

    # 3. Let tool owner be model context's relevant global object's associated Document.
    # SPEC-BUG(#1): the document may be another one than the tool was registered for.
    # SPEC-BUG(#47): the published text does this last.
    tool_owner = associated_document(relevant_global_object(model_context))

    # 4. Let exposed origins be tool map[name]'s exposed origins.
    exposed_origins = tool_map[name].exposed_origins

    # 5. Remove tool map[name].
    tool_map.remove(name)

    # 6. In parallel:
    @in_parallel
    def notify() -> ParallelSteps:
        # 6.1. Notify documents of a tool change given tool owner and exposed origins.
        yield from notify_documents_of_a_tool_change(tool_owner, exposed_origins)


@algorithm("collect-registered-tools")
def collect_registered_tools(
    accessing_origin: Origin, traversable: Navigable, from_origins: list[Origin]
) -> Generator[None, None, list[tuple[ToolDefinition, Document]]]:
    """https://webmachinelearning.github.io/webmcp/#collect-registered-tools"""
    # 1. Assert: these steps are running in parallel.
    assert_running_in_parallel()

    # 2. Let found tools be an empty list.
    found_tools: list[tuple[ToolDefinition, Document]] = []

    # 3. If traversable's active document is null, then return found tools.
    # SPEC-BUG(#46): the published text expects a document here, and in step 4.
    if active_document(traversable) is None:
        return found_tools

    # 4. For each navigable of the inclusive descendant navigables of traversable's active document:
    for navigable in inclusive_descendant_navigables_of(traversable):
        # 4.1. Let tool owner be navigable's active document.
        yield
        tool_owner = active_document(navigable)

        # 4.2. If tool owner is null, then continue.
        if tool_owner is None:
            continue

        # 4.3. If tool owner is not allowed to use the "tools" feature, then continue.
        yield
        if not is_allowed_to_use(tool_owner, TOOLS):
            continue

        # 4.4. If tool owner's origin is neither same origin with accessing origin nor same origin with any item of from
        # origins, then continue.
        # SPEC-BUG(#49): the published text asks for containment in a list, which compares domains too.
        if not any(same_origin(origin_of(tool_owner), origin) for origin in (accessing_origin, *from_origins)):
            continue

        # 4.5. For each tool definition of the values of tool owner's associated ModelContext's internal context's tool
        # map:
        # SPEC-BUG(#3): the map belongs to the event loop of its document.
        yield
        for tool_definition in associated_model_context(tool_owner).internal_context.tool_map.values():
            # 4.5.1. Let is exposed be the result of determining whether a tool is exposed to an origin given tool
            # owner's origin, tool definition's exposed origins, and accessing origin.
            is_exposed = tool_is_exposed_to_an_origin(
                origin_of(tool_owner), tool_definition.exposed_origins, accessing_origin
            )

            # 4.5.2. If is exposed is false, then continue.
            if not is_exposed:
                continue

            # 4.5.3. Append (tool definition, tool owner) to found tools.
            found_tools.append((tool_definition, tool_owner))

    # 5. Return the result of sorting found tools in ascending order, with a being less than b if a[0]'s name is code
    # unit less than b[0]'s name.
    # SPEC-BUG(#50): the published text drops the sorted list.
    return sorted(found_tools, key=lambda found: code_units(found[0].name))


@algorithm("create-a-registered-tool")
def create_a_registered_tool(tool_definition: ToolDefinition, tool_owner: Document, realm: Realm) -> RegisteredTool:
    """https://webmachinelearning.github.io/webmcp/#create-a-registered-tool"""
    # 1. Let title be tool definition's title if it is not null; otherwise the empty string.
    # SPEC-BUG(#52): no title cannot be told from an empty one.
    title = tool_definition.title if tool_definition.title is not None else ""

    # 2. Let registered tool be a new RegisteredTool whose name is tool definition's name, title is title, description is
    # tool definition's description, window is tool owner's relevant global object, and origin is the serialization of
    # tool owner's origin.
    registered_tool = RegisteredTool(
        name=tool_definition.name,
        title=title,
        description=tool_definition.description,
        window=relevant_global_object(tool_owner),
        origin=serialization(origin_of(tool_owner)),
    )

    # 3. If tool definition's input schema is not null:
    # SPEC-BUG(#51): the published text sets inputSchema to undefined otherwise.
    if tool_definition.input_schema is not None:
        # 3.1. Let schema object be the result of parsing a JSON string to a JavaScript value given tool definition's
        # input schema's serialized, in realm.
        # SPEC-BUG(#8): Infra parses in the current realm, and there is none.
        schema_object = parse_a_json_string_to_a_javascript_value(tool_definition.input_schema.serialized, realm)

        # 3.2. Set registered tool["inputSchema"] to schema object.
        # SPEC-BUG(#4): the member's type is object, and a schema's text may be that of any value.
        registered_tool.input_schema = cast("JSObject", schema_object)

    # 4. If tool definition's annotations is not null:
    if tool_definition.annotations is not None:
        # 4.1. Let annotations be tool definition's annotations.
        annotations = tool_definition.annotations

        # 4.2. Set registered tool["annotations"] to a new ToolAnnotations whose readOnlyHint is annotations' read only,
        # untrustedContentHint is annotations' untrusted content, consequentialHint is annotations' consequential, and
        # debugging is annotations' debugging.
        registered_tool.annotations = ToolAnnotations(
            read_only_hint=annotations.read_only,
            untrusted_content_hint=annotations.untrusted_content,
            consequential_hint=annotations.consequential,
            debugging=annotations.debugging,
        )

    # 5. Return registered tool.
    return registered_tool


def inclusive_descendant_navigables_of(traversable: Navigable) -> list[Navigable]:
    """Return the inclusive descendant navigables of a traversable's active document, which is not null."""
    document = active_document(traversable)
    spec_assert(document is not None, "the traversable has an active document")
    assert document is not None
    return inclusive_descendant_navigables(document)
