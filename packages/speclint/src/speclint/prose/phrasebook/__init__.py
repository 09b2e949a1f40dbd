"""The phrasebook: the words of the platform as data, by standard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from speclint.prose.phrasebook import dom, ecmascript, forms, html, infra, webidl

if TYPE_CHECKING:
    from speclint.prose.phrasebook.phrase import Phrase

#: Every phrase, in the order of the standards.
PHRASEBOOK: Final[tuple[Phrase, ...]] = (
    *infra.PHRASES,
    *webidl.PHRASES,
    *ecmascript.PHRASES,
    *dom.PHRASES,
    *html.PHRASES,
    *forms.PHRASES,
)


def phrase_of(call: str) -> Phrase:
    """Return the first phrase that means a call."""
    return next(phrase for phrase in PHRASEBOOK if phrase.call == call)
