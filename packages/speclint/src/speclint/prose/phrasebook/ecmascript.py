"""Phrases of ECMAScript: objects, numbers, and the types of values."""

from __future__ import annotations

from speclint.prose.phrasebook.phrase import Phrase, in_standard

PHRASES: tuple[Phrase, ...] = in_standard(
    "ECMAScript",
    Phrase("a new empty object in {realm:realm}", "new_empty_object(realm)", "value", result="object", strand="event loop"),
    Phrase("[OrdinaryObjectCreate] ( {prototype:reference} )", "ordinary_object_create(prototype)", "value",
           result="object", strand="event loop"),
    Phrase("[Number::toString] ( {number:number} , 10 )", "number_to_string(number)", "value", result="string"),
    Phrase("{value} is an Object", "is_object(value)", "test"),
    Phrase("{value} is an [Object]", "is_object(value)", "test"),
    Phrase("{value} [is an Object]", "is_object(value)", "test"),
    Phrase("{value} [Object type|is not an Object]", "is_object(value)", "test", is_negated=True),
    Phrase("{value} [Object type|is an Object]", "is_object(value)", "test"),
    Phrase("{value} is a String", "is_a_javascript_string(value)", "test"),
    Phrase("{value} is a Symbol", "is_a_symbol(value)", "test"),
    Phrase("[ToString] ( {value:JavaScript value} )", "to_string(value)", "value", result="string", may_throw=True,
           strand="event loop"),
    Phrase("[JSON.stringify] ( {value:JavaScript value} )", "json_stringify(value)", "value", result="JavaScript value",
           may_throw=True, strand="event loop"),
)  # fmt: skip
