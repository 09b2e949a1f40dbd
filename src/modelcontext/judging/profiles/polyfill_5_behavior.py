"""The behavior of the polyfill @mcp-b/webmcp-polyfill 5 at the steps where it deviates.

A function that replaces another one has that as its first parameter, ``go_on``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, cast

from modelcontext.judging.profiles.scripted import (
    AsyncBody,
    call_async,
    dispatch,
    listen_once,
    promise_reject,
    promise_resolve,
    string,
    timeout,
)
from modelcontext.platform.ecmascript.json import parse, stringify
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    JSArray,
    JSFunction,
    JSObject,
    JSValue,
    Throw,
    call,
    is_same_value,
)
from modelcontext.platform.html.origin import is_opaque, is_origin_potentially_trustworthy
from modelcontext.platform.html.url import URLRecord, url_origin, url_parser
from modelcontext.platform.infra.strings import code_units
from modelcontext.platform.webidl.boundary import exception_in_realm
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.types import ABSENT, Absent
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.revisions.current.model import ModelContext, ToolDefinition
from modelcontext.spec.verbs import (
    a_new_promise,
    a_promise_rejected_with,
    abort_reason,
    associated_document,
    is_aborted,
    is_fully_active,
    reject,
    relevant_global_object,
    resolve,
    same_origin,
)
from modelcontext.spec.weaving.changes import Instead

if TYPE_CHECKING:
    from modelcontext.platform.dom.abort import AbortSignal
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.permissions_policy import PolicyControlledFeature
    from modelcontext.platform.infra.ordered_map import OrderedMap
    from modelcontext.platform.webidl.boundary import Call, Set
    from modelcontext.platform.webidl.platform_object import PlatformObject
    from modelcontext.spec.revisions.current.dictionaries import (
        ModelContextExecuteToolOptions,
        ModelContextTool,
        RegisteredTool,
    )

OPERATIONS = ("registerTool", "getTools", "executeTool")
#: The members of a listed tool, in the order in which the polyfill writes them.
MEMBERS = ("name", "title", "description", "inputSchema", "origin", "window", "annotations")


# Permission


def allowed_by_its_origin(go_on: object, document: Document, feature: PolicyControlledFeature) -> bool:
    """Return whether a document may use tools, by its origin and without the policy."""
    return _may(document)


def _may(document: Document) -> bool:
    """Return whether a document is a top one, or has the origin of the document around it."""
    if not is_fully_active(document):
        return False
    navigable = document.node_navigable
    container = navigable.container if navigable is not None else None
    return container is None or same_origin(container.document.origin, document.origin)


def access_first(go_on: Call, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
    """Check the permission of the document before the arguments are read."""
    if name in OPERATIONS:
        assert this.realm is not None
        document = associated_document(relevant_global_object(this))
        if not is_fully_active(document):
            return a_promise_rejected_with(DOMException("InvalidStateError"), this.realm)
        if not _may(document):
            return a_promise_rejected_with(DOMException("NotAllowedError"), this.realm)
    return go_on(this, name, arguments)


def nothing_exposed(this: ModelContext, exposed_origins: list[Origin]) -> Instead | None:
    """Refuse to expose a tool to an origin."""
    return _not_supported(this) if exposed_origins else None


def nothing_from_elsewhere(this: ModelContext, from_origins: list[Origin]) -> Instead | None:
    """Refuse to list the tools of an origin."""
    return _not_supported(this) if from_origins else None


def _not_supported(this: ModelContext) -> Instead:
    return Instead(a_promise_rejected_with(DOMException("NotSupportedError"), this.realm))


def trusted_origins(strings: list[str]) -> list[Origin] | None:
    """Return the origins, or None if one is not trusted; an opaque origin can be trusted for its URL."""
    origins = []
    for string_ in strings:
        url = url_parser(string_)
        if url is None or not _is_trusted(url):
            return None
        origins.append(url_origin(url))
    return origins


def _is_trusted(url: URLRecord) -> bool:
    origin = url_origin(url)
    if not is_opaque(origin):
        return is_origin_potentially_trustworthy(origin)
    host = url.host.removesuffix(".")
    return url.scheme in ("file", "chrome-extension", "moz-extension") or (
        host in ("::1", "[::1]", "localhost") or host.endswith(".localhost") or _is_loopback(url.host)
    )


def _is_loopback(host: str) -> bool:
    parts = host.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(part.isdigit() and int(part) < 256 for part in parts)


# Changes


def tell_from_a_timer(this: ModelContext, promise: Promise, signal: AbortSignal | None) -> Instead:
    """Settle the promise of a registration after the event, which a timer fires."""

    def tell_and_settle() -> AsyncBody:
        yield _told(this)
        if signal is not None and is_aborted(signal):
            reject(promise, abort_reason(signal))
        else:
            resolve(promise, UNDEFINED)
        return UNDEFINED

    call_async(this.realm, tell_and_settle())
    return Instead(promise)


def tell_of_unregistering_from_a_timer(model_context: ModelContext) -> Instead:
    """Fire the event of an unregistration from a timer, only in the document of the tool."""
    _told(model_context)
    return Instead(None)


def _told(context: ModelContext) -> Promise:
    def tell() -> AsyncBody:
        yield timeout(context.realm)
        dispatch(context, "toolchange")
        return UNDEFINED

    return call_async(context.realm, tell())


def abort_listener(
    this: ModelContext,
    tool_map: OrderedMap[str, ToolDefinition],
    tool_name: str,
    signal: AbortSignal | None,
    unregister_a_tool: Callable[[ModelContext, str], None],
) -> None:
    """Unregister the tool on the abort event, if it is still the one that was registered with the signal."""
    if signal is None:
        return
    registered = tool_map[tool_name]

    def abort() -> None:
        if tool_map.exists(tool_name) and tool_map[tool_name] is registered:
            unregister_a_tool(this, tool_name)

    listen_once(signal, this.realm, abort)


# Lists


def listed_at_once(
    this: ModelContext,
    document: Document,
    create_a_registered_tool: Callable[[ToolDefinition, Document, Realm], RegisteredTool],
    resolve: Callable[[Promise, list[RegisteredTool]], None],
) -> Instead:
    """List the present tools of the document itself, and settle the promise from a timer."""
    realm = this.realm
    promise = a_new_promise(realm)
    definitions = sorted(this.internal_context.tool_map.values(), key=lambda definition: code_units(definition.name))
    tools = [create_a_registered_tool(definition, document, realm) for definition in definitions]

    def tell_later() -> AsyncBody:
        yield timeout(realm)
        resolve(promise, tools)
        return UNDEFINED

    call_async(realm, tell_later())
    return Instead(promise)


def plain_object_or_nothing(go_on: object, text: str, realm: Realm) -> JSValue | Absent:
    """Return the value of a schema's text, or ABSENT if it is not an object."""
    value = parse(text, realm)
    return ABSENT if not isinstance(value, JSObject) or isinstance(value, JSArray) else value


def with_two_hints(
    go_on: Callable[[ToolDefinition, Document, Realm], RegisteredTool],
    tool_definition: ToolDefinition,
    tool_owner: Document,
    realm: Realm,
) -> RegisteredTool:
    """Return a listed tool with only two of the annotations."""
    tool = go_on(tool_definition, tool_owner, realm)
    annotations = tool_definition.annotations
    if annotations is not None:
        hints = {"readOnlyHint": annotations.read_only, "untrustedContentHint": annotations.untrusted_content}
        tool.annotations = JSObject(realm, {**hints})  # type: ignore[assignment]
    return tool


def resolve_in_order(go_on: Callable[[Promise, JSValue], None], promise: Promise, tools: list[RegisteredTool]) -> None:
    """Resolve with tools whose members come in the polyfill's order."""
    assert promise.realm is not None
    listed = REVISION.boundary.conversions.to_javascript(tools, promise.realm)
    assert isinstance(listed, JSArray)
    for tool in listed:
        assert isinstance(tool, JSObject)
        tool.properties = {key: tool.properties[key] for key in MEMBERS if key in tool.properties}
    go_on(promise, listed)


# Executions


class ScriptedTool(ToolDefinition):
    """A tool definition with its function, and the signal that unregisters it."""

    __slots__ = ("function", "signal")

    function: JSFunction
    signal: AbortSignal | None


def remember_the_function(
    tool_map: OrderedMap[str, ToolDefinition], tool_name: str, tool: ModelContextTool, signal: AbortSignal | None
) -> None:
    """Store the function of a tool, and its signal."""
    definition = tool_map[tool_name]
    scripted = ScriptedTool(*(getattr(definition, field.name) for field in fields(ToolDefinition)))
    object.__setattr__(scripted, "function", tool.execute.function)
    object.__setattr__(scripted, "signal", signal)
    tool_map.set(tool_name, scripted)


def run_at_once(
    this: ModelContext,
    tool: RegisteredTool,
    input: str,
    options: ModelContextExecuteToolOptions,
    realm: Realm,
    serialize_a_javascript_value_to_a_json_string: Callable[[JSValue], str],
) -> Instead | None:
    """Call the function of an own tool within executeTool, with the input only."""
    tool_map = this.internal_context.tool_map
    if tool.window is not relevant_global_object(this) or not tool_map.exists(tool.name):
        return None
    definition = tool_map[tool.name]
    assert isinstance(definition, ScriptedTool)
    signal = options.signal if options.signal is not ABSENT else None

    def execute() -> AsyncBody:
        try:
            returned = call(definition.function, UNDEFINED, [parse(input, realm)])
            operation = promise_resolve(realm, returned)
            operation = _with_signal(operation, definition.signal, lambda signal: DOMException("UnknownError"))
            result = yield _with_signal(operation, signal, abort_reason)
        except Throw as throw:
            if signal is not None and is_aborted(signal) and is_same_value(throw.value, abort_reason(signal)):
                raise
            if definition.signal is not None and is_aborted(definition.signal):
                raise
            raise Throw(DOMException("UnknownError")) from None
        return serialize_a_javascript_value_to_a_json_string(result)

    # One async function returns the promise of another one.
    promise = Promise(realm)
    promise.resolve(call_async(realm, execute()))
    return Instead(promise)


def _with_signal(operation: Promise, signal: AbortSignal | None, reason: Callable[[AbortSignal], JSValue]) -> Promise:
    """Return a promise that is settled like ``operation``, unless the signal is aborted first."""
    if signal is None:
        return operation
    realm = cast("Realm", operation.realm)
    if is_aborted(signal):
        return promise_reject(realm, reason(signal))
    promise = Promise(realm)
    listener = listen_once(signal, realm, lambda: promise.reject(exception_in_realm(reason(signal), realm)))

    def settle(how: Callable[[JSValue], None]) -> Callable[[JSValue], JSValue]:
        def settled(value: JSValue) -> JSValue:
            signal.remove_event_listener("abort", listener)
            how(value)
            return UNDEFINED

        return settled

    operation.react(settle(promise.resolve), settle(promise.reject), realm)
    return promise


def as_text(go_on: object, value: JSValue) -> str:
    """Return a result as text: an object by its JSON text if it has one, any other value as String() converts it."""
    if isinstance(value, JSObject):
        try:
            text = stringify(value)
        except Throw:
            text = UNDEFINED
        if isinstance(text, str):
            return text
    return string(value) or "Operation succeeded"


# Event handlers


def only_functions(go_on: Set, this: PlatformObject, name: str, value: JSValue) -> None:
    """Set an event handler to a function, or to null for any other value."""
    go_on(this, name, value if isinstance(value, JSFunction) else None)
