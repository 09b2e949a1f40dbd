"""The dossiers of Issues: what is known of each beside its words, from a file that people write."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.checkout import path_in
from modelcontext.judging.issues.readings import READINGS
from modelcontext.judging.profiles import PROFILES, load_profile
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles

#: The kinds of Issues, in words.
STANDINGS: Final = {
    "kept": "A defect of the published text, which the algorithms keep.",
    "differs": "A difference: the algorithms differ from the published text, or decide a point that it leaves open.",
    "own": "A doubt about a section that the published text does not have.",
}
_KEYS: Final = {"title", "stands", "steps", "test", "none", "change", "effects", "readings"}


@dataclass(frozen=True, slots=True)
class NamedReading:
    """A reading of the text: its name, and the place of its changes: ``reading``, or a quirk as ``profile/quirk``."""

    name: str
    reading: str = ""
    quirk: str = ""


@dataclass(frozen=True, slots=True)
class Dossier:
    """The knowledge of an Issue beside its words.

    ``test`` is the path of the smallest program below ``wpt_tests``, without its ending; if it is empty, ``none`` says why
    there is no program. ``change`` is a diff of steps, and ``effects`` tells the consequences that nothing computes.
    """

    title: str
    stands: str
    steps: tuple[str, ...] = ()
    test: str = ""
    none: str = ""
    change: str = ""
    effects: str = ""
    readings: tuple[NamedReading, ...] = ()

    @property
    def proposed(self) -> str:
        """The name of the reading that is the proposed change; empty if none is executable."""
        names = (one.reading for one in self.readings if one.name.startswith("proposed"))
        return next(names, "")


def read_dossiers(root: Path, revision: RevisionFiles) -> Mapping[int, Dossier]:
    """Return the dossiers of a revision by the number of the Issue; an earlier revision has none.

    Raises:
        SpecificationError: if the file breaks a rule; the message says which Issue and what to do.
    """
    path = path_in(root, revision.issues)
    if not path.is_file():
        return {}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["issue"]
        return {int(number): _dossier(number, table, path) for number, table in tables.items()}
    except (tomllib.TOMLDecodeError, KeyError, ValueError, AttributeError, TypeError) as error:
        raise SpecificationError(f"these are not dossiers of Issues, tables [issue.N]: {error}", path) from None


def _dossier(number: str, table: dict[str, Any], path: Path) -> Dossier:
    problem = ""
    if unknown := sorted(set(table) - _KEYS):
        problem = f"unknown keys {', '.join(unknown)}: remove them"
    elif table.get("stands") not in STANDINGS:
        problem = f"`stands` is none of {', '.join(STANDINGS)}"
    elif ("test" in table) == ("none" in table):
        problem = "give either `test`, a program, or `none`, the reason why there is none"
    elif table["stands"] != "own" and not (table.get("change") and table.get("effects")):
        problem = "`change` or `effects` is missing"
    if problem:
        raise SpecificationError(f"issue {number}: {problem}", path)
    readings = tuple(NamedReading(**reading) for reading in table.get("readings", ()))
    for reading in readings:
        profile, _, quirk = reading.quirk.partition("/")
        known = profile in PROFILES and quirk in {one.name for one in load_profile(profile).quirks}
        if (reading.reading in READINGS) == known:
            raise SpecificationError(
                f"issue {number}: {reading.name!r} is neither a known reading nor a known quirk", path
            )
    return Dossier(
        title=table["title"],
        stands=table["stands"],
        steps=tuple(table.get("steps", ())),
        test=table.get("test", ""),
        none=table.get("none", ""),
        change=table.get("change", "").strip("\n"),
        effects=table.get("effects", ""),
        readings=readings,
    )
