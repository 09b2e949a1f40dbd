"""Comparison of the algorithms of two specifications step by step.

Algorithms are matched by the id of their dfn, the others by name, then by wording. Steps are matched in their order by
the share of words in common. A step with only another number, because one was added above it, is not a difference. A step
at another place in the order, or below another step, is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from modelcontext.spec.specification.comparison.differences import TextDifference, similarity

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.algorithms import Algorithm, Step

# Steps that share less are two different ones.
_SAME_STEP = 0.5
# A step that was both moved and reworded must share more, and have enough words for a meaningful share.
_MOVED_STEP = 0.8
_MOVED_WORDS = 5
# Algorithms with different names whose steps share this much are one that was renamed.
_SAME_ALGORITHM = 0.6


def compare_algorithms(ours: Sequence[Algorithm], other: Sequence[Algorithm]) -> list[TextDifference]:
    """Return the differences, in the order of our algorithms and then of those that only the other has."""
    pairs = _match_algorithms(ours, other)
    differences: list[TextDifference] = []
    for algorithm in ours:
        counterpart = pairs.get(algorithm.id)
        if counterpart is None:
            differences.append(TextDifference("algorithms", algorithm.id, "removed", algorithm.name, None))
        else:
            differences += _compare_pair(algorithm, counterpart)
    matched = {algorithm.id for algorithm in pairs.values()}
    differences += [
        TextDifference("algorithms", algorithm.id, "added", None, algorithm.name)
        for algorithm in other
        if algorithm.id not in matched
    ]
    return differences


def step_pairs(
    ours: Sequence[Algorithm], other: Sequence[Algorithm]
) -> Iterator[tuple[Algorithm, Step, Algorithm | None, Step | None]]:
    """Yield each of our steps with the algorithm and the step that it is in the other text, if it is there."""
    pairs = _match_algorithms(ours, other)
    for algorithm in ours:
        counterpart = pairs.get(algorithm.id)
        found, moved = _pair_steps(algorithm.steps, counterpart.steps if counterpart is not None else ())
        to = {**found, **moved}
        for index, step in enumerate(algorithm.steps):
            there = counterpart.steps[to[index]] if counterpart is not None and index in to else None
            yield algorithm, step, counterpart, there


def steps_of_one(ours: Sequence[Step], other: Sequence[Step]) -> list[Step]:
    """Return the steps of an algorithm that another version of it does not have at the same place with the same words."""
    if ours == other:
        return []
    pairs, _ = _pair_steps(ours, other)
    return [step for index, step in enumerate(ours) if index not in pairs or other[pairs[index]].text != step.text]


def _match_algorithms(ours: Sequence[Algorithm], other: Sequence[Algorithm]) -> dict[str, Algorithm]:
    by_id = {algorithm.id: algorithm for algorithm in other}
    pairs = {algorithm.id: by_id.pop(algorithm.id) for algorithm in ours if algorithm.id in by_id}
    for algorithm in ours:
        named = [one for one in by_id.values() if (one.function, one.kind) == (algorithm.function, algorithm.kind)]
        if algorithm.id not in pairs and len(named) == 1:
            pairs[algorithm.id] = by_id.pop(named[0].id)
    left = [algorithm for algorithm in ours if algorithm.id not in pairs]
    texts = {algorithm.id: " ".join(step.text for step in algorithm.steps) for algorithm in (*left, *by_id.values())}
    likely = sorted(
        ((similarity(texts[algorithm.id], texts[one]), algorithm.id, one) for algorithm in left for one in by_id),
        key=lambda candidate: -candidate[0],
    )
    for likeness, id_, other_id in likely:
        if likeness >= _SAME_ALGORITHM and id_ not in pairs and other_id in by_id:
            pairs[id_] = by_id.pop(other_id)
    return pairs


def _compare_pair(ours: Algorithm, other: Algorithm) -> Iterator[TextDifference]:
    for aspect, left, right in zip(("id", "kind", "parameters"), _aspects(ours), _aspects(other), strict=True):
        if left != right:
            yield TextDifference("algorithms", ours.id, aspect, left, right)
    yield from _compare_steps(ours.id, ours.steps, other.steps)


def _aspects(algorithm: Algorithm) -> tuple[str, str, str]:
    return algorithm.id, algorithm.kind, ", ".join(parameter.name for parameter in algorithm.parameters)


def _compare_steps(subject: str, ours: Sequence[Step], other: Sequence[Step]) -> Iterator[TextDifference]:
    pairs, moved = _pair_steps(ours, other)
    pairs |= moved
    taken = set(pairs.values())
    position = 0

    def added_until(end: int) -> Iterator[TextDifference]:
        nonlocal position
        for index in range(position, end):
            if index not in taken:
                yield TextDifference("algorithms", subject, "added", None, other[index].text, None, other[index].number)
        position = max(position, end)

    for index, step in enumerate(ours):
        if index not in pairs:
            yield TextDifference("algorithms", subject, "removed", step.text, None, step.number, None)
            continue
        counterpart = other[pairs[index]]
        numbers = step.number, counterpart.number
        if index in moved:
            yield TextDifference("algorithms", subject, "moved", step.text, counterpart.text, *numbers)
            continue
        yield from added_until(pairs[index])
        if step.text != counterpart.text:
            yield TextDifference("algorithms", subject, "reworded", step.text, counterpart.text, *numbers)
    yield from added_until(len(other))


def _pair_steps(ours: Sequence[Step], other: Sequence[Step]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the steps that are there in the same order, and those that moved, by index."""
    pairs = _align(ours, other)
    elsewhere = _find_other_parents(ours, other, pairs)
    pairs = {index: to for index, to in pairs.items() if index not in elsewhere}
    return pairs, _find_moves(ours, other, pairs)


def _align(ours: Sequence[Step], other: Sequence[Step]) -> dict[int, int]:
    """Return the alignment of two lists of steps with the largest share of words in common, by index."""
    rows, columns = len(ours), len(other)
    likeness = [[_likeness(left, right) for right in other] for left in ours]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        for column in reversed(range(columns)):
            together = likeness[row][column] + best[row + 1][column + 1] if likeness[row][column] else 0.0
            best[row][column] = max(together, best[row + 1][column], best[row][column + 1])
    pairs: dict[int, int] = {}
    row = column = 0
    while row < rows and column < columns:
        if likeness[row][column] and best[row][column] == likeness[row][column] + best[row + 1][column + 1]:
            pairs[row] = column
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _likeness(left: Step, right: Step) -> float:
    """Return the likeness of two steps, or 0 if they are different ones; an equal number breaks ties."""
    likeness = 2.0 if left.text == right.text else similarity(left.text, right.text)
    if likeness < _SAME_STEP:
        return 0.0
    return likeness + (0.1 if left.number == right.number else 0.0)


def _find_moves(ours: Sequence[Step], other: Sequence[Step], pairs: dict[int, int]) -> dict[int, int]:
    """Return the unmatched steps that stand, with the same or similar words, at another place of the other side."""
    taken = set(pairs.values())
    added = [index for index in range(len(other)) if index not in taken]
    removed = [index for index in range(len(ours)) if index not in pairs]
    moves: dict[int, int] = {}
    likely = sorted(
        ((_likeness(ours[index], other[to]), index, to) for index in removed for to in added),
        key=lambda candidate: -candidate[0],
    )
    for likeness, index, to in likely:
        is_same = ours[index].text == other[to].text
        is_like = likeness >= _MOVED_STEP and len(ours[index].text.split()) >= _MOVED_WORDS
        if (is_same or is_like) and index not in moves and to not in moves.values():
            moves[index] = to
    return moves


def _find_other_parents(ours: Sequence[Step], other: Sequence[Step], pairs: dict[int, int]) -> set[int]:
    """Return the matched steps below another parent than before, without the steps that moved along with such a parent."""
    parents, other_parents = _parents(ours), _parents(other)
    counterparts: dict[int | None, int | None] = {None: None} | pairs
    matched = set(counterparts.values())
    elsewhere = set()
    for index, to in pairs.items():
        parent, other_parent = parents[index], other_parents[to]
        if other_parent != counterparts[parent] if parent in counterparts else other_parent in matched:
            elsewhere.add(index)
    return elsewhere


def _parents(steps: Sequence[Step]) -> list[int | None]:
    numbers = {step.number: index for index, step in enumerate(steps)}
    return [numbers.get(step.number.rpartition(".")[0]) for step in steps]
