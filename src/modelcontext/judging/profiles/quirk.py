"""Quirks: deviations of a product from the revision that it implements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from modelcontext.spec.weaving.changes import Change, ChangeError, Linking


class ProfileError(ValueError):
    """A profile that does not exist, or a quirk that does not fit the revision."""


class CrashError(Exception):
    """The crash of the product, predicted by a quirk."""


@dataclass(frozen=True)
class Quirk:
    """One deviation of a product.

    ``step`` is its place, as ``algorithm number``; with the ``changes`` the model does the same. ``reason`` says what the
    product does, and why which side looks wrong; ``wrong`` is the side that has to change. ``reproducer`` is the path of a
    program in ``wpt_tests`` that shows the quirk, without its suffix.
    """

    name: str
    step: str
    changes: Sequence[Change]
    reason: str = ""
    reproducer: str = ""
    wrong: Literal["product", "spec", "neither"] = "product"

    def __post_init__(self) -> None:
        if not self.changes:
            raise ProfileError(f"the quirk {self.name} changes nothing: give it a change")

    def apply(self, linking: Linking) -> None:
        """Make the changes in a copy of the revision.

        Raises:
            ProfileError: if a change does not fit.
        """
        try:
            for change in self.changes:
                linking.apply(change)
        except ChangeError as error:
            raise ProfileError(f"the quirk {self.name} does not fit: {error}") from None
