"""The verbs of algorithms, each in the words of its standard (named in parentheses), and the interface of a host.

A verb calls the current host's method of the same name. Both are written out: a helper that generates one from the other
costs a tenth of the model's speed. A verb that means the same in every host does its work here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from modelcontext.platform.ecmascript.json import stringify
from modelcontext.platform.html.url import url_parser
from modelcontext.spec.verbs import form_verbs

if TYPE_CHECKING:
    from modelcontext.platform.dom.abort import AbortController, AbortSignal
    from modelcontext.platform.dom.events import EventTarget
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSObject, JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.event_loop import TaskSource
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.navigator import Navigator
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.permissions_policy import PolicyControlledFeature
    from modelcontext.platform.html.url import URLRecord
    from modelcontext.platform.html.window import Window
    from modelcontext.platform.webidl.platform_object import PlatformObject
    from modelcontext.platform.webidl.types import CallbackFunction
    from modelcontext.spec.verbs.form_verbs import FormHost


class Host(Protocol):
    """A world for algorithms; the verb of the same name documents each method. ``forms`` are its elements."""

    forms: FormHost

    def in_parallel(self, steps: ParallelSteps) -> None: ...
    def associated_document(self, global_: Window) -> Document: ...
    def document_id(self, document: Document) -> int: ...
    def is_fully_active(self, document: Document) -> bool: ...
    def is_secure_context(self, realm: Realm) -> bool: ...
    def is_allowed_to_use(self, document: Document, feature: PolicyControlledFeature) -> bool: ...
    def node_navigable(self, document: Document) -> Navigable | None: ...
    def top_level_traversable(self, navigable: Navigable) -> Navigable: ...
    def active_document(self, navigable: Navigable) -> Document | None: ...
    def inclusive_descendant_navigables(self, document: Document) -> list[Navigable]: ...
    def a_new_unique_internal_value(self) -> int: ...
    def generate_a_random_uuid(self) -> str: ...
    def a_new_promise(self, realm: Realm) -> PromiseObject: ...
    def a_promise_rejected_with(self, reason: JSValue, realm: Realm) -> PromiseObject: ...
    def resolve(self, promise: PromiseObject, value: object) -> None: ...
    def reject(self, promise: PromiseObject, reason: JSValue) -> None: ...
    def react(
        self, promise: PromiseObject, on_fulfilled: Callable[[JSValue], None], on_rejected: Callable[[JSValue], None]
    ) -> None: ...
    def invoke(self, callback: CallbackFunction, arguments: list[object], this: JSValue) -> PromiseObject: ...
    def associated_realm(self, callback: CallbackFunction) -> Realm: ...
    def is_object(self, value: JSValue) -> bool: ...
    def new_empty_object(self, realm: Realm) -> JSObject: ...
    def serialize_a_javascript_value_to_a_json_string(self, value: JSValue) -> str: ...
    def parse_a_json_string_to_a_javascript_value(self, string: str, realm: Realm) -> JSValue: ...
    def is_aborted(self, signal: AbortSignal) -> bool: ...
    def abort_reason(self, signal: AbortSignal) -> JSValue: ...
    def add_abort_steps(self, signal: AbortSignal, steps: Callable[[], None]) -> None: ...
    def a_new_abort_controller(self, realm: Realm) -> AbortController: ...
    def signal_of(self, controller: AbortController) -> AbortSignal: ...
    def signal_abort(self, controller: AbortController) -> None: ...
    def fire_an_event(
        self, name: str, target: EventTarget, interface: str = "Event", attributes: dict[str, JSValue] | None = None
    ) -> None: ...
    def queue_a_global_task(self, source: TaskSource, global_: Window, steps: Callable[[], None]) -> None: ...
    def assert_running_in_parallel(self) -> None: ...
    def report_a_warning_to_the_console(self, reason: JSValue) -> None: ...


_host: Host

_Verb = TypeVar("_Verb", bound=Callable[..., object])


def shared(verb: _Verb) -> _Verb:
    """Declare that a verb reads or writes state that documents, navigables and event loops share.

    Steps in parallel yield before such a verb; the compiler of the text places these yields.
    """
    return verb


def use(host: Host) -> None:
    """Make a host the current one; this is the first step of entering a world."""
    global _host
    _host = host
    form_verbs.use_forms(host.forms)


def in_parallel(steps: Callable[[], ParallelSteps]) -> None:
    """Run the steps of a generator function in parallel; a decorator for the text's "In parallel:" (HTML)."""
    _host.in_parallel(steps())


def relevant_global_object(platform_object: PlatformObject) -> Window:
    """Return a platform object's relevant global object (HTML)."""
    return cast("Window", relevant_realm(platform_object).global_object)


def relevant_realm(platform_object: PlatformObject) -> Realm:
    """Return a platform object's relevant realm (HTML)."""
    assert platform_object.realm is not None
    return platform_object.realm


def associated_realm(callback: CallbackFunction) -> Realm:
    """Return a callback function's associated realm (Web IDL)."""
    return _host.associated_realm(callback)


def global_object(realm: Realm) -> Window:
    """Return a realm's global object (HTML)."""
    return cast("Window", realm.global_object)


def associated_document(global_: Window) -> Document:
    """Return a Window's associated Document (HTML)."""
    return _host.associated_document(global_)


def associated_object(owner: Document | Navigable | Navigator, name: str) -> object:
    """Return the object that a specification associates with a document, traversable or navigator, by name."""
    return owner.extensions[name]


def document_id(document: Document) -> int:
    """Return the unique internal value that stands for a document."""
    return _host.document_id(document)


def origin_of(document: Document) -> Origin:
    """Return a document's origin."""
    return document.origin


@shared
def is_fully_active(document: Document) -> bool:
    """Return whether a document is fully active (HTML)."""
    return _host.is_fully_active(document)


def is_secure_context(realm: Realm) -> bool:
    """Return whether the settings object of a realm is a secure context (HTML)."""
    return _host.is_secure_context(realm)


@shared
def is_allowed_to_use(document: Document, feature: PolicyControlledFeature) -> bool:
    """Return whether a document is allowed to use a policy-controlled feature (HTML)."""
    return _host.is_allowed_to_use(document, feature)


@shared
def node_navigable(document: Document) -> Navigable | None:
    """Return a document's node navigable, or None (HTML)."""
    return _host.node_navigable(document)


def top_level_traversable(navigable: Navigable) -> Navigable:
    """Return a navigable's top-level traversable (HTML)."""
    return _host.top_level_traversable(navigable)


@shared
def active_document(navigable: Navigable) -> Document | None:
    """Return a navigable's active document, or None if that is destroyed (HTML)."""
    return _host.active_document(navigable)


@shared
def inclusive_descendant_navigables(document: Document) -> list[Navigable]:
    """Return a document's inclusive descendant navigables, its own first (HTML)."""
    return _host.inclusive_descendant_navigables(document)


def parent(navigable: Navigable) -> Navigable | None:
    """Return a navigable's parent, or None if it is a traversable navigable (HTML)."""
    return navigable.parent


def container_document(navigable: Navigable) -> Document | None:
    """Return a navigable's container document, or None if nothing contains it (HTML)."""
    return navigable.container.document if navigable.container is not None else None


def document_url(document: Document) -> URLRecord:
    """Return a document's URL (DOM)."""
    url = url_parser(document.url)
    assert url is not None
    return url


def a_new_unique_internal_value() -> int:
    """Return a new unique internal value (HTML)."""
    return _host.a_new_unique_internal_value()


def generate_a_random_uuid() -> str:
    """Return a random UUID (Web Cryptography API)."""
    return _host.generate_a_random_uuid()


def a_new_promise(realm: Realm) -> PromiseObject:
    """Return a new promise in a realm (Web IDL)."""
    return _host.a_new_promise(realm)


def a_promise_rejected_with(reason: JSValue, realm: Realm) -> PromiseObject:
    """Return a promise rejected with a reason; an error without a realm gets this one (Web IDL)."""
    return _host.a_promise_rejected_with(reason, realm)


def resolve(promise: PromiseObject, value: object) -> None:
    """Resolve a promise with an IDL value, on its event loop and not in parallel (Web IDL)."""
    _host.resolve(promise, value)


def reject(promise: PromiseObject, reason: JSValue) -> None:
    """Reject a promise, on its event loop and not in parallel (Web IDL)."""
    _host.reject(promise, reason)


def react(
    promise: PromiseObject, on_fulfilled: Callable[[JSValue], None], on_rejected: Callable[[JSValue], None]
) -> None:
    """React to a promise (Web IDL)."""
    _host.react(promise, on_fulfilled, on_rejected)


def invoke(callback: CallbackFunction, arguments: list[object], this: JSValue) -> PromiseObject:
    """Invoke a callback function that returns a promise; a throw becomes a rejected promise (Web IDL)."""
    return _host.invoke(callback, arguments, this)


def is_object(value: JSValue) -> bool:
    """Return whether a JavaScript value is an Object."""
    return _host.is_object(value)


def new_empty_object(realm: Realm) -> JSObject:
    """Return a new empty JavaScript object in a realm."""
    return _host.new_empty_object(realm)


def serialize_a_javascript_value_to_a_json_string(value: JSValue) -> str:
    """Serialize a JavaScript value to a JSON string (Infra).

    Raises:
        Throw: the exception of the serializer; a TypeError if its result is undefined.
    """
    return _host.serialize_a_javascript_value_to_a_json_string(value)


def json_stringify(value: JSValue) -> JSValue:
    """Return what ``JSON.stringify`` returns for a value (ECMAScript).

    Raises:
        Throw: the exception of the serializer.
    """
    return stringify(value)


def parse_a_json_string_to_a_javascript_value(string: str, realm: Realm) -> JSValue:
    """Parse a JSON string to a JavaScript value whose objects are in a realm (Infra).

    Raises:
        Throw: a SyntaxError.
    """
    return _host.parse_a_json_string_to_a_javascript_value(string, realm)


def parse_a_json_string_to_an_infra_value(string: str) -> object:
    """Parse a JSON string to an Infra value: maps, lists, strings, numbers, booleans, null (Infra)."""
    value: object = json.loads(string)
    return value


def is_aborted(signal: AbortSignal) -> bool:
    """Return whether a signal is aborted (DOM)."""
    return _host.is_aborted(signal)


def abort_reason(signal: AbortSignal) -> JSValue:
    """Return a signal's abort reason (DOM)."""
    return _host.abort_reason(signal)


def add_abort_steps(signal: AbortSignal, steps: Callable[[], None]) -> None:
    """Add an abort algorithm to a signal (DOM)."""
    _host.add_abort_steps(signal, steps)


def a_new_abort_controller(realm: Realm) -> AbortController:
    """Return a new AbortController in a realm (DOM)."""
    return _host.a_new_abort_controller(realm)


def signal_of(controller: AbortController) -> AbortSignal:
    """Return an AbortController's signal (DOM)."""
    return _host.signal_of(controller)


def signal_abort(controller: AbortController) -> None:
    """Signal abort on a controller without a reason, on its event loop (DOM)."""
    _host.signal_abort(controller)


def fire_an_event(
    name: str, target: EventTarget, interface: str = "Event", attributes: dict[str, JSValue] | None = None
) -> None:
    """Fire an event, on the target's event loop and not in parallel (DOM)."""
    _host.fire_an_event(name, target, interface, attributes)


@shared
def queue_a_global_task(source: TaskSource, global_: Window, steps: Callable[[], None]) -> None:
    """Queue a global task (HTML)."""
    _host.queue_a_global_task(source, global_, steps)


def assert_running_in_parallel() -> None:
    """Assert: these steps are running in parallel."""
    _host.assert_running_in_parallel()


def report_a_warning_to_the_console(reason: JSValue) -> None:
    """Optionally, report a warning to the console that describes a reason (Console)."""
    _host.report_a_warning_to_the_console(reason)
