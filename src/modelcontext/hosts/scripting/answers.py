"""The answers to what scripts ask for: members of interfaces, operations of the API, listeners, timers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule import footprint
from modelcontext.hosts.scripting.engine import ScriptThrewError
from modelcontext.hosts.scripting.members import documents, member_tables, windows
from modelcontext.hosts.scripting.recorded import reaches_beyond, recorded
from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.events import EventTarget
from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSFunction, JSValue, Throw
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE
from modelcontext.platform.webidl.types import ABSENT, CallbackFunction

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.hosts.scripting.scripting_host import ScriptingHost
    from modelcontext.platform.html.window import Window

#: The elements that a window has by their ``name`` attribute.
_NAMED: Final = frozenset({"embed", "form", "img", "object"})
#: The interfaces, and other members, whose answers rest on what scripts of other event loops do, or change it.
_BEYOND: Final = ("Storage.", "MessagePort.", "Location.", "History.")
_BEYOND_MEMBERS: Final = frozenset({"Window.length", "Window.closed", "Window.name", "Window.opener"})


def _reads_beyond(key: str) -> bool:
    """Return whether the value of a member may rest on what scripts of other event loops do, unrecorded."""
    return key.startswith(_BEYOND) or key in _BEYOND_MEMBERS


def _acts_beyond(key: str) -> bool:
    """Return whether a member that acts may rest on what scripts of other event loops do, or change it, unrecorded."""
    return key.startswith((*_BEYOND, "Window."))


class Answers:
    """The answers of one browser; they take and give data.

    Args:
        parts: the parts of the realms.
        host: the host of the algorithms.
        noted: called with each note that a test writes.
    """

    def __init__(self, parts: Parts, host: ScriptingHost, noted: Callable[[str], None]) -> None:
        self._parts = parts
        self._realms = parts.realms
        self._border = parts.realms.border
        self._host = host
        self._noted = noted

    def _answer(self, handler: Callable[..., Any], *values: Any) -> Any:
        if footprint.current is not None and reaches_beyond(handler, values):
            self._realms.note_effect_beyond()
        try:
            answer = handler(*values)
            self._realms.invoke_custom_element_reactions()
            return answer
        except Throw as throw:
            raise ScriptThrewError(self._border.encode(throw.value)) from None
        except RecursionError:
            error = JSError("RangeError", "too much recursion")
            raise ScriptThrewError(self._border.encode(error)) from None

    def handlers(self) -> dict[str, Callable[..., Any]]:
        """Return what answers each of the process's calls, by name."""
        documents.define_reflecting_attributes()
        parts = self._parts
        handlers: dict[str, Callable[..., Any]] = {
            "need_realm": self._realms.need_realm,
            "settled": self._host.settled,
            "get": self._get,
            "set": self._set,
            "operation": self._operation,
            "static": self._static,
            "construct": self._construct,
            "call": self._call_api,
            "add_listener": self._add_listener,
            "remove_listener": self._remove_listener,
            "fetch": self._fetch,
            "module_is_ready": self._realms.module_is_ready,
            "define_custom_element": self._realms.define_custom_element,
            "submit_form": parts.loader.submit_form,
            "set_timer": self._set_timer,
            "clear_timer": self._clear_timer,
            "microtask": self._microtask,
            "steps_of_a_microtask": self._realms.run_a_microtask,
            "console": self._console,
            "at": self._at,
            "report": self._report,
            "note": self._noted,
            "missing": self._missing,
            "rejection_handled": self._rejection_handled,
            "now": self._now,
            "child_window": self._child_window,
            "named_on_window": self._named_on_window,
            "window_member": self._window_member,
            "navigate_window": parts.loader.navigate_window,
            "create_object_url": parts.fetcher.create_object_url,
            "revoke_object_url": parts.fetcher.revoke_object_url,
            "post_to_window": parts.messages.post_to_window,
            "post_to_port": parts.messages.post_to_port,
            "post_to_channel": parts.messages.post_to_channel,
            "move_ports": parts.messages.move_ports,
        }
        return {name: partial(self._answer, handler) for name, handler in handlers.items()}

    def _at(self, url: str, line: int) -> None:
        self._realms.at(url, line)

    @recorded()
    def _now(self) -> float:
        return self._parts.timers.now

    @recorded(unless=_reads_beyond)
    def _get(self, id: int, key: str) -> Any:
        this = self._border.object_of(id)
        member = key.partition(".")[2]
        if member.startswith("on") and key not in member_tables.GETTERS:
            assert isinstance(this, EventTarget)
            if key == "Window.onerror":
                return self._border.encode(self._parts.handlers_of_windows.get(this))
            return self._border.encode(this.get_event_handler(member.removeprefix("on")))
        getter = member_tables.GETTERS.get(key)
        if getter is None:
            algorithm = self._realms.revision.algorithms.get(f"dom-{key.replace('.', '-').lower()}")
            if algorithm is None:
                raise self._not_here(key)
            return self._border.encode(algorithm(this), this.realm)
        return self._border.encode(getter(self._parts, this), this.realm)

    @recorded(unless=_acts_beyond)
    def _set(self, id: int, key: str, data: Any) -> None:
        this = self._border.object_of(id)
        value = self._border.decode(data)
        member = key.partition(".")[2]
        setter = member_tables.SETTERS.get(key)
        if setter is not None:
            setter(self._parts, this, value)
        elif member.startswith("on"):
            assert isinstance(this, EventTarget)
            this.set_event_handler(member.removeprefix("on"), value)
        else:
            raise self._not_here(key)

    @recorded(unless=_acts_beyond)
    def _operation(self, id: int, key: str, data: list[Any]) -> Any:
        this = self._border.object_of(id)
        operation = member_tables.OPERATIONS.get(key)
        if operation is None:
            raise self._not_here(key)
        return self._border.encode(operation(self._parts, this, *map(self._border.decode, data)), this.realm)

    @recorded(unless=_acts_beyond)
    def _static(self, realm: int, key: str, data: list[Any]) -> Any:
        operation = member_tables.STATICS[key]
        return self._border.encode(
            operation(self._parts, self._realms.realm_of(realm), *map(self._border.decode, data))
        )

    @recorded(unless=_acts_beyond)
    def _construct(self, realm: int, name: str, data: list[Any]) -> int:
        constructor = member_tables.CONSTRUCTORS[name]
        return self._border.id_of(
            constructor(self._parts, self._realms.realm_of(realm), *map(self._border.decode, data))
        )

    def _not_here(self, key: str) -> Throw:
        self._realms.observed.missing[key] += 1
        return Throw(JSError("TypeError", f"{key} is not implemented in the simulated browser"))

    @recorded()
    def _call_api(self, id: int, operation: str, text: str) -> Any:
        this = self._border.object_of(id)
        definition = self._realms.revision.definitions.interfaces[this.interface].operations[
            operation.partition(".")[2]
        ]
        shapes = [argument.type for argument in definition.arguments]
        values = [self._from_shape(shape, data) for shape, data in zip(shapes, json.loads(text), strict=True)]
        algorithm = self._realms.revision.algorithm(f"dom-{operation.replace('.', '-').lower()}")
        self._host.realm_of_call, self._host.json_of_call = this.realm, ""
        try:
            returned = algorithm(this, *values)
        except Throw as throw:
            raise ScriptThrewError(self._border.encode(throw.value, this.realm)) from None
        if operation == "ModelContext.executeTool":
            self._realms.observed.tool_calls.append(self._host.note_call(values[0].name, returned))
        return 0 if returned is None else self._border.encode(returned, this.realm)[1]

    def _from_shape(self, type_: Any, data: Any) -> Any:
        """Return the IDL value of the data that the bindings of the API have written."""
        definitions = self._realms.revision.definitions
        if data is None:
            return ABSENT
        if type_.name == "sequence":
            return [self._from_shape(type_.inner, item) for item in data]
        if type_.name in definitions.dictionaries:
            class_ = self._realms.classes[type_.name]
            member_types = definitions.members_of(definitions.dictionaries[type_.name])
            fields = dict(self._border.fields_of(class_))
            return class_(
                **{
                    fields[member.name]: self._from_shape(member.type, item)
                    for member, item in zip(member_types, data, strict=True)
                }
            )
        if type_.name in definitions.callbacks:
            return CallbackFunction(self._border.decode(data), type_.name)
        value = self._border.decode(data)
        return value.window if type_.name == "Window" else value

    # Event targets

    @recorded()
    def _add_listener(self, id: int, type: str, data: Any, flags: list[Any]) -> None:
        target = self._border.object_of(id)
        assert isinstance(target, EventTarget)
        capture, once, passive, signal_data = flags
        callback = self._listener(data, target)
        signal = self._border.decode(signal_data)
        if callback is None or (signal is not None and signal.aborted):
            return
        target.add_event_listener(type, callback, once=once, capture=capture, passive=passive)
        if signal is not None:
            signal.add(lambda: target.remove_event_listener(type, callback, capture=capture))

    @recorded()
    def _remove_listener(self, id: int, type: str, data: Any, capture: bool) -> None:
        target = self._border.object_of(id)
        assert isinstance(target, EventTarget)
        callback = self._listener(data, target)
        if callback is not None:
            target.remove_event_listener(type, callback, capture=capture)

    def _listener(self, data: Any, target: EventTarget) -> JSFunction | None:
        if data is None:
            return None
        value = self._border.decode(data)
        if isinstance(value, JSFunction):
            return value

        def behavior(this: JSValue, values: list[JSValue]) -> JSValue:
            event = self._border.encode(values[0])
            this_data = self._border.encode(this)
            returned: JSValue = self._border.decode(
                self._realms.call(target.realm, "call_listener", data, this_data, event)
            )
            return returned

        return self._border.listener_of(value, lambda: JSFunction(target.realm, behavior))

    # Timers and others

    @recorded()
    def _set_timer(self, realm: int, callback: Any, values: list[Any], timeout: int, repeats: bool) -> int:
        realms = self._realms
        document = realms.documents[realm]
        value = self._border.decode(callback)
        arguments = [self._border.decode(one) for one in values]

        def script() -> None:
            try:
                realms.call_function(document.realm, value.handle, document.window.proxy, arguments)
            except Throw as throw:
                realms.report_an_exception(document, throw.value)

        def steps() -> None:
            if isinstance(value, str):
                realms.evaluate(document, value, document.url)
            else:
                document.event_loop.run_script(value.realm, script)

        return self._parts.timers.set(document, steps, timeout, repeats=repeats)

    @recorded()
    def _fetch(self, realm: int, url: str, method: str, body: str, callback: Any) -> None:
        realms = self._realms
        document = realms.documents[realm]
        function = self._border.decode(callback)

        def arrive(value: JSValue) -> None:
            run = partial(realms.call_function, document.realm, function.handle, UNDEFINED, [value])
            document.event_loop.run_script(document.realm, run)

        self._parts.fetcher.fetch_for_script(document, url, method, body, arrive)

    @recorded()
    def _clear_timer(self, realm: int, id: int) -> None:
        self._parts.timers.clear(self._realms.documents[realm], id)

    @recorded()
    def _microtask(self, realm: int, callback: Any) -> None:
        function = self._border.decode(callback)
        try:
            self._realms.call_function(self._realms.realm_of(realm), function.handle, UNDEFINED, [])
        except Throw as throw:
            self._realms.report_an_exception(self._realms.documents[realm], throw.value)

    @recorded()
    def _console(self, realm: int, level: str, text: str) -> None:
        self._realms.shows(self._realms.documents[realm], level, text)

    @recorded()
    def _report(self, text: str) -> None:
        if self._realms.observed.report is None:
            self._realms.observed.report = json.loads(text)

    @recorded()
    def _missing(self, realm: int, name: str) -> None:
        self._realms.observed.missing[name] += 1

    @recorded()
    def _rejection_handled(self, realm: int, promise: Any, reason: Any) -> None:
        document = self._realms.documents.get(realm)
        if document is not None:
            attributes = {"promise": self._border.decode(promise), "reason": self._border.decode(reason)}
            target = self._realms.target_of(document)
            steps = partial(self._realms.fire, target, "rejectionhandled", "PromiseRejectionEvent", attributes)
            document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, document, steps)

    def _child_window(self, navigable: int, key: int | str) -> Any:
        """Return a child of a window by its place, or by its target name."""
        document = self._border.navigable_of(navigable).active_document
        children = windows.child_navigables(document) if document is not None else []
        if isinstance(key, str):
            loader = self._parts.loader
            named = [child for child in children if key and loader.name_of(child) == key]
            return self._border.encode(named[0].window_proxy) if named else None
        return self._border.encode(children[key].window_proxy) if key < len(children) else None

    def _named_on_window(self, realm: int, name: str) -> Any:
        """https://html.spec.whatwg.org/#named-access-on-the-window-object"""
        document = self._realms.documents[realm]
        if not name or document.node_navigable is None:
            return None
        window = self._child_window(self._border.navigable_id(document.node_navigable), name)
        if window is not None:
            return window
        for element in document.descendants:
            if isinstance(element, Element) and (
                element.get_attribute("id") == name
                or (element.local_name in _NAMED and element.get_attribute("name") == name)
            ):
                return self._border.encode(element)
        return None

    def _window_member(self, realm: int, navigable: int, key: str) -> Any:
        """Return a member of a window that other origins may read."""
        target = self._border.navigable_of(navigable)
        window: Window = target.window_proxy.window
        getter = member_tables.GETTERS[f"Window.{key}"]
        return self._border.encode(getter(self._parts, self._realms.target_of(window.associated_document)))
