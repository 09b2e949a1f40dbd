"""The phrases nearest to words that are not understood, by the letters that they share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from speclint.prose.phrasebook import PHRASEBOOK
from speclint.prose.phrasebook.forms_of_sentences import CONDITIONS, LINKS, STATEMENTS, VALUES
from speclint.prose.vocabulary import known_terms

if TYPE_CHECKING:
    from speclint.prose.grammar.parser import Parser
    from speclint.prose.tokens import Token
    from speclint.prose.vocabulary import Vocabulary

#: How many phrases are told.
_MOST = 3
#: Phrases that share fewer letters are no help.
_LEAST = 0.3
#: How much more a phrase counts that could have stood at the place.
_EXPECTED = 0.2
#: How much more it counts that a link has the right term, or a phrase the words of a link.
_SAME = 0.5

_SLOT = re.compile(r"\{(\w+)(?::[^{}]*)?\}")
_OTHER_OWNERS = re.compile(r"(?<=[\w ])&[\w &]+(?=/)")
_LINK = re.compile(r"\[=(?:[^=|\]]*/)?([^=|/\]]+)(?:\|([^=\]]+))?=\]")
_NO_LETTERS = re.compile(r"[^a-z0-9 ]+")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase to compare with: as it is shown, its words, and their letters; a term has its name and its owner."""

    shown: str
    words: tuple[str, ...]
    letters: frozenset[str]
    term: str = ""
    owner: str = ""


def shown(pattern: str) -> str:
    """Return the pattern of a phrase as people write it: ``{document} is [=allowed to use=] the {feature} feature``."""
    with_one_owner = _OTHER_OWNERS.sub("", _SLOT.sub(r"{\1}", pattern))
    return re.sub(r"(?<!\{)\[([^\[\]=]+)\]", r"[=\1=]", with_one_owner)


def with_other_article(parser: Parser) -> str | None:
    """Return the word at the furthest place with the article that it needs, or None if no article is wrong there."""
    token = parser.peek(parser.furthest)
    if token is None or token.kind != "word" or token.text.lower() not in {"a", "an"}:
        return None
    following = parser.peek(parser.furthest + 1)
    if following is None or not {"a", "an"} & parser.expected.keys():
        return None
    return f"{'an' if token.text.lower() == 'a' else 'a'} {following.source}"


def nearest_phrases(parser: Parser) -> tuple[str, ...]:
    """Return the phrases nearest to what stands at the furthest place that a parser has reached, the nearest first."""
    position = parser.furthest
    token = parser.peek(position)
    token = token.inside if token is not None and token.inside is not None else token
    if token is None:
        return tuple(dict.fromkeys(shown(one) for one in parser.expected))[:_MOST]
    if (corrected := with_other_article(parser)) is not None:
        return (corrected,)
    scores: dict[str, float] = {}
    expected = {shown(one) for one in parser.expected}
    expected |= {match[0] for one in expected for match in _LINK.finditer(one)}
    for phrase, score in _scores(parser, token, position):
        whole = score + (_EXPECTED if phrase.shown in expected else 0)
        if score >= _LEAST:
            scores[phrase.shown] = max(whole, scores.get(phrase.shown, 0))
    return tuple(sorted(scores, key=lambda one: -scores[one]))[:_MOST]


def _scores(parser: Parser, token: Token, position: int) -> Iterator[tuple[_Phrase, float]]:
    if token.kind in {"link", "element", "reference"}:
        before = next((one.text for one in reversed(parser.tokens[:position]) if one.kind == "variable"), "")
        yield from _of_a_term(parser.vocabulary, token, before)
        return
    terms = list(_terms(parser.vocabulary))
    # The phrase can have begun some words before the one that is not understood.
    for begin in range(max(0, position - 4), position + 1):
        words = _plain_words(parser.tokens[begin:])
        understood = len(_plain_words(parser.tokens[begin:position]))
        windows = [_letters(" ".join(words[:count])) for count in range(len(words) + 1)]
        for phrase in (*_platform(), *terms):
            count = len(phrase.words)
            if understood < count:
                yield phrase, _share(phrase.letters, windows[min(count, len(words))])


def _of_a_term(vocabulary: Vocabulary, token: Token, before: str) -> Iterator[tuple[_Phrase, float]]:
    """Yield how near a link is to each term: by its words, by its owner, and by the name of the variable before it."""
    term = token.term.lower()
    own = _letters(term)
    owner, name = _letters(token.owner.lower()), _letters(before.lower())
    for phrase in _members(vocabulary) if token.kind == "reference" else _terms(vocabulary):
        score = _share(_letters(phrase.term), own) + (_SAME if phrase.term == term else 0)
        of = _letters(phrase.owner)
        yield phrase, score + 0.1 * _share(of, owner) + 0.1 * _share(of, name)


@cache
def _platform() -> tuple[_Phrase, ...]:
    forms = [*STATEMENTS, *VALUES, *CONDITIONS, *(shown(phrase.pattern) for phrase in PHRASEBOOK)]
    return tuple(_phrase(one) for one in forms)


def _terms(vocabulary: Vocabulary) -> Iterator[_Phrase]:
    for owner, term in (*known_terms(vocabulary), *LINKS):
        yield _term(owner, term, f"[={owner + '/' if owner else ''}{term}=]")


def _members(vocabulary: Vocabulary) -> Iterator[_Phrase]:
    for owner, members in vocabulary.members.items():
        for member in members:
            yield _term(owner, member, f"{{{{{owner}/{member}}}}}")


@cache
def _term(owner: str, term: str, text: str) -> _Phrase:
    words = tuple(_NO_LETTERS.sub(" ", term.lower()).split())
    return _Phrase(text, words, _letters(" ".join(words)), term.lower(), owner.lower())


@cache
def _phrase(text: str) -> _Phrase:
    plain = _LINK.sub(lambda match: match[2] or match[1], text)
    words = tuple(_NO_LETTERS.sub(" ", re.sub(r"\{+[^{}]*\}+", " ", plain).lower()).split())
    return _Phrase(text, words, _letters(" ".join(words)))


def _plain_words(tokens: Sequence[Token]) -> list[str]:
    """Return the words of the next tokens that are words or links."""
    words: list[str] = []
    for token in tokens[:14]:
        if token.kind in {"word", "link"}:
            words += _NO_LETTERS.sub(" ", token.text.lower()).split()
    return words


@cache
def _letters(text: str) -> frozenset[str]:
    """Return the runs of three letters in a text."""
    padded = f"  {text} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other) or 1)
