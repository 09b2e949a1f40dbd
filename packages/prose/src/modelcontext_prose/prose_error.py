"""The error of a text that has no meaning as a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from speclint.prose.tree import Place


class ProseError(Exception):
    """A sentence without a meaning: what is wrong, with its place in the text."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
