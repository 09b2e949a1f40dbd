"""Lists and ordered sets (https://infra.spec.whatwg.org/#lists); an ordered set is a list without repetitions."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def append_to_a_set(items: list[T], item: T) -> None:
    """Append an item, unless the ordered set has it."""
    if item not in items:
        items.append(item)


def remove_from_a_list(items: list[T], item: T) -> None:
    """Remove every item that is this one."""
    items[:] = [one for one in items if one != item]
