"""Chromium 156: what its WebMCP does otherwise than the current revision says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from modelcontext.ecmascript.json import number_to_string, stringify
from modelcontext.ecmascript.promise import Promise
from modelcontext.ecmascript.values import (
    UNDEFINED,
    BigInt,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
    Throw,
    Undefined,
    call,
)
from modelcontext.host import (
    a_new_abort_controller,
    a_promise_rejected_with,
    fire_an_event,
    in_parallel,
    invoke,
    is_allowed_to_use,
    is_fully_active,
    is_object,
    parse_a_json_string_to_a_javascript_value,
    react,
    relevant_realm,
    serialize_a_javascript_value_to_a_json_string,
    signal_of,
    url_origin,
)
from modelcontext.host.simulated import document_of
from modelcontext.html.origin import TupleOrigin
from modelcontext.html.permissions_policy import parse_container_policy
from modelcontext.infra.ordered_map import OrderedMap
from modelcontext.infra.strings import has_lone_surrogate
from modelcontext.profiles.profile import CrashError, Instead, Profile, Quirk
from modelcontext.revisions.current import REVISION
from modelcontext.revisions.current.dictionaries import RegisteredTool, ToolExecuteCallbackOptions
from modelcontext.revisions.current.model import CompletionSteps, LocalPendingExecution, associated_model_context
from modelcontext.revisions.current.tools import (
    inclusive_descendant_navigables_of,
    notify_documents_of_a_tool_change,
)
from modelcontext.webidl.dom_exception import DOMException
from modelcontext.webidl.types import CallbackFunction

if TYPE_CHECKING:
    from modelcontext.ecmascript.realm import Realm
    from modelcontext.html.document import Document
    from modelcontext.html.navigable import Navigable
    from modelcontext.html.origin import Origin
    from modelcontext.html.parallel import ParallelSteps
    from modelcontext.html.permissions_policy import PolicyControlledFeature
    from modelcontext.html.url import URLRecord
    from modelcontext.webidl.platform_object import PlatformObject


def as_text(value: JSValue) -> str | None:
    """A result as Chromium passes it on: what is an object as JSON, everything else as String() has it."""
    if isinstance(value, Symbol):
        raise CrashError("a symbol cannot be made a string")
    text = _as_text(value)
    if has_lone_surrogate(text):
        return None
    return text or "Operation succeeded"


def _as_text(value: JSValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, BigInt):
        return str(value.value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_to_string(value)
    text = stringify(value)
    return "undefined" if isinstance(text, Undefined) else text


def callback_first(
    execute: CallbackFunction,
    tool_name: str,
    target_document: Document,
    input: str,
    completion_steps: CompletionSteps,
    id: int,
) -> None:
    """The imperative execute steps with the event after the callback, and whatever the input is."""
    model_context = associated_model_context(target_document)
    local_pending_executions = model_context.internal_context.local_pending_executions_map
    # Not the realm of the target document.
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


def promise_as_it_is(callback: CallbackFunction, arguments: list[object], this: JSValue) -> Promise:
    """A promise that the callback returns, and not one that is resolved with it."""
    as_it_is: list[Promise] = []
    function = callback.function
    assert function.realm is not None

    def run(this: JSValue, arguments: list[JSValue]) -> JSValue:
        returned = call(function, this, arguments)
        if isinstance(returned, Promise):
            as_it_is.append(returned)
            return UNDEFINED
        return returned

    promise = invoke(CallbackFunction(JSFunction(function.realm, run), callback.type_name), arguments, this)
    return as_it_is[0] if as_it_is else promise


def only_while_active(callback: CallbackFunction, arguments: list[object], this: JSValue) -> Promise:
    """A callback of a document that has gone is not called, and counts as failed."""
    realm = callback.function.realm
    assert realm is not None
    if is_fully_active(document_of(realm)):
        return invoke(callback, arguments, this)
    return a_promise_rejected_with(DOMException("InvalidStateError"), _realm_of_target(arguments))


def crash_after_failure(callback: CallbackFunction, arguments: list[object], this: JSValue) -> Promise:
    """A callback that fails crashes if the target document has gone by then."""

    def rejected(reason: JSValue) -> None:
        if not is_fully_active(document_of(_realm_of_target(arguments))):
            raise CrashError("the document has gone before the callback failed")

    promise = invoke(callback, arguments, this)
    react(promise, lambda value: None, rejected)
    return promise


def _realm_of_target(arguments: list[object]) -> Realm:
    _, options = arguments
    assert isinstance(options, ToolExecuteCallbackOptions)
    return options.signal.realm


def level_by_level(traversable: Navigable) -> list[Navigable]:
    """The inclusive descendant navigables, those nearer to the top first."""
    navigables = inclusive_descendant_navigables_of(traversable)

    def depth(navigable: Navigable) -> int:
        levels, outer = 0, navigable.parent
        while outer is not None:
            levels, outer = levels + 1, outer.parent
        return levels

    return sorted(navigables, key=depth)


def input_is_any(
    go_on: Callable[..., JSValue], this: PlatformObject, name: str, arguments: Sequence[JSValue]
) -> JSValue:
    """The input is of type any, as in the published IDL: what is no object is found out when it is serialized."""
    is_given = len(arguments) > 2 or (len(arguments) > 1 and arguments[1] is not UNDEFINED)
    if name == "executeTool" and is_given and not is_object(arguments[1]):
        assert this.realm is not None
        return go_on(this, name, [arguments[0], _unserializable(this.realm), *arguments[2:]])
    return go_on(this, name, arguments)


def _unserializable(realm: Realm) -> JSValue:
    """An object that JSON.stringify makes nothing of."""
    return JSObject(realm, {"toJSON": JSFunction(realm, lambda this, arguments: UNDEFINED, "toJSON")})


def description_without_surrogates(**members: Any) -> RegisteredTool:
    """A description with a lone surrogate is lost on its way through the browser process."""
    if has_lone_surrogate(members["description"]):
        members["description"] = ""
    return RegisteredTool(**members)


def with_object_schemas(found_tools: list[Any], key: Callable[[Any], Any]) -> list[Any]:
    """The sorted tools without those whose schema is no object."""
    listed = [
        (tool, owner)
        for tool, owner in found_tools
        if tool.input_schema is None or isinstance(tool.input_schema.value, dict | list)
    ]
    return sorted(listed, key=key)


def crash_when_taken(tool_map: OrderedMap[str, Any], tool_name: str, tool_owner: Document) -> None:
    """Storing a tool crashes when its name was taken, or its document removed, since the checks."""
    if tool_map.exists(tool_name):
        raise CrashError("the name has been taken while the schema was read")
    if not is_fully_active(tool_owner):
        raise CrashError("the document has gone while the schema was read")


def crash_when_gone(tool_owner: Document) -> None:
    """Taking a tool back crashes in a document that has gone."""
    if not is_fully_active(tool_owner):
        raise CrashError("the document has gone")


def target_that_has_gone(target_document: Document, realm: Realm) -> Instead | None:
    """A target that is in no frame any more is found out at once, and with another name."""
    if is_fully_active(target_document):
        return None
    return Instead(a_promise_rejected_with(DOMException("InvalidStateError"), realm))


def allowed_in_a_sandbox(document: Document, feature: PolicyControlledFeature) -> bool:
    """'src' in an allow attribute stands for the opaque origin, too, if the same element has the sandbox attribute."""
    if is_allowed_to_use(document, feature):
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
    return allowed_in_a_sandbox(container.document, feature)


def origin_of_files_too(url: URLRecord) -> Origin:
    """File URLs have one origin, which is potentially trustworthy."""
    return TupleOrigin("file", "", None) if url.scheme == "file" else url_origin(url)


# Before the name of a tool that the browser process has not heard of yet: a key that no tool can have.
_UNHEARD = "\0"


def unheard(tool_map: OrderedMap[str, Any], tool_name: str) -> None:
    """A tool is there for its own document before the browser process has heard of it."""
    tool_map.set(_UNHEARD + tool_name, tool_map[tool_name])


# Before the name of a tool that is not there any more, which the browser process has not heard of yet.
_LINGERING = "\0\0"


def lingering(tool_map: OrderedMap[str, Any], name: str) -> None:
    """A tool is gone for its own document before the browser process has heard of it."""
    tool_map.set(_LINGERING + name, tool_map[name])

    @in_parallel
    def hear() -> ParallelSteps:
        yield
        if tool_map.exists(_LINGERING + name):
            tool_map.remove(_LINGERING + name)


def heard_and_told_apart(tool_owner: Document, exposed_origins: list[Origin]) -> ParallelSteps:
    """The browser process hears of the oldest registration, and answers; documents hear of it before that, or meanwhile."""
    tool_map = associated_model_context(tool_owner).internal_context.tool_map
    yield
    first = next((name for name, _ in tool_map.items() if _is_unheard(name)), None)
    if first is not None:
        tool_map.remove(first)
    if tool_owner.event_loop.user_agent.choose("whether the answer waits", 2) == 0:
        yield from notify_documents_of_a_tool_change(tool_owner, exposed_origins)
        return

    @in_parallel
    def tell() -> ParallelSteps:
        yield from notify_documents_of_a_tool_change(tool_owner, exposed_origins)


def context_with_what_was_heard_of(document: Document) -> Any:
    """The ModelContext of a document as the browser process knows it."""
    tool_map = associated_model_context(document).internal_context.tool_map
    known: OrderedMap[str, Any] = OrderedMap()
    for key, tool in tool_map.items():
        name = key.removeprefix(_LINGERING)
        if not _is_unheard(key) and not tool_map.exists(_UNHEARD + name):
            known.set(name, tool)
    return SimpleNamespace(internal_context=SimpleNamespace(tool_map=known))


def _is_unheard(name: str) -> bool:
    return name.startswith(_UNHEARD) and not name.startswith(_LINGERING)


PROFILE = Profile(
    "chromium_156",
    "chromium",
    REVISION,
    (
        Quirk(
            name="results-as-strings",
            step="imperative-execute-steps 12.a.3",
            verb="serialize_a_javascript_value_to_a_json_string",
            by=as_text,
            reason="Only objects become JSON; any other result is passed on as String() makes it, the empty string as"
            " a sentence, one with a lone surrogate as null; a symbol crashes the renderer. A caller cannot tell the"
            " number 1 from the text 1, nor undefined from a text: the browser looks wrong.",
            reproducer="programs/results/string",
        ),
        Quirk(
            name="callback-first",
            step="imperative-execute-steps 7",
            by=callback_first,
            reason="The callback runs before toolactivated is fired, and gets its input in its own realm instead of the"
            " target document's; an input that is no object fires the event, too, although nothing runs. A page that"
            " prepares itself in a listener comes too late: the browser looks wrong.",
            reproducer="programs/execution/activated-before-callback",
        ),
        Quirk(
            name="promises-as-they-are",
            step="imperative-execute-steps 11",
            verb="invoke",
            by=promise_as_it_is,
            reason="A promise that the callback returns is waited for as it is, while by Web IDL a new one is resolved with"
            " it, which reads the member then of the result once more, two microtasks later. It does so for every callback,"
            " and a page can hardly tell but by a getter: neither looks wrong, but they differ.",
            reproducer="findings/chromium/imperative-execute-steps-12-3-timer/program",
            wrong="neither",
        ),
        Quirk(
            name="no-callbacks-of-gone-documents",
            step="imperative-execute-steps 11",
            verb="invoke",
            by=only_while_active,
            reason="A callback whose own document has gone is not called, and the execution fails; Web IDL has no such check,"
            " so that by the text the callback runs, and what it returns never comes back, because no promise job of a gone"
            " document runs. The caller is better off with the browser: the text looks wrong.",
            reproducer="findings/chromium/imperative-execute-steps-11-rejected-with-unknownerror/program",
            wrong="spec",
        ),
        Quirk(
            name="input-is-any",
            step="dom-modelcontext-executetool 10",
            call=True,
            by=input_is_any,
            reason="An input that is no object is refused when it is serialized, after the checks of the caller and of the"
            " origin, and so is undefined where options follow it, which by Web IDL is an input that is not given. The"
            " IDL that was published last says any instead of object: the browser looks out of date.",
            reproducer="programs/execution/undefined-input",
        ),
        Quirk(
            name="level-by-level",
            step="collect-registered-tools 3",
            algorithms=("collect-registered-tools", "notify-documents-of-a-tool-change"),
            verb="inclusive_descendant_navigables_of",
            by=level_by_level,
            reason="Frames are visited level by level and not in tree order, so that tools of one name, and events, come in"
            " another order. Tree order is what everything else on the platform uses: the browser looks wrong.",
            reproducer="programs/listing/depth-first",
        ),
        Quirk(
            name="descriptions-lose-surrogates",
            step="create-a-registered-tool 2",
            verb="RegisteredTool",
            by=description_without_surrogates,
            reason="A description with a lone surrogate is listed as the empty string, because it does not survive the way"
            " through the browser process. Either it should be refused, or be a USVString in the text: the text is asking"
            " for trouble, and the browser loses data.",
            reproducer="programs/conversions/lone-surrogates",
        ),
        Quirk(
            name="crash-when-taken",
            step="dom-modelcontext-registertool 22",
            before=True,
            by=crash_when_taken,
            reason="A schema whose toJSON registers the same name, or removes the document, crashes the renderer. A page"
            " must not be able to do that: the browser is wrong.",
            reproducer="programs/registration/reentrant",
        ),
        Quirk(
            name="crash-when-gone",
            step="unregister-a-tool 4",
            before=True,
            by=crash_when_gone,
            reason="Aborting the signal of a tool whose frame was removed crashes the renderer. A page must not be able to"
            " do that: the browser is wrong.",
            reproducer="programs/documents/abort-after-removal",
        ),
        Quirk(
            name="crash-after-failure",
            step="imperative-execute-steps 12.b.1",
            verb="invoke",
            by=crash_after_failure,
            reason="A callback of another document that throws, or rejects, crashes the renderer if the document of its tool"
            " was removed before. A page must not be able to do that: the browser is wrong.",
            reproducer="findings/chromium/crash-5/program",
        ),
        Quirk(
            name="gone-target-at-once",
            step="dom-modelcontext-executetool 19",
            before=True,
            by=target_that_has_gone,
            reason="A target that is in no frame any more is found out before anything runs in parallel, and rejects with"
            " InvalidStateError instead of UnknownError. The text leaves a caller with one name for every way to miss a"
            " tool; neither looks wrong, but they differ.",
            reproducer="programs/documents/target-removed-before",
        ),
        Quirk(
            name="sandboxed-src",
            step="dom-modelcontext-registertool 4",
            algorithms=(
                "dom-modelcontext-registertool",
                "dom-modelcontext-gettools",
                "dom-modelcontext-executetool",
                "notify-documents-of-a-tool-change",
                "collect-registered-tools",
            ),
            verb="is_allowed_to_use",
            by=allowed_in_a_sandbox,
            reason='A sandboxed frame with allow="tools" may use tools. By Permissions Policy its declared origin is a new'
            " opaque one, which is not that of the document in it, so nothing but tools * could allow it. What the browser"
            " does is more useful, and the same for every feature: the text there looks wrong.",
            reproducer="findings/chromium/modelcontext-registertool-4-fulfilled-with-undefined/program",
            wrong="spec",
        ),
        Quirk(
            name="file-urls-are-trustworthy",
            step="parse-a-list-of-origins 2.3",
            algorithms=("parse-a-list-of-origins", "dom-modelcontext-executetool"),
            verb="url_origin",
            by=origin_of_files_too,
            reason="All file URLs have one origin, which is trustworthy, so that one can stand in exposedTo. The URL"
            " Standard leaves the origin of a file URL open and recommends an opaque one, which is refused; neither is"
            " wrong, but the text should not depend on it.",
            reproducer="findings/chromium/modelcontext-registertool-15-2-fulfilled-with-undefined/program",
            wrong="spec",
        ),
        Quirk(
            name="only-object-schemas-are-listed",
            step="collect-registered-tools 3.4",
            verb="sorted",
            by=with_object_schemas,
            reason="A tool whose schema's JSON text is that of neither an object nor an array is stored, but missing from"
            " the list. The text is no better: it gives the member inputSchema, whose type is object, another value.",
            reproducer="programs/schema/to-json-number",
            wrong="spec",
        ),
        Quirk(
            name="registrations-arrive-late",
            step="dom-modelcontext-registertool 23",
            verb="notify_documents_of_a_tool_change",
            by=heard_and_told_apart,
            parts=(
                Quirk(name="unheard", step="dom-modelcontext-registertool 23", before=True, by=unheard),
                Quirk(name="lingering", step="unregister-a-tool 5", before=True, by=lingering),
                Quirk(
                    name="unheard-elsewhere",
                    step="collect-registered-tools 3.4",
                    algorithms=("collect-registered-tools", "find-a-tool-to-execute"),
                    verb="associated_model_context",
                    by=context_with_what_was_heard_of,
                ),
            ),
            reason="The browser process answers a registration at once and tells documents of it on its own: the promise can"
            " resolve before toolchange is fired, and another document can miss a tool that was registered before it asked for"
            " the list or for an execution, or still find in the list one that was unregistered before. Only the text's order"
            " lets a page rely on the event: the browser looks wrong.",
            reproducer="programs/events/own-change",
        ),
    ),
)
