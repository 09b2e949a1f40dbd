"""Running a program in the model: the same language as the modules in ``runtime``, step for step, in a simulated user agent.

What may not change here without the page side changing too: a promise gets exactly one reaction, registered directly
after the call that returned it, and the script goes on inside that reaction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeGuard

from modelcontext.dom.events import Event, EventTarget
from modelcontext.ecmascript.promise import Promise
from modelcontext.ecmascript.realm import Realm
from modelcontext.ecmascript.values import UNDEFINED, BigInt, JSFunction, JSObject, JSValue, Throw, type_error
from modelcontext.host.simulated import document_of
from modelcontext.html import loading
from modelcontext.html.document import Document
from modelcontext.html.event_loop import (
    DOM_MANIPULATION_TASK_SOURCE,
    POSTED_MESSAGE_TASK_SOURCE,
    TIMER_TASK_SOURCE,
)
from modelcontext.html.navigable import Navigable, NavigableContainer
from modelcontext.html.parallel import ParallelSteps
from modelcontext.html.window import WindowProxy
from modelcontext.program.language import DocumentSpec, Program, ProgramError, Step, Value
from modelcontext.program.location import throwing_line
from modelcontext.program.making import Maker
from modelcontext.program.members import set_member
from modelcontext.program.outcome import Outcome
from modelcontext.program.render import with_callback
from modelcontext.program.writing import Writer
from modelcontext.revisions.registry import REVISIONS
from modelcontext.revisions.revision import Revision
from modelcontext.schedule import footprint
from modelcontext.schedule.choose import Chooser
from modelcontext.webidl.platform_object import PlatformObject
from modelcontext.world import World

#: The origins that the letters of a program stand for in the model.
ORIGINS: Final[Mapping[str, str]] = {
    **{letter: f"https://{letter.lower()}.test" for letter in "ABCD"},
    "insecure": "http://insecure.test",
}

_ARRIVALS: Final = footprint.Kind("arrivals")

#: More actions than this, and a program is taken to schedule itself for ever.
MOST_ACTIONS: Final = 100_000


class Run:
    """One run of a program under one schedule.

    Args:
        program: what to run.
        chooser: makes the free choices; first in, first out unless given.
        locate: tells where in the specification's algorithms the run is; None keeps no record of that.
        revision: runs it; the program's own unless given.
    """

    def __init__(
        self,
        program: Program,
        chooser: Chooser | None = None,
        locate: Callable[[], object] | None = None,
        revision: Revision | None = None,
    ) -> None:
        self.program = program
        self.world = World(revision or REVISIONS[program.revision], chooser)
        self.user_agent = self.world.user_agent
        self.user_agent.locate = locate
        self.logs: dict[str, list[Mapping[str, Any]]] = {}
        self.observations: list[tuple[str, Mapping[str, Any]]] = []
        self.sources: dict[str, list[object]] = {}
        self.unsettled: set[str] = set()
        self.promises: dict[str, Promise] = {}
        self.containers: dict[str, NavigableContainer] = {}
        self.windows: dict[str, WindowProxy] = {}
        self.contexts: dict[str, JSValue] = {}
        self.ids: dict[Document, str] = {}
        self.scripts: dict[Document, Script] = {}

    def relevant(self) -> tuple[object, ...]:
        """What decides how it goes on: everything but what it has recorded."""
        known = (self.containers, self.windows, self.contexts, self.ids, self.scripts, self.unsettled)
        return (self.user_agent, *known)

    def start(self) -> None:
        """Make the documents of the start, and queue the start of their scripts."""
        self.world.enter()
        top = loading.create_a_new_top_level_traversable(self.user_agent, self.response("top"))
        self.arrive("top", top)
        initial = [spec for spec in self.program.documents.values() if not spec.later]
        for spec in initial:
            if spec.opener is not None:
                self.open(spec)
        for spec in initial:
            self.start_script(spec.id)

    def finish(self) -> Outcome:
        """Let everything happen that can, and return the outcome.

        Raises:
            RunawayError: for a program that schedules itself for ever.
        """
        self.world.run_until_idle(MOST_ACTIONS)
        return self.outcome()

    def outcome(self) -> Outcome:
        """Return what has been recorded so far."""
        return Outcome({name: tuple(log) for name, log in self.logs.items()}, tuple(sorted(self.unsettled)))

    def response(self, id_: str) -> loading.Response:
        """Return what the server answers for a document."""
        spec = self.program.documents[id_]
        return loading.Response(f"{ORIGINS[spec.origin]}/{id_}", substituted(spec.permissions_policy or ""))

    def open(self, spec: DocumentSpec) -> Document:
        """Open a popup, with its frames, that has loaded."""
        opener = self.document_of(spec.opener or "")
        document = loading.create_a_new_top_level_traversable(self.user_agent, self.response(spec.id), opener)
        self.arrive(spec.id, document)
        return document

    def document_of(self, id_: str) -> Document:
        """Return the document that is now in the window of a document."""
        return self.window_of(id_).window.associated_document

    def window_of(self, id_: str) -> WindowProxy:
        """Return the window of a document.

        Raises:
            ProgramError: if nothing has brought it yet.
        """
        window = self.windows.get(self.holder(id_))
        if window is None:
            raise self._not_there_yet("the window", id_)
        return window

    def container_of(self, id_: str) -> NavigableContainer:
        """Return the iframe that holds a document.

        Raises:
            ProgramError: if nothing has inserted it yet.
        """
        container = self.containers.get(self.holder(id_))
        if container is None:
            raise self._not_there_yet("the iframe", id_)
        return container

    def _not_there_yet(self, what: str, id_: str) -> ProgramError:
        return ProgramError(
            self.program.source, "", f'{what} of "{id_}" is used under some schedule before a step has brought it'
        )

    def context_of(self, id_: str) -> JSValue:
        """Return the ModelContext object of a document; undefined where there is none, or not yet."""
        footprint.read(_ARRIVALS, self.holder(id_))
        return self.contexts.get(id_, UNDEFINED)

    def holder(self, id_: str) -> str:
        """Return the document for which the iframe or window that holds a document was made."""
        return self.program.holders.get(id_, id_)

    def arrive(self, id_: str, document: Document) -> None:
        """Take note of a new document, and make its frames of the start."""
        navigable = document.node_navigable
        assert navigable is not None
        self.windows.setdefault(self.holder(id_), navigable.window_proxy)
        self.ids[document] = id_
        footprint.write(_ARRIVALS, self.holder(id_))
        self.contexts[id_] = self.world.boundary.get(self.world.revision.accessor_owner(document), "modelContext")
        self.scripts[document] = Script(self, id_, document)
        for spec in self.program.documents.values():
            if spec.parent == id_ and not spec.later:
                container = self.insert_frame(spec, document)
                child_navigable = container.content_navigable
                assert child_navigable is not None
                child = loading.replace_the_initial_document(child_navigable, self.response(spec.id))
                self.arrive(spec.id, child)

    def insert_frame(self, spec: DocumentSpec, parent: Document) -> NavigableContainer:
        """Insert the iframe of a document."""
        container = self.containers[spec.id] = loading.insert_an_iframe(
            parent,
            allow=substituted(spec.allow or ""),
            sandbox=spec.sandbox,
            src=self.response(spec.id).url,
        )
        navigable = container.content_navigable
        assert navigable is not None
        self.windows[spec.id] = navigable.window_proxy
        return container

    def start_script(self, id_: str) -> None:
        """Queue the task that starts the script of a document."""
        self.post_message(id_, lambda script: script.run(0))

    def post_message(self, id_: str, received: Callable[[Script], None]) -> None:
        """Post a message to the document that is in the window of a document."""
        document = self.document_of(id_)
        if self.program.leaves and self.ids.get(document) != id_:
            # In the back/forward cache; messages wait for it there.
            document = next(known for known, name in self.ids.items() if name == id_)
        footprint.read(_ARRIVALS, self.holder(id_))
        script = self.scripts.get(document)
        if script is not None:
            document.event_loop.queue_a_task(
                POSTED_MESSAGE_TASK_SOURCE, document, lambda: script.enter(lambda: received(script))
            )

    def performs(self, id_: str, step: Step) -> None:
        """Take note that a document's script comes to a step; here, there is nothing to note."""

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        """Record an entry of a document, and where in the specification it comes from."""
        log = self.program.log_of(id_)
        entry = {"in": id_, **entry}
        self.logs.setdefault(log, []).append(entry)
        self.observations.append((log, entry))
        self.sources.setdefault(log, []).append(source)


class Script:
    """The script of one document."""

    def __init__(self, run: Run, id_: str, document: Document) -> None:
        self._run = run
        self._id = id_
        self._document = document
        self._boundary = run.world.boundary
        self._writer = Writer(ORIGINS, self._window_id, self._foreign_realm)
        self._maker = Maker(document.realm, self._boundary, ORIGINS, self)
        self._messages: dict[str, Callable[[], None] | None] = {}
        self._settled: set[str] = set()
        self._waiters: dict[str, Callable[[], None]] = {}
        self._steps = run.program.steps(id_)

    def enter(self, script: Callable[[], None]) -> None:
        """Run some script in the document's realm."""
        self._document.event_loop.run_script(self._document.realm, script)

    def run(self, index: int) -> None:
        """Run the steps from one on, up to one that waits."""
        while index < len(self._steps):
            step = self._steps[index]
            index += 1
            if self._perform(step, self._continuation(index) if step.wait else None):
                return

    def _continuation(self, index: int) -> Callable[[], None]:
        return lambda: self.run(index)

    def run_nested(self, steps: Sequence[Step]) -> None:
        """Run nested steps."""
        for step in steps:
            self._perform(step, None)

    def record(self, entry: Mapping[str, object], source: object = None) -> None:
        """Record an entry of this document."""
        locate = self._run.user_agent.locate
        self._run.record(self._id, entry, source if source is not None or locate is None else locate())

    def written(self, value: JSValue) -> object:
        """Return a value in the notation of outcomes."""
        return self._writer.written(value)

    def window_of(self, document: str | None) -> WindowProxy:
        """Return the window of a document; None is this one."""
        return self._run.window_of(document or self._id)

    def model_context_of(self, document: str) -> JSValue:
        """Read the attribute ``modelContext`` of a document, or of its navigator, as script does."""
        owner = self._run.world.revision.accessor_owner(self._run.document_of(document))
        return self._boundary.get(owner, "modelContext")

    def origin_of(self, document: str | None) -> str:
        """Return the serialized origin of a document; None is this one."""
        id_ = document or self._id
        return "null" if self._run.program.is_opaque(id_) else ORIGINS[self._run.program.documents[id_].origin]

    def _window_id(self, window: WindowProxy) -> str:
        return next(id_ for id_, known in self._run.windows.items() if known is window)

    def _foreign_realm(self, realm: Realm | None) -> str | None:
        if realm is None or realm is self._document.realm:
            return None
        return self._run.ids.get(document_of(realm))

    def _perform(self, step: Step, next_: Callable[[], None] | None) -> bool:
        """Perform a step; return whether the script goes on later, by calling ``next_``."""
        self._run.performs(self._id, step)
        try:
            return bool(_OPERATIONS[step.do](self, step, step.arguments, next_))
        except Throw as throw:
            value = throw.value
            if isinstance(value, JSObject) and value.realm is None:
                value.realm = self._document.realm
            is_watched = self._run.user_agent.locate is not None
            source = throwing_line(throw.__traceback__) if is_watched else None
            self.record({"step": step.label, "threw": self.written(value)}, source)
            return False

    def _context(self, step: Step) -> PlatformObject:
        context = self._run.context_of(step.on or self._id)
        if not isinstance(context, PlatformObject):
            raise type_error("undefined has no members")
        return context

    def _arguments(self, data: Mapping[str, Value], keys: Sequence[str]) -> list[JSValue]:
        if "arguments" in data:
            return [self._maker.make(item) for item in data["arguments"]]
        result: list[JSValue] = []
        for index, key in enumerate(keys):
            if key in data:
                result.extend([UNDEFINED] * (index - len(result)))
                result.append(self._maker.make(data[key]))
        return result

    def _call(self, step: Step, keys: Sequence[str], next_: Callable[[], None] | None) -> bool:
        """Call a method; what it returns is recorded at once, or when it has settled if it is a promise."""
        data = step.arguments
        if step.do == "registerTool" and "tool" in data:
            data = {**data, "tool": with_callback(data["tool"], step)}
        arguments = self._arguments(data, keys)
        promise = self._boundary.call(self._context(step), step.do, arguments)
        if not isinstance(promise, Promise):
            self.record({"step": step.label, "value": self.written(promise)})
            return False
        run = self._run
        unsettled = f"{self._id}: {step.label}"

        def settle(key: str, value: JSValue) -> JSValue:
            self._maker.named[step.label] = value
            self.record({"promise": step.label, key: self.written(value)}, promise.settled_by)
            run.unsettled.discard(unsettled)
            self._settled.add(step.label)
            waiter = self._waiters.pop(step.label, None)
            if waiter is not None:
                waiter()
            if next_ is not None:
                next_()
            return UNDEFINED

        promise.react(
            lambda value: settle("fulfilled", value), lambda reason: settle("rejected", reason), self._document.realm
        )
        run.unsettled.add(unsettled)
        run.promises[unsettled] = promise
        return next_ is not None

    def register_tool(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None] | None) -> bool:
        return self._call(step, ("tool", "options"), next_)

    def unregister_tool(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None] | None) -> bool:
        return self._call(step, ("name",), next_)

    def get_tools(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None] | None) -> bool:
        return self._call(step, ("options",), next_)

    def execute_tool(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None] | None) -> bool:
        return self._call(step, ("tool", "input", "options"), next_)

    def abort(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        reason = self._maker.make(data["reason"]) if "reason" in data else UNDEFINED
        self._maker.controller(data["controller"]).signal.signal_abort(reason)

    def resolve(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        value = self._maker.make(data["value"]) if "value" in data else UNDEFINED
        self._maker.pending(data["pending"]).resolve(value)

    def reject(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        value = self._maker.make(data["value"]) if "value" in data else UNDEFINED
        self._maker.pending(data["pending"]).reject(value)

    def _listener(self, via: str, steps: Sequence[Step]) -> JSFunction:
        def handle(this: JSValue, arguments: list[JSValue]) -> JSValue:
            event = arguments[0]
            assert isinstance(event, Event)
            attributes = self._attributes(event)
            del attributes["type"]
            self.record({"event": event.type, "via": via, **attributes}, event.fired_by)
            self.run_nested(steps)
            return UNDEFINED

        return JSFunction(self._document.realm, handle)

    def _attributes(self, event: Event) -> dict[str, object]:
        flags = [
            name
            for name, value in (
                ("trusted", event.is_trusted),
                ("bubbles", event.bubbles),
                ("cancelable", event.cancelable),
                ("composed", event.composed),
            )
            if value
        ]
        tool_name = {name: self.written(value) for name, value in event.attributes.items()}
        return {"interface": event.event_interface, "type": self._writer.text(event.type), **tool_name, "flags": flags}

    def listen(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        context = self._context(step)
        assert isinstance(context, EventTarget)
        context.add_event_listener(data["type"], self._listener("listener", data.get("steps", ())))

    def handler(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        value = self._maker.make(data["value"]) if "value" in data else self._listener("handler", data.get("steps", ()))
        set_member(self._boundary, self._context(step), f"on{data['type']}", value)

    def timer(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        document = self._document

        def fire() -> None:
            self.record({"timer": step.label})
            self.run_nested(data.get("steps", ()))

        def run_steps_after_a_timeout() -> ParallelSteps:
            document.event_loop.queue_a_task(TIMER_TASK_SOURCE, document, lambda: self.enter(fire))
            yield from ()

        self._run.user_agent.in_parallel(run_steps_after_a_timeout(), document.window.timers)

    def microtask(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        def job() -> None:
            self.record({"microtask": step.label})
            self.run_nested(data.get("steps", ()))

        self._document.agent.enqueue_promise_job(job, self._document.realm)

    def log(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        self.record({"log": self.written(self._maker.make(data["value"]))})

    def set(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        *path, last = data["path"]
        value = self._maker.follow(self._maker.named.get(data["object"], UNDEFINED), path)
        set_member(self._boundary, value, str(last), self._maker.make(data["value"]))

    def same(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        left, right = (self._maker.make(value) for value in data["values"])
        self.record({"step": step.label, "value": is_same_value(left, right)})

    def get(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        name = data.get("object", "modelContext")
        is_context = name == "modelContext"
        start = self._run.context_of(step.on or self._id) if is_context else self._maker.named.get(name, UNDEFINED)
        value = self._maker.follow(start, data.get("path", ()))
        self.record({"step": step.label, "value": self.written(value)})

    def _construct(self, data: Mapping[str, Value]) -> Event:
        interface = data["interface"]
        definition = self._boundary.definitions.interfaces.get(interface)
        if definition is None or (definition.secure_context and not self._document.is_secure_context):
            raise type_error(f"{interface} is not exposed here")
        realm = self._document.realm
        arguments = [self._maker.make(item) for item in data.get("arguments", [])]
        type_, init = self._boundary.construct_arguments(interface, arguments, realm)
        attributes = {"toolName": init.tool_name} if hasattr(init, "tool_name") else {}
        return Event(
            realm,
            type_,
            interface,
            attributes,
            bubbles=init.bubbles,
            cancelable=init.cancelable,
            composed=init.composed,
        )

    def construct(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        self.record({"step": step.label, "value": self._attributes(self._construct(data))})

    def dispatch(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        event = self._construct(data)
        context = self._context(step)
        assert isinstance(context, EventTarget)
        context.dispatch(event)
        self.record({"step": step.label, "value": True})

    def tell(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        message = data["message"]
        self._run.post_message(data["to"], lambda script: script.receive(message))

    def receive(self, message: str) -> None:
        """Take a message; the script goes on if it waits for that one."""
        next_ = self._messages.get(message)
        self._messages[message] = None
        if next_ is not None:
            next_()

    def wait_for(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None]) -> bool:
        if "result" in data:
            if data["result"] in self._settled:
                return False
            self._waiters[data["result"]] = next_
            return True
        message = data["message"]
        if message in self._messages and self._messages[message] is None:
            return False
        self._messages[message] = next_
        return True

    def _loaded_in_frame(
        self, container: NavigableContainer, id_: str, next_: Callable[[], None]
    ) -> Callable[[Document], None]:
        def loaded(document: Document) -> None:
            self._run.arrive(id_, document)
            self._document.event_loop.queue_a_task(
                DOM_MANIPULATION_TASK_SOURCE, self._document, lambda: self.enter(fire_load)
            )

        def fire_load() -> None:
            if container.content_navigable is not None:
                self._arrived(id_, next_)

        return loaded

    def _arrived(self, id_: str, next_: Callable[[], None]) -> None:
        self._run.start_script(id_)
        next_()

    def add_frame(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None]) -> bool:
        id_ = data["document"]
        container = self._run.insert_frame(self._run.program.documents[id_], self._document)
        self._navigate(container, id_, next_)
        return True

    def _navigate(self, container: NavigableContainer, id_: str, next_: Callable[[], None]) -> None:
        navigable = container.content_navigable
        if navigable is not None:
            loaded = self._loaded_in_frame(container, id_, next_)
            loading.navigate(navigable, self._run.response(id_), loaded=loaded)

    def remove_frame(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        loading.remove_an_iframe(self._run.container_of(data["document"]))

    def navigate(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None]) -> bool:
        container = self._run.container_of(data["document"])
        loading.set_src(container, self._run.response(data["to"]).url)
        self._navigate(container, data["to"], next_)
        return True

    def leave(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None]) -> bool:
        id_ = data["document"]
        listeners = self._document.window.page_transition_listeners["pageshow"]

        def loaded(document: Document) -> None:
            self._run.arrive(id_, document)
            self._run.start_script(id_)

        def shown_again() -> None:
            listeners.remove(shown_again)
            next_()

        listeners.append(shown_again)
        loading.navigate(self._navigable(), self._run.response(id_), keep=True, loaded=loaded)
        return True

    def go_back(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        loading.traverse_back(self._navigable())

    def _navigable(self) -> Navigable:
        navigable = self._document.node_navigable
        assert navigable is not None
        return navigable

    def page_transition(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        def hear() -> None:
            self.record({"pageTransition": data["type"]})
            self.run_nested(data.get("steps", ()))

        self._document.window.page_transition_listeners[data["type"]].append(hear)

    def open(self, step: Step, data: Mapping[str, Value], next_: Callable[[], None]) -> bool:
        spec = self._run.program.documents[data["document"]]
        opener = self._document

        def load() -> ParallelSteps:
            popup = self._run.open(spec)
            yield
            popup.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, popup, say_so)

        def say_so() -> None:
            opener.event_loop.queue_a_task(
                POSTED_MESSAGE_TASK_SOURCE, opener, lambda: self.enter(lambda: self._arrived(spec.id, next_))
            )

        self._run.user_agent.in_parallel(load())
        return True

    def close(self, step: Step, data: Mapping[str, Value], next_: object) -> None:
        navigable = self._run.document_of(data["document"]).node_navigable
        if navigable is not None:
            loading.close(navigable)


def substituted(string: str) -> str:
    """Return a string of a document's declaration with the letters replaced by their origins."""
    for letter, origin in ORIGINS.items():
        string = string.replace(f"{{{letter}}}", origin)
    return string


def is_same_value(left: JSValue, right: JSValue) -> bool:
    """ECMAScript's SameValue (``Object.is``)."""
    if _is_number(left) and _is_number(right):
        return (left == right and math.copysign(1, left) == math.copysign(1, right)) or (
            left != left and right != right
        )
    if isinstance(left, str | BigInt):
        return left == right
    return left is right


def _is_number(value: JSValue) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


_OPERATIONS: Final[Mapping[str, Callable[..., bool | None]]] = {
    "registerTool": Script.register_tool,
    "unregisterTool": Script.unregister_tool,
    "getTools": Script.get_tools,
    "executeTool": Script.execute_tool,
    "abort": Script.abort,
    "resolve": Script.resolve,
    "reject": Script.reject,
    "listen": Script.listen,
    "handler": Script.handler,
    "timer": Script.timer,
    "microtask": Script.microtask,
    "log": Script.log,
    "set": Script.set,
    "same": Script.same,
    "get": Script.get,
    "construct": Script.construct,
    "dispatch": Script.dispatch,
    "tell": Script.tell,
    "waitFor": Script.wait_for,
    "addFrame": Script.add_frame,
    "removeFrame": Script.remove_frame,
    "navigate": Script.navigate,
    "open": Script.open,
    "close": Script.close,
    "leave": Script.leave,
    "goBack": Script.go_back,
    "pageTransition": Script.page_transition,
}
