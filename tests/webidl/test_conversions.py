"""Conversions, compiled from IDL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

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
from modelcontext.platform.webidl.conversions import Conversions, snake_case, to_boolean, to_string
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.idl import Definitions, IDLType, parse
from modelcontext.platform.webidl.types import ABSENT, Absent, CallbackFunction

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm

IDL = """
dictionary Base { required DOMString zeta; boolean alpha = true; };
dictionary Derived : Base { USVString middle; DOMString? nothing = null; sequence<USVString> beta; object eta; };
dictionary Outer { Derived inner; Callback run; any whatever; sequence<DOMString> texts = []; };
callback Callback = Promise<any> (object input);
"""


@dataclass(kw_only=True)
class Derived:
    zeta: str
    alpha: bool
    middle: str | Absent
    nothing: str | None
    beta: list[str] | Absent
    eta: JSObject | Absent


@dataclass(kw_only=True)
class Outer:
    inner: Derived | Absent
    run: CallbackFunction | Absent
    whatever: JSValue | Absent
    texts: list[str]


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    return parse([IDL])


@pytest.fixture
def convert(definitions: Definitions) -> Callable[[JSValue, str], Any]:
    conversions = Conversions(definitions, {"Derived": Derived, "Outer": Outer}, {})
    return lambda value, name: conversions.converter(IDLType(name))(value)


@pytest.fixture
def realm() -> Realm:
    return create_a_new_top_level_traversable(World().user_agent, Response("https://a.test/")).realm


def is_a_type_error(action: Callable[[], object]) -> bool:
    with pytest.raises(Throw) as thrown:
        action()
    return isinstance(thrown.value.value, JSError) and thrown.value.value.name == "TypeError"


def throwing(value: JSValue) -> Callable[[JSValue, list[JSValue]], JSValue]:
    def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
        raise Throw(value)

    return behavior


def test_dictionary_members_are_read_least_derived_first_and_each_level_in_lexicographical_order(
    convert: Callable[[JSValue, str], Any], realm: Realm
) -> None:
    log: list[str] = []

    def member(name: str, value: JSValue) -> Accessor:
        def get(this: JSObject) -> JSValue:
            log.append(name)
            return value

        return Accessor(get)

    names = ["nothing", "eta", "middle", "zeta", "unknown", "beta", "alpha"]
    convert(JSObject(realm, {name: member(name, "z" if name == "zeta" else UNDEFINED) for name in names}), "Derived")
    assert log == ["alpha", "zeta", "beta", "eta", "middle", "nothing"]


def test_missing_dictionary_members_get_their_default_or_are_absent(
    convert: Callable[[JSValue, str], Any], realm: Realm
) -> None:
    converted = convert(JSObject(realm, {"zeta": "z", "middle": UNDEFINED}), "Derived")
    assert converted == Derived(zeta="z", alpha=True, middle=ABSENT, nothing=None, beta=ABSENT, eta=ABSENT)


def test_dictionary_members_are_converted_by_type(convert: Callable[[JSValue, str], Any], realm: Realm) -> None:
    eta = JSObject(realm)
    data: dict[str, JSValue | Accessor] = {
        "zeta": "\ud800", "alpha": 0, "middle": "\ud800", "nothing": 1, "beta": JSArray(realm, [None, 1]), "eta": eta,
    }  # fmt: skip
    converted = convert(JSObject(realm, data), "Derived")
    assert converted == Derived(zeta="\ud800", alpha=False, middle="\ufffd", nothing="1", beta=["null", "1"], eta=eta)


def test_missing_sequence_is_a_new_list_each_time(convert: Callable[[JSValue, str], Any]) -> None:
    assert convert(None, "Outer").texts is not convert(None, "Outer").texts


@pytest.mark.parametrize("value", [UNDEFINED, None])
def test_undefined_and_null_are_dictionaries_without_members(
    value: JSValue, convert: Callable[[JSValue, str], Any]
) -> None:
    assert convert(value, "Outer") == Outer(inner=ABSENT, run=ABSENT, whatever=ABSENT, texts=[])
    assert is_a_type_error(lambda: convert(value, "Derived"))


@pytest.mark.parametrize("value", [True, 1, "string", Symbol(), BigInt(1)])
def test_primitive_as_a_dictionary_is_a_type_error(value: JSValue, convert: Callable[[JSValue, str], Any]) -> None:
    assert is_a_type_error(lambda: convert(value, "Outer"))


def test_null_for_a_nested_dictionary_is_an_empty_dictionary(
    convert: Callable[[JSValue, str], Any], realm: Realm
) -> None:
    assert is_a_type_error(lambda: convert(JSObject(realm, {"inner": None}), "Outer"))
    assert convert(JSObject(realm, {"whatever": None}), "Outer").whatever is None


@pytest.mark.parametrize("value", [None, "s", 1, True, Symbol()])
def test_type_object_takes_only_objects(value: JSValue, convert: Callable[[JSValue, str], Any], realm: Realm) -> None:
    assert is_a_type_error(lambda: convert(JSObject(realm, {"zeta": "", "eta": value}), "Derived"))


@pytest.mark.parametrize("value", [None, "string", 1, JSObject()])
def test_sequence_takes_only_iterable_objects(
    value: JSValue, convert: Callable[[JSValue, str], Any], realm: Realm
) -> None:
    assert is_a_type_error(lambda: convert(JSObject(realm, {"zeta": "", "beta": value}), "Derived"))


def test_callback_takes_only_functions(convert: Callable[[JSValue, str], Any], realm: Realm) -> None:
    function = JSFunction(realm, lambda this, arguments: UNDEFINED)
    callback = convert(JSObject(realm, {"run": function}), "Outer").run
    assert (callback.function, callback.type_name) == (function, "Callback")
    for value in (None, 1, JSObject(realm)):
        assert is_a_type_error(lambda value=value: convert(JSObject(realm, {"run": value}), "Outer"))  # type: ignore[misc]


def test_exception_of_a_getter_comes_through_and_stops_the_conversion(
    convert: Callable[[JSValue, str], Any], realm: Realm
) -> None:
    def throw(this: JSObject) -> JSValue:
        raise Throw("thrown")

    def never(this: JSObject) -> JSValue:
        raise AssertionError("a later member was read")

    with pytest.raises(Throw) as thrown:
        convert(JSObject(realm, {"zeta": Accessor(never), "alpha": Accessor(throw)}), "Derived")
    assert thrown.value.value == "thrown"


def test_type_without_a_conversion_is_a_not_implemented_error(convert: Callable[[JSValue, str], Any]) -> None:
    with pytest.raises(NotImplementedError, match="octet"):
        convert(1, "octet")


@pytest.mark.parametrize(
    ("value", "string"),
    [
        (UNDEFINED, "undefined"),
        (None, "null"),
        (True, "true"),
        (1e21, "1e+21"),
        (-0.0, "0"),
        (float("nan"), "NaN"),
        (BigInt(-12), "-12"),
        ("\ud800", "\ud800"),
        (JSObject(), "[object Object]"),
        (JSArray(None, [1, None, UNDEFINED, JSArray(None, ["a", "b"])]), "1,,,a,b"),
        (JSError("RangeError", "m"), "RangeError: m"),
        (DOMException("AbortError"), "AbortError"),
    ],
)
def test_primitive_converts_to_string(value: JSValue, string: str) -> None:
    assert to_string(value) == string


def test_object_converts_to_string_by_its_methods(realm: Realm) -> None:
    def constant(value: JSValue) -> JSFunction:
        return JSFunction(realm, lambda this, arguments: value)

    assert to_string(JSObject(realm, {"toString": constant("s"), "valueOf": constant("v")})) == "s"
    assert to_string(JSObject(realm, {"toString": constant(JSObject(realm)), "valueOf": constant(5)})) == "5"
    assert to_string(JSObject(realm, {"toString": None, "valueOf": constant(None)})) == "null"
    assert is_a_type_error(lambda: to_string(JSObject(realm, {"toString": constant(JSObject()), "valueOf": 1})))
    assert is_a_type_error(lambda: to_string(JSObject(realm, {"toString": constant(Symbol())})))
    with pytest.raises(Throw) as thrown:
        to_string(JSObject(realm, {"toString": JSFunction(realm, throwing("thrown"))}))
    assert thrown.value.value == "thrown"


def test_converting_a_symbol_to_a_string_is_a_type_error() -> None:
    assert is_a_type_error(lambda: to_string(Symbol("s")))


@pytest.mark.parametrize("value", [UNDEFINED, None, False, 0, -0.0, float("nan"), "", BigInt(0)])
def test_falsy_value_converts_to_false(value: JSValue) -> None:
    assert to_boolean(value) is False


@pytest.mark.parametrize("value", [True, 1, -1.5, "0", "false", BigInt(1), Symbol(), JSObject(), JSArray(None, [])])
def test_truthy_value_converts_to_true(value: JSValue) -> None:
    assert to_boolean(value) is True


def test_dictionary_becomes_an_object_with_members_in_the_order_of_reading(
    definitions: Definitions, realm: Realm
) -> None:
    conversions = Conversions(definitions, {"Derived": Derived, "Outer": Outer}, {})
    dictionary = Derived(zeta="z", alpha=False, middle=ABSENT, nothing=None, beta=["b"], eta=ABSENT)
    value = conversions.to_javascript([dictionary], realm)
    assert isinstance(value, JSArray)
    [made] = value.items
    assert isinstance(made, JSObject)
    assert made.own_keys() == ["alpha", "zeta", "beta", "nothing"]
    beta = made.get("beta")
    assert isinstance(beta, JSArray)
    assert beta.items == ["b"]
    assert {value.realm, made.realm, beta.realm} == {realm}


def test_idl_names_become_snake_case() -> None:
    assert [snake_case(name) for name in ("inputSchema", "name", "readOnlyHint")] == [
        "input_schema", "name", "read_only_hint",
    ]  # fmt: skip


def test_parsing_text_that_is_not_idl_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="not Web IDL"):
        parse(["dictionary {"])


def test_idl_without_definitions_has_none() -> None:
    found = parse(["", " // Nothing.\n/* Nothing\nat all. */"])
    assert (found.interfaces, found.dictionaries, found.callbacks) == ({}, {}, frozenset())
