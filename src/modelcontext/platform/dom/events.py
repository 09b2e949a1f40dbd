"""Events and event targets (https://dom.spec.whatwg.org/#events)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, Final

from modelcontext.ground.schedule import footprint
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue, Throw, call
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm

_LISTENERS: Final = footprint.Kind("listeners of EventTarget", structure=True)


@dataclass(slots=True, kw_only=True)
class EventInit:
    """The dictionary EventInit (https://dom.spec.whatwg.org/#dictdef-eventinit)."""

    bubbles: bool = False
    cancelable: bool = False
    composed: bool = False


class EventPhase(IntEnum):
    """The phase that an event is in (https://dom.spec.whatwg.org/#dom-event-eventphase)."""

    NONE = 0
    CAPTURING_PHASE = 1
    AT_TARGET = 2
    BUBBLING_PHASE = 3


@dataclass(eq=False, slots=True)
class PathStruct:
    """A struct of an event's path, as far as trees need it (https://dom.spec.whatwg.org/#event-path)."""

    invocation_target: EventTarget
    shadow_adjusted_target: EventTarget | None


@dataclass(eq=False, repr=False, slots=True)
class Event(PlatformObject):
    """An event; ``fired_by`` is for people: the step that fired it, if the run records steps."""

    interface: ClassVar[str] = "Event"

    realm: Realm
    type: str
    event_interface: str = "Event"
    attributes: dict[str, JSValue] = field(default_factory=dict)
    _: KW_ONLY
    bubbles: bool = False
    cancelable: bool = False
    composed: bool = False
    is_trusted: bool = field(default=False, init=False)
    target: EventTarget | None = field(default=None, init=False)
    current_target: EventTarget | None = field(default=None, init=False)
    event_phase: EventPhase = field(default=EventPhase.NONE, init=False)
    path: list[PathStruct] = field(default_factory=list, init=False)
    dispatch_flag: bool = field(default=False, init=False)
    stop_propagation_flag: bool = field(default=False, init=False)
    stop_immediate_propagation_flag: bool = field(default=False, init=False)
    canceled_flag: bool = field(default=False, init=False)
    in_passive_listener_flag: bool = field(default=False, init=False)
    fired_by: object = field(default=None, init=False)

    def __post_init__(self) -> None:
        PlatformObject.__init__(self, self.realm)

    def initialize(self, type_: str, *, bubbles: bool, cancelable: bool) -> None:
        """https://dom.spec.whatwg.org/#concept-event-initialize"""
        self.stop_propagation_flag = self.stop_immediate_propagation_flag = self.canceled_flag = False
        self.is_trusted = False
        self.target = None
        self.type, self.bubbles, self.cancelable = type_, bubbles, cancelable

    def stop_propagation(self) -> None:
        """https://dom.spec.whatwg.org/#dom-event-stoppropagation"""
        self.stop_propagation_flag = True

    def stop_immediate_propagation(self) -> None:
        """https://dom.spec.whatwg.org/#dom-event-stopimmediatepropagation"""
        self.stop_propagation_flag = True
        self.stop_immediate_propagation_flag = True

    def set_the_canceled_flag(self) -> None:
        """https://dom.spec.whatwg.org/#set-the-canceled-flag"""
        if self.cancelable and not self.in_passive_listener_flag:
            self.canceled_flag = True


@dataclass(eq=False, slots=True)
class Listener:
    """An event listener: a function, or the activated handler of an ``on…`` attribute."""

    type: str
    callback: JSObject | None
    once: bool = False
    capture: bool = False
    passive: bool = False
    is_handler: bool = False
    removed: bool = False


class EventTarget(PlatformObject):
    """An event target with listeners and event handler IDL attributes.

    ``kind_of_listeners`` is the kind of footprint that its listeners leave; each interface has its own.
    """

    __slots__ = ("_handlers", "_listeners", "_name")

    interface: ClassVar[str] = "EventTarget"
    kind_of_listeners: ClassVar[footprint.Kind] = _LISTENERS
    realm: Realm

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self._name = footprint.new_name()
        self._listeners: list[Listener] = []
        self._handlers: dict[str, Listener] = {}

    def add_event_listener(
        self, type_: str, callback: JSFunction, *, once: bool = False, capture: bool = False, passive: bool = False
    ) -> None:
        """https://dom.spec.whatwg.org/#add-an-event-listener"""
        self._listeners_change()
        if self._find(type_, callback, capture) is None:
            self._listeners.append(Listener(type_, callback, once=once, capture=capture, passive=passive))

    def erase_all_event_listeners(self) -> None:
        """https://html.spec.whatwg.org/#erase-all-event-listeners-and-handlers"""
        self._listeners_change()
        for listener in self._listeners:
            listener.removed = True
        self._listeners.clear()
        self._handlers.clear()

    def remove_event_listener(self, type_: str, callback: JSFunction, *, capture: bool = False) -> None:
        """https://dom.spec.whatwg.org/#remove-an-event-listener"""
        self._listeners_change()
        listener = self._find(type_, callback, capture)
        if listener is not None:
            listener.removed = True
            self._listeners.remove(listener)

    def _find(self, type_: str, callback: JSFunction, capture: bool) -> Listener | None:
        for listener in self._listeners:
            same = listener.type == type_ and listener.callback is callback and listener.capture is capture
            if same and not listener.is_handler:
                return listener
        return None

    def set_event_handler(self, type_: str, callback: JSObject | None) -> None:
        """Set an event handler IDL attribute; it keeps the place of its first function among the listeners."""
        self._listeners_change()
        handler = self._handlers.get(type_)
        if callback is None:
            if handler is not None:
                handler.removed = True
                self._listeners.remove(handler)
                del self._handlers[type_]
        elif handler is None:
            handler = self._handlers[type_] = Listener(type_, callback, is_handler=True)
            self._listeners.append(handler)
        else:
            handler.callback = callback

    def get_event_handler(self, type_: str) -> JSObject | None:
        """Return the value of an event handler IDL attribute."""
        handler = self._handlers.get(type_)
        return handler.callback if handler is not None else None

    def _listeners_change(self) -> None:
        footprint.write(self.kind_of_listeners, self._name)

    def has_listeners(self, type_: str) -> bool:
        """Return whether there is a listener for events of a type."""
        footprint.read(self.kind_of_listeners, self._name)
        return any(listener.type == type_ for listener in self._listeners)

    def invoke(self, event: Event, *, capture: bool) -> None:
        """https://dom.spec.whatwg.org/#concept-event-listener-inner-invoke"""
        for listener in list(self._listeners):
            if listener.removed or listener.type != event.type or listener.capture is not capture:
                continue
            if listener.once:
                listener.removed = True
                self._listeners.remove(listener)
                self._listeners_change()
            _call_a_listener(listener, event, self)
            if event.stop_immediate_propagation_flag:
                return

    def get_the_parent(self, event: Event) -> EventTarget | None:
        """https://dom.spec.whatwg.org/#get-the-parent"""
        return None

    @property
    def has_activation_behavior(self) -> bool:
        """True if clicks have an effect of their own (https://dom.spec.whatwg.org/#eventtarget-activation-behavior)."""
        return False

    def activation_behavior(self, event: Event) -> None:
        """https://dom.spec.whatwg.org/#eventtarget-activation-behavior"""

    def legacy_pre_activation_behavior(self) -> None:
        """https://dom.spec.whatwg.org/#eventtarget-legacy-pre-activation-behavior"""

    def legacy_canceled_activation_behavior(self) -> None:
        """https://dom.spec.whatwg.org/#eventtarget-legacy-canceled-activation-behavior"""


def _call_a_listener(listener: Listener, event: Event, target: EventTarget) -> None:
    callback = listener.callback
    if not isinstance(callback, JSFunction):
        return  # An event handler may be any object; if it is not callable, it does nothing.
    realm = callback.realm
    assert realm is not None

    def run() -> None:
        event.in_passive_listener_flag = listener.passive
        try:
            returned = call(callback, target, [event])
        except Throw as throw:
            realm.agent.report_an_exception(realm, throw.value)
            return
        finally:
            event.in_passive_listener_flag = False
        if listener.is_handler and returned is False:
            event.set_the_canceled_flag()

    realm.agent.run_script(realm, run)


def event_attribute(event: Event, name: str) -> JSValue:
    """Read an attribute of an event, as script does."""
    own: dict[str, JSValue] = {
        "type": event.type,
        "bubbles": event.bubbles,
        "cancelable": event.cancelable,
        "composed": event.composed,
        "isTrusted": event.is_trusted,
        "target": event.target,
        "currentTarget": event.current_target,
        "eventPhase": event.event_phase.value,
        "defaultPrevented": event.canceled_flag,
    }
    return event.attributes.get(name, own.get(name, UNDEFINED))
