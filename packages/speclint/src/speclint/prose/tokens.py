"""Tokens of prose: variables, links, references to IDL, elements, strings, words and marks, with exact places."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from speclint.prose.tree import Place
from speclint.text.markup import QUOTES, attributes, link_of, stems

TokenKind: TypeAlias = Literal[
    "word", "number", "variable", "link", "reference", "element", "string", "character", "mark"
]

_TOKEN = re.compile(
    r"""(?P<skip>\s+|<!--.*?-->|`|\\)
    |(?P<var><var\b[^>]*>(?P<var_name>[^<]*)</var>)
    |(?P<a><a\b(?![^>]*\bhref\b)(?P<a_tag>[^>]*)>(?P<a_text>.*?)</a>)
    |(?P<element><\{(?P<element_target>[^{}|]+)(?:\|(?P<element_text>[^{}]*))?\}>)
    |(?P<tag></?[A-Za-z][^<>]*>)
    |(?P<link>\[=(?!\])(?P<link_target>[^=|\]]+?)(?:\|(?P<link_text>[^=\]]*))?=\])
    |(?P<reference>\{\{(?P<reference_target>[^{}|]+)(?:\|(?P<reference_text>[^{}]*))?\}\})
    |(?P<operation>\[\$(?P<operation_target>[^$|]+)(?:\|(?P<operation_text>[^$]*))?\$\])
    |(?P<biblio>\[\[[!\w][^\]]*\]\])
    |(?P<pipe>\|(?P<pipe_name>[^|\[\]{}=]+?)\|)
    |(?P<string>"(?P<string_text>[^"]*)")
    |(?P<character>U\+(?P<code>[0-9A-Fa-f]{4,6})(?:\s*\([^)]\)|(?:\s+[A-Z][A-Z-]+)+)?)
    |(?P<or_null>-or-null\b)
    |(?P<number>-?\d+)
    |(?P<word>[A-Za-z][\w-]*)
    |(?P<entity>&\#?\w+;)
    |(?P<possessive>'s\b|')
    |(?P<mark>«\[|\]»|.)""",
    re.VERBOSE | re.DOTALL,
)
_WITHOUT_MEANING = frozenset({"skip", "tag", "biblio"})
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|`")
_VOWEL_SOUND = re.compile(
    r"(?:(?![Uu]ni|[Uu]se|[Uu]ti|URL|UUID|[Oo]ne\b|[Oo]nce|[Ee]u)[AEIOUaeiou]|[FHLMNRSX](?:[A-Z]|\b))"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token. ``text`` is what a reader sees; ``owner`` and ``term`` are the target of a link, reference or element.

    A string has the link or the reference that is all of it as ``inside``. ``source`` is how the source writes it.
    """

    kind: TokenKind
    text: str
    place: Place
    source: str
    owner: str = ""
    term: str = ""
    inside: Token | None = None
    #: The stems of a word, or those of what a reader sees of a link.
    stems: tuple[str, ...] = ()
    #: The stems of the term of a link.
    key: tuple[str, ...] = ()

    @property
    def begins_with_a_vowel(self) -> bool:
        """The answer to whether "an" is the article before this token, and not "a"."""
        return _VOWEL_SOUND.match(self.text) is not None


def tokenize(raw: str, lines: Sequence[int], source: Sequence[str]) -> tuple[Token, ...]:
    """Return the tokens of the text of a step.

    Args:
        raw: the text as the source has it, line by line.
        lines: the numbers of the lines in the source.
        source: all lines of the source.
    """
    locate = _Locator(raw, lines, source)
    return tuple(_tokens(raw, locate))


class _Locator:
    """The places of offsets in a raw text: each line of it is a part of a line of the source."""

    def __init__(self, raw: str, lines: Sequence[int], source: Sequence[str]) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", raw))]
        self._lines = lines
        self._source = source
        #: For each line, how far into the line of the source its tokens have been found.
        self._found = [0] * len(self._starts)

    def place(self, offset: int, text: str) -> Place:
        """Return the place of a token, which must come after those that were asked for before it."""
        index = max(at for at, start in enumerate(self._starts) if start <= offset)
        number = self._lines[min(index, len(self._lines) - 1)]
        line = self._source[number - 1] if 0 < number <= len(self._source) else ""
        first = text.partition("\n")[0].rstrip()
        column = line.find(first, self._found[index])
        if column < 0:
            column = self._found[index]
        self._found[index] = column + len(first)
        return Place(number, column + 1)


def _tokens(raw: str, locate: _Locator) -> Iterator[Token]:
    for match in _TOKEN.finditer(raw.translate(QUOTES)):
        name = match.lastgroup or ""
        if name not in _WITHOUT_MEANING:
            source = raw[match.start() : match.end()]
            yield _token(name, match, locate.place(match.start(), source), source)


def _token(name: str, match: re.Match[str], place: Place, source: str) -> Token:
    if name in {"var", "pipe"}:
        return Token("variable", _words(match[f"{name}_name"]), place, source)
    if name == "a":
        found = attributes(match["a_tag"])
        target = found.get("lt", _words(match["a_text"])).partition("|")[0]
        return _link(found.get("for", ""), target, match["a_text"], place, source)
    if name in {"link", "operation"}:
        target, shown = _words(match[f"{name}_target"]), match[f"{name}_text"]
        term = target.rpartition("/")[2]
        owner = link_of(target).owner
        return _link(owner, term, term if shown is None else shown, place, source)
    if name in {"reference", "element"}:
        owner, _, term = _words(match[f"{name}_target"]).rpartition("/")
        shown = _words(match[f"{name}_text"] or term.rpartition("!!")[2])
        return Token("reference" if name == "reference" else "element", shown, place, source, owner, term)
    if name == "string":
        return _string(match["string_text"], place, source)
    if name == "character":
        return Token("character", chr(int(match["code"], 16)), place, source)
    if name == "word":
        return Token("word", source, place, source, stems=stems(source))
    if name == "number":
        return Token("number", source, place, source)
    if name == "entity":
        return Token("mark", html.unescape(source), place, source)
    return Token("mark", "'s" if name == "possessive" else source, place, source)


def _link(owner: str, term: str, shown: str, place: Place, source: str) -> Token:
    shown = _words(shown)
    return Token("link", shown, place, source, owner, term, stems=stems(shown), key=stems(term))


def _string(text: str, place: Place, source: str) -> Token:
    inner = list(_tokens(text, _Locator(text, [place.line], []))) if re.search(r"\[=|\{\{", text) else []
    if len(inner) == 1 and inner[0].kind in {"link", "reference"}:
        return Token("string", inner[0].text, place, source, inside=inner[0])
    # White space counts in a string, but for the break of a line.
    return Token("string", re.sub(r"\s*\n\s*", " ", html.unescape(_TAG.sub("", text))), place, source)


def _words(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", text)).split())
