"""The mutants of a text, each as a patch.

What is changed is chosen in the syntax tree. The words come from the source: they get a few others, and the sentence is read
again. If it then says what the changed tree says, and nothing else, it is the mutant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from modelcontext_prose.emit.naming import id_of
from speclint.prose.nodes import Node
from speclint.prose.reading import read_sentences
from speclint.prose.tree import (
    Below,
    Conditional,
    If,
    InParallel,
    ItemCase,
    Let,
    NewException,
    Not,
    OnException,
    Otherwise,
    OtherwiseIf,
    Rethrow,
    Return,
    Set,
)
from speclint.prose.vocabulary import vocabulary_of

if TYPE_CHECKING:
    from speclint.prose.prose_text import Text
    from speclint.prose.tree import Expression, Reading
    from speclint.prose.vocabulary import Vocabulary
    from speclint.text.source_model import SourceAlgorithm, SourceStep

#: Changes of one node: the nodes that can stand in its place.
_Change: TypeAlias = "Callable[[Node], Iterator[Node]]"

_IF: Final = re.compile(r"\b(?:if|whether)\b", re.IGNORECASE)
_OPPOSITE: Final = " it is not the case that"
_ERROR: Final = re.compile(r"\{\{(\w+)\}\}(?=\" \{\{DOMException\}\})")
#: Names of exceptions behind "an" and behind "a", two of each.
_NAMES: Final = (("OperationError", "AbortError"), ("DataError", "NotFoundError"))


# The kind of a fault; the other one is that of an access.
class Kind(StrEnum):
    """What is wrong in a mutant."""

    REMOVED = "step removed"
    EXCHANGED = "exchanged with the next"
    NEGATED = "condition negated"
    OTHER_ERROR = "other exception"
    NOT_PARALLEL = "not in parallel"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A text with one fault: the kind of fault, its step, and the patch that makes it.

    ``index`` counts those of one kind at one step, from 1. ``steps`` are the steps, as ``algorithm number``, of which a run
    has to reach one to notice the fault.
    """

    kind: Kind
    algorithm: str
    step: str
    index: int
    line: int
    words: str
    patch: str
    steps: tuple[str, ...]

    @property
    def name(self) -> str:
        """The algorithm, the number of the step, and the kind; the index if it is not the first."""
        return f"{self.algorithm} {self.step} {self.kind}" + (f" {self.index}" if self.index > 1 else "")


def mutants(text: Text) -> Iterator[Mutant]:
    """Yield the mutants of a text, in its order."""
    making = _Making(text)
    for algorithm in text.source.algorithms:
        for step in algorithm.walk():
            yield from making.of_step(algorithm, step)
        for siblings in _lists(algorithm.steps):
            yield from making.of_list(algorithm, siblings)


class _Making:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._vocabulary: Vocabulary = vocabulary_of(text.source)
        # The steps of the source and their readings, in one order.
        self._readings: dict[int, Sequence[Reading]] = {}
        self._values: set[int] = set()
        for source, prose in zip(text.source.algorithms, text.algorithms, strict=True):
            for step, read in zip(source.walk(), prose.walk(), strict=True):
                self._readings[id(step)] = read.readings
                if step.is_case and any(isinstance(one[0], ItemCase) for one in read.readings):
                    self._values |= {id(child) for child in step.children}

    def of_step(self, algorithm: SourceAlgorithm, step: SourceStep) -> Iterator[Mutant]:
        """Yield the mutants in which one step is wrong."""
        if step.is_introduction:
            return
        yield _mutant(Kind.REMOVED, algorithm, step, _lines("-", step))
        for kind, words, change in ((Kind.NEGATED, _negated, _opposites), (Kind.OTHER_ERROR, _renamed, _other_names)):
            for index, raw in enumerate(self._reworded(step, words, change), 1):
                lines = (f"- {_line(step.number, step.raw)}", f"+ {_line(step.number, raw)}")
                yield _mutant(kind, algorithm, step, lines, index=index)
        match self._readings[id(step)]:
            case [(InParallel(body=(Below(),)),)] if not _has_cases(step):
                yield _mutant(Kind.NOT_PARALLEL, algorithm, step, (*_lines("-", step), *_moved_up(step)))

    def of_list(self, algorithm: SourceAlgorithm, steps: Sequence[SourceStep]) -> Iterator[Mutant]:
        """Yield the mutants in which two steps that follow each other are exchanged."""
        for first, second in pairwise(steps):
            if first.is_case or second.is_case or self._belongs_to_the_step_before(second):
                continue
            lines: tuple[str, ...]
            if not _has_cases(second):
                lines = (*_lines("-", second), *_lines("+", second, first.number))
            elif not _has_cases(first):
                lines = (*_lines("-", first), *_lines("+", first, second.number))
            else:
                continue  # Patches cannot put cases in.
            yield _mutant(Kind.EXCHANGED, algorithm, first, lines, second)

    def _belongs_to_the_step_before(self, step: SourceStep) -> bool:
        return any(
            isinstance(reading[0], Otherwise | OtherwiseIf | OnException | Rethrow)
            for reading in self._readings[id(step)]
        )

    def _reworded(self, step: SourceStep, words: Callable[[str], Iterator[str]], change: _Change) -> Iterator[str]:
        """Yield the words of a step in which the change of one node can be read, and nothing else."""
        if step.is_case:
            return
        wanted = [_meaning(one) for reading in self._readings[id(step)] for one in _with_one_changed(reading, change)]
        for raw in words(step.raw) if wanted else ():
            first = step.raw_lines[0]
            changed = replace(step, raw=raw)
            found = read_sentences(self._text.source, self._vocabulary, changed, first, id(step) in self._values)
            if len(found.readings) == 1 and _meaning(found.readings[0]) in wanted:
                yield raw


def _mutant(
    kind: Kind,
    algorithm: SourceAlgorithm,
    step: SourceStep,
    lines: Sequence[str],
    other: SourceStep | None = None,
    *,
    index: int = 1,
) -> Mutant:
    id_ = id_of(algorithm)
    patch = "".join(f"{line}\n" for line in (f"  {id_}", *lines))
    steps = tuple(f"{id_} {one.number}" for one in (step, other) if one is not None)
    return Mutant(kind, id_, step.number, index, step.line, " ".join(step.text.split()), patch, steps)


def _lists(steps: Sequence[SourceStep]) -> Iterator[Sequence[SourceStep]]:
    yield steps
    for step in steps:
        yield from _lists(step.children)


def _has_cases(step: SourceStep) -> bool:
    return any(one.is_case for one in step.walk())


def _line(number: str, raw: str) -> str:
    return f"{number}. {' '.join(raw.split())}"


def _lines(sign: str, step: SourceStep, number: str | None = None) -> tuple[str, ...]:
    """Return the lines of a patch for a step and those below it; they get the number that it gets."""
    begin = len(step.number)
    new = step.number if number is None else number
    return tuple(f"{sign} {_line(new + one.number[begin:], one.raw)}" for one in step.walk())


def _moved_up(step: SourceStep) -> Iterator[str]:
    """Yield the lines that put the steps below a step in its place."""
    above, _, last = step.number.rpartition(".")
    for place, child in enumerate(step.children, int(last)):
        yield from _lines("+", child, f"{above}.{place}" if above else str(place))


def _negated(raw: str) -> Iterator[str]:
    for match in _IF.finditer(raw):
        yield raw[: match.end()] + _OPPOSITE + raw[match.end() :]


def _opposites(node: Node) -> Iterator[Node]:
    """Yield a node with the opposite of its condition, or of its value, if that is whether something is so."""
    if isinstance(node, If | OtherwiseIf | Conditional):
        yield replace(node, condition=_opposite(node.condition))
    elif isinstance(node, Let | Set | Return) and node.value is not None:
        yield replace(node, value=_opposite(node.value))


def _opposite(condition: Expression) -> Expression:
    return condition.condition if isinstance(condition, Not) else Not(condition.place, condition)


def _renamed(raw: str) -> Iterator[str]:
    for match in _ERROR.finditer(raw):
        yield raw[: match.start(1)] + _other_name(match[1]) + raw[match.end(1) :]


def _other_name(name: str) -> str:
    first, second = _NAMES[name[0] not in "AEIOU"]
    return first if name != first else second


def _other_names(node: Node) -> Iterator[Node]:
    if isinstance(node, NewException) and node.name is not None:
        yield replace(node, name=_other_name(node.name))


def _with_one_changed(value: Any, change: _Change) -> Iterator[Any]:
    """Yield a part of a tree with one changed node, for each change."""
    if isinstance(value, Node):
        yield from change(value)
        for name in value.__dataclass_fields__:
            for part in _with_one_changed(getattr(value, name), change):
                yield replace(value, **{name: part})
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            for part in _with_one_changed(item, change):
                yield (*value[:index], part, *value[index + 1 :])


def _meaning(value: Any) -> Any:
    """Return a part of a tree without places, in a form to be compared."""
    if isinstance(value, Node):
        return (
            type(value),
            *(_meaning(getattr(value, name)) for name in value.__dataclass_fields__ if name != "place"),
        )
    return tuple(map(_meaning, value)) if isinstance(value, tuple) else value
