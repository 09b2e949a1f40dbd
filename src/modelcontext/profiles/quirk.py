"""Quirks: what a product does otherwise, each as changes of the revision that it implements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

from modelcontext.revisions.revision import Revision
from modelcontext.weaving.linking import Instead, Linking, LinkingError
from modelcontext.webidl import boundary

V = TypeVar("V")


class ProfileError(ValueError):
    """There is no such profile, or a quirk changes what the revision does not have."""


class CrashError(Exception):
    """A quirk says that the product would crash here."""


class Change(Protocol):
    """A change of a revision."""

    def apply(self, linking: Linking) -> None:
        """Make the change in a copy of the revision. Raises :class:`LinkingError` if it fits nowhere."""


@dataclass(frozen=True)
class InsteadOf:
    """``by`` is called, with it before the arguments, instead of ``verb``: in these algorithms, or in all that call it."""

    verb: str
    by: Callable[..., Any]
    algorithms: tuple[str, ...] = ()

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.call_instead(self.verb, self.by, self.algorithms)


@dataclass(frozen=True)
class Before:
    """``by`` is called before a step, with what its parameters name; it can return :class:`Instead`, or raise."""

    step: str
    by: Callable[..., Instead | None]

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.before(self.step, self.by)


@dataclass(frozen=True)
class Skip:
    """A step is left out."""

    step: str

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.skip(self.step)


@dataclass(frozen=True)
class Whole:
    """``by`` is a whole algorithm, and called with what its parameters name."""

    algorithm: str
    by: Callable[..., Any]

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.replace(self.algorithm, self.by)


@dataclass(frozen=True)
class AroundCall:
    """``by`` stands around every call of an operation from script."""

    by: boundary.AroundCall

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.revision = replace(linking.revision, around_call=(*linking.revision.around_call, self.by))


@dataclass(frozen=True)
class AroundSet:
    """``by`` stands around every assignment to an event handler from script."""

    by: boundary.AroundSet

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        linking.revision = replace(linking.revision, around_set=(*linking.revision.around_set, self.by))


@dataclass(frozen=True)
class Absent:
    """These interfaces, and attributes as ``Interface.attribute``, are not there."""

    names: tuple[str, ...]

    def apply(self, linking: Linking) -> None:
        """Make the change."""
        definitions = linking.revision.definitions
        interfaces = {
            name: replace(interface, attributes=self._without(interface.attributes, f"{name}."))
            for name, interface in self._without(definitions.interfaces).items()
        }
        linking.revision = replace(linking.revision, parsed_idl=replace(definitions, interfaces=interfaces))

    def _without(self, members: Mapping[str, V], prefix: str = "") -> dict[str, V]:
        return {name: member for name, member in members.items() if f"{prefix}{name}" not in self.names}


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


def link(revision: Revision, quirks: Iterable[Quirk]) -> Revision:
    """Return the revision with quirks in it, the last one outermost.

    Raises:
        ProfileError: for a quirk that fits nowhere.
    """
    linking = Linking(revision)
    for quirk in quirks:
        try:
            for change in quirk.changes:
                change.apply(linking)
        except LinkingError as error:
            raise ProfileError(f"the quirk {quirk.name} does not fit: {error}") from None
    return linking.link()
