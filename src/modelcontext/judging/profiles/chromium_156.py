"""Deviations of Chromium 156 that no text can say: its processes, bindings, and what it observes.

A function that replaces another one has that as its first parameter, ``go_on``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from modelcontext.platform.ecmascript.promise import Promise, PromiseObject
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue, call
from modelcontext.platform.html.permissions_policy import parse_container_policy
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.platform.webidl.types import CallbackFunction
from modelcontext.spec.revisions.current.model import associated_model_context, state_of
from modelcontext.spec.verbs import in_parallel, is_object
from modelcontext.spec.verbs.form_verbs import (
    attribute_value,
    has_attribute,
    is_disabled,
    is_element,
    labels_of,
    listed_elements,
    type_state,
)
from modelcontext.spec.weaving.relinking import InsteadOf

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.permissions_policy import PolicyControlledFeature
    from modelcontext.platform.html.window import Window
    from modelcontext.platform.webidl.boundary import AroundCall, Call
    from modelcontext.platform.webidl.platform_object import PlatformObject
    from modelcontext.spec.revisions.current.model import FormTool, ModelContext

Invoke: TypeAlias = Callable[[CallbackFunction, list[object], JSValue], PromiseObject]


def own_promise(go_on: Invoke, callback: CallbackFunction, arguments: list[object], this: JSValue) -> PromiseObject:
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


def input_is_any(go_on: Call, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
    """Accept any input, as the published IDL does; one that is not an object fails when it is serialized."""
    is_given = len(arguments) > 2 or (len(arguments) > 1 and arguments[1] is not UNDEFINED)
    if name == "executeTool" and is_given and not is_object(arguments[1]):
        assert this.realm is not None
        # JSON.stringify returns undefined for this object.
        to_json = JSFunction(this.realm, lambda this, arguments: UNDEFINED, "toJSON")
        return go_on(this, name, [arguments[0], JSObject(this.realm, {"toJSON": to_json}), *arguments[2:]])
    return go_on(this, name, arguments)


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
    is_listed = allowlist is not None and allowlist.matches(document.origin)
    return is_listed and allowed_in_a_sandbox(go_on, container.document, feature)


# The prefix for a tool that the browser process does not know yet; no name begins with it.
_UNHEARD: Final = "\0"
# The prefix for a removed tool that the browser process still knows.
_LINGERING: Final = "\1"


def unheard(go_on: Callable[[object], None], steps: object, *, tool_map: OrderedMap[str, Any], tool_name: str) -> None:
    """Mark a new tool, which exists in its document before the browser process knows it."""
    tool_map.set(_UNHEARD + tool_name, tool_map[tool_name])
    go_on(steps)


def lingering(
    go_on: Callable[[Window], Document], global_: Window, *, tool_map: OrderedMap[str, Any], name: str
) -> Document:
    """Keep a tool that is being removed, which is gone in its document before the browser process knows it."""
    tool_map.set(_LINGERING + name, tool_map[name])

    @in_parallel
    def hear() -> ParallelSteps:
        yield
        if tool_map.exists(_LINGERING + name):
            tool_map.remove(_LINGERING + name)

    return go_on(global_)


def heard_and_told_apart(
    go_on: Callable[..., ParallelSteps], tool_owner: Document, exposed_origins: list[Origin]
) -> ParallelSteps:
    """Tell the browser process of the oldest registration, and notify documents before its answer or meanwhile."""
    tool_map = associated_model_context(tool_owner).internal_context.tool_map
    yield
    first = next((name for name, _ in tool_map.items() if name.startswith(_UNHEARD)), None)
    if first is not None:
        tool_map.remove(first)
    if tool_owner.event_loop.user_agent.choose("whether the answer waits", 2) == 0:
        yield from go_on(tool_owner, exposed_origins)
    else:
        in_parallel(lambda: go_on(tool_owner, exposed_origins))


def context_with_what_was_heard_of(go_on: Callable[[Document], ModelContext], document: Document) -> Any:
    """Return the ModelContext of a document as the browser process knows it."""
    tool_map = go_on(document).internal_context.tool_map
    known: OrderedMap[str, Any] = OrderedMap()
    for key, tool in tool_map.items():
        name = key.removeprefix(_LINGERING)
        if not key.startswith(_UNHEARD) and not tool_map.exists(_UNHEARD + name):
            known.set(name, tool)
    return SimpleNamespace(internal_context=SimpleNamespace(tool_map=known))


_WATCHED: Final = "what Chromium watches"
_WATCHED_ATTRIBUTES: Final = (
    *("name", "type", "required", "pattern", "min", "max", "step", "disabled", "readonly"),
    *("toolparamdescription", "aria-description", "id"),
)
_FORM_ATTRIBUTES: Final = ("toolname", "tooldescription", "tooltitle", "toolautosubmit")


def unless_watched_things_stay(go_on: Callable[[HTMLFormElement], FormTool], form: HTMLFormElement) -> FormTool:
    """Return the tool of a form as it is, if nothing has changed that Chromium watches since the last update."""
    state = state_of(form)
    if state.tool is not None and state.updating_document is None and form.extensions.get(_WATCHED) == _watched(form):
        return state.tool
    return go_on(form)


def remembering_what_is_watched(go_on: Callable[[HTMLFormElement], FormTool], form: HTMLFormElement) -> FormTool:
    """Create the tool of a form, and remember what Chromium watches as of this update."""
    form.extensions[_WATCHED] = _watched(form)
    return go_on(form)


def _watched(form: HTMLFormElement) -> tuple[object, ...]:
    watched = _attributes(form, _FORM_ATTRIBUTES)
    for element in listed_elements(form):
        is_box = is_element(element, "input") and type_state(element) in ("checkbox", "radio")
        watched += [element.local_name, is_disabled(element)]
        watched += _attributes(element, (*_WATCHED_ATTRIBUTES, *(("value",) if is_box else ())))
        if element.local_name not in ("fieldset", "output"):
            watched.append(len(labels_of(element)))
    return tuple(watched)


def _attributes(element: Element, names: tuple[str, ...]) -> list[object]:
    return [attribute_value(element, name) if has_attribute(element, name) else None for name in names]


#: The changes that no patch of the text says, by the name of the quirk.
CHANGES: Final[dict[str, tuple[InsteadOf | AroundCall, ...]]] = {
    "promises-as-they-are": (InsteadOf("invoke", own_promise),),
    "input-is-any": (input_is_any,),
    "sandboxed-src": (InsteadOf("is_allowed_to_use", allowed_in_a_sandbox),),
    "registrations-arrive-late": (
        InsteadOf("notify_documents_of_a_tool_change", heard_and_told_apart, ("dom-modelcontext-registertool",)),
        InsteadOf("in_parallel", unheard, ("dom-modelcontext-registertool",), ("tool_map", "tool_name")),
        InsteadOf("associated_document", lingering, ("unregister-a-tool",), ("tool_map", "name")),
        InsteadOf(
            "associated_model_context",
            context_with_what_was_heard_of,
            ("collect-registered-tools", "find-a-tool-to-execute"),
        ),
    ),
    "form-stale-schemas": (
        InsteadOf("create_a_form_tool", unless_watched_things_stay, ("schedule-a-tool-update",)),
        InsteadOf("create_a_form_tool", remembering_what_is_watched, ("update-the-tool-of-a-form",)),
    ),
}
