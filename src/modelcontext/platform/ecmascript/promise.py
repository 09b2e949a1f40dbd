"""Promises, with the exact number of jobs that settling takes, since that number decides the order of events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSFunction, JSObject, JSValue, Throw, call

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm

Handler: TypeAlias = Callable[[JSValue], JSValue]

PENDING: Final = "pending"
FULFILLED: Final = "fulfilled"
REJECTED: Final = "rejected"


class PromiseObject(JSObject):
    """A promise as algorithms have it: they only hand it to their host, which knows where its state is."""

    __slots__ = ()


class Promise(PromiseObject):
    """A JavaScript promise whose state is here. ``result`` is the value or the reason once ``state`` is not ``"pending"``.

    ``settled_by`` is for people: the step that settled the promise, if the run records steps.
    """

    __slots__ = ("_already_resolved", "_reactions", "result", "settled_by", "state")

    def __init__(self, realm: Realm) -> None:
        super().__init__(realm)
        self.state: Literal["pending", "fulfilled", "rejected"] = PENDING
        self.result: JSValue = UNDEFINED
        self.settled_by: object = None
        self._reactions: list[Reaction] = []
        self._already_resolved = False

    def resolve(self, resolution: JSValue) -> None:
        """Perform ECMAScript's Promise Resolve Functions: read ``then`` of an object, which script can observe."""
        if self._already_resolved:
            return
        self._already_resolved = True
        self.resolve_anyway(resolution)

    def resolve_anyway(self, resolution: JSValue) -> None:
        """Resolve the promise, for callers that check for themselves whether they were called before."""
        if not isinstance(resolution, JSObject):
            self.settle(FULFILLED, resolution)
            return
        if resolution is self:
            self.settle(REJECTED, JSError("TypeError", "a promise cannot be resolved with itself", self.realm))
            return
        if isinstance(resolution, Promise):
            self._adopt_in_a_job(resolution)
            return
        try:
            then = resolution.get("then")
        except Throw as throw:
            self.settle(REJECTED, throw.value)
            return
        if isinstance(then, JSFunction):
            self._call_then_in_a_job(resolution, then)
        else:
            self.settle(FULFILLED, resolution)

    def reject(self, reason: JSValue) -> None:
        """Perform ECMAScript's Promise Reject Functions."""
        if self._already_resolved:
            return
        self._already_resolved = True
        self.settle(REJECTED, reason)

    def then(self, on_fulfilled: Handler | None, on_rejected: Handler | None, handler_realm: Realm) -> Promise:
        """Perform ECMAScript's PerformPromiseThen with a new derived promise; both handlers are of ``handler_realm``."""
        derived = Promise(handler_realm)
        self._react(Reaction(on_fulfilled, on_rejected, handler_realm, derived))
        return derived

    def react(self, on_fulfilled: Handler, on_rejected: Handler, handler_realm: Realm) -> None:
        """Perform ECMAScript's PerformPromiseThen without a derived promise."""
        self._react(Reaction(on_fulfilled, on_rejected, handler_realm, None))

    def _react(self, reaction: Reaction) -> None:
        if self.state == PENDING:
            self._reactions.append(reaction)
        else:
            self._enqueue(reaction)

    def settle(self, state: Literal["fulfilled", "rejected"], result: JSValue) -> None:
        """Perform ECMAScript's FulfillPromise or RejectPromise."""
        self.state = state
        self.result = result
        reactions, self._reactions = self._reactions, []
        for reaction in reactions:
            self._enqueue(reaction)

    def _enqueue(self, reaction: Reaction) -> None:
        state, result = self.state, self.result
        reaction.realm.agent.enqueue_promise_job(lambda: reaction.run(state, result), reaction.realm)

    def _call_then_in_a_job(self, thenable: JSObject, then: JSFunction) -> None:
        """Queue a NewPromiseResolveThenableJob for an object with its own ``then``."""

        def job() -> None:
            resolve, reject = self._create_resolving_functions()
            try:
                call(then, thenable, [resolve, reject])
            except Throw as throw:
                call(reject, UNDEFINED, [throw.value])

        assert self.realm is not None
        assert then.realm is not None
        self.realm.agent.enqueue_promise_job(job, then.realm)

    def _create_resolving_functions(self) -> list[JSFunction]:
        """Perform ECMAScript's CreateResolvingFunctions, for a thenable: the first call of either function counts."""
        realm = self.realm
        assert realm is not None
        already_resolved = False

        def resolving_function(settle: Handler) -> JSFunction:
            def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
                nonlocal already_resolved
                if not already_resolved:
                    already_resolved = True
                    settle(arguments[0] if arguments else UNDEFINED)
                return UNDEFINED

            return JSFunction(realm, behavior)

        return [resolving_function(self.resolve_anyway), resolving_function(partial(self.settle, REJECTED))]

    def _adopt_in_a_job(self, promise: Promise) -> None:
        """Queue a NewPromiseResolveThenableJob for a promise, whose ``then`` is the original one."""
        realm = self.realm
        assert realm is not None
        reject = partial(self.settle, REJECTED)
        realm.agent.enqueue_promise_job(lambda: promise.react(self.resolve_anyway, reject, realm), promise.realm)


@dataclass(eq=False, slots=True)
class Reaction:
    """A PromiseReaction record."""

    on_fulfilled: Handler | None
    on_rejected: Handler | None
    realm: Realm
    derived: Promise | None

    def run(self, state: str, result: JSValue) -> None:
        """Run the steps of NewPromiseReactionJob."""
        handler = self.on_fulfilled if state == FULFILLED else self.on_rejected
        settle, value = Promise.resolve if state == FULFILLED else Promise.reject, result
        if handler is not None:
            try:
                settle, value = Promise.resolve, handler(result)
            except Throw as throw:
                settle, value = Promise.reject, throw.value
        if self.derived is not None:
            settle(self.derived, value)
