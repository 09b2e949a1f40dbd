"""The texts without one step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from speclint.text.source_model import SourceText


@dataclass(frozen=True, slots=True)
class Removal:
    """A text without one step: the step's algorithm, number, line and words, and the source of the text.

    The lines of the step are empty, so that all others keep their numbers. ``left`` are the words of the algorithm's steps.
    """

    algorithm: str
    step: str
    line: int
    words: str
    content: str
    left: tuple[str, ...]

    @property
    def place(self) -> str:
        """The algorithm and the number of the removed step."""
        return f"{self.algorithm} {self.step}"


def removals(source: SourceText, content: str) -> Iterator[Removal]:
    """Yield the removal of each step of a text; ``content`` is its source."""
    lines = content.splitlines()
    for algorithm in source.algorithms:
        for step in algorithm.walk():
            below = {id(one) for one in step.walk()}
            empty = {number for one in step.walk() for number in one.raw_lines}
            kept = ["" if number in empty else line for number, line in enumerate(lines, 1)]
            left = tuple(one.text for one in algorithm.walk() if id(one) not in below)
            yield Removal(algorithm.id, step.number, step.line, step.text, "\n".join(kept) + "\n", left)
