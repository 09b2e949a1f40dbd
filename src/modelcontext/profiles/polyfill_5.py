"""The polyfill @mcp-b/webmcp-polyfill 5: what it does otherwise than the current revision says, without WebMCP below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, cast

from modelcontext.dom.abort import AbortSignal
from modelcontext.ecmascript.json import parse, stringify
from modelcontext.ecmascript.promise import Promise
from modelcontext.ecmascript.values import UNDEFINED, JSArray, JSFunction, JSObject, JSValue, Throw, call, is_same_value
from modelcontext.host import (
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
    serialize_a_javascript_value_to_a_json_string,
)
from modelcontext.html.origin import is_opaque, is_potentially_trustworthy
from modelcontext.html.url import URLRecord, url_origin, url_parser
from modelcontext.infra.strings import code_units
from modelcontext.profiles import polyfill_5_reading as reading
from modelcontext.profiles.polyfill_5_reading import GoOn
from modelcontext.profiles.profile import Instead, Profile, Quirk
from modelcontext.profiles.scripted import (
    AsyncBody,
    call_async,
    dispatch,
    listen_once,
    promise_reject,
    promise_resolve,
    string,
    timeout,
)
from modelcontext.revisions.current import REVISION
from modelcontext.revisions.current.model import ModelContext, ToolDefinition
from modelcontext.revisions.current.tools import create_a_registered_tool, unregister_a_tool
from modelcontext.webidl.dom_exception import DOMException
from modelcontext.webidl.types import ABSENT, Absent

if TYPE_CHECKING:
    from modelcontext.ecmascript.realm import Realm
    from modelcontext.html.document import Document
    from modelcontext.html.origin import Origin
    from modelcontext.html.permissions_policy import PolicyControlledFeature
    from modelcontext.infra.ordered_map import OrderedMap
    from modelcontext.revisions.current.dictionaries import (
        ModelContextExecuteToolOptions,
        ModelContextTool,
        RegisteredTool,
    )
    from modelcontext.webidl.platform_object import PlatformObject

OPERATIONS = ("registerTool", "getTools", "executeTool")
#: The members of what is listed, in the order in which the polyfill writes them.
MEMBERS = ("name", "title", "description", "inputSchema", "origin", "window", "annotations")


# Who may


def may_go_by_its_origin(document: Document, feature: PolicyControlledFeature | None = None) -> bool:
    """A document may where it is on top, or of the origin of the one that holds it."""
    if not is_fully_active(document):
        return False
    navigable = document.node_navigable
    container = navigable.container if navigable is not None else None
    return container is None or same_origin(container.document.origin, document.origin)


def access_first(go_on: GoOn, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
    """Whether the document may comes before everything that is given."""
    if name in OPERATIONS:
        assert this.realm is not None
        document = associated_document(relevant_global_object(this))
        if not is_fully_active(document):
            return a_promise_rejected_with(DOMException("InvalidStateError"), this.realm)
        if not may_go_by_its_origin(document):
            return a_promise_rejected_with(DOMException("NotAllowedError"), this.realm)
    return go_on(this, name, arguments)


def nothing_exposed(this: ModelContext, exposed_origins: list[Origin]) -> Instead | None:
    """Nothing can be exposed to an origin."""
    return _not_supported(this) if exposed_origins else None


def nothing_from_elsewhere(this: ModelContext, from_origins: list[Origin]) -> Instead | None:
    """No origin can be asked for its tools."""
    return _not_supported(this) if from_origins else None


def _not_supported(this: ModelContext) -> Instead:
    return Instead(a_promise_rejected_with(DOMException("NotSupportedError"), this.realm))


def trusted_origins(strings: list[str]) -> list[Origin] | None:
    """A list of origins, of which one that is opaque can be trusted for its URL."""
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
        return is_potentially_trustworthy(origin)
    host = url.host.removesuffix(".")
    return url.scheme in ("file", "chrome-extension", "moz-extension") or (
        host in ("::1", "[::1]", "localhost") or host.endswith(".localhost") or _is_loopback(url.host)
    )


def _is_loopback(host: str) -> bool:
    parts = host.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(part.isdigit() and int(part) < 256 for part in parts)


# Changes


def tell_from_a_timer(this: ModelContext, promise: Promise, signal: AbortSignal | None) -> Instead:
    """A registration ends with a timer, after the event."""

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
    """The event comes from a timer, in the document of the tool."""
    _told(model_context)
    return Instead(None)


def _told(context: ModelContext) -> Promise:
    def tell() -> AsyncBody:
        yield timeout(context.realm)
        dispatch(context, "toolchange")
        return UNDEFINED

    return call_async(context.realm, tell())


def abort_listener(
    this: ModelContext, tool_map: OrderedMap[str, ToolDefinition], tool_name: str, signal: AbortSignal | None
) -> None:
    """Aborting is heard of as an event, and takes back what was registered with the signal."""
    if signal is None:
        return
    registered = tool_map[tool_name]

    def abort() -> None:
        if tool_map.exists(tool_name) and tool_map[tool_name] is registered:
            unregister_a_tool(this, tool_name)

    listen_once(signal, this.realm, abort)


# Lists


def listed_at_once(this: ModelContext, document: Document) -> Instead:
    """The tools of the document itself, as they are when it is asked for them; they come from a timer."""
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


def plain_object_or_nothing(text: str, realm: Realm) -> JSValue | Absent:
    """A schema whose text is that of no object is not listed."""
    value = parse(text, realm)
    return ABSENT if not isinstance(value, JSObject) or isinstance(value, JSArray) else value


def with_two_hints(tool_definition: ToolDefinition, tool_owner: Document, realm: Realm) -> RegisteredTool:
    """A listed tool with two of the annotations."""
    tool = create_a_registered_tool(tool_definition, tool_owner, realm)
    annotations = tool_definition.annotations
    if annotations is not None:
        hints = {"readOnlyHint": annotations.read_only, "untrustedContentHint": annotations.untrusted_content}
        tool.annotations = JSObject(realm, {**hints})  # type: ignore[assignment]
    return tool


def resolve_in_order(promise: Promise, tools: list[RegisteredTool]) -> None:
    """The members of what is listed come in the order in which they are written down."""
    assert promise.realm is not None
    listed = REVISION.boundary.conversions.to_javascript(tools, promise.realm)
    assert isinstance(listed, JSArray)
    for tool in listed:
        assert isinstance(tool, JSObject)
        tool.properties = {key: tool.properties[key] for key in MEMBERS if key in tool.properties}
    resolve(promise, listed)


# Executions


class ScriptedTool(ToolDefinition):
    """A tool definition with the function itself, and the signal that takes it back."""

    __slots__ = ("function", "signal")

    function: JSFunction
    signal: AbortSignal | None


def remember_the_function(
    tool_map: OrderedMap[str, ToolDefinition], tool_name: str, tool: ModelContextTool, signal: AbortSignal | None
) -> None:
    """What is stored of a tool is its function."""
    definition = tool_map[tool_name]
    scripted = ScriptedTool(*(getattr(definition, field.name) for field in fields(ToolDefinition)))
    object.__setattr__(scripted, "function", tool.execute.function)
    object.__setattr__(scripted, "signal", signal)
    tool_map.set(tool_name, scripted)


def run_at_once(
    this: ModelContext, tool: RegisteredTool, input: str, options: ModelContextExecuteToolOptions, realm: Realm
) -> Instead | None:
    """The function of an own tool is called in the call of executeTool, with nothing but the input."""
    tool_map = this.internal_context.tool_map
    if tool.window is not relevant_global_object(this) or not tool_map.exists(tool.name):
        return None
    definition = tool_map[tool.name]
    assert isinstance(definition, ScriptedTool)
    signal = options.signal if options.signal is not ABSENT else None

    def execute() -> AsyncBody:
        try:
            returned = call(definition.function, UNDEFINED, [parse(input, realm)])
            operation = _with_signal(promise_resolve(realm, returned), definition.signal, _unregistered)
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


def _unregistered(signal: AbortSignal) -> JSValue:
    return DOMException("UnknownError")


def _with_signal(operation: Promise, signal: AbortSignal | None, reason: Callable[[AbortSignal], JSValue]) -> Promise:
    """A promise that is settled as another one is, unless the signal is aborted before."""
    if signal is None:
        return operation
    realm = cast("Realm", operation.realm)
    if is_aborted(signal):
        return promise_reject(realm, reason(signal))
    promise = Promise(realm)
    listener = listen_once(signal, realm, lambda: promise.reject(_in_realm(reason(signal), realm)))

    def settle(how: Callable[[JSValue], None]) -> Callable[[JSValue], JSValue]:
        def settled(value: JSValue) -> JSValue:
            signal.remove_event_listener("abort", listener)
            how(value)
            return UNDEFINED

        return settled

    operation.react(settle(promise.resolve), settle(promise.reject), realm)
    return promise


def _in_realm(reason: JSValue, realm: Realm) -> JSValue:
    if isinstance(reason, DOMException) and reason.realm is None:
        reason.realm = realm
    return reason


def as_text(value: JSValue) -> str:
    """A result as text: what has a JSON text and is an object by that, everything else as String() has it."""
    if isinstance(value, JSObject):
        try:
            text = stringify(value)
        except Throw:
            text = UNDEFINED
        if isinstance(text, str):
            return text
    return string(value) or "Operation succeeded"


# Event handlers


def only_functions(go_on: Callable[..., None], this: PlatformObject, name: str, value: JSValue) -> None:
    """An event handler is a function or null."""
    go_on(this, name, value if isinstance(value, JSFunction) else None)


PROFILE = Profile(
    "polyfill_5",
    "polyfill",
    REVISION,
    (
        Quirk(
            name="reads-the-registration",
            step="dom-modelcontext-registertool 1",
            call=True,
            by=reading.registering,
            parts=(Quirk(name="checked-before-its-schema", step="dom-modelcontext-registertool 7", skip=True),),
            reason="Nothing is converted by Web IDL. The signal is read first, then the tool in an order of the polyfill's"
            " own, and the origins after the tool was checked; annotations and options of the wrong type count as absent, a"
            " function is no tool. A script can do all that as Web IDL says: the polyfill is wrong.",
            reproducer="programs/conversions/tool-member-order",
        ),
        Quirk(
            name="reads-the-request",
            step="dom-modelcontext-gettools 1",
            call=True,
            by=reading.listing,
            reason="Nothing is converted by Web IDL: options of the wrong type count as absent, and origins that are no URLs"
            " are found out one by one. The polyfill is wrong.",
            reproducer="programs/conversions/options-values",
        ),
        Quirk(
            name="input-is-json-text",
            step="dom-modelcontext-executetool 11",
            call=True,
            by=reading.executing,
            reason="The input is JSON text, as in an earlier revision; an object becomes its string, which is no JSON text,"
            " and so the promise is rejected with UnknownError before the callback is looked at. Only tools of the document"
            " itself can be executed, members are read in another order, and an aborted signal comes before the input. The"
            " polyfill follows an older text.",
            reproducer="programs/execution/echo",
        ),
        Quirk(
            name="trusts-urls",
            step="parse-a-list-of-origins 2.3",
            by=trusted_origins,
            reason="Where the origin of a URL is opaque its scheme and host are asked instead, so that a file URL can be"
            " trusted. The polyfill is more lenient than the text.",
            reproducer="findings/chromium/modelcontext-gettools-6-2-fulfilled-with-array/program",
        ),
        Quirk(
            name="no-exposure",
            step="dom-modelcontext-registertool 15.1",
            parts=(
                Quirk(name="nothing-exposed", step="dom-modelcontext-registertool 16", before=True, by=nothing_exposed),
            ),
            reason="Tools cannot be exposed to other origins: any list that is not empty is refused with NotSupportedError. A"
            " script has no way to reach other documents' tools, and says so: what it lacks is not done wrong.",
            reproducer="programs/exposure/exposed",
            wrong="neither",
        ),
        Quirk(
            name="no-discovery",
            step="dom-modelcontext-gettools 6.1",
            parts=(
                Quirk(
                    name="nothing-elsewhere", step="dom-modelcontext-gettools 7", before=True, by=nothing_from_elsewhere
                ),
            ),
            reason="Tools of other origins cannot be listed: any list that is not empty is refused with NotSupportedError, for"
            " the same reason.",
            reproducer="programs/exposure/from-origins-checks",
            wrong="neither",
        ),
        Quirk(
            name="runs-at-once",
            step="dom-modelcontext-executetool 21",
            parts=(
                Quirk(name="remember", step="dom-modelcontext-registertool 23", before=True, by=remember_the_function),
                Quirk(name="run", step="dom-modelcontext-executetool 13", before=True, by=run_at_once),
            ),
            reason="The callback is called before executeTool returns. It gets no options, so that one that looks at their"
            " signal throws, and no event is fired before it. Nothing runs in parallel in a script, but a task could be"
            " queued: the polyfill is wrong.",
            reproducer="programs/execution/activated-before-callback",
        ),
        Quirk(
            name="results-as-strings",
            step="imperative-execute-steps 12.a.3",
            algorithms=("imperative-execute-steps", "dom-modelcontext-executetool"),
            verb="serialize_a_javascript_value_to_a_json_string",
            by=as_text,
            reason="Only objects become JSON, any other result is passed on as String() makes it, and the empty string as a"
            " sentence. This is what Chromium does, which the polyfill copies.",
            reproducer="programs/results/string",
        ),
        Quirk(
            name="aborts-are-events",
            step="dom-modelcontext-registertool 17",
            skip=True,
            parts=(
                Quirk(name="abort-listener", step="dom-modelcontext-registertool 23", before=True, by=abort_listener),
            ),
            reason="Aborting takes back the tool that was registered with the signal, not whichever has the name by now, and"
            " the promise is not rejected by it. A listener stands in for the abort steps, which a script cannot add. The"
            " first is better than the text; the second follows from where the polyfill looks at the signal.",
            reproducer="programs/registration/reentrant-signal",
        ),
        Quirk(
            name="tells-from-a-timer",
            step="notify-documents-of-a-tool-change 5",
            parts=(
                Quirk(name="registered", step="dom-modelcontext-registertool 23", before=True, by=tell_from_a_timer),
                Quirk(
                    name="unregistered",
                    step="unregister-a-tool 6",
                    before=True,
                    by=tell_of_unregistering_from_a_timer,
                ),
            ),
            reason="toolchange is an event that a timer's script dispatches in the document of the tool: it is not trusted, no"
            " other document hears of a change, and only after it the promise of a registration is settled, by whether the"
            " signal is aborted by then. A script cannot do better but for other documents of its origin.",
            reproducer="programs/events/toolchange",
        ),
        Quirk(
            name="lists-its-own",
            step="collect-registered-tools 3",
            parts=(Quirk(name="listed", step="dom-modelcontext-gettools 7", before=True, by=listed_at_once),),
            reason="Only the tools of the document itself are listed, as they are when it asks; a timer settles the promise."
            " Frames of the same origin could be asked, too: the polyfill is wrong.",
            reproducer="programs/listing/of-a-frame",
        ),
        Quirk(
            name="only-object-schemas",
            step="create-a-registered-tool 3.2",
            verb="parse_a_json_string_to_a_javascript_value",
            by=plain_object_or_nothing,
            reason="A schema whose JSON text is that of no object, or of an array, is left out of the list. The text gives the"
            " member inputSchema, whose type is object, another value: the text is asking for trouble.",
            reproducer="programs/schema/array",
            wrong="spec",
        ),
        Quirk(
            name="two-hints",
            step="create-a-registered-tool 4.2",
            algorithms=("dom-modelcontext-gettools",),
            verb="create_a_registered_tool",
            by=with_two_hints,
            reason="Of the annotations only readOnlyHint and untrustedContentHint are kept. The other two came with a later"
            " revision: the polyfill is out of date.",
            reproducer="programs/conversions/annotations-null",
        ),
        Quirk(
            name="members-as-written",
            step="dom-modelcontext-gettools 10.2.3",
            verb="resolve",
            by=resolve_in_order,
            reason="A dictionary becomes an object whose members come in lexicographical order; those of the polyfill come in"
            " the order in which it writes them. The polyfill is wrong, and nobody should mind.",
            reproducer="programs/listing/sorted",
        ),
        Quirk(
            name="only-toolchange",
            step="imperative-execute-steps 7",
            absent=(
                "ToolActivatedEvent",
                "ToolCancelEvent",
                "ModelContext.ontoolactivated",
                "ModelContext.ontoolcancel",
            ),
            reason="There is no ToolActivatedEvent and no ToolCancelEvent, and no event handler for them; what is assigned to"
            " their names is a property as any other. The polyfill is incomplete.",
            reproducer="programs/events/construct",
        ),
        Quirk(
            name="handlers-are-functions",
            step="notify-documents-of-a-tool-change 5.5",
            set=True,
            by=only_functions,
            reason="An event handler that is an object and no function counts as null, where Web IDL keeps it, although it"
            " does nothing. The polyfill is wrong.",
            reproducer="programs/events/handler-values",
        ),
        Quirk(
            name="access-by-origin",
            step="dom-modelcontext-registertool 4",
            algorithms=("notify-documents-of-a-tool-change", "collect-registered-tools"),
            verb="is_allowed_to_use",
            by=may_go_by_its_origin,
            parts=(
                Quirk(name="access-first", step="dom-modelcontext-registertool 3", call=True, by=access_first),
                *(
                    Quirk(
                        name=f"checked-{operation}-{number}", step=f"dom-modelcontext-{operation} {number}", skip=True
                    )
                    for operation in ("registertool", "gettools", "executetool")
                    for number in (3, 4)
                ),
            ),
            reason='A Chromium without WebMCP has no feature "tools" whose policy could be asked. The polyfill goes by the'
            " origin, before it looks at what was given: a frame of another origin than what holds it is refused, whatever"
            " allow says, and any other document is let through, whatever the policy says. A script cannot do better.",
            reproducer="programs/registration/policy-off",
            wrong="neither",
        ),
    ),
)
