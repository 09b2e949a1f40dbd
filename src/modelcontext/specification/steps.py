"""Saying which step of which algorithm a line of a revision's Python code belongs to."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from modelcontext.specification.comments import AlgorithmFunction, read_source


@dataclass(frozen=True, slots=True)
class StepReference:
    """A step of an algorithm, named by the id of the algorithm's dfn and the number of the step."""

    algorithm: str
    number: str
    text: str

    def __str__(self) -> str:
        return f"{self.algorithm} step {self.number}: {self.text}"


class StepIndex:
    """Finds the step that a line of code stands under; reads each file once."""

    def __init__(self) -> None:
        self._functions: dict[str, tuple[AlgorithmFunction, ...]] = {}

    def locate(self, filename: str, lineno: int) -> StepReference | None:
        """Return the step whose comment is the last one at or above the line in the algorithm's function.

        None if the line is in no algorithm, or above its first step. Raises SpecificationError if the file cannot be
        read.
        """
        functions = self._functions.get(filename)
        if functions is None:
            functions = self._functions[filename] = read_source(Path(filename)).functions
        for function in functions:
            if function.line <= lineno <= function.last_line:
                position = bisect_right(function.steps, lineno, key=lambda step: step.line)
                if position == 0:
                    return None
                step = function.steps[position - 1]
                return StepReference(function.id, step.number, step.text)
        return None
