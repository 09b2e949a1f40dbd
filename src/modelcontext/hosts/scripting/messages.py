"""Messages between windows and through channels (https://html.spec.whatwg.org/#web-messaging)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from modelcontext.hosts.scripting.recorded import recorded
from modelcontext.platform.dom.events import EventTarget
from modelcontext.platform.ecmascript.values import JSObject, Throw
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, POSTED_MESSAGE_TASK_SOURCE
from modelcontext.platform.html.origin import same_origin, serialization
from modelcontext.platform.html.url import url_origin, url_parser
from modelcontext.platform.html.window import document_of
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.realms import Realms
    from modelcontext.platform.ecmascript.realm import Realm


class MessagePort(EventTarget):
    """A port (https://html.spec.whatwg.org/#message-ports)."""

    __slots__ = ("entangled", "is_detached", "is_enabled", "waiting")

    interface: ClassVar[str] = "MessagePort"

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.entangled: MessagePort | None = None
        self.is_detached = False
        self.is_enabled = False
        #: The messages that have come before the port was enabled: numbers of clones, with ports.
        self.waiting: list[tuple[int, list[MessagePort]]] = []


class MessageChannel(PlatformObject):
    """A channel (https://html.spec.whatwg.org/#message-channels)."""

    __slots__ = ("port1", "port2")

    interface: ClassVar[str] = "MessageChannel"

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.port1, self.port2 = MessagePort(realm), MessagePort(realm)
        self.port1.entangled, self.port2.entangled = self.port2, self.port1


class BroadcastChannel(EventTarget):
    """A channel to all others with its name (https://html.spec.whatwg.org/#broadcasting-to-other-browsing-contexts)."""

    __slots__ = ("is_closed", "name")

    interface: ClassVar[str] = "BroadcastChannel"

    def __init__(self, realm: Realm, name: str) -> None:
        super().__init__(realm)
        self.name = name
        self.is_closed = False

    @property
    def is_eligible_for_messaging(self) -> bool:
        """https://html.spec.whatwg.org/#eligible-for-messaging"""
        return document_of(self.realm).is_fully_active


class Messages:
    """The messages of one realms; ``channels`` are the broadcast channels, in order of creation."""

    def __init__(self, realms: Realms) -> None:
        self._realms = realms
        self.channels: list[BroadcastChannel] = []

    @recorded()
    def post_to_window(self, realm: int, navigable: int, target_origin: str, clone: int, ports: Any) -> None:
        """https://html.spec.whatwg.org/#window-post-message-steps"""
        realms = self._realms
        source = realms.documents[realm]
        wanted = None
        if target_origin == "/":
            wanted = source.origin
        elif target_origin != "*":
            parsed = url_parser(target_origin)
            if parsed is None:
                raise Throw(DOMException("SyntaxError", f"{target_origin} is not an origin", source.realm))
            wanted = url_origin(parsed)
        transferred = self._take(realms.border.decode(ports))
        target = realms.border.navigable_of(navigable).active_document
        if target is None:
            return
        document = target

        def deliver() -> None:
            if wanted is not None and not same_origin(wanted, document.origin):
                return
            self._fire(
                realms.target_of(document), clone, transferred, serialization(source.origin), source.window.proxy
            )

        document.event_loop.queue_a_task(POSTED_MESSAGE_TASK_SOURCE, document, deliver)

    def post_to_port(self, id: int, clone: int, ports: Any) -> None:
        """https://html.spec.whatwg.org/#message-port-post-message-steps"""
        port = self._realms.border.object_of(id)
        assert isinstance(port, MessagePort)
        transferred = self._take(self._realms.border.decode(ports))
        target = port.entangled
        if target is None or port.is_detached:
            return
        if target.is_enabled:
            self._queue(target, clone, transferred)
        else:
            target.waiting.append((clone, transferred))

    def move_ports(self, realm: int, ports: Any) -> Any:
        """Return what stands for ports in a realm from now on; the ports themselves are detached."""
        moved = self._take(self._realms.border.decode(ports))
        for port in moved:
            port.realm = self._realms.documents[realm].realm
        return self._realms.border.encode(moved)

    def start(self, port: MessagePort) -> None:
        """https://html.spec.whatwg.org/#dom-messageport-start"""
        if port.is_enabled:
            return
        port.is_enabled = True
        for clone, ports in port.waiting:
            self._queue(port, clone, ports)
        port.waiting.clear()

    def post_to_channel(self, id: int, clone: int) -> None:
        """https://html.spec.whatwg.org/#dom-broadcastchannel-postmessage"""
        source = self._realms.border.object_of(id)
        assert isinstance(source, BroadcastChannel)
        # "If this is not eligible for messaging, then return."
        if not source.is_eligible_for_messaging:
            return
        # "If this's closed flag is true, then throw an "InvalidStateError" DOMException."
        if source.is_closed:
            raise Throw(DOMException("InvalidStateError", "the channel is closed", source.realm))
        origin = document_of(source.realm).origin
        for channel in self.channels:
            document = document_of(channel.realm)
            is_other = channel is not source and channel.name == source.name
            if is_other and channel.is_eligible_for_messaging and same_origin(document.origin, origin):
                steps = partial(self._deliver, channel, clone, serialization(origin))
                document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, document, steps)

    def _deliver(self, channel: BroadcastChannel, clone: int, origin: str) -> None:
        if not channel.is_closed:
            self._fire(channel, clone, [], origin, None)

    def _queue(self, port: MessagePort, clone: int, ports: list[MessagePort]) -> None:
        document = document_of(port.realm)

        def deliver() -> None:
            # A port that has moved on takes its messages with it.
            if not port.is_detached:
                self._fire(port, clone, ports, "", None)

        document.event_loop.queue_a_task(POSTED_MESSAGE_TASK_SOURCE, document, deliver)

    def _take(self, ports: list[MessagePort]) -> list[MessagePort]:
        """Detach ports; return what stands for them until they have a new realm."""
        taken = []
        for port in ports:
            if port.is_detached:
                raise Throw(DOMException("DataCloneError", "the port has moved already", port.realm))
            moved = MessagePort(port.realm)
            moved.entangled, moved.waiting = port.entangled, port.waiting
            if port.entangled is not None:
                port.entangled.entangled = moved
            port.is_detached, port.entangled = True, None
            taken.append(moved)
        return taken

    def _fire(
        self, target: EventTarget, clone: int, ports: list[MessagePort], origin: str, source: JSObject | None
    ) -> None:
        realms = self._realms
        for port in ports:
            port.realm = target.realm
        data, list_of_ports = realms.call(target.realm, "deserialize", clone, realms.border.encode(ports))
        attributes = {
            "data": realms.border.decode(data),
            "origin": origin,
            "lastEventId": "",
            "source": source,
            "ports": realms.border.decode(list_of_ports),
        }
        realms.fire(target, "message", "MessageEvent", attributes)
