"""Comparison of IDL: differences, and other ways to write the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.spec.revisions.registry import FILES
from modelcontext.spec.specification import SpecificationError
from modelcontext.spec.specification.comparison.idl import compare_idl

ROOT = Path(__file__).resolve().parents[2]

# One of each construct of the grammar.
EVERYTHING = """
[Exposed=(Window,Worker), LegacyNoInterfaceObject] interface A : B {
  [Throws] constructor(optional D init = {});
  const long C = 1;
  static undefined f([EnforceRange] unsigned long long x, optional (DOMString or sequence<A?>) y = "a", any... z);
  undefined f();
  undefined g(optional long a = -5, optional double b = 1e3, optional any c = null, optional sequence<long> d = []);
  undefined h(optional boolean e = false, optional unrestricted float f = -Infinity, optional double g = NaN);
  inherit attribute long i;
  readonly attribute [Clamp] octet? j;
  stringifier;
  getter DOMString (unsigned long index);
  iterable<DOMString>;
};
interface L { readonly maplike<DOMString, long>; };
interface S { setlike<long>; };
interface mixin M { attribute any m; };
A includes M;
callback interface CI { undefined k(); };
namespace N { undefined l(); };
enum E { "a", "b" };
typedef record<DOMString, Promise<any>> R;
callback F = undefined (long a);
dictionary D : DD { required long _long; sequence<any> s = []; [X=1] DOMString t = "x"; };
"""


def differences(ours: str, other: str) -> list[tuple[str, str, str | None, str | None]]:
    found = compare_idl(ours, other, "ours", "the other")
    assert {difference.part for difference in found} <= {"idl"}
    return [(difference.subject, difference.change, difference.ours, difference.other) for difference in found]


@pytest.mark.parametrize("text", [EVERYTHING, *((ROOT / one.idl).read_text("utf-8") for one in FILES.values())])
def test_idl_does_not_differ_from_itself(text: str) -> None:
    assert differences(text, text) == []


def interface(members: str = "") -> str:
    return f"interface A {{ {members} }};"


def dictionary(members: str = "") -> str:
    return f"dictionary D {{ {members} }};"


@pytest.mark.parametrize(
    ("ours", "other"),
    [
        ("interface A {}; dictionary D {};", "dictionary D {};\n\n// a comment\ninterface A { };"),
        (dictionary("long a; long b;"), dictionary("long b; long a;")),
        (interface("undefined f(); attribute any a;"), interface("attribute any a; undefined f();")),
        (
            interface("undefined f(); attribute any a;"),
            "partial interface A { attribute any a; }; interface A { undefined f(); };",
        ),
        (
            "partial interface A { [SecureContext, SameObject] readonly attribute B b; };",
            "[SecureContext] partial interface A { [SameObject] readonly attribute B b; };",
        ),
        (
            "[SecureContext, Exposed=(Window,Worker)] interface A {};",
            "[Exposed=(Worker,Window), SecureContext] interface A {};",
        ),
        (interface("undefined f((long or A) a);"), interface("undefined f((A or long) a);")),
        (interface("undefined f(long a); undefined f();"), interface("undefined f(); undefined f(long a);")),
        ('enum E { "a", "b" };', 'enum E { "b", "a" };'),
        (dictionary("long _a;"), dictionary("long a;")),
        ("", "/* nothing\n */ // here"),
    ],
)
def test_another_way_to_write_the_same_is_not_a_difference(ours: str, other: str) -> None:
    assert differences(ours, other) == []


@pytest.mark.parametrize(
    ("ours", "other", "expected"),
    [
        ("", interface("undefined f();"), ("A", "added", None, "interface A { undefined f() }")),
        ("dictionary D : E { long a; };", "", ("D", "removed", "dictionary D : E { long a }", None)),
        ("", "partial interface A { undefined f(); };", ("A", "added", None, "partial interface A { undefined f() }")),
        ("interface A : B {};", "interface A : C {};", ("A", "inheritance", "B", "C")),
        (interface(), "interface A : C {};", ("A", "inheritance", None, "C")),
        (interface(), "interface mixin A {};", ("A", "kind", "interface", "interface mixin")),
        (
            "[SecureContext] interface A {};",
            "[Exposed=Window] interface A {};",
            ("A", "extended attributes", "[SecureContext]", "[Exposed=Window]"),
        ),
        (
            "[Exposed=Window] interface A {};",
            "[Exposed=(Window, Worker)] interface A {};",
            ("A", "extended attributes", "[Exposed=Window]", "[Exposed=(Window, Worker)]"),
        ),
        (
            interface(),
            interface("undefined f(long a, optional any b);"),
            ("A.f", "added", None, "undefined f(long a, optional any b)"),
        ),
        (interface("readonly attribute long a;"), interface(), ("A.a", "removed", "readonly attribute long a", None)),
        (
            interface("readonly attribute long a;"),
            interface("attribute long a;"),
            ("A.a", "access", "read-only", "read-write"),
        ),
        (interface("attribute long a;"), interface("attribute long? a;"), ("A.a", "type", "long", "long?")),
        (
            interface("attribute long a;"),
            interface("[SameObject] attribute long a;"),
            ("A.a", "extended attributes", None, "[SameObject]"),
        ),
        (
            interface("attribute [Clamp] octet a;"),
            interface("attribute octet a;"),
            ("A.a", "type", "[Clamp] octet", "octet"),
        ),
        (
            "partial interface A { attribute any a; };",
            "[SecureContext] partial interface A { attribute any a; };",
            ("A.a", "extended attributes", None, "[SecureContext]"),
        ),
        (interface("const long C = 1;"), interface("const long C = 2;"), ("A.C", "value", "1", "2")),
        (
            interface("undefined f();"),
            interface("Promise<undefined> f();"),
            ("A.f", "return type", "undefined", "Promise<undefined>"),
        ),
        (interface("undefined f();"), interface("static undefined f();"), ("A.f", "special", None, "static")),
        (interface("undefined f(long a);"), interface("undefined f(any a);"), ("A.f(a)", "type", "long", "any")),
        (
            interface("undefined f(long a);"),
            interface("undefined f(long... a);"),
            ("A.f(a)", "type", "long", "long..."),
        ),
        (
            interface("undefined f(long a);"),
            interface("undefined f(optional long a);"),
            ("A.f(a)", "presence", "required", "optional"),
        ),
        (
            interface("undefined f(optional long a = 1);"),
            interface("undefined f(optional long a);"),
            ("A.f(a)", "default", "1", None),
        ),
        (
            "interface A { undefined f(optional D a = {}); };",
            interface("undefined f(optional D a = null);"),
            ("A.f(a)", "default", "{}", "null"),
        ),
        (
            interface("undefined f(long a);"),
            interface("undefined f([EnforceRange] long a);"),
            ("A.f(a)", "extended attributes", None, "[EnforceRange]"),
        ),
        (interface("undefined f(long a);"), interface("undefined f(long b);"), ("A.f(a)", "name", "a", "b")),
        (
            interface("undefined f(long a);"),
            interface("undefined f(any z, long a);"),
            ("A.f(z)", "added", None, "any z"),
        ),
        (
            interface("undefined f(long a, any b);"),
            interface("undefined f(any b);"),
            ("A.f(a)", "removed", "long a", None),
        ),
        (
            interface("undefined f(); undefined f(long a);"),
            interface("undefined f();"),
            ("A.f", "removed", "undefined f(long a)", None),
        ),
        (
            interface("constructor(long a);"),
            interface("constructor(any a);"),
            ("A.constructor(a)", "type", "long", "any"),
        ),
        (interface("constructor();"), interface(), ("A.constructor", "removed", "constructor()", None)),
        (
            interface("iterable<long>;"),
            interface("async iterable<long>;"),
            ("A.iterable", "declaration", "iterable<long>", "async iterable<long>"),
        ),
        (
            interface("maplike<long, any>;"),
            interface("readonly maplike<long, any>;"),
            ("A.maplike", "declaration", "maplike<long, any>", "readonly maplike<long, any>"),
        ),
        (interface("stringifier;"), interface(), ("A.stringifier", "removed", "stringifier ()", None)),
        (dictionary("long a;"), dictionary("required long a;"), ("D.a", "presence", "optional", "required")),
        (dictionary("boolean a = false;"), dictionary("boolean a = true;"), ("D.a", "default", "false", "true")),
        (dictionary('DOMString a = "";'), dictionary("DOMString a;"), ("D.a", "default", '""', None)),
        (dictionary("DOMString a;"), dictionary("USVString a;"), ("D.a", "type", "DOMString", "USVString")),
        (
            dictionary("sequence<long> a;"),
            dictionary("sequence<long?> a;"),
            ("D.a", "type", "sequence<long>", "sequence<long?>"),
        ),
        (dictionary(), dictionary("long a;"), ("D.a", "added", None, "long a")),
        ('enum E { "a" };', 'enum E { "a", "b" };', ("E", "values", '"a"', '"a", "b"')),
        ("typedef long T;", "typedef short T;", ("T", "type", "long", "short")),
        ("callback F = any (long a);", "callback F = undefined (long a);", ("F", "return type", "any", "undefined")),
        ("callback F = any (long a);", "callback F = any (any a);", ("F(a)", "type", "long", "any")),
        ("A includes M;", "", ("A includes M", "removed", "A includes M", None)),
    ],
)
def test_one_change_is_one_difference_in_both_directions(
    ours: str, other: str, expected: tuple[str, str, str | None, str | None]
) -> None:
    assert differences(ours, other) == [expected]
    _, change, left, right = expected
    opposite = {"added": "removed", "removed": "added"}.get(change, change)
    ((_, back, again_left, again_right),) = differences(other, ours)
    assert (back, again_left, again_right) == (opposite, right, left)


def test_all_constructs_of_the_grammar_are_compared() -> None:
    names = [subject for subject, *_ in differences(EVERYTHING, "")]
    assert names == ["A", "L", "S", "M", "A includes M", "CI", "N", "E", "R", "F", "D"]
    text = differences(EVERYTHING, "")[0][2] or ""
    assert "optional unrestricted float f = -Infinity, optional double g = NaN" in text
    assert 'optional (DOMString or sequence<A?>) y = "a", any... z' in text


@pytest.mark.parametrize("text", ["interface {", "hello", "\x00\x01", "interface A {"])
def test_invalid_idl_is_refused_with_its_name(text: str) -> None:
    with pytest.raises(SpecificationError, match="the other is not valid Web IDL"):
        compare_idl(interface(), text, "ours", "the other")


@pytest.mark.parametrize("text", ["interface A {}; interface A {};", "interface A {}; partial dictionary A {};"])
def test_second_declaration_of_a_name_is_refused(text: str) -> None:
    with pytest.raises(SpecificationError, match="ours declares A twice"):
        compare_idl(text, "", "ours", "the other")
