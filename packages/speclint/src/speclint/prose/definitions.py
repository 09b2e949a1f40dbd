"""Definitions in prose: the types of parameters, the items of structs, state of objects, and kinds of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from speclint.prose.grammar.parser import Parser
from speclint.prose.prose_text import ItemDefinition, StructDefinition
from speclint.prose.tokens import Token, tokenize
from speclint.prose.tree import Constant, Expression, ListOf, MapOf, Parameter, Place, Type

if TYPE_CHECKING:
    from speclint.prose.vocabulary import Vocabulary
    from speclint.text.source_model import SourceAlgorithm, SourceText, StateItem

#: Words between the name of an item and its type.
_BEFORE_TYPE = frozenset({"which", "is", "are", "set", "to", "new", "the", "a", "an", "whose", "value"})
_MARKS_BEFORE_TYPE = frozenset({",", ":"})


def parameters_of(source: SourceText, vocabulary: Vocabulary, algorithm: SourceAlgorithm) -> tuple[Parameter, ...]:
    """Return the parameters of an algorithm with the types that its introduction gives them."""
    types: dict[str, Type | None] = {}
    parser = _parser(source, vocabulary, algorithm.introduction, algorithm.line)
    previous: Type | None = None
    for index, token in enumerate(parser.tokens):
        if token.kind != "variable" or token.text not in algorithm.parameters or token.text in types:
            continue
        found = _type_before(parser, index)
        if found is None and index and parser.tokens[index - 1].text == "and":
            # "strings |a| and |b|"
            found = previous
        types[token.text] = previous = found
    return tuple(Parameter(name, types.get(name), name in algorithm.optional) for name in algorithm.parameters)


def _type_before(parser: Parser, end: int) -> Type | None:
    """Return the longest type whose words end before a position."""
    for begin in range(max(0, end - 14), end):
        for result in parser.parse("type", begin):
            if result.end == end:
                found: Type = result.node
                return found
    return None


def structs_of(source: SourceText, vocabulary: Vocabulary) -> dict[str, StructDefinition]:
    """Return the structs of a text by name."""
    found = {}
    for name in vocabulary.structs.values():
        struct = source.structs.get(name)
        items = struct.items.values() if struct is not None else [one for one in source.state if one.owner == name]
        line = struct.line if struct is not None else min(item.line for item in items)
        definitions = {item.name: _item(source, vocabulary, item) for item in items}
        found[name] = StructDefinition(name, Place(line, 1), definitions)
    return found


def state_of(source: SourceText, vocabulary: Vocabulary) -> dict[tuple[str, str], ItemDefinition]:
    """Return the state that a text gives to objects, by owner and name."""
    structs = set(vocabulary.structs.values())
    return {
        (item.owner, item.name): _item(source, vocabulary, item) for item in source.state if item.owner not in structs
    }


def types_of(source: SourceText, vocabulary: Vocabulary) -> dict[str, Type]:
    """Return the terms that are a type: ``completion steps`` are an algorithm that takes something."""
    found = {}
    for key, terms in vocabulary.terms.items():
        for one in source.definitions:
            if not one.owner and any((("", name) in terms) for name in one.names) and key:
                parser = _parser(source, vocabulary, one.paragraph, one.line)
                begin = parser.words(0, "are") or parser.words(0, "is")
                results = parser.parse("type", begin) if begin is not None else ()
                steps = [result for result in results if result.node.name == "steps"]
                if steps:
                    found[terms[0][1].lower()] = max(steps, key=lambda result: result.end).node
    return found


def _parser(source: SourceText, vocabulary: Vocabulary, text: str, line: int) -> Parser:
    tokens = tokenize(text, [line], source.lines)
    return Parser(tokens, vocabulary, Place(line, 1), has_steps_below=False)


def _item(source: SourceText, vocabulary: Vocabulary, item: StateItem) -> ItemDefinition:
    parser = _parser(source, vocabulary, item.description, item.line)
    type_ = _type_of_item(parser)
    return ItemDefinition(
        owner=item.owner,
        name=item.name,
        place=Place(item.line, 1),
        description=item.description,
        type=type_,
        initially=_initially(parser, type_),
    )


def _type_of_item(parser: Parser) -> Type | None:
    position = 0
    while (token := parser.peek(position)) is not None:
        if token.kind == "word" and token.text.lower() == "whether":
            return Type("boolean")
        if words := _one_of(parser.tokens[position:]):
            return Type("one of", tuple(Type(word) for word in words))
        results = parser.parse("type", position)
        if results:
            longest = max(results, key=lambda result: result.end)
            return _alternatives(parser, longest.node, longest.end)
        is_skipped = token.text in _MARKS_BEFORE_TYPE or (token.kind == "word" and token.text.lower() in _BEFORE_TYPE)
        if not is_skipped:
            return None
        position += 1
    return None


def _one_of(tokens: Sequence[Token]) -> list[str]:
    """Return the strings of ``"a", "b" or "c"``."""
    words = []
    for token in tokens:
        if token.kind == "string":
            words.append(token.text)
        elif token.text not in {",", "or"}:
            break
    return words


def _alternatives(parser: Parser, first: Type, position: int) -> Type:
    """Return a type, or several: ``a boolean for a checkbox, …, or a string``."""
    found = [first, *_following(parser, position)]
    return found[0] if len(found) == 1 else Type("or", tuple(found))


def _following(parser: Parser, position: int) -> Iterator[Type]:
    """Yield the types behind commas, up to the one behind "or", or none if there is no "or"."""
    types: list[Type] = []
    for index in range(position, len(parser.tokens)):
        if parser.tokens[index].text in {".", ";", ":"}:
            return
        if parser.tokens[index].text != ",":
            continue
        or_ = parser.words(index + 1, "or")
        begin = or_ if or_ is not None else index + 1
        article = parser.article(begin)
        results = parser.parse("type", begin) if article is not None else ()
        if results:
            types.append(max(results, key=lambda result: result.end).node)
        if or_ is not None:
            if results:
                yield from types
            return


def _initially(parser: Parser, type_: Type | None) -> Expression | None:
    for index in range(len(parser.tokens)):
        begin = parser.words(index, "initially")
        if begin is None:
            continue
        if parser.words(begin, "empty") is not None:
            place = parser.place(begin)
            if type_ is not None and type_.name == "map":
                return MapOf(place, ())
            return Constant(place, "") if type_ is not None and type_.name == "string" else ListOf(place, ())
        results = parser.parse("expression", begin)
        return max(results, key=lambda result: result.end).node if results else None
    return None
