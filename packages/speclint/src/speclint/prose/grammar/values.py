"""Values: an expression, or one of two, with what a sentence adds to it."""

from __future__ import annotations

from collections.abc import Iterator

from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.tree import (
    Conditional,
    Constant,
    Expression,
    First,
    NotNull,
    OrElse,
    Place,
    Rethrowing,
    Typed,
    Undefined,
    Variable,
)


@nonterminal
def value(parser: Parser, position: int) -> Iterator[Result]:
    """Read a value: an expression, one of two on a condition, whether a condition is true, and what a sentence adds to it."""
    place = parser.place(position)
    whether = parser.words(position, "whether")
    if whether is not None:
        yield from parser.parse("condition", whether)
    yield from _if_before(parser, position, place)
    for result in parser.parse("expression", position):
        yield result
        found = result.node
        comma = parser.mark(result.end, ",")
        yield from _if_behind(parser, found, parser.words(comma if comma is not None else result.end, "if"))
        if comma is not None:
            yield from _addition(parser, found, comma)


def _if_behind(parser: Parser, found: Expression, position: int | None) -> Iterator[Result]:
    """Yield ``found if condition; otherwise another``."""
    for condition in parser.parse("condition", position) if position is not None else ():
        for mark in (";", ".", ","):
            stop = parser.mark(condition.end, mark)
            end = parser.words(stop, "otherwise") if stop is not None else None
            end = (parser.mark(end, ",") or end) if end is not None else None
            end = (parser.words(end, "let it be") or end) if end is not None else None
            for other in parser.parse("expression", end) if end is not None else ():
                both = condition.node, found, other.node
                yield Result(Conditional(found.place, *both), other.end)
        stop = parser.mark(condition.end, ",") or parser.mark(condition.end, ";") or condition.end
        for other in parser.parse("expression", parser.words(stop, "and") or stop):
            end = parser.words(other.end, "otherwise")
            if end is not None:
                yield Result(Conditional(found.place, condition.node, found, other.node), end)


def _if_before(parser: Parser, position: int, place: Place) -> Iterator[Result]:
    """Yield ``if condition, value``: without the condition there is none."""
    begin = parser.words(position, "if")
    for condition in parser.parse("condition", begin) if begin is not None else ():
        comma = parser.mark(condition.end, ",")
        for found in parser.parse("expression", comma) if comma is not None else ():
            both = condition.node, found.node
            yield Result(Conditional(place, *both, Undefined(place)), found.end)


def _addition(parser: Parser, found: Expression, position: int) -> Iterator[Result]:
    """Yield what a comma adds to a value."""
    or_ = parser.words(position, "or")
    for result in parser.parse("expression", or_) if or_ is not None else ():
        alternative = result.node
        if isinstance(found, First) and alternative == Constant(alternative.place, None):
            yield Result(First(found.place, found.collection, found.condition, or_null=True), result.end)
        elif not isinstance(alternative, Variable):
            yield Result(OrElse(found.place, found, alternative), result.end)
    end = parser.words(position, "rethrowing any exception") or parser.words(position, "rethrowing any exceptions")
    if end is not None:
        yield Result(Rethrowing(found.place, found), end)
    end = parser.words(position, "which is not null")
    if end is not None:
        yield Result(NotNull(found.place, found), end)
    end = parser.words(position, "which are")
    for result in parser.parse("type", end) if end is not None else ():
        yield Result(Typed(found.place, found, result.node), result.end)
