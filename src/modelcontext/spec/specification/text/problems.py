"""The findings of a check, and their places."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file; ``path`` is relative to the checkout."""

    path: Path
    line: int | None = None

    def __str__(self) -> str:
        return self.path.as_posix() if self.line is None else f"{self.path.as_posix()}:{self.line}"


@dataclass(frozen=True, slots=True)
class CodeProblem:
    """A problem on a line of code, in the algorithm whose function begins on the line ``function``."""

    line: int
    function: int
    message: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding: its place, and a message that says what is wrong and what to do.

    ``algorithm`` and ``step`` name the algorithm and step concerned, ``text`` is the place in the specification, and
    ``details`` are lines that show the difference.
    """

    check: str
    place: Place
    message: str
    algorithm: str | None = None
    step: str | None = None
    text: Place | None = None
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        subject = " step ".join(part for part in (self.algorithm, self.step) if part)
        text = f" [{self.text}]" if self.text else ""
        head = f"{self.place}: {subject + ': ' if subject else ''}{self.message}{text}"
        return "\n".join([head, *(f"    {line}" for line in self.details)])

    def to_json(self) -> dict[str, object]:
        """Return the problem as a JSON object."""
        return {
            "check": self.check,
            "file": self.place.path.as_posix(),
            "line": self.place.line,
            "algorithm": self.algorithm,
            "step": self.step,
            "message": self.message,
            "textFile": self.text.path.as_posix() if self.text else None,
            "textLine": self.text.line if self.text else None,
            "details": list(self.details),
        }
