"""Expressions: variables, constants, what is looked up of something, new things, results of algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.grammar.references import AnyItem, It
from speclint.prose.tree import (
    Call,
    Constant,
    Entry,
    Expression,
    Failure,
    Item,
    ListOf,
    MapOf,
    Member,
    NewException,
    Place,
    Run,
    Term,
    ThatException,
    This,
    TupleOf,
    Undefined,
    Variable,
)

if TYPE_CHECKING:
    from speclint.prose.tokens import Token

_WORDS = {"null": None, "true": True, "false": False}


@nonterminal
def expression(parser: Parser, position: int) -> Iterator[Result]:
    """Read something, with everything that is looked up of it; every prefix is a reading, too."""
    waiting = list(parser.parse("primary", position))
    while waiting:
        result = waiting.pop()
        yield result
        if not result.is_open:
            waiting += _suffixes(parser, result)


def _suffixes(parser: Parser, result: Result) -> Iterator[Result]:
    base, position = result.node, result.end
    token = parser.peek(position)
    if token is None or (token.kind != "mark" and token.text not in {"plus", "minus"}):
        # Only these words add something to an expression.
        return
    if token.text == "'s":
        yield from looked_up(parser, base, position + 1)
    elif token.text == "[":
        yield from _entry(parser, base, position + 1)
    else:
        yield from parser.phrases(parser.vocabulary.properties, position, base)


def looked_up(parser: Parser, base: Any, position: int) -> Iterator[Result]:
    """Yield what follows "'s" or "its": an item, a member, or a property of the platform."""
    token = parser.peek(position)
    if token is None:
        parser.fail(position, "[=a property=]")
        return
    if token.kind == "reference":
        if _is_member(parser, token):
            end = parser.words(position + 1, "attribute") or position + 1
            yield Result(Member(base.place, base, token.owner, token.text.removesuffix("()")), end)
        else:
            parser.fail(position, "{{a member}}")
        return
    yield from parser.phrases(parser.vocabulary.properties, position, base)
    for owner, name in items(parser, token):
        end = position + 1
        following = parser.peek(end)
        if following is not None and following.kind == "word" and following.text == "object":
            end += 1
        yield Result(Item(base.place, base, owner, name), end)
    parser.fail(position, "[=a property=]")


def items(parser: Parser, token: Token) -> Iterator[tuple[str, str]]:
    """Yield the owners and names of the items, or the state, that a link can lead to."""
    if token.kind != "link" or token.owner == "/":
        return
    for owner, name in parser.vocabulary.items.get(token.key, ()):
        if token.owner.lower() in {"", *(one.strip() for one in owner.split(","))}:
            yield (token.owner.lower() or owner), name


def _is_member(parser: Parser, token: Token) -> bool:
    members = parser.vocabulary.members
    return bool(token.owner) and (token.owner not in members or token.text.removesuffix("()") in members[token.owner])


def _entry(parser: Parser, base: Expression, position: int) -> Iterator[Result]:
    token = parser.peek(position)
    if token is not None and token.kind == "string" and token.inside is not None and token.inside.kind == "reference":
        end = parser.mark(position + 1, "]")
        if not _is_member(parser, token.inside):
            parser.fail(position, '"{{a member}}"')
        elif end is not None:
            yield Result(Member(base.place, base, token.inside.owner, token.inside.text), end)
        return
    for key in parser.parse("expression", position):
        end = parser.mark(key.end, "]")
        if end is not None:
            yield Result(Entry(base.place, base, key.node), end)


@nonterminal
def primary(parser: Parser, position: int) -> Iterator[Result]:
    """Read something, without what is looked up of it."""
    token = parser.peek(position)
    if token is None:
        parser.fail(position, "an expression")
        return
    place, end = token.place, position + 1
    if token.kind == "variable":
        yield Result(Variable(place, token.text), end)
    elif token.kind in {"string", "character"}:
        yield Result(Constant(place, token.text), end)
    elif token.kind == "number":
        yield Result(Constant(place, int(token.text)), end)
    elif token.kind == "mark":
        yield from _bracketed(parser, token, position)
    elif token.kind == "link" and token.term == "this":
        yield Result(This(place), end)
    elif token.kind == "link" and token.term in _WORDS:
        yield Result(Constant(place, _WORDS[token.term]), end)
    elif token.kind == "reference" and token.term == "undefined":
        yield Result(Undefined(place), end)
    elif token.kind == "word":
        yield from _word(parser, token, position)
    if token.kind in {"word", "link"}:
        yield from parser.phrases(parser.vocabulary.values, position)
        for name in ("new_thing", "exception", "closure", "result_of_an_algorithm", "first_of", "filtered"):
            yield from parser.parse(name, position)
    parser.fail(position, "an expression")


def _word(parser: Parser, token: Token, position: int) -> Iterator[Result]:
    place, end = token.place, position + 1
    word = token.text.lower()
    following = parser.peek(end)
    if word in _WORDS:
        yield Result(Constant(place, _WORDS[word]), end)
    elif word == "undefined":
        yield Result(Undefined(place), end)
    elif word == "failure":
        yield Result(Failure(place), end)
    elif word == "this":
        yield Result(This(place), end)
    elif word == "it":
        yield Result(It(place), end)
    elif word == "its":
        yield from looked_up(parser, It(place), end)
        if following is not None and following.kind == "word" and following.text == "value":
            yield Result(It(place, "value"), end + 1)
    elif word == "the" and (ended := parser.words(end, "empty string")) is not None:
        yield Result(Constant(place, ""), ended)
    elif word == "that" and (ended := parser.words(end, "exception")) is not None:
        yield Result(ThatException(place), ended)
    elif word == "any" and (linked := parser.link(end, "list", "item") or parser.either(end, "", "code point")):
        of = parser.words(linked, "of") or parser.words(linked, "in")
        for collection in parser.parse("expression", of) if of is not None else ():
            yield Result(AnyItem(place, collection.node), collection.end, is_open=True)
    if word == "the" and following is not None and following.kind == "link":
        yield from _property_of(parser, position, end)


def _property_of(parser: Parser, begin: int, position: int) -> Iterator[Result]:
    """Yield ``the [=property=] of x``."""
    of = parser.words(position + 1, "of")
    if of is None:
        return
    for owner in parser.parse("expression", of):
        for result in looked_up(parser, owner.node, position):
            if result.end == position + 1:
                yield Result(result.node, owner.end, is_open=True)


def _bracketed(parser: Parser, token: Token, position: int) -> Iterator[Result]:
    if token.text == "(":
        for items_, end in expressions(parser, position + 1, 2):
            closed = parser.mark(end, ")")
            if closed is not None:
                yield Result(TupleOf(token.place, items_), closed)
    elif token.text == "«":
        empty = parser.mark(position + 1, "»")
        if empty is not None:
            yield Result(ListOf(token.place, ()), empty)
        for items_, end in expressions(parser, position + 1, 1):
            closed = parser.mark(end, "»")
            if closed is not None:
                yield Result(ListOf(token.place, items_), closed)
    elif token.text == "«[":
        for entries, end in _entries(parser, position + 1):
            closed = parser.mark(end, "]»")
            if closed is not None:
                yield Result(MapOf(token.place, entries), closed)


def expressions(parser: Parser, position: int, least: int) -> Iterator[tuple[tuple[Expression, ...], int]]:
    """Yield expressions that commas separate."""
    for first in parser.parse("expression", position):
        if least <= 1:
            yield (first.node,), first.end
        comma = parser.mark(first.end, ",")
        if comma is not None:
            for rest, end in expressions(parser, comma, least - 1):
                yield (first.node, *rest), end


def _entries(parser: Parser, position: int) -> Iterator[tuple[tuple[tuple[Expression, Expression], ...], int]]:
    for key in parser.parse("expression", position):
        arrow = parser.mark(key.end, "→")
        for value in parser.parse("expression", arrow) if arrow is not None else ():
            pair = (key.node, value.node)
            yield (pair,), value.end
            comma = parser.mark(value.end, ",")
            if comma is not None:
                for rest, end in _entries(parser, comma):
                    yield (pair, *rest), end


def enumeration(
    parser: Parser, position: int, least: int, most: int | None = None
) -> Iterator[tuple[tuple[Expression, ...], int]]:
    """Yield "a", "a and b", "a, b, and c", "a, b and c" and so on."""
    for first in parser.parse("expression", position):
        if least <= 1 and most != 0:
            yield (first.node,), first.end
        yield from _more(parser, (first.node,), first.end, least, most)


def _more(
    parser: Parser, found: tuple[Expression, ...], position: int, least: int, most: int | None
) -> Iterator[tuple[tuple[Expression, ...], int]]:
    comma = parser.mark(position, ",")
    last = parser.words(position if comma is None else comma, "and")
    if last is not None and (comma is None or len(found) > 1):
        for result in parser.parse("expression", last):
            whole = (*found, result.node)
            if least <= len(whole) and (most is None or len(whole) <= most):
                yield whole, result.end
    if comma is not None and last is None and (most is None or len(found) + 2 <= most):
        for result in parser.parse("expression", comma):
            yield from _more(parser, (*found, result.node), result.end, least, most)


@nonterminal
def literal_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read a string or a character."""
    token = parser.peek(position)
    if token is not None and token.kind in {"string", "character"}:
        yield Result(Constant(token.place, token.text), position + 1)
    else:
        parser.fail(position, '"a string"')


@nonterminal
def text_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read words for people, up to a comma or the end of the sentence."""
    for end in range(position + 1, len(parser.tokens) + 1):
        following = parser.peek(end)
        if following is None or following.text in {",", "."}:
            words = " ".join(token.text for token in parser.tokens[position:end])
            yield Result(Constant(parser.place(position), words), end)
        if following is None or following.text == ".":
            return


@nonterminal
def values_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read expressions, as a list."""
    for found, end in enumeration(parser, position, 1):
        yield Result(ListOf(found[0].place, found), end, is_open=True)


@nonterminal
def amount_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read the second number of a sum or difference, which is no sum or difference: a chain would have two readings."""
    for result in parser.parse("expression", position):
        if not (isinstance(result.node, Call) and result.node.phrase.verb in {"plus", "minus"}):
            yield result


@nonterminal
def variable_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read a variable."""
    token = parser.peek(position)
    if token is not None and token.kind == "variable":
        yield Result(Variable(token.place, token.text), position + 1)
    else:
        parser.fail(position, "|a variable|")


@nonterminal
def entry_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read an entry of a map, or a member of a dictionary."""
    for result in parser.parse("expression", position):
        if isinstance(result.node, Entry | Member):
            yield result


@nonterminal
def task_source(parser: Parser, position: int) -> Iterator[Result]:
    """Read a task source: of the text, or of the platform."""
    token = parser.peek(position)
    if token is not None and token.kind == "link":
        for owner, name in parser.vocabulary.terms.get(token.key, ()):
            if token.owner in {"", "/"}:
                yield Result(Term(token.place, owner, name), position + 1)
        yield from parser.phrases(parser.vocabulary.values, position)
    parser.fail(position, "[=a task source=]")


@nonterminal
def exception(parser: Parser, position: int) -> Iterator[Result]:
    """Read an exception: ``an "InvalidStateError" DOMException``, ``a TypeError``, ``a new TypeError in a realm``."""
    begin = parser.article(position)
    token = parser.peek(begin) if begin is not None else None
    if begin is None or token is None:
        return
    yield from _named_exception(parser, begin, parser.place(position))
    if token.stems[:1] == ("new",):
        new = parser.either(begin, "", "new")
    else:
        newly = parser.words(begin, "newly")
        new = parser.either(newly, "exception", "created") if newly is not None else None
    for found in _named_exception(parser, new, parser.place(position)) if new is not None else ():
        yield found
        created = parser.words(parser.words(found.end, "created") or found.end, "in")
        for realm in parser.parse("expression", created) if created is not None else ():
            yield Result(replace(found.node, realm=realm.node), realm.end, is_open=True)


def _named_exception(parser: Parser, position: int, place: Place) -> Iterator[Result]:
    token = parser.peek(position)
    named = token.inside if token is not None and token.kind == "string" else token
    if token is None or named is None or named.kind != "reference":
        return
    following = parser.peek(position + 1)
    if following is not None and following.kind == "reference" and following.term == "DOMException":
        yield Result(NewException(place, "DOMException", named.term), position + 2)
    elif token.kind == "reference" and token.term.endswith("Error"):
        yield Result(NewException(place, token.term, None), position + 1)
    else:
        parser.fail(position + 1, "{{DOMException}}")


@nonterminal
def result_of_an_algorithm(parser: Parser, position: int) -> Iterator[Result]:
    """Read what an algorithm returns, or a term that prose defines: ``the result of f given a and b``, ``the f of a``."""
    begin = position
    the = parser.words(position, "the")
    if the is not None:
        position = the
        result_of = parser.words(the, "result of")
        if result_of is not None:
            position = result_of
            for words in (
                "determining whether an",
                "determining whether a",
                "determining whether to",
                "running the",
                "running",
            ):
                more = parser.words(result_of, words)
                if more is not None:
                    position = more
                    break
    elif (token := parser.peek(position)) is None or token.kind != "link":
        return
    yield from algorithm_or_term(parser, position, begin, ())


def algorithm_or_term(parser: Parser, position: int, begin: int, before: tuple[Expression, ...]) -> Iterator[Result]:
    """Yield an algorithm or a term that a link at a position names, with its arguments; some stand before it."""
    token = parser.peek(position)
    if token is None or token.kind != "link":
        parser.fail(position, "[=an algorithm=]")
        return
    place = parser.place(begin)
    known = False
    for algorithm in parser.vocabulary.algorithms.get(token.key, ()):
        if token.owner.lower() not in {"", "/", algorithm.owner.lower()}:
            continue
        known = True
        most = len(algorithm.parameters)
        least = most - len(algorithm.optional)
        for arguments, end in _arguments(parser, position + 1, least - len(before), most - len(before)):
            yield Result(Run(place, algorithm.id, (*before, *arguments)), end, bool(arguments))
    for owner, name in parser.vocabulary.terms.get(token.key, ()) if token.owner in {"", "/"} else ():
        known = True
        for arguments, end in _arguments(parser, position + 1, 0, None):
            yield Result(Term(place, owner, name, (*before, *arguments)), end, bool(arguments))
    if not known:
        parser.fail(position, "[=an algorithm=]")


def given_words(parser: Parser, position: int) -> int | None:
    """Match "given", "with" or "passing" before arguments, behind a comma or not."""
    begin = parser.mark(position, ",") or position
    return parser.words(begin, "given") or parser.words(begin, "with") or parser.words(begin, "passing")


def _arguments(
    parser: Parser, position: int, least: int, most: int | None
) -> Iterator[tuple[tuple[Expression, ...], int]]:
    """Yield arguments: ``given a, b, and c``, ``of a given b``, ``for a``, or none."""
    if least <= 0:
        yield (), position
    given = given_words(parser, position)
    if given is not None:
        yield from enumeration(parser, given, max(least, 1), most)
    if most == 0:
        return
    for word in ("of", "for", "from"):
        begin = parser.words(position, word)
        if begin is None:
            continue
        for first in parser.parse("expression", begin):
            if least <= 1:
                yield (first.node,), first.end
            more = given_words(parser, first.end)
            if more is not None and most != 1:
                for rest, end in enumeration(parser, more, max(least - 1, 1), None if most is None else most - 1):
                    yield (first.node, *rest), end
