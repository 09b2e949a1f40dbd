"""Events and event targets (https://dom.spec.whatwg.org/#events) outside of trees: each path has one target."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from modelcontext.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue, Throw, call
from modelcontext.schedule import footprint
from modelcontext.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.ecmascript.realm import Realm

_LISTENERS: Final = footprint.Kind("listeners of EventTarget", structure=True)


@dataclass(slots=True, kw_only=True)
class EventInit:
    """The dictionary EventInit (https://dom.spec.whatwg.org/#dictdef-eventinit)."""

    bubbles: bool = False
    cancelable: bool = False
    composed: bool = False


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
    fired_by: object = field(default=None, init=False)

    def __post_init__(self) -> None:
        PlatformObject.__init__(self, self.realm)


@dataclass(eq=False, slots=True)
class Listener:
    """An event listener: a function, or the activated handler of an ``on…`` attribute."""

    type: str
    callback: JSObject | None
    once: bool = False
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

    def add_event_listener(self, type_: str, callback: JSFunction, *, once: bool = False) -> None:
        """https://dom.spec.whatwg.org/#add-an-event-listener"""
        self._listeners_change()
        if not any(
            known.type == type_ and known.callback is callback and not known.is_handler for known in self._listeners
        ):
            self._listeners.append(Listener(type_, callback, once=once))

    def remove_event_listener(self, type_: str, callback: JSFunction) -> None:
        """https://dom.spec.whatwg.org/#remove-an-event-listener"""
        self._listeners_change()
        for listener in self._listeners:
            if listener.type == type_ and listener.callback is callback and not listener.is_handler:
                listener.removed = True
                self._listeners.remove(listener)
                return

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

    def dispatch(self, event: Event) -> None:
        """https://dom.spec.whatwg.org/#concept-event-dispatch"""
        event.target = self
        for listener in list(self._listeners):
            if listener.removed or listener.type != event.type:
                continue
            if listener.once:
                listener.removed = True
                self._listeners.remove(listener)
                self._listeners_change()
            _inner_invoke(listener, event, self)


def fire_an_event(event: Event, target: EventTarget) -> None:
    """https://dom.spec.whatwg.org/#concept-event-fire"""
    event.is_trusted = True
    target.dispatch(event)


def _inner_invoke(listener: Listener, event: Event, target: EventTarget) -> None:
    """https://dom.spec.whatwg.org/#concept-event-listener-inner-invoke"""
    callback = listener.callback
    if not isinstance(callback, JSFunction):
        return  # An event handler may be any object; if it is not callable, it does nothing.
    realm = callback.realm
    assert realm is not None

    def run() -> None:
        try:
            call(callback, target, [event])
        except Throw as throw:
            realm.agent.report_an_exception(realm, throw.value)

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
        "defaultPrevented": False,
    }
    return event.attributes.get(name, own.get(name, UNDEFINED))
