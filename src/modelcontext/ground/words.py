"""Words of messages: a number with the noun that it counts, and lists of items as in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(items: Sequence[str]) -> str:
    """Return items as a sentence lists them, with ``and`` before the last one."""
    *first, last = items or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with the noun that it counts, in the singular or the plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
