"""Dispatching events along their paths (https://dom.spec.whatwg.org/#dispatching-events).

Left out: related targets and touch targets, which no event here has, and the closed trees of ``composedPath()``.
"""

from __future__ import annotations

from modelcontext.platform.dom.events import Event, EventPhase, EventTarget, PathStruct
from modelcontext.platform.dom.nodes import Node, ShadowRoot
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.webidl.dom_exception import DOMException


def fire_an_event(event: Event, target: EventTarget) -> bool:
    """https://dom.spec.whatwg.org/#concept-event-fire"""
    event.is_trusted = True
    return dispatch(event, target)


def dispatch_event(event: Event, target: EventTarget) -> bool:
    """https://dom.spec.whatwg.org/#dom-eventtarget-dispatchevent

    Raises:
        Throw: an InvalidStateError if the event is being dispatched.
    """
    if event.dispatch_flag:
        raise Throw(DOMException("InvalidStateError", "the event is being dispatched", target.realm))
    event.is_trusted = False
    return dispatch(event, target)


def dispatch(event: Event, target: EventTarget) -> bool:
    """https://dom.spec.whatwg.org/#concept-event-dispatch"""
    event.dispatch_flag = True
    activation_target = _make_the_path(event, target)
    last_target = next(struct for struct in reversed(event.path) if struct.shadow_adjusted_target is not None)
    clear_targets = _is_in_a_shadow_tree(last_target.shadow_adjusted_target)
    if activation_target is not None:
        activation_target.legacy_pre_activation_behavior()
    for index in reversed(range(len(event.path))):
        at_target = event.path[index].shadow_adjusted_target is not None
        event.event_phase = EventPhase.AT_TARGET if at_target else EventPhase.CAPTURING_PHASE
        _invoke(event, index, capture=True)
    for index, struct in enumerate(event.path):
        if struct.shadow_adjusted_target is None and not event.bubbles:
            continue
        at_target = struct.shadow_adjusted_target is not None
        event.event_phase = EventPhase.AT_TARGET if at_target else EventPhase.BUBBLING_PHASE
        _invoke(event, index, capture=False)
    event.event_phase = EventPhase.NONE
    event.current_target = None
    event.path = []
    event.dispatch_flag = event.stop_propagation_flag = event.stop_immediate_propagation_flag = False
    if clear_targets:
        event.target = None
    if activation_target is not None:
        if not event.canceled_flag:
            activation_target.activation_behavior(event)
        else:
            activation_target.legacy_canceled_activation_behavior()
    return not event.canceled_flag


def _make_the_path(event: Event, target: EventTarget) -> EventTarget | None:
    """Append the structs to an event's path, and return the activation target."""
    is_activation_event = (event.event_interface, event.type) == ("PointerEvent", "click")
    activation_target = target if is_activation_event and target.has_activation_behavior else None
    event.path = [PathStruct(target, target)]
    parent = target.get_the_parent(event)
    while parent is not None:
        is_within = not isinstance(parent, Node) or (
            isinstance(target, Node) and target.root.is_shadow_including_inclusive_ancestor_of(parent)
        )
        if not is_within:
            target = parent
        can_activate = is_activation_event and (event.bubbles or not is_within)
        if can_activate and activation_target is None and parent.has_activation_behavior:
            activation_target = parent
        event.path.append(PathStruct(parent, None if is_within else parent))
        parent = parent.get_the_parent(event)
    return activation_target


def _invoke(event: Event, index: int, *, capture: bool) -> None:
    """https://dom.spec.whatwg.org/#concept-event-listener-invoke"""
    event.target = next(
        struct.shadow_adjusted_target
        for struct in reversed(event.path[: index + 1])
        if struct.shadow_adjusted_target is not None
    )
    if event.stop_propagation_flag:
        return
    event.current_target = event.path[index].invocation_target
    event.current_target.invoke(event, capture=capture)


def _is_in_a_shadow_tree(target: EventTarget | None) -> bool:
    return isinstance(target, Node) and isinstance(target.root, ShadowRoot)
