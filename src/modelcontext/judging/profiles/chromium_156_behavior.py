"""The behavior of Chromium 156 at the steps where it deviates.

A function that replaces another one has that as its first parameter, ``go_on``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from modelcontext.judging.profiles.quirk import CrashError
from modelcontext.platform.ecmascript.json import stringify
from modelcontext.platform.ecmascript.promise import Promise, PromiseObject
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
    Throw,
    Undefined,
    call,
)
from modelcontext.platform.html.origin import TupleOrigin
from modelcontext.platform.html.permissions_policy import parse_container_policy
from modelcontext.platform.html.window import document_of
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.platform.infra.strings import has_lone_surrogate
from modelcontext.platform.webidl.conversions import to_string
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.types import CallbackFunction
from modelcontext.spec.revisions.current.dictionaries import ToolExecuteCallbackOptions
from modelcontext.spec.revisions.current.model import CompletionSteps, LocalPendingExecution, associated_model_context
from modelcontext.spec.verbs import (
    a_new_abort_controller,
    a_promise_rejected_with,
    associated_document,
    fire_an_event,
    in_parallel,
    is_fully_active,
    is_object,
    parse_a_json_string_to_a_javascript_value,
    react,
    relevant_global_object,
    relevant_realm,
    signal_of,
)
from modelcontext.spec.weaving.changes import Instead

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.permissions_policy import PolicyControlledFeature
    from modelcontext.platform.html.url import URLRecord
    from modelcontext.platform.webidl.boundary import Call
    from modelcontext.platform.webidl.platform_object import PlatformObject
    from modelcontext.spec.revisions.current.dictionaries import RegisteredTool
    from modelcontext.spec.revisions.current.model import ModelContext


Invoke: TypeAlias = Callable[[CallbackFunction, list[object], JSValue], PromiseObject]
React: TypeAlias = Callable[[PromiseObject, Callable[[JSValue], None], Callable[[JSValue], None]], None]


def as_text(go_on: object, value: JSValue) -> str | None:
    """Return a result as Chromium passes it on: an object as JSON, any other value as String() converts it."""
    if isinstance(value, Symbol):
        raise CrashError("a symbol cannot be converted to a string")
    text = stringify(value) if isinstance(value, JSObject) else to_string(value)
    if isinstance(text, Undefined):
        return "undefined"
    return None if has_lone_surrogate(text) else text or "Operation succeeded"


def callback_first(
    execute: CallbackFunction,
    tool_name: str,
    target_document: Document,
    input: str,
    completion_steps: CompletionSteps,
    id: int,
    invoke: Invoke,
    react: React,
    serialize_a_javascript_value_to_a_json_string: Callable[[JSValue], str],
) -> None:
    """Run the imperative execute steps with the event after the callback, and for any input."""
    model_context = associated_model_context(target_document)
    local_pending_executions = model_context.internal_context.local_pending_executions_map
    # It is not the realm of the target document.
    realm = execute.function.realm
    assert realm is not None

    def complete(result: str | None, success: bool) -> None:
        @in_parallel
        def run_completion_steps() -> ParallelSteps:
            yield from completion_steps(result, success)

    input_object = parse_a_json_string_to_a_javascript_value(input, realm)
    if not is_object(input_object):
        fire_an_event("toolactivated", model_context, "ToolActivatedEvent", {"toolName": tool_name})
        complete(None, False)
        return
    abort_controller = a_new_abort_controller(relevant_realm(target_document))
    local_pending_executions.set(id, LocalPendingExecution(abort_controller))
    options = ToolExecuteCallbackOptions(signal=signal_of(abort_controller))
    promise = invoke(execute, [input_object, options], UNDEFINED)

    def fulfilled(value: JSValue) -> None:
        if not local_pending_executions.exists(id):
            return
        local_pending_executions.remove(id)
        try:
            result = serialize_a_javascript_value_to_a_json_string(value)
        except Throw:
            complete(None, False)
            return
        complete(result, True)

    def rejected(reason: JSValue) -> None:
        if local_pending_executions.exists(id):
            local_pending_executions.remove(id)
            complete(None, False)

    react(promise, fulfilled, rejected)
    fire_an_event("toolactivated", model_context, "ToolActivatedEvent", {"toolName": tool_name})


def reads_every_result(
    go_on: React,
    promise: PromiseObject,
    fulfilled: Callable[[JSValue], None],
    rejected: Callable[[JSValue], None],
    *,
    target_document: Document,
    id: int,
    serialize_a_javascript_value_to_a_json_string: Callable[[JSValue], str],
) -> None:
    """React to a promise, and serialize its value also if nobody waits for the result any more."""
    local_pending_executions = associated_model_context(target_document).internal_context.local_pending_executions_map

    def read(value: JSValue) -> None:
        if not local_pending_executions.exists(id):
            with suppress(Throw):
                serialize_a_javascript_value_to_a_json_string(value)
        fulfilled(value)

    go_on(promise, read, rejected)


def promise_as_it_is(
    go_on: Invoke, callback: CallbackFunction, arguments: list[object], this: JSValue
) -> PromiseObject:
    """Return the promise that the callback returns, and not a new one that is resolved with it."""
    as_it_is: list[PromiseObject] = []
    function = callback.function
    assert function.realm is not None

    def run(this: JSValue, arguments: list[JSValue]) -> JSValue:
        returned = call(function, this, arguments)
        if isinstance(returned, Promise):
            as_it_is.append(returned)
            return UNDEFINED
        return returned

    promise = go_on(CallbackFunction(JSFunction(function.realm, run), callback.type_name), arguments, this)
    return as_it_is[0] if as_it_is else promise


def only_while_active(
    go_on: Invoke, callback: CallbackFunction, arguments: list[object], this: JSValue
) -> PromiseObject:
    """Reject instead of calling a callback whose document is not fully active."""
    realm = callback.function.realm
    assert realm is not None
    if is_fully_active(document_of(realm)):
        return go_on(callback, arguments, this)
    return a_promise_rejected_with(DOMException("InvalidStateError"), _realm_of_target(arguments))


def crash_after_failure(
    go_on: Invoke, callback: CallbackFunction, arguments: list[object], this: JSValue
) -> PromiseObject:
    """Crash when a callback fails after the target document has gone."""

    def rejected(reason: JSValue) -> None:
        if not is_fully_active(document_of(_realm_of_target(arguments))):
            raise CrashError("the document was removed before the callback failed")

    promise = go_on(callback, arguments, this)
    react(promise, lambda value: None, rejected)
    return promise


def _realm_of_target(arguments: list[object]) -> Realm:
    _, options = arguments
    assert isinstance(options, ToolExecuteCallbackOptions)
    return options.signal.realm


def level_by_level(go_on: Callable[[Document], list[Navigable]], document: Document) -> list[Navigable]:
    """Return the inclusive descendant navigables, those nearer to the top first."""
    navigables = go_on(document)

    def depth(navigable: Navigable) -> int:
        levels, outer = 0, navigable.parent
        while outer is not None:
            levels, outer = levels + 1, outer.parent
        return levels

    return sorted(navigables, key=depth)


def only_for_its_document(this: ModelContext) -> Instead | None:
    """Reject if the document that was made with a ModelContext has given its Window to another one."""
    if associated_model_context(associated_document(relevant_global_object(this))) is this:
        return None
    return Instead(a_promise_rejected_with(DOMException("InvalidStateError"), relevant_realm(this)))


def input_is_any(go_on: Call, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
    """Accept any input, as the published IDL does; one that is not an object fails when it is serialized."""
    is_given = len(arguments) > 2 or (len(arguments) > 1 and arguments[1] is not UNDEFINED)
    if name == "executeTool" and is_given and not is_object(arguments[1]):
        assert this.realm is not None
        # JSON.stringify returns undefined for this object.
        to_json = JSFunction(this.realm, lambda this, arguments: UNDEFINED, "toJSON")
        return go_on(this, name, [arguments[0], JSObject(this.realm, {"toJSON": to_json}), *arguments[2:]])
    return go_on(this, name, arguments)


def description_without_surrogates(go_on: Callable[..., RegisteredTool], **members: Any) -> RegisteredTool:
    """Replace a description with a lone surrogate, which is lost on its way through the browser process."""
    if has_lone_surrogate(members["description"]):
        members["description"] = ""
    return go_on(**members)


def with_object_schemas(
    go_on: Callable[..., list[Any]], found_tools: list[Any], key: Callable[[Any], Any]
) -> list[Any]:
    """Return the sorted tools without those whose schema is not an object."""
    listed = [
        (tool, owner)
        for tool, owner in found_tools
        if tool.input_schema is None or isinstance(tool.input_schema.value, dict | list)
    ]
    return go_on(listed, key=key)


def crash_when_taken(tool_map: OrderedMap[str, Any], tool_name: str, tool_owner: Document) -> None:
    """Crash if the name was taken, or the document removed, since the checks."""
    if tool_map.exists(tool_name):
        raise CrashError("another tool took the name while the schema was read")
    if not is_fully_active(tool_owner):
        raise CrashError("the document was removed while the schema was read")


def crash_when_gone(tool_owner: Document) -> None:
    """Crash if a tool is unregistered in a document that has gone."""
    if not is_fully_active(tool_owner):
        raise CrashError("the document has gone")


def target_that_has_gone(target_document: Document, realm: Realm) -> Instead | None:
    """Reject at once, and with another name, if the target document has gone."""
    if is_fully_active(target_document):
        return None
    return Instead(a_promise_rejected_with(DOMException("InvalidStateError"), realm))


def allowed_in_a_sandbox(go_on: Callable[..., bool], document: Document, feature: PolicyControlledFeature) -> bool:
    """Return whether a document may use a feature if 'src' also means the opaque origin of a sandboxed frame."""
    if go_on(document, feature):
        return True
    navigable = document.node_navigable
    container = navigable.container if navigable is not None else None
    if container is None:
        return False
    declared = document.declared_policy.get(feature.name)
    if declared is not None and not declared.matches(document.origin):
        return False
    src_origin = container.src_origin if not container.sandboxes_the_origin else None
    policy = parse_container_policy(container.allow, container.document.origin, src_origin or document.origin)
    allowlist = policy.get(feature.name)
    if allowlist is None or not allowlist.matches(document.origin):
        return False
    return allowed_in_a_sandbox(go_on, container.document, feature)


def origin_of_files_too(go_on: Callable[[URLRecord], Origin], url: URLRecord) -> Origin:
    """Return one potentially trustworthy origin for all file URLs."""
    return TupleOrigin("file", "", None) if url.scheme == "file" else go_on(url)


# The prefix for a tool that the browser process does not know yet; no name begins with it.
_UNHEARD = "\0"


def unheard(tool_map: OrderedMap[str, Any], tool_name: str) -> None:
    """Mark a new tool, which exists in its document before the browser process knows it."""
    tool_map.set(_UNHEARD + tool_name, tool_map[tool_name])


# The prefix for a removed tool that the browser process still knows.
_LINGERING = "\0\0"


def lingering(tool_map: OrderedMap[str, Any], name: str) -> None:
    """Keep a removed tool, which is gone in its document before the browser process knows it."""
    tool_map.set(_LINGERING + name, tool_map[name])

    @in_parallel
    def hear() -> ParallelSteps:
        yield
        if tool_map.exists(_LINGERING + name):
            tool_map.remove(_LINGERING + name)


def heard_and_told_apart(
    go_on: Callable[..., ParallelSteps], tool_owner: Document, exposed_origins: list[Origin]
) -> ParallelSteps:
    """Tell the browser process of the oldest registration, and notify documents before its answer or meanwhile."""
    tool_map = associated_model_context(tool_owner).internal_context.tool_map
    yield
    first = next((name for name, _ in tool_map.items() if _is_unheard(name)), None)
    if first is not None:
        tool_map.remove(first)
    if tool_owner.event_loop.user_agent.choose("whether the answer waits", 2) == 0:
        yield from go_on(tool_owner, exposed_origins)
        return

    @in_parallel
    def tell() -> ParallelSteps:
        yield from go_on(tool_owner, exposed_origins)


def context_with_what_was_heard_of(go_on: Callable[[Document], ModelContext], document: Document) -> Any:
    """Return the ModelContext of a document as the browser process knows it."""
    tool_map = go_on(document).internal_context.tool_map
    known: OrderedMap[str, Any] = OrderedMap()
    for key, tool in tool_map.items():
        name = key.removeprefix(_LINGERING)
        if not _is_unheard(key) and not tool_map.exists(_UNHEARD + name):
            known.set(name, tool)
    return SimpleNamespace(internal_context=SimpleNamespace(tool_map=known))


def _is_unheard(name: str) -> bool:
    return name.startswith(_UNHEARD) and not name.startswith(_LINGERING)
