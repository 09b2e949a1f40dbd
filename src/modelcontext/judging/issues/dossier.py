"""The dossiers of Issues: what is known of each beside its words, from a file that people write."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.checkout import path_in
from modelcontext.judging.profiles import PROFILES, load_profile
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles

#: The kinds of Issues, in words.
STANDINGS: Final = {
    "kept": "A defect of the published text that is also in the algorithms of this project.",
    "differs": "A difference between the published text and the algorithms of this project, or a point that only they decide.",
    "own": "A doubt about a section that the published text does not have.",
}
_KEYS: Final = {
    "title",
    "stands",
    "steps",
    "thread",
    "report",
    "unfiled",
    "places",
    "test",
    "none",
    "published_tests",
    "reading",
    "patch",
    "change",
    "effects",
} | {"readings"}
#: The value of ``thread`` if nobody has discussed an Issue.
NO_THREAD: Final = "none known"
_THREAD: Final = re.compile(rf"#\d+|{NO_THREAD}")
#: The first words of the names of readings, for each standing: what is proposed, what is published, what a browser does, or
#: another decision.
_READINGS: Final = {
    "kept": ("proposed", "possible"),
    "differs": ("published", "possible"),
    "own": ("Chromium", "possible"),
}


@dataclass(frozen=True, slots=True)
class NamedReading:
    """A reading of the text: its name, and what it is: a ``patch`` of the text, or a quirk as ``profile/quirk``."""

    name: str
    patch: str = ""
    quirk: str = ""


@dataclass(frozen=True, slots=True)
class Dossier:
    """The knowledge of an Issue beside its words.

    ``test`` is the path of the smallest program below ``wpt_tests``, without its ending; if it is empty, ``none`` says why
    there is no program. ``thread`` is the number of the discussion of the published text, as ``#1``, or :data:`NO_THREAD`.
    ``report`` is the quirk, as ``profile/quirk``, if the Issue is a report about a product, and not for the text's editors.
    ``unfiled`` is the reason why there is nothing to file for them. ``places`` are those of the published text, as Markdown,
    if the steps do not give them. ``published_tests`` says which published tests disagree with the published text there.
    ``patch`` is the first of the readings. ``change`` is the change of the published text. ``effects`` tells the consequences
    that nothing computes.
    """

    title: str
    stands: str
    steps: tuple[str, ...] = ()
    thread: str = NO_THREAD
    report: str = ""
    unfiled: str = ""
    places: tuple[str, ...] = ()
    test: str = ""
    none: str = ""
    published_tests: str = ""
    patch: str = ""
    change: str = ""
    effects: str = ""
    readings: tuple[NamedReading, ...] = ()

    @property
    def proposed(self) -> str:
        """The patch that is the proposed change; empty if there is none."""
        return self.patch if self.readings and self.readings[0].name.startswith("proposed") else ""


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
        raise SpecificationError(
            f"the file must consist of tables [issue.N], one for each Issue: {error}", path
        ) from None


def _dossier(number: str, table: dict[str, Any], path: Path) -> Dossier:
    problem = ""
    if unknown := sorted(set(table) - _KEYS):
        problem = f"unknown keys {', '.join(unknown)}: remove them"
    elif table.get("stands") not in STANDINGS:
        problem = f"`stands` is none of {', '.join(STANDINGS)}"
    elif ("test" in table) == ("none" in table):
        problem = "give either `test`, a program, or `none`, the reason why there is none"
    elif ("patch" in table) != ("reading" in table):
        problem = "give both: `patch`, and `reading`, its name"
    elif "reading" in table and not table["reading"].startswith(_READINGS[table["stands"]]):
        problem = f"`reading` begins with none of {', '.join(_READINGS[table['stands']])}"
    elif "report" in table and (table["stands"] != "own" or "thread" in table):
        problem = "`report` is for Issues that stand as `own`, and have no thread"
    elif "unfiled" in table and {"report", "thread", "change"} & set(table):
        problem = "`unfiled` is for Issues without `report`, `thread` and `change`"
    elif not {"report", "unfiled"} & set(table):
        if not _THREAD.fullmatch(table.get("thread", "")):
            problem = f'give `thread`, the number of the discussion, as "#1", or "{NO_THREAD}"'
        elif missing := [key for key in ("change", "effects") if not table.get(key)]:
            problem = f"`{missing[0]}` is missing"
    if problem:
        raise SpecificationError(f"issue {number}: {problem}", path)
    patch = table.get("patch", "").strip("\n")
    own = [NamedReading(table["reading"], patch)] if patch else []
    others = [NamedReading(one["name"], quirk=one["quirk"]) for one in table.get("readings", ())]
    for name in (*(reading.quirk for reading in others), *filter(None, [table.get("report")])):
        profile, _, quirk = name.partition("/")
        if profile not in PROFILES or quirk not in {one.name for one in load_profile(profile).quirks}:
            raise SpecificationError(f"issue {number}: {name!r} is not a known quirk", path)
    return Dossier(
        title=table["title"],
        stands=table["stands"],
        steps=tuple(table.get("steps", ())),
        thread=table.get("thread", NO_THREAD),
        report=table.get("report", ""),
        unfiled=table.get("unfiled", ""),
        places=tuple(table.get("places", ())),
        test=table.get("test", ""),
        none=table.get("none", ""),
        published_tests=table.get("published_tests", ""),
        patch=patch,
        change=table.get("change", ""),
        effects=table.get("effects", ""),
        readings=(*own, *others),
    )
