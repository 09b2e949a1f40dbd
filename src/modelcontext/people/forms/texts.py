"""Elements and texts of a page, in words that are safe to print."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element

_LONGEST_TEXT: Final = 60
_UNQUOTED: Final = re.compile("[^\\s\"'=<>`]+")
_ATTRIBUTES: Final = ("toolname", "type", "name", "id")
#: Letters that nothing shows (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point, those of no category Cf).
INVISIBLE_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS: Final = frozenset("\u200c\u200d")
_WHITESPACE: Final = frozenset("\t\n\r\f")


def visible(text: str) -> str:
    """Return the text in one line as a person may be shown it: nothing in it hides, turns around or controls a terminal."""
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in " ".join(text.split()))


def shortened(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Return the text as :func:`visible` does, and of a long one the start."""
    shown = visible(text[: longest * 4])
    return shown if len(shown) <= longest and len(text) <= longest * 4 else f"{shown[: longest - 1]}…"


def uncaught(error: Any) -> str:
    """Return an exception of a page that no script caught, as Playwright tells of it, with the place that threw it."""
    words = f"{error.name}: {shortened(error.message, 200)}"
    places = [line.strip() for line in (error.stack or "").splitlines() if line.strip().startswith("at ")]
    return f"{words} ({shortened(places[0], 200)})" if places else words


def quoted(text: str) -> str:
    """Return the start of a text in quotation marks."""
    return f'"{shortened(text, 40)}"'


def start_tag(element: Element) -> str:
    """Return the start tag of an element with the attributes that tell it apart."""
    shown = [
        f"{name}={_as_value(shortened(element.attributes[name], 24))}"
        for name in _ATTRIBUTES
        if name in element.attributes
    ]
    return f"<{' '.join([shortened(element.local_name, 24), *shown])}>"


def _as_value(text: str) -> str:
    return text if _UNQUOTED.fullmatch(text) else f'"{text}"'


def invisible_characters(text: str) -> list[str]:
    """Return the names of the characters of a text that a reader cannot see, each once.

    Joiners between other than ASCII characters belong to scripts and emoji, and are not among them.
    """
    found: dict[str, None] = {}
    for before, char in zip(" " + text, text, strict=False):
        if char.isascii() and char.isprintable():
            continue
        # The selectors beyond the sixteenth can carry any text. One of them may choose the shape of an ideograph.
        is_selector = "\U000e0100" <= char <= "\U000e01ef" and unicodedata.category(before) != "Lo"
        is_hidden = is_selector or char in INVISIBLE_LETTERS or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs")
        if is_hidden and char not in _WHITESPACE and (char not in _JOINERS or before.isascii()):
            found[f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()] = None
    return list(found)
