"""The numbers of steps: figures, and letters for cases."""

from __future__ import annotations


def letters_of(position: int) -> str:
    """Return a position in letters: 1 is a, 26 is z, 27 is aa."""
    letters = ""
    while position:
        position, digit = divmod(position - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters
