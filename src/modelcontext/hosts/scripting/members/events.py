"""Events, abort signals and message channels for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modelcontext.hosts.scripting.members.member_tables import (
    CONSTRUCTORS,
    GETTERS,
    OPERATIONS,
    STATICS,
    Getter,
    constructor,
    operation,
    setter,
    static,
)
from modelcontext.hosts.scripting.messages import BroadcastChannel, MessageChannel, MessagePort
from modelcontext.platform.dom import dispatching
from modelcontext.platform.dom.abort import AbortController, AbortSignal
from modelcontext.platform.dom.events import Event, EventTarget, event_attribute
from modelcontext.platform.ecmascript.values import JSValue, Throw
from modelcontext.platform.html.forms.submission import SubmitEvent
from modelcontext.platform.html.window import document_of
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.ecmascript.promise import Promise
    from modelcontext.platform.ecmascript.realm import Realm

# Events


@constructor("Event")
def new_event(parts: Parts, realm: Realm, type: str, init: dict[str, Any]) -> Event:
    """https://dom.spec.whatwg.org/#dom-event-event"""
    return Event(realm, type, bubbles=init["bubbles"], cancelable=init["cancelable"], composed=init["composed"])


@constructor("SubmitEvent")
def new_submit_event(parts: Parts, realm: Realm, type: str, init: dict[str, Any]) -> SubmitEvent:
    """https://html.spec.whatwg.org/#submitevent"""
    attributes = {"submitter": init["submitter"], "agentInvoked": init["agentInvoked"]}
    flags = {name: init[name] for name in ("bubbles", "cancelable", "composed")}
    return SubmitEvent(realm, type, "SubmitEvent", attributes, **flags)


@operation("SubmitEvent.respondWith")
def respond_with(parts: Parts, event: SubmitEvent, response: Promise) -> None:
    """https://webmachinelearning.github.io/webmcp/#dom-submitevent-respondwith"""
    parts.realms.revision.algorithm("dom-submitevent-respondwith")(event, response)


def _event_getter(name: str) -> Getter:
    return lambda parts, event: event_attribute(event, name)


_ATTRIBUTES = (
    *("type", "target", "currentTarget", "eventPhase", "bubbles"),
    *("cancelable", "defaultPrevented", "composed", "isTrusted"),
)
for _name in _ATTRIBUTES:
    GETTERS[f"Event.{_name}"] = _event_getter(_name)
GETTERS["Event.timeStamp"] = lambda parts, event: parts.timers.now
GETTERS["Event.cancelBubble"] = lambda parts, event: event.stop_propagation_flag
OPERATIONS["Event.stopPropagation"] = lambda parts, event: event.stop_propagation()
OPERATIONS["Event.stopImmediatePropagation"] = lambda parts, event: event.stop_immediate_propagation()
OPERATIONS["Event.preventDefault"] = lambda parts, event: event.set_the_canceled_flag()
OPERATIONS["Event.composedPath"] = lambda parts, event: [struct.invocation_target for struct in event.path]


@operation("Event.initEvent")
def init_event(parts: Parts, event: Event, type: str, bubbles: Any, cancelable: Any) -> None:
    """https://dom.spec.whatwg.org/#dom-event-initevent"""
    if not event.dispatch_flag:
        event.initialize(type, bubbles=bubbles is True, cancelable=cancelable is True)


CONSTRUCTORS["EventTarget"] = lambda parts, realm: EventTarget(realm)
OPERATIONS["EventTarget.fire"] = lambda parts, target, type, interface, attributes, bubbles, cancelable: (
    parts.realms.fire(target, type, interface, attributes, bubbles=bubbles, cancelable=cancelable)
)

OPERATIONS["EventTarget.dispatchEvent"] = lambda parts, target, event: dispatching.dispatch_event(event, target)


# Aborting

CONSTRUCTORS["AbortController"] = lambda parts, realm: AbortController(realm)
GETTERS["AbortController.signal"] = lambda parts, controller: controller.signal
GETTERS["AbortSignal.aborted"] = lambda parts, signal: signal.aborted
GETTERS["AbortSignal.reason"] = lambda parts, signal: signal.reason


@operation("AbortController.abort")
def abort(parts: Parts, controller: AbortController, reason: JSValue) -> None:
    """https://dom.spec.whatwg.org/#dom-abortcontroller-abort"""
    document_of(controller.realm).event_loop.note_effect()
    controller.signal.signal_abort(reason)


@operation("AbortSignal.throwIfAborted")
def throw_if_aborted(parts: Parts, signal: AbortSignal) -> None:
    """https://dom.spec.whatwg.org/#dom-abortsignal-throwifaborted"""
    if signal.aborted:
        raise Throw(signal.reason)


STATICS["AbortSignal.abort"] = lambda parts, realm, reason: AbortSignal.aborted_with(realm, reason)
STATICS["AbortSignal.any"] = lambda parts, realm, signals: AbortSignal.any(realm, signals)


@static("AbortSignal.timeout")
def signal_timeout(parts: Parts, realm: Realm, milliseconds: int) -> AbortSignal:
    """https://dom.spec.whatwg.org/#dom-abortsignal-timeout"""
    signal = AbortSignal(realm)
    reason = DOMException("TimeoutError", "the time is over", realm)
    parts.timers.set(document_of(realm), lambda: signal.signal_abort(reason), milliseconds)
    return signal


# Messages

CONSTRUCTORS["MessageChannel"] = lambda parts, realm: MessageChannel(realm)
GETTERS["MessageChannel.port1"] = lambda parts, channel: channel.port1
GETTERS["MessageChannel.port2"] = lambda parts, channel: channel.port2


@constructor("BroadcastChannel")
def new_broadcast_channel(parts: Parts, realm: Realm, name: str) -> BroadcastChannel:
    """https://html.spec.whatwg.org/#dom-broadcastchannel"""
    channel = BroadcastChannel(realm, name)
    parts.messages.channels.append(channel)
    return channel


GETTERS["BroadcastChannel.name"] = lambda parts, channel: channel.name


@operation("BroadcastChannel.close")
def close_channel(parts: Parts, channel: BroadcastChannel) -> None:
    """https://html.spec.whatwg.org/#dom-broadcastchannel-close"""
    channel.is_closed = True
    parts.messages.channels = [one for one in parts.messages.channels if one is not channel]


OPERATIONS["MessagePort.start"] = lambda parts, port: parts.messages.start(port)


@operation("MessagePort.close")
def close_port(parts: Parts, port: MessagePort) -> None:
    """https://html.spec.whatwg.org/#dom-messageport-close"""
    if port.entangled is not None:
        port.entangled.entangled = None
    port.entangled, port.is_detached = None, True


@setter("MessagePort.onmessage")
def set_onmessage(parts: Parts, port: MessagePort, value: Any) -> None:
    """https://html.spec.whatwg.org/#handler-messageport-onmessage"""
    port.set_event_handler("message", value)
    parts.messages.start(port)
