"""Loops: the variables, the collection, and what restricts it; or the condition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.grammar.things import relative_clauses
from speclint.prose.phrasebook import phrase_of
from speclint.prose.tree import (
    And,
    Call,
    Expression,
    Filter,
    ForEach,
    TheItem,
    Variable,
    While,
)


@nonterminal
def for_each(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``For each |x| of …``."""
    place = parser.place(position)
    kinds: tuple[Literal["list", "map"], ...] = ("list", "map")
    for kind in kinds:
        begin = parser.either(position, kind, "for each")
        if begin is None:
            continue
        for variables, end in _variables(parser, begin, kind):
            for collection, last in _collections(parser, end, begin):
                for result in parser.parse("body", last):
                    yield Result(ForEach(place, variables, collection, kind, result.node), result.end)


@nonterminal
def while_(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``While …``: a condition."""
    begin = parser.either(position, "iteration", "while")
    for condition in parser.parse("condition", begin) if begin is not None else ():
        for result in parser.parse("body", condition.end):
            yield Result(While(parser.place(position), condition.node, result.node), result.end)


def _variables(parser: Parser, position: int, kind: str) -> Iterator[tuple[tuple[Variable, ...], int]]:
    for noun in (position, *(result.end for result in parser.parse("type", position))):
        for first in parser.parse("variable_slot", noun):
            if kind == "list":
                yield (first.node,), first.end
                continue
            arrow = parser.mark(first.end, "→")
            for second in parser.parse("variable_slot", arrow) if arrow is not None else ():
                yield (first.node, second.node), second.end
    opened = parser.mark(position, "(") if kind == "list" else None
    for first in parser.parse("variable_slot", opened) if opened is not None else ():
        comma = parser.mark(first.end, ",")
        for second in parser.parse("variable_slot", comma) if comma is not None else ():
            closed = parser.mark(second.end, ")")
            if closed is not None:
                yield (first.node, second.node), closed


def _collections(parser: Parser, position: int, noun: int) -> Iterator[tuple[Expression, int]]:
    of = parser.words(position, "of") or parser.words(position, "in")
    for result in parser.parse("expression", of) if of is not None else ():
        yield result.node, result.end
    among = parser.words(position, "among")
    for result in parser.parse("expression", among) if among is not None else ():
        for condition, end in relative_clauses(parser, result.end):
            # "For each form element |form| among …": the noun is a condition, too.
            kind = list(parser.parse("noun_of_element", noun))
            both = And(condition.place, (kind[0].node, condition)) if kind else condition
            yield Filter(parser.place(position), result.node, both), end


@nonterminal
def noun_of_element(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``<{form}> element``, as a condition about an item."""
    for result in parser.parse("tag_slot", position):
        end = parser.words(result.end, "element")
        if end is not None:
            item = TheItem(parser.place(position))
            is_element = phrase_of("is_element(node, name)")
            yield Result(Call(item.place, is_element, (item, result.node)), end)
