"""The number of microtasks before a promise settles; every number is that of Node 20 for the same script."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.ecmascript.promise import Handler, Promise
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    Accessor,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Throw,
    call,
)

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm


def resolved(realm: Realm, value: JSValue) -> Promise:
    promise = Promise(realm)
    promise.resolve(value)
    return promise


def rejected(realm: Realm, reason: JSValue) -> Promise:
    promise = Promise(realm)
    promise.reject(reason)
    return promise


def thenable(realm: Realm, value: JSValue, *, throws: bool = False, settles: bool = True) -> JSObject:
    def then(this: JSValue, arguments: list[JSValue]) -> JSValue:
        resolve = arguments[0]
        assert isinstance(resolve, JSFunction)
        if settles:
            call(resolve, UNDEFINED, [value])
        if throws:
            raise Throw("thrown")
        return UNDEFINED

    return JSObject(realm, {"then": JSFunction(realm, then)})


def throwing_getter(realm: Realm) -> JSObject:
    def get(this: JSObject) -> JSValue:
        raise Throw("thrown")

    return JSObject(realm, {"then": Accessor(get)})


def throw(value: JSValue) -> JSValue:
    raise Throw(value)


def then(promise: Promise, realm: Realm, handler: Handler | None = None) -> Promise:
    return promise.then(handler, None, realm)


def ticks(promise: Promise, realm: Realm) -> tuple[int, str, JSValue]:
    """Return the number of microtasks between the next one and the reaction to the promise, its state, and its result."""
    count = 0
    seen: list[tuple[int, str, JSValue]] = []

    def note(state: str) -> Handler:
        def handler(value: JSValue) -> JSValue:
            seen.append((count, state, value))
            return UNDEFINED

        return handler

    def tick() -> None:
        nonlocal count
        count += 1
        if count < 12:
            realm.agent.enqueue_promise_job(tick, realm)

    promise.react(note("fulfilled"), note("rejected"), realm)
    realm.agent.enqueue_promise_job(tick, realm)
    realm.agent.run_script(realm, lambda: None)
    assert len(seen) == 1
    return seen[0]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        pytest.param(lambda r: resolved(r, 1), (0, "fulfilled", 1), id="plain value"),
        pytest.param(lambda r: resolved(r, JSObject(r, {"then": 1})).then(lambda v: 2, None, r),
                     (1, "fulfilled", 2), id="object whose then is not a function"),
        pytest.param(lambda r: resolved(r, resolved(r, 1)), (2, "fulfilled", 1), id="promise"),
        pytest.param(lambda r: resolved(r, rejected(r, 1)), (2, "rejected", 1), id="rejected promise"),
        pytest.param(lambda r: resolved(r, resolved(r, resolved(r, 1))), (3, "fulfilled", 1), id="promise of a promise"),
        pytest.param(lambda r: resolved(r, thenable(r, 1)), (1, "fulfilled", 1), id="thenable"),
        pytest.param(lambda r: resolved(r, thenable(r, resolved(r, 1))), (3, "fulfilled", 1), id="thenable of a promise"),
        pytest.param(lambda r: resolved(r, thenable(r, 1, throws=True)), (1, "fulfilled", 1), id="throws after resolving"),
        pytest.param(lambda r: resolved(r, thenable(r, 1, throws=True, settles=False)),
                     (1, "rejected", "thrown"), id="thenable that throws"),
        pytest.param(lambda r: resolved(r, throwing_getter(r)), (0, "rejected", "thrown"), id="then getter that throws"),
        pytest.param(lambda r: then(resolved(r, 1), r, lambda value: value), (1, "fulfilled", 1), id="then"),
        pytest.param(lambda r: then(resolved(r, 1), r), (1, "fulfilled", 1), id="then without handlers"),
        pytest.param(lambda r: then(rejected(r, 1), r), (1, "rejected", 1), id="rejection without handlers"),
        pytest.param(lambda r: then(resolved(r, 1), r, throw), (1, "rejected", 1), id="then that throws"),
        pytest.param(lambda r: then(resolved(r, 1), r, lambda value: resolved(r, value)),
                     (3, "fulfilled", 1), id="then that returns a promise"),
    ],
)  # fmt: skip
def test_promise_settles_after_as_many_microtasks_as_in_node(
    make: Callable[[Realm], Promise], expected: tuple[int, str, JSValue], realm: Realm
) -> None:
    assert ticks(make(realm), realm) == expected


def test_resolving_a_promise_with_itself_rejects_it(realm: Realm) -> None:
    promise = Promise(realm)
    promise.resolve(promise)
    count, state, reason = ticks(promise, realm)
    assert (count, state) == (0, "rejected")
    assert isinstance(reason, JSError)
    assert (reason.name, reason.realm) == ("TypeError", realm)


def test_reactions_and_microtasks_share_one_queue(realm: Realm) -> None:
    log: list[int] = []

    def logging(number: int) -> Handler:
        def handler(value: JSValue) -> JSValue:
            log.append(number)
            return UNDEFINED

        return handler

    promise = resolved(realm, UNDEFINED)
    promise.then(logging(1), None, realm).then(logging(4), None, realm)
    promise.then(logging(2), None, realm)
    realm.agent.enqueue_promise_job(lambda: log.append(3), realm)
    realm.agent.run_script(realm, lambda: None)
    assert log == [1, 2, 3, 4]


def test_only_the_first_resolution_of_a_promise_counts(realm: Realm) -> None:
    promise = Promise(realm)
    pending = Promise(realm)
    promise.resolve(pending)
    promise.reject("late")
    promise.resolve("later")
    pending.resolve("first")
    assert ticks(promise, realm)[1:] == ("fulfilled", "first")


def test_then_of_a_thenable_is_read_at_once_and_called_in_a_job(realm: Realm) -> None:
    log: list[str] = []
    inner = thenable(realm, 1)
    method = inner.get("then")

    def get(this: JSObject) -> JSValue:
        log.append("read")

        def called(this: JSValue, arguments: list[JSValue]) -> JSValue:
            log.append("called")
            assert isinstance(method, JSFunction)
            return call(method, this, arguments)

        return JSFunction(realm, called)

    promise = resolved(realm, JSObject(realm, {"then": Accessor(get)}))
    assert log == ["read"]
    assert ticks(promise, realm)[1:] == ("fulfilled", 1)
    assert log == ["read", "called"]
