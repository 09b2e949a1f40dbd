"""Cases of a step: how a promise was settled, and items that get a value."""

from __future__ import annotations

from collections.abc import Iterator

from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.tree import (
    ItemCase,
    ItemValue,
    WhenFulfilled,
    WhenRejected,
)


@nonterminal
def case(parser: Parser, position: int) -> Iterator[Result]:
    """Read a case: how a promise was settled, or an item that gets a value."""
    place = parser.place(position)
    token = parser.peek(position)
    if token is not None and token.kind in {"link", "reference"} and position + 1 == len(parser.tokens):
        yield Result((ItemCase(place, token.owner.lower() if token.kind == "link" else token.owner, token.term),), 1)
    begin = parser.words(position, "if")
    for promise in parser.parse("variable_slot", begin) if begin is not None else ():
        for words, name in (("was fulfilled", "value"), ("was rejected", "reason")):
            settled = parser.words(promise.end, words)
            if settled is None:
                continue
            with_ = parser.words(settled, f"with {name}")
            variables = parser.parse("variable_slot", with_) if with_ is not None else ()
            ends = [(one.node, one.end) for one in variables] or [(None, settled)]
            for variable, end in ends:
                comma = parser.mark(end, ",")
                then = parser.words(comma, "then") if comma is not None else None
                last = parser.mark(then if then is not None else end, ":")
                class_ = WhenFulfilled if name == "value" else WhenRejected
                node = class_(place, promise.node, variable)
                yield Result((node,), last if last is not None else end)


@nonterminal
def item_value(parser: Parser, position: int) -> Iterator[Result]:
    """Read the step below a case that names an item: its value."""
    for result in parser.parse("value", position):
        end = parser.mark(result.end, ".")
        node = ItemValue(parser.place(position), result.node)
        yield Result((node,), end if end is not None else result.end)
