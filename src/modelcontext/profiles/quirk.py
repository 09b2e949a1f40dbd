"""Quirks: what a product does otherwise than the revision that it implements says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from modelcontext.weaving.changes import Change, ChangeError, Linking


class ProfileError(ValueError):
    """There is no such profile, or a quirk changes what the revision does not have."""


class CrashError(Exception):
    """A quirk says that the product would crash here."""


@dataclass(frozen=True)
class Quirk:
    """One thing that a product does otherwise.

    ``step`` is where, as ``algorithm number``, ``changes`` is what makes the model do the same. ``reason`` says what the
    product does, and why which side looks wrong; ``wrong`` is the side that has to change. ``reproducer`` is a program in
    ``wpt_tests`` that shows it, without its ending.
    """

    name: str
    step: str
    changes: Sequence[Change]
    reason: str = ""
    reproducer: str = ""
    wrong: Literal["product", "spec", "neither"] = "product"

    def __post_init__(self) -> None:
        if not self.changes:
            raise ProfileError(f"the quirk {self.name} changes nothing")

    def apply(self, linking: Linking) -> None:
        """Make its changes in a copy of the revision. Raises :class:`ProfileError` if they fit nowhere."""
        try:
            for change in self.changes:
                change.apply(linking)
        except ChangeError as error:
            raise ProfileError(f"the quirk {self.name} does not fit: {error}") from None
