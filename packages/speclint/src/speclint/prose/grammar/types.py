"""Types as prose names them: ``a list of origins``, ``a string or null``, ``a {{Document}}``, ``a <{form}> element``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.prose.grammar.parser import Parser, Result, nonterminal
from speclint.prose.tree import Type
from speclint.text.markup import stems

if TYPE_CHECKING:
    from speclint.prose.tokens import Token

#: The names of types that the platform has, in the singular.
TYPES: tuple[str, ...] = (
    *("string", "boolean", "number", "origin", "unique internal value", "realm", "navigable", "code point", "promise"),
    *("traversable navigable", "top-level traversable", "node", "JavaScript value", "Infra value", "task source"),
    *("element", "integer", "byte sequence", "URL", "abort reason", "event loop"),
)
_BY_KEY = {stems(form): name for name in TYPES for form in (name, f"{name}s")}
_STEPS = ("algorithm", "steps")
#: The links to the types of collections that are lists.
_LISTS = frozenset({stems("list"), stems("ordered set"), stems("set")})


@nonterminal
def type(parser: Parser, position: int) -> Iterator[Result]:
    """Read a type, which may be null."""
    null_or = parser.words(position, "null or")
    begin = null_or if null_or is not None else position
    article = parser.article(begin)
    for result in _nouns(parser, article if article is not None else begin):
        found = result.node
        if null_or is not None:
            yield Result(Type(found.name, found.arguments, may_be_null=True), result.end)
            continue
        yield result
        if result.is_open:
            continue
        end = parser.mark(result.end, "-or-null")
        end = end if end is not None else parser.words(result.end, "or null")
        if end is not None:
            yield Result(Type(found.name, found.arguments, may_be_null=True), end)


def _nouns(parser: Parser, position: int) -> Iterator[Result]:
    token = parser.peek(position)
    if token is None:
        parser.fail(position, "a type")
        return
    end = position + 1
    if token.kind == "reference" and not token.owner:
        for word in ("object", "objects", "dictionary", "dictionaries"):
            end = parser.words(position + 1, word) or end
        yield Result(Type(token.term), end)
    elif token.kind == "element":
        element = parser.words(end, "element") or parser.words(end, "elements")
        if element is not None:
            yield Result(Type(f"{token.term} element"), element)
    elif token.kind == "link":
        yield from _links(parser, token, end)
    elif token.kind == "word":
        yield from _plain(parser, position)
    parser.fail(position, "a type")


def _links(parser: Parser, token: Token, end: int) -> Iterator[Result]:
    if token.key in _LISTS:
        yield Result(Type("list"), end)
        of = parser.words(end, "of")
        for result in parser.parse("type", of) if of is not None else ():
            yield Result(Type("list", (result.node,)), result.end)
    elif token.key in {stems("ordered map"), stems("map")}:
        yield Result(Type("map"), end)
        yield from _keys_and_values(parser, end)
        from_ = parser.words(end, "from")
        for key in _keys(parser, from_) if from_ is not None else ():
            to = parser.words(key.end, "to")
            for value in parser.parse("type", to) if to is not None else ():
                yield Result(Type("map", (key.node, value.node)), value.end)
    else:
        yield Result(Type(_name(parser, token)), end)
        # "pending execution structs"
        structs = parser.link(end, "", "struct")
        if structs is not None:
            yield Result(Type(_name(parser, token)), structs)


def _keys_and_values(parser: Parser, position: int) -> Iterator[Result]:
    """Yield ``whose keys are a and whose values are b``, also with a comma before the second half."""
    whose = parser.words(position, "whose")
    keys = parser.either(whose, "map", "keys") if whose is not None else None
    are = parser.words(keys, "are") if keys is not None else None
    for key in _keys(parser, are) if are is not None else ():
        comma = parser.mark(key.end, ",")
        whose = parser.words(comma if comma is not None else key.end, "and whose")
        values = parser.either(whose, "map", "values") if whose is not None else None
        are = parser.words(values, "are") if values is not None else None
        for value in parser.parse("type", are) if are is not None else ():
            yield Result(Type("map", (key.node, value.node)), value.end)


def _keys(parser: Parser, position: int) -> Iterator[Result]:
    """Yield the type of keys: a type, or an item whose values they are."""
    token = parser.peek(position)
    if token is not None and token.kind == "link" and token.owner not in {"", "/"}:
        # The "s" of the plural may stand behind the link.
        plural = parser.words(position + 1, "s")
        end = plural if plural is not None else position + 1
        yield Result(Type(f"{token.owner.lower()}/{token.term.lower()}"), end)
    else:
        yield from parser.parse("type", position)


def _name(parser: Parser, token: Token) -> str:
    if token.key in parser.vocabulary.structs:
        return parser.vocabulary.structs[token.key]
    if token.key in _BY_KEY:
        return _BY_KEY[token.key]
    terms = parser.vocabulary.terms.get(token.key)
    return terms[0][1].lower() if terms else token.term


def _plain(parser: Parser, position: int) -> Iterator[Result]:
    for count in (3, 2, 1):
        tokens = parser.tokens[position : position + count]
        if len(tokens) == count and all(token.kind == "word" for token in tokens):
            key = tuple(stem for token in tokens for stem in token.stems)
            if key in _BY_KEY:
                yield Result(Type(_BY_KEY[key]), position + count)
    for word in _STEPS:
        end = parser.words(position, word)
        if end is not None:
            yield Result(Type("steps"), end)
            takes = parser.words(_behind_a_variable(parser, end), "that takes")
            for arguments, last in _arguments(parser, takes, ()) if takes is not None else ():
                yield Result(Type("steps", arguments), last, is_open=True)


def _arguments(parser: Parser, position: int, before: tuple[Type, ...]) -> Iterator[tuple[tuple[Type, ...], int]]:
    for result in parser.parse("type", position):
        found = (*before, result.node)
        end = _behind_a_variable(parser, result.end)
        yield found, end
        comma = parser.mark(end, ",")
        last = parser.words(comma if comma is not None else end, "and")
        if last is not None:
            for one in parser.parse("type", last):
                yield (*found, one.node), _behind_a_variable(parser, one.end)
        elif comma is not None:
            yield from _arguments(parser, comma, found)


def _behind_a_variable(parser: Parser, position: int) -> int:
    """Return the position behind the name that an argument may have."""
    token = parser.peek(position)
    return position + 1 if token is not None and token.kind == "variable" else position
