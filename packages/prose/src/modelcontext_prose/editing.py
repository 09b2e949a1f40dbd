"""A text in which a person changes the words of steps, to see what then happens.

A change replaces the words of one step: what stands between its number and the steps below it. Steps keep their numbers, so
an algorithm and a number name a change, and several changes have no order. A change is refused if the text would then have
other steps, or if a step would lose its meaning.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.emit.naming import id_of
from modelcontext_prose.other_text import OtherText
from modelcontext_prose.prose_error import ProseError
from speclint.text.source import read_text
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from modelcontext_prose.emit.program import Program
    from speclint.prose.tree import Place
    from speclint.text.source_model import SourceText

#: The id of an algorithm, and the number of a step.
StepName: TypeAlias = tuple[str, str]


class EditError(Exception):
    """A refused change: the step that is at fault, why, and the line and the column of the fault in its words, or zeros."""

    def __init__(self, step: StepName, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.step = step
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class _Span:
    """The lines of a step's own words: the number of the first one, and each with what stands before the words."""

    first: int
    lines: tuple[tuple[str, str], ...]

    def in_words(self, line: int, column: int) -> tuple[int, int]:
        """Return the line and the column in the words for those in the source, or zeros if that place is elsewhere."""
        at = line - self.first
        if not 0 <= at < len(self.lines):
            return 0, 0
        return at + 1, max(column - len(self.lines[at][0]), 1)


class EditedText:
    """A text, and what it is with changed steps."""

    def __init__(self, text: OtherText) -> None:
        self._text = text

    def words(self, step: StepName) -> str:
        """Return the words of a step as the source has them.

        Raises:
            EditError: if the text has no such step, or another one has a part of its lines.
            SpecificationError: if the text cannot be read.
        """
        return "\n".join(words for _, words in self._span(step).lines)

    def changed(self, changes: Mapping[StepName, str]) -> OtherText:
        """Return the text with other words for some steps.

        Raises:
            EditError: if a change is refused.
            SpecificationError: if the text cannot be read.
        """
        lines = list(self._source.lines)
        spans = {step: self._span(step) for step in changes}
        for step in sorted(changes, key=lambda one: -spans[one].first):
            first = spans[step].first - 1
            lines[first : first + len(spans[step].lines)] = _lines(step, spans[step], changes[step])
        text = OtherText("\n".join(lines) + "\n", self._text.path)
        after = self._spans_after(text, changes)
        try:
            program = text.linked.compiled.program
        except (SpecificationError, ProseError) as error:
            raise EditError([*changes][-1], error.message) from None
        self._check_meaning(program, after, changes)
        return text

    @cached_property
    def _source(self) -> SourceText:
        try:
            return read_text(self._text.content, self._text.path)
        except TextError as error:
            raise SpecificationError(error.message, error.path, error.line) from None

    @cached_property
    def _spans(self) -> Mapping[StepName, _Span | None]:
        return _spans(self._source)

    def _span(self, step: StepName) -> _Span:
        if step not in self._spans:
            raise EditError(step, "the text has no such step")
        span = self._spans[step]
        if span is None:
            raise EditError(step, "the step shares a line with other text, so it cannot be changed here")
        return span

    def _spans_after(self, text: OtherText, changes: Mapping[StepName, str]) -> Mapping[StepName, _Span | None]:
        """Return the spans of a changed text.

        Raises:
            EditError: if it cannot be read, or has other steps.
        """
        last = [*changes][-1]
        try:
            found = _spans(read_text(text.content, text.path))
        except TextError as error:
            raise EditError(last, error.message) from None
        if list(found) != list(self._spans):
            raise EditError(last, "only the words of a step can be changed, but this change would add or remove steps")
        return found

    def _check_meaning(
        self, program: Program, spans: Mapping[StepName, _Span | None], changes: Mapping[StepName, str]
    ) -> None:
        """Check that each changed step has one meaning, and that the other steps have what they had.

        Raises:
            EditError: if not.
        """
        known = _refused(self._text.linked.compiled.program)
        for step, (words, place) in _refused(program).items():
            if step in changes or step not in known:
                raise EditError(step, words, *(_in_words(spans[step], place) if step in changes else ()))
        ids = {one.id: id_of(one) for one in program.text.algorithms}
        for algorithm, found in program.ambiguous:
            if (ids[algorithm], found.number) in changes and found.problem is not None:
                step = (ids[algorithm], found.number)
                place = found.problem.place
                raise EditError(
                    step, f"has two possible meanings: {found.problem.message}", *_in_words(spans[step], place)
                )


def shown_words(text: OtherText, step: StepName) -> str:
    """Return the words of a step as a reader sees them."""
    algorithms = text.linked.compiled.program.text.algorithms
    return next(
        one.text for algorithm in algorithms for one in algorithm.walk() if (id_of(algorithm), one.number) == step
    )


def _in_words(span: _Span | None, place: Place) -> tuple[int, int]:
    return span.in_words(place.line, place.column) if span is not None else (0, 0)


def _refused(program: Program) -> Mapping[StepName, tuple[str, Place]]:
    """Return why steps have no meaning, and the places where it is lost."""
    ids = {one.id: id_of(one) for one in program.text.algorithms}
    return {(ids[one.algorithm], one.step.number): (one.words, one.place) for one in program.refusals}


def _lines(step: StepName, span: _Span, words: str) -> Iterator[str]:
    """Yield the lines of a step with other words. Blank lines go, because a list could end with them."""
    given = [line.expandtabs().strip() for line in words.splitlines() if line.strip()]
    if not given:
        raise EditError(step, "a step has words: write what it does instead")
    for line in given:
        for character in line:
            # Half of a surrogate pair is in no file, and a control character in no specification.
            if unicodedata.category(character) in ("Cc", "Cs"):
                raise EditError(step, f"U+{ord(character):04X} is not allowed in a text: remove it")
    indents = [before for before, _ in span.lines]
    indents += [indents[-1] if len(indents) > 1 else " " * len(indents[0])] * len(given)
    yield from (indent + line for indent, line in zip(indents, given, strict=False))


def _spans(source: SourceText) -> Mapping[StepName, _Span | None]:
    """Return the lines of each step; None if other words have a part of them."""
    steps = {(id_of(one), step.number): step for one in source.algorithms for step in one.walk()}
    owners = Counter(line for step in steps.values() for line in step.raw_lines)
    found: dict[StepName, _Span | None] = {}
    for name, step in steps.items():
        first, words = step.raw_lines[0], [line.strip() for line in step.raw.split("\n")]
        # The tags around cases are lines of the step before them.
        while len(words) > 1 and not words[-1]:
            words.pop()
        lines = source.lines[first - 1 : first - 1 + len(words)]
        places = [line.find(one) for line, one in zip(lines, words, strict=False)]
        numbers = list(range(first, first + len(words)))
        is_alone = (
            step.raw_lines[: len(words)] == numbers
            and all(owners[number] == 1 for number in numbers)
            and min(places) >= 0
        )
        pairs = tuple((line[:place], line[place:]) for line, place in zip(lines, places, strict=False))
        found[name] = _Span(first, pairs) if is_alone and min(places) >= 0 else None
    return found
