"""Sets of results from a state on, as decision diagrams with equal parts shared.

A result is one sequence of observations for each stream, and the rest at the end. A state can have a million of them, so no
set is ever a list. A set is a *node*: it looks at one stream, branches on the next item there, and has a last branch for the
results in which that stream has nothing more. Streams are looked at one after the other, in the order of their places. A leaf
has the rests at the end. Equal sets are the same node, with a number of its own, and set 0 is empty.

Nodes are walked with lists of what is pending, because logs can be longer than calls can be nested.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final, TypeAlias

#: A result: the number of the rest at the end, and the place and the item of each observation, stream by stream.
Suffix: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]

#: The number of the set without results.
NO_RESULTS: Final = 0

#: The place of the stream, the set that follows each item there in the order of the items, and the set without such an item.
_SetNode: TypeAlias = tuple[int, tuple[tuple[int, int], ...], int]

#: The place of a leaf, after those of all streams.
_LEAF: Final = sys.maxsize


class ResultSet:
    """The results in a set.

    Args:
        root: the number of the set.
        nodes: the nodes by their numbers; parts come before wholes.
        items: the items, and the rests at the end, by their numbers.
        places: the place of each stream.
    """

    def __init__(
        self, root: int, nodes: Sequence[_SetNode], items: Sequence[Hashable], places: Mapping[str, int]
    ) -> None:
        self._root = root
        self._nodes = nodes
        self._items = items
        self._places = places
        self._item_numbers: dict[Hashable, int] | None = None

    def __getstate__(self) -> tuple[int, list[_SetNode], Sequence[Hashable], dict[str, int]]:
        """Return what a copy needs: the nodes below the root, with new numbers."""
        reachable = {NO_RESULTS}
        pending = [self._root]
        while pending:
            number = pending.pop()
            if number not in reachable:
                reachable.add(number)
                pending += _parts(self._nodes[number])
        numbers = {old: new for new, old in enumerate(sorted(reachable))}
        nodes = [
            (
                place,
                branches if place == _LEAF else tuple((item, numbers[one]) for item, one in branches),
                numbers[rest],
            )
            for place, branches, rest in map(self._nodes.__getitem__, numbers)
        ]
        return numbers[self._root], nodes, self._items, dict(self._places)

    def __setstate__(self, state: tuple[int, list[_SetNode], Sequence[Hashable], dict[str, int]]) -> None:
        self._root, self._nodes, self._items, self._places = state
        self._item_numbers = None

    def __len__(self) -> int:
        counts: dict[int, int] = {NO_RESULTS: 0}
        pending = [self._root]
        while pending:
            number = pending[-1]
            node = self._nodes[number]
            missing = [part for part in _parts(node) if part not in counts]
            if missing:
                pending += missing
                continue
            counts[number] = len(node[1]) if node[0] == _LEAF else sum(counts[part] for part in _parts(node))
            pending.pop()
        return counts[self._root]

    def __iter__(self) -> Iterator[Suffix]:
        path: list[tuple[int, int]] = []
        pending: list[tuple[int, int, tuple[int, int] | None]] = [(self._root, 0, None)]
        while pending:
            number, length, step = pending.pop()
            del path[length:]
            if step is not None:
                path.append(step)
            place, branches, rest = self._nodes[number]
            if place == _LEAF:
                letters = tuple(path)
                for left, _ in branches:
                    yield left, letters
                continue
            pending += [(one, len(path), (place, item)) for item, one in reversed(branches)]
            if rest != NO_RESULTS:
                pending.append((rest, len(path), None))

    def __contains__(self, suffix: object) -> bool:
        if not isinstance(suffix, tuple):
            return False
        left, letters = suffix
        place, branches, rest = self._nodes[self._root]
        passed = 0
        while place != _LEAF:
            following = rest
            if passed < len(letters) and letters[passed][0] == place:
                following = dict(branches).get(letters[passed][1], NO_RESULTS)
                passed += 1
            place, branches, rest = self._nodes[following]
        return passed == len(letters) and any(left == one for one, _ in branches)

    def find(self, streams: Mapping[str, Sequence[Hashable]], left: Hashable) -> Suffix | None:
        """Return the result with these sequences and this rest at the end, or None if the set has none like it."""
        if self._item_numbers is None:
            self._item_numbers = {item: number for number, item in enumerate(self._items)}
        try:
            letters = [
                (self._places[name], self._item_numbers[item]) for name, items in streams.items() for item in items
            ]
            suffix = self._item_numbers[left], tuple(sorted(letters, key=itemgetter(0)))
        except KeyError:
            return None
        return suffix if suffix in self else None

    def unfold(self, suffix: Suffix) -> tuple[dict[str, list[Hashable]], Hashable]:
        """Return the sequences of a result that are not empty, and the rest at the end."""
        left, letters = suffix
        names = list(self._places)
        streams: dict[str, list[Hashable]] = {}
        for place, item in letters:
            streams.setdefault(names[place], []).append(self._items[item])
        return streams, self._items[left]


class Results:
    """The sets of results of one exploration."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._items: list[Hashable] = []
        self._item_numbers: dict[Hashable, int] = {}
        empty: _SetNode = (_LEAF, (), NO_RESULTS)
        self._nodes: list[_SetNode] = [empty]
        self._numbers: dict[_SetNode, int] = {empty: NO_RESULTS}
        self._unions: dict[tuple[int, int], int] = {}
        self._prefixed: dict[tuple[int, tuple[int, ...]], dict[int, int]] = {}

    def of(self, number: int) -> ResultSet:
        """Return the results in a set."""
        return ResultSet(number, self._nodes, self._items, self._places)

    def end(self, left: Hashable) -> int:
        """Return the results of a state in which nothing can happen any more."""
        return self._node(_LEAF, {self._number(left): NO_RESULTS}, NO_RESULTS)

    def before(self, observed: Sequence[tuple[str, Hashable]], results: int) -> int:
        """Return results with observations in front."""
        streams: dict[int, list[int]] = {}
        for stream, item in observed:
            place = self._places.setdefault(stream, len(self._places))
            streams.setdefault(place, []).append(self._number(item))
        for place, items in streams.items():
            results = self._with_prefix(place, tuple(items), results)
        return results

    def without(self, observed: Sequence[tuple[str, Hashable]], suffix: Suffix) -> Suffix | None:
        """Return a result without the observations it begins with, or None if it does not begin with them."""
        left, letters = suffix
        remaining = list(letters)
        for stream, item in observed:
            place = self._places[stream]
            first = next((index for index, letter in enumerate(remaining) if letter[0] == place), None)
            if first is None or remaining[first][1] != self._item_numbers[item]:
                return None
            del remaining[first]
        return left, tuple(remaining)

    def union(self, one: int, other: int) -> int:
        """Return the results of two sets."""
        pending = [(one, other)]
        while (united := self._known_union(one, other)) is None:
            missing = self._unite(*pending[-1])
            if missing:
                pending += missing
            else:
                pending.pop()
        return united

    def _known_union(self, one: int, other: int) -> int | None:
        if one == other or other == NO_RESULTS:
            return one
        if one == NO_RESULTS:
            return other
        return self._unions.get((one, other) if one < other else (other, one))

    def _unite(self, one: int, other: int) -> list[tuple[int, int]]:
        """Unite two sets that are not empty; return the parts that have to be united before."""
        pair = (one, other) if one < other else (other, one)
        if self._nodes[one][0] > self._nodes[other][0]:
            one, other = other, one
        place, branches, rest = self._nodes[one]
        their_place, their_branches, their_rest = self._nodes[other]
        if their_place != place:
            their_branches, their_rest = (), other
        missing = []
        united = dict(their_branches)
        for item, part in branches:
            theirs = united.get(item, NO_RESULTS)
            both = self._known_union(part, theirs)
            if both is None:
                missing.append((part, theirs))
            else:
                united[item] = both
        united_rest = self._known_union(rest, their_rest)
        if united_rest is None:
            missing.append((rest, their_rest))
        elif not missing:
            self._unions[pair] = self._node(place, united, united_rest)
        return missing

    def _with_prefix(self, place: int, items: tuple[int, ...], results: int) -> int:
        """Return results with items in front of the sequence of a stream."""
        done = self._prefixed.setdefault((place, items), {NO_RESULTS: NO_RESULTS})
        pending = [results]
        while results not in done:
            number = pending[-1]
            first, branches, rest = self._nodes[number]
            if first >= place:
                made = number
                for item in reversed(items):
                    made = self._node(place, {item: made}, NO_RESULTS)
            else:
                missing = [part for part in _parts(self._nodes[number]) if part not in done]
                if missing:
                    pending += missing
                    continue
                made = self._node(first, {item: done[part] for item, part in branches}, done[rest])
            done[number] = made
            pending.pop()
        return done[results]

    def _number(self, item: Hashable) -> int:
        number = self._item_numbers.get(item)
        if number is None:
            number = self._item_numbers[item] = len(self._items)
            self._items.append(item)
        return number

    def _node(self, place: int, branches: Mapping[int, int], rest: int) -> int:
        node = (place, tuple(sorted(branches.items())), rest)
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return number


def _parts(node: _SetNode) -> list[int]:
    """Return the sets from which a node is made."""
    place, branches, rest = node
    return [rest] if place == _LEAF else [*(part for _, part in branches), rest]
