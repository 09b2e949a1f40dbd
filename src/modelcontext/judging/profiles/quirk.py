"""NamedDeviations of a product from the revision that it implements; quirks are those that the model can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal

from modelcontext.ground.problems import UserError
from modelcontext.spec.weaving.changes import Change, ChangeError, Linking

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision


class ProfileError(UserError, ValueError):
    """A profile that does not exist, or a quirk that does not fit the revision."""


class CrashError(Exception):
    """The crash of the product, predicted by a quirk."""


@dataclass(frozen=True)
class NamedDeviation:
    """One deviation of a product.

    ``step`` is its place, as ``algorithm number``. ``reason`` says what the product does, and why which side looks wrong;
    ``wrong`` is the side that has to change. ``reproducer`` is the path of a program in ``wpt_tests`` that shows it, without
    its suffix.
    """

    name: str
    step: str
    _: KW_ONLY
    reason: str = ""
    reproducer: str = ""
    wrong: Literal["product", "spec", "neither"] = "product"


@dataclass(frozen=True, eq=False)
class NamedDeviations:
    """The named deviations of one product, with the revision that it implements."""

    name: str
    product: str
    revision: Revision
    quirks: Sequence[NamedDeviation]


@dataclass(frozen=True)
class Quirk(NamedDeviation):
    """A deviation that the model shows as well, with the ``changes``."""

    changes: Sequence[Change]

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
            raise ProfileError(f"the quirk {self.name} cannot be applied: {error}") from None
