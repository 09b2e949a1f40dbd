"""The operations of a script in the model: the same as in the modules in ``runtime``, step for step.

Both sides must agree on one thing: a promise gets exactly one reaction, registered directly after the call that returned
it, and the script continues inside that reaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from modelcontext.platform.dom.dispatching import dispatch
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    JSFunction,
    JSObject,
    JSValue,
    Throw,
    is_same_value,
    type_error,
)
from modelcontext.platform.webidl.conversions import snake_case
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.programs.program.documents import DocumentOperations, Next
from modelcontext.programs.program.element_operations import ElementOperations
from modelcontext.programs.program.location import throwing_line
from modelcontext.programs.program.members import set_member
from modelcontext.programs.program.notated_values import Maker, Writer
from modelcontext.programs.program.notation import ELEMENT_OPERATIONS, METHODS

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.programs.program.language import ProgramStep
    from modelcontext.programs.program.stage import Stage

_method_name = cache(snake_case)

_EVENT_FLAGS = ("bubbles", "cancelable", "composed")


class Script:
    """The script of one document.

    Each operation but those of a ModelContext is the method of its name, here or among those on elements.
    """

    def __init__(self, stage: Stage, id_: str, document: Document) -> None:
        self._stage = stage
        self._id = id_
        self._document = document
        self._boundary = stage.world.boundary
        self._writer = Writer(stage, document)
        self._maker = Maker(stage, id_, document, self._writer, self)
        self._documents = DocumentOperations(stage, document, self)
        self._elements = ElementOperations(stage, document, self, self._writer.written, self._made)
        self._messages: dict[str, Next | None] = {}
        self._settled: set[str] = set()
        self._waiters: dict[str, Next] = {}
        self._entries_left = 0
        self._after_entries: Next | None = None
        self._steps = stage.program.steps(id_)

    def enter(self, script: Callable[[], None]) -> None:
        self._document.event_loop.run_script(self._document.realm, script)

    def run(self, index: int) -> None:
        while index < len(self._steps):
            step = self._steps[index]
            index += 1
            if self._perform(step, partial(self.run, index) if step.wait else None):
                return

    def run_nested(self, steps: Sequence[ProgramStep]) -> None:
        """Run nested steps."""
        for step in steps:
            self._perform(step, None)

    def _recording(self, entry: Mapping[str, object], step: ProgramStep) -> Callable[[], None]:
        """Return a function that records an entry, and runs the steps nested in a step."""

        def run() -> None:
            self.record(entry)
            self.run_nested(step.arguments.get("steps", ()))

        return run

    def record(self, entry: Mapping[str, object], source: object = None) -> None:
        """Record an entry of this document."""
        locate = self._stage.user_agent.locate
        self._stage.record(self._id, entry, source if source is not None or locate is None else locate())
        if self._after_entries is not None:
            self._entries_left -= 1
            if self._entries_left == 0:
                next_, self._after_entries = self._after_entries, None
                next_()

    def _perform(self, step: ProgramStep, next_: Next | None) -> bool:
        """Perform a step; return whether the script waits, to be continued by ``next_``."""
        self._stage.performs(self._id, step)
        waits = self._operate(step, next_)
        self._stage.performed(self._id, step)
        return waits

    def _operate(self, step: ProgramStep, next_: Next | None) -> bool:
        try:
            if step.do in METHODS:
                return self._call(step, next_)
            is_about_elements = step.do in ELEMENT_OPERATIONS or "element" in step.arguments
            operation = getattr(self._elements if is_about_elements else self, _method_name(step.do))
            return bool(operation(step) if next_ is None else operation(step, next_))
        except Throw as throw:
            value = throw.value
            if isinstance(value, JSObject) and value.realm is None:
                value.realm = self._document.realm
            is_watched = self._stage.user_agent.locate is not None
            source = throwing_line(throw.__traceback__) if is_watched else None
            self.record({"step": step.label, "threw": self._writer.written(value)}, source)
            return False

    def _context(self, step: ProgramStep) -> PlatformObject:
        context = self._stage.context_of(step.on or self._id)
        if not isinstance(context, PlatformObject):
            raise type_error("undefined has no members")
        return context

    def _made(self, step: ProgramStep, key: str) -> JSValue:
        return self._maker.make(step.arguments[key]) if key in step.arguments else UNDEFINED

    def _call(self, step: ProgramStep, next_: Next | None) -> bool:
        """Call the method that a step is named after; record its result at once, or a promise when it settles."""
        arguments = [self._maker.make(value) for value in step.method_arguments]
        return self._await(self._boundary.call(self._context(step), step.do, arguments), step, next_)

    def call(self, step: ProgramStep, next_: Next | None = None) -> bool:
        """Call a method of any object, by its path."""
        name = step.arguments.get("object", "modelContext")
        start = self._context(step) if name == "modelContext" else self._maker.named.get(name, UNDEFINED)
        *path, method = step.arguments["path"]
        arguments = [self._maker.make(value) for value in step.arguments.get("arguments", ())]
        this = self._maker.follow(start, path)
        if not isinstance(this, PlatformObject):
            raise type_error(f"{this!r} has no method {method}")
        return self._await(self._boundary.call(this, str(method), arguments), step, next_)

    def _await(self, promise: JSValue, step: ProgramStep, next_: Next | None) -> bool:
        if not isinstance(promise, Promise):
            self.record({"step": step.label, "value": self._writer.written(promise)})
            return False
        unsettled = f"{self._id}: {step.label}"

        def settle(key: str, value: JSValue) -> JSValue:
            self._maker.named[step.label] = value
            self.record({"promise": step.label, key: self._writer.written(value)}, promise.settled_by)
            self._stage.unsettled.discard(unsettled)
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
        self._stage.unsettled.add(unsettled)
        self._stage.promises[unsettled] = promise
        return next_ is not None

    def abort(self, step: ProgramStep) -> None:
        reason = self._made(step, "reason")
        self._maker.controller(step.arguments["controller"]).signal.signal_abort(reason)

    def resolve(self, step: ProgramStep) -> None:
        value = self._made(step, "value")
        self._maker.pending(step.arguments["pending"]).resolve(value)

    def reject(self, step: ProgramStep) -> None:
        value = self._made(step, "value")
        self._maker.pending(step.arguments["pending"]).reject(value)

    def _listener(self, via: str, step: ProgramStep) -> JSFunction:
        def handle(this: JSValue, arguments: list[JSValue]) -> JSValue:
            event = arguments[0]
            assert isinstance(event, Event)
            attributes = self._attributes(event)
            del attributes["type"]
            self.record({"event": event.type, "via": via, **attributes}, event.fired_by)
            self.run_nested(step.arguments.get("steps", ()))
            return UNDEFINED

        return JSFunction(self._document.realm, handle)

    def _attributes(self, event: Event) -> dict[str, object]:
        flags = ["trusted"] if event.is_trusted else []
        flags += [flag for flag in _EVENT_FLAGS if getattr(event, flag)]
        tool_name = {name: self._writer.written(value) for name, value in event.attributes.items()}
        return {"interface": event.event_interface, "type": self._writer.text(event.type), **tool_name, "flags": flags}

    def listen(self, step: ProgramStep) -> None:
        context = self._context(step)
        assert isinstance(context, EventTarget)
        context.add_event_listener(step.arguments["type"], self._listener("listener", step))

    def handler(self, step: ProgramStep) -> None:
        value = self._made(step, "value") if "value" in step.arguments else self._listener("handler", step)
        set_member(self._boundary, self._context(step), f"on{step.arguments['type']}", value)

    def timer(self, step: ProgramStep) -> None:
        self._documents.after_timeout(self._recording({"timer": step.label}, step))

    def microtask(self, step: ProgramStep) -> None:
        job = self._recording({"microtask": step.label}, step)
        self._document.agent.enqueue_promise_job(job, self._document.realm)

    def log(self, step: ProgramStep) -> None:
        self.record({"log": self._writer.written(self._maker.make(step.arguments["value"]))})

    def set(self, step: ProgramStep) -> None:
        *path, last = step.arguments["path"]
        value = self._maker.follow(self._maker.named.get(step.arguments["object"], UNDEFINED), path)
        set_member(self._boundary, value, str(last), self._maker.make(step.arguments["value"]))

    def same(self, step: ProgramStep) -> None:
        left, right = (self._maker.make(value) for value in step.arguments["values"])
        self.record({"step": step.label, "value": is_same_value(left, right)})

    def get(self, step: ProgramStep) -> None:
        name = step.arguments.get("object", "modelContext")
        is_context = name == "modelContext"
        start = self._stage.context_of(step.on or self._id) if is_context else self._maker.named.get(name, UNDEFINED)
        value = self._maker.follow(start, step.arguments.get("path", ()))
        self.record({"step": step.label, "value": self._writer.written(value)})

    def _construct(self, step: ProgramStep) -> Event:
        interface = step.arguments["interface"]
        definition = self._boundary.definitions.interfaces.get(interface)
        if definition is None or (definition.secure_context and not self._document.is_secure_context):
            raise type_error(f"{interface} is not exposed here")
        realm = self._document.realm
        arguments = [self._maker.make(item) for item in step.arguments.get("arguments", [])]
        type_, init = self._boundary.construct_arguments(interface, arguments, realm)
        attributes = {"toolName": init.tool_name} if hasattr(init, "tool_name") else {}
        flags = {flag: getattr(init, flag) for flag in _EVENT_FLAGS}
        return Event(realm, type_, interface, attributes, **flags)

    def construct(self, step: ProgramStep) -> None:
        self.record({"step": step.label, "value": self._attributes(self._construct(step))})

    def dispatch(self, step: ProgramStep) -> None:
        event = self._construct(step)
        context = self._context(step)
        assert isinstance(context, EventTarget)
        dispatch(event, context)
        self.record({"step": step.label, "value": True})

    def tell(self, step: ProgramStep) -> None:
        self._documents.tell(step.arguments["to"], step.arguments["message"])

    def receive(self, message: str) -> None:
        next_ = self._messages.get(message)
        self._messages[message] = None
        if next_ is not None:
            next_()

    def wait_for(self, step: ProgramStep, next_: Next) -> bool:
        if "entries" in step.arguments:
            self._entries_left, self._after_entries = step.arguments["entries"], next_
            return True
        if "result" in step.arguments:
            if step.arguments["result"] in self._settled:
                return False
            self._waiters[step.arguments["result"]] = next_
            return True
        message = step.arguments["message"]
        if message in self._messages and self._messages[message] is None:
            return False
        self._messages[message] = next_
        return True

    def _arrival(self, id_: str, next_: Next | None) -> Next:
        def arrived() -> None:
            self._stage.start_script(id_)
            if next_ is not None:
                next_()

        return arrived

    def add_frame(self, step: ProgramStep, next_: Next | None = None) -> bool:
        id_ = step.arguments["document"]
        self._documents.add_frame(id_, self._arrival(id_, next_))
        if "initial" in step.arguments:
            self._stage.know_initial_document(step.arguments["initial"], id_)
        self.run_nested(step.arguments.get("steps", ()))
        return next_ is not None

    def remove_frame(self, step: ProgramStep) -> None:
        self._documents.remove_frame(step.arguments["document"])

    def navigate(self, step: ProgramStep, next_: Next | None = None) -> bool:
        to = step.arguments["to"]
        self._documents.navigate(step.arguments["document"], to, self._arrival(to, next_))
        return next_ is not None

    def leave(self, step: ProgramStep, next_: Next) -> bool:
        self._documents.leave(step.arguments["document"], next_)
        return True

    def go_back(self, step: ProgramStep) -> None:
        self._documents.go_back()

    def page_transition(self, step: ProgramStep) -> None:
        type_ = step.arguments["type"]
        self._documents.on_page_transition(type_, self._recording({"pageTransition": type_}, step))

    def open(self, step: ProgramStep, next_: Next) -> bool:
        id_ = step.arguments["document"]
        self._documents.open(id_, self._arrival(id_, next_))
        return True

    def close(self, step: ProgramStep) -> None:
        self._documents.close(step.arguments["document"])
