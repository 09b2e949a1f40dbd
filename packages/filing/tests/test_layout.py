"""Pieces of JavaScript in lines of a limited width."""

from __future__ import annotations

from modelcontext_filing.plain.layout import WIDTH, array, arrow, call, joined, object_literal, script


def test_short_statement_stands_in_one_line() -> None:
    assert script([call("show", '"a"')]) == ['show("a");']


def test_last_argument_alone_is_broken() -> None:
    body = [f'show("{letter * 30}")' for letter in "abc"]
    lines = script([call("listen", '"click"', arrow("()", body))])
    assert lines == ['listen("click", () => {', *(f"  {one};" for one in body), "});"]


def test_long_list_has_an_item_in_each_line() -> None:
    items = [f'"{letter * 60}"' for letter in "ab"]
    assert script([joined("const a = ", array(items))]) == ["const a = [", *(f"  {one}," for one in items), "];"]


def test_no_line_is_wider_than_a_page() -> None:
    tool = object_literal([f"member{number}: {number}" for number in range(30)])
    assert max(map(len, script([call("register", tool)]))) <= WIDTH


def test_returned_object_is_in_parentheses() -> None:
    assert script([arrow("()", [joined("return ", object_literal(["a: 1"]))])]) == ["() => ({ a: 1 });"]


def test_statement_of_one_function_is_written_without_braces() -> None:
    assert script([call("queueMicrotask", arrow("()", ['show("m")']))]) == ['queueMicrotask(() => show("m"));']
