"""The text of Python expressions and statements, as the project's formatter lays it out."""

from __future__ import annotations

import ast

from modelcontext_prose.python_expressions import expression, lines_of
from modelcontext_prose.python_text import Comment, Declaration, statements_text

LONG = "a" * 60


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def laid_out(text: str, prefix: str = "x = ", suffix: str = "") -> list[str]:
    return lines_of(prefix, parsed(text), suffix, 0)


def test_operators_that_bind_more_strongly_keep_their_parentheses() -> None:
    for text in ("a or (b and c)", "(a or b) and c", "not (a or b)", "(a if b else c) if d else e", "(a + b) * c"):
        assert expression(parsed(text)) == text


def test_strings_have_double_quotes_unless_they_contain_some() -> None:
    assert expression(parsed("""f('a', "it's", 'a "b"')""")) == """f("a", "it's", 'a "b"')"""


def test_long_call_has_its_arguments_on_a_line_of_their_own() -> None:
    assert laid_out(f"function({LONG}, {LONG[:50]})") == ["x = function(", f"    {LONG}, {LONG[:50]}", ")"]


def test_arguments_that_are_too_long_for_a_line_have_one_each() -> None:
    assert laid_out(f"function({LONG}, b={LONG})") == ["x = function(", f"    {LONG},", f"    b={LONG},", ")"]


def test_long_collection_has_one_line_for_each_item() -> None:
    assert laid_out(f"[{LONG}, {LONG}]") == ["x = [", f"    {LONG},", f"    {LONG},", "]"]


def test_long_condition_gets_parentheses_and_an_operator_at_each_line() -> None:
    lines = laid_out(f"{LONG} or {LONG} or b", "if ", ":")
    assert lines == ["if (", f"    {LONG}", f"    or {LONG}", "    or b", "):"]


def test_condition_with_one_operator_opens_the_call_at_its_end() -> None:
    assert laid_out(f"a == function({LONG}, {LONG[:45]})", "if ", ":") == [
        "if a == function(",
        f"    {LONG}, {LONG[:45]}",
        "):",
    ]


def test_comment_is_wrapped_and_a_heading_stands_above_its_else() -> None:
    branch = ast.If(parsed("a"), [ast.Pass()], [Comment("2. Otherwise:", is_heading=True), ast.Pass()])
    words = " ".join(["word"] * 30)
    text = statements_text([Comment(f"1. {words}"), branch], 1)
    assert text.splitlines()[1].startswith("    # word")
    assert text.endswith("    if a:\n        pass\n\n    # 2. Otherwise:\n    else:\n        pass\n")
    assert max(map(len, text.splitlines())) <= 120


def test_declaration_has_an_annotation_if_it_needs_one() -> None:
    declaration = Declaration("x", parsed("[]"))
    assert statements_text([declaration]) == "x = []\n"
    declaration.annotation = parsed("list[str]")
    assert statements_text([declaration]) == "x: list[str] = []\n"


def test_loop_has_parentheses_around_what_another_generator_returns() -> None:
    loop = ast.For(ast.Name("a"), ast.YieldFrom(parsed("f()")), [ast.Pass()], [])
    assert statements_text([loop], 0) == "for a in (yield from f()):\n    pass\n"
