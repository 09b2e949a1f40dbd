"""The error about a text that cannot be read."""

from __future__ import annotations

from pathlib import Path


class TextError(Exception):
    """An error in a text, or in the way to it; the message says what to do.

    ``line`` is a line of ``path``, if known. ``environment`` is set if the error is not in the text: the file is missing, or
    nobody may read it.
    """

    def __init__(
        self, message: str, path: Path | None = None, line: int | None = None, *, environment: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.environment = environment

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        return f"{where}: {self.message}" if where else self.message
