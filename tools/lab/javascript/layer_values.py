"""The texts of the layer's values, as prelude.js writes those of JavaScript."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.events import Event
from modelcontext.platform.ecmascript.json import number_to_string, quote_json_string
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import (
    Accessor,
    BigInt,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
    Undefined,
)
from modelcontext.platform.infra.strings import from_code_units, to_code_units
from modelcontext.platform.webidl.dom_exception import DOMException

_CODES: Final = {"AbortError": 20, "InvalidStateError": 11, "HierarchyRequestError": 3}
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b", "f": "\f", "r": "\r"}


def literal(text: str) -> str | None:
    """Return the string of a JavaScript string literal; None for any other text."""
    match = re.fullmatch(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", text)
    if match is None:
        return None

    def unescape(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else _ESCAPES.get(found[3], found[3])

    return from_code_units(to_code_units(_ESCAPE.sub(unescape, match[1] if match[1] is not None else match[2])))


def _own(message: str) -> str:
    return f"({message})" if message.startswith("own") else ""


def show(value: JSValue, names: Mapping[JSObject, str], around: tuple[JSValue, ...] = ()) -> str:
    """Return the text of a value, without a call of a script's function; ``names`` are those of objects."""
    match value:
        case str():
            return quote_json_string(value)
        case bool():
            return json.dumps(value)
        case int() | float():
            return "-0" if str(value) == "-0.0" else number_to_string(value)
        case BigInt():
            return f"{value.value}n"
        case Symbol():
            return "symbol"
        case JSFunction():
            return "function"
        case None:
            return "null"
        case Undefined():
            return "undefined"
    if value in names:
        return names[value]
    if any(value is one for one in around):
        return f"^{len(around) - next(index for index, one in enumerate(around) if one is value)}"
    return _show_object(value, names, (*around, value))


def _show_object(value: JSObject, names: Mapping[JSObject, str], around: tuple[JSValue, ...]) -> str:
    match value:
        case Event():
            flags = {
                "bubbles": value.bubbles,
                "cancelable": value.cancelable,
                "composed": value.composed,
                "defaultPrevented": value.canceled_flag,
                "isTrusted": value.is_trusted,
            }
            targets = " ".join(show(one, names, around) for one in (value.target, value.current_target))
            detail = f" {show(value.attributes['detail'], names, around)}" if "detail" in value.attributes else ""
            words = " ".join(name for name, is_set in flags.items() if is_set)
            return f"{value.event_interface}({value.type} {value.event_phase.value} {targets} {words}{detail})"
        case AbortSignal():
            return f"AbortSignal({json.dumps(value.aborted)} {show(value.reason, names, around)})"
        case DOMException():
            return f"DOMException({value.name} {_CODES[value.name]}){_own(value.message)}"
        case JSError():
            return f"{value.name}{_own(value.message)}"
        case JSArray():
            return f"[{', '.join(show(item, names, around) for item in value.items)}]"
    members = ", ".join(_member(value, key, names, around) for key in value.own_keys() if key != "message")
    braces = f"{{{members}}}" if members else ""
    return f"Promise{braces}" if isinstance(value, Promise) else braces or "{}"


def _member(value: JSObject, key: str, names: Mapping[JSObject, str], around: tuple[JSValue, ...]) -> str:
    member = value.properties[key]
    text = "getter" if isinstance(member, Accessor) else show(member, names, around)
    return f"{quote_json_string(key)}: {text}"
