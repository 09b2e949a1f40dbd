"""Strings as sequences of UTF-16 code units (https://infra.spec.whatwg.org/#strings)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

#: Matches a lone surrogate: in a Python string, a pair of surrogates is always the code point that it stands for.
LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")

#: The code points of ASCII whitespace.
ASCII_WHITESPACE: Final = "\t\n\f\r "


def code_units(string: str) -> bytes:
    """Return the code units in big-endian order: a key that orders strings as "code unit less than" does."""
    return string.encode("utf-16-be", "surrogatepass")


def code_unit_length(string: str) -> int:
    """Return the length of a string, in code units."""
    return len(string) if string.isascii() else len(code_units(string)) // 2


def to_code_units(string: str) -> list[int]:
    """Return the code units of a string as numbers."""
    units = code_units(string)
    return [int.from_bytes(units[index : index + 2], "big") for index in range(0, len(units), 2)]


def from_code_units(units: Iterable[int]) -> str:
    """Return the string with these code units; a pair of surrogates becomes one code point."""
    return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be", "surrogatepass")


def has_lone_surrogate(string: str) -> bool:
    """Return whether a string has a lone surrogate, and so is not a scalar value string."""
    return not string.isascii() and LONE_SURROGATE.search(string) is not None


def convert_to_a_scalar_value_string(string: str) -> str:
    """Return the string with every lone surrogate replaced by U+FFFD."""
    return string if string.isascii() else LONE_SURROGATE.sub("\ufffd", string)


def strip_newlines(string: str) -> str:
    """Return the string without newlines (https://infra.spec.whatwg.org/#strip-newlines)."""
    return string.replace("\n", "").replace("\r", "")


def strip_leading_and_trailing_ascii_whitespace(string: str) -> str:
    """Return the string without ASCII whitespace at its start and end."""
    return string.strip(ASCII_WHITESPACE)


def ascii_lowercase(string: str) -> str:
    """Return the string with each ASCII upper alpha in lower case (https://infra.spec.whatwg.org/#ascii-lowercase)."""
    return "".join(one.lower() if one.isascii() else one for one in string)


def split_on_commas(input: str) -> list[str]:
    """Return the stripped tokens of a string (https://infra.spec.whatwg.org/#split-on-commas).

    A comma at the end begins no token.
    """
    tokens = [strip_leading_and_trailing_ascii_whitespace(token) for token in input.split(",")]
    return tokens if input and not input.endswith(",") else tokens[:-1]


def is_an_ascii_alphanumeric(code_point: str) -> bool:
    """Return whether a code point is an ASCII alphanumeric."""
    return code_point.isascii() and code_point.isalnum()


def is_an_ascii_case_insensitive_match(a: str, b: str) -> bool:
    """Return whether two strings are an ASCII case-insensitive match."""
    return a.encode("utf-8", "surrogatepass").lower() == b.encode("utf-8", "surrogatepass").lower()
