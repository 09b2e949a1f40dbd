"""The steps of algorithms by the lines of a revision's Python code."""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from modelcontext.spec.specification.code.comments import PythonSource, parse_source, read_source


@dataclass(frozen=True, slots=True)
class StepReference:
    """A step of an algorithm: the id of the algorithm's dfn, and the number and text of the step."""

    algorithm: str
    number: str
    text: str

    def __str__(self) -> str:
        return f"{self.algorithm} step {self.number}: {self.text}"


class StepIndex:
    """An index from lines of code to steps; it reads each file once, except for those in ``sources``.

    The file of a linked text is in memory only, where Python's own cache of lines has it.
    """

    def __init__(self, sources: Iterable[PythonSource] = ()) -> None:
        self._sources = {str(source.path): source for source in sources}

    def locate(self, filename: str, lineno: int) -> StepReference | None:
        """Return the step of a line, or None if the line is in no algorithm or above the first step.

        This is the last step whose comment stands at or above the line in the algorithm's function, except for those that
        are indented deeper than the line: they belong to a block that has ended.

        Raises:
            SpecificationError: if the file cannot be read.
        """
        source = self._sources.get(filename)
        if source is None:
            text = "".join(linecache.getlines(filename))
            path = Path(filename)
            source = self._sources[filename] = parse_source(path, text) if text else read_source(path)
        for function in source.functions:
            if function.line <= lineno <= function.last_line:
                line = source.lines[lineno - 1]
                indent = len(line) - len(line.lstrip())
                for step in reversed(function.steps):
                    if step.line <= lineno and step.column <= indent:
                        return StepReference(function.id, step.number, step.text)
        return None
