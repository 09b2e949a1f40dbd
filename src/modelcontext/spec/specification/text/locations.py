"""The lines of a specification's source on which steps, dictionary members and operations are written.

The built HTML has no line numbers. In the source, the steps of an algorithm are the numbered list items and the
``<dt>`` of its ``<div algorithm>``, in the order of the built text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.spec.specification.text.problems import Place

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.algorithms import Algorithm

_ID = re.compile(r"<dfn\b[^>]*\bid=[\"']?([^\s\"'>]+)")
_STEP = re.compile(r"\s*(?:\d+\.\s|<dt\b)")
_BEGIN = re.compile(r"<div\b[^>]*\balgorithm\b")


class SourceLines:
    """An index of the lines of one source; ``path`` is its path in the checkout ``root``."""

    def __init__(self, path: Path, root: Path, algorithms: Sequence[Algorithm]) -> None:
        self.path = path
        self._lines = (root / path).read_text(encoding="utf-8").splitlines()
        self._steps = {algorithm.id: [step.number for step in algorithm.steps] for algorithm in algorithms}
        self._algorithms: dict[str, int] = {}
        self._step_lines: dict[str, list[int]] = {}
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
        """The name of the source in messages."""
        return self.path.as_posix()

    def algorithm(self, identifier: str) -> Place | None:
        """Return the place of an algorithm's dfn, or None if there is none."""
        line = self._algorithms.get(identifier)
        return None if line is None else Place(self.path, line)

    def step(self, identifier: str, number: str) -> Place | None:
        """Return the place where a step begins, or that of its algorithm if its steps cannot be counted in the source."""
        numbers, lines = self._steps.get(identifier, []), self._step_lines.get(identifier, [])
        if number in numbers and len(numbers) == len(lines):
            return Place(self.path, lines[numbers.index(number)])
        return self.algorithm(identifier)

    def find_line(self, text: str) -> Place | None:
        """Return the first line that equals ``text``, except for white space around it."""
        stripped = text.strip()
        places = (Place(self.path, n) for n, line in enumerate(self._lines, start=1) if line.strip() == stripped)
        return next(places, None)
