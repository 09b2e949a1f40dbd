"""Reader of the IDL in a text."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import cast

import pywebidl2
from pywebidl2 import expr
from pywebidl2.exceptions import IDLParseError

from speclint.text.text_error import TextError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PLACE = re.compile(r"(\d+):\d+ (.+)", re.DOTALL)
#: The parser lists every token that could stand at the place.
_EXPECTED = re.compile(r" expecting \{.*", re.DOTALL)
#: Letters of the parser's words, which may quote a whole block.
_LONGEST = 120


def error_in_idl(idl: str, path: Path, line: int) -> TextError | None:
    """Return the first error in a block of IDL that begins on a line of a text, or None if it is valid."""
    try:
        parse_idl(idl, path)
    except TextError as error:
        message = error.message.partition("; ")[0]
        found = _PLACE.search(message)
        if found is None:
            return TextError(message, path, line)
        words = " ".join(_EXPECTED.sub("", found[2]).split())
        words = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
        return TextError(f"{message[: found.start()]}{words}", path, line + int(found[1]) - 1)
    return None


@cache
def parse_idl(idl: str, path: Path) -> list[expr.Definition]:
    """Return the definitions of the IDL of the text at ``path``.

    Raises:
        TextError: if it has a syntax error.
    """
    if not _COMMENT.sub("", idl).strip():
        return []  # The parser refuses empty text.
    if errors := pywebidl2.validate(idl):
        raise TextError(f"the IDL of the text is not valid Web IDL: {'; '.join(map(str, errors))}", path)
    try:
        return cast("expr.Definitions", pywebidl2.raw_parse(idl)).definitions
    except IDLParseError:
        # The grammar takes a few texts, such as broken defaults, that the parser cannot make an object of.
        raise TextError("the IDL of the text is not valid Web IDL", path) from None
