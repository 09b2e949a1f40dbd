"""The parser: memoized recursive descent in which each nonterminal returns *all* readings at a position.

A nonterminal is a function of the parser and a position. It returns results: what was read, and the position behind it.
Several results at one position are several readings of the beginning of the rest; those that lead nowhere fall away later.
Whoever matches a token tells the parser what it expected when the token is another one. The furthest such position is
the place of the problem, if there is no reading.

One rule removes most ambiguity: an expression that ends in an open slot takes no suffix. "The result of f given x's
origin" is f of the origin, because the slot behind "given" has taken "'s origin" already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from speclint.prose.phrasebook.patterns import Element, LinkTo, Mark, Slot, Word
from speclint.prose.tree import Call, Closure, Constant, Expression, Place
from speclint.text.markup import stems

if TYPE_CHECKING:
    from speclint.prose.phrasebook.phrase import Phrase
    from speclint.prose.tokens import Token
    from speclint.prose.vocabulary import Index, Vocabulary


# What a nonterminal reads; the other one is the result of a test.
@dataclass(frozen=True, slots=True)
class Result:
    """A reading of some tokens: what they say, the position behind them, and whether they end in an open slot.

    Those who ask for a nonterminal know what its nodes are.
    """

    node: Any
    end: int
    is_open: bool = False


Results: TypeAlias = tuple[Result, ...]
Nonterminal: TypeAlias = "Callable[[Parser, int], Iterator[Result]]"

_GRAMMAR: dict[str, Nonterminal] = {}


def nonterminal(function: Nonterminal) -> Nonterminal:
    """Make a function a nonterminal, which others reach by its name."""
    _GRAMMAR[function.__name__] = function
    return function


# Reads prose; the other one is that of HTML for scripts.
@dataclass
class Parser:
    """The state of reading the tokens of one step."""

    tokens: Sequence[Token]
    vocabulary: Vocabulary
    #: The place behind the last token.
    end_place: Place
    has_steps_below: bool = True
    furthest: int = 0
    #: What would have been understood at the furthest position: words, or phrases that had begun.
    expected: dict[str, None] = field(default_factory=dict)
    _memo: dict[tuple[str, int], Results] = field(default_factory=dict)

    def parse(self, name: str, position: int) -> Results:
        """Return every reading of a nonterminal at a position, each once."""
        key = name, position
        if key not in self._memo:
            # A nonterminal that begins with itself finds nothing the second time.
            self._memo[key] = ()
            self._memo[key] = tuple(dict.fromkeys(_GRAMMAR[name](self, position)))
        return self._memo[key]

    def place(self, position: int) -> Place:
        """Return the place of a token, or the end."""
        return self.tokens[position].place if position < len(self.tokens) else self.end_place

    def fail(self, position: int, expected: str) -> None:
        """Note that something else was expected at a position."""
        if position > self.furthest:
            self.furthest = position
            self.expected.clear()
        if position == self.furthest:
            self.expected[expected] = None

    def peek(self, position: int) -> Token | None:
        """Return the token at a position, or None at the end."""
        return self.tokens[position] if position < len(self.tokens) else None

    # Terminals: each returns the position behind what it matches, or None.

    def words(self, position: int, text: str) -> int | None:
        """Match words, each as it is, in small or capital letters."""
        for word in text.split():
            token = self.peek(position)
            if token is None or token.kind != "word" or token.text.lower() != word:
                self.fail(position, text)
                return None
            if word in {"a", "an"} and not self._is_article_right(position):
                self.fail(position, text)
                return None
            position += 1
        return position

    def article(self, position: int) -> int | None:
        """Match "a" or "an", whichever is right before the next token."""
        token = self.peek(position)
        if token is not None and token.kind == "word" and token.text.lower() in {"a", "an"}:
            if self._is_article_right(position):
                return position + 1
            self.fail(position, "an" if token.text.lower() == "a" else "a")
        else:
            self.fail(position, "a")
        return None

    def _is_article_right(self, position: int) -> bool:
        following = self.peek(position + 1)
        is_an = self.tokens[position].text.lower() == "an"
        return following is None or following.begins_with_a_vowel == is_an

    def mark(self, position: int, text: str) -> int | None:
        """Match a mark."""
        token = self.peek(position)
        if token is None or token.kind != "mark" or token.text != text:
            self.fail(position, text)
            return None
        return position + 1

    def link(self, position: int, owner: str, term: str) -> int | None:
        """Match a link to a term of the platform."""
        token = self.peek(position)
        if (
            token is None
            or token.kind != "link"
            or token.key != stems(term)
            or not _has_owner(token, frozenset({owner}))
        ):
            self.fail(position, f"[={owner + '/' if owner else ''}{term}=]")
            return None
        return position + 1

    def either(self, position: int, owner: str, term: str) -> int | None:
        """Match a link to a term of the platform, or its words without a link."""
        token = self.peek(position)
        if token is not None and token.kind == "word":
            return self.words(position, term.lower())
        return self.link(position, owner, term)

    # Phrases.

    def phrases(self, index: Index, position: int, subject: Expression | None = None) -> Iterator[Result]:
        """Yield calls of phrases that go on at a position, with the subject in the first slot if there is one."""
        token = self.peek(position)
        if token is None:
            return
        words = token.stems[:1] if token.kind == "word" else ()
        for entry in index.of(words, token.key):
            first = next(iter(entry.phrase.slots), "") if subject is not None else ""
            values = {first: subject} if subject is not None else {}
            begin = subject.place if subject is not None else token.place
            for found, end in self._elements(entry.elements, 0, position, values, entry.phrase):
                arguments = tuple(found[name] for name in entry.phrase.parameters)
                yield Result(Call(begin, entry.phrase, arguments), end, entry.is_open)

    def _elements(
        self, elements: Sequence[Element], index: int, position: int, values: dict[str, Expression], phrase: Phrase
    ) -> Iterator[tuple[dict[str, Expression], int]]:
        if index == len(elements):
            yield values, position
            return
        element = elements[index]
        if isinstance(element, Slot):
            for result in self.parse(_nonterminal_of(element), position):
                more = {**values, element.name: result.node}
                yield from self._elements(elements, index + 1, result.end, more, phrase)
            return
        if isinstance(element, Mark) and element.text == ",":
            # "…, given x" and "… given x" are the same.
            following = elements[index + 1]
            if (
                isinstance(following, Word)
                and following.text in _BEHIND_A_COMMA_OR_NOT
                and not self._is(element, position)
            ):
                yield from self._elements(elements, index + 1, position, values, phrase)
                return
        elif isinstance(element, Word) and element.text == "given":
            token = self.peek(position)
            position += token is not None and token.kind == "mark" and token.text == ","
        if self._is(element, position):
            yield from self._elements(elements, index + 1, position + 1, values, phrase)
        else:
            self.fail(position, phrase.pattern)

    def _is(self, element: Element, position: int) -> bool:
        """Return whether a token is what a phrase says in a place that is no slot."""
        token = self.peek(position)
        if token is None:
            return False
        if isinstance(element, LinkTo):
            is_it = token.kind == "link" and token.key == element.key and _has_owner(token, element.owners)
            return is_it and element.shown in {(), token.stems}
        if isinstance(element, Mark):
            return token.kind == element.kind and token.text == element.text
        if token.kind != "word" or not isinstance(element, Word):
            return False
        if element.text in {"a", "an"}:
            return self.article(position) is not None
        return token.stems == (element.stem,) or token.text in _SAME.get(element.text, ())


#: Words before which prose has a comma or has none.
_BEHIND_A_COMMA_OR_NOT = frozenset({"with", "using"})
#: Words that prose has for those of phrases.
_SAME = {"given": ("with",), "initialized": ("set",)}
_SLOTS = frozenset(
    {"feature", "event", "attribute", "tag", "member", "interface", "below", "steps", "variable", "condition", "values"}
    | {"text", "literal", "amount"}
    | {"entry", "reference"}
)


def _nonterminal_of(slot: Slot) -> str:
    if slot.type == "task source":
        return "task_source"
    return f"{slot.type}_slot" if slot.type in _SLOTS else "expression"


def _has_owner(token: Token, owners: frozenset[str]) -> bool:
    """Return whether a link can lead to a term of one of the owners; "/" says that the term has none.

    A link without an owner leads to a term of lists before it leads to one of sets.
    """
    owner = token.owner.lower()
    if owner == "/":
        return not owners - {""}
    return owner in owners if owner or owners == {"set"} else True


def name_slot(parser: Parser, position: int, kinds: Sequence[str], label: str) -> Iterator[Result]:
    """Yield the name in a token of one of the kinds."""
    token = parser.peek(position)
    if token is not None and token.kind in kinds:
        yield Result(Constant(token.place, token.term or token.text), position + 1)
    else:
        parser.fail(position, label)


@nonterminal
def feature_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read a feature: ``"[=tools feature|tools=]"`` or ``"{{tools}}"``."""
    yield from name_slot(parser, position, ("string",), 'the name of a feature in ""')


@nonterminal
def event_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read the name of an event."""
    yield from name_slot(parser, position, ("reference", "word", "string"), "the name of an event")


@nonterminal
def member_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read a member of an interface."""
    yield from name_slot(parser, position, ("reference",), "{{an attribute}}")


@nonterminal
def interface_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read an interface."""
    yield from name_slot(parser, position, ("reference",), "{{an interface}}")


@nonterminal
def reference_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read a reference to anything."""
    yield from name_slot(parser, position, ("reference",), "{{a reference}}")


@nonterminal
def tag_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read an element: ``<{select}>``."""
    token = parser.peek(position)
    if token is not None and token.kind == "element" and not token.owner:
        yield Result(Constant(token.place, token.term), position + 1)
    else:
        parser.fail(position, "<{an element}>")


@nonterminal
def attribute_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read an attribute: ``<{input/name}>``, or the name of one that has a hyphen."""
    token = parser.peek(position)
    if token is not None and token.kind == "element" and token.owner:
        yield Result(Constant(token.place, token.term), position + 1)
    elif token is not None and token.kind == "word" and "-" in token.text:
        yield Result(Constant(token.place, token.text), position + 1)
    else:
        parser.fail(position, "<{element/attribute}>")


@nonterminal
def below_slot(parser: Parser, position: int) -> Iterator[Result]:
    """Read the steps below, as abort steps."""
    for result in parser.parse("below", position):
        yield Result(Closure(parser.place(position), (), result.node), result.end)
