"""Deviations of a product from the revision that it implements; a quirk is a deviation that the model can show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Final, Literal

from modelcontext.ground.problems import UserError

if TYPE_CHECKING:
    from modelcontext.platform.webidl.boundary import AroundCall
    from modelcontext.spec.revisions.revision import Revision
    from modelcontext.spec.weaving.relinking import InsteadOf

#: The name of an algorithm in a patch, and the number of a step that it removes or adds.
_BLOCK: Final = re.compile(r"  (\S+)")
_CHANGED: Final = re.compile(r"[-+] (\d\S*)\. ")


class ProfileError(UserError, ValueError):
    """A profile that does not exist, or a quirk that does not fit the revision."""


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
    """A deviation that the model shows as well.

    ``patch`` is the change of the text under which the product would conform. ``changes`` are those that no text can say: what
    the platform does otherwise.
    """

    patch: str = ""
    changes: Sequence[InsteadOf | AroundCall] = ()

    def __post_init__(self) -> None:
        if not self.patch and not self.changes:
            raise ProfileError(f"the quirk {self.name} changes nothing: give it a patch or a change")

    @property
    def steps(self) -> Iterator[str]:
        """The steps that the patch removes, and those in whose places it adds others, as ``algorithm number``."""
        algorithm = ""
        for line in self.patch.splitlines():
            if block := _BLOCK.fullmatch(line):
                algorithm = block[1]
            elif changed := _CHANGED.match(line):
                yield f"{algorithm} {changed[1]}"
