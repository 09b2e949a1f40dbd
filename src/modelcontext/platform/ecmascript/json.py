"""``JSON.stringify`` and ``JSON.parse`` on JavaScript values."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    BigInt,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
    Throw,
    Undefined,
    call,
    type_error,
)
from modelcontext.platform.infra.strings import LONE_SURROGATE

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
MAX_SAFE_INTEGER: Final = 2**53


def quote_json_string(value: str) -> str:
    r"""Perform ECMAScript's QuoteJSONString: lone surrogates become ``\uXXXX`` escapes, so the text is well-formed."""
    return LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", _ENCODER.encode(value))


def number_to_string(value: float) -> str:
    """Perform ECMAScript's Number::toString in base ten."""
    if isinstance(value, int):
        if abs(value) < 10**21:
            return str(value) if abs(value) <= MAX_SAFE_INTEGER else number_to_string(float(value))
        value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    # Python's repr has the digits that ECMAScript asks for: the fewest that tell the number from all others.
    decimal = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, decimal.digits))
    count = len(digits)
    point = count + int(decimal.exponent)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        exponent = point - 1
        suffix = f"e{'+' if exponent > 0 else '-'}{abs(exponent)}"
        text = digits[0] + (f".{digits[1:]}" if count > 1 else "") + suffix
    return sign + text


def stringify(value: JSValue) -> str | Undefined:
    """Perform ``JSON.stringify(value)`` without replacer or space.

    Raises:
        Throw: a TypeError for a cycle or a bigint, a RangeError for a value that is nested too deeply for this model, or
            the exception of a getter or a ``toJSON``.
    """
    try:
        return _serialize(value, "", [])
    except RecursionError:
        raise _too_deep(None) from None


def _serialize(value: JSValue, key: str, stack: list[JSObject]) -> str | Undefined:
    if isinstance(value, JSObject):
        to_json = value.get("toJSON")
        if isinstance(to_json, JSFunction):
            value = call(to_json, value, [key])
    if isinstance(value, str):
        return quote_json_string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_to_string(value) if math.isfinite(value) else "null"
    if isinstance(value, BigInt):
        raise type_error("a BigInt cannot be written as JSON")
    if value is UNDEFINED or isinstance(value, Symbol | JSFunction):
        return UNDEFINED
    assert isinstance(value, JSObject)
    if any(value is open_object for open_object in stack):
        raise type_error("a circular structure cannot be written as JSON")
    stack.append(value)
    if isinstance(value, JSArray):
        items = [_serialize(value.get(str(index)), str(index), stack) for index in range(len(value.items))]
        result = f"[{','.join('null' if text is UNDEFINED else text for text in items)}]"
    else:
        texts = ((member, _serialize(value.get(member), member, stack)) for member in value.own_keys())
        members = [f"{quote_json_string(member)}:{text}" for member, text in texts if text is not UNDEFINED]
        result = f"{{{','.join(members)}}}"
    stack.pop()
    return result


def _refuse_constant(name: str) -> JSValue:
    raise json.JSONDecodeError(f"{name} is not valid JSON", name, 0)


def _number_from_integer_text(text: str) -> int | float:
    number = float(text)  # JavaScript reads all numbers as doubles.
    return int(number) if abs(number) <= MAX_SAFE_INTEGER and text != "-0" else number


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_number_from_integer_text)


def parse(text: str, realm: Realm) -> JSValue:
    """Perform ``JSON.parse(text)`` with the objects made in ``realm``.

    Raises:
        Throw: a SyntaxError if the text is not JSON; a RangeError if it is nested too deeply for this model.
    """
    try:
        return _objects_in(_DECODER.decode(text), realm)
    except json.JSONDecodeError as error:
        raise Throw(JSError("SyntaxError", str(error), realm)) from None
    except RecursionError:
        raise _too_deep(realm) from None


def _too_deep(realm: Realm | None) -> Throw:
    """Return the error that engines throw at their own limits; this model's limit is some hundred levels."""
    return Throw(JSError("RangeError", "the value is nested too deeply", realm))


def _objects_in(plain: object, realm: Realm) -> JSValue:
    if isinstance(plain, dict):
        return JSObject(realm, {key: _objects_in(value, realm) for key, value in plain.items()})
    if isinstance(plain, list):
        return JSArray(realm, [_objects_in(value, realm) for value in plain])
    assert plain is None or isinstance(plain, bool | int | float | str)
    return plain
