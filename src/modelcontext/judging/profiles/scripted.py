"""Functions of a script (async functions, timers, listeners) for the quirks of implementations that are scripts."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, TypeAlias

from modelcontext.platform.dom import dispatching
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue, Symbol, Throw
from modelcontext.platform.html.event_loop import TIMER_TASK_SOURCE
from modelcontext.platform.html.window import document_of
from modelcontext.platform.webidl.boundary import exception_in_realm
from modelcontext.platform.webidl.conversions import to_string

if TYPE_CHECKING:
    from modelcontext.platform.dom.abort import AbortSignal
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.parallel import ParallelSteps

#: The body of an async function: ``yield`` is its ``await``.
AsyncBody: TypeAlias = Generator[JSValue, JSValue, JSValue]


def call_async(realm: Realm, body: AsyncBody) -> Promise:
    """Run an async function of a realm up to its first ``await``, and return its promise."""
    promise = Promise(realm)

    def resume(advance: Callable[[], JSValue]) -> JSValue:
        try:
            awaited = advance()
        except StopIteration as end:
            promise.resolve(end.value)
        except Throw as throw:
            promise.reject(exception_in_realm(throw.value, realm))
        else:
            promise_resolve(realm, awaited).react(
                lambda value: resume(lambda: body.send(value)),
                lambda reason: resume(lambda: body.throw(Throw(reason))),
                realm,
            )
        return UNDEFINED

    resume(lambda: next(body))
    return promise


def promise_resolve(realm: Realm, value: JSValue) -> Promise:
    """Return ``Promise.resolve(value)`` in a realm."""
    if isinstance(value, Promise) and value.realm is realm:
        return value
    promise = Promise(realm)
    promise.resolve(value)
    return promise


def promise_reject(realm: Realm, reason: JSValue) -> Promise:
    """Return ``Promise.reject(reason)`` in a realm."""
    promise = Promise(realm)
    promise.reject(exception_in_realm(reason, realm))
    return promise


def timeout(realm: Realm) -> Promise:
    """Return ``new Promise((resolve) => setTimeout(resolve, 0))`` in a realm."""
    promise = Promise(realm)
    document = document_of(realm)

    def fire() -> None:
        document.event_loop.run_script(realm, lambda: promise.resolve(UNDEFINED))

    def run_steps_after_a_timeout() -> ParallelSteps:
        document.event_loop.queue_a_task(TIMER_TASK_SOURCE, document, fire)
        yield from ()

    document.event_loop.user_agent.in_parallel(run_steps_after_a_timeout(), document.window.timers)
    return promise


def dispatch(target: EventTarget, type_: str) -> None:
    """Call ``target.dispatchEvent(new Event(type))``."""
    if target.has_listeners(type_):
        dispatching.dispatch(Event(target.realm, type_), target)


def listen_once(signal: AbortSignal, realm: Realm, listener: Callable[[], None]) -> JSFunction:
    """Call ``signal.addEventListener("abort", listener, { once: true })``, and return the added function."""

    def handle(this: JSValue, arguments: list[JSValue]) -> JSValue:
        listener()
        return UNDEFINED

    function = JSFunction(realm, handle)
    signal.add_event_listener("abort", function, once=True)
    return function


def string(value: JSValue) -> str:
    """Return ``String(value)``, or throw what a method of the object throws."""
    return f"Symbol({value.description})" if isinstance(value, Symbol) else to_string(value)


def member(value: JSValue, key: str) -> JSValue:
    """Return ``value?.[key]``, or throw what a getter throws."""
    return value.get(key) if isinstance(value, JSObject) else UNDEFINED
