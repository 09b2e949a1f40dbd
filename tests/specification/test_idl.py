"""From IDL to Python: the classes of dictionaries, and the algorithms of members."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from modelcontext.platform.webidl.types import ABSENT
from modelcontext.spec.specification import Algorithm, Parameter, Section, SpecificationError, Step
from modelcontext.spec.specification.text.algorithms import Kind, python_identifier
from modelcontext.spec.specification.text.dictionaries import generate_dictionaries
from modelcontext_prose.bindings import check_bindings

TEXT = Path("index.bs")
PLATFORM = """
interface Event { readonly attribute DOMString type; };
dictionary EventInit { boolean composed = false; boolean bubbles = false; };
interface AbortSignal {};
"""


def generate(idl: str) -> dict[str, object]:
    namespace: dict[str, object] = {}
    exec(generate_dictionaries(idl, PLATFORM, TEXT), namespace)
    return namespace


def test_members_are_required_or_have_a_default_or_may_be_absent() -> None:
    source = generate_dictionaries(
        'dictionary D { required DOMString z; USVString y; boolean x = true; DOMString w = "it\'s"; D? d; };',
        PLATFORM,
        TEXT,
    )
    lines = [line.strip() for line in source.splitlines() if line.startswith("    ") and ":" in line][-5:]
    assert lines == [
        "d: D | None | Absent = ABSENT",
        'w: str = "it\'s"',
        "x: bool = True",
        "y: str | Absent = ABSENT",
        "z: str",
    ]


def test_generated_class_has_inherited_members_and_defaults() -> None:
    made = generate(
        'dictionary FooInit : EventInit { DOMString fooName = ""; sequence<USVString> all; sequence<USVString> none = []; };'
    )
    foo_init = made["FooInit"]
    assert isinstance(foo_init, type)
    instance = foo_init()
    assert [field.name for field in fields(instance)] == ["bubbles", "composed", "all", "foo_name", "none"]
    assert instance.none == []
    assert instance.none is not foo_init().none
    assert (instance.all, instance.foo_name, instance.bubbles) == (ABSENT, "", False)
    assert not hasattr(instance, "__dict__")


@pytest.mark.parametrize(
    ("idl", "message"),
    [
        ("dictionary D { long x; };", "D.x: the type long has no Python counterpart"),
        ("dictionary D { boolean x = 1; };", "D.x"),
        ("dictionary D : Missing { };", "inherits from Missing, which no IDL declares"),
        ("dictionary D { ", "is not valid Web IDL"),
    ],
)
def test_idl_without_python_counterpart_is_refused(idl: str, message: str) -> None:
    with pytest.raises(SpecificationError, match=message):
        generate_dictionaries(idl, PLATFORM, TEXT)


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("exposed origins", "exposed_origins"),
        ("inputObject", "input_object"),
        ("global", "global_"),
        ("id", "id"),
        ("cancel a pending execution", "cancel_a_pending_execution"),
    ],
)
def test_name_of_the_text_becomes_a_python_identifier(name: str, identifier: str) -> None:
    assert python_identifier(name) == identifier


def algorithm(identifier: str, kind: Kind, *parameters: str) -> Algorithm:
    named = tuple(Parameter(name, python_identifier(name)) for name in parameters)
    return Algorithm(identifier, "x", "x", kind, named, False, Section("1", "s", "s"), (Step("1", "Return."),))


IDL = """
interface A {
  Promise<undefined> doIt(DOMString how);
  readonly attribute DOMString name;
  attribute EventHandler onfoo;
};
interface FooEvent : Event { constructor(DOMString type); readonly attribute DOMString fooName; };
"""
DO_IT = algorithm("dom-a-doit", "method", "this", "how")
NAME = algorithm("dom-a-name", "getter", "this")


def unbound(*algorithms: Algorithm, idl: str = IDL) -> list[tuple[str, str]]:
    return [(member.id, member.message) for member in check_bindings(idl, PLATFORM, list(algorithms))]


def test_matching_idl_and_algorithms_have_no_problem() -> None:
    assert unbound(DO_IT, NAME, algorithm("help", "abstract operation")) == []


def test_member_without_an_algorithm_is_found() -> None:
    ((identifier, message),) = unbound(NAME)
    assert identifier == "dom-a-doit"
    assert "A.doIt is in the IDL, but the text has no method" in message


def test_algorithm_without_a_member_is_found() -> None:
    ((identifier, message),) = unbound(DO_IT, NAME, algorithm("dom-a-more", "method", "this"))
    assert (identifier, message) == ("dom-a-more", "the IDL has no member for this method")


def test_differing_parameters_are_found() -> None:
    ((_, message),) = unbound(NAME, algorithm("dom-a-doit", "method", "this", "why"))
    assert message == "A.doIt takes (this, how) in the IDL, but (this, why) in the text"


def test_differing_kind_is_found() -> None:
    ((_, message),) = unbound(DO_IT, algorithm("dom-a-name", "setter", "this"))
    assert message == "A.name is a getter in the IDL, but a setter in the text"


@pytest.mark.parametrize("member", ["attribute DOMString x;", "constructor();", "const long X = 1;"])
def test_member_that_cannot_be_bound_is_found(member: str) -> None:
    ((_, message),) = unbound(idl=f"interface B {{ {member} }};")
    assert "cannot be bound" in message
