"""Finding the line of ``index.bs`` that a step, a dictionary member or an operation was written on.

The built HTML has no line numbers. In the source, the steps of an algorithm are the numbered list items and the
``<dt>`` of its ``<div algorithm>``, in the order in which they come out of the built text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from modelcontext.specification.algorithms import Algorithm

_ID = re.compile(r"<dfn\b[^>]*\bid=[\"']?([^\s\"'>]+)")
_STEP = re.compile(r"\s*(?:\d+\.\s|<dt\b)")
_BEGIN = re.compile(r"<div\b[^>]*\balgorithm\b")


class SourceLines:
    """The lines of one ``index.bs`` by what stands on them."""

    def __init__(self, source: Path, algorithms: Sequence[Algorithm]) -> None:
        self.path = source
        self._lines = source.read_text(encoding="utf-8").splitlines()
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

    def algorithm(self, identifier: str) -> int | None:
        """Return the line of an algorithm's dfn, or None if there is none."""
        return self._algorithms.get(identifier)

    def step(self, identifier: str, number: str) -> int | None:
        """Return the line that a step begins on; that of its algorithm if the steps are written in an unusual way."""
        numbers, lines = self._steps.get(identifier, []), self._step_lines.get(identifier, [])
        if number in numbers and len(numbers) == len(lines):
            return lines[numbers.index(number)]
        return self.algorithm(identifier)

    def text(self, text: str) -> int | None:
        """Return the first line that consists of ``text``, white space aside."""
        stripped = text.strip()
        return next((number for number, line in enumerate(self._lines, start=1) if line.strip() == stripped), None)
