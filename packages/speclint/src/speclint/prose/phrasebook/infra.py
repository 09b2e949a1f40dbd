"""Phrases of Infra: strings, lists, maps, and what every text may say about values."""

from __future__ import annotations

from speclint.prose.phrasebook.phrase import Phrase, in_standard

PHRASES: tuple[Phrase, ...] = in_standard(
    "Infra",
    # Values.
    Phrase("{string:string}'s [string/length]", "code_unit_length(string)", "property", result="number"),
    Phrase("{list:list}'s [list/size]", "size(list)", "property", result="number"),
    Phrase("{map:map}'s [map/size]", "size(map)", "property", result="number"),
    Phrase("{map:map}'s [map/keys]", "keys(map)", "property", result="list"),
    Phrase("{map:map}'s [map/values]", "values(map)", "property", result="list"),
    Phrase("the [string/concatenation] of {list:list of string} using {separator:string}",
           "concatenation(list, separator)", "value", result="string"),
    Phrase("the [string/concatenation] of {parts:values}", "concatenation(parts)", "value", result="string"),
    Phrase("the result of [list/sort in ascending order] {list:list} in ascending order, with {a:variable} being less than "
           "{b:variable} if {is_less:condition}",
           "sorted_in_ascending_order(list, a, b, is_less)", "value", result="list"),
    Phrase("the result of [parse a JSON string to an Infra value] given {string:string}",
           "parse_a_json_string_to_an_infra_value(string)", "value", result="Infra value"),
    Phrase("the result of [serialize an Infra value to a JSON string] given {value:Infra value}",
           "serialize_an_infra_value_to_a_json_string(value)", "value", result="string"),
    Phrase("the result of [parse a JSON string to a JavaScript value] given {string:string}, in {realm:realm}",
           "parse_a_json_string_to_a_javascript_value(string, realm)", "value",
           result="JavaScript value", may_throw=True, strand="event loop"),
    Phrase("the result of [parse a JSON string to a JavaScript value] given {string:string} and {realm:realm}",
           "parse_a_json_string_to_a_javascript_value(string, realm)", "value",
           result="JavaScript value", may_throw=True, strand="event loop"),
    Phrase("the result of [parse a JSON string to a JavaScript value] given {string:string}",
           "parse_a_json_string_to_a_javascript_value(string)", "value",
           result="JavaScript value", may_throw=True, strand="event loop"),
    Phrase("the result of [serialize a JavaScript value to a JSON string] given {value:JavaScript value}",
           "serialize_a_javascript_value_to_a_json_string(value)", "value",
           result="string", may_throw=True, strand="event loop"),
    # Tests.
    Phrase("{entry:entry} [map/exists]", "exists(entry)", "test"),
    Phrase("{list:list} [list/contains] {item}", "contains(list, item)", "test"),
    Phrase("{map:map} [map/is empty]", "is_empty(map)", "test"),
    Phrase("{list:list} [list/is empty]", "is_empty(list)", "test"),
    Phrase("{value} is a [string]", "is_a_string(value)", "test"),
    Phrase("{value} is a [list]", "is_a_list(value)", "test"),
    Phrase("{value} is an [ordered map]", "is_an_ordered_map(value)", "test"),
    Phrase("{value} is a boolean", "is_a_boolean(value)", "test"),
    Phrase("{value} is a number", "is_a_number(value)", "test"),
    Phrase("{value} is an integer", "is_an_integer(value)", "test"),
    Phrase("{code_point:code point} is an [ASCII alphanumeric]", "is_an_ascii_alphanumeric(code_point)", "test"),
    Phrase("{string:string} is an [ASCII case-insensitive] match for {other:string}",
           "is_an_ascii_case_insensitive_match(string, other)", "test"),
    Phrase("{string:string} is [code unit less than] {other:string}", "is_code_unit_less_than(string, other)", "test"),
    Phrase("{number:number} is greater than {other:number}", "is_greater_than(number, other)", "test"),
    Phrase("{number:number} is less than {other:number}", "is_less_than(number, other)", "test"),
    Phrase("{number:number} is a multiple of {other:number}", "is_a_multiple_of(number, other)", "test"),
    Phrase("{number:number} are multiples of {other:number}", "is_a_multiple_of(number, other)", "test"),
    # Acts.
    Phrase("[list/append] {item} to {list:list}", "append(list, item)", "act"),
    Phrase("[list/append] {item}, to {list:list}", "append(list, item)", "act"),
    Phrase("append {string:literal} to {variable:variable}", "append_to_a_string(variable, string)", "act"),
    Phrase("[list/extend] {list:list} with {other:list}", "extend(list, other)", "act"),
    Phrase("[map/remove] {entry:entry}", "remove(entry)", "act"),
    Phrase("[strip leading and trailing ASCII whitespace] from {variable:variable}",
           "strip_leading_and_trailing_ascii_whitespace(variable)", "act"),
    Phrase("[list/sort in ascending order] {list:list}, with {a:variable} being less than {b:variable} if "
           "{is_less:condition}",
           "sort_in_ascending_order(list, a, b, is_less)", "act"),
)  # fmt: skip
