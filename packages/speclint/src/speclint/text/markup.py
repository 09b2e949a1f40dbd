"""Bikeshed's inline markup in one form, and the words that a reader sees of it.

In the one form a variable is ``|name|``, a link to a term ``[=for/term|text=]``, a reference to IDL ``{{Interface/member}}``;
tags are gone, white space is collapsed, and quotation marks are straight.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_VARIABLE_TAG = re.compile(r"<var\b[^>]*>([^<]*)</var>", re.IGNORECASE)
_LINK_TAG = re.compile(r"<a\b([^>]*)>([^<]*)</a>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
#: The entry of a list or map with the bars around all of it, as some texts have it.
_ENTRY = re.compile(r"(?<![\]|])\|([A-Za-z][\w ]*)((?:\[[^\[\]|=]+\])+)\|")
#: Typographic quotation marks, and the straight ones that mean the same.
QUOTES: dict[int, str] = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
_ATTRIBUTE = re.compile(r"""([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")

#: A link to an internal slot: "[=Stream/[[buffer]]=]".
_SLOT = re.compile(r"\[=(?:[^=\[\]]|\\?\[\[\w[\w ]*\]\])+=\]")
#: A variable; the group is its name.
VARIABLE: re.Pattern[str] = re.compile(r"\|([^|\[\]{}=\n]+?)\|")
#: A link to a term; the groups are the target and the text, if it has another one.
LINK: re.Pattern[str] = re.compile(r"\[=(?!\])([^=|\]]+?)(?:\|([^=\]]*))?=\]")
_REFERENCE = re.compile(r"\{\{([^{}|]+)(?:\|([^{}]*))?\}\}")
_ELEMENT = re.compile(r"<\{([^{}|]+)(?:\|([^{}]*))?\}>")
_OPERATION = re.compile(r"\[\$([^$|]+)(?:\|([^$]*))?\$\]")
_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?:ing|ied|ies|ed|es|s)$")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a term: the owner of the term ("" for none, "/" for no owner at all) and the term."""

    owner: str
    term: str

    @property
    def key(self) -> tuple[str, ...]:
        """The stems of the words of the term, by which conjugated forms are the same."""
        return stems(self.term)


def attributes(text: str) -> dict[str, str]:
    """Return the attributes in the opening tag of an element, by name in small letters."""
    return {
        match[1].lower(): next((value for value in match.groups()[1:] if value is not None), "")
        for match in _ATTRIBUTE.finditer(text)
    }


@lru_cache(maxsize=1 << 16)
def normalize(text: str) -> str:
    """Return Bikeshed's markup in the one form of this module."""
    text = _COMMENT.sub(" ", text)
    text = _VARIABLE_TAG.sub(lambda match: f"|{match[1].strip()}|", text)
    text = _LINK_TAG.sub(_link_of_tag, text)
    text = _SLOT.sub(lambda match: re.sub(r"\\?\[\[|\]\]", "", match[0]), text)
    text = _ENTRY.sub(r"|\1|\2", text)
    text = _TAG.sub("", text)
    text = html.unescape(text).replace("`", "").translate(QUOTES)
    return " ".join(text.split())


def _link_of_tag(match: re.Match[str]) -> str:
    found = attributes(match[1])
    if "href" in found:
        return match[2]
    owner = found.get("for", "")
    target = found.get("lt", match[2]).partition("|")[0]
    return f"[={owner + '/' if owner else ''}{target}|{match[2]}=]"


def readable(text: str) -> str:
    """Return the words that a reader sees of a text in the one form."""
    text = LINK.sub(lambda match: match[2] or _last_part(match[1]), text)
    text = _REFERENCE.sub(lambda match: match[2] or _last_part(match[1]), text)
    text = _ELEMENT.sub(lambda match: match[2] or match[1].rpartition("/")[2], text)
    text = _OPERATION.sub(lambda match: match[2] or match[1], text)
    return VARIABLE.sub(lambda match: match[1], text)


def _last_part(target: str) -> str:
    return target.rpartition("/")[2].rpartition("!!")[2]


def variables(text: str) -> list[str]:
    """Return the names of the variables in a text, in its order, with repetitions."""
    return [match[1] for match in VARIABLE.finditer(text)]


def links(text: str) -> Iterator[Link]:
    """Yield the links to terms in a text."""
    for match in LINK.finditer(text):
        yield link_of(match[1])


def link_of(target: str) -> Link:
    """Return the link that ``for/term`` stands for."""
    owner, slash, term = target.strip().rpartition("/")
    return Link((owner or "/") if slash else "", " ".join(term.split()).lower())


def stems(phrase: str) -> tuple[str, ...]:
    """Return the stems of the words of a phrase: "finding a tool" has those of "find a tool"."""
    found = []
    for word in _WORD.findall(phrase.lower()):
        stem = _ENDING.sub("", word) if len(word) > 3 else word
        stem = re.sub(r"[eiy]$", "", stem) if len(word) > 3 else stem
        # A consonant that is doubled before an ending: submit, submitting.
        if len(stem) > 3 and stem[-1] == stem[-2] and word != stem:
            stem = stem[:-1]
        found.append(stem)
    return tuple(found)
