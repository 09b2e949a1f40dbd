"""JSON texts; every expected value is the result of Node 20 for the same input."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcontext.platform.ecmascript.json import MAX_SAFE_INTEGER, number_to_string, parse, stringify
from modelcontext.platform.ecmascript.realm import Realm
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


def function(realm: Realm, behaviour: Callable[[list[JSValue]], JSValue] = lambda arguments: UNDEFINED) -> JSFunction:
    return JSFunction(realm, lambda this, arguments: behaviour(arguments))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1e21, "1e+21"),
        (10**21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1e-7, "1e-7"),
        (1e-6, "0.000001"),
        (-1e-6, "-0.000001"),
        (0.000001234, "0.000001234"),
        (123e-20, "1.23e-18"),
        (0, "0"),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (1.5e300, "1.5e+300"),
        (123456789012345680000, "123456789012345680000"),
        (1.1e21, "1.1e+21"),
        (12345678901234567890123, "1.2345678901234568e+22"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1 / 3, "0.3333333333333333"),
        (9007199254740993, "9007199254740992"),
        (2**53, "9007199254740992"),
        (2**53 + 2, "9007199254740994"),
        (100, "100"),
        (100.0, "100"),
        (-5.5, "-5.5"),
        (4.35, "4.35"),
    ],
)
def test_number_has_the_text_of_javascript(number: float, text: str) -> None:
    assert number_to_string(number) == text
    assert stringify(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_text_of_a_number_reads_back_as_the_number(number: float) -> None:
    assert float(number_to_string(number)) == number


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_number_that_is_not_finite_stringifies_to_null(number: float) -> None:
    assert stringify(number) == "null"


@pytest.mark.parametrize(
    ("string", "text"),
    [
        ("\ud800 \udc00\ud800 \U0001f600", '"\\ud800 \\udc00\\ud800 \U0001f600"'),
        ('\b\f\n\r\t\x01"\\/\x7f\u2028', '"\\b\\f\\n\\r\\t\\u0001\\"\\\\/\x7f\u2028"'),
        ("", '""'),
    ],
)
def test_string_stringifies_with_escapes(string: str, text: str) -> None:
    assert stringify(string) == text


def test_lone_surrogate_in_a_key_is_escaped(realm: Realm) -> None:
    assert stringify(JSObject(realm, {"\ud800": 1})) == '{"\\ud800":1}'


def test_array_indices_come_first_in_ascending_order(realm: Realm) -> None:
    keys = ["b", "2", "a", "1", "01", "-1", "4294967294", "4294967295", "1.5"]
    assert stringify(JSObject(realm, dict.fromkeys(keys, 1))) == (
        '{"1":1,"2":1,"4294967294":1,"b":1,"a":1,"01":1,"-1":1,"4294967295":1,"1.5":1}'
    )


def test_values_without_json_text_are_omitted_from_objects_and_null_in_arrays(realm: Realm) -> None:
    nothing: list[JSValue] = [UNDEFINED, function(realm), Symbol()]
    assert [stringify(value) for value in nothing] == [UNDEFINED] * 3
    assert stringify(JSArray(realm, [*nothing, None])) == "[null,null,null,null]"
    assert stringify(JSObject(realm, {"a": nothing[0], "b": nothing[1], "c": nothing[2], "d": None})) == '{"d":null}'


def test_assigning_past_the_end_of_an_array_leaves_nulls(realm: Realm) -> None:
    array = JSArray(realm, [])
    array.set("2", 1)
    array.set("x", 1)
    assert stringify(array) == "[null,null,1]"


def test_to_json_method_gets_the_key(realm: Realm) -> None:
    seen: list[JSValue] = []

    def to_json(arguments: list[JSValue]) -> JSValue:
        seen.extend(arguments)
        return 5 if arguments == ["a"] else UNDEFINED

    value = JSObject(realm, {"toJSON": function(realm, to_json)})
    outer = JSObject(realm, {"a": value, "b": JSArray(realm, [value]), "c": value})
    assert stringify(outer) == '{"a":5,"b":[null]}'
    assert seen == ["a", "0", "c"]


def test_to_json_that_is_not_a_function_is_an_ordinary_member(realm: Realm) -> None:
    assert stringify(JSObject(realm, {"toJSON": 3})) == '{"toJSON":3}'


def test_members_are_read_once_in_order_after_to_json(realm: Realm) -> None:
    log: list[str] = []

    def logged(name: str, value: JSValue = UNDEFINED) -> Accessor:
        def get(this: JSObject) -> JSValue:
            log.append(name)
            return value

        return Accessor(get)

    inner = JSObject(realm, {"toJSON": logged("a.toJSON")})
    outer = JSObject(realm, {"z": logged("z"), "1": logged("1"), "toJSON": logged("toJSON"), "a": logged("a", inner)})
    assert stringify(outer) == '{"a":{}}'
    assert log == ["toJSON", "1", "z", "toJSON", "a", "a.toJSON", "a.toJSON"]


def test_repeated_object_stringifies_but_a_cycle_is_a_type_error(realm: Realm) -> None:
    shared = JSObject(realm)
    assert stringify(JSArray(realm, [shared, shared, JSObject(realm, {"o": shared})])) == '[{},{},{"o":{}}]'
    shared.set("self", JSArray(realm, [shared]))
    with pytest.raises(Throw) as thrown:
        stringify(shared)
    assert isinstance(thrown.value.value, JSError)
    assert thrown.value.value.name == "TypeError"


def test_stringifying_a_bigint_is_a_type_error(realm: Realm) -> None:
    with pytest.raises(Throw) as thrown:
        stringify(JSObject(realm, {"a": BigInt(1)}))
    assert isinstance(thrown.value.value, JSError)
    assert thrown.value.value.name == "TypeError"


def test_exception_of_a_getter_comes_through_stringify(realm: Realm) -> None:
    reason = Symbol("reason")

    def get(this: JSObject) -> JSValue:
        raise Throw(reason)

    with pytest.raises(Throw) as thrown:
        stringify(JSObject(realm, {"a": Accessor(get)}))
    assert thrown.value.value is reason


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("1", "1"),
        ("1e400", "null"),
        ("-1e400", "null"),
        ('"\\ud800"', '"\\ud800"'),
        ('{"a":1,"a":2}', '{"a":2}'),
        ('{"b":1,"1":2}', '{"1":2,"b":1}'),
        (" \n\t\r1 ", "1"),
        ("12345678901234567890", "12345678901234567000"),
        ('{"__proto__":1}', '{"__proto__":1}'),
        ("1E5", "100000"),
        ("9" * 5000, "null"),
    ],
)
def test_parsed_text_stringifies_as_in_javascript(text: str, again: str, realm: Realm) -> None:
    assert stringify(parse(text, realm)) == again


def test_parsing_keeps_minus_zero(realm: Realm) -> None:
    number = parse("-0", realm)
    assert isinstance(number, float)
    assert math.copysign(1, number) == -1


@pytest.mark.parametrize(
    "text",
    [
        "", "nul", "01", "1.", "+1", ".5", "-", "1 2", "[1,]", "{'a':1}", "NaN", "Infinity", "-Infinity",
        '"\t"', '"\\x41"', '"\\u12"', "\u00a01", "\ufeff1", "\u000b1", "\u0661",
    ],
)  # fmt: skip
def test_parsing_text_that_is_not_json_is_a_syntax_error(text: str, realm: Realm) -> None:
    with pytest.raises(Throw) as thrown:
        parse(text, realm)
    error = thrown.value.value
    assert isinstance(error, JSError)
    assert (error.name, error.realm) == ("SyntaxError", realm)


def test_value_nested_too_deeply_is_a_range_error(realm: Realm) -> None:
    value: JSValue = None
    for _ in range(10_000):
        value = JSArray(realm, [value])
    actions: list[Callable[[], object]] = [
        lambda: stringify(value),
        lambda: parse("[" * 10_000 + "]" * 10_000, realm),
    ]
    for action in actions:
        with pytest.raises(Throw) as thrown:
            action()
        assert isinstance(thrown.value.value, JSError)
        assert thrown.value.value.name == "RangeError"
    assert stringify(parse("[" * 300 + "]" * 300, realm)) == "[" * 300 + "]" * 300


def test_parsed_objects_belong_to_the_given_realm(realm: Realm) -> None:
    value = parse('{"a":[{}]}', realm)
    assert isinstance(value, JSObject)
    array = value.get("a")
    assert isinstance(array, JSArray)
    inner = array.items[0]
    assert isinstance(inner, JSObject)
    assert {value.realm, array.realm, inner.realm} == {realm}


_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def _made(plain: object) -> JSValue:
    if isinstance(plain, dict):
        return JSObject(None, {key: _made(value) for key, value in plain.items()})
    if isinstance(plain, list):
        return JSArray(None, [_made(value) for value in plain])
    assert plain is None or isinstance(plain, bool | int | float | str)
    return plain


@given(_PLAIN)
def test_parsing_json_text_and_stringifying_again_gives_the_same_text(plain: object) -> None:
    realm = Realm.__new__(Realm)
    text = stringify(_made(plain))
    assert isinstance(text, str)
    assert stringify(parse(text, realm)) == text
