"""The words of the model's layer for plain values and statements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from modelcontext.platform.ecmascript import json
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    BigInt,
    JSArray,
    JSError,
    JSObject,
    JSValue,
    Symbol,
    Throw,
    call,
    type_error,
)
from modelcontext.platform.html.url import url_parser
from modelcontext.platform.webidl.dom_exception import DOMException
from tools.lab.javascript.grammar import grammar
from tools.lab.javascript.layer import Layer, Scope, Term, Words, say
from tools.lab.javascript.layer_values import literal

# Constants, and names of the prelude


def _constant(make: Callable[[Layer], Any]) -> Words:
    return lambda layer, scope, term: make(layer)


_NUMBERS: Final = {
    "one": 1,
    "negativeZero": -0.0,
    "noNumber": math.nan,
    "infinity": -math.inf,
    "big": 1e21,
    "notBig": 123456789012345680000,
    "small": 1e-7,
    "notSmall": 0.000001,
    "precise": 0.1 + 0.2,
    "integer": float(2**53 + 2),
    "smallest": 5e-324,
    "largest": 1.7976931348623157e308,
}
for _sort in ("value", "json"):
    for _production in grammar()[_sort]:
        if _production.name in _NUMBERS:
            _number = _NUMBERS[_production.name]
            say(f"{_sort}.{_production.name}")(lambda layer, scope, term, number=_number: number)  # type: ignore[misc]
say("value.undefined", "reason.undefined", "json.undefined", "options.none", "capture.none")(
    _constant(lambda _: UNDEFINED)
)
say("value.null", "json.null")(_constant(lambda _: None))
say("json.true")(_constant(lambda _: True))
say("value.bigint")(_constant(lambda _: BigInt(2)))
say("json.bigint")(_constant(lambda _: BigInt(1)))
say("value.symbol", "json.symbol")(_constant(lambda _: Symbol("own")))
say("json.function")(_constant(lambda layer: layer.function(lambda this, value: 1)))
say("reason.error")(_constant(lambda layer: JSError("Error", "own", layer.realm)))
say("reason.typeError")(_constant(lambda layer: JSError("TypeError", "own", layer.realm)))
say("reason.exception")(_constant(lambda layer: DOMException("AbortError", "own", layer.realm)))
say("value.object0", "json.object0")(_constant(lambda layer: layer.o[0]))
say("promise.zero", "reason.promise")(_constant(lambda layer: layer.p[0]))
say("promise.one")(_constant(lambda layer: layer.p[1]))
say("promise.two")(_constant(lambda layer: layer.p[2]))
say("promise.pending0")(_constant(lambda layer: layer.d[0]))
say("promise.pending1")(_constant(lambda layer: layer.d[1]))
say("function.zero", "listener.zero")(_constant(lambda layer: layer.f[0]))
say("function.one", "listener.one")(_constant(lambda layer: layer.f[1]))
for _index, _name in enumerate(("outer", "middle", "inner", "free")):
    say(f"target.{_name}")(lambda layer, scope, term, index=_index: layer.t[index])  # type: ignore[misc]
say("signal.zero")(_constant(lambda layer: layer.c[0].signal))
say("signal.one")(_constant(lambda layer: layer.c[1].signal))
say("signal.first")(_constant(lambda layer: layer.s[0]))
say("signal.second")(_constant(lambda layer: layer.s[1]))
say("event.same")(_constant(lambda layer: layer.e))
say("value.argument", "event.argument")(lambda layer, scope, term: scope.argument)
say("options.capture", "options.captures", "capture.capture", "capture.captures")(
    _constant(lambda _: {"capture": True})
)
say("options.once")(_constant(lambda _: {"once": True}))
say("options.onceCaptured")(_constant(lambda _: {"capture": True, "once": True}))
say("options.passive")(_constant(lambda _: {"passive": True}))
say("options.null")(_constant(lambda _: UNDEFINED))

for _sort in ("value", "reason", "json", "type", "text", "scheme", "host", "path", "opaque", "url"):
    for _production in grammar()[_sort]:
        _string = literal(_production.texts[0])
        if not _production.holes and _string is not None:
            say(f"{_sort}.{_production.name}")(lambda layer, scope, term, string=_string: string)  # type: ignore[misc]


@say(
    *("value.promise", "value.thenable", "value.function", "value.error", "value.signal", "step.statement"),
    *("function.lambda", "listener.lambda", "url.opaque", "line.plain"),
)
def _same(layer: Layer, scope: Scope, term: Term) -> Any:
    return layer.evaluate(scope, term.parts[0])


# Statements


@say("script.plain")
def _script(layer: Layer, scope: Scope, term: Term) -> None:
    for line in term.parts[0]:
        try:
            layer.evaluate(scope, line)
        except Throw as throw:
            layer.log("threw", throw.value)


@say(
    "statement.log",
    "statement.json.stringify",
    "statement.json.parse",
    "statement.json.again",
    "statement.events.argument",
)
def _log(layer: Layer, scope: Scope, term: Term) -> None:
    name = term.tree.production.name
    value: Any = layer.evaluate(scope, term.parts[0]) if term.parts else scope.argument
    if name in ("json.parse", "json.again"):
        value = json.parse(value, layer.realm)
    if name in ("json.stringify", "json.again"):
        value = json.stringify(value)
    layer.log(term.labels[0], value)


@say("statement.urls.json")
def _url_json(layer: Layer, scope: Scope, term: Term) -> None:
    url = url_parser(
        "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in layer.evaluate(scope, term.parts[0]))
    )
    if url is None:
        raise type_error("no URL", layer.realm)
    layer.log(term.labels[0], json.stringify(JSArray(layer.realm, [url.href])))


@say("url.composed")
def _composed(layer: Layer, scope: Scope, term: Term) -> str:
    return "".join(layer.each(scope, term.parts))


@say("statement.later")
def _later(layer: Layer, scope: Scope, term: Term) -> None:
    layer.later(*layer.each(scope, term.parts))


@say("statement.attempt")
def _attempt(layer: Layer, scope: Scope, term: Term) -> None:
    try:
        layer.each(scope, term.parts[0])
    except Throw as throw:
        layer.log(term.labels[0], throw.value)


@say("statement.throw")
def _throw(layer: Layer, scope: Scope, term: Term) -> None:
    raise Throw(layer.evaluate(scope, term.parts[0]))


@say("statement.call")
def _call(layer: Layer, scope: Scope, term: Term) -> None:
    function, value = layer.each(scope, term.parts)
    layer.log(term.labels[0], call(function, UNDEFINED, [value]))


@say("statement.microtask")
def _microtask(layer: Layer, scope: Scope, term: Term) -> None:
    layer.microtask(layer.evaluate(scope, term.parts[0]))


def _assign(names: str, slots: Callable[[Layer], list[Any]], index: int) -> None:
    def words(layer: Layer, scope: Scope, term: Term) -> None:
        slots(layer)[index] = layer.evaluate(scope, term.parts[0])

    say(*names.split())(words)


for _index in range(3):
    _assign(f"statement.promises.promise{_index}", lambda layer: layer.p, _index)
for _index in range(2):
    _assign(f"statement.function{_index}", lambda layer: layer.f, _index)
    _assign(f"statement.aborts.signal{_index}", lambda layer: layer.s, _index)
_assign("statement.json.object0", lambda layer: layer.o, 0)


@say("statement.json.cycle")
def _cycle(layer: Layer, scope: Scope, term: Term) -> None:
    value = layer.o[0]
    if value is None or value is UNDEFINED:
        raise type_error("no object", layer.realm)
    if not isinstance(value, JSObject):
        raise type_error("a primitive takes no member in strict mode", layer.realm)
    value.set("self", value)


# Values


@say("value.array", "json.array")
def _array(layer: Layer, scope: Scope, term: Term) -> JSArray:
    return JSArray(layer.realm, layer.each(scope, term.parts[0]))


@say("value.object", "json.object")
def _object(layer: Layer, scope: Scope, term: Term) -> JSObject:
    return JSObject(layer.realm, dict(zip(("b", "a"), layer.each(scope, term.parts), strict=True)))


@say("json.indices")
def _indices(layer: Layer, scope: Scope, term: Term) -> JSObject:
    [value] = layer.each(scope, term.parts)
    return JSObject(layer.realm, {"b": 1, "2": value, "a": 3, "1": 4, "-1": 5, "01": 6})


@say("json.toJSON", "json.toJSONThrows", "json.toJSONOther")
def _to_json(layer: Layer, scope: Scope, term: Term) -> JSObject:
    name = term.tree.production.name
    if name == "toJSONOther":
        return JSObject(layer.realm, {"toJSON": 1, "a": layer.evaluate(scope, term.parts[0])})

    def behavior(this: JSValue, key: JSValue) -> Any:
        if name == "toJSONThrows":
            raise Throw(layer.evaluate(scope, term.parts[0]))
        layer.log(term.labels[0], key)
        return layer.evaluate(scope, term.parts[0])

    return JSObject(layer.realm, {"toJSON": layer.function(behavior)})


@say("json.text")
def _parsed(layer: Layer, scope: Scope, term: Term) -> JSValue:
    return json.parse(layer.evaluate(scope, term.parts[0]), layer.realm)
