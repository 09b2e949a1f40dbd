"""The model's conversions agree with those generated for a page, which Node runs here."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, make_dataclass
from pathlib import Path
from typing import Any

import pytest

import modelcontext.hosts.page
from modelcontext.hosts.world import World
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    Accessor,
    BigInt,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Symbol,
    Throw,
)
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.webidl.conversions import Conversions
from modelcontext.platform.webidl.idl import Definitions, IDLType, parse
from modelcontext.platform.webidl.javascript import bindings
from modelcontext.platform.webidl.types import ABSENT, CallbackFunction

TYPES = {
    "string": "DOMString",
    "scalar": "USVString",
    "flag": "boolean",
    "thing": "object",
    "run": "Callback",
    "strings": "sequence<USVString>",
    "flags": "sequence<boolean>",
    "inner": "Inner",
    "inners": "sequence<Inner>",
}
#: A dictionary for each type, which has one member of it.
IDL = """
callback Callback = Promise<any> (object input);
dictionary Base { required DOMString zeta; boolean alpha = true; };
dictionary Inner : Base { USVString middle; DOMString beta = "b"; boolean gamma; };
""" + "".join(f"dictionary Of_{name} {{ {type_} {name}; }};" for name, type_ in TYPES.items())

REALM = create_a_new_top_level_traversable(World().user_agent, Response("https://a.test/")).realm


def constant(value: JSValue) -> JSFunction:
    return JSFunction(REALM, lambda this, arguments: value)


def made(**properties: JSValue | Accessor) -> JSObject:
    return JSObject(REALM, dict(properties))


def raising(name: str) -> Accessor:
    def get(this: JSObject) -> JSValue:
        raise Throw(JSError(name, "", REALM))

    return Accessor(get)


#: The same value for both: an expression of JavaScript, and the model's.
VALUES: Mapping[str, JSValue] = {
    "undefined": UNDEFINED,
    "null": None,
    "true": True,
    "false": False,
    "0": 0,
    "-0": -0.0,
    "NaN": math.nan,
    "-Infinity": -math.inf,
    "1.5e21": 1.5e21,
    "1e-7": 1e-7,
    "123456789012345680000": 123456789012345680000.0,
    "''": "",
    "'\\ud800a\\udc00'": "\ud800a\udc00",
    "'\\ud83d\\ude00'": "\U0001f600",
    "0n": BigInt(0),
    "-12n": BigInt(-12),
    "Symbol('s')": Symbol("s"),
    "({})": made(),
    "(() => 1).bind()": constant(1),
    "[]": JSArray(REALM, []),
    "[1, null, undefined, ['a', '\\udc00']]": JSArray(REALM, [1, None, UNDEFINED, JSArray(REALM, ["a", "\udc00"])]),
    "[{ zeta: 1 }, { zeta: 2, alpha: 0 }]": JSArray(REALM, [made(zeta=1), made(zeta=2, alpha=0)]),
    "[{ zeta: 1 }, 2]": JSArray(REALM, [made(zeta=1), 2]),
    "({ toString: () => 's', valueOf: () => 'v' })": made(toString=constant("s"), valueOf=constant("v")),
    "({ toString: () => ({}), valueOf: () => 5 })": made(toString=constant(made()), valueOf=constant(5)),
    "({ toString: null, valueOf: () => null })": made(toString=None, valueOf=constant(None)),
    "({ toString: () => ({}), valueOf: 1 })": made(toString=constant(made()), valueOf=1),
    "({ toString: () => Symbol() })": made(toString=constant(Symbol())),
    "({ get toString() { throw new RangeError(); } })": made(toString=raising("RangeError")),
    "({ zeta: null, middle: '\\ud800', beta: false, gamma: '' })": made(
        zeta=None, middle="\ud800", beta=False, gamma=""
    ),
    "({ zeta: Symbol() })": made(zeta=Symbol()),
    "({ alpha: null })": made(alpha=None),
    "({ get zeta() { throw new RangeError(); }, get alpha() { throw new SyntaxError(); } })": made(
        zeta=raising("RangeError"), alpha=raising("SyntaxError")
    ),
    "({ get zeta() { throw new RangeError(); }, get beta() { throw new SyntaxError(); } })": made(
        zeta=raising("RangeError"), beta=raising("SyntaxError")
    ),
}


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    return parse([IDL])


@pytest.fixture(scope="module")
def in_javascript(definitions: Definitions, starts_a_browser: None) -> dict[str, list[Any]]:
    """Return the conversion of each value in a page, by type: an object as "held", an error by its name."""
    folder = Path(modelcontext.hosts.page.__file__).parent
    modules = "".join((folder / name).read_text(encoding="utf-8") for name in ("wire.js", "realm/conversions.js"))
    helpers = re.sub(r"^import [^;]*;\n|^export ", "", modules, flags=re.MULTILINE)
    program = f"""
        const {{ apply }} = Reflect, {{ iterator }} = Symbol, NativeTypeError = TypeError;
        const toWellFormed = (string) => string.toWellFormed(), hub = {{ hold: () => "held" }};
        {helpers}
        {bindings(definitions, ())}
        const told = (data) => Array.isArray(data) ? Array.from({{ length: data.length, ...data }}, told) : data;
        const attempt = (to, value) => {{ try {{ return told(to(value)); }} catch (error) {{ return error.name; }} }};
        const values = [{", ".join(VALUES)}];
        console.log(JSON.stringify({{
            {", ".join(f"{name}: values.map(({name}) => attempt(toOf_{name}, {{ {name} }}))" for name in TYPES)}
        }}));
    """
    printed = subprocess.run(["node", "-"], input=program, check=True, capture_output=True, text=True).stdout
    answers: dict[str, list[Any]] = json.loads(printed)
    return answers


def told(value: object) -> Any:
    """Return an IDL value as data."""
    if is_dataclass(value) and not isinstance(value, CallbackFunction):
        return [told(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, list):
        return [told(item) for item in value]
    return None if value is ABSENT else "held" if isinstance(value, JSObject | CallbackFunction) else value


@pytest.mark.parametrize("name", TYPES)
def test_model_and_page_convert_a_type_alike(
    name: str, definitions: Definitions, in_javascript: dict[str, list[Any]]
) -> None:
    members = {"Base": "alpha zeta", "Inner": "alpha zeta beta gamma middle", f"Of_{name}": name}
    classes = {of: make_dataclass(of, names.split()) for of, names in members.items()}
    convert = Conversions(definitions, classes, {}).converter(IDLType(f"Of_{name}"))
    converted = []
    for value in VALUES.values():
        try:
            converted.append(told(convert(JSObject(REALM, {name: value}))))
        except Throw as throw:
            converted.append(throw.value.name if isinstance(throw.value, JSError) else "no error")
    assert dict(zip(VALUES, converted, strict=True)) == dict(zip(VALUES, in_javascript[name], strict=True))
    assert len({json.dumps(one) for one in converted}) > 2


def test_nullable_type_has_no_conversion_in_a_page() -> None:
    with pytest.raises(NotImplementedError, match=r"nullable IDL type DOMString\?"):
        bindings(parse(["dictionary D { DOMString? member; };"]), ())
