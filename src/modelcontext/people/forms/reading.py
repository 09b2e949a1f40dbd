"""Reading a page from a file."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Final

from modelcontext.ground.files import read_whole
from modelcontext.ground.problems import UserError
from modelcontext.people.forms.check import Source

if TYPE_CHECKING:
    from pathlib import Path

#: The most characters of a document: more would take minutes.
MOST_CHARACTERS: Final = 5_000_000

_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class SourceError(UserError):
    """A source that cannot be checked; the message says why, and what to do."""


def read_file(path: Path) -> Source:
    """Return the document in a file of HTML, in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        ReadError: if the file cannot be read.
        SourceError: if it has no text.
    """
    data = read_whole(path)
    encoding = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        html = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not in UTF-8 (byte {error.start}): save it in UTF-8, or give a URL") from None
    if "\0" in html:
        raise SourceError(f"{path} is not text (it has NUL characters): give a file of HTML")
    return Source(name="page", html=checked(html, str(path)))


def checked(html: str, name: str) -> str:
    """Return a source. Raises :class:`SourceError` if it is too long."""
    if len(html) > MOST_CHARACTERS:
        raise SourceError(
            f"{name} has {len(html):,} characters, but at most {MOST_CHARACTERS:,} are read: give a part with fewer forms"
        )
    return html
