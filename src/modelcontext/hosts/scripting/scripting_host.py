"""The host of scripts in the engine: documents, event loops and events are the model's, values and promises the engine's."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from modelcontext.hosts.scripting.border import Border, EnginePromise
from modelcontext.hosts.scripting.observed import ToolCall
from modelcontext.hosts.scripting.recorded import recorded
from modelcontext.hosts.simulated.simulated_host import SimulatedHost
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSObject, JSValue, type_error
from modelcontext.platform.html.window import document_of
from modelcontext.platform.infra.errors import spec_assert

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.user_agent import UserAgent
    from modelcontext.platform.webidl.boundary import Boundary
    from modelcontext.platform.webidl.types import CallbackFunction


class ScriptingHost(SimulatedHost):
    """The host of one user agent whose scripts run in an engine.

    Args:
        user_agent: the user agent.
        boundary: the bindings of the revision.
        border: makes data of values, and values of data.
        call: calls a function of a realm with data.
        warn: shows a warning about a value in the console of a document.
        place_of: returns the words of an exception.
    """

    def __init__(
        self,
        user_agent: UserAgent,
        boundary: Boundary,
        border: Border,
        call: Callable[..., Any],
        warn: Callable[[Document, JSValue], None],
        place_of: Callable[[Any], dict[str, Any]],
    ) -> None:
        super().__init__(user_agent, boundary)
        self._place_of = place_of
        self._border = border
        self._call = call
        self._warn = warn
        # The document whose reaction to a promise ran last.
        self._reacting: Document | None = None
        #: The realm of the object whose operation was called last.
        self.realm_of_call: Realm | None = None
        self._ids = itertools.count(1)
        #: The JSON that the operation has made that was called last.
        self.json_of_call = ""
        self._tool_calls: dict[int, ToolCall] = {}
        self._reactions: dict[int, tuple[Realm, Callable[[JSValue], None], Callable[[JSValue], None]]] = {}

    @recorded()
    def settled(self, reaction: int, fulfilled: bool, data: Any) -> None:
        """React to a promise, unless the document of the reaction has gone: HTML runs no job of such a document."""
        realm, on_fulfilled, on_rejected = self._reactions.pop(reaction)
        self._reacting = document_of(realm)
        if not self._reacting.is_fully_active:
            return
        (on_fulfilled if fulfilled else on_rejected)(self._border.decode(data))

    def a_new_promise(self, realm: Realm) -> Promise:
        return EnginePromise(realm, self._call(realm, "new_promise")[1])

    def a_promise_rejected_with(self, reason: JSValue, realm: Realm) -> Promise:
        promise = self.a_new_promise(realm)
        self._settle(promise, "reject", reason)
        return promise

    def resolve(self, promise: PromiseObject, value: object) -> None:
        assert isinstance(promise, Promise)
        self._is_settled_here(promise)
        self._settle(promise, "resolve", value)

    def reject(self, promise: PromiseObject, reason: JSValue) -> None:
        assert isinstance(promise, Promise)
        self._is_settled_here(promise)
        self._settle(promise, "reject", reason)

    def report_a_warning_to_the_console(self, reason: JSValue) -> None:
        # The specification reports warnings only in reactions.
        assert self._reacting is not None
        self._warn(self._reacting, reason)

    def note_call(self, name: str, promise: EnginePromise) -> ToolCall:
        """Return a call of a tool whose promise is given, and which will have its end when that is settled."""
        call = self._tool_calls[promise.handle] = ToolCall(name, self.json_of_call or "{}")
        return call

    def _settle(self, promise: Promise, how: str, value: object) -> None:
        realm = promise.realm
        assert realm is not None
        data = self._border.encode(value, realm)
        call = self._tool_calls.get(self._border.encode(promise)[1])
        if call is not None:
            if how == "reject":
                call.end = f"rejected, {self._place_of(data)['text']}"
            else:
                call.end = value if isinstance(value, str) else self._call(realm, "stringify", data)
        self._call(realm, "settle", self._border.encode(promise), how, data)

    def react(
        self, promise: PromiseObject, on_fulfilled: Callable[[JSValue], None], on_rejected: Callable[[JSValue], None]
    ) -> None:
        assert promise.realm is not None
        id = next(self._ids)
        self._reactions[id] = (promise.realm, on_fulfilled, on_rejected)
        self._call(promise.realm, "react", self._border.encode(promise), id)

    def invoke(self, callback: CallbackFunction, arguments: list[object], this: JSValue) -> Promise:
        spec_assert(this is UNDEFINED, "callbacks are invoked without a callback this value")
        function = callback.function
        realm = function.realm
        assert realm is not None
        self._assert_on_event_loop_of(realm)
        values = [self._border.encode(argument, realm) for argument in arguments]
        promises: list[Promise] = []

        def run() -> None:
            data = self._call(realm, "invoke", self._border.encode(function), values)
            promises.append(EnginePromise(realm, data[1]))

        realm.agent.run_script(realm, run)
        return promises[0]

    def is_object(self, value: JSValue) -> bool:
        # Symbols and bigints do not come here: the conversions to `object` refuse them.
        return isinstance(value, JSObject)

    def new_empty_object(self, realm: Realm) -> JSObject:
        return cast("JSObject", self._border.decode(self._call(realm, "new_object")))

    def serialize_a_javascript_value_to_a_json_string(self, value: JSValue) -> str:
        realm = self.realm_of_call
        assert realm is not None
        text = self._call(realm, "stringify", self._border.encode(value, realm))
        if text is None:
            raise type_error("the value has no JSON text")
        self.json_of_call = cast("str", text)
        return self.json_of_call

    def parse_a_json_string_to_a_javascript_value(self, string: str, realm: Realm) -> JSValue:
        return cast("JSValue", self._border.decode(self._call(realm, "parse", string)))
