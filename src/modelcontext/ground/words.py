"""Words of messages: a number and the noun that it counts."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with the noun that it counts, in the singular or the plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
