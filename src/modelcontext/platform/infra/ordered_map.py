"""Infra's ordered map, for the maps that several algorithms share."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from modelcontext.ground.schedule import footprint

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MAP: Final = footprint.Kind("map", unread=True)
_MAP_ENTRY: Final = footprint.Kind("map entry")


class OrderedMap(Generic[K, V]):
    """An ordered map (https://infra.spec.whatwg.org/#ordered-map) that records its own reads and writes."""

    __slots__ = ("_entries", "_name")

    def __init__(self) -> None:
        self._entries: dict[K, V] = {}
        self._name = footprint.new_name()

    def exists(self, key: K) -> bool:
        """Return whether ``map[key]`` exists."""
        if footprint.current is not None:
            footprint.read(_MAP_ENTRY, self._name, footprint.name_of_entry(key))
        return key in self._entries

    def __getitem__(self, key: K) -> V:
        if footprint.current is not None:
            footprint.read(_MAP_ENTRY, self._name, footprint.name_of_entry(key))
        return self._entries[key]

    def set(self, key: K, value: V) -> None:
        """Set the value of an entry; a new key comes last."""
        self._note_write(key)
        self._entries[key] = value

    def remove(self, key: K) -> None:
        """Remove an entry if it exists."""
        self._note_write(key)
        self._entries.pop(key, None)

    def _note_write(self, key: K) -> None:
        footprint.about_to_write()
        if footprint.current is not None:
            footprint.write(_MAP_ENTRY, self._name, footprint.name_of_entry(key))
            footprint.write(_MAP, self._name)

    def values(self) -> list[V]:
        """Return the values, in order."""
        footprint.read(_MAP, self._name)
        return list(self._entries.values())

    def items(self) -> list[tuple[K, V]]:
        """Return the entries, in order."""
        footprint.read(_MAP, self._name)
        return list(self._entries.items())

    def __len__(self) -> int:
        footprint.read(_MAP, self._name)
        return len(self._entries)
