"""Finding the line of a specification's source that a step, a dictionary member or an operation was written on.

The built HTML has no line numbers. In the source, the steps of an algorithm are the numbered list items and the
``<dt>`` of its ``<div algorithm>``, in the order in which they come out of the built text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.specification.text.problems import Place

if TYPE_CHECKING:
    from modelcontext.specification.text.algorithms import Algorithm

_ID = re.compile(r"<dfn\b[^>]*\bid=[\"']?([^\s\"'>]+)")
_STEP = re.compile(r"\s*(?:\d+\.\s|<dt\b)")
_BEGIN = re.compile(r"<div\b[^>]*\balgorithm\b")


class SourceLines:
    """The lines of one source by what stands on them; ``path`` is its place below the checkout ``root``."""

    def __init__(self, path: Path, root: Path, algorithms: Sequence[Algorithm]) -> None:
        self.path = path
        self._lines = (root / path).read_text(encoding="utf-8").splitlines()
        self._steps = {algorithm.id: [step.number for step in algorithm.steps] for algorithm in algorithms}
        self._algorithms: dict[str, int] = {}
        self._step_lines: dict[str, list[int]] = {}
        self._read()

    def _read(self) -> None:
        current: str | None = None
        inside = False
        for number, line in enumerate(self._lines, start=1):
            if _BEGIN.search(line):
                inside, current = True, None
            if not inside:
                continue
            if current is None and (found := _ID.search(line)):
                current = found.group(1)
                self._algorithms[current] = number
                self._step_lines[current] = []
            elif current is not None and _STEP.match(line):
                self._step_lines[current].append(number)
            if "</div>" in line:
                inside = False

    @property
    def name(self) -> str:
        """How messages name the source."""
        return self.path.as_posix()

    def algorithm(self, identifier: str) -> Place | None:
        """Return the place of an algorithm's dfn, or None if there is none."""
        line = self._algorithms.get(identifier)
        return None if line is None else Place(self.path, line)

    def step(self, identifier: str, number: str) -> Place | None:
        """Return where a step begins; the place of its algorithm if the steps are written in an unusual way."""
        numbers, lines = self._steps.get(identifier, []), self._step_lines.get(identifier, [])
        if number in numbers and len(numbers) == len(lines):
            return Place(self.path, lines[numbers.index(number)])
        return self.algorithm(identifier)

    def line_that_is(self, text: str) -> Place | None:
        """Return the first line that consists of ``text``, white space aside."""
        stripped = text.strip()
        line = next((number for number, line in enumerate(self._lines, start=1) if line.strip() == stripped), None)
        return None if line is None else Place(self.path, line)
