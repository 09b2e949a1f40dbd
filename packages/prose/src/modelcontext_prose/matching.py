"""Matching of steps: which step of another text does what a step of ours does, although it says so in other words.

Two steps are alike if their words and their syntax trees are, a rare word or phrase counting more than a common one; if the
steps around them are; and if their algorithms have other steps that are alike. The last is why pairs are sought twice. A
step has one partner at most: the pairs that are most alike come first. Pairs that a person has looked up are not sought.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext_prose.emit.naming import id_of
from speclint.prose import tree
from speclint.text.markup import stems

if TYPE_CHECKING:
    from speclint.prose.prose_text import Step, Text

#: What a pair needs: at first, and when it is known which algorithms belong together.
_FIRST: Final = 0.5
_LEAST: Final = 0.6
#: What the steps themselves need, whatever is around them.
_OWN: Final = 0.15
#: The part of a step itself; the rest is that of the steps before, behind and above it.
_SHARE: Final = 0.7
#: What two steps have in common that both begin, or both end, their algorithm.
_EDGE: Final = 0.3
#: What it counts that all that is known of an algorithm is in another one, and that two algorithms have one id.
_TOGETHER: Final = 0.25
_SAME_ID: Final = 0.1
#: The part of the shorter of two algorithms that pairs must have.
_COMMON: Final = 0.2
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")

_Vector = Mapping[str, float]
_Pairs = dict[int, int]


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A step with the id of its algorithm, what it says, and the indices of the steps around it."""

    algorithm: str
    number: str
    says: Counter[str]
    around: tuple[int | None, int | None, int | None]

    @property
    def place(self) -> str:
        return f"{self.algorithm} {self.number}"


def places_of(text: Text) -> list[str]:
    """Return all steps of a text, as ``algorithm number``."""
    return [one.place for one in _numbered(text)]


def matched(ours: Text, theirs: Text, looked_up: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the steps of a text with their partners in another one, both as ``algorithm number``.

    Args:
        ours: the text.
        theirs: the other text.
        looked_up: the pairs that a person knows; a step has no partner if its partner is the empty string.
    """
    known = looked_up or {}
    found = {a: b for a, b in _sought(ours, theirs).items() if a not in known and b not in known.values()}
    found |= {step: partner for step, partner in known.items() if partner}
    return {step: found[step] for step in places_of(ours) if step in found}


def _sought(ours: Text, theirs: Text) -> dict[str, str]:
    own, other = list(_numbered(ours)), list(_numbered(theirs))
    vectors = _vectors([*own, *other])
    first, second = vectors[: len(own)], vectors[len(own) :]
    alike = [[_cosine(a, b) for b in second] for a in first]
    whole = [[_with_context(alike, own, other, i, j) for j in range(len(other))] for i in range(len(own))]
    belong = _belonging(_pairs(whole, _FIRST), own, other, whole)
    better = [
        [value and value + belong(own[i].algorithm, other[j].algorithm) for j, value in enumerate(row)]
        for i, row in enumerate(whole)
    ]
    pairs = _pairs(better, _LEAST)
    shared = Counter((own[i].algorithm, other[j].algorithm) for i, j in pairs.items())
    sizes = [Counter(one.algorithm for one in side) for side in (own, other)]
    return {
        own[i].place: other[j].place
        for i, j in sorted(pairs.items())
        if shared[own[i].algorithm, other[j].algorithm]
        >= _COMMON * min(sizes[0][own[i].algorithm], sizes[1][other[j].algorithm])
    }


def _numbered(text: Text) -> Iterator[_Numbered]:
    begin = 0
    for algorithm in text.algorithms:
        steps = list(algorithm.walk())
        indices = {step.number: begin + index for index, step in enumerate(steps)}
        for index, step in enumerate(steps, begin):
            before = index - 1 if index > begin else None
            behind = index + 1 if index + 1 < begin + len(steps) else None
            around = (before, behind, indices.get(step.number.rpartition(".")[0]))
            yield _Numbered(id_of(algorithm), step.number, _says(step), around)
        begin += len(steps)


def _says(step: Step) -> Counter[str]:
    """Return the words of a step, and the kinds of nodes and the verbs of its syntax tree."""
    found = Counter(f"word {stem}" for stem in stems(_CAPITAL.sub(" ", step.text)))
    for node in (node for reading in step.readings[:1] for statement in reading for node in statement.walk()):
        found[f"node {type(node).__name__}"] += 1
        if isinstance(node, tree.Call):
            found[f"verb {node.phrase.verb}"] += 1
    return found


def _vectors(steps: Sequence[_Numbered]) -> list[_Vector]:
    known = Counter(part for step in steps for part in step.says)
    found: list[_Vector] = []
    for step in steps:
        weights = {part: (1 + math.log(n)) * math.log(len(steps) / known[part]) for part, n in step.says.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        found.append({part: weight / length for part, weight in weights.items()})
    return found


def _cosine(a: _Vector, b: _Vector) -> float:
    less, more = (a, b) if len(a) < len(b) else (b, a)
    return sum(weight * more.get(part, 0.0) for part, weight in less.items())


def _with_context(
    alike: Sequence[Sequence[float]], own: Sequence[_Numbered], other: Sequence[_Numbered], i: int, j: int
) -> float:
    """Return how much two steps and what is around them are alike, or 0 if they are not alike themselves."""
    if alike[i][j] <= _OWN:
        return 0.0
    around = 0.0
    for a, b in zip(own[i].around, other[j].around, strict=True):
        if a is not None and b is not None:
            around += alike[a][b]
        elif a is None and b is None:
            around += _EDGE
    return _SHARE * alike[i][j] + (1 - _SHARE) * around / len(own[i].around)


def _pairs(values: Sequence[Sequence[float]], least: float) -> _Pairs:
    """Return the pairs of at least a value, the highest first, and each step in one of them at most."""
    found: _Pairs = {}
    taken: set[int] = set()
    ranked = [(-value, i, j) for i, row in enumerate(values) for j, value in enumerate(row) if value >= least]
    for _, i, j in sorted(ranked):
        if i not in found and j not in taken:
            found[i] = j
            taken.add(j)
    return found


def _belonging(
    pairs: _Pairs, own: Sequence[_Numbered], other: Sequence[_Numbered], values: Sequence[Sequence[float]]
) -> Callable[[str, str], float]:
    """Return a function that says how much two algorithms belong together by their pairs of steps."""
    of_both: defaultdict[tuple[str, str], float] = defaultdict(float)
    of_own: defaultdict[str, float] = defaultdict(float)
    for i, j in pairs.items():
        of_both[own[i].algorithm, other[j].algorithm] += values[i][j]
        of_own[own[i].algorithm] += values[i][j]

    def belong(a: str, b: str) -> float:
        return _TOGETHER * of_both[a, b] / max(1, of_own[a]) + (_SAME_ID if a == b else 0.0)

    return belong
