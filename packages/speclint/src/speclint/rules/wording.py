"""Rules about single words: one that stands twice, and an article before the wrong sound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding

if TYPE_CHECKING:
    from speclint.text.source_model import SourceText

_TWICE = re.compile(
    r"(?<![\w|`'\"-])((?:the|an?|of|to|be|and|for|with|on|by|from|if|is|are|its|or|as|at|when)) \1(?![\w|`'\"-])",
    re.IGNORECASE,
)
#: An article, the markup behind it, and the word before which it stands. A capital A alone can be a name.
_ARTICLE = re.compile(
    r"(?<![\w|`'\"./<-])(a(?=n? )|A(?=n ))(n?)"
    r"( (?:<(?!!)[\w-]+\b[^<>]*>|\[=(?:[^=|\]]*\||[^=|\]]*/)?|\{\{|`)*)([A-Za-z][a-z]+|[A-Z]{2,})(?![\w./|])"
)
#: Words that begin with a vowel and not with its sound, or the other way round.
_SOUNDS_LIKE_A_CONSONANT = re.compile(r"(?:eur|ewe|once|one|ubi|uni(?!m|n)|ur[inl]|us[aeu]|uti|uuid)", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:heir|honest|honou?r|hour)", re.IGNORECASE)
#: Abbreviations that are spelled out.
_SPELLED = {"HTML", "HTTP", "HTTPS", "XML", "SVG", "API", "IDL", "IP", "ID", "OS", "UI", "URL", "URI", "UTF", "UUID"}


def check_words(context: Context) -> Iterator[LintFinding]:
    """Find words that stand twice, and "a" or "an" before the wrong sound."""
    for number in _lines_of_prose(context.text):
        line = context.text.lines[number - 1]
        for match in _TWICE.finditer(line):
            yield LintFinding("doubled-word", number, f'"{match[1]}" stands here twice', "take one of them out")
        for match in _wrong_articles(line):
            wrong = f"{match[1]}{match[2]} {match[4]}"
            right = f"{match[1]}{'' if match[2] else 'n'} {match[4]}"
            yield LintFinding("wrong-article", number, f'this says "{wrong}"', f'write "{right}"')


def mended_words(line: str, rule: str) -> str:
    """Return a line without what one of these rules finds in it."""
    if rule == "doubled-word":
        return _TWICE.sub(r"\1", line)
    for match in reversed(list(_wrong_articles(line))):
        article = f"{match[1]}{'' if match[2] else 'n'}"
        line = f"{line[: match.start()]}{article}{line[match.start(3) :]}"
    return line


def _lines_of_prose(text: SourceText) -> list[int]:
    found = set[int]()
    for paragraph in text.paragraphs:
        found.update(range(paragraph.line, paragraph.last_line + 1))
    for algorithm in text.algorithms:
        for step in algorithm.walk():
            found.update(range(step.line, max(step.line, step.last_line) + 1))
    return sorted(number for number in found if number <= len(text.lines))


def _wrong_articles(line: str) -> Iterator[re.Match[str]]:
    for match in _ARTICLE.finditer(line):
        has_vowel = _begins_with_vowel(match[4])
        # A single capital can be a letter of a list, or a name.
        if has_vowel is not None and has_vowel is not bool(match[2]):
            yield match


def _begins_with_vowel(word: str) -> bool | None:
    """Return whether a word begins with the sound of a vowel, or None if that cannot be told."""
    # In code an abbreviation is written in lowercase, as in `http:`.
    if word in _SPELLED or (word.islower() and word.upper() in _SPELLED):
        return word[0].upper() in "AEFHILMNORSX"
    if word.isupper():
        return None
    if _SOUNDS_LIKE_A_CONSONANT.match(word):
        return False
    if _SILENT_H.match(word):
        return True
    return word[0].lower() in "aeiou"
