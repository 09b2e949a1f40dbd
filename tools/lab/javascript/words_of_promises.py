"""The words of the model's layer for functions, promises and thenables."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    Accessor,
    JSFunction,
    JSObject,
    JSValue,
    Throw,
    call,
    type_error,
)
from tools.lab.javascript.layer import Layer, Scope, Term, say

# Functions


@say("lambda.plain", "lambda.method")
def _lambda(layer: Layer, scope: Scope, term: Term) -> JSFunction:
    statements, value = term.parts

    def behavior(this: JSValue, argument: JSValue) -> Any:
        if layer.spent():
            return UNDEFINED
        inner = replace(scope, argument=argument)
        if term.labels:
            layer.log(term.labels[0], this)
        layer.each(inner, statements)
        return layer.evaluate(inner, value)

    return layer.function(behavior)


@say("lambda.nothing")
def _lambda_nothing(layer: Layer, scope: Scope, term: Term) -> JSFunction:
    def behavior(this: JSValue, argument: JSValue) -> None:
        if not layer.spent():
            layer.each(replace(scope, argument=argument), term.parts[0])

    return layer.procedure(behavior)


@say("lambda.throws")
def _lambda_throws(layer: Layer, scope: Scope, term: Term) -> JSFunction:
    def behavior(this: JSValue, argument: JSValue) -> None:
        raise Throw(layer.evaluate(replace(scope, argument=argument), term.parts[0]))

    return layer.procedure(behavior)


@dataclass(frozen=True)
class Returned:
    """The completion of a ``return`` statement."""

    value: JSValue


Steps = Generator[JSValue, JSValue, Returned | None]


def _async(layer: Layer, steps: Callable[[], Steps]) -> Promise:
    """Perform ECMAScript's AsyncFunctionStart; each value that the steps yield is awaited."""
    promise = Promise(layer.realm)
    running = steps()

    def go_on(resume: Callable[[], JSValue]) -> JSValue:
        try:
            awaited = resume()
        except StopIteration as end:
            promise.resolve(end.value.value if end.value is not None else UNDEFINED)
        except Throw as throw:
            promise.reject(throw.value)
        else:
            layer.resolved(awaited).react(
                lambda value: go_on(lambda: running.send(value)),
                lambda reason: go_on(lambda: running.throw(Throw(reason))),
                layer.realm,
            )
        return UNDEFINED

    go_on(lambda: next(running))
    return promise


def _steps(layer: Layer, scope: Scope, terms: Sequence[Term]) -> Steps:
    for term in terms:
        completion = yield from _step(layer, scope, term)
        if completion is not None:
            return completion
    return None


def _step(layer: Layer, scope: Scope, term: Term) -> Steps:
    match term.tree.production.name:
        case "wait":
            layer.log(term.labels[0], (yield layer.evaluate(scope, term.parts[0])))
        case "waitOnly":
            yield layer.evaluate(scope, term.parts[0])
        case "return":
            return Returned((yield layer.evaluate(scope, term.parts[0])))
        case "attempt":
            completion = None
            try:
                completion = yield from _steps(layer, scope, term.parts[0])
            except Throw as throw:
                layer.log(term.labels[0], throw.value)
            return (yield from _steps(layer, scope, term.parts[1])) or completion
        case _:
            layer.evaluate(scope, term)
    return None


# A step is run by _step; the words say that there are some.
say("step.wait", "step.waitOnly", "step.return", "step.attempt")(lambda layer, scope, term: None)


@say("lambda.async")
def _lambda_async(layer: Layer, scope: Scope, term: Term) -> JSFunction:
    def steps(argument: JSValue) -> Steps:
        if layer.spent():
            return None
        inner = replace(scope, argument=argument)
        completion = yield from _steps(layer, inner, term.parts[0])
        return completion or Returned(layer.evaluate(inner, term.parts[1]))

    return layer.function(lambda this, argument: _async(layer, partial(steps, argument)))


@say("promise.async")
def _promise_async(layer: Layer, scope: Scope, term: Term) -> Promise:
    def steps() -> Steps:
        if layer.spent():
            return Returned(0)
        completion = yield from _steps(layer, scope, term.parts[0])
        return completion or Returned(layer.evaluate(scope, term.parts[1]))

    return _async(layer, steps)


# Promises


@say("statement.promises.show", "statement.promises.show1")
def _show(layer: Layer, scope: Scope, term: Term) -> None:
    promise: Promise = layer.evaluate(scope, term.parts[0]) if term.parts else layer.p[1]
    labels = term.labels

    def on_fulfilled(value: JSValue) -> JSValue:
        layer.log(labels[0], value)
        return UNDEFINED

    def on_rejected(reason: JSValue) -> JSValue:
        layer.log(labels[1], "rejected", reason)
        return UNDEFINED

    promise.then(on_fulfilled, on_rejected if term.parts else None, layer.realm)


@say(*(f"statement.promises.{word}{index}" for word in ("settle", "reject") for index in range(2)))
def _settle(layer: Layer, scope: Scope, term: Term) -> None:
    word, index = term.tree.production.name[:-1], int(term.tree.production.name[-1])
    value = layer.evaluate(scope, term.parts[0])
    promise = layer.d[index]
    (promise.resolve if word == "promises.settle" else promise.reject)(value)


@say("statement.promises.resolve", "statement.promises.reject")
def _resolve(layer: Layer, scope: Scope, term: Term) -> None:
    function = scope.resolve if term.tree.production.name == "promises.resolve" else scope.reject
    value = layer.evaluate(scope, term.parts[0])
    if isinstance(function, JSFunction):
        call(function, UNDEFINED, [value])


@say("promise.resolved")
def _promise_resolved(layer: Layer, scope: Scope, term: Term) -> Promise:
    return layer.resolved(layer.evaluate(scope, term.parts[0]))


@say("promise.rejected")
def _promise_rejected(layer: Layer, scope: Scope, term: Term) -> Promise:
    promise = Promise(layer.realm)
    promise.reject(layer.evaluate(scope, term.parts[0]))
    return promise


@say("promise.new", "promise.newPending")
def _promise_new(layer: Layer, scope: Scope, term: Term) -> Promise:
    promise = Promise(layer.realm)
    resolve = layer.procedure(lambda this, value: promise.resolve(value))
    reject = layer.procedure(lambda this, value: promise.reject(value))
    inner = replace(scope, resolve=resolve, reject=reject)
    if not layer.spent():
        try:
            layer.each(inner, term.parts[0])
            if len(term.parts) > 1:
                promise.resolve(layer.evaluate(inner, term.parts[1]))
        except Throw as throw:
            promise.reject(throw.value)
    return promise


@say("promise.then", "promise.thenBoth", "promise.thenNothing", "promise.catch")
def _then(layer: Layer, scope: Scope, term: Term) -> Promise:
    promise, *functions = layer.each(scope, term.parts)
    if term.tree.production.name == "catch":
        functions.insert(0, UNDEFINED)

    def handler(function: JSValue) -> Any:
        return (lambda value: call(function, UNDEFINED, [value])) if isinstance(function, JSFunction) else None

    handlers = [*map(handler, functions), None]
    derived: Promise = promise.then(handlers[0], handlers[1], layer.realm)
    return derived


@say("thenable.calls", "thenable.rejects", "thenable.throws", "thenable.twice", "thenable.later")
def _thenable(layer: Layer, scope: Scope, term: Term) -> JSObject:
    kind = term.tree.production.name

    def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
        resolve, reject = (*arguments, UNDEFINED, UNDEFINED)[:2]
        if kind != "throws" and layer.spent():
            return UNDEFINED
        inner = replace(scope, resolve=resolve, reject=reject)

        def give(function: JSValue, value: Term) -> None:
            given = layer.evaluate(inner, value)
            if not isinstance(function, JSFunction):
                raise type_error("no function", layer.realm)
            call(function, UNDEFINED, [given])

        if kind == "twice":
            for function, value in zip((resolve, reject, resolve), term.parts, strict=False):
                give(function, value)
        elif kind == "later":
            layer.microtask(layer.procedure(lambda this, value: give(resolve, term.parts[0])))
            return UNDEFINED
        else:
            layer.each(inner, term.parts[0])
        if kind in ("twice", "throws"):
            raise Throw(layer.evaluate(inner, term.parts[-1]))
        give(resolve if kind == "calls" else reject, term.parts[1])
        return UNDEFINED

    return JSObject(layer.realm, {"then": JSFunction(layer.realm, behavior)})


@say("thenable.getter", "json.toJSONGetter", "thenable.getterThrows", "json.getter", "json.getterThrows")
def _getter(layer: Layer, scope: Scope, term: Term) -> JSObject:
    sort, name = term.tree.production.sort, term.tree.production.name

    def get(_: JSObject) -> JSValue:
        if name.endswith("Throws"):
            raise Throw(layer.evaluate(scope, term.parts[0]))
        layer.log(term.labels[0])
        value: JSValue = layer.evaluate(scope, term.parts[0]) if term.parts else UNDEFINED
        return value

    key = "then" if sort == "thenable" else "toJSON" if name == "toJSONGetter" else "a"
    rest = {"json.toJSONGetter": {"a": 1}, "json.getter": {"b": 2}}
    return JSObject(layer.realm, {key: Accessor(get), **rest.get(f"{sort}.{name}", {})})


@say("thenable.noFunction")
def _no_thenable(layer: Layer, scope: Scope, term: Term) -> JSObject:
    return JSObject(layer.realm, {"then": layer.evaluate(scope, term.parts[0])})
