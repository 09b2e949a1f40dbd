"""The words of the model's layer for events and abort signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.dispatching import dispatch_event
from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.dom.mutations import append, remove
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    JSArray,
    JSValue,
    Throw,
    type_error,
)
from modelcontext.platform.html.elements import HTMLElement, click
from tools.lab.javascript.layer import Layer, Scope, Term, say

# Events


def _add(layer: Layer, target: EventTarget, type: str, callback: Any, options: Any) -> None:
    flags = {} if options is UNDEFINED else options
    target.add_event_listener(type, callback, **flags)


@say("statement.events.listen")
def _listen(layer: Layer, scope: Scope, term: Term) -> None:
    _add(layer, *layer.each(scope, term.parts))


@say("statement.events.listen0")
def _listen0(layer: Layer, scope: Scope, term: Term) -> None:
    _add(layer, layer.t[0], "a", layer.f[0], UNDEFINED)


@say("statement.events.listen1")
def _listen1(layer: Layer, scope: Scope, term: Term) -> None:
    _add(layer, layer.t[1], "a", *layer.each(scope, term.parts))


@say("statement.aborts.listen")
def _listen_for_abort(layer: Layer, scope: Scope, term: Term) -> None:
    signal, callback, options = layer.each(scope, term.parts)
    _add(layer, signal, "abort", callback, options)


@say("statement.events.forget")
def _forget(layer: Layer, scope: Scope, term: Term) -> None:
    target, type, callback, options = layer.each(scope, term.parts)
    target.remove_event_listener(type, callback, **({} if options is UNDEFINED else options))


@say("statement.events.handler")
def _handler(layer: Layer, scope: Scope, term: Term) -> None:
    layer.t[1].set_event_handler("click", layer.evaluate(scope, term.parts[0]))


@say("statement.aborts.handler")
def _abort_handler(layer: Layer, scope: Scope, term: Term) -> None:
    signal, function = layer.each(scope, term.parts)
    signal.set_event_handler("abort", function)


@say("statement.events.dispatch")
def _dispatch(layer: Layer, scope: Scope, term: Term) -> None:
    target, event = layer.each(scope, term.parts)
    if not isinstance(event, Event):
        raise type_error("no event", layer.realm)
    layer.log(term.labels[0], dispatch_event(event, target))


@say("statement.events.dispatch2")
def _dispatch2(layer: Layer, scope: Scope, term: Term) -> None:
    event = Event(layer.realm, "a", bubbles=True, cancelable=True)
    layer.log(term.labels[0], dispatch_event(event, layer.t[2]))


@say("statement.aborts.dispatch")
def _dispatch3(layer: Layer, scope: Scope, term: Term) -> None:
    dispatch_event(Event(layer.realm, "a"), layer.t[3])


@say("event.plain", "event.bubbles", "event.click", "event.custom")
def _event(layer: Layer, scope: Scope, term: Term) -> Event:
    match term.tree.production.name:
        case "custom":
            detail = layer.evaluate(scope, term.parts[0])
            # An undefined member of a dictionary has its default value.
            attributes = {"detail": None if detail is UNDEFINED else detail}
            return Event(layer.realm, "a", "CustomEvent", attributes, bubbles=True)
        case "click":
            return Event(layer.realm, "click", bubbles=True)
    bubbles = term.tree.production.name == "bubbles"
    return Event(layer.realm, "a", bubbles=bubbles, cancelable=bubbles)


@say("statement.events.event")
def _keep_event(layer: Layer, scope: Scope, term: Term) -> None:
    layer.e = layer.evaluate(scope, term.parts[0])


@say("statement.events.click")
def _click(layer: Layer, scope: Scope, term: Term) -> None:
    element = layer.t[2]
    assert isinstance(element, HTMLElement)
    click(element)


_OPERATIONS: Final[dict[str, Callable[[Event], None]]] = {
    "events.stop": Event.stop_propagation,
    "events.bubble": Event.stop_propagation,
    "events.stopNow": Event.stop_immediate_propagation,
    "events.prevent": Event.set_the_canceled_flag,
    "events.returnValue": Event.set_the_canceled_flag,
    "events.initialize": lambda event: _initialize(event, "b", cancelable=True),
}


def _initialize(event: Event, type: str, *, cancelable: bool) -> None:
    if not event.dispatch_flag:
        event.initialize(type, bubbles=True, cancelable=cancelable)


@say(*(f"statement.{name}" for name in _OPERATIONS))
def _on_event(layer: Layer, scope: Scope, term: Term) -> None:
    if isinstance(scope.argument, Event):
        _OPERATIONS[term.tree.production.name](scope.argument)


@say("statement.events.initialize0")
def _initialize0(layer: Layer, scope: Scope, term: Term) -> None:
    event: JSValue = layer.e
    if not isinstance(event, Event):
        raise type_error("no event", layer.realm)
    _initialize(event, "a", cancelable=False)


@say("statement.events.path")
def _path(layer: Layer, scope: Scope, term: Term) -> None:
    value = scope.argument
    if isinstance(value, Event):
        value = JSArray(layer.realm, [struct.invocation_target for struct in value.path])
    layer.log(term.labels[0], value)


@say("statement.events.move", "statement.events.back", "statement.events.remove")
def _move(layer: Layer, scope: Scope, term: Term) -> None:
    outer, middle, inner = layer.t[:3]
    assert isinstance(outer, Element)
    assert isinstance(middle, Element)
    assert isinstance(inner, Element)
    name = term.tree.production.name
    if name != "events.remove":
        append(inner, outer if name == "events.move" else middle)
    elif inner.parent is not None:
        remove(inner)


# Aborting


@say("statement.aborts.abort0", "statement.aborts.abort1")
def _abort(layer: Layer, scope: Scope, term: Term) -> None:
    index = int(term.tree.production.name[-1])
    layer.c[index].signal.signal_abort(layer.evaluate(scope, term.parts[0]) if term.parts else UNDEFINED)


@say("statement.aborts.show")
def _show_signal(layer: Layer, scope: Scope, term: Term) -> None:
    layer.log(term.labels[0], layer.evaluate(scope, term.parts[0]))


@say("statement.aborts.state")
def _show_signals(layer: Layer, scope: Scope, term: Term) -> None:
    layer.log(term.labels[0], *(controller.signal for controller in layer.c), *layer.s)


@say("statement.aborts.check")
def _check(layer: Layer, scope: Scope, term: Term) -> None:
    signal: AbortSignal = layer.evaluate(scope, term.parts[0])
    if signal.aborted:
        raise Throw(signal.reason)


@say("signal.any")
def _any(layer: Layer, scope: Scope, term: Term) -> AbortSignal:
    return AbortSignal.any(layer.realm, layer.each(scope, term.parts[0]))


@say("signal.aborted")
def _aborted(layer: Layer, scope: Scope, term: Term) -> AbortSignal:
    return AbortSignal.aborted_with(layer.realm, layer.evaluate(scope, term.parts[0]))
