"""New things, closures, and choices from collections."""

from __future__ import annotations

from collections.abc import Iterator

from speclint.prose.grammar.conditions import predicates
from speclint.prose.grammar.expressions import algorithm_or_term, items, looked_up
from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.tree import (
    And,
    Closure,
    Do,
    Expression,
    Filter,
    First,
    ListOf,
    MapOf,
    NewDictionary,
    NewObject,
    NewStruct,
    Parameter,
    Place,
    TheItem,
)

_EMPTY = ("empty", "new")
_Items = tuple[tuple[str, Expression], ...]


@nonterminal
def new_thing(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``a new struct whose …``, ``a new dictionary``, ``a new object in a realm``, ``an empty list``."""
    place = parser.place(position)
    begin = parser.article(position)
    if begin is None:
        begin = position
    for word in _EMPTY:
        empty = parser.words(begin, word)
        if empty is not None:
            yield from _collections(parser, empty, place)
    new = parser.either(begin, "", "new")
    if new is not None:
        yield from _structs(parser, new, place)
        yield from _of_idl(parser, new, place)
    elif begin != position:
        yield from _structs(parser, begin, place, is_new=False)
        yield from _of_idl(parser, begin, place, is_new=False)


def _collections(parser: Parser, position: int, place: Place) -> Iterator[Result]:
    ordered = parser.link(position, "", "ordered map") or parser.link(position, "", "map")
    if ordered is not None:
        yield Result(MapOf(place, ()), ordered)
    # An ordered set is a list without repetitions.
    end = (
        parser.link(position, "", "list")
        or parser.link(position, "", "ordered set")
        or parser.link(position, "", "set")
    )
    if end is None:
        return
    yield Result(ListOf(place, ()), end)
    of = parser.words(end, "of")
    for result in parser.parse("type", of) if of is not None else ():
        yield Result(ListOf(place, (), result.node), result.end)


def _structs(parser: Parser, position: int, place: Place, *, is_new: bool = True) -> Iterator[Result]:
    token = parser.peek(position)
    if token is None or token.kind != "link" or token.owner not in {"", "/"}:
        return
    name = parser.vocabulary.structs.get(token.key)
    if name is None:
        parser.fail(position, "[=a struct=]")
        return
    end = position + 1
    if is_new:
        yield Result(NewStruct(place, name, ()), end)
    else:
        yield from _assigned(parser, end, place, name)
    for found, last in _whose(parser, end, name, "link"):
        yield Result(NewStruct(place, name, found), last, is_open=True)
    below = _items_below(parser, end, "items")
    if below is not None:
        yield Result(NewStruct(place, name, None), below)


def _assigned(parser: Parser, position: int, place: Place, struct: str) -> Iterator[Result]:
    """Yield ``an s of v to x, of kind k``: v is the item "value", x the one item that is not named."""
    names = parser.vocabulary.items_of[struct]
    of = parser.words(position, "of")
    for value in parser.parse("expression", of) if of is not None and "value" in names else ():
        to = parser.words(value.end, "to")
        for target in parser.parse("expression", to) if to is not None else ():
            named: dict[str, Expression] = {"value": value.node}
            end = target.end
            comma = parser.mark(end, ",")
            more = parser.words(comma, "of") if comma is not None else None
            token = parser.peek(more) if more is not None else None
            if more is not None and token is not None and token.text in names:
                for result in parser.parse("expression", more + 1):
                    yield from _assigned_to(
                        names, {**named, token.text: result.node}, target, result.end, place, struct
                    )
            else:
                yield from _assigned_to(names, named, target, end, place, struct)


def _assigned_to(
    names: tuple[str, ...], named: dict[str, Expression], target: Result, end: int, place: Place, struct: str
) -> Iterator[Result]:
    rest = [name for name in names if name not in named]
    if len(rest) == 1:
        named = {**named, rest[0]: target.node}
        yield Result(NewStruct(place, struct, tuple((name, named[name]) for name in names)), end, is_open=True)


def _of_idl(parser: Parser, position: int, place: Place, *, is_new: bool = True) -> Iterator[Result]:
    token = parser.peek(position)
    if token is None or token.kind != "reference" or token.owner or token.term.endswith("Error"):
        return
    name, end = token.term, position + 1
    dictionary = parser.words(end, "dictionary")
    is_dictionary = dictionary is not None or name in parser.vocabulary.dictionaries
    if is_dictionary:
        end = dictionary if dictionary is not None else end
        for found, last in _whose(parser, end, name, "reference"):
            yield Result(NewDictionary(place, name, found), last, is_open=True)
        below = _items_below(parser, end, "fields")
        if below is not None:
            yield Result(NewDictionary(place, name, None), below)
    if not is_new:
        return
    end = end if is_dictionary else parser.words(end, "object") or end
    yield Result(NewDictionary(place, name, ()) if is_dictionary else NewObject(place, name, None), end)
    in_ = parser.words(parser.words(end, "created") or end, "in")
    for realm in parser.parse("expression", in_) if in_ is not None and not is_dictionary else ():
        yield Result(NewObject(place, name, realm.node), realm.end, is_open=True)


def _whose(parser: Parser, position: int, owner: str, kind: str) -> Iterator[tuple[_Items, int]]:
    whose = parser.words(position, "whose")
    if whose is not None:
        yield from _pairs(parser, whose, owner, kind, ())


def _pairs(parser: Parser, position: int, owner: str, kind: str, before: _Items) -> Iterator[tuple[_Items, int]]:
    """Yield ``a is x, b is y, and c is z``; "whose" may be repeated."""
    token = parser.peek(position)
    names = [name for of, name in items(parser, token) if of == owner.lower()] if token is not None else []
    if kind == "reference" and token is not None and token.kind == "reference" and token.owner == owner:
        members = parser.vocabulary.members.get(owner)
        names = [token.term] if members is None or token.term in members else []
    if not names:
        parser.fail(position, "[=an item=]" if kind == "link" else "{{a member}}")
        return
    is_ = parser.words(position + 1, "is")
    for value in parser.parse("expression", is_) if is_ is not None else ():
        found = (*before, (names[0], value.node))
        yield found, value.end
        comma = parser.mark(value.end, ",")
        begin = comma if comma is not None else value.end
        last = parser.words(begin, "and")
        following = parser.words(last, "whose") if last is not None else None
        if last is not None:
            yield from _pairs(parser, following if following is not None else last, owner, kind, found)
        elif comma is not None:
            yield from _pairs(parser, comma, owner, kind, found)


def _items_below(parser: Parser, position: int, word: str) -> int | None:
    """Match ``with the following items:`` at the end of a sentence."""
    begin = parser.mark(position, ",")
    end = parser.words(begin if begin is not None else position, "with the following")
    end = parser.either(end, "struct", word) if end is not None else None
    end = parser.mark(end, ":") if end is not None else None
    return end if end == len(parser.tokens) and parser.has_steps_below else None


# Closures.


@nonterminal
def closure(parser: Parser, position: int) -> Iterator[Result]:
    """Read steps as a value: ``the following steps, given a and b:``, ``an algorithm that takes …, and runs …``."""
    place = parser.place(position)
    the = parser.words(position, "the following steps")
    if the is not None:
        given = parser.words(parser.mark(the, ",") or the, "given")
        for parameters, end in _parameters(parser, given, ()) if given is not None else (((), the),):
            for body in parser.parse("below", end):
                yield Result(Closure(place, parameters, body.node), body.end)
    that = parser.words(position, "steps that")
    for body in parser.parse("acts", that) if that is not None else ():
        yield Result(Closure(place, (), body.node), body.end, is_open=True)
    article = parser.article(position)
    takes = parser.words(article, "algorithm that takes") if article is not None else None
    for parameters, end in _parameters(parser, takes, ()) if takes is not None else ():
        comma = parser.mark(end, ",")
        and_ = parser.words(comma if comma is not None else end, "and")
        if and_ is not None:
            yield from _running(parser, and_, place, parameters)


def _running(parser: Parser, position: int, place: Place, parameters: tuple[Parameter, ...]) -> Iterator[Result]:
    following = parser.words(position, "runs the following steps")
    if following is not None:
        parallel = parser.either(following, "", "in parallel")
        end = parallel if parallel is not None else following
        for body in parser.parse("below", end):
            yield Result(Closure(place, parameters, body.node, parallel is not None), body.end)
    runs = parser.words(position, "runs")
    the = parser.words(runs, "the") if runs is not None else None
    begin = the if the is not None else runs
    for run in algorithm_or_term(parser, begin, begin, ()) if begin is not None else ():
        yield Result(Closure(place, parameters, (Do(run.node.place, run.node),)), run.end, is_open=True)


def _parameters(
    parser: Parser, position: int, before: tuple[Parameter, ...]
) -> Iterator[tuple[tuple[Parameter, ...], int]]:
    """Yield ``a``, ``a and b``, ``a, b, and c``, each with its type or without one."""
    for type_, begin in [(None, position), *((result.node, result.end) for result in parser.parse("type", position))]:
        token = parser.peek(begin)
        if token is None or token.kind != "variable":
            parser.fail(begin, "|a variable|")
            continue
        found = (*before, Parameter(token.text, type_))
        yield found, begin + 1
        comma = parser.mark(begin + 1, ",")
        last = parser.words(comma if comma is not None else begin + 1, "and")
        if last is not None:
            yield from _parameters(parser, last, found)
        elif comma is not None:
            yield from _parameters(parser, comma, found)


# Choices.


@nonterminal
def first_of(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``the first of all items of c whose …``, ``the first of c that … and whose …, or null``."""
    place = parser.place(position)
    begin = parser.words(position, "the first of")
    if begin is None:
        return
    all_ = parser.words(begin, "all")
    items_ = parser.link(all_, "list", "item") if all_ is not None else None
    of = parser.words(items_, "of") if items_ is not None else None
    for collection in parser.parse("expression", of if of is not None else begin):
        for node, end in relative_clauses(parser, collection.end):
            chosen = First(place, collection.node, node, or_null=False)
            yield Result(chosen, end, is_open=True)


@nonterminal
def filtered(parser: Parser, position: int) -> Iterator[Result]:
    """Read ``the items of c whose …``."""
    place = parser.place(position)
    begin = parser.words(position, "the")
    items_ = parser.link(begin, "list", "item") if begin is not None else None
    of = parser.words(items_, "of") if items_ is not None else None
    for collection in parser.parse("expression", of) if of is not None else ():
        for node, end in relative_clauses(parser, collection.end):
            yield Result(Filter(place, collection.node, node), end, is_open=True)


def relative_clauses(parser: Parser, position: int) -> Iterator[tuple[Expression, int]]:
    """Yield ``whose a is b``, ``that is c``, and two of them joined by "and"."""
    for node, end in _relative_clause(parser, position):
        yield node, end
        more = parser.words(end, "and")
        for other, last in _relative_clause(parser, more) if more is not None else ():
            yield And(node.place, (node, other)), last


def _relative_clause(parser: Parser, position: int) -> Iterator[tuple[Expression, int]]:
    item = TheItem(parser.place(position))
    that = parser.words(position, "that")
    for result in predicates(parser, item, that) if that is not None else ():
        yield result.node, result.end
    whose = parser.words(position, "whose")
    if whose is None:
        return
    for property_ in (*looked_up(parser, item, whose), *_of_a_term(parser, item, whose)):
        for result in predicates(parser, property_.node, property_.end):
            yield result.node, result.end


def _of_a_term(parser: Parser, item: TheItem, position: int) -> Iterator[Result]:
    """Yield a term of prose, or an algorithm, applied to an item."""
    for result in algorithm_or_term(parser, position, position, (item,)):
        if result.end == position + 1:
            yield result
