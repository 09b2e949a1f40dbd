"""Conditions: a subject with predicates, joined by "and" and "or".

A connective behind a comma binds less than one without: "a and b, or c and d" is (a and b) or (c and d). A chain that mixes
"and" and "or" at one level has two readings. A predicate without a subject is about the subject before it, and the
alternatives behind one "is" belong together: "is a string, and is x or y" is a string and (x or y).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from speclint.prose.grammar.expressions import algorithm_or_term, looked_up
from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.grammar.references import It, any_item_in, with_the_item
from speclint.prose.tree import (
    And,
    AnyOf,
    Call,
    Constant,
    Entry,
    Exists,
    Expression,
    Is,
    IsGiven,
    Item,
    Member,
    Not,
    Or,
    RunningInParallel,
    RunningOn,
    TheItem,
    Variable,
)


@nonterminal
def condition(parser: Parser, position: int) -> Iterator[Result]:
    """Read a condition, or the opposite of all of it; every prefix that is one is a reading, too."""
    opposite = parser.words(position, "it is not the case that")
    position = opposite if opposite is not None else position
    begin = parser.words(position, "either") or position
    for result in _chains(parser, begin, "condition_group", with_comma=True):
        yield Result(_not(result.node), result.end) if opposite is not None else result


@nonterminal
def condition_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read a condition as a part of a phrase."""
    yield from parser.parse("condition", position)


@nonterminal
def condition_group(parser: Parser, position: int) -> Iterator[Result]:
    """Read conditions with connectives that have no comma."""
    yield from _chains(parser, position, "simple_condition", with_comma=False)


def _chains(parser: Parser, position: int, name: str, *, with_comma: bool) -> Iterator[Result]:
    for first in parser.parse(name, position):
        yield from _chain(parser, name, [first.node], [], first.end, with_comma=with_comma)


def _chain(
    parser: Parser, name: str, conditions: list[Any], connectives: list[str], position: int, *, with_comma: bool
) -> Iterator[Result]:
    for node in _joined(conditions, connectives):
        yield Result(node, position)
    begin = parser.mark(position, ",") if with_comma else position
    if begin is None:
        return
    for connective in ("and", "or"):
        end = parser.words(begin, connective)
        if end is None:
            continue
        end = parser.words(end, "if") or end
        for following in parser.parse(name, end):
            yield from _chain(
                parser,
                name,
                [*conditions, following.node],
                [*connectives, connective],
                following.end,
                with_comma=with_comma,
            )


def _joined(conditions: Sequence[Any], connectives: Sequence[str]) -> Iterator[Any]:
    """Yield the conditions as one; two, if the connectives are mixed."""
    if not connectives:
        yield conditions[0]
    elif len(set(connectives)) == 1:
        yield _all(connectives[0], conditions)
    else:
        # "a and b or c": what binds more than the other is not said.
        for tight in ("and", "or"):
            groups: list[list[Any]] = [[conditions[0]]]
            for connective, following in zip(connectives, conditions[1:], strict=True):
                if connective == tight:
                    groups[-1].append(following)
                else:
                    groups.append([following])
            parts = [_all(tight, group) if len(group) > 1 else group[0] for group in groups]
            yield _all("or" if tight == "and" else "and", parts)


def _all(connective: str, conditions: Sequence[Any]) -> And | Or:
    parts = cast("tuple[Expression, ...]", tuple(conditions))
    place = parts[0].place
    return And(place, parts) if connective == "and" else Or(place, parts)


@nonterminal
def simple_condition(parser: Parser, position: int) -> Iterator[Result]:
    """Read one subject, or none, with one predicate."""
    token = parser.peek(position)
    if token is None:
        parser.fail(position, "a condition")
        return
    yield from _about_these_steps(parser, position)
    for result in parser.phrases(parser.vocabulary.tests, position):
        yield Result(_negated(result.node), result.end)
    if token.kind == "link":
        for result in algorithm_or_term(parser, position, position, ()):
            yield from _returned(parser, result)
    # A predicate whose subject is that of the condition before it.
    if (token.kind == "word" and token.text in {"is", "has", "does"}) or token.kind == "link":
        yield from predicates(parser, cast("Expression", It(token.place)), position)
    for subject in parser.parse("expression", position):
        yield from _about(parser, subject.node, subject.end)
        yield from _of_two(parser, subject.node, subject.end)
        yield from _of_a_property_or_another(parser, subject.node, position, subject.end)


def _returned(parser: Parser, result: Result) -> Iterator[Result]:
    yield Result(result.node, result.end)
    returns = parser.words(result.end, "returns")
    if returns is None:
        return
    for word, value in (("true", True), ("false", False)):
        end = parser.words(returns, word)
        if end is not None:
            node = result.node
            yield Result(node if value else Not(node.place, node), end)


def _about(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    """Yield conditions about a subject; "any item of" in it makes them conditions about an item."""
    item = any_item_in(subject)
    if item is None:
        yield from predicates(parser, subject, position)
        return
    for result in predicates(parser, with_the_item(subject, item), position):
        yield Result(AnyOf(subject.place, item.collection, result.node), result.end)


def _of_two(parser: Parser, first: Expression, position: int) -> Iterator[Result]:
    """Yield conditions about two subjects: ``a and b are p``, ``a or b is p``."""
    for connective, verb in (("and", "are"), ("or", "is")):
        begin = parser.words(position, connective)
        for second in parser.parse("expression", begin) if begin is not None else ():
            if parser.words(second.end, verb) is None:
                continue
            of_first = {result.end: result.node for result in predicates(parser, first, second.end)}
            for result in predicates(parser, second.node, second.end):
                if result.end in of_first:
                    yield Result(_all(connective, [of_first[result.end], result.node]), result.end)


def _of_a_property_or_another(parser: Parser, first: Expression, begin: int, position: int) -> Iterator[Result]:
    """Yield conditions about two properties of one thing: ``x's a or b is c``."""
    if not isinstance(first, Item | Call | Member):
        return
    following = parser.words(position, "or")
    token = parser.peek(following) if following is not None else None
    if following is None or token is None or token.kind not in {"link", "reference"}:
        return
    base = first.of if isinstance(first, Item | Member) else first.arguments[0]
    for second in looked_up(parser, base, following):
        of_first = {result.end: result.node for result in predicates(parser, first, second.end)}
        for result in predicates(parser, second.node, second.end):
            if result.end in of_first:
                yield Result(_all("or", [of_first[result.end], result.node]), result.end)


def predicates(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    """Yield what can be said about a subject at a position."""
    token = parser.peek(position)
    if token is None:
        parser.fail(position, "a condition")
        return
    word = token.text.lower() if token.kind == "word" else ""
    if word in {"is", "are", "was"}:
        yield from _is(parser, subject, position + 1)
    elif word == "has":
        yield from _has(parser, subject, position + 1)
    elif word in {"does", "do"}:
        end = parser.words(position + 1, "not")
        have = parser.words(end, "have") if end is not None else None
        for result in _has(parser, subject, have) if have is not None else ():
            yield Result(_not(result.node), result.end)
        equal = parser.words(end, "equal") if end is not None else None
        for result in parser.parse("expression", equal) if equal is not None else ():
            yield Result(Not(subject.place, Is(subject.place, subject, result.node)), result.end)
        for result in _verbs(parser, subject, end) if end is not None else ():
            yield Result(_not(result.node), result.end)
    elif word == "contains" or (token.kind == "link" and token.term.lower() in {"contain", "contains"}):
        yield from _contains(parser, subject, position + 1)
    elif word == "already":
        yield from predicates(parser, subject, position + 1)
    elif word == "equals":
        for result in parser.parse("expression", position + 1):
            yield Result(Is(subject.place, subject, result.node), result.end)
    if token.kind in {"word", "link", "mark"}:
        yield from _verbs(parser, subject, position)
    parser.fail(position, "a condition")


def _verbs(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    for result in parser.phrases(parser.vocabulary.verb_tests, position, subject):
        yield Result(_lifted(_negated(result.node)), result.end)
    token = parser.peek(position)
    if token is not None and token.kind == "link":
        yield from algorithm_or_term(parser, position, position, (subject,))


def _contains(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    """Yield ``s contains a code point that is c``, ``l contains an origin that is c``."""
    for noun in parser.parse("type", position):
        that = parser.words(noun.end, "that")
        for result in predicates(parser, TheItem(parser.place(position)), that) if that is not None else ():
            yield Result(AnyOf(subject.place, subject, result.node), result.end)


def _has(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    one = parser.words(position, "one")
    if one is not None and isinstance(subject, It):
        yield Result(It(subject.place, "one"), one)
    article = parser.article(position)
    if article is not None:
        for result in parser.phrases(parser.vocabulary.has_tests, article, subject):
            yield Result(result.node, result.end)
    both = parser.words(position, "both")
    both = parser.article(both) if both is not None else None
    for first in parser.phrases(parser.vocabulary.has_tests, both, subject) if both is not None else ():
        and_ = parser.words(first.end, "and")
        other = parser.article(and_) if and_ is not None else None
        for second in parser.phrases(parser.vocabulary.has_tests, other, subject) if other is not None else ():
            yield Result(_all("and", [first.node, second.node]), second.end)
    no = parser.words(position, "no")
    for first in parser.phrases(parser.vocabulary.has_tests, no, subject) if no is not None else ():
        yield Result(_not(first.node), first.end)
        more = parser.words(first.end, "or no")
        for second in parser.phrases(parser.vocabulary.has_tests, more, subject) if more is not None else ():
            yield Result(_all("or", [_not(first.node), _not(second.node)]), second.end)


def _is(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    """Yield what follows "is": alternatives, or none of them."""
    opposite = parser.words(position, "not") or parser.words(position, "no longer")
    begin = opposite if opposite is not None else position
    begin = parser.words(begin, "already") or begin
    given = parser.words(begin, "given") or parser.words(begin, "present")
    if given is not None and isinstance(subject, Variable | Entry | Member):
        is_given = IsGiven(subject.place, subject) if isinstance(subject, Variable) else Exists(subject.place, subject)
        yield Result(_not(is_given) if opposite is not None else is_given, given)
    neither = parser.words(position, "neither")
    if neither is not None:
        for first in _complements(parser, subject, neither):
            nor = parser.words(first.end, "nor")
            for second in _complements(parser, subject, nor) if nor is not None else ():
                yield Result(_not(_all("or", [first.node, second.node])), second.end)
        return
    begin = parser.words(begin, "either") or parser.words(begin, "one of") or begin
    for first in _complements(parser, subject, begin):
        for nodes, end in _alternatives(parser, subject, [first.node], first.end):
            node = nodes[0] if len(nodes) == 1 else _all("or", nodes)
            yield Result(_not(node) if opposite is not None else node, end)


def _alternatives(
    parser: Parser, subject: Expression, found: list[Any], position: int
) -> Iterator[tuple[list[Any], int]]:
    """Yield "a", "a or b", "a, b, or c", "a, b or c" and so on."""
    if len(found) == 1:
        yield found, position
    comma = parser.mark(position, ",")
    last = parser.words(position if comma is None else comma, "or")
    if last is not None and (comma is None or len(found) > 1):
        for result in _complements(parser, subject, last):
            yield [*found, result.node], result.end
    if comma is not None and last is None:
        for result in _complements(parser, subject, comma):
            yield from _alternatives(parser, subject, [*found, result.node], result.end)


def _complements(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    """Yield one thing that a subject can be: a value, or what a phrase, an algorithm or a term of the text says."""
    for result in parser.phrases(parser.vocabulary.is_tests, position, subject):
        yield Result(_lifted(_negated(result.node)), result.end)
    non_null = parser.words(position, "non-null")
    if non_null is not None:
        null = Constant(parser.place(position), None)
        yield Result(Not(subject.place, Is(subject.place, subject, null)), non_null)
    article = parser.article(position)
    begin = article if article is not None else position
    token = parser.peek(begin)
    if token is not None and token.kind == "link":
        yield from algorithm_or_term(parser, begin, begin, (subject,))
        yield from _related(parser, subject, begin)
    equal = parser.words(position, "equal to") or parser.words(position, "the same as")
    for result in parser.parse("expression", equal if equal is not None else position):
        yield Result(Is(subject.place, subject, result.node), result.end)


def _related(parser: Parser, subject: Expression, position: int) -> Iterator[Result]:
    """Yield ``x is alike y``, where prose defines the term."""
    from speclint.prose.tree import Term

    token = parser.tokens[position]
    for owner, name in parser.vocabulary.terms.get(token.key, ()):
        for result in parser.parse("expression", position + 1):
            yield Result(Term(subject.place, owner, name, (subject, result.node)), result.end)


def _lifted(node: Any) -> Any:
    """Return a condition in which "any item of" is an Any, as one about the items."""
    item = any_item_in(node)
    if item is None:
        return node
    place = node.place
    return AnyOf(place, item.collection, cast("Expression", with_the_item(node, item)))


def _negated(node: Any) -> Any:
    """Return the test of a phrase, as what it says."""
    call = node
    if call.phrase.verb == "exists":
        return Exists(call.place, call.arguments[0])
    return Not(call.place, call) if call.phrase.is_negated else call


def _not(node: Any) -> Expression:
    found = node
    return found.condition if isinstance(found, Not) else Not(found.place, found)


def _about_these_steps(parser: Parser, position: int) -> Iterator[Result]:
    """Yield ``these steps are running in parallel``, or on something."""
    place = parser.place(position)
    begin = parser.words(position, "these steps are running")
    if begin is None:
        begin = parser.words(position, "this algorithm is running")
    if begin is None:
        return
    end = parser.either(begin, "", "in parallel")
    if end is not None:
        yield Result(RunningInParallel(place), end)
    for word in ("on", "in"):
        on = parser.words(begin, word)
        if on is None:
            continue
        for result in parser.parse("expression", on):
            yield Result(RunningOn(place, result.node, ""), result.end)
        last = next((at for at in range(on, len(parser.tokens)) if parser.tokens[at].text == "."), len(parser.tokens))
        named = [token.text for token in parser.tokens[on:last]]
        the = parser.words(on, "the")
        if the is not None and parser.tokens[the:last] and parser.tokens[last - 1].kind == "link":
            yield Result(RunningOn(place, None, " ".join(named).replace(" 's", "'s")), last)
