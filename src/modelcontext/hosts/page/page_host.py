"""The verbs in a page, and the page's entries into Python."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from uuid import uuid4

from modelcontext.hosts.page.objects import (
    Held,
    HeldPromise,
    HeldResponse,
    PageDocument,
    PageNavigable,
    PageRealm,
    PageWindow,
)
from modelcontext.hosts.page.page_forms import PageForms
from modelcontext.platform.dom.events import EventInit
from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSObject, JSValue, Throw, type_error
from modelcontext.platform.html import origin as origins
from modelcontext.platform.html import url as urls
from modelcontext.platform.infra.errors import spec_assert
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.platform.webidl.types import ABSENT, CallbackFunction
from modelcontext.spec.verbs import verbs as current_host

if TYPE_CHECKING:
    from modelcontext.hosts.page.verbs import PageFormVerbs, PageVerbs
    from modelcontext.platform.dom.abort import AbortController, AbortSignal
    from modelcontext.platform.dom.events import EventTarget
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.event_loop import TaskSource
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.navigator import Navigator
    from modelcontext.platform.html.origin import Origin
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.permissions_policy import PolicyControlledFeature
    from modelcontext.platform.html.window import Window
    from modelcontext.spec.revisions.revision import Revision
    from modelcontext.spec.verbs.form_verbs import FormHost

#: Makes Python's value of the data of a page.
Decoder: TypeAlias = Callable[[Any], Any]


class PageHost:
    """The host of the windows that one hub serves, all on one event loop.

    Args:
        verbs: the functions of the page.
        form_verbs: those for its elements.
        revision: the revision of the specification.
        shapes: the result of :func:`modelcontext.platform.webidl.javascript.shapes` for the IDL.
    """

    def __init__(self, verbs: PageVerbs, form_verbs: PageFormVerbs, revision: Revision, shapes: str) -> None:
        self._verbs = verbs
        self._revision = revision
        described = json.loads(shapes)
        self._operations = {
            name: (revision.algorithms[_algorithm_id(name)], [self._decoder(shape) for shape in arguments])
            for name, arguments in described["operations"].items()
            if _algorithm_id(name) in revision.algorithms
        }
        #: By class: the keys of a dictionary's members, with the fields of the class and their decoders.
        self._members: dict[type, list[tuple[str, str, Decoder]]] = {}
        for name, members in described["dictionaries"].items():
            class_ = getattr(revision.dictionaries, name, EventInit)
            self._members[class_] = [(key, field, self._decoder(shape)) for key, field, shape in members]
        self._ids = itertools.count(1)
        self._realms: dict[int, PageRealm] = {}
        self._documents: dict[int, PageDocument] = {}
        self._navigables: dict[int, PageNavigable] = {}
        self._platform_objects: dict[int, PlatformObject] = {}
        self._ids_of_platform_objects: dict[PlatformObject, int] = {}
        self._strands: deque[ParallelSteps] = deque()
        self._tasks: dict[int, Callable[[], None]] = {}
        self._abort_steps: dict[int, Callable[[], None]] = {}
        self._reactions: dict[int, tuple[Callable[[JSValue], None], Callable[[JSValue], None]]] = {}
        self._in_parallel = False
        self._page_forms = PageForms(form_verbs, verbs, revision, self._document, self._realm, self._data)
        self.forms: FormHost = self._page_forms
        current_host.use(self)

    # The page's entries

    def call(self, id: int, operation: str, data: str) -> int:
        """Call an operation; return the handle of a promise, 0, or the negated handle of an exception."""
        algorithm, decoders = self._operations[operation]
        this = self._platform_objects[id]
        try:
            returned = algorithm(this, *_decoded(decoders, json.loads(data)))
        except Throw as throw:
            return -self._verbs.make(self._id_of_realm(this.realm), self._data(throw.value))
        if returned is None:
            return 0
        # Kept until the page has taken the promise, even if the algorithm does not hold it.
        assert isinstance(returned, HeldPromise)
        self._returned = returned
        return returned.handle

    def get(self, owner: int, attribute: str) -> int:
        """Read an attribute whose value is a platform object; return the number of that object."""
        this: Document | Navigator
        if attribute.startswith("Document."):
            this = self._document(owner)
        else:
            # A Navigator is given by its realm; its associated objects are made with the document.
            this = self._document(self._verbs.document_of_realm(owner)).window.navigator
        return self._id_of(self._revision.algorithms[_algorithm_id(attribute)](this))

    def run(self, task: int) -> None:
        """Run the steps of a task."""
        self._page_forms.forget_readings()
        self._tasks.pop(task)()

    def drop(self, task: int) -> None:
        """Forget a task whose document is gone."""
        del self._tasks[task]

    def advance(self) -> None:
        """Run the steps in parallel, in order of arrival; nothing else can happen in between."""
        self._in_parallel = True
        try:
            while self._strands:
                for _ in self._strands.popleft():
                    pass
        finally:
            self._in_parallel = False

    def abort(self, steps: int) -> None:
        """Run abort steps."""
        self._abort_steps.pop(steps)()

    def forget(self, steps: int) -> None:
        """Forget abort steps whose signal is gone."""
        self._abort_steps.pop(steps, None)

    def settled(self, reaction: int, fulfilled: bool, handle: int) -> None:
        """React to a promise."""
        on_fulfilled, on_rejected = self._reactions.pop(reaction)
        (on_fulfilled if fulfilled else on_rejected)(self._held(handle))

    def unload(self, document: int) -> None:
        """Run the unloading document cleanup steps."""
        known = self._documents.get(document)
        if known is not None:
            self._revision.unloading_document_cleanup_steps(known)

    # Numbers and values

    def _held(self, handle: int) -> Held:
        return Held(self._verbs, handle)

    def _decoder(self, shape: list[Any]) -> Decoder:
        match shape:
            case ["primitive"]:
                return lambda value: value
            case ["object"]:
                return self._held
            case ["platform object"]:
                return lambda data: self._platform_objects[data[1]]
            case ["Window"]:
                return lambda realm: self._realm(realm).global_object
            case ["callback", name]:
                return lambda handle: CallbackFunction(cast("Any", self._held(handle)), name)
            case ["sequence", inner]:
                decode = self._decoder(inner)
                return lambda items: [decode(item) for item in items]
            case ["dictionary", name]:
                class_ = getattr(self._revision.dictionaries, name)
                return lambda data: self._dictionary(class_, data)
        raise ValueError(f"no value has the shape {shape}")

    def _dictionary(self, class_: type, data: list[Any]) -> object:
        members = self._members[class_]
        values = _decoded([decode for _, _, decode in members], data)
        return class_(**{field: value for (_, field, _), value in zip(members, values, strict=True)})

    def _data(self, value: object) -> str:
        return json.dumps(self._written(value))

    def _written(self, value: object) -> object:
        if value is None or isinstance(value, str | bool):
            return value
        if value is UNDEFINED:
            return ["undefined"]
        if isinstance(value, HeldPromise):
            return ["promise", value.handle]
        if isinstance(value, Held):
            return ["held", value.handle]
        if isinstance(value, DOMException | JSError):
            kind = "DOMException" if isinstance(value, DOMException) else value.name
            return ["error", kind, value.name, value.message]
        if isinstance(value, list):
            return ["list", [self._written(item) for item in value]]
        if isinstance(value, PageWindow):
            return ["window", self._id_of_realm(value.realm)]
        if isinstance(value, PlatformObject):
            return ["object", self._id_of(value)]
        members = [(key, getattr(value, field)) for key, field, _ in self._members[type(value)]]
        return ["dictionary", [[key, self._written(member)] for key, member in members if member is not ABSENT]]

    def _id_of(self, platform_object: PlatformObject) -> int:
        if platform_object not in self._ids_of_platform_objects:
            id = self._ids_of_platform_objects[platform_object] = next(self._ids)
            self._platform_objects[id] = platform_object
            self._verbs.wrap(id, platform_object.interface, self._id_of_realm(platform_object.realm))
        return self._ids_of_platform_objects[platform_object]

    def _realm(self, id: int) -> PageRealm:
        if id not in self._realms:
            self._realms[id] = PageRealm(id, _NoAgent())
        return self._realms[id]

    def _id_of_realm(self, realm: Realm | None) -> int:
        assert isinstance(realm, PageRealm)
        return realm.id

    def _document(self, id: int) -> PageDocument:
        if id not in self._documents:
            realm = self._realm(self._verbs.realm_of_document(id))
            self._documents[id] = PageDocument(id, realm, self._origin(self._verbs.origin_of(id)))
            self._revision.initialize_document(self._documents[id])
        return self._documents[id]

    def _origin(self, serialized: str) -> Origin:
        url = urls.url_parser(serialized)
        return urls.url_origin(url) if url is not None else origins.OpaqueOrigin()

    def _navigable(self, id: int) -> PageNavigable:
        if id not in self._navigables:
            self._navigables[id] = PageNavigable(id)
            self._revision.initialize_traversable(self._navigables[id])
        return self._navigables[id]

    # The verbs

    def in_parallel(self, steps: ParallelSteps) -> None:
        if not self._strands and not self._in_parallel:
            self._verbs.schedule()
        self._strands.append(steps)

    def associated_document(self, global_: Window) -> Document:
        return self._document(self._verbs.document_of_realm(self._id_of_realm(global_.realm)))

    def document_id(self, document: Document) -> int:
        return _id(document)

    def is_fully_active(self, document: Document) -> bool:
        return self._verbs.is_fully_active(_id(document))

    def is_secure_context(self, realm: Realm) -> bool:
        # The API, and so this host, is only in realms that are secure contexts.
        return True

    def is_allowed_to_use(self, document: Document, feature: PolicyControlledFeature) -> bool:
        return self._verbs.is_allowed(_id(document), feature.name)

    def node_navigable(self, document: Document) -> Navigable | None:
        id = self._verbs.navigable_of(_id(document))
        return self._navigable(id) if id else None

    def top_level_traversable(self, navigable: Navigable) -> Navigable:
        assert isinstance(navigable, PageNavigable)
        return self._navigable(self._verbs.top_of(navigable.id))

    def active_document(self, navigable: Navigable) -> Document | None:
        assert isinstance(navigable, PageNavigable)
        id = self._verbs.active_document(navigable.id)
        return self._document(id) if id else None

    def inclusive_descendant_navigables(self, document: Document) -> list[Navigable]:
        return [self._navigable(id) for id in json.loads(self._verbs.inclusive_descendants(_id(document)))]

    def a_new_unique_internal_value(self) -> int:
        return next(self._ids)

    def generate_a_random_uuid(self) -> str:
        return str(uuid4())

    def a_new_promise(self, realm: Realm) -> PromiseObject:
        id = self._id_of_realm(realm)
        return HeldPromise(self._verbs, self._verbs.new_promise(id), id)

    def a_promise_rejected_with(self, reason: JSValue, realm: Realm) -> PromiseObject:
        promise = self.a_new_promise(realm)
        self._settle(promise, self._verbs.reject, reason)
        return promise

    def resolve(self, promise: PromiseObject, value: object) -> None:
        self._assert_on_event_loop()
        self._settle(promise, self._verbs.resolve, value)

    def reject(self, promise: PromiseObject, reason: JSValue) -> None:
        self._assert_on_event_loop()
        self._settle(promise, self._verbs.reject, reason)

    def _settle(self, promise: PromiseObject, how: Callable[[int, int, str], None], value: object) -> None:
        assert isinstance(promise, HeldPromise)
        how(promise.handle, promise.realm_id, self._data(value))

    def _assert_on_event_loop(self) -> None:
        spec_assert(not self._in_parallel, "a promise is settled and an event is fired on the event loop of its realm")

    def react(
        self, promise: PromiseObject, on_fulfilled: Callable[[JSValue], None], on_rejected: Callable[[JSValue], None]
    ) -> None:
        assert isinstance(promise, HeldPromise)
        id = next(self._ids)
        if isinstance(promise, HeldResponse):
            self._reactions[id] = (lambda value: on_fulfilled(self._page_forms.response(value))), on_rejected
        else:
            self._reactions[id] = (on_fulfilled, on_rejected)
        self._verbs.react(promise.handle, promise.realm_id, id)

    def associated_realm(self, callback: CallbackFunction) -> Realm:
        return self._realm(self._verbs.realm_of_function(_handle(callback.function), 1))

    def invoke(self, callback: CallbackFunction, arguments: list[object], this: JSValue) -> PromiseObject:
        spec_assert(this is UNDEFINED, "callbacks are invoked without a callback this value")
        function = _handle(callback.function)
        realm = self._verbs.realm_of_function(function, 1)
        promise = self._verbs.invoke(function, realm, self._data(arguments))
        return HeldPromise(self._verbs, promise, realm)

    def is_object(self, value: JSValue) -> bool:
        return isinstance(value, Held) and self._verbs.is_object(value.handle)

    def new_empty_object(self, realm: Realm) -> JSObject:
        return self._held(self._verbs.new_object(self._id_of_realm(realm)))

    def serialize_a_javascript_value_to_a_json_string(self, value: JSValue) -> str:
        text = self._verbs.serialize(_handle(value))
        if isinstance(text, str):
            return text
        raise Throw(self._held(text)) if text else type_error("the value has no JSON text")

    def parse_a_json_string_to_a_javascript_value(self, string: str, realm: Realm) -> JSValue:
        handle = self._verbs.parse(string, self._id_of_realm(realm))
        if handle < 0:
            raise Throw(self._held(-handle))
        return self._held(handle)

    def is_aborted(self, signal: AbortSignal) -> bool:
        return self._verbs.is_aborted(_handle(signal))

    def abort_reason(self, signal: AbortSignal) -> JSValue:
        return self._held(self._verbs.abort_reason(_handle(signal)))

    def add_abort_steps(self, signal: AbortSignal, steps: Callable[[], None]) -> None:
        id = next(self._ids)
        self._abort_steps[id] = steps
        self._verbs.add_abort_steps(_handle(signal), id)

    def a_new_abort_controller(self, realm: Realm) -> AbortController:
        return cast("AbortController", self._held(self._verbs.new_abort_controller(self._id_of_realm(realm))))

    def signal_of(self, controller: AbortController) -> AbortSignal:
        return cast("AbortSignal", self._held(self._verbs.signal_of(_handle(controller))))

    def signal_abort(self, controller: AbortController) -> None:
        self._assert_on_event_loop()
        self._verbs.abort(_handle(controller))

    def fire_an_event(
        self, name: str, target: EventTarget, interface: str = "Event", attributes: dict[str, JSValue] | None = None
    ) -> None:
        self._assert_on_event_loop()
        own = json.dumps(attributes) if attributes is not None else ""
        self._verbs.fire(self._id_of(target), self._id_of_realm(target.realm), name, interface, own)

    def queue_a_global_task(self, source: TaskSource, global_: Window, steps: Callable[[], None]) -> None:
        # HOST: there is one task source, and one channel for its tasks.
        id = next(self._ids)
        self._tasks[id] = steps
        self._verbs.queue(self._id_of_realm(global_.realm), id)

    def assert_running_in_parallel(self) -> None:
        spec_assert(self._in_parallel, "these steps are running in parallel")

    def report_a_warning_to_the_console(self, reason: JSValue) -> None:
        # HOST: the warning is optional, and an open console may read properties of the value.
        pass


class _NoAgent:
    """The agent of a page's realms, which Python must not use."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the agent of a realm of the page has no {name} in Python; only the page can do this")


def _id(document: Document) -> int:
    assert isinstance(document, PageDocument)
    return document.id


def _handle(value: object) -> int:
    assert isinstance(value, Held)
    return value.handle


def _decoded(decoders: Iterable[Decoder], data: list[Any]) -> list[Any]:
    return [decode(value) if value is not None else ABSENT for decode, value in zip(decoders, data, strict=True)]


def _algorithm_id(member: str) -> str:
    return "dom-" + member.replace(".", "-").lower()
