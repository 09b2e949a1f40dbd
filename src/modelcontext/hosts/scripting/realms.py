"""The documents of one browser with their realms in the engine, and the scripts that run there."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule import footprint
from modelcontext.hosts.scripting.border import Border, EngineFunction, WindowTarget, members_of, realm_id
from modelcontext.hosts.scripting.engine import ScriptThrewError
from modelcontext.hosts.scripting.loading_elements import CustomElement, FormAssociatedElementOfScripts
from modelcontext.hosts.scripting.observed import UNHANDLED, ConsoleLine, Observed
from modelcontext.hosts.scripting.recorded import recorded
from modelcontext.platform.dom import dispatching
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.dom.mutation_observers import EXTENSION, MutationObserver, MutationObservers, MutationRecord
from modelcontext.platform.dom.nodes import shadow_including_inclusive_descendants
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE
from modelcontext.platform.html.window import document_of

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.engine import ScriptEngine
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.dom.nodes import Node
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.event_loop import Agent, EventLoop
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.user_agent import UserAgent
    from modelcontext.platform.html.window import Window
    from modelcontext.spec.revisions.revision import Revision

_EPOCH: Final = 1_700_000_000_000
#: Effects of scripts beyond their event loop that no structure of the model records.
_BEYOND: Final = footprint.Kind("beyond the event loop of a script")


class Realms:
    """The documents, their realms and the running of scripts: the state that all parts of one browser share.

    Args:
        engine: the engine.
        revision: the revision of the specification.
        user_agent: the user agent that has the documents.
        scripts: run in each document before its own.
        reports: whether the first document may report a result, which ends the run.
        takes_notes: whether a test may write notes.
        tells_of_rejections: whether scripts are told of rejected promises without a handler.
    """

    def __init__(
        self,
        engine: ScriptEngine,
        revision: Revision,
        user_agent: UserAgent,
        *,
        scripts: Sequence[str] = (),
        reports: bool = False,
        takes_notes: bool = False,
        tells_of_rejections: bool = True,
    ) -> None:
        self.engine = engine
        self.revision = revision
        self.user_agent = user_agent
        self.observed = Observed()
        self._scripts = scripts
        self._reports = reports
        self._takes_notes = takes_notes
        self._tells_of_rejections = tells_of_rejections
        self.documents: dict[int, Document] = {}
        self.navigable_of: dict[Document, Navigable] = {}
        self._realms: set[int] = set()
        self._agents: dict[Agent, int] = {}
        self._active: Any = None
        self._checkpoints: set[EventLoop] = set()
        self._microtasks: dict[int, Callable[[], None]] = {}
        self._custom_elements: set[str] = set()
        self._reactions: deque[tuple[Element, str, tuple[str | None, ...]]] = deque()
        self._modules: dict[int, Callable[[str | None], None]] = {}
        self._numbers = itertools.count(1)
        self._mutation_observers: dict[Agent, MutationObservers] = {}
        self._reporting = False
        self._shown: Callable[[ConsoleLine], None] = lambda line: None
        self.at: Callable[[str, int], None] = lambda url, line: None
        #: The classes of the dictionaries of the API, by name.
        self.classes = {
            name: getattr(revision.dictionaries, name)
            for name in revision.definitions.dictionaries
            if hasattr(revision.dictionaries, name)
        }
        self.border = Border(self.call_function, self.realm_of, members_of(revision.definitions, self.classes))

    def watch(self, at: Callable[[str, int], None], shown: Callable[[ConsoleLine], None]) -> None:
        """Call ``at`` with the URL and the line of each call of a script, and ``shown`` with each line that the page shows."""
        self.at, self._shown = at, shown
        self.engine.call("trace")

    def shows(self, document: Document, level: str, text: str) -> None:
        """Note a line that a document shows."""
        line = ConsoleLine(self._name_of(document.event_loop), level, text)
        self.observed.lines.append(line)
        self._shown(line)

    def _name_of(self, event_loop: EventLoop) -> str:
        namesakes = [one for one in self.user_agent.event_loops if one.name == event_loop.name]
        number = namesakes.index(event_loop)
        return f"{event_loop.name} ({number + 1})" if number else event_loop.name

    # Documents and realms

    def initialize_document(self, document: Document) -> None:
        """Give a new document a number, and its window an event target."""
        self.revision.initialize_document(document)
        container = document.container
        navigable = container.content_navigable if container is not None else None
        if navigable is None:
            proxy = document.window.proxy
            navigable = next(one for one in self.user_agent.traversables if one.window_proxy is proxy)
        self.navigable_of[document] = navigable
        self.border.navigable_id(navigable)
        self._agents.setdefault(document.agent, len(self._agents) + 1)
        document.extensions[EXTENSION] = self.mutation_observers(document)
        window = document.window
        if window.event_target is None:
            self._initialize_window(window, document.unique_id)
        id = realm_id(document.realm)
        self.documents[id] = document
        if id in self._realms:
            self.engine.call("call", id, "has_another_document")
            self._run_injected_scripts(id)

    def _initialize_window(self, window: Window, realm_id: int) -> None:
        target = window.event_target = WindowTarget(window.realm, realm_id)
        self.border.windows[target] = window
        for type, listeners in window.page_transition_listeners.items():
            listeners.append(partial(self._fire_page_transition, target, type))

    def _fire_page_transition(self, target: WindowTarget, type: str) -> None:
        if target.realm_id in self._realms:
            persisted = self.documents[target.realm_id].window.associated_document.salvageable
            self.fire(target, type, "PageTransitionEvent", {"persisted": persisted})

    def target_of(self, document: Document) -> EventTarget:
        """Return the event target of a document's window."""
        target = document.window.event_target
        assert target is not None
        return target

    def news(self) -> Any:
        """Return the active document and the agent of each navigable, by numbers, if one has changed."""
        active = {}
        for navigable, id in self.border.navigables.items():
            document = navigable.active_document
            if document is not None:
                active[id] = (realm_id(document.realm), self._agents[document.agent])
        if active == self._active:
            return None
        self._active = active
        return active

    def realm_of(self, id: int) -> Realm:
        """Return the realm with a number; 0 stands for that of the running script."""
        if id in self.documents:
            return self.documents[id].realm
        event_loop = self.user_agent.current_event_loop
        assert event_loop is not None
        assert event_loop.current_realm is not None
        return event_loop.current_realm

    @recorded()
    def need_realm(self, id: int) -> None:
        """Make a realm in the engine if it has not been made."""
        if id in self._realms:
            return
        self._realms.add(id)
        document = self.documents[id]
        navigable = self.navigable_of[document]
        facts = {
            "isSecureContext": document.is_secure_context,
            "start": _EPOCH,
            "reports": self._reports and navigable.parent is None and navigable is self.user_agent.traversables[0],
            "notes": self._takes_notes,
            "drives": self._reports,
        }
        target = self.border.id_of(self.target_of(document))
        agent = self._agents[document.agent]
        self.engine.call("new_realm", id, agent, self.border.navigable_id(navigable), target, facts)
        self._run_injected_scripts(id)

    def _run_injected_scripts(self, id: int) -> None:
        for number, script in enumerate(self._scripts):
            try:
                self.engine.call("evaluate", id, script, f"script:injected-{number}", 0, 0)
            except ScriptThrewError as error:
                self.report_an_exception(self.documents[id], self.border.decode(error.value))

    # Elements with scripts

    def set_handler(self, element: Node, name: str, body: str | None) -> None:
        """https://html.spec.whatwg.org/#event-handler-content-attributes (which are compiled at once)"""
        document = element.node_document
        assert isinstance(document, Document)
        try:
            self.call(element.realm, "set_handler", self.border.encode(element), name, body)
        except Throw as throw:
            self.report_an_exception(document, throw.value)

    @recorded()
    def define_custom_element(self, realm: int, name: str, is_form_associated: bool) -> Any:
        """Return the elements to upgrade (https://html.spec.whatwg.org/#dom-customelementregistry-define)."""
        self._custom_elements.add(name)
        descendants = shadow_including_inclusive_descendants(self.documents[realm])
        named = [one for one in descendants if isinstance(one, CustomElement) and one.local_name == name]
        if is_form_associated:
            self.user_agent.further_elements[name] = FormAssociatedElementOfScripts
            for element in named:
                element.__class__ = FormAssociatedElementOfScripts
        return self.border.encode(named)

    def enqueue_a_custom_element_reaction(self, element: Element, callback: str, *values: str | None) -> None:
        """https://html.spec.whatwg.org/#enqueue-a-custom-element-callback-reaction"""
        if element.local_name in self._custom_elements:
            self._reactions.append((element, callback, values))

    def invoke_custom_element_reactions(self) -> None:
        """https://html.spec.whatwg.org/#invoke-custom-element-reactions"""
        while self._reactions:
            element, callback, values = self._reactions.popleft()
            react = partial(
                self.call, element.realm, "perform_a_reaction", self.border.encode(element), callback, values
            )
            document_of(element.realm).event_loop.run_script(element.realm, react)

    # Calls of the engine

    def install(self, document: Document, source: str, text: str) -> None:
        """Run a function of ours in a document's realm, with what the platform was given there and with a text."""
        id = realm_id(document.realm)
        self.need_realm(id)
        self.engine.call("install", id, source, text)

    def note_effect_beyond(self) -> None:
        """Note that what happens now may be seen by, or depend on, scripts of other event loops."""
        footprint.write(_BEYOND)

    def _note_script(self, event_loop: EventLoop) -> None:
        """Note that a script acts. In steps in parallel nothing else says so."""
        event_loop.note_effect()
        if self.user_agent.current_event_loop is None:
            footprint.write(_BEYOND)
        else:
            footprint.read(_BEYOND)

    def call(self, realm: Realm, name: str, *values: object) -> Any:
        """Call a function of a realm with data.

        Raises:
            Throw: what it throws.
        """
        id = realm_id(realm)
        self.need_realm(id)
        self._note_script(document_of(realm).event_loop)
        self._note_microtasks(document_of(realm).event_loop)
        try:
            return self.engine.call("call", id, name, *values)
        except ScriptThrewError as error:
            raise self.border.throw(error.value) from None

    def call_function(self, realm: Realm, handle: int, this: JSValue, values: list[JSValue]) -> JSValue:
        """Call a function of the engine by its handle.

        Raises:
            Throw: what it throws.
        """
        encode = self.border.encode
        data = self.call(
            realm, "call_function", ["held", handle], encode(this, realm), [encode(value, realm) for value in values]
        )
        returned: JSValue = self.border.decode(data)
        return returned

    def evaluate(self, document: Document, source: str, url: str, line: int = 0, column: int = 0) -> None:
        """Run a classic script of a document (https://html.spec.whatwg.org/#run-a-classic-script)."""
        self.perform(document, "evaluate", source, url, line, column)

    def load_module(
        self, document: Document, url: str, source: str | None, line: int, ready: Callable[[int, str | None], None]
    ) -> None:
        """Load a module script, which has a source if it is inline.

        ``ready`` is called with its number, and with words about what went wrong, or None.
        """
        number = next(self._numbers)
        self._modules[number] = partial(ready, number)
        self.perform(document, "load_module", number, url, source, line, 0)

    @recorded()
    def module_is_ready(self, number: int, problem: str | None) -> None:
        """Go on with the element of a module script."""
        self._modules.pop(number)(problem)

    def perform(self, document: Document, name: str, *values: object) -> None:
        """Have the engine perform a command in a document as its script, and report what it throws."""
        id = realm_id(document.realm)
        self.need_realm(id)
        self.observed.scripts += name in ("evaluate", "run_module")

        def script() -> None:
            self._note_script(document.event_loop)
            self._note_microtasks(document.event_loop)
            try:
                self.engine.call(name, id, *values)
            except ScriptThrewError as error:
                self.report_an_exception(document, self.border.decode(error.value))

        document.event_loop.run_script(document.realm, script)

    def mutation_observers(self, document: Document) -> MutationObservers:
        """Return the mutation observers of a document's agent."""
        if document.agent not in self._mutation_observers:
            self._mutation_observers[document.agent] = MutationObservers(self._queue_a_microtask, self._call_observer)
        return self._mutation_observers[document.agent]

    def _queue_a_microtask(self, node: Node, steps: Callable[[], None]) -> None:
        """https://html.spec.whatwg.org/#queue-a-microtask"""
        number = next(self._numbers)
        self._microtasks[number] = steps
        self.call(node.node_document.realm, "queue_a_microtask", number)

    def _call_observer(self, observer: MutationObserver, records: list[MutationRecord]) -> None:
        """Call the callback of an observer, and report what it throws."""
        function = observer.callback
        assert isinstance(function, EngineFunction)
        assert function.realm is not None
        realm = function.realm
        document = document_of(realm)
        if not document.is_fully_active:
            return

        def script() -> None:
            try:
                values: list[Any] = [records, observer]
                self.call_function(realm, function.handle, observer, values)
            except Throw as throw:
                self.report_an_exception(document, throw.value)

        document.event_loop.run_script(realm, script)

    @recorded()
    def run_a_microtask(self, steps: int) -> None:
        """Run the steps of a microtask."""
        self._microtasks.pop(steps)()

    def _note_microtasks(self, event_loop: EventLoop) -> None:
        """Have the next microtask checkpoint perform that of the engine."""
        if event_loop not in self._checkpoints:
            self._checkpoints.add(event_loop)
            event_loop.microtasks.append((partial(self._checkpoint, event_loop), None))

    def _checkpoint(self, event_loop: EventLoop) -> None:
        self._checkpoints.discard(event_loop)
        rejections = self.engine.call("checkpoint")
        if self._tells_of_rejections:
            self._tell_of(rejections)

    def _tell_of(self, rejections: Sequence[tuple[int, Any, Any, str]]) -> None:
        """Queue tasks that tell of rejected promises without a handler, each with its realm, its reason and its caller."""
        for realm, promise, reason, caller in rejections:
            document = self.documents.get(realm)
            if document is None:
                continue
            steps = partial(self._notify_of_rejection, document, promise, reason, caller)
            document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, document, steps)

    def _notify_of_rejection(self, document: Document, promise: Any, reason: Any, caller: str) -> None:
        """https://html.spec.whatwg.org/#notify-about-rejected-promises"""
        if not self.engine.call("still_rejected", promise):
            return
        attributes = {"promise": self.border.decode(promise), "reason": self.border.decode(reason)}
        target = self.target_of(document)
        if self.fire(target, "unhandledrejection", "PromiseRejectionEvent", attributes, cancelable=True):
            place = self.place_of(reason)
            at = f"{place['url']}:{place['line']}" if place["url"] else caller
            self.shows(document, UNHANDLED, f"unhandled rejection: {place['text']}{f' ({at})' if at else ''}")

    def warn(self, document: Document, reason: JSValue) -> None:
        """Show a warning about the reason for which the run of a tool failed."""
        place = self.place_of(self.border.encode(reason, document.realm))
        at = f" ({place['url']}:{place['line']})" if place["url"] else ""
        self.shows(document, "warn", f"a tool failed: {place['text']}{at}")

    def place_of(self, data: Any) -> dict[str, Any]:
        """Return the message of an exception and its place."""
        place: dict[str, Any] = self.engine.call("where", data)
        return place

    def report_an_exception(self, document: Document, value: JSValue) -> None:
        """https://html.spec.whatwg.org/#report-an-exception"""
        data = self.border.encode(value, document.realm)
        place = self.place_of(data)
        handled = False
        if not self._reporting:
            self._reporting = True
            attributes: dict[str, JSValue] = {
                "message": f"Uncaught {place['text']}",
                "filename": place["url"] or document.url,
                "lineno": place["line"],
                "colno": place["column"],
                "error": value,
            }
            handled = not self.fire(self.target_of(document), "error", "ErrorEvent", attributes, cancelable=True)
            self._reporting = False
        if not handled:
            at = f" ({place['url']}:{place['line']})" if place["url"] else ""
            self.shows(document, UNHANDLED, f"{place['text']}{at}")

    def fire(
        self,
        target: EventTarget,
        name: str,
        interface: str = "Event",
        attributes: Mapping[str, JSValue] | None = None,
        *,
        bubbles: bool = False,
        cancelable: bool = False,
    ) -> bool:
        """Fire an event; return whether it was not canceled."""
        event = Event(target.realm, name, interface, dict(attributes or {}), bubbles=bubbles, cancelable=cancelable)
        return dispatching.fire_an_event(event, target)
