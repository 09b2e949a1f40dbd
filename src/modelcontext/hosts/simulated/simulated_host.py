"""The simulated host, which performs the verbs in the deterministic world of :mod:`modelcontext.platform.html`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from modelcontext.hosts.simulated.simulated_forms import SimulatedForms
from modelcontext.platform.dom import dispatching, events
from modelcontext.platform.dom.abort import AbortController, AbortSignal
from modelcontext.platform.ecmascript import json as javascript_json
from modelcontext.platform.ecmascript.promise import Promise, PromiseObject
from modelcontext.platform.ecmascript.values import UNDEFINED, JSObject, JSValue, Throw, call, type_error
from modelcontext.platform.html import navigable as navigables
from modelcontext.platform.html import permissions_policy
from modelcontext.platform.html.window import document_of
from modelcontext.platform.infra.errors import spec_assert
from modelcontext.platform.infra.random_uuid import RandomUUID
from modelcontext.platform.webidl.boundary import Boundary, exception_in_realm

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.event_loop import EventLoop, TaskSource
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.permissions_policy import PolicyControlledFeature
    from modelcontext.platform.html.user_agent import UserAgent
    from modelcontext.platform.html.window import Window
    from modelcontext.platform.webidl.types import CallbackFunction
    from modelcontext.spec.verbs.form_verbs import FormHost


class SimulatedHost:
    """The host of one user agent.

    ``watch`` is called for everything that scripts could see: ``"event"`` with its type, ``"invoke"`` with the input,
    ``"resolve"`` with the value, ``"reject"`` with the reason, each with the document it happens in.
    """

    def __init__(self, user_agent: UserAgent, boundary: Boundary) -> None:
        self.user_agent = user_agent
        self.boundary = boundary
        self.forms: FormHost = SimulatedForms()
        self.watch: Callable[[str, Document, JSValue], None] | None = None

    def _where(self) -> object:
        locate = self.user_agent.locate
        return locate() if locate is not None else None

    def _assert_on_event_loop_of(self, realm: Realm) -> EventLoop:
        event_loop = document_of(realm).event_loop
        spec_assert(
            self.user_agent.current_event_loop is event_loop,
            "a promise is settled and an event is fired on the event loop of its realm, never in parallel",
        )
        return event_loop

    def in_parallel(self, steps: ParallelSteps) -> None:
        self.user_agent.in_parallel(steps)

    def associated_document(self, global_: Window) -> Document:
        return global_.associated_document

    def document_id(self, document: Document) -> int:
        return document.unique_id

    def is_fully_active(self, document: Document) -> bool:
        return document.is_fully_active

    def is_secure_context(self, realm: Realm) -> bool:
        return document_of(realm).is_secure_context

    def is_allowed_to_use(self, document: Document, feature: PolicyControlledFeature) -> bool:
        return permissions_policy.is_allowed_to_use(document, feature)

    def node_navigable(self, document: Document) -> Navigable | None:
        return document.node_navigable

    def top_level_traversable(self, navigable: Navigable) -> Navigable:
        return navigable.traversable_navigable

    def active_document(self, navigable: Navigable) -> Document | None:
        return navigable.active_document

    def inclusive_descendant_navigables(self, document: Document) -> list[Navigable]:
        return navigables.inclusive_descendant_navigables(document)

    def a_new_unique_internal_value(self) -> int:
        return self.user_agent.unique_id()

    def generate_a_random_uuid(self) -> str:
        return RandomUUID.numbered(self.user_agent.next_random_number())

    def a_new_promise(self, realm: Realm) -> Promise:
        return Promise(realm)

    def a_promise_rejected_with(self, reason: JSValue, realm: Realm) -> Promise:
        promise = Promise(realm)
        promise.settled_by = self._where()
        promise.reject(exception_in_realm(reason, realm))
        return promise

    def _is_settled_here(self, promise: Promise) -> Realm:
        """Note that the running step settles a promise; return the promise's realm."""
        realm = promise.realm
        assert realm is not None
        self._assert_on_event_loop_of(realm).note_effect()
        if promise.settled_by is None:
            promise.settled_by = self._where()
        return realm

    def resolve(self, promise: PromiseObject, value: object) -> None:
        assert isinstance(promise, Promise)
        realm = self._is_settled_here(promise)
        resolution = self.boundary.conversions.to_javascript(value, realm)
        if self.watch is not None:
            self.watch("resolve", document_of(realm), resolution)
        promise.resolve(resolution)

    def reject(self, promise: PromiseObject, reason: JSValue) -> None:
        assert isinstance(promise, Promise)
        realm = self._is_settled_here(promise)
        if self.watch is not None:
            self.watch("reject", document_of(realm), reason)
        promise.reject(exception_in_realm(reason, realm))

    def react(
        self, promise: PromiseObject, on_fulfilled: Callable[[JSValue], None], on_rejected: Callable[[JSValue], None]
    ) -> None:
        assert isinstance(promise, Promise)
        assert promise.realm is not None
        promise.react(on_fulfilled, on_rejected, promise.realm)

    def associated_realm(self, callback: CallbackFunction) -> Realm:
        realm = callback.function.realm
        assert realm is not None
        return realm

    def invoke(self, callback: CallbackFunction, arguments: list[object], this: JSValue) -> Promise:
        function, realm = callback.function, self.associated_realm(callback)
        self._assert_on_event_loop_of(realm)
        converted = [self.boundary.conversions.to_javascript(argument, realm) for argument in arguments]
        promise = Promise(realm)
        if self.watch is not None:
            self.watch("invoke", document_of(realm), converted[0] if converted else UNDEFINED)

        def run() -> None:
            try:
                returned = call(function, this, converted)
            except Throw as throw:
                promise.reject(throw.value)
            else:
                promise.resolve(returned)

        realm.agent.run_script(realm, run)
        return promise

    def is_object(self, value: JSValue) -> bool:
        return isinstance(value, JSObject)

    def new_empty_object(self, realm: Realm) -> JSObject:
        return JSObject(realm)

    def serialize_a_javascript_value_to_a_json_string(self, value: JSValue) -> str:
        text = javascript_json.stringify(value)
        if text is UNDEFINED:
            raise type_error("the value has no JSON text")
        assert isinstance(text, str)
        return text

    def parse_a_json_string_to_a_javascript_value(self, string: str, realm: Realm) -> JSValue:
        return javascript_json.parse(string, realm)

    def is_aborted(self, signal: AbortSignal) -> bool:
        return signal.aborted

    def abort_reason(self, signal: AbortSignal) -> JSValue:
        return signal.reason

    def add_abort_steps(self, signal: AbortSignal, steps: Callable[[], None]) -> None:
        signal.add(steps)

    def a_new_abort_controller(self, realm: Realm) -> AbortController:
        return AbortController(realm)

    def signal_of(self, controller: AbortController) -> AbortSignal:
        return controller.signal

    def signal_abort(self, controller: AbortController) -> None:
        self._assert_on_event_loop_of(controller.realm).note_effect()
        controller.signal.signal_abort()

    def fire_an_event(
        self,
        name: str,
        target: events.EventTarget,
        interface: str = "Event",
        attributes: dict[str, JSValue] | None = None,
    ) -> None:
        event_loop = self._assert_on_event_loop_of(target.realm)
        if self.watch is not None:
            self.watch("event", document_of(target.realm), name)
        if not target.has_listeners(name):
            event_loop.note_inert()
            return
        event = events.Event(target.realm, name, interface, attributes or {})
        event.fired_by = self._where()
        dispatching.fire_an_event(event, target)

    def queue_a_global_task(self, source: TaskSource, global_: Window, steps: Callable[[], None]) -> None:
        document = global_.associated_document
        document.event_loop.queue_a_task(source, document, steps)

    def assert_running_in_parallel(self) -> None:
        spec_assert(self.user_agent.current_event_loop is None, "these steps are running in parallel")

    def report_a_warning_to_the_console(self, reason: JSValue) -> None:
        # Programs have no console.
        pass
